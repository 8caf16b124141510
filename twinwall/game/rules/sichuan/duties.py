"""Duties of Sichuan that depend on concealed hands: wins that were let pass, wins that must be taken, kongs made late.

The table cannot see them; a replay with the walls can (四川ルール 血戦到底, revised 29 September 2018, 上がり,
and the last remark of 欠門と下叫の罰金).
"""

from __future__ import annotations

from collections.abc import Iterator

from twinwall.game.play import Phase, PlayState
from twinwall.game.play_events import Claimed, ClaimsPassed, KongDeclared, MeldType, PlayEvent, TileDiscarded, TileDrawn, WinDeclared
from twinwall.game.rule_set import Hands, Illegal
from twinwall.game.rules.sichuan.options import SichuanOptions
from twinwall.game.rules.sichuan.scoring import counts_of, shape_of, with_melds
from twinwall.game.rules.sichuan.state import SichuanState, of_sichuan
from twinwall.game.tiles import SEATS, Seat, Tile

PASSED_WIN = "passed-win"
MUST_WIN = "must-win"
WRONG_LATE = "wrong-late"


class SichuanWitness:
    """Looks on with all tiles known; remembers which winning discards each seat has let pass since its last turn."""

    def __init__(self, options: SichuanOptions) -> None:
        self._options = options
        self._let_pass: dict[Seat, set[Tile]] = {seat: set() for seat in SEATS}

    def objection(self, state: PlayState, event: PlayEvent, hands: Hands) -> Illegal | None:
        """Why an event breaks a duty."""
        sichuan = of_sichuan(state)
        match event:
            case WinDeclared(seat, Seat(), Tile() as tile) if self._barred(seat, tile):
                return Illegal(PASSED_WIN, f"{seat.value} let a winning discard pass and has not had its turn since")
            case KongDeclared(seat, meld, late) if meld.type is MeldType.ADDED_KONG and late is (hands[seat][-1] is meld.tiles[0]):
                return Illegal(WRONG_LATE, f"{seat.value} {'drew' if late else 'did not draw'} at this turn what it adds to its pung")
            case TileDiscarded(seat) | KongDeclared(seat) if sichuan.drew and self._is_late(sichuan):
                if sichuan.phase is Phase.DISCARD and _wins(sichuan, seat, hands[seat], None, self._options):
                    return _must_win(seat)
            case ClaimsPassed() | Claimed() if self._is_late(sichuan):
                waiving = next((seat for seat, tile in self._could_win(sichuan, hands) if not self._barred(seat, tile)), None)
                return None if waiving is None else _must_win(waiving)
            case _:
                pass
        return None

    def see(self, state: PlayState, event: PlayEvent, hands: Hands) -> None:
        """Remember who let a win pass, and forget it when a seat's turn has come or been passed over."""
        sichuan = of_sichuan(state)
        match event:
            case TileDrawn(seat):
                self._let_pass[seat].clear()
            case Claimed(seat):
                self._note(sichuan, hands)
                self._forget_until(sichuan.turn, seat)
            case ClaimsPassed():
                self._note(sichuan, hands)
                if sichuan.won_here:
                    winners = [win.seat for win in sichuan.wins[-sichuan.won_here :]]
                    self._forget_until(sichuan.turn, max(winners, key=sichuan.turn.turns_until))
            case _:
                pass

    def _barred(self, seat: Seat, tile: Tile) -> bool:
        passed = self._let_pass[seat]
        return tile in passed if self._options.passed_win == "kind" else bool(passed)

    def _is_late(self, state: SichuanState) -> bool:
        """Whether the tile drawn last was among those that must be won with."""
        return state.live_draws < self._options.must_win_last

    def _could_win(self, state: SichuanState, hands: Hands) -> Iterator[tuple[Seat, Tile]]:
        """Who could win on the tile in question and has not declared it."""
        tile = state.last_discard
        assert tile is not None
        for seat in SEATS:
            if seat is not state.turn and seat not in state.gone and _wins(state, seat, hands[seat], tile, self._options):
                yield seat, tile

    def _note(self, state: SichuanState, hands: Hands) -> None:
        for seat, tile in self._could_win(state, hands):
            self._let_pass[seat].add(tile)

    def _forget_until(self, turn: Seat, last: Seat) -> None:
        """The seats after ``turn`` up to ``last`` have had their turn, or it was passed over."""
        for steps in range(1, turn.turns_until(last) + 1):
            self._let_pass[SEATS[(turn.index + steps) % len(SEATS)]].clear()


def _must_win(seat: Seat) -> Illegal:
    return Illegal(MUST_WIN, f"{seat.value} can win with one of the last tiles, and so it must")


def _wins(state: SichuanState, seat: Seat, concealed: tuple[Tile, ...], tile: Tile | None, options: SichuanOptions) -> bool:
    """Whether a hand is complete, with ``tile`` added where there is one."""
    own = state.seat(seat)
    counts = counts_of(concealed, tile)
    held = None if counts is None else with_melds(counts, own.melds)
    return not own.dead and counts is not None and held is not None and shape_of(counts, held, own.melds, options) is not None
