"""Assignments of a table that has joined a hall: which one it accepts (``refusal``), and when it changes to it. Pure.

The hall's server assigns event, session, rules and players (``twinwall.wire.messages.assignment``). A table refuses, with a sentence, what
it cannot play or what would allow cheating: an older assignment, another start of a known event, other rules for its journal. It changes to
an accepted assignment between two hands, never during one.
"""

from collections.abc import Mapping
from dataclasses import field

from controller.adapters.deal_folder import due_deals
from controller.state.sides import PlayStage
from controller.state.table_state import TableState
from twinwall.game.documents import DocumentError
from twinwall.game.rules import rule_set
from twinwall.values import frozen
from twinwall.wire.messages.assignment import Assignment, HallStage


@frozen
class AssignmentStanding:
    """What a table knows when an assignment comes.

    - ``accepted``: the newest accepted assignment; ``first``: the first one of each event
    - ``state``: state of the table in play; None while it waits for an assignment
    - ``asks_key``: it waits for the key of a journal that a power cut has closed
    - ``deals_in_clear``: its deals are in a folder, as in a rehearsal
    - ``vault_keys``: those of its settings; empty: those of the assignment count
    """

    accepted: Assignment | None = None
    first: Mapping[str, Assignment] = field(default_factory=dict)
    state: TableState | None = None
    asks_key: bool = False
    deals_in_clear: bool = False
    vault_keys: Mapping[str, str] = field(default_factory=dict)


def refusal(standing: AssignmentStanding, new: Assignment) -> str | None:
    """Return why the table refuses this assignment, in a sentence for the director; None if it accepts."""
    return _outdated(standing, new) or _unplayable(standing, new) or _other_event(standing, new) or _too_soon(standing, new)


def is_between_hands(state: TableState) -> bool:
    """Whether the players may change now: no hand has started, or the last one is closed."""
    return state.playing.stage not in (PlayStage.PLAYING, PlayStage.SETTLING)


def assigned_deals(assignment: Assignment) -> frozenset[int]:
    return frozenset(due_deals(assignment.started().plan, assignment.session, assignment.hands))


def hall_stage(deals: frozenset[int], state: TableState | None) -> HallStage:
    """Return what a table with these deals does, as its heartbeat says."""
    if state is None:
        return HallStage.STARTING
    return HallStage.FINISHED if deals <= set(state.closed) else HallStage.PLAYING


def reading_hindrance(assignment: Assignment, stage: HallStage) -> str:
    """Return why a table with this assignment may not read the tiles on its mat, in a sentence; empty if it may."""
    if stage is HallStage.STARTING:
        return f"this table still starts with {_named(assignment)}: wait until it has, or type its tiles"
    return "a hand may lie at this table: wait until its hands are over, or type its tiles" if stage is HallStage.PLAYING else ""


def _outdated(standing: AssignmentStanding, new: Assignment) -> str | None:
    accepted = standing.accepted
    if accepted is None or new == accepted or new.number > accepted.number:
        return None
    if new.number == accepted.number:
        return f"another assignment has the number {new.number} of the one that this table has: assign with a higher number"
    return f"assignment {new.number} is older than {accepted.number}, which this table has: assign again"


def _unplayable(standing: AssignmentStanding, new: Assignment) -> str | None:
    try:
        rule_set(new.rules, new.options)
        started = new.started()
    except DocumentError as error:
        return str(error)
    if standing.deals_in_clear:
        return None
    if set(new.vault_keys) != set(started.plan.holders):
        named = ", ".join(sorted(new.vault_keys)) or "no holder"
        return f"the plan's holders are {', '.join(started.plan.holders)}, and there are vault keys of {named}: name the key of each vault"
    if standing.vault_keys and standing.vault_keys != new.vault_keys:
        return "this table's settings name other vault keys ([custody] vault_keys): compare them with those of the vaults"
    return None


def _other_event(standing: AssignmentStanding, new: Assignment) -> str | None:
    """Return what contradicts the first assignment of the event, whose journal continues."""
    first = standing.first.get(new.event)
    if first is None:
        return None
    if (new.plan, new.start) != (first.plan, first.start):
        return (
            f"this is another start of {new.event!r} ({new.started().start.words}) than the first one that this table was given "
            f"({first.started().start.words}): an event has one start"
        )
    if (new.rules, new.options) != (first.rules, first.options):
        return f"this table's journal of {new.event!r} has hands by {first.rules}: an event keeps rule set and options from its first hand"
    if new.vault_keys != first.vault_keys:
        return f"the vault keys of {new.event!r} are others than the first ones that this table was given: an event keeps its vaults"
    return None


def _too_soon(standing: AssignmentStanding, new: Assignment) -> str | None:
    """Another event begins when the hands of this one are over; other players may come between any two hands.

    Another session of the event begins as soon as no hand is in play: waiting sheets are left, and so is a wall that is being built or
    stands raised without a tile drawn. Their deal stays unplayed.

    While the journal is closed, another event loses nothing: it has its own journal, and this one continues when the table is assigned its
    event again. The vaults of an event that has ended may never answer.
    """
    accepted, state = standing.accepted, standing.state
    if accepted is None or (new.event, new.session) == (accepted.event, accepted.session):
        return None
    if standing.asks_key:
        key = f"the table lost power and waits for the key of its journal of {_named(accepted)}"
        return None if new.event != accepted.event else f"{key}: allow its new boot keys at the vaults, then assign again"
    if state is None:
        return f"the table still starts with {_named(accepted)}: it takes {_named(new)} when it knows what is on the table"
    stage, deal, same = state.playing.stage, state.playing.deal, new.event == accepted.event
    if stage not in (PlayStage.NONE, PlayStage.CLOSED) and not (same and stage is PlayStage.TAKING and not state.playing.hand.taken):
        hand = "" if deal is None else f" {deal.hand}"
        return f"hand{hand} of {_named(accepted)} is in play: {_named(new)} can begin when it is over; the referee may end it"
    if state.making.deal is not None and not same:
        return f"the wall of hand {state.making.deal.hand} of {_named(accepted)} is being built: play that hand, or let the referee end it"
    return None


def _named(assignment: Assignment) -> str:
    return f"session {assignment.session} of {assignment.event!r}"
