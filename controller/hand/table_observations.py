"""What the overhead camera has to look for, and what follows from what it saw: discards, melds, kongs and shown hands.

Here, and only here, exposed tiles meet what a seat holds by the walls. A call is judged when its
tiles lie open and never before, so nothing leaves the table that depends on a concealed tile. In a
deal that a referee has left out of the comparison the walls prove nothing, and what lies open is taken as it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from controller.hand import referee
from controller.ledger.events import (
    ClaimRefused,
    DealFouled,
    Fault,
    FaultCleared,
    JournalEvent,
    KongRefused,
    SightDoubted,
    Violation,
    WinCallRefused,
)
from controller.state.faults import UNREAD
from controller.state.messages import Refused, SlotsSeen, Watch
from controller.state.open_deal import OpenDeal
from controller.state.playing import Hand
from controller.state.setup import Setup
from controller.state.table_state import TableState
from twinwall.game.held import concealed
from twinwall.game.play import Phase, PlayState
from twinwall.game.play_events import (
    Claim,
    Claimed,
    HandLaidOpen,
    HandShown,
    KongDeclared,
    Meld,
    MeldType,
    SharedTileTurned,
    TileDiscarded,
    WinDeclared,
    WinRefused,
)
from twinwall.game.rule_set import Illegal, NoWin
from twinwall.game.tiles import COPIES, SEATS, Seat, Tile
from vision.mat import Area, Slot

Decision = tuple[JournalEvent, ...] | Refused

MELDS: Mapping[Claim, MeldType] = {Claim.CHOW: MeldType.CHOW, Claim.PUNG: MeldType.PUNG, Claim.KONG: MeldType.KONG}
FALSE_DISCARD = "false-discard"
"""A tile was discarded that the rules forbid: it lies there until the referee has ruled, and is looked at again then."""
LOOKS_TO_BELIEVE = 2
"""What cannot lie on the table must be seen in so many looks of their own before a deal is fouled, or a call refused, for it."""
GROUP = 4
"""Slots of a meld on the mat; the last is a kong's fourth tile."""
MOST_MELDS = 4


def watched(setup: Setup, state: TableState) -> Watch | None:
    """What the overhead camera has to look for now.

    Its name holds the deal and the moment of the hand, so that an answer that comes late is known for one; a look that could
    not be believed gives it another name, and so does a ruling, so that the camera looks and votes anew.
    """
    watch, deal, hand = _looked_for(setup, state), state.playing.deal, state.playing.hand
    if watch is None or deal is None:
        return None
    ruled = f" ruled {len(state.rulings)}" if state.rulings else ""
    name = f"{watch.name} at {deal.n}.{len(hand.events)} look {hand.doubted_looks + 1}{ruled}"
    return replace(watch, name=name, back=state.playing.back)


def _looked_for(setup: Setup, state: TableState) -> Watch | None:
    hand, deal, play = state.playing.hand, state.playing.deal, state.playing.hand.play
    if play is None or deal is None or hand.payments is not None or state.playing.fouled:
        return None
    shared = setup.rules.permissions(play).turn_up
    if shared is not None:
        return None if hand.lifted is None else Watch(f"shared {hand.lifted.value} {shared}", (Slot(0, Area.SHARED, shared),))
    match play.phase:
        case Phase.DRAW if hand.claim is not None:
            return _meld(deal, play, play.turn, hand.claim, tuple(slot for slot, _ in _waiting(deal, play)))
        case Phase.DISCARD:
            return _own_turn(setup, hand, deal, play)
        case Phase.CLAIMS if hand.window is not None and not hand.window.open and hand.window.granted:
            seat = hand.window.granted[0]
            return _meld(deal, play, seat, hand.window.bound[seat])
        case Phase.SHOW:
            to_show = setup.rules.permissions(play).show
            return None if to_show is None else _showing(hand, deal, play, to_show)
        case _:
            return None


def _meld(deal: OpenDeal, play: PlayState, seat: Seat, call: Claim, also: tuple[Slot, ...] = ()) -> Watch:
    """The meld that a seat has called."""
    group = len(play.seat(seat).melds)
    tiles = GROUP if call is Claim.KONG else GROUP - 1
    return Watch(f"meld {seat.value} {group}", _group(deal.place(seat), group)[:tiles], also=also)


def _waiting(deal: OpenDeal, play: PlayState) -> Iterator[tuple[Slot, Seat]]:
    """Where the others' last discards lie that nobody has taken: which one is gone tells what was claimed at the own turn."""
    for seat in SEATS:
        river = play.seat(seat).river
        if seat is not play.turn and river and river[-1].claimed_by is None:
            yield Slot(deal.place(seat), Area.RIVER, play.seat(seat).place_of(len(river) - 1)), seat


