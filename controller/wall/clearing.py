"""Clearing between two hands: returns the played set to the drum (``due_events``), and counts its tiles.

The next wall is ready in the trays and the drum is empty. The magazines drop their tiles, the well opens, and players push in the others;
before the first of several hands that is the second set, out of its box. When the count equals the set, the well shuts and the wall may
rise. If the count stays short or exceeds the set, staff are called and may continue; the next read of that set shows which kind it is.
"""

from controller.ledger.journal_events import Events
from controller.state.faults import WELL_COUNT, well_count_differs
from controller.state.messages import Decision, Refused
from controller.state.sides import Clearing, Making, WallStage
from controller.state.table_state import TableState, issue
from firmware_bridge.messages import ALL_SEATS, CloseWell, Container, Dump, OpenWell
from twinwall.wire.events.trouble_events import FaultCleared
from twinwall.wire.events.wall_events import Cleared, WellCounted


def due_events(state: TableState) -> Events:
    making = state.making
    clearing, deal = making.clearing, making.deal
    if making.stage is not WallStage.CLEARING or clearing is None or deal is None or state.awaits(Dump, OpenWell, CloseWell):
        return ()
    if not clearing.emptied:
        return issue(state, Dump(Container.MAGAZINE, ALL_SEATS))
    if not _settled(making, clearing):
        too_many = clearing.total > _set_size(making)
        return () if making.well_open or too_many else issue(state, OpenWell())
    if making.well_open:
        return issue(state, CloseWell())
    return (Cleared(deal.n, clearing.total),)


def waits_for_tiles(making: Making) -> int | None:
    """Return how many tiles are still expected through the open well; None if none are, or staff have accepted the count."""
    clearing = making.clearing
    if clearing is None or not making.well_open or _settled(making, clearing):
        return None
    missing = _set_size(making) - clearing.total
    return missing if missing > 0 else None


def fallen(state: TableState, count: int) -> Decision:
    """This many tiles have fallen into the well since it opened."""
    making = state.making
    clearing = making.clearing
    if making.stage is not WallStage.CLEARING or clearing is None:
        return ()
    total = clearing.dropped + clearing.counted_before + count
    if total <= clearing.total:
        return ()
    counted = WellCounted(total, _set_size(making))
    differs = total - _set_size(making)
    if differs == 0 and state.has_fault(WELL_COUNT):
        return counted, FaultCleared(WELL_COUNT)
    if differs > 0 or (differs < 0 and state.has_fault(WELL_COUNT)):
        return counted, well_count_differs(differs)
    return (counted,)


def count_short(state: TableState, missing: int) -> Decision:
    """The count has been short by this many for the time allowed."""
    if waits_for_tiles(state.making) != missing or state.has_fault(WELL_COUNT):
        return Refused(f"{missing} tiles are no longer waited for at the well")
    return (well_count_differs(-missing),)


def _settled(making: Making, clearing: Clearing) -> bool:
    """Whether no more tiles are awaited: the count is right, or staff accept it."""
    return clearing.accepted or clearing.total == _set_size(making)


def _set_size(making: Making) -> int:
    """Return the tiles of a set: each of the two has as many as a deal's walls."""
    return 0 if making.deal is None else len(making.deal.positions)
