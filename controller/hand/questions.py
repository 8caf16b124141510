"""Question to the referee: which tile a discard is, where the camera cannot tell, and what follows from the answer.

A question is open while an unread tile is told of in a river where a discard is awaited. The camera goes on looking; whichever comes
first, its vote or the answer, settles the discard. An answer is judged as a sure look of the camera would be.
"""

from __future__ import annotations

from controller.hand.table_observations import discarded
from controller.hand.watching import watched
from controller.state.faults import UNREAD
from controller.state.messages import Decision, Refused, TileTold
from controller.state.questions import DiscardQuestion
from controller.state.setup import Setup
from controller.state.table_state import TableState
from controller.state.watches import AwaitedDiscard, Watch
from twinwall.wire.events.hand_events import TileAnswered
from twinwall.wire.events.trouble_events import FaultCleared, TablePart
from vision.mat import Area, Slot


def question(state: TableState, watch: Watch | None) -> DiscardQuestion | None:
    """What the referee can be asked now, while the table looks for ``watch``."""
    fault = next((fault for fault in state.faults if fault.code == UNREAD and fault.part is TablePart.RIVER), None)
    if fault is None or watch is None or watch.version is None or fault.place is None or fault.number is None:
        return None
    slot = Slot(fault.place, Area.RIVER, fault.number)
    asked = slot in watch.slots or slot == _awaited_slot(state, watch)
    return DiscardQuestion(watch.version.deal, watch.version.events, slot) if asked else None


def _awaited_slot(state: TableState, watch: Watch) -> Slot | None:
    """The place of the awaited discard, also where the decoder alone can tell of it."""
    deal = state.playing.deal
    if deal is None or not isinstance(watch.awaited, AwaitedDiscard):
        return None
    return Slot(deal.place(watch.awaited.seat), Area.RIVER, watch.awaited.river_place)


def answered(setup: Setup, state: TableState, told: TileTold) -> Decision:
    """The referee says which tile it is."""
    asked = question(state, watched(setup, state))
    if asked is None or (asked.n, asked.number) != (told.n, told.number):
        return Refused(f"the referee's {told.tile.text} answers a question that is not open any more")
    deal = state.playing.deal
    assert deal is not None
    seat = deal.seat(asked.slot.place)
    return TileAnswered(seat, told.tile, told.by), FaultCleared(UNREAD), *discarded(setup, state, told.tile)
