"""The vault of one holder: takes messages, returns messages, and stores each decision before it returns.

Its members are the tables of a hall (``tables``) or, in the centre's distribution, the venues of a field; they turn messages into decisions
of the release machine, and its events into messages. The disk stores accepted keys before anything is sealed to them, and each member's
progress. A vault that is killed asks tables for later lines, reaches the same state and gives the same again.

A deal's slip is made when all holders' shares are released; each holder's vault decides for itself.

A venue's vault (``VenueEnd``) is like any hall's, with single shares of the centre's vault instead of a seed. They are sealed to a key in
this process's memory and never written: after a restart the vault shows a new key and asks again.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Protocol

from twinwall.custody.key_shares import GivenShares, HolderShares
from twinwall.custody.release import CustodyRefusal, CustodyState, Decision, Event, ReleasePlan, SlipReleased, apply, due_events
from twinwall.custody.table_rules import finished_by_all
from twinwall.custody.vault_files import Order, StoredEntry
from twinwall.game.deals import GatheredShares, Share, Slip, StartedPlan, shares_of_slip, verify_slip
from twinwall.game.documents import DocumentError, canonical_json, write_time
from twinwall.values import frozen
from twinwall.wire.messages.signing import Counter, SealedDealError, SealingKey, Signer, fingerprint, open_with, read_sealed, sign_document
from twinwall.wire.messages.venue_messages import VenueVaultStatement, venue_recipient
from twinwall.wire.mqtt.centre_topics import CentreOrder, heard_order
from twinwall.wire.mqtt.topics import shares_topic, venue_vault_topic

REPEATED_S = 30.0
"""Interval at which released slips and notices are repeated for late listeners."""


@frozen
class Publish:
    """A message to send; a lost one is asked for again by its receiver."""

    topic: str
    payload: bytes


class ReleasedShares:
    """Released shares of this holder and, received from their vaults, of the others."""

    def __init__(self, shares: HolderShares, slips: Iterable[Slip]) -> None:
        """``slips`` were released by an earlier run, so their shares are not needed. Raises VerificationError for one of another event."""
        self._shares = shares
        self._gathered = GatheredShares(shares.started)
        self._own: dict[int, bytes] = {}
        self.slips: dict[int, bytes] = {}
        """The slips of deals that all holders have released."""
        for slip in slips:
            verify_slip(shares.started, slip)
            self.slips[slip.n] = canonical_json(slip.to_json())
            for share in shares_of_slip(shares.plan, slip):
                if share.holder != shares.holder:
                    self._gathered.add(share)

    @property
    def own(self) -> tuple[bytes, ...]:
        """This holder's released shares for other vaults; none if there is only one holder."""
        return tuple(self._own.values()) if len(self._shares.plan.holders) > 1 else ()

    def release(self, n: int) -> bytes:
        share = self._shares.share(n)
        self._gathered.add(share)
        self._own[n] = canonical_json(share.to_json())
        return self._own[n]

    def take_slip(self, payload: bytes) -> int | None:
        """Take a slip made elsewhere; return the deal if it is new. Raises DealError or DocumentError."""
        slip = Slip.from_json(payload)
        verify_slip(self._shares.started, slip)
        if slip.n in self.slips:
            return None
        self.slips[slip.n] = canonical_json(slip.to_json())
        return slip.n

    def hear(self, payload: bytes) -> int | None:
        """Take another vault's released share; return the deal if it is new. Raises DealError or DocumentError."""
        share = Share.from_json(payload)
        if share.n in self.slips or share.holder == self._shares.holder or share.holder in self._gathered.holders(share.n):
            return None
        self._gathered.add(share)
        return share.n

    def slip(self, n: int) -> bytes | None:
        """The slip of deal ``n``; None until every holder's share is released."""
        if n not in self.slips:
            opened = self._gathered.opened(n)  # this holder's own share is in it once released
            if opened is None:
                return None
            self.slips[n] = canonical_json(opened[0].to_json())
        return self.slips[n]


STATUS_S = 2.0


