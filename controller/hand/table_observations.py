"""Table observations: which events follow when the table reader reports a discard (``discarded``), an exposure, a shared tile or an
unreadable tile.

``controller.hand.exposures`` checks exposed tiles against the seat's wall; ``controller.hand.watching`` says what to look for. An
observation that would foul a deal or refuse a call needs a second look: the decoder's, if there is one, since the slot reader may take a
pushed tile for a new one. If the referee has named a tile of it, it accuses no seat.

The referee is asked (``question``) while an unread tile is reported in a slot where a discard, a meld, a kong, a winning tile or a shown
hand is awaited. The camera keeps looking; its vote or the answer settles the tile, whichever comes first. An answer counts like a sure
look: if several tiles are awaited, together with the camera's other reads, or once all are named. If it names a discard, a kong or a tile
of a claimed meld that the rules do not allow, it is refused (``twinwall.game.answers``) and the question stays open. If an accepted answer
would accuse a seat later, the table calls the referee instead.
"""

import math
from collections.abc import Collection, Mapping
from typing import assert_never

from controller.hand import referee
from controller.hand.clocks import sees_play
from controller.hand.exposures import foul, hand_shown, kong_laid, may_hold, meld_exposed, play_of, winning_tile_laid
from controller.hand.hand_reducer import last_discard
from controller.hand.watching import waiting_discards, watched
from controller.ledger.journal_events import DiscardAstray, Events, LastDiscardSeen, SightDoubted
from controller.state.broken_rules import BROKEN_RULES
from controller.state.faults import UNREAD, unread_tile
from controller.state.messages import Decision, Refused, SlotsSeen, TilesDecoded
from controller.state.questions import SlotQuestion
from controller.state.sides import OpenDeal
from controller.state.table_state import Setup, TableState
from controller.state.watches import Awaits, Watch, in_slots
from twinwall.game.answers import against_rules, kong_with
from twinwall.game.play_events import Claimed, KongDeclared, MeldType, SharedTileTurned, TileDiscarded, WinRefused
from twinwall.game.tiles import Tile, parse_tile
from twinwall.wire.events.hand_events import ClaimRefused, KongRefused, TileAnswered, WinCallRefused
from twinwall.wire.events.trouble_events import DealFouled, FaultCleared, RefereeCalled, TablePart, TableSubject, Violation
from twinwall.wire.messages.commands import AnswerTile
from vision.mat import MELD_SLOTS, Area, Mat, Slot

FALSE_DISCARD = "false-discard"
"""A seat discarded a tile that the rules forbid: it stays until the referee has ruled, and is looked at again then."""
MAT_DIFFERS = "mat-differs"
"""After a restart the last discard is not where the journal has it: it was taken or moved."""
LOOKS_TO_BELIEVE = 2
"""This many separate looks are needed before a deal is fouled, or a call refused, for tiles that should not be there."""
_PUSHED_MM = 50.0
"""A tile of a river may have been pushed this far: onto the next place, in its row or another one."""


def not_shown(setup: Setup, state: TableState, awaited: Watch) -> Decision:
    watch = watched(setup, state)
    if watch != awaited:
        return Refused(f"{awaited.label} has been settled")
    if not sees_play(state):
        return Refused(f"{awaited.label} may have been laid: the table does not see what players do")
    seat = awaited.awaited.seat
    if awaited.awaited.kind is Awaits.LAST_DISCARD:
        return *referee.call_by_table(state, TableSubject.MAT_DIFFERS), *referee.halt(state, MAT_DIFFERS)
    hand = state.playing.hand
    if setup.decodes and (hand.doubted_looks or hand.answers):  # something is there, and not all of it is certain
        return _unreadable(state, next((slot for slot in awaited.slots if slot not in awaited.answered), awaited.slots[0]))
    sentence = f"{seat.name.title()} has not laid the tiles that it is to lay: the referee rules"
    return referee.violated(state, seat, "not-shown", sentence)


def seen(setup: Setup, state: TableState, observation: SlotsSeen) -> Decision:
    watch = watched(setup, state)
    if watch != observation.watch:
        return Refused(f"{observation.watch.label} is not awaited any more")
    if watch.awaited.kind is Awaits.LAST_DISCARD:
        return _still_there(state, observation.tiles.get(watch.slots[0]))
    slots = [slot for slot in watch.slots if slot in observation.tiles or not watch.any_of]
    answers = state.playing.hand.answers
    settled = {slot: answers.get(slot, tile) for slot, tile in observation.tiles.items()}
    tiles = {slot: tile for slot in slots if (tile := settled.get(slot)) is not None}
    unread = [slot for slot in slots if slot not in tiles]
    if unread:
        return _unreadable(state, unread[0])
    if observation.hidden and watch.also:
        return Refused(f"something hides {watch.label}: which discard was taken was not seen")
    lying = frozenset(slot for slot in watch.also if slot in observation.tiles)
    meant, first = understood(setup, state, watch, tiles, lying, answered=answers), next(iter(tiles))
    if setup.decodes and (
        _are_grave(state, meant) or len(watch.also) - len(lying) > 1 or _may_be_pushed(state, first, tiles[first], meant)
    ):
        return _left_to_decoder(state, watch, first)
    return _believed(state, watch, first, meant)


