"""The release of deals as a pure state machine: who may open which deal, and when a slip is public. Its members are the tables of a hall or
the venues of a field. ``apply`` gives the state after an event; ``due_events`` gives what happens by itself: deals for members whose turn
has come, and released slips. A plan has the rules: ``table_rules`` for a hall, the centre's ``field_rules`` with times and deadlines; both
decide on what members say. The content of a seal is not known here."""

from collections.abc import Mapping
from dataclasses import field, replace
from datetime import datetime
from typing import Annotated, Protocol, Self, assert_never

import msgspec

from twinwall.game.documents import read_time, write_time
from twinwall.game.typed_json import Count, Digest, Text
from twinwall.values import Shape, frozen
from twinwall.wire.ledger import LedgerPosition
from twinwall.wire.messages.boot_keys import BootKeys

DigestOrNone = Annotated[str, msgspec.Meta(pattern=r"^([0-9a-f]{64})?\Z")]
NOWHERE = LedgerPosition("")


FirstGiven = tuple[datetime, float | None]
"""When a member was first given a deal: the time that counted, and the vault's monotonic clock (not kept over a restart)."""


@frozen
class MemberState:
    """One table or venue: accepted keys; fingerprints of ``former``, allowed and revoked keys; deals started (venue: by a table) and
    finished (venue: by all its tables); and the sealing key (hex) to which each deal was sealed. ``awaited``: deals open to it when one
    person withdrew it; their slips still wait for it. ``clock``: the venue's clock when the vault's monotonic clock was at 0."""

    keys: BootKeys | None = None
    former: frozenset[str] = frozenset()
    allowed: frozenset[str] = frozenset()
    revoked: frozenset[str] = frozenset()
    started: frozenset[int] = frozenset()
    finished: frozenset[int] = frozenset()
    given: Mapping[int, str] = field(default_factory=dict)
    first_given: Mapping[int, FirstGiven] = field(default_factory=dict)
    withdrawn: bool = False
    awaited: frozenset[int] = frozenset()
    clock: datetime | None = None


@frozen
class CustodyState:
    """All members by name, and the released deals.

    - uncompared: tables whose progress comes only from the vault's ledger; it has no effect until a head of the table confirms it.
    - held: deals that a venue's vault was given; None in a vault that makes them from its seed.
    - Of a field: ``annulled`` deals with the venue or ``EVERYWHERE``; ``now``, the latest time that counted; and the first and last value
      of the vault's monotonic clock.
    """

    members: Mapping[str, MemberState]
    released: frozenset[int] = frozenset()
    uncompared: frozenset[str] = frozenset()
    held: frozenset[int] | None = None
    annulled: frozenset[tuple[int, str]] = frozenset()
    now: datetime | None = None
    started_s: float | None = None
    ran_s: float | None = None


class ReleasePlan(Protocol):
    """The constant rules of one level."""

    @property
    def deals(self) -> tuple[int, ...]:
        """The deals that are given."""

    @property
    def members(self) -> tuple[str, ...]:
        """The tables or venues that are given deals."""

    def permitted(self, state: CustodyState, name: str) -> tuple[int, ...]:
        """The deals that a member may hold now and has not finished."""

    def may_release_slip(self, state: CustodyState, n: int) -> bool:
        """Whether a deal's slip may be released."""


class AllowKey(Shape, tag_field="order", tag="allow", rename={"name": "table"}):
    """A person has compared the fingerprint of a member's keys with what the member shows."""

    name: Text
    fingerprint: Text


class _OfMember(Shape, tag_field="type", rename={"name": "table"}):
    """An event of one member, called ``table`` in a ledger."""

    name: Text


class KeyAllowed(_OfMember, tag="key-allowed"):
    """The member may change to the keys of this fingerprint."""

    fingerprint: Text


class KeyAccepted(_OfMember, tag="key-accepted"):
    """The member's keys from now on: its deals are sealed to one, a table's progress is checked with the other."""

    sealing_key: Digest
    signing_key: DigestOrNone = ""
    """Empty for a venue, whose vault signs under its enrolled key."""

    @classmethod
    def of(cls, name: str, keys: BootKeys) -> Self:
        return cls(name, keys.sealing.hex(), keys.signing.hex())

    @property
    def keys(self) -> BootKeys:
        return BootKeys(bytes.fromhex(self.sealing_key), bytes.fromhex(self.signing_key))


class KeyRevoked(_OfMember, tag="key-revoked"):
    """The keys of this fingerprint no longer count, and cannot be allowed again."""

    fingerprint: Text


class _OfLine(_OfMember):
    """A table's progress, by a ``line`` of its ledger that a signed head covers."""

    n: Count
    line: LedgerPosition = NOWHERE


class DealStarted(_OfLine, tag="deal-started"):
    """The table plays this deal."""


class DealFinished(_OfLine, tag="deal-finished"):
    """The table has finished this deal."""