class Disk(Protocol):
    """Where a vault stores its decisions (``vault_files.VaultFiles``), and its contact to its keeper."""

    def kept(self) -> list[StoredEntry]:
        """The entries of earlier runs that still count, in order."""

    def slips(self, started: StartedPlan) -> list[Slip]:
        """The event's slips that earlier runs released."""

    def keep(self, event: StoredEntry) -> None:
        """Store an event; it is on disk when this returns."""

    def publish_slip(self, n: int, slip: bytes) -> None:
        """Publish a released slip."""

    def put_status(self, content: bytes) -> None:
        """Show the status to the keeper."""

    def new_orders(self) -> list[Order | str]:
        """A person's orders since the last call; raises DocumentError."""

    def orders_taken(self) -> None:
        """Mark the orders as carried out or refused, with their effects stored."""

    def say(self, sentence: str) -> None:
        """Inform the vault's keeper."""


class Members:
    """The members that a vault serves: their messages, and messages to them."""

    kept: tuple[type[StoredEntry], ...] = ()
    """The events that are stored."""
    by = ""
    """Prefix of notices, if several vaults give them."""

    def __init__(self, plan: ReleasePlan, shares: HolderShares, signer: Signer) -> None:
        """``plan`` has the rules for giving deals; ``signer`` signs messages."""
        self.plan, self._shares, self._signer = plan, shares, signer
        self._event = shares.plan.event

    @property
    def subscriptions(self) -> tuple[str, ...]:
        raise NotImplementedError

    def resume(self, kept: Iterable[StoredEntry]) -> CustodyState:
        raise NotImplementedError

    def ordered(self, state: CustodyState, order: Order) -> Decision:
        raise NotImplementedError

    def hear(self, vault: "Vault", topic: str, payload: bytes) -> list[Publish]:
        raise NotImplementedError

    def tick(self, vault: "Vault", at: datetime) -> list[Publish]:
        raise NotImplementedError

    def happened(self, vault: "Vault", event: Event) -> list[Publish]:
        """An event has happened and is stored: return messages about it."""
        raise NotImplementedError

    def settled(self, _state: CustodyState, _now_s: float) -> list[Publish]:
        return []

    def slip_messages(self, slip: bytes) -> list[Publish]:
        raise NotImplementedError

    def repeat_slips(self, _slips: Iterable[bytes]) -> list[Publish]:
        return []

    def notice(self, name: str, sentence: str) -> Publish:
        raise NotImplementedError

    def status(self, _state: CustodyState, _at: datetime, _now_s: float) -> bytes | None:
        return None


