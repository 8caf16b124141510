"""A vault controlled by the server's signed orders: it makes deals, stores the start, and gives sessions' deals. ``server_orders`` decides,
``VaultHome`` stores. The seed is only in memory, from making the deals or the passphrase until the process ends. A session is a ``Vault``,
made from the files when session or process begins."""

import secrets
from collections.abc import Callable
from datetime import datetime
from typing import assert_never

from twinwall.custody.key_shares import KeyShares
from twinwall.custody.release import DealFinished, DealStarted
from twinwall.custody.server_orders import (
    CommittedEvent,
    RefusedOrder,
    deals_problem,
    decide_session,
    decide_start,
    plan_of,
    session_custody,
)
from twinwall.custody.table_custody import TableCustody
from twinwall.custody.vault import Publish, Vault
from twinwall.custody.vault_files import SessionOrdered, VaultFiles, VaultLedger, in_play_by_ledger, last_order
from twinwall.custody.vault_home import SeedKeeper, VaultHome, VaultOwner
from twinwall.game.deals import CommitmentPart
from twinwall.game.documents import DocumentError
from twinwall.wire.messages.signing import Counter, Repeats, sign_document, vault_sealing_key
from twinwall.wire.messages.vaults.journal_key import CHALLENGE_SIZE
from twinwall.wire.messages.vaults.vault_orders import (
    BOOT_SIZE,
    SERVER,
    AnyAnswer,
    BeginSession,
    DealsMade,
    FixStart,
    MakeDeals,
    OrderRefused,
    SeedUnlocked,
    SessionBegun,
    StartStored,
    UnlockSeed,
    VaultAnswer,
    VaultOrder,
    VaultRefusal,
    VaultStanding,
    read_order,
)
from twinwall.wire.mqtt.topics import vault_answers_topic, vault_orders_topic

STANDING_S = 2.0
"""Interval of state reports, for a server that has just started."""