def _own_turn(setup: Setup, hand: Hand, deal: OpenDeal, play: PlayState) -> Watch:
    """A discard; or of a seat that called a win or a kong, the tile that tells of it (a discard takes the call back)."""
    place, seat = deal.place(play.turn), play.seat(play.turn)
    discard = Slot(place, Area.RIVER, seat.next_place)
    if hand.win is not None:
        return Watch(f"win {play.turn.value} {discard.index}", (Slot(place, Area.WIN, 0), discard), any_of=True)
    if hand.kong is None:
        return Watch(f"discard {play.turn.value} {discard.index}", (discard,))
    groups = [group for group, meld in enumerate(seat.melds) if _may_grow(setup, play, meld)]
    if setup.rules.permissions(play).face_up and len(seat.melds) < MOST_MELDS:
        groups.append(len(seat.melds))
    return Watch(f"kong {play.turn.value} {discard.index}", (*(_group(place, group)[-1] for group in groups), discard), any_of=True)


def _may_grow(setup: Setup, play: PlayState, meld: Meld) -> bool:
    """Whether a fourth tile may be laid on a meld: what another seat has won on, when it was added, may still lie there."""
    if meld.type is not MeldType.PUNG:
        return False
    grown = Meld(MeldType.ADDED_KONG, (*meld.tiles, meld.tiles[0]), None)
    return setup.rules.illegal(play, KongDeclared(play.turn, grown)) is None


def _showing(hand: Hand, deal: OpenDeal, play: PlayState, seat: Seat) -> Watch:
    """The hand, a self-drawn tile beside it that nobody has seen yet, and the kongs that lay face down, turned up."""
    place, melds = deal.place(seat), play.seat(seat).melds
    slots = [Slot(place, Area.HAND, index) for index in range(13 - 3 * len(melds))]
    declared = _declared(hand, seat)
    if declared is not None and declared.tile is None:
        slots.append(Slot(place, Area.WIN, 0))
    for group, meld in enumerate(melds):
        if meld.face_down:
            slots.extend(_group(place, group))
    return Watch(f"show {seat.value} {hand.windows}", tuple(slots))


def _group(place: int, group: int) -> tuple[Slot, ...]:
    return tuple(Slot(place, Area.MELD, GROUP * group + index) for index in range(GROUP))


def is_exposure(watch: Watch) -> bool:
    """Whether a watch waits for a meld, a kong or a hand to be laid (and not for a discard)."""
    return not watch.name.startswith("discard ")


def not_shown(setup: Setup, state: TableState, name: str) -> Decision:
    """What was called has not been laid in time."""
    watch = watched(setup, state)
    if watch is None or watch.name != name:
        return Refused(f"{name} has been settled")
    seat = Seat(name.split()[1])
    sentence = f"{seat.name.title()} has not laid the tiles that it is to lay: the referee rules"
    return referee.violated(state, seat, "not-shown", sentence)


def seen(setup: Setup, state: TableState, sight: SlotsSeen) -> Decision:
    """The overhead camera saw what a watch waits for."""
    watch = watched(setup, state)
    if watch is None or watch.name != sight.watch:
        return Refused(f"nobody waits for {sight.watch} any more")
    slots = [slot for slot in watch.slots if slot in sight.tiles or not watch.any_of]
    tiles = {slot: tile for slot in slots if (tile := sight.tiles.get(slot)) is not None}
    unread = [slot for slot in slots if slot not in tiles]
    if unread:
        return _unreadable(state, unread[0])
    cleared = tuple(FaultCleared(fault.code) for fault in state.faults if fault.code == UNREAD)
    lying = frozenset(slot for slot in watch.also if slot in sight.tiles)
    meant = _understood(setup, state, watch, tiles, lying)
    if any(map(_is_grave, meant)) and state.playing.hand.doubted_looks + 1 < LOOKS_TO_BELIEVE:
        return SightDoubted(sight.watch), *(() if cleared else (_unread(next(iter(tiles))),))
    return *cleared, *meant


def _is_grave(event: JournalEvent) -> bool:
    """Whether an event is to be believed on the second look only."""
    false_discard = isinstance(event, Violation) and event.what == FALSE_DISCARD
    return false_discard or isinstance(event, DealFouled | ClaimRefused | KongRefused | WinCallRefused)


def _unreadable(state: TableState, slot: Slot) -> Decision:
    if any(fault.code == UNREAD for fault in state.faults):
        return Refused(f"{slot} is still unreadable")
    return (_unread(slot),)


def _unread(slot: Slot) -> Fault:
    where = f"place {slot.place} {slot.area} {slot.index}"
    return Fault(UNREAD, where, "A tile on the table cannot be read: lay it face up and straight, with nothing over it")