class Vault:
    """One holder's shares of an event in custody."""

    def __init__(self, shares: HolderShares, members: Members, disk: Disk, centre: "VenueEnd | None" = None) -> None:
        """``centre`` brings the shares of a venue's vault. Raises DocumentError for a damaged ledger."""
        self.members, self._disk, self._centre = members, disk, centre
        self.tell = disk.say
        self._event, self._several = shares.plan.event, len(shares.plan.holders) > 1
        self._released = ReleasedShares(shares, disk.slips(shares.started))
        self.now_s = 0.0
        self.at: datetime | None = None
        """Wall clock at the last tick."""
        self._logged: set[str] = set()
        self._noticed: dict[tuple[str, str], float] = {}
        self._repeated_at_s, self._status_due_s = -REPEATED_S, 0.0
        self.state = replace(members.resume(disk.kept()), held=shares.held)
        self._settled: CustodyState | None = None
        """A state from which nothing follows by itself, because with 64 tables and 16 deals it takes milliseconds to find that out, and
        most messages change nothing."""
        self._again = self.state.released

    @property
    def subscriptions(self) -> tuple[str, ...]:
        shares = (shares_topic(self._event),) if self._several else ()
        return (*self.members.subscriptions, *shares, *(() if self._centre is None else self._centre.subscriptions))

    @property
    def slips(self) -> Mapping[int, bytes]:
        return self._released.slips

    def hear(self, topic: str, payload: bytes, now_s: float) -> list[Publish]:
        self.now_s = now_s
        if topic == shares_topic(self._event):
            return self._hear_share(payload)
        if self._centre is not None and topic in self._centre.subscriptions:
            return self._centre.hear(self, topic, payload)
        return self.members.hear(self, topic, payload)

    def tick(self, now_s: float, at: datetime) -> list[Publish]:
        """Time has passed: take a person's orders, ask again, repeat slips, and write the status."""
        self.now_s, self.at = now_s, at
        sent = self._take_orders()
        for n in sorted(self._again):
            sent += self._release(n)
        self._again = frozenset()
        sent += self.members.tick(self, at) + self._repeat_released() + self._follow(())
        if self._centre is not None:
            sent += self._centre.tick(self)
        if now_s >= self._status_due_s and (status := self.members.status(self.state, at, now_s)) is not None:
            self._status_due_s = now_s + STATUS_S
            self._disk.put_status(status)
        return sent

    def order(self, order: Order) -> list[Publish]:
        return self.take(order.name, self.members.ordered(self.state, order))

    def take(self, name: str, decision: Decision) -> list[Publish]:
        """Carry out a decision about a member, with all that follows, or report a refusal."""
        if not isinstance(decision, CustodyRefusal):
            return self._follow(decision)
        sent = self.notice(name, decision.sentence)
        return sent + self._follow(decision.events) if decision.events else sent

    def hold(self, n: int) -> list[Publish]:
        """Give deal ``n``, which came from the centre's vault, to the tables that may have it."""
        self.state = replace(self.state, held=(self.state.held or frozenset()) | {n})
        return self._follow(())

    def publish_slip(self, payload: bytes) -> list[Publish]:
        """Take another vault's slip; raises DealError or DocumentError for a false one."""
        return self._publish_slip(self._released.take_slip(payload))

    def notice(self, name: str, sentence: str) -> list[Publish]:
        """Report a problem with a member: here once, and to its staff as long as it recurs."""
        sentence = f"{self.members.by}{sentence}"
        self.say(sentence)
        self._noticed = {known: at_s for known, at_s in self._noticed.items() if self.now_s - at_s < REPEATED_S}
        if name not in self.members.plan.members or (name, sentence) in self._noticed:
            return []
        self._noticed[name, sentence] = self.now_s
        return [self.members.notice(name, sentence)]

    def say(self, sentence: str) -> None:
        """Say a sentence once, even if its cause recurs."""
        if sentence not in self._logged:
            self._logged.add(sentence)
            self._disk.say(sentence)

    def _take_orders(self) -> list[Publish]:
        sent: list[Publish] = []
        try:
            orders = self._disk.new_orders()
        except DocumentError as error:
            self._disk.say(str(error))
            return []
        for order in orders:
            if isinstance(order, str):
                self._disk.say(order)
            else:
                sent += self.order(order)
        if orders:
            self._disk.orders_taken()
        return sent

    def _follow(self, events: tuple[Event, ...]) -> list[Publish]:
        """Apply ``events`` and all that follows; after a restart that includes what an earlier run left undone."""
        sent: list[Publish] = []
        while events := events or (() if self.state is self._settled else due_events(self.members.plan, self.state)):
            for event in events:
                before, self.state = self.state, apply(self.state, event)
                if isinstance(event, self.members.kept) and before != self.state:
                    self._disk.keep(event)
                sent += self.members.happened(self, event)
                if isinstance(event, SlipReleased):
                    sent += self._release(event.n)
            events = ()
        self._settled = self.state
        return sent + self.members.settled(self.state, self.now_s)

    def _release(self, n: int) -> list[Publish]:
        """Send this holder's share, and the slip if it is complete; at a restart, repeat earlier releases."""
        share, was_out = self._released.release(n), n in self.slips
        sent = [Publish(shares_topic(self._event), share)] if self._several else []
        return sent if was_out else sent + self._publish_slip(n)

    def _hear_share(self, payload: bytes) -> list[Publish]:
        try:
            return self._publish_slip(self._released.hear(payload))
        except DocumentError as problem:
            self.say(f"a share said to be released is none of this event's: {problem}")
            return []

    def _publish_slip(self, n: int | None) -> list[Publish]:
        slip = None if n is None else self._released.slip(n)
        if n is None or slip is None:
            return []
        self._disk.publish_slip(n, slip)
        return self.members.slip_messages(slip)

    def _repeat_released(self) -> list[Publish]:
        if self.now_s - self._repeated_at_s < REPEATED_S:
            return []
        self._repeated_at_s = self.now_s
        shares = [Publish(shares_topic(self._event), share) for share in self._released.own]
        return shares + self.members.repeat_slips(self.slips.values())


