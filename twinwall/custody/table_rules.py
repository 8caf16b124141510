"""The rules for a hall's tables: which table may open which deal, and when a deal's slip is released (``may_release_slip``). A table may
hold the deal it plays and the next, so that it can continue alone. It gets the next deal when it starts the present one and the slowest
table of its group is within ``spread``, counted in finished deals in each table's own order. A slip is released when every table has
finished the deal. ``decide`` answers messages with events of ``release`` or a refusal."""

from collections.abc import Mapping
from dataclasses import field, replace
from typing import assert_never

from twinwall.custody.release import (
    NOWHERE,
    AllowKey,
    CustodyRefusal,
    CustodyState,
    DealFinished,
    DealGiven,
    DealStarted,
    Decision,
    KeyAccepted,
    KeyAllowed,
    KeyRevoked,
    MemberState,
    MemberWithdrawn,
    ProgressCompared,
)
from twinwall.game.typed_json import Text
from twinwall.values import Shape, frozen
from twinwall.wire.ledger import LedgerPosition
from twinwall.wire.messages.boot_keys import BootKeys
from twinwall.wire.messages.staff_orders import ReplacementOrder


@frozen
class CustodyPlan:
    """What stays constant in a session.

    - deals: in the order of play. ``begins``: the deal with which a table begins instead of the first; after the last it continues from the
      first.
    - groups: tables that stay within ``spread`` deals of each other.
    - new_keys_ask: boot keys, also a table's first, wait until a person allows them.
    - paper: tables that get no deal, because people build their walls from sheets.
    """

    deals: tuple[int, ...]
    groups: tuple[tuple[str, ...], ...]
    spread: int = 1
    new_keys_ask: bool = True
    begins: Mapping[str, int] = field(default_factory=dict)
    paper: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
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
        first = self.deals.index(self.begins.get(table, self.deals[0]))
        return self.deals[first:] + self.deals[:first]

    def group_of(self, table: str) -> tuple[str, ...]:
        """The tables of a table's group, with itself."""
        return next(group for group in self.groups if table in group)

    @property
    def members(self) -> tuple[str, ...]:
        return tuple(table for group in self.groups for table in group)

    def permitted(self, state: CustodyState, name: str) -> tuple[int, ...]:
        """The deals that a table may hold now and has not finished: the one it plays, and perhaps the next; none at a paper table."""
        standing = state.members[name]
        if standing.withdrawn or name in state.uncompared or name in self.paper:
            return ()
        return tuple(n for index, n in enumerate(self.order_of(name)) if n not in standing.finished and self.is_open(state, name, index))

    def is_open(self, state: CustodyState, table: str, index: int) -> bool:
        """Whether the deal at this index is open to the table: it plays the one before, and no table of its group is too far behind."""
        if index == 0:
            return True
        far = index - 1 - self.spread
        started = self.order_of(table)[index - 1] in state.members[table].started
        return started and (far < 0 or not self.behind(state, table, far))

    def behind(self, state: CustodyState, table: str, index: int) -> tuple[str, ...]:
        """The tables of the group that have not finished the deal at this index of their own order."""
        others = (other for other in self.group_of(table) if not state.members[other].withdrawn)
        return tuple(other for other in others if not _has_finished(state, other, self.order_of(other)[index]))

    def may_release_slip(self, state: CustodyState, n: int) -> bool:
        """Whether a deal's slip may be released; a venue's vault releases none itself."""
        return state.held is None and finished_by_all(state, n)


@frozen
class TableStated:
    """A table shows its boot keys, has proved that it has them, and lists the deals that it holds."""

    name: str
    keys: BootKeys
    holds: tuple[int, ...]


class RevokeKey(Shape, tag_field="order", tag="revoke", rename={"name": "table"}):
    """A person says that the boot keys of this fingerprint are no longer in the right hands."""

    name: Text
    fingerprint: Text