def _left_to_decoder(state: TableState, watch: Watch, slot: Slot) -> Decision:
    """Leave what the slot reader alone believes to the decoder, which knows earlier places; staff look at shared tiles."""
    if watch.awaited.kind is not Awaits.SHARED:
        return Refused(f"{watch.label} is left to the decoder") if state.playing.hand.doubted_looks else (SightDoubted(watch.label),)
    return _unreadable(state, slot)


def _may_be_pushed(state: TableState, slot: Slot, tile: Tile, meant: Events) -> bool:
    """Whether a tile may have been there before: at the place of a discard an earlier one of that river and kind, or at the last place of a
    pung, laid or pushed aside, a tile of the pung."""
    if any(isinstance(event, KongDeclared) and event.meld.type is MeldType.ADDED_KONG for event in meant):
        return True
    deal = state.playing.deal
    if slot.area is not Area.RIVER or deal is None:
        return False
    own, mat = play_of(state).seat(deal.seat(slot.place)), Mat()
    spot = mat.spot(slot)
    places = (Slot(slot.place, Area.RIVER, own.place_of(n)) for n, each in enumerate(own.river) if each.tile is tile)
    spots = (mat.spot(place) for place in places if place.index < mat.count(slot.place, Area.RIVER))
    return any(math.dist((spot.x_mm, spot.y_mm), (near.x_mm, near.y_mm)) <= _PUSHED_MM for near in spots)


def decoded(setup: Setup, state: TableState, observation: TilesDecoded) -> Decision:
    """The decoder without the deal knows what was laid of the awaited tiles, or cannot read it. It is judged as if it were in its slots; if
    a seat lays another kind of meld than it called, the referee decides."""
    watch, deal, event = watched(setup, state), state.playing.deal, observation.event
    if watch is None or watch != observation.watch or deal is None:
        return Refused(f"{observation.watch.label} is not awaited any more")
    if watch.awaited.kind is Awaits.LAST_DISCARD:
        return _still_there(state, event.tile) if isinstance(event, TileDiscarded) else Refused(f"{watch.label} was not decoded")
    tiles = {} if event is None else in_slots(watch, play_of(state), deal.place(watch.awaited.seat), event)
    slot = next(iter(tiles), observation.asked or _first_place(watch, deal))
    here = {(slot.place, slot.index)} if slot.area is Area.RIVER else frozenset[tuple[int, int]]()
    covers = frozenset(observation.covers) - here - state.playing.hand.astray
    astray = (DiscardAstray(tuple(sorted(covers))),) if covers else ()
    if event is None:
        unread = _unreadable(state, slot)
        return astray or unread if isinstance(unread, Refused) else (*astray, *unread)
    if not tiles or (not watch.any_of and not set(watch.slots) <= tiles.keys()):
        return Refused(f"what was decoded is not what {watch.label} waits for")
    waiting = waiting_discards(deal, play_of(state)) if watch.also else ()
    lying = frozenset(slot for slot, seat in waiting if not isinstance(event, Claimed) or seat is not event.meld.source)
    answers = state.playing.hand.answers
    meant = understood(setup, state, watch, _with_answers(tiles, answers), lying, answered=answers)
    return _believed(state, watch, slot, (*astray, *meant) if meant and not _are_grave(state, meant) else meant)


def _with_answers(tiles: Mapping[Slot, Tile], answers: Mapping[Slot, Tile]) -> dict[Slot, Tile]:
    """Return the decoded tiles in an order that fits the referee's answers: the order within a meld or hand concerns no other seat."""
    laid = dict(tiles)
    for slot, answer in answers.items():
        if slot in laid:
            alike = (each for each, tile in laid.items() if tile is answer and each not in answers)
            other = next((each for each in alike if (each.area is Area.MELD) is (slot.area is Area.MELD)), slot)
            laid[other], laid[slot] = laid[slot], answer
    return laid


def _first_place(watch: Watch, deal: OpenDeal) -> Slot:
    """Return where staff look first for an unread tile: an awaited slot without an answer, or the seat's next river place."""
    return next((slot for slot in watch.slots if slot not in watch.answered), watch.slots[0]) if watch.slots else watch.in_river(deal)


