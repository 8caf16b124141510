"""Four players of Sichuan for tests: they hold real walls and play legal moves at random, or towards a win."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from tests.support.game.tables import RandomTable, kongs_with, random_deal
from tests.support.narrowed import present
from twinwall.game.play_events import (
    Claim,
    Claimed,
    ClaimsPassed,
    HandEnded,
    HandLaidOpen,
    HandShown,
    KongDeclared,
    Meld,
    MeldType,
    PlayEvent,
    TileDiscarded,
    TileDrawn,
    WinDeclared,
    totals,
)
from twinwall.game.rule_set import Win
from twinwall.game.rules.sichuan.options import SichuanOptions
from twinwall.game.rules.sichuan.scoring import counts_of, shape_of, with_melds
from twinwall.game.rules.sichuan.state import SichuanState
from twinwall.game.tiles import Seat, Tile
from twinwall.game.walls import SeatWall

OPTIONS = SichuanOptions()


def sichuan_walls(seed: int, *, alike: int = 0) -> dict[Seat, SeatWall]:
    """Four walls of 27 tiles."""
    return random_deal("sichuan", seed, alike=alike)[0]


@dataclass
class SichuanTable(RandomTable):
    """One hand being played; ``eager`` players build towards a win and take every win, the others do as chance has it."""

    state: SichuanState = field(init=False)

    def happen(self, event: PlayEvent) -> None:
        super().happen(event)
        if isinstance(event, HandShown) and isinstance(outcome := self.judged(event), Win):
            self.wins[event.seat] = outcome

    def next_event(self) -> PlayEvent:
        allowed = self.rules.permissions(self.state)
        if allowed.draw is not None:
            return TileDrawn(allowed.draw)
        if allowed.discard is not None:
            return self._own_turn(allowed.discard, may_win=allowed.win is not None, may_kong=allowed.kong is not None)
        if allowed.claims is not None:
            return self._answer(allowed.claims)
        shown = self.state.winner
        if shown not in self.wins and shown in {win.seat for win in self.state.standing}:
            return self.refusal(shown)
        if allowed.show is not None:
            return self._show(allowed.show)
        return HandEnded(present(allowed.ended), totals(self.rules.payments(self.state, self.wins)))

    def complete(self, seat: Seat, tile: Tile | None) -> bool:
        """Whether a seat's hand is complete, with ``tile`` added where there is one."""
        melds = self.state.seat(seat).melds
        counts = present(counts_of(self.held.of[seat], tile))
        held = with_melds(counts, melds)
        return held is not None and shape_of(counts, held, melds, OPTIONS) is not None

    def _own_turn(self, seat: Seat, *, may_win: bool, may_kong: bool) -> PlayEvent:
        held, melds = self.held.of[seat], self.state.seat(seat).melds
        if may_win and (self.complete(seat, None) or self.choice.random() < 0.003):
            return WinDeclared(seat, None, held[-1])
        kongs = kongs_with(held, melds) if may_kong else []
        if kongs and self.choice.random() < 0.7:
            kong = self.choice.choice(kongs)
            return KongDeclared(seat, kong, kong.type is MeldType.ADDED_KONG and held[-1] is not kong.tiles[0])
        return TileDiscarded(seat, self._discard(seat))

    def _discard(self, seat: Seat) -> Tile:
        held = self.held.of[seat]
        if not self.eager:
            return self.choice.choice(held)
        suits = Counter(tile // 9 for tile in [*held, *(tile for meld in self.state.seat(seat).melds for tile in meld.tiles)])
        shortest = min((suits[suit], suit) for suit in range(3))[1]
        return min(held, key=lambda tile: (tile // 9 != shortest, _neighbours(held, tile), self.choice.random()))

    def _answer(self, claims: Mapping[Seat, frozenset[Claim]]) -> PlayEvent:
        tile = present(self.state.last_discard)
        pressed: dict[Seat, Claim] = {}
        for seat, allowed in claims.items():
            held = self.held.of[seat].count(tile)
            if Claim.WIN in allowed and (self.complete(seat, tile) or self.choice.random() < 0.001):
                pressed[seat] = Claim.WIN
            elif Claim.KONG in allowed and held == 3 and self.choice.random() < 0.8:
                pressed[seat] = Claim.KONG
            elif Claim.PUNG in allowed and held >= 2 and self.choice.random() < 0.5:
                pressed[seat] = Claim.PUNG
        order = self.rules.priority(self.state, pressed)
        if not order:
            return ClaimsPassed()
        seat, claim = order[0], pressed[order[0]]
        if claim is Claim.WIN:
            return WinDeclared(seat, self.state.turn, tile)
        kind, size = (MeldType.KONG, 4) if claim is Claim.KONG else (MeldType.PUNG, 3)
        return Claimed(seat, Meld(kind, (tile,) * size, self.state.turn))

    def _show(self, seat: Seat) -> PlayEvent:
        held, win = self.held.of[seat], self.state.win_of(seat)
        if win is None:
            return HandLaidOpen(seat, held)
        return HandShown(seat, held[:-1] if win.source is None else held, win.tile)


def _neighbours(held: tuple[Tile, ...], tile: Tile) -> int:
    """How well a tile goes with the others: equal ones count most, then those beside it."""
    return sum(3 if other is tile else 1 for other in held if other // 9 == tile // 9 and abs(other - tile) <= 2) - 3