@frozen
class WithdrawTable:
    """A table plays no more: it gets no deal, and the others continue without it. If two ``persons`` order it for deal ``n``, which the
    table plays or plays next, no slip waits for it. One person may order it while it plays no deal; then the slips of deals open to it wait
    until it has finished them."""

    name: str
    persons: tuple[str, ...] = ()
    n: int = 0


@frozen
class ReplaceController:
    """A new controller continues for a lost one by the staff's order, in the first ``line`` of its journal."""

    name: str
    order: ReplacementOrder
    line: LedgerPosition = NOWHERE


Command = TableStated | DealStarted | DealFinished | AllowKey | RevokeKey | ProgressCompared | WithdrawTable | ReplaceController


def decide(custody: CustodyPlan, state: CustodyState, command: Command) -> Decision:
    """The events that follow from a message, or why it has no effect."""
    standing = state.members.get(command.name)
    if standing is None:
        return CustodyRefusal(f"table {command.name!r} is not in the vault's settings")
    match command:
        case TableStated():
            return _spoke(custody, state, standing, command)
        case DealStarted():
            return _started(custody, standing, command)
        case DealFinished():
            if command.n not in standing.started:
                return CustodyRefusal(f"table {command.name!r} finished deal {command.n}, which it has not started")
            return () if command.n in standing.finished else (command,)
        case AllowKey():
            return _allow(standing, command)
        case RevokeKey():
            return () if command.fingerprint in standing.revoked else (KeyRevoked(command.name, command.fingerprint),)
        case ProgressCompared():
            return (command,) if command.name in state.uncompared else ()
        case WithdrawTable():
            return _withdraw(custody, state, standing, command)
        case ReplaceController():
            return _replace(custody, standing, command)
        case _:
            assert_never(command)


def withdrawn_sentence(event: MemberWithdrawn) -> str:
    if not event.awaited:
        return f"table {event.name!r} is withdrawn: the deals do not wait for it"
    which = " and ".join(f"deal {n}" for n in event.awaited)
    return (
        f"table {event.name!r} is withdrawn and the others play on; it may hold {which}, so the slip of {which} waits until the table "
        "has finished it, or two persons order its withdrawal for that deal"
    )


def finished_by_all(state: CustodyState, n: int) -> bool:
    """Whether every table that plays, or is awaited, has finished a deal."""
    playing = [table for table, standing in state.members.items() if not standing.withdrawn or n in standing.awaited]
    return bool(playing) and all(_has_finished(state, table, n) for table in playing)


def _has_finished(state: CustodyState, table: str, n: int) -> bool:
    return n in state.members[table].finished and table not in state.uncompared


def _allow(standing: MemberState, command: AllowKey) -> Decision:
    if command.fingerprint in standing.revoked:
        return CustodyRefusal(f"table {command.name!r}: the boot keys {command.fingerprint} were revoked and are not allowed again")
    return () if command.fingerprint in standing.allowed else (KeyAllowed(command.name, command.fingerprint),)


def _spoke(custody: CustodyPlan, state: CustodyState, standing: MemberState, command: TableStated) -> Decision:
    if standing.withdrawn:
        return CustodyRefusal(f"table {command.name!r} was withdrawn and is given nothing")
    if command.keys != standing.keys:
        shown = command.keys.fingerprint
        if shown in standing.revoked:
            return CustodyRefusal(f"table {command.name!r} shows the boot keys {shown}, which were revoked: it is given nothing")
        if standing.keys is not None and shown in standing.former:
            return CustodyRefusal(
                f"table {command.name!r} shows its former boot keys {shown}, in whose place are {standing.keys.fingerprint}: "
                "two controllers run under its name. Switch one off. If the former one is to play on, start its controller again, which "
                "makes new boot keys, or revoke the other's"
            )
        if custody.new_keys_ask and shown not in standing.allowed:
            which = "its first boot keys" if standing.keys is None else "new boot keys"
            return CustodyRefusal(
                f"table {command.name!r} shows {which}, {shown}: go to the table and compare these digits with those in its own log "
                f"(the fingerprint of this table's boot keys); if they agree, say twinwall vault allow {command.name} '{shown}'"
            )
        return (KeyAccepted.of(command.name, command.keys),)
    sealing = command.keys.sealing.hex()
    lacking = (n for n in custody.permitted(state, command.name) if standing.given.get(n) == sealing and n not in command.holds)
    return tuple(DealGiven(command.name, n, sealing) for n in lacking)


