"""The deals of the event, which vaults make and commit by the server's orders, and its start and sessions. Each step is in the event's
store before any vault is ordered, and orders are repeated until they are answered, so a crash of dashboard, vault or broker only delays
them. Passphrases are sealed to the vaults at once and never stored. ``twinwall.event.deal_state`` decides each next step."""

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import assert_never

import msgspec

from dashboard.custody.hall_vault import HallVault, HolderProgress, VaultStep
from dashboard.projections.hall_views import HallWait
from twinwall.event.deal_state import (
    AskedDeals,
    DealProblem,
    DealState,
    DealStep,
    MadeDeals,
    NoDeals,
    RefusedStep,
    StartedEvent,
    apply,
    ask_deals,
    begun,
    choose_session,
    fix_start,
    take_part,
    take_tiles,
    with_tiles_to_read,
)
from twinwall.event.drawn_tiles import TableTiles
from twinwall.event.store.databases.port import StoreError
from twinwall.event.store.store_contents import DealStepTaken
from twinwall.event.store.store_writer import StoreWriter
from twinwall.game.deals import CommitmentPart, Plan
from twinwall.game.deals.encoding import Sha256
from twinwall.game.documents import DocumentError
from twinwall.wire.messages.signing import Counter, Signer, vault_names
from twinwall.wire.messages.vaults.vault_orders import (
    AnyOrder,
    BeginSession,
    DealsMade,
    MakeDeals,
    OrderRefused,
    SeedUnlocked,
    SessionBegun,
    SessionTable,
    StartStored,
    UnlockSeed,
    VaultStanding,
    read_answer,
)
from twinwall.wire.mqtt.topics import vault_orders_topic

_LOG = logging.getLogger(__name__)