class VenueProgressed(_OfMember, tag="progressed"):
    """Deals that a table of the venue has begun, and deals that all its tables have finished."""

    begun: frozenset[Count]
    finished: frozenset[Count]


class MemberWithdrawn(_OfMember, tag="table-withdrawn"):
    """The member plays no more; slips of the deals ``awaited`` still wait for it."""

    awaited: tuple[Count, ...] = ()


class DealGiven(_OfMember, tag="given", rename={"name": "table", "key": "sealing_key"}):
    """The vault gives this member a deal, sealed to this key, for the first time or because it does not hold it. ``at``: when, if time
    counts."""

    n: Count
    key: Digest
    at: str = ""


class SlipReleased(Shape, tag_field="type", tag="slip-released"):
    """Anybody may open this deal."""

    n: Count


class DealAnnulled(Shape, tag_field="type", tag="annulled", rename={"name": "table"}):
    """The deal does not count at the venue, or ``EVERYWHERE``."""

    n: Count
    name: str


@frozen
class ProgressCompared:
    """This table's progress in the vault's ledger counts from now on."""

    name: str


@frozen
class ClockHeard:
    """The venue's clock when the vault's monotonic clock was at 0."""

    name: str
    clock: datetime


@frozen
class TimeRan:
    """The vault's monotonic clock, even if its other clock does not count."""

    ran_s: float


@frozen
class TimeCounted:
    """It is at least this late."""

    now: datetime


MemberEvent = (
    KeyAllowed | KeyAccepted | KeyRevoked | DealStarted | DealFinished | VenueProgressed | MemberWithdrawn | DealGiven | ClockHeard
)
Event = MemberEvent | ProgressCompared | SlipReleased | DealAnnulled | TimeRan | TimeCounted


@frozen
class CustodyRefusal:
    """A message without full effect, and why, for people; ``events`` happen nevertheless."""

    sentence: str
    events: tuple[Event, ...] = ()


Decision = tuple[Event, ...] | CustodyRefusal


def beginning(plan: ReleasePlan) -> CustodyState:
    return CustodyState({name: MemberState() for name in plan.members})


def due_events(plan: ReleasePlan, state: CustodyState) -> tuple[Event, ...]:
    """The events that follow by themselves: deals for members whose turn has come, and released slips."""
    at = "" if state.now is None else write_time(state.now)
    given = tuple(
        DealGiven(name, n, key, at)
        for name, standing in state.members.items()
        if standing.keys is not None
        for key in (standing.keys.sealing.hex(),)
        for n in plan.permitted(state, name)
        if standing.given.get(n) != key and (state.held is None or n in state.held)
    )
    return given + tuple(SlipReleased(n) for n in plan.deals if n not in state.released and plan.may_release_slip(state, n))


def apply(state: CustodyState, event: Event) -> CustodyState:
    match event:
        case SlipReleased(n):
            return replace(state, released=state.released | {n})
        case ProgressCompared(name):
            return replace(state, uncompared=state.uncompared - {name})
        case DealAnnulled(n, name):
            return replace(state, annulled=state.annulled | {(n, name)})
        case TimeCounted(now):
            return replace(state, now=now)
        case TimeRan(ran_s):
            return replace(state, ran_s=ran_s, started_s=ran_s if state.started_s is None else state.started_s)
        case _:
            changed = _changed(state.members[event.name], event, state.ran_s)
            return replace(state, members={**state.members, event.name: changed})


def _changed(standing: MemberState, event: MemberEvent, ran_s: float | None) -> MemberState:
    match event:
        case KeyAllowed():
            return replace(standing, allowed=standing.allowed | {event.fingerprint})
        case KeyAccepted(keys=keys):
            former = standing.former if standing.keys in (None, keys) else standing.former | {standing.keys.fingerprint}
            # A venue's vault makes a key at each start, so an earlier permission is used up.
            allowed = standing.allowed if event.signing_key else frozenset[str]()
            return replace(standing, keys=keys, former=former - {keys.fingerprint}, allowed=allowed)
        case KeyRevoked():
            stays = standing.keys is not None and standing.keys.fingerprint != event.fingerprint
            revoked, allowed = standing.revoked | {event.fingerprint}, standing.allowed - {event.fingerprint}
            return replace(standing, keys=standing.keys if stays else None, revoked=revoked, allowed=allowed)
        case DealFinished():
            return replace(standing, finished=standing.finished | {event.n})
        case DealStarted():
            return replace(standing, started=standing.started | {event.n})
        case VenueProgressed():
            return replace(standing, started=standing.started | event.begun, finished=standing.finished | event.finished)
        case MemberWithdrawn():
            return replace(standing, withdrawn=True, awaited=frozenset(event.awaited))
        case DealGiven():
            first = {event.n: (read_time(event.at), ran_s), **standing.first_given} if event.at else standing.first_given
            return replace(standing, given={**standing.given, event.n: event.key}, first_given=first)
        case ClockHeard():
            return replace(standing, clock=event.clock)
        case _:
            assert_never(event)
