"""The passed-win rule of Yangzhou: a seat that lets a win pass may not win before its own turn. Only a replay with walls sees it.
"上がりを見逃したら,自分の番が来るまで,上がれません": any win, on a discard or self-drawn. But a seat with four exposed melds that discards
its winning tile (裸単騎) may still win in the same go-around ("揚州の麻雀", blog, 27 November 2015, 進行). A turn comes with a draw or
claim, not when the seat is skipped."""

from collections.abc import Iterator
from itertools import combinations

from twinwall.game.play import PlayState, turned_up
from twinwall.game.play_events import Claimed, ClaimsPassed, MeldType, PlayEvent, TileDiscarded, TileDrawn, WinDeclared
from twinwall.game.rule_set import Hands, Illegal, Win, WinningHand, Witness
from twinwall.game.rules.checks import MOST_MELDS
from twinwall.game.rules.divisions import RANKS, may_divide
from twinwall.game.rules.yangzhou.options import YangzhouOptions
from twinwall.game.rules.yangzhou.scoring import score
from twinwall.game.tiles import COPIES, SEATS, Seat, Suit, Tile, TileRow

PASSED_WIN = "passed-win"


class YangzhouWitness(Witness):
    """Remembers who has let a win pass since its last turn."""

    def __init__(self, options: YangzhouOptions, round_wind: Seat) -> None:
        self._options = options
        self._round = round_wind
        self._barred: set[Seat] = set()

    def objection(self, state: PlayState, event: PlayEvent, hands: Hands) -> Illegal | None:  # noqa: ARG002 - what was seen before decides
        match event:
            case WinDeclared(seat, Seat()) if seat in self._barred:
                return Illegal(PASSED_WIN, f"{seat.value} let a win pass and has not had its turn since")
            case _:
                return None

    def see(self, state: PlayState, event: PlayEvent, hands: Hands) -> None:
        match event:
            case TileDrawn(seat):
                self._barred.discard(seat)
            case TileDiscarded(seat) if state.drew and not _is_bare(state, seat):
                if seat not in state.refused and self._could_win(state, seat, hands[seat][:-1], hands[seat][-1], None):
                    self._barred.add(seat)
            case ClaimsPassed():
                self._note(state, hands)
            case Claimed(seat):
                self._note(state, hands)
                self._barred.discard(seat)

    def _note(self, state: PlayState, hands: Hands) -> None:
        """Bar each seat that could have won on the tile."""
        tile = state.last_discard
        assert tile is not None
        for seat in SEATS:
            if seat is not state.turn and seat not in state.refused and self._could_win(state, seat, hands[seat], tile, state.turn):
                self._barred.add(seat)

    def _could_win(self, state: PlayState, seat: Seat, concealed: TileRow, winning: Tile, source: Seat | None) -> bool:
        """Whether the seat's hand would have won; ``concealed`` includes its face-down kongs."""
        public = state.seat(seat)
        if public.dead:
            return False
        for kongs, standing in _without_kongs(concealed, sum(meld.face_down for meld in public.melds)):
            suits = [tile // RANKS for tile in (*standing, winning)]
            if not may_divide(map(suits.count, range(len(Suit)))):
                continue
            hand = WinningHand(seat, self._round, standing, turned_up(public.melds, kongs), winning, source)
            if isinstance(score(hand, self._options), Win):
                return True
        return False


def _without_kongs(held: TileRow, number: int) -> Iterator[tuple[TileRow, TileRow]]:
    """The kinds that this many concealed kongs can have, and the tiles left in the hand."""
    fours = [tile for tile in dict.fromkeys(held) if held.count(tile) == COPIES]
    for kongs in combinations(fours, number):
        yield kongs, tuple(tile for tile in held if tile not in kongs)


def _is_bare(state: PlayState, seat: Seat) -> bool:
    """Whether all four sets are exposed, so that the seat waits with one tile (裸単騎)."""
    melds = state.seat(seat).melds
    return len(melds) == MOST_MELDS and all(meld.type is not MeldType.CONCEALED_KONG for meld in melds)
