"""Release of deals as a pure state machine: which table may open which deal, and when a slip is public.

``decide`` answers what was heard with events or a refusal, ``follow`` adds what follows from the state, ``apply`` gives the next
state. A table may hold the deal it plays and the next one, so that it can play on alone. The next deal is given when the
present one starts and the slowest table of the group is within ``spread``, counted in deals that each has finished in its own order.
A slip is released when every table has finished its
deal. The content of a seal is not known here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias, assert_never

from twinwall.wire.messages.boot_keys import BootKeys


@dataclass(frozen=True, slots=True)
class CustodyPlan:
    """What stays the same: the deals in the order in which the tables play them, and the tables that keep
    within ``spread`` deals of each other, group by group. ``new_keys_ask``: boot keys wait until a person allows
    them, a table's first ones too. ``begins``: the deal with which a table begins that does not begin with the first; after the last
    deal it plays on from the first. ``paper`` are the tables that are given no deal, since people build their walls from sheets.
    ``of_field``: the vault is a venue's, which has the deals that the centre's vault gave it and releases no slip itself."""

    deals: tuple[int, ...]
    groups: tuple[tuple[str, ...], ...]
    spread: int = 1
    new_keys_ask: bool = True
    begins: Mapping[str, int] = field(default_factory=dict)
    paper: frozenset[str] = frozenset()
    of_field: bool = False

    def __post_init__(self) -> None:
        """Refuse what could not be kept."""
        tables = [table for group in self.groups for table in group]
        if not self.deals or len(set(self.deals)) != len(self.deals):
            raise ValueError("custody needs deals, each once")
        if other := sorted(set(self.begins.values()) - set(self.deals)):
            raise ValueError(f"a table cannot begin with deal {other[0]}, which is not of the session")
        if not tables or len(set(tables)) != len(tables):
            raise ValueError("custody needs tables, each in one group")
        if self.spread < 1:
            raise ValueError(f"tables hold the deal they play and the next, so the spread is at least 1, not {self.spread}")

    def order_of(self, table: str) -> tuple[int, ...]:
        """The deals in the order in which a table plays them."""
        first = self.deals.index(self.begins.get(table, self.deals[0]))
        return self.deals[first:] + self.deals[:first]

    def group_of(self, table: str) -> tuple[str, ...]:
        """The tables that a table keeps close to, itself included."""
        return next(group for group in self.groups if table in group)


@dataclass(frozen=True, slots=True)
class TableStanding:
    """One table: its accepted boot keys, the fingerprints of ``former`` ones and of those that a person has allowed or revoked, what it
    has started and finished, and which deals have been sealed to which of its sealing keys. ``awaited`` are the deals that were open to it
    when one person withdrew it: their slips wait for it still."""

    keys: BootKeys | None = None
    former: frozenset[str] = frozenset()
    allowed: frozenset[str] = frozenset()
    revoked: frozenset[str] = frozenset()
    started: frozenset[int] = frozenset()
    finished: frozenset[int] = frozenset()
    given: Mapping[int, bytes] = field(default_factory=dict)
    withdrawn: bool = False
    awaited: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class CustodyState:
    """All tables by name, and the deals whose slips are out. ``uncompared`` are the tables whose progress comes from the vault's
    ledger alone: nothing follows from it until a head of the table agrees. ``held`` are the deals that a venue's vault was given."""

    tables: Mapping[str, TableStanding]
    released: frozenset[int] = frozenset()
    uncompared: frozenset[str] = frozenset()
    held: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class TableSpoke:
    """A table shows its boot keys, has proved that it holds them, and says which deals it holds."""

    table: str
    keys: BootKeys
    holds: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class DealBegun:
    """A table's ledger says that the play of a deal began."""

    table: str
    n: int


@dataclass(frozen=True, slots=True)
class DealDone:
    """A table's ledger says that the hand of a deal is closed."""

    table: str
    n: int


@dataclass(frozen=True, slots=True)
class AllowKey:
    """A person has compared the fingerprint of the boot keys with the one that the table shows."""

    table: str
    fingerprint: str


@dataclass(frozen=True, slots=True)
class RevokeKey:
    """A person says that the boot keys of this fingerprint are no longer in the right hands."""

    table: str
    fingerprint: str


@dataclass(frozen=True, slots=True)
class ProgressAgrees:
    """What the vault's ledger says of this table agrees with what the table signs."""

    table: str


