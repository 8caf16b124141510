"""Exposed tiles: checks a called meld (``meld_exposed``), a kong, a winning tile or a shown hand against the rules and the seat's wall.

A call is judged only when its tiles are open, so nothing public depends on a concealed tile. If a ruling has excluded the deal from the
comparison, exposed tiles are not checked against the wall.
"""

from collections import Counter
from collections.abc import Iterable, Mapping

from controller.hand import referee
from controller.hand.watching import declared_win, waiting_discards
from controller.ledger.journal_events import Events
from controller.state.table_state import Setup, TableState
from twinwall.game.held import concealed
from twinwall.game.play import PlayState
from twinwall.game.play_events import Claimed, HandLaidOpen, HandShown, KongDeclared, Meld, MeldType, WinDeclared, WinRefused
from twinwall.game.rule_set import Illegal, NoWin
from twinwall.game.tiles import Seat, Tile, TileRow
from twinwall.wire.events.hand_events import ClaimRefused, KongRefused, WinCallRefused
from twinwall.wire.events.trouble_events import DealFouled, TableSubject
from vision.mat import MELD_SLOTS, Area, Slot

FALSE_KONG = "false-kong"
"""A seat laid tiles that are no kong, or a kong that the rules do not allow."""


def meld_exposed(setup: Setup, state: TableState, tiles: TileRow, lying: frozenset[Slot]) -> Events:
    """A meld was exposed, of the tile in question or of an earlier discard; ``lying``: slots of discards that are still there."""
    play, hand, deal = play_of(state), state.playing.hand, state.playing.deal
    assert deal is not None
    if hand.claim is not None:
        seat, call = play.turn, hand.claim
        sources = [source for slot, source in waiting_discards(deal, play) if slot not in lying]
    else:
        assert hand.window is not None
        seat = hand.window.granted[0]
        call, sources = hand.window.bound[seat], [play.turn]
    made = [Claimed(seat, Meld(MeldType(call.value), tuple(sorted(tiles)), source)) for source in sources]
    judged = [(claimed, setup.rules.illegal(play, claimed)) for claimed in made]
    claimed = next((claimed for claimed, illegal in judged if illegal is None), None)
    if claimed is None:
        nothing_taken = f"{seat.value} took no discard that waits for it"
        sentence = next((illegal.sentence for _, illegal in judged if illegal is not None), nothing_taken)
        return ClaimRefused(seat), *referee.violated(state, seat, "false-claim", sentence)
    assert claimed.meld.source is not None
    own = Counter(tiles)
    own.subtract([play.seat(claimed.meld.source).river[-1].tile])
    if not may_hold(state, seat, own.elements()):
        return foul(state, f"{seat.name.title()} exposed tiles that its wall has not given it")
    return (claimed,)


def kong_laid(setup: Setup, state: TableState, meld: Meld) -> Events:
    """The seat that called a kong at its turn has laid it: a fourth tile on a pung, four face-down tiles, or three with the fourth face up.

    Face-down tiles are not judged until they are turned up, whatever the walls say; one face-up tile stands for all four.
    """
    play = play_of(state)
    declared = KongDeclared(play.turn, meld, late=_is_late(setup, state, meld))
    illegal = setup.rules.illegal(play, declared)
    if illegal is not None:
        return KongRefused(play.turn), *referee.violated(state, play.turn, FALSE_KONG, illegal.sentence)
    own = meld.tiles if meld.type is MeldType.CONCEALED_KONG else meld.tiles[-1:]
    if not may_hold(state, play.turn, own):
        return foul(state, f"{play.turn.name.title()} laid a kong that its wall has not given it")
    return (declared,)


def _is_late(setup: Setup, state: TableState, meld: Meld) -> bool:
    """Whether a tile is added to a pung that the seat had before this turn's draw, if the rules ask."""
    play = play_of(state)
    asked = setup.rules.permissions(play).late_kongs and meld.type is MeldType.ADDED_KONG and not play.excluded
    return asked and _drawn_last(state, play.turn) is not meld.tiles[-1]


def winning_tile_laid(setup: Setup, state: TableState, tile: Tile) -> Events:
    """The seat that called a win at its turn has laid a tile apart, which must be the one that it drew."""
    play = play_of(state)
    seat, declared = play.turn, WinDeclared(play.turn, None, tile)
    if not may_hold(state, seat, (tile,)):
        return foul(state, f"{seat.name.title()} laid {tile.text}, which its wall has not given it")
    illegal = setup.rules.illegal(play, declared)
    if illegal is None and not play.excluded and _drawn_last(state, seat) is not tile:
        illegal = Illegal("not-held", f"{seat.name.title()} laid {tile.text} as its winning tile, but drew another one")
    if illegal is not None:
        return WinCallRefused(seat), *referee.violated(state, seat, "false-win", illegal.sentence)
    return (declared,)


def hand_shown(setup: Setup, state: TableState, tiles: Mapping[Slot, Tile]) -> Events:
    play, deal = play_of(state), state.playing.deal
    seat = setup.rules.permissions(play).show
    assert seat is not None
    assert deal is not None
    declared = declared_win(state.playing.hand, seat)
    held = None if play.excluded else _held(state, seat)
    if held is not None and Counter((*tiles.values(), *_lies_apart(declared))) != Counter(held):
        return foul(state, f"{seat.name.title()} showed a hand that its wall has not given it")
    turned_up = [tile for slot, tile in tiles.items() if slot.area is Area.MELD]
    kongs = [turned_up[start : start + MELD_SLOTS] for start in range(0, len(turned_up), MELD_SLOTS)]
    if any(len(set(kong)) > 1 for kong in kongs):
        sentence = f"{seat.name.title()} turned up a kong that is not four equal tiles: the referee rules"
        return referee.violated(state, seat, FALSE_KONG, sentence)
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


def foul(state: TableState, reason: str) -> Events:
    return DealFouled(reason), *referee.call_by_table(state, TableSubject.DEAL_FOULED)


def play_of(state: TableState) -> PlayState:
    assert state.playing.hand.play is not None
    return state.playing.hand.play


def _held(state: TableState, seat: Seat) -> TileRow:
    """Return the concealed tiles of a seat by its wall, face-down kongs included."""
    deal = state.playing.deal
    assert deal is not None
    return concealed(deal.walls, state.playing.hand.events, seat)


def may_hold(state: TableState, seat: Seat, tiles: Iterable[Tile]) -> bool:
    """Whether a seat can have these concealed tiles by its wall; True if the wall proves nothing."""
    return play_of(state).excluded or not Counter(tiles) - Counter(_held(state, seat))


def _drawn_last(state: TableState, seat: Seat) -> Tile:
    return _held(state, seat)[-1]


def _lies_apart(declared: WinDeclared | None) -> TileRow:
    """Return the self-drawn tile that was laid apart with the call."""
    return () if declared is None or declared.source is not None or declared.tile is None else (declared.tile,)
