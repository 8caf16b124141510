"""How many ways a deal can begin: every sequence of so many legal events is walked, for rules in which any tile may be discarded."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from twinwall.game.held import HeldTiles
from twinwall.game.melds import chows_with
from twinwall.game.play import (
    Claim,
    Claimed,
    ClaimsPassed,
    KongDeclared,
    Meld,
    MeldType,
    Permissions,
    PlayEvent,
    PlayState,
    RuleSet,
    TileDiscarded,
    TileDrawn,
    Win,
    WinDeclared,
    WinningHand,
)
from twinwall.game.tiles import Seat, Tile


@dataclass(frozen=True)
class Position:
    """A hand with its tiles; kongs lie open here, so that all know what stands."""

    rules: RuleSet
    state: PlayState
    held: HeldTiles

    def after(self, event: PlayEvent) -> Position:
        held = self.held.copy()
        held.happen(event)
        return Position(self.rules, self.rules.apply(self.state, event), held)

    def moves(self) -> Iterator[PlayEvent]:
        """Every legal event for the tiles that the seats hold; of several that win on one tile the nearest speaks first."""
        allowed = self.rules.permissions(self.state)
        if allowed.draw is not None:
            yield TileDrawn(allowed.draw)
        if allowed.discard is not None:
            yield from self._own_turn(allowed.discard, allowed)
        if allowed.claims is not None:
            yield ClaimsPassed()
            for seat, claims in allowed.claims.items():
                yield from self._answers(seat, claims)

    def _own_turn(self, seat: Seat, allowed: Permissions) -> Iterator[PlayEvent]:
        held = self.held.of[seat]
        yield from (TileDiscarded(seat, tile) for tile in sorted(set(held)))
        if allowed.win is seat and self._wins(seat, held[:-1], held[-1], None):
            yield WinDeclared(seat, None, None)
        if allowed.kong is seat:
            for tile in sorted(set(held)):
                if held.count(tile) == 4:
                    yield KongDeclared(seat, Meld(MeldType.CONCEALED_KONG, (tile,) * 4, None))
            for meld in self.state.seat(seat).melds:
                if meld.type is MeldType.PUNG and meld.tiles[0] in held:
                    yield KongDeclared(seat, Meld(MeldType.ADDED_KONG, meld.tiles[:1] * 4, None))

    def _answers(self, seat: Seat, claims: frozenset[Claim]) -> Iterator[PlayEvent]:
        tile, held, source = self.state.last_discard, self.held.of[seat], self.state.turn
        assert tile is not None
        if Claim.WIN in claims and self._wins(seat, held, tile, source):
            yield WinDeclared(seat, source, tile)
        if Claim.PUNG in claims and held.count(tile) >= 2:
            yield Claimed(seat, Meld(MeldType.PUNG, (tile,) * 3, source))
        if Claim.KONG in claims and held.count(tile) == 3:
            yield Claimed(seat, Meld(MeldType.KONG, (tile,) * 4, source))
        if Claim.CHOW in claims:
            for chow in chows_with(tile):
                if all(other in held for other in chow if other is not tile):
                    yield Claimed(seat, Meld(MeldType.CHOW, chow, source))

    def _wins(self, seat: Seat, concealed: tuple[Tile, ...], winning: Tile, source: Seat | None) -> bool:
        hand = WinningHand(seat, Seat.EAST, concealed, self.state.seat(seat).melds, winning, source)
        return isinstance(self.rules.score(hand), Win)


def perft(position: Position, depth: int) -> int:
    """How many sequences of so many legal events there are."""
    if depth == 0:
        return 1
    found = 0
    for event in list(position.moves()):
        assert position.rules.illegal(position.state, event) is None, event
        found += 1 if depth == 1 else perft(position.after(event), depth - 1)
    return found