CENTRE = "centre"
"""The name in the centre's vaults' signatures; each holder's has its own key."""
STATED_S = 5.0
"""The interval of reports."""


class VenueEnd:
    def __init__(
        self, signer: Signer, centre_key: bytes, key: SealingKey, shares: GivenShares, *, counter: Counter, clock: Callable[[], datetime]
    ) -> None:
        """``signer`` has the venue's name and its vault's enrolled key; ``centre_key`` is the centre's vault's public
        key, ``key`` seals to this process. ``counter`` rises across restarts; ``clock`` returns the venue's time."""
        self._signer, self._centre_key, self._key = signer, centre_key, key
        self._shares, self._counter, self._clock = shares, counter, clock
        self._event = shares.plan.event
        self._recipient = venue_recipient(self._event, signer.by, shares.root)
        self._stated_s: float | None = None

    @property
    def subscriptions(self) -> tuple[str, ...]:
        return heard_order(CentreOrder.SHARE), heard_order(CentreOrder.SLIP)

    def hear(self, vault: "Vault", topic: str, payload: bytes) -> list[Publish]:
        if topic == heard_order(CentreOrder.SHARE):
            return self._take_share(vault, payload)
        try:
            return vault.publish_slip(payload)
        except DocumentError as error:
            vault.say(f"a slip said to be released is none of this event's: {error}")
            return []

    def tick(self, vault: "Vault") -> list[Publish]:
        if self._stated_s is not None and vault.now_s - self._stated_s < STATED_S:
            return []
        if self._stated_s is None:
            vault.say(f"the sealing key of this venue's vault is {fingerprint(self._key.public)}")
        self._stated_s = vault.now_s
        return [Publish(venue_vault_topic(self._event), self._statement(vault))]

    def _statement(self, vault: "Vault") -> bytes:
        state, plan = vault.state, vault.members.plan
        begun = {n for standing in state.members.values() for n in standing.started}
        wanted = {n for name in state.members for n in plan.permitted(state, name)}
        statement = VenueVaultStatement(
            self._shares.holder,
            self._counter.next(),
            write_time(self._clock()),
            self._shares.started.start.code.hex(),
            self._key.public.hex(),
            begun=tuple(sorted(begun)),
            finished=tuple(n for n in sorted(plan.deals) if finished_by_all(state, n)),
            asks=tuple(sorted(wanted - self._shares.held)),
            holds=tuple(sorted(self._shares.held)),
            slips=tuple(sorted(vault.slips)),
        )
        return sign_document(self._signer, statement, self._event)

    def _take_share(self, vault: "Vault", payload: bytes) -> list[Publish]:
        name = f"venue {self._signer.by!r}"
        try:
            sealed = read_sealed(payload, self._recipient, {CENTRE: self._centre_key})
            if sealed.to != self._key.public:
                shown, own = fingerprint(sealed.to), fingerprint(self._key.public)
                vault.say(
                    f"deal {sealed.n} is sealed to the key {shown}, this vault's is {own}: it is asked for again; if that stays, somebody "
                    "at the centre has to allow this vault's key"
                )
            elif (opened := open_with(self._key, sealed.sealed, self._recipient.bound(sealed.n))) is None:
                vault.say(f"deal {sealed.n} does not open at {name}: it was sealed for another venue, or under another root")
            else:
                return vault.hold(self._shares.add(opened))
        except SealedDealError as error:
            vault.say(f"what came as a deal for {name} is refused: {error}; it may be another venue's, or of another centre")
        except DocumentError as error:
            vault.say(f"what was sealed to {name} as deal {sealed.n} is no share of this event: {error}")
        return []