class OrderedVault:
    def __init__(
        self,
        owner: VaultOwner,
        home: VaultHome,
        counter: Counter,
        say: Callable[[str], None],
        draw: Callable[[int], bytes] = secrets.token_bytes,
    ) -> None:
        """``counter`` rises across restarts; ``say`` informs the vault's keeper; ``draw`` returns random bytes. Raises DocumentError if a
        passphrase typed at the vault does not open the present event's seed."""
        self._owner, self._home, self._counter, self._tell, self._draw = owner, home, counter, say, draw
        self._boot = draw(BOOT_SIZE).hex()
        self._repeats = Repeats()
        self._logged: set[str] = set()
        self._standing_due_s = 0.0
        self._seed = SeedKeeper(owner, self._boot, draw)
        self._present: CommittedEvent | None = None
        self._session: Vault | None = None
        self._ordered: BeginSession | None = None
        self._load()

    @property
    def subscriptions(self) -> tuple[str, ...]:
        """The topics to subscribe to; they change with the session."""
        session = () if self._session is None else self._session.subscriptions
        return (vault_orders_topic(self._owner.signer.by), *session)

    def hear(self, topic: str, payload: bytes, now_s: float) -> list[Publish]:
        if topic != vault_orders_topic(self._owner.signer.by):
            return [] if self._session is None else self._session.hear(topic, payload, now_s)
        try:
            order = read_order(payload, self._owner.signer.public, self._owner.server)
        except DocumentError as error:
            self._say_once(str(error))
            return []
        if order.boot != self._boot:
            return [self._standing()]
        if not self._repeats.is_new(SERVER, order.counter):
            return []
        return [self._publish(self._carry_out(order, now_s)), self._standing()]

    def tick(self, now_s: float, at: datetime) -> list[Publish]:
        sent = [] if self._session is None else self._session.tick(now_s, at)
        if now_s >= self._standing_due_s:
            self._standing_due_s = now_s + STANDING_S
            sent.append(self._standing())
        return sent

    def _carry_out(self, ordered: VaultOrder, now_s: float) -> AnyAnswer:
        to, order = ordered.counter, ordered.order
        done: AnyAnswer | RefusedOrder
        match order:
            case MakeDeals():
                done = self._make_deals(order, to)
            case FixStart():
                done = self._keep_start(order, to)
            case BeginSession():
                done = self._begin_session(order, to)
            case UnlockSeed():
                done = self._unlock(order, to, now_s)
            case _:
                assert_never(order)
        if isinstance(done, RefusedOrder):
            self._tell(f"an order of the server has no effect: {done.sentence}")
            return OrderRefused(to, done.reason, done.sentence)
        return done

    def _make_deals(self, order: MakeDeals, to: int) -> DealsMade | RefusedOrder:
        plan = plan_of(order)
        if isinstance(plan, RefusedOrder):
            return plan
        known = self._home.event(plan.event)
        problem = deals_problem(self._owner.holder, self._owner.signer.by, known, plan)
        if problem is not None:
            return problem
        made = known is not None and known.plan == plan
        if known is not None and made and self._present is not None and self._present.folder == known.folder:
            return _made(known.part, to)
        if in_play := self._in_play:
            return RefusedOrder(VaultRefusal.IN_PLAY, f"table {', '.join(in_play)} plays a deal of the present event: let it finish first")
        if known is not None and made:
            self._home.choose(plan.event)
            try:
                self._load()
            except DocumentError as error:
                self._tell(f"{error}; start the vault again with the passphrase of {plan.event!r}")
            return _made(known.part, to)
        event = self._seed.make(plan, order.passphrase, self._home)
        if isinstance(event, RefusedOrder):
            return event
        self._load(is_open=True)
        part = event.part
        self._tell(f"made {len(plan.deals)} deals of {plan.event!r}; the seed's commitment is {part.seed.hex()}")
        return _made(part, to)

    def _keep_start(self, order: FixStart, to: int) -> StartStored | RefusedOrder:
        present = self._present
        started = decide_start(self._owner.holder, present, order)
        if isinstance(started, RefusedOrder):
            return started
        assert started.start is not None
        if present is not None and present.start is None:
            self._home.keep_start(started)
            self._present = self._home.present
            self._tell(f"the start of {started.plan.event!r} is {started.start.words}, and stays")
        return StartStored(to, started.start.code.hex())

    def _begin_session(self, order: BeginSession, to: int) -> SessionBegun | RefusedOrder:
        present = self._present
        ask = self._owner.new_keys_ask
        custody = decide_session(
            present,
            order,
            last=self._ordered,
            played=self._played(order.session),
            in_play=self._in_play,
            is_open=self._seed.seed is not None,
            new_keys_ask=ask,
        )
        if isinstance(custody, RefusedOrder):
            return custody
        assert present is not None
        if order != self._ordered:
            self._ledger(present).keep(SessionOrdered(order))
            self._ordered = order
            self._open_session(present)
            names = ", ".join(f"{table.name} (on paper: given no deal)" if table.paper else table.name for table in order.tables)
            self._tell(f"session {order.session} begins at tables {names}, within {order.spread} of each other in a group")
        return SessionBegun(to, order.session)

    def _unlock(self, order: UnlockSeed, to: int, now_s: float) -> SeedUnlocked | RefusedOrder:
        present = self._present
        if present is None:
            return RefusedOrder(VaultRefusal.NO_DEALS, f"the vault of {self._owner.holder!r} has made no deals: there is nothing to unlock")
        if self._seed.seed is None:
            refused = self._seed.open(present, order.passphrase, now_s)
            if refused is not None:
                return refused
            self._opened(present)
        return SeedUnlocked(to)

    def _opened(self, present: CommittedEvent) -> None:
        """Continue the session of the present event, whose seed is open."""
        self._tell(f"the seed of {self._owner.holder!r} is open")
        self._open_session(present)

    @property
    def _in_play(self) -> tuple[str, ...]:
        """Tables of the present session that play a deal and are not withdrawn; if the vault is locked, by its ledger."""
        if self._session is not None:
            tables = self._session.state.members
            return tuple(name for name, table in tables.items() if table.started - table.finished and not table.withdrawn)
        return () if self._present is None else in_play_by_ledger(self._ledger(self._present).read())

    def _played(self, session: int) -> BeginSession | None:
        """The last order of a session with a begun deal; None if none of its deals has begun."""
        if self._present is None:
            return None
        entries, plan = self._ledger(self._present).read(), self._present.plan
        begun = any(isinstance(entry, DealStarted | DealFinished) and plan.deal(entry.n).session == session for entry in entries)
        orders = [entry.order for entry in entries if isinstance(entry, SessionOrdered) and entry.order.session == session]
        return orders[-1] if orders and begun else None

    def _ledger(self, present: CommittedEvent) -> VaultLedger:
        return VaultLedger(present.folder, present.plan.event, self._owner.signer)

    def _load(self, *, is_open: bool = False) -> None:
        """Read the present event; its session begins when the seed is open (``is_open``: it was just made)."""
        present = self._home.present
        self._present, self._session = present, None
        entries = [] if present is None else self._ledger(present).read()
        self._ordered = last_order(entries)
        if is_open:
            return
        self._seed.seed = None
        if present is not None and self._owner.passphrase:
            self._seed.take(present, self._owner.passphrase)
            self._opened(present)

    def _open_session(self, present: CommittedEvent) -> None:
        started, order, seed, signer = present.started, self._ordered, self._seed.seed, self._owner.signer
        if started is None or order is None or seed is None:
            return
        shares = KeyShares.open(started, self._owner.holder, seed, present.commitments)
        released = self._owner.released or present.folder / "released"
        custody = session_custody(started.plan, order, new_keys_ask=self._owner.new_keys_ask)
        if isinstance(custody, RefusedOrder):
            raise DocumentError(f"the session that is kept in {present.folder} cannot be given: {custody.sentence}")
        tables = TableCustody(
            custody,
            {table.name: bytes.fromhex(table.identity) for table in order.tables},
            shares,
            signer=signer,
            counter=self._counter,
            draw=lambda: self._draw(CHALLENGE_SIZE),
            command_id=lambda: self._draw(8).hex(),
            server=self._owner.server,
        )
        disk = VaultFiles(present.folder, started.plan.event, signer, released, self._tell, server=self._owner.server)
        self._session = Vault(shares, tables, disk)

    def _standing(self) -> Publish:
        present = self._present
        start = None if present is None else present.start
        return self._publish(
            VaultStanding(
                boot=self._boot,
                sealing_key=vault_sealing_key(self._owner.signer).public.hex(),
                holder=self._owner.holder,
                event="" if present is None else present.plan.event,
                plan="" if present is None else present.plan.digest.hex(),
                start="" if start is None else start.code.hex(),
                session=0 if self._ordered is None else self._ordered.session,
                locked=present is not None and self._seed.seed is None,
            )
        )

    def _publish(self, answer: AnyAnswer) -> Publish:
        signer = self._owner.signer
        return Publish(vault_answers_topic(signer.by), sign_document(signer, VaultAnswer(self._counter.next(), answer)))

    def _say_once(self, sentence: str) -> None:
        if sentence not in self._logged:
            self._logged.add(sentence)
            self._tell(sentence)


def _made(part: CommitmentPart, to: int) -> DealsMade:
    return DealsMade(to, part.plan_digest.hex(), part.holder, part.seed.hex(), tuple(digest.hex() for digest in part.keys))