class DealMaking:
    """The vaults of one event, from the server's side; any thread may call."""

    def __init__(
        self,
        records: StoreWriter,
        vaults: Mapping[str, bytes],
        signer: Signer,
        counter: Counter,
        *,
        now: Callable[[], datetime],
        monotonic_s: Callable[[], float],
    ) -> None:
        """``vaults`` are the vaults' public keys by holder, in the plan's order; ``counter`` rises across restarts and events."""
        self._records, self._signer, self._counter = records, signer, counter
        self._now, self._monotonic_s = now, monotonic_s
        self._lock = threading.RLock()
        names = vault_names(tuple(vaults))
        self._vaults = {names[holder]: HallVault(holder, names[holder], key) for holder, key in vaults.items()}
        self._state = records.deals
        self.publish: Callable[[str, bytes], int | None] = lambda _topic, _payload: None
        """Sends to the broker; None without a connection."""

    @property
    def state(self) -> DealState:
        """How far the deals are; a started event has its code, its words and the text of its QR code."""
        with self._lock:
            return self._state

    @property
    def holders(self) -> tuple[str, ...]:
        """The holders of the hall's vaults, in the order that a plan must use."""
        return tuple(vault.holder for vault in self._vaults.values())

    @property
    def progress(self) -> tuple[HolderProgress, ...]:
        """Each holder's vault, and how far it is with the last order."""
        with self._lock:
            now_s = self._monotonic_s()
            done = frozenset() if isinstance(self._state, NoDeals) else self._state.done
            return tuple(each.progress(self._wanted(each), now_s, done=each.holder in done) for each in self._vaults.values())

    @property
    def waits(self) -> tuple[HallWait, ...]:
        """Which vaults wait for a person: for the passphrase, or for help."""
        is_asked = not isinstance(self.state, NoDeals)
        found = ((each, _waits_for(each, is_asked=is_asked)) for each in self.progress)
        return tuple(HallWait(key, "/event/deals", names=(("holder", each.holder),)) for each, key in found if key)

    def make_deals(self, plan: Plan, passphrase: str, by: str) -> RefusedStep | None:
        """Let every vault make the deals of a plan, or continue; None if that is under way or done. ``passphrase`` may be empty if each
        holder gives his own at his vault. Raises StoreError if nothing could be stored."""

        def decide(state: DealState) -> DealStep | RefusedStep | None:
            refused = self._no_deals() or self._unheard(passphrase)
            return refused or ask_deals(state, plan, event=self._records.programme.event, holders=self.holders)

        return self._decide(decide, by, lambda vault: vault.seal(passphrase))

    def fix_start(self, public: str, by: str, readings: int | None = None) -> RefusedStep | None:
        """Fix the public value for good, and send the start to every vault; refused unless there are this many ``readings``. Raises
        StoreError if nothing could be stored."""
        return self._decide(lambda state: fix_start(state, public, readings), by)

    def read_tiles(self, look: Callable[[MadeDeals], tuple[TableTiles, ...]], by: str) -> RefusedStep | None:
        """Store what ``look`` finds on the tables for the committed deals; refused before all commitments, and once the public value is
        fixed. Raises StoreError if nothing could be stored."""
        made = with_tiles_to_read(self.state)
        if isinstance(made, RefusedStep):
            return made
        tables = look(made)  # seconds, in which others may order something
        return self._decide(lambda state: take_tiles(state, made, tables), by)

    @property
    def asked_session(self) -> int:
        """The session for which the vaults were last asked for deals; 0 for none."""
        with self._lock:
            state = self._state
        return state.session.session if isinstance(state, StartedEvent) and state.session is not None else 0

    def begin_session(self, session: int, tables: Sequence[SessionTable], groups: Sequence[Sequence[str]], by: str) -> RefusedStep | None:
        """Let the vaults give a session's deals to these tables. Raises StoreError."""
        grouped = tuple(tuple(group) for group in groups)

        def decide(state: DealState) -> DealStep | RefusedStep | None:
            code = state.code if isinstance(state, StartedEvent) else ""
            return choose_session(state, BeginSession(code, session, tuple(tables), grouped))

        return self._decide(decide, by)

    def unlock(self, passphrase: str) -> None:
        """Give the passphrase to each vault that was started and waits for it."""
        with self._lock:
            for vault in self._vaults.values():
                if vault.is_locked:
                    vault.seal(passphrase)
                    vault.unlocking = True
            self.tick()

    def hear(self, payload: bytes) -> None:
        """Receive an answer; one from none of the hall's vaults is logged and ignored."""
        try:
            account, answered = read_answer(payload, {vault.account: vault.key for vault in self._vaults.values()})
        except DocumentError as error:
            _LOG.warning("an answer of a vault is refused: %s", error)
            return
        with self._lock:
            vault, answer = self._vaults[account], answered.answer
            if isinstance(answer, VaultStanding):
                vault.stand(answered.counter, answer, self._monotonic_s())
            elif (order := vault.answer(answer, answer.to)) is not None:
                try:
                    self._answered(vault, order, answer)
                except (StoreError, DocumentError) as error:
                    _LOG.error("%s", error)  # the vault is asked again
            self._send(vault)

    def tick(self) -> None:
        """Repeat unanswered orders."""
        with self._lock:
            for vault in self._vaults.values():
                self._send(vault)

    def _answered(
        self, vault: HallVault, order: AnyOrder, answer: DealsMade | StartStored | SessionBegun | SeedUnlocked | OrderRefused
    ) -> None:
        state = self._state
        match answer:
            case DealsMade():
                self._take_part(vault, answer)
            case StartStored(code=code) if isinstance(state, MadeDeals) and state.start is not None and state.start.code.hex() == code:
                self._start_kept(replace(state, done=state.done | {vault.holder}))
            case SessionBegun() if isinstance(state, StartedEvent) and order == state.order:
                self._state = replace(state, done=state.done | {vault.holder})
            case SeedUnlocked():
                vault.unlocking, vault.sealed = False, ""
            case OrderRefused():
                _LOG.warning("the vault of %r refuses an order: %s", vault.holder, answer.sentence)
            case StartStored() | SessionBegun():
                pass  # of an order that was given before the last one, or answered twice
            case _:
                assert_never(answer)

    def _take_part(self, vault: HallVault, made: DealsMade) -> None:
        vault.sealed = ""
        if not isinstance(self._state, AskedDeals) or made.holder != vault.holder:
            return
        keys = tuple(Sha256.fromhex(each) for each in made.c)
        taken = take_part(self._state, CommitmentPart(Sha256.fromhex(made.plan), made.holder, Sha256.fromhex(made.seed), keys))
        if isinstance(taken, AskedDeals):
            self._state = taken
        else:
            self._take(taken, "")

    def _start_kept(self, state: MadeDeals) -> None:
        """A vault has stored the start; after the last one, the event is played under it."""
        if state.done != set(self.holders):
            self._state = state
            return
        started = begun(state)
        self._records.give_custody(started.started, self._now())
        self._state = started

    def _no_deals(self) -> RefusedStep | None:
        """Why the event takes no deals from the vaults, or None."""
        custody = self._records.programme.custody
        if custody is not None and isinstance(self._state, NoDeals):
            return RefusedStep(DealProblem.STARTED, "the event's plan and start are in the settings: its deals are made by command")
        if custody is None and self._records.hall.lines:
            return RefusedStep(DealProblem.PLAYED, "tables have played in this event without deals in custody: begin another event")
        return None

    def _unheard(self, passphrase: str) -> RefusedStep | None:
        """Why a passphrase would be lost, or None: it is sealed at once and stored nowhere, so each vault must have reported its state."""
        silent = [vault.holder for vault in self._vaults.values() if vault.standing is None]
        if not passphrase or not silent:
            return None
        return RefusedStep(DealProblem.UNHEARD, f"not heard yet: {', '.join(silent)}")

    def _decide(
        self, decide: Callable[[DealState], DealStep | RefusedStep | None], by: str, ready: Callable[[HallVault], None] = HallVault.again
    ) -> RefusedStep | None:
        """Take a step, and get every vault ``ready`` for its order; return why it is refused, or None."""
        with self._lock:
            step = decide(self._state)
            if isinstance(step, RefusedStep):
                return step
            if step is not None:
                self._take(step, by)
            for vault in self._vaults.values():
                ready(vault)
            self.tick()
            return None

    def _take(self, step: DealStep, by: str) -> None:
        state = apply(self._state, step)
        self._records.note(DealStepTaken(step, self._now(), by))
        self._state = state

    def _wanted(self, vault: HallVault) -> AnyOrder | None:
        """The order that a vault needs now, or None. A locked vault begins no session."""
        state, standing = self._state, vault.standing
        if isinstance(state, NoDeals) or standing is None:
            return None
        if standing.plan != state.plan.digest.hex():
            # It has made no deals, or gives those of another event: an order for a plan that it knows switches to that one.
            return MakeDeals(state.plan.canonical.decode(), vault.sealed if isinstance(state, AskedDeals) else "")
        if vault.unlocking:
            return UnlockSeed(vault.sealed)
        if isinstance(state, StartedEvent):
            given = state.session is None or (vault.holder in state.done and standing.session == state.session.session)
            return None if given or vault.is_locked else state.session
        if vault.holder in state.done or state.order is None:
            return None
        return msgspec.structs.replace(state.order, passphrase=vault.sealed) if isinstance(state.order, MakeDeals) else state.order

    def _send(self, vault: HallVault) -> None:
        payload = vault.order(self._signer, self._counter, self._wanted(vault), self._monotonic_s())
        if payload is not None:
            self.publish(vault_orders_topic(vault.account), payload)


def _waits_for(progress: HolderProgress, *, is_asked: bool) -> str:
    """The message key of what a vault waits for; empty if it needs no person. ``is_asked``: deals are ordered or made."""
    if progress.takes_passphrase:
        return "waits.vault.locked"
    if progress.step is VaultStep.REFUSED:
        return "waits.vault.refused"
    return "waits.vault.silent" if is_asked and progress.step is VaultStep.SILENT else ""
