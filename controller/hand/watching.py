"""Watches of the hand: what the table camera looks for now (``watched``: discard, called meld, kong, win, shown hand, shared tile). What an
observation means is decided by ``controller.hand.table_observations``."""

from collections.abc import Iterator
from dataclasses import replace

from controller.hand.hand_reducer import last_discard
from controller.state.sides import Hand, OpenDeal
from controller.state.table_state import Setup, TableState
from controller.state.watches import Awaited, Awaits, Watch, WatchVersion
from twinwall.game.play import Phase, PlayState
from twinwall.game.play_events import Claim, KongDeclared, Meld, MeldType, WinDeclared
from twinwall.game.tiles import SEATS, Seat
from vision.mat import MELD_SLOTS, Area, Slot

MOST_MELDS = 4


def watched(setup: Setup, state: TableState) -> Watch | None:
    watch, deal, hand = _looked_for(setup, state), state.playing.deal, state.playing.hand
    if watch is None or deal is None:
        return None
    look = 1 + hand.doubted_looks + len(hand.answers)
    version = WatchVersion(deal.n, len(hand.events), look, len(state.rulings))
    return replace(watch, version=version, back=state.playing.back, answered=frozenset(hand.answers))


def _looked_for(setup: Setup, state: TableState) -> Watch | None:
    hand, deal, play = state.playing.hand, state.playing.deal, state.playing.hand.play
    if play is None or deal is None or hand.payments is not None or state.playing.fouled:
        return None
    shared = setup.rules.permissions(play).turn_up
    if shared is not None:
        return None if hand.lifted is None else Watch(Awaited(Awaits.SHARED, hand.lifted, shared), (Slot(0, Area.SHARED, shared),))
    match play.phase:
        case Phase.DRAW if hand.claim is not None:
            return _meld(deal, play, play.turn, hand.claim, tuple(slot for slot, _ in waiting_discards(deal, play)))
        case Phase.DRAW if hand.unseen:
            return _last_discard(hand, deal, play)
        case Phase.DISCARD:
            return _own_turn(setup, hand, deal, play)
        case Phase.CLAIMS if hand.window is not None and not hand.window.open and hand.window.granted:
            seat = hand.window.granted[0]
            return _meld(deal, play, seat, hand.window.bound[seat])
        case Phase.CLAIMS if hand.unseen and (hand.window is None or not hand.window.bound):
            return _last_discard(hand, deal, play)
        case Phase.SHOW:
            to_show = setup.rules.permissions(play).show
            return None if to_show is None else _showing(hand, deal, play, to_show)
        case _:
            return None


def _meld(deal: OpenDeal, play: PlayState, seat: Seat, call: Claim, also: tuple[Slot, ...] = ()) -> Watch:
    group = len(play.seat(seat).melds)
    tiles = MELD_SLOTS if call is Claim.KONG else MELD_SLOTS - 1
    return Watch(Awaited(Awaits.MELD, seat, group), _group(deal.place(seat), group)[:tiles], also=also)


def _last_discard(hand: Hand, deal: OpenDeal, play: PlayState) -> Watch | None:
    """Return the watch for the last discard before a restart. If any discard of the hand is astray, it has no slot: another tile may be
    there, and only the decoder can tell."""
    last = last_discard(hand)
    if last is None:
        return None
    river = play.seat(last.seat)
    number = river.place_of(len(river.river) - 1)
    slots = () if hand.astray else (Slot(deal.place(last.seat), Area.RIVER, number),)
    return Watch(Awaited(Awaits.LAST_DISCARD, last.seat, number), slots)


def waiting_discards(deal: OpenDeal, play: PlayState) -> Iterator[tuple[Slot, Seat]]:
    """Yield the places of the others' last untaken discards: the missing one was claimed at the seat's own turn."""
    for seat in SEATS:
        river = play.seat(seat).river
        if seat is not play.turn and river and river[-1].claimed_by is None:
            yield Slot(deal.place(seat), Area.RIVER, play.seat(seat).place_of(len(river) - 1)), seat


def _own_turn(setup: Setup, hand: Hand, deal: OpenDeal, play: PlayState) -> Watch:
    """Return the watch for a discard; or, after a call of win or kong, for its tile or a discard, which takes the call back. If another
    discard is astray on the awaited place, there is no slot: only the decoder can tell what is new there."""
    place, seat = deal.place(play.turn), play.seat(play.turn)
    number = seat.next_place
    discard = () if (place, number) in hand.astray else (Slot(place, Area.RIVER, number),)
    if hand.win is not None:
        return Watch(Awaited(Awaits.WIN, play.turn, number), (Slot(place, Area.WIN, 0), *discard), any_of=True)
    if hand.kong is None:
        return Watch(Awaited(Awaits.DISCARD, play.turn, number), discard)
    groups = [group for group, meld in enumerate(seat.melds) if _may_grow(setup, play, meld)]
    if setup.rules.permissions(play).face_up and len(seat.melds) < MOST_MELDS:
        groups.append(len(seat.melds))
    return Watch(Awaited(Awaits.KONG, play.turn, number), (*(_group(place, group)[-1] for group in groups), *discard), any_of=True)


def _may_grow(setup: Setup, play: PlayState, meld: Meld) -> bool:
    """Whether a fourth tile may be laid on a meld: one that another seat won on, when it was added, may still be there."""
    if meld.type is not MeldType.PUNG:
        return False
    grown = Meld(MeldType.ADDED_KONG, (*meld.tiles, meld.tiles[0]), None)
    return setup.rules.illegal(play, KongDeclared(play.turn, grown)) is None


def _showing(hand: Hand, deal: OpenDeal, play: PlayState, seat: Seat) -> Watch:
    """Return the watch for the hand, an unseen self-drawn tile beside it, and the turned-up face-down kongs."""
    place, melds = deal.place(seat), play.seat(seat).melds
    slots = [Slot(place, Area.HAND, index) for index in range(13 - 3 * len(melds))]
    declared = declared_win(hand, seat)
    if declared is not None and declared.tile is None:
        slots.append(Slot(place, Area.WIN, 0))
    for group, meld in enumerate(melds):
        if meld.face_down:
            slots.extend(_group(place, group))
    return Watch(Awaited(Awaits.HAND, seat, hand.windows), tuple(slots))


def _group(place: int, group: int) -> tuple[Slot, ...]:
    return tuple(Slot(place, Area.MELD, MELD_SLOTS * group + index) for index in range(MELD_SLOTS))


def is_exposure(watch: Watch) -> bool:
    """Whether a watch waits for a meld, a kong or a hand, and not for a discard."""
    return watch.awaited.kind is not Awaits.DISCARD


def declared_win(hand: Hand, seat: Seat) -> WinDeclared | None:
    return next((event for event in reversed(hand.events) if isinstance(event, WinDeclared) and event.seat is seat), None)