def _still_there(state: TableState, tile: Tile | None) -> Decision:
    """A tile is where the last discard was before a restart; None: the camera cannot read it."""
    last = last_discard(state.playing.hand)
    if last is None or tile not in (None, last.tile):
        return Refused("another tile lies where the last discard lay")
    return (LastDiscardSeen(),)


def _believed(state: TableState, watch: Watch, slot: Slot, meant: Events) -> Decision:
    """Return what was seen; if that is grave, only on the second look."""
    cleared = tuple(FaultCleared(fault.code) for fault in state.faults if fault.code == UNREAD)
    if _are_grave(state, meant) and state.playing.hand.doubted_looks + 1 < LOOKS_TO_BELIEVE:
        return SightDoubted(watch.label), *(() if cleared else (unread_tile(slot),))
    return *cleared, *meant


def _are_grave(state: TableState, meant: Events) -> bool:
    """Whether events need a second look: they accuse a seat by tiles that its wall does not prove, or foul the deal."""
    unproved = {FALSE_DISCARD} if not play_of(state).excluded else BROKEN_RULES.keys()
    doubts_answer = RefereeCalled(about=TableSubject.ANSWER_DOUBTED) in meant
    grave = DealFouled | ClaimRefused | KongRefused | WinCallRefused
    return doubts_answer or any(isinstance(each, grave) or (isinstance(each, Violation) and each.what in unproved) for each in meant)


def _unreadable(state: TableState, slot: Slot) -> Decision:
    if any(fault.code == UNREAD for fault in state.faults):
        return Refused(f"{slot} is still unreadable")
    return (unread_tile(slot),)


def understood(
    setup: Setup, state: TableState, watch: Watch, tiles: Mapping[Slot, Tile], lying: frozenset[Slot], *, answered: Collection[Slot]
) -> Events:
    """Return what follows from the tiles in the slots of a watch; ``lying``: slots of ``watch.also`` that still hold a tile. A tile in an
    ``answered`` slot accuses no seat, except that a shown hand does not win if its wall proves it."""
    meant = _meant(setup, state, watch, tiles, lying)
    accuses = any(isinstance(event, Violation) for event in meant)
    proved = not play_of(state).excluded and any(isinstance(event, WinRefused) for event in meant)
    named = any(slot in tiles for slot in answered)
    return referee.doubt_answer(state) if accuses and named and not proved else meant


def _meant(setup: Setup, state: TableState, watch: Watch, tiles: Mapping[Slot, Tile], lying: frozenset[Slot]) -> Events:
    slot, first = next(iter(tiles.items()))
    match watch.awaited.kind:
        case Awaits.MELD:
            return meld_exposed(setup, state, tuple(tiles.values()), lying)
        case Awaits.HAND:
            return hand_shown(setup, state, tiles)
        case Awaits.SHARED:
            return _turned_up(setup, state, watch.awaited.number, first)
        case Awaits.DISCARD:
            return discarded(setup, state, first)
        case Awaits.KONG | Awaits.WIN if slot.area is Area.RIVER:  # a discard takes the call back
            return discarded(setup, state, first)
        case Awaits.WIN:
            return winning_tile_laid(setup, state, first)
        case Awaits.KONG:
            return kong_laid(setup, state, kong_with(play_of(state), slot.index // MELD_SLOTS, first))
        case Awaits.LAST_DISCARD:
            return ()
        case _:
            assert_never(watch.awaited.kind)


def discarded(setup: Setup, state: TableState, tile: Tile) -> Events:
    play = play_of(state)
    if not may_hold(state, play.turn, (tile,)):
        return foul(state, f"{play.turn.name.title()} discarded {tile.text}, which its wall has not given it")
    discarded = TileDiscarded(play.turn, tile, riichi=state.playing.hand.riichi is play.turn)
    illegal = setup.rules.illegal(play, discarded)
    if illegal is not None:
        if state.playing.halted:
            return ()
        sentence = f"{play.turn.name.title()} discarded {tile.text}, which the rules bar now: the referee rules"
        return referee.violated(state, play.turn, FALSE_DISCARD, sentence, rule=illegal.sentence, halts=True)
    return (discarded,)


def _turned_up(setup: Setup, state: TableState, shared: int, tile: Tile) -> Events:
    play, deal = play_of(state), state.playing.deal
    assert deal is not None
    turned = SharedTileTurned(shared, tile)
    if (not play.excluded and tile is not deal.rest[shared]) or setup.rules.illegal(play, turned) is not None:
        return foul(state, f"{tile.text} was turned up as a shared tile, which the deal does not have there")
    return (turned,)


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