def _understood(
    setup: Setup, state: TableState, watch: Watch, tiles: Mapping[Slot, Tile], lying: frozenset[Slot]
) -> tuple[JournalEvent, ...]:
    slot, first = next(iter(tiles.items()))
    match watch.name.split()[0]:
        case "meld":
            return _exposed(setup, state, tuple(tiles.values()), lying)
        case "show":
            return _shown(setup, state, tiles)
        case "shared":
            return _turned_up(setup, state, slot.index, first)
        case _ if slot.area is Area.RIVER:
            return _discarded(setup, state, first)
        case "win":
            return _win_laid(setup, state, first)
        case _:
            melds, group = _playing(state).seat(_playing(state).turn).melds, slot.index // GROUP
            if group == len(melds):
                return kong_laid(setup, state, Meld(MeldType.CONCEALED_KONG, (first,) * COPIES, None))
            return kong_laid(setup, state, Meld(MeldType.ADDED_KONG, (*melds[group].tiles, first), None))


def _discarded(setup: Setup, state: TableState, tile: Tile) -> tuple[JournalEvent, ...]:
    play = _playing(state)
    if not _may_hold(state, play.turn, (tile,)):
        return _foul(state, f"{play.turn.name.title()} discarded {tile.text}, which its wall has not given it")
    discarded = TileDiscarded(play.turn, tile, riichi=state.playing.hand.riichi is play.turn)
    illegal = setup.rules.illegal(play, discarded)
    if illegal is not None:
        return () if state.playing.halted else referee.violated(state, play.turn, FALSE_DISCARD, illegal.sentence, halts=True)
    return (discarded,)


def _exposed(setup: Setup, state: TableState, tiles: tuple[Tile, ...], lying: frozenset[Slot]) -> tuple[JournalEvent, ...]:
    """A meld was exposed, of the tile in question or of one that waited; ``lying`` are the slots of those that still wait."""
    play, hand, deal = _playing(state), state.playing.hand, state.playing.deal
    assert deal is not None
    if hand.claim is not None:
        seat, call = play.turn, hand.claim
        sources = [source for slot, source in _waiting(deal, play) if slot not in lying]
    else:
        assert hand.window is not None
        seat = hand.window.granted[0]
        call, sources = hand.window.bound[seat], [play.turn]
    made = [Claimed(seat, Meld(MELDS[call], tuple(sorted(tiles)), source)) for source in sources]
    judged = [(claimed, setup.rules.illegal(play, claimed)) for claimed in made]
    claimed = next((claimed for claimed, illegal in judged if illegal is None), None)
    if claimed is None:
        nothing_taken = f"{seat.value} took no discard that waits for it"
        sentence = next((illegal.sentence for _, illegal in judged if illegal is not None), nothing_taken)
        return ClaimRefused(seat), *referee.violated(state, seat, "false-claim", sentence)
    assert claimed.meld.source is not None
    own = Counter(tiles)
    own.subtract([play.seat(claimed.meld.source).river[-1].tile])
    if not _may_hold(state, seat, own.elements()):
        return _foul(state, f"{seat.name.title()} exposed tiles that its wall has not given it")
    return (claimed,)


def _turned_up(setup: Setup, state: TableState, shared: int, tile: Tile) -> tuple[JournalEvent, ...]:
    """A tile of no seat lies in the middle of the mat."""
    play, deal = _playing(state), state.playing.deal
    assert deal is not None
    turned = SharedTileTurned(shared, tile)
    if (not play.excluded and tile is not deal.rest[shared]) or setup.rules.illegal(play, turned) is not None:
        return _foul(state, f"{tile.text} was turned up as a shared tile, which the deal does not have there")
    return (turned,)


def kong_laid(setup: Setup, state: TableState, meld: Meld) -> tuple[JournalEvent, ...]:
    """The seat that declared a kong at its own turn has laid it: the fourth tile on a pung, four tiles face down, or three with
    the fourth face up.

    What lies face down is not judged, whatever the walls say, until it is turned up; where one tile lies face up, it tells of all.
    """
    play = _playing(state)
    declared = KongDeclared(play.turn, meld, late=_is_late(setup, state, meld))
    illegal = setup.rules.illegal(play, declared)
    if illegal is not None:
        return KongRefused(play.turn), *referee.violated(state, play.turn, "false-kong", illegal.sentence)
    own = meld.tiles if meld.type is MeldType.CONCEALED_KONG else meld.tiles[-1:]
    if not _may_hold(state, play.turn, own):
        return _foul(state, f"{play.turn.name.title()} laid a kong that its wall has not given it")
    return (declared,)