@dataclass(frozen=True, slots=True)
class WithdrawTable:
    """A table plays no more: it is given nothing, and the others go on without it.

    Two ``persons`` order it for the deal ``n`` that the table plays or is to play next: then no slip waits for it. One person
    orders it while it plays no deal, and the slips of the deals that are open to it wait until it has finished them.
    """

    table: str
    persons: tuple[str, ...] = ()
    n: int = 0


@dataclass(frozen=True, slots=True)
class ReplaceController:
    """The table's new controller goes on for one that was lost: by the staff's order the table has ``finished`` these deals, and the hand
    of deal ``n`` was in play, 0 for none."""

    table: str
    finished: tuple[int, ...]
    n: int
    persons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class KeyAllowed:
    """The table may change to the boot keys of this fingerprint."""

    table: str
    fingerprint: str


@dataclass(frozen=True, slots=True)
class KeyAccepted:
    """These are the table's boot keys from now on: its deals are sealed to one, its progress counts under the other."""

    table: str
    keys: BootKeys


@dataclass(frozen=True, slots=True)
class KeyRevoked:
    """The boot keys of this fingerprint count no more, and cannot be allowed again."""

    table: str
    fingerprint: str


@dataclass(frozen=True, slots=True)
class ProgressCompared:
    """What the vault's ledger says of this table counts from now on."""

    table: str


@dataclass(frozen=True, slots=True)
class DealStarted:
    """The table plays this deal."""

    table: str
    n: int


@dataclass(frozen=True, slots=True)
class DealFinished:
    """The table has played this deal to its end."""

    table: str
    n: int


@dataclass(frozen=True, slots=True)
class TableWithdrawn:
    """The table plays no more; the slips of the deals ``awaited`` wait for it still."""

    table: str
    awaited: tuple[int, ...] = ()

    @property
    def sentence(self) -> str:
        """What that means, for people."""
        if not self.awaited:
            return f"table {self.table!r} is withdrawn: the deals do not wait for it"
        which = " and ".join(f"deal {n}" for n in self.awaited)
        return (
            f"table {self.table!r} is withdrawn and the others play on; it may hold {which}, so the slip of {which} waits until the table "
            "has finished it, or two persons order its withdrawal for that deal"
        )


@dataclass(frozen=True, slots=True)
class OpeningGiven:
    """What opens this deal goes to this table, sealed to this key: for the first time, or again because it does not hold it."""

    table: str
    n: int
    key: bytes


@dataclass(frozen=True, slots=True)
class SlipReleased:
    """Every table has finished this deal: anybody may open it."""

    n: int


@dataclass(frozen=True, slots=True)
class CustodyRefusal:
    """Something heard that has no effect, and why, for people."""

    sentence: str


Command: TypeAlias = TableSpoke | DealBegun | DealDone | AllowKey | RevokeKey | ProgressAgrees | WithdrawTable | ReplaceController
Event: TypeAlias = (
    KeyAllowed | KeyAccepted | KeyRevoked | ProgressCompared | DealStarted | DealFinished | TableWithdrawn | OpeningGiven | SlipReleased
)
Decision: TypeAlias = tuple[Event, ...] | CustodyRefusal


def beginning(custody: CustodyPlan) -> CustodyState:
    """Before anything was heard."""
    return CustodyState({table: TableStanding() for group in custody.groups for table in group})


def decide(custody: CustodyPlan, state: CustodyState, command: Command) -> Decision:
    """What follows from what was heard: events, or why it has no effect."""
    standing = state.tables.get(command.table)
    if standing is None:
        return CustodyRefusal(f"table {command.table!r} is not in the vault's settings")
    match command:
        case TableSpoke():
            return _spoke(custody, state, standing, command)
        case DealBegun():
            return _begun(custody, standing, command)
        case DealDone():
            return _done(standing, command)
        case AllowKey():
            return _allow(standing, command)
        case RevokeKey():
            return () if command.fingerprint in standing.revoked else (KeyRevoked(command.table, command.fingerprint),)
        case ProgressAgrees():
            return (ProgressCompared(command.table),) if command.table in state.uncompared else ()
        case WithdrawTable():
            return _withdraw(custody, state, standing, command)
        case ReplaceController():
            return _replace(custody, standing, command)
        case _:
            assert_never(command)


def follow(custody: CustodyPlan, state: CustodyState) -> tuple[Event, ...]:
    """What happens by itself now: deals are given to whom they are due, slips are released."""
    given = tuple(
        OpeningGiven(table, n, standing.keys.sealing)
        for table, standing in state.tables.items()
        for n in permitted(custody, state, table)
        if standing.keys is not None and standing.given.get(n) != standing.keys.sealing and (n in state.held or not custody.of_field)
    )
    if custody.of_field:
        return given
    return given + tuple(SlipReleased(n) for n in custody.deals if n not in state.released and finished_by_all(state, n))


