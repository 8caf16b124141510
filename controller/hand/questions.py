"""Question to the referee: which tile is it that the camera cannot read (``question``), and what follows from the answer?

A question is open while an unread tile is reported in a slot where a discard, a meld, a kong, a winning tile or a shown hand is awaited.
The camera keeps looking; its vote or the answer settles the tile, whichever comes first. An answer counts like a sure look: if several
tiles are awaited, together with the camera's other reads, or once all are named. But an answer alone accuses no seat. If it names a
discard, a kong or a tile of a claimed meld that the rules do not allow, it is refused (``twinwall.game.answers``) and the question stays
open. If an accepted answer would accuse a seat later, the table calls the referee instead.
"""

from controller.hand.exposures import play_of
from controller.hand.table_observations import understood
from controller.hand.watching import watched
from controller.state.faults import UNREAD
from controller.state.messages import Decision, Refused
from controller.state.questions import SlotQuestion
from controller.state.table_state import Setup, TableState
from controller.state.watches import Awaits, Watch
from twinwall.game.answers import against_rules
from twinwall.game.tiles import parse_tile
from twinwall.wire.events.hand_events import TileAnswered
from twinwall.wire.events.trouble_events import FaultCleared, TablePart
from twinwall.wire.messages.commands import AnswerTile
from vision.mat import Area, Slot

_ASKED_ABOUT = (TablePart.RIVER, TablePart.MELD, TablePart.HAND, TablePart.WIN)


def question(state: TableState, watch: Watch | None) -> SlotQuestion | None:
    """Return what the referee can be asked now, while the table looks for ``watch``."""
    fault = next((fault for fault in state.faults if fault.code == UNREAD and fault.part in _ASKED_ABOUT), None)
    if fault is None or watch is None or watch.version is None or fault.part is None or fault.place is None or fault.number is None:
        return None
    slot, deal = Slot(fault.place, Area(fault.part.value), fault.number), state.playing.deal
    discard = deal is not None and watch.awaited.kind is Awaits.DISCARD and slot == watch.in_river(deal)  # the decoder alone may tell of it
    asked = discard or slot in watch.slots
    return SlotQuestion(watch.version.deal, watch.version.events, slot) if asked else None


def answered(setup: Setup, state: TableState, command: AnswerTile) -> Decision:
    watch, deal = watched(setup, state), state.playing.deal
    asked = question(state, watch)
    if asked is None or (asked.n, asked.number, asked.where) != (command.n, command.number, command.where):
        return Refused(f"the referee's {command.tile} answers a question that is not open any more")
    assert deal is not None and watch is not None
    slot, tile = asked.slot, parse_tile(command.tile)
    seat, in_river = deal.seat(slot.place), slot.area is Area.RIVER
    against = against_rules(setup.rules, play_of(state), tile, seat=seat, in_river=in_river, fourth_of=slot.fourth_of)
    if against is not None:
        why = f"{command.tile} is not taken as the answer, for {against.sentence}"
        return Refused(f"{why}: look again; if it lies there, have it taken back and rule")
    answer = TileAnswered(seat, tile, command.referee, TablePart(slot.area), slot.index), FaultCleared(UNREAD)
    if in_river or watch.any_of:
        return *answer, *understood(setup, state, watch, {slot: tile}, frozenset(), answered=(slot,))
    named = {**state.playing.hand.answers, slot: tile}
    if watch.also or not set(watch.slots) <= named.keys():
        return answer
    return *answer, *understood(setup, state, watch, {each: named[each] for each in watch.slots}, frozenset(), answered=watch.slots)