def _is_late(setup: Setup, state: TableState, meld: Meld) -> bool:
    """Whether a tile is added to a pung that the seat had before this turn's draw, where the rules ask."""
    play = _playing(state)
    asked = setup.rules.permissions(play).face_up and meld.type is MeldType.ADDED_KONG and not play.excluded
    return asked and _drawn_last(state, play.turn) is not meld.tiles[-1]


def _win_laid(setup: Setup, state: TableState, tile: Tile) -> tuple[JournalEvent, ...]:
    """The seat that called a win at its own turn has laid a tile apart: it must be the one that it drew."""
    play = _playing(state)
    seat, declared = play.turn, WinDeclared(play.turn, None, tile)
    if not _may_hold(state, seat, (tile,)):
        return _foul(state, f"{seat.name.title()} laid {tile.text}, which its wall has not given it")
    illegal = setup.rules.illegal(play, declared)
    if illegal is None and not play.excluded and _drawn_last(state, seat) is not tile:
        illegal = Illegal("not-held", f"{seat.name.title()} laid {tile.text} as its winning tile, but drew another one")
    if illegal is not None:
        return WinCallRefused(seat), *referee.violated(state, seat, "false-win", illegal.sentence)
    return (declared,)


def _shown(setup: Setup, state: TableState, tiles: Mapping[Slot, Tile]) -> tuple[JournalEvent, ...]:
    play, deal = _playing(state), state.playing.deal
    seat = setup.rules.permissions(play).show
    assert seat is not None
    assert deal is not None
    declared = _declared(state.playing.hand, seat)
    held = None if play.excluded else _held(state, seat)
    if held is not None and Counter((*tiles.values(), *_lies_apart(declared))) != Counter(held):
        return _foul(state, f"{seat.name.title()} showed a hand that its wall has not given it")
    turned_up = [tile for slot, tile in tiles.items() if slot.area is Area.MELD]
    kongs = [turned_up[start : start + GROUP] for start in range(0, len(turned_up), GROUP)]
    if any(len(set(kong)) > 1 for kong in kongs):
        sentence = f"{seat.name.title()} turned up a kong that is not four equal tiles: the referee rules"
        return referee.violated(state, seat, "false-kong", sentence)
    rest = Counter(tile for slot, tile in tiles.items() if slot.area is not Area.MELD)
    if declared is None:
        return (HandLaidOpen(seat, tuple(sorted(rest.elements()))),)
    winning = declared.tile
    if winning is None:
        # The tile just drawn is the wall's last, wherever it was laid; where the wall proves nothing, the one laid apart.
        winning = tiles[Slot(deal.place(seat), Area.WIN, 0)] if held is None else held[-1]
        rest.subtract([winning])
    shown = HandShown(seat, tuple(sorted(rest.elements())), winning, tuple(kong[0] for kong in kongs))
    outcome = setup.rules.score(setup.rules.winning_hand(play, shown, deal.round))
    if isinstance(outcome, NoWin):
        sentence = f"The hand {seat.name.title()} showed does not win ({outcome.reason}): the referee rules"
        return shown, WinRefused(seat, outcome.reason), *referee.violated(state, seat, "false-win", sentence, halts=True)
    return (shown,)


def _foul(state: TableState, reason: str) -> tuple[JournalEvent, ...]:
    return DealFouled(reason), *referee.call(state, _playing(state).turn)


def _playing(state: TableState) -> PlayState:
    assert state.playing.hand.play is not None
    return state.playing.hand.play


def _held(state: TableState, seat: Seat) -> tuple[Tile, ...]:
    """What a seat holds concealed, by construction of its wall; what it laid face down counts."""
    deal = state.playing.deal
    assert deal is not None
    return concealed(deal.walls, state.playing.hand.events, seat)


def _may_hold(state: TableState, seat: Seat, tiles: Iterable[Tile]) -> bool:
    """Whether a seat can have these concealed tiles: by its wall, or whatever they are where its wall proves nothing."""
    return _playing(state).excluded or not Counter(tiles) - Counter(_held(state, seat))


def _drawn_last(state: TableState, seat: Seat) -> Tile:
    """The tile that the seat whose turn it is has drawn."""
    return _held(state, seat)[-1]


def _declared(hand: Hand, seat: Seat) -> WinDeclared | None:
    """The win that a seat declared last."""
    return next((event for event in reversed(hand.events) if isinstance(event, WinDeclared) and event.seat is seat), None)


def _lies_apart(declared: WinDeclared | None) -> tuple[Tile, ...]:
    """The self-drawn tile that was laid apart when the win was declared."""
    return () if declared is None or declared.source is not None or declared.tile is None else (declared.tile,)