def apply(state: CustodyState, event: Event) -> CustodyState:
    """The state after an event."""
    if isinstance(event, SlipReleased):
        return replace(state, released=state.released | {event.n})
    if isinstance(event, ProgressCompared):
        return replace(state, uncompared=state.uncompared - {event.table})
    standing = state.tables[event.table]
    match event:
        case KeyAllowed():
            changed = replace(standing, allowed=standing.allowed | {event.fingerprint})
        case KeyAccepted():
            former = standing.former if standing.keys in (None, event.keys) else standing.former | {standing.keys.fingerprint}
            changed = replace(standing, keys=event.keys, former=former - {event.keys.fingerprint})
        case KeyRevoked():
            stays = standing.keys is not None and standing.keys.fingerprint != event.fingerprint
            revoked, allowed = standing.revoked | {event.fingerprint}, standing.allowed - {event.fingerprint}
            changed = replace(standing, keys=standing.keys if stays else None, revoked=revoked, allowed=allowed)
        case DealStarted():
            changed = replace(standing, started=standing.started | {event.n})
        case DealFinished():
            changed = replace(standing, finished=standing.finished | {event.n})
        case TableWithdrawn():
            changed = replace(standing, withdrawn=True, awaited=frozenset(event.awaited))
        case OpeningGiven():
            changed = replace(standing, given={**standing.given, event.n: event.key})
        case _:
            assert_never(event)
    return replace(state, tables={**state.tables, event.table: changed})


def permitted(custody: CustodyPlan, state: CustodyState, table: str) -> tuple[int, ...]:
    """The deals that a table may hold now and has not finished: the one it plays, and the next where it may have it already; none
    at a table whose walls are built from sheets."""
    standing = state.tables[table]
    if standing.withdrawn or table in state.uncompared or table in custody.paper:
        return ()
    return tuple(
        n for index, n in enumerate(custody.order_of(table)) if n not in standing.finished and _is_open(custody, state, table, index)
    )


def _is_open(custody: CustodyPlan, state: CustodyState, table: str, index: int) -> bool:
    """Whether the deal at this place is open to the table: it plays the one before, and no table of its group is too far behind."""
    if index == 0:
        return True
    far = index - 1 - custody.spread
    started = custody.order_of(table)[index - 1] in state.tables[table].started
    return started and (far < 0 or not behind(custody, state, table, far))


def behind(custody: CustodyPlan, state: CustodyState, table: str, index: int) -> tuple[str, ...]:
    """The tables of the group that have not finished the deal at this place of their own order."""
    others = (other for other in custody.group_of(table) if not state.tables[other].withdrawn)
    return tuple(other for other in others if not _has_finished(state, other, custody.order_of(other)[index]))


def finished_by_all(state: CustodyState, n: int) -> bool:
    """Whether every table that plays, or is awaited, has finished a deal."""
    playing = [table for table, standing in state.tables.items() if not standing.withdrawn or n in standing.awaited]
    return bool(playing) and all(_has_finished(state, table, n) for table in playing)


def _has_finished(state: CustodyState, table: str, n: int) -> bool:
    return n in state.tables[table].finished and table not in state.uncompared


def _allow(standing: TableStanding, command: AllowKey) -> Decision:
    if command.fingerprint in standing.revoked:
        return CustodyRefusal(f"table {command.table!r}: the boot keys {command.fingerprint} were revoked and are not allowed again")
    return () if command.fingerprint in standing.allowed else (KeyAllowed(command.table, command.fingerprint),)


def _spoke(custody: CustodyPlan, state: CustodyState, standing: TableStanding, command: TableSpoke) -> Decision:
    if standing.withdrawn:
        return CustodyRefusal(f"table {command.table!r} was withdrawn and is given nothing")
    if command.keys != standing.keys:
        shown = command.keys.fingerprint
        if shown in standing.revoked:
            return CustodyRefusal(f"table {command.table!r} shows the boot keys {shown}, which were revoked: it is given nothing")
        if standing.keys is not None and shown in standing.former:
            return CustodyRefusal(
                f"table {command.table!r} shows its former boot keys {shown}, in whose place are {standing.keys.fingerprint}: "
                "two controllers run under its name. Switch one off. If the former one is to play on, start its controller again, which "
                "makes new boot keys, or revoke the other's"
            )
        if custody.new_keys_ask and shown not in standing.allowed:
            which = "its first boot keys" if standing.keys is None else "new boot keys"
            return CustodyRefusal(
                f"table {command.table!r} shows {which}, {shown}: go to the table and compare these digits with those in its own log "
                f"(the fingerprint of this table's boot keys); if they agree, say twinwall vault allow {command.table} '{shown}'"
            )
        return (KeyAccepted(command.table, command.keys),)
    sealing = command.keys.sealing
    lacking = (n for n in permitted(custody, state, command.table) if standing.given.get(n) == sealing and n not in command.holds)
    return tuple(OpeningGiven(command.table, n, sealing) for n in lacking)