def _may_hold(custody: CustodyPlan, state: CustodyState, table: str) -> tuple[int, ...]:
    """The unfinished deals that the table may have been given, by the ledger: the awaited ones of a withdrawn table, else those open to it;
    none if it never had boot keys."""
    standing, noted = state.members[table], replace(state, uncompared=frozenset())
    if standing.keys is None and not standing.revoked and not standing.started:
        return ()
    return tuple(
        n
        for index, n in enumerate(custody.order_of(table))
        if n not in standing.finished and (n in standing.awaited if standing.withdrawn else custody.is_open(noted, table, index))
    )


def _withdraw(custody: CustodyPlan, state: CustodyState, standing: MemberState, command: WithdrawTable) -> Decision:
    held = _may_hold(custody, state, command.name)
    if standing.withdrawn and not held:
        return ()
    playing = sorted(standing.started - standing.finished)
    if len(command.persons) > 1 and held and command.n == held[0]:
        return (MemberWithdrawn(command.name),)
    if playing:
        return CustodyRefusal(
            f"table {command.name!r} plays deal {playing[0]}, so its withdrawal takes two persons: one orders it on the table's page and "
            "another confirms it there; give their order for this deal with vault withdraw --order FILE. Where no other person has an "
            "account, invite a second person (twinwall hall staff invite), or withdraw the table when its deal is over"
        )
    if command.persons:
        needed = f"for deal {held[0]}" if held else "for no deal: withdraw it without an order"
        return CustodyRefusal(f"table {command.name!r}: its withdrawal takes an order {needed}, not for deal {command.n}")
    return () if standing.withdrawn else (MemberWithdrawn(command.name, held),)


def _replace(custody: CustodyPlan, standing: MemberState, command: ReplaceController) -> Decision:
    """Revoke the lost controller's keys. Progress that the vault does not know needs an order of two persons."""
    name, ordered = command.name, command.order
    unknown = sorted(standing.finished - {*ordered.finished, ordered.n})
    if unknown:
        return CustodyRefusal(
            f"table {name!r} has finished deal {unknown[0]}, which the order to replace its controller does not name: order it again"
        )
    order = custody.order_of(name)
    done = [n for n in order if n in ordered.finished and n not in standing.finished]
    begun = [n for n in order if n in (*done, ordered.n) and n not in standing.started]
    playing = sorted(standing.started - standing.finished)
    if (done or playing) and len(ordered.persons) < 2:
        return CustodyRefusal(
            f"table {name!r}: as far as its vault knows it plays deal {(playing or done)[0]}, so its controller is replaced by an "
            "order of two persons: another account confirms it on the table's page"
        )
    revoked = tuple(KeyRevoked(name, fingerprint) for fingerprint in sorted(standing.former - standing.revoked))
    started = tuple(DealStarted(name, n, command.line) for n in begun)
    return *revoked, *started, *(DealFinished(name, n, command.line) for n in done)


def _started(custody: CustodyPlan, standing: MemberState, command: DealStarted) -> Decision:
    if command.n not in custody.deals:
        return CustodyRefusal(f"table {command.name!r} started deal {command.n}, which is not of this session")
    if command.n in standing.started:
        return ()
    order = custody.order_of(command.name)
    missing = [n for n in order[: order.index(command.n)] if n not in standing.finished]
    if missing:
        return CustodyRefusal(
            f"table {command.name!r} started deal {command.n} before it finished deal {missing[0]}: it is given nothing for that"
        )
    return (command,)