def _may_hold(custody: CustodyPlan, state: CustodyState, table: str) -> tuple[int, ...]:
    """The deals that the table may have been given and has not finished, in their order, by what the ledger says: those that are
    awaited of a withdrawn table, else those that are open to it; none for a table that never had boot keys."""
    standing, noted = state.tables[table], replace(state, uncompared=frozenset())
    if standing.keys is None and not standing.revoked and not standing.started:
        return ()
    return tuple(
        n
        for index, n in enumerate(custody.order_of(table))
        if n not in standing.finished and (n in standing.awaited if standing.withdrawn else _is_open(custody, noted, table, index))
    )


def _withdraw(custody: CustodyPlan, state: CustodyState, standing: TableStanding, command: WithdrawTable) -> Decision:
    held = _may_hold(custody, state, command.table)
    if standing.withdrawn and not held:
        return ()
    playing = sorted(standing.started - standing.finished)
    if len(command.persons) > 1 and held and command.n == held[0]:
        return (TableWithdrawn(command.table),)
    if playing:
        return CustodyRefusal(
            f"table {command.table!r} plays deal {playing[0]}, so its withdrawal takes two persons: one orders it on the table's page and "
            "another confirms it there; give their order for this deal with vault withdraw --order FILE. Where no other person has an "
            "account, invite a second person (twinwall hall staff invite), or withdraw the table when its deal is over"
        )
    if command.persons:
        needed = f"for deal {held[0]}" if held else "for no deal: withdraw it without an order"
        return CustodyRefusal(f"table {command.table!r}: its withdrawal takes an order {needed}, not for deal {command.n}")
    return () if standing.withdrawn else (TableWithdrawn(command.table, held),)


def _replace(custody: CustodyPlan, standing: TableStanding, command: ReplaceController) -> Decision:
    """The keys of the lost controller count no more. What the vault has not heard itself takes the order of two persons."""
    unknown = sorted(standing.finished - {*command.finished, command.n})
    if unknown:
        return CustodyRefusal(
            f"table {command.table!r} has finished deal {unknown[0]}, which the order to replace its controller does not name: order it "
            "again"
        )
    order = custody.order_of(command.table)
    done = [n for n in order if n in command.finished and n not in standing.finished]
    begun = [n for n in order if n in (*done, command.n) and n not in standing.started]
    playing = sorted(standing.started - standing.finished)
    if (done or playing) and len(command.persons) < 2:
        return CustodyRefusal(
            f"table {command.table!r}: as far as its vault knows it plays deal {(playing or done)[0]}, so its controller is replaced by an "
            "order of two persons: another account confirms it on the table's page"
        )
    revoked = tuple(KeyRevoked(command.table, fingerprint) for fingerprint in sorted(standing.former - standing.revoked))
    started = tuple(DealStarted(command.table, n) for n in begun)
    return *revoked, *started, *(DealFinished(command.table, n) for n in done)


def _begun(custody: CustodyPlan, standing: TableStanding, command: DealBegun) -> Decision:
    if command.n not in custody.deals:
        return CustodyRefusal(f"table {command.table!r} started deal {command.n}, which is not of this session")
    if command.n in standing.started:
        return ()
    order = custody.order_of(command.table)
    missing = [n for n in order[: order.index(command.n)] if n not in standing.finished]
    if missing:
        return CustodyRefusal(
            f"table {command.table!r} started deal {command.n} before it finished deal {missing[0]}: it is given nothing for that"
        )
    return (DealStarted(command.table, command.n),)


def _done(standing: TableStanding, command: DealDone) -> Decision:
    if command.n not in standing.started:
        return CustodyRefusal(f"table {command.table!r} finished deal {command.n}, which it has not started")
    return () if command.n in standing.finished else (DealFinished(command.table, command.n),)
