"""Duties of Seigo that depend on concealed hands: a hand in riichi must be ready, and stay as it is.

The table cannot see them; a replay with the walls can. Furiten needs no witness: once a hand is
shown everybody sees it (``turns.is_furiten``).
"""

from __future__ import annotations

from twinwall.game.play import PlayState
from twinwall.game.play_events import KongDeclared, PlayEvent, TileDiscarded
from twinwall.game.rule_set import Hands, Illegal
from twinwall.game.rules.seigo.shapes import waits
from twinwall.game.rules.seigo.state import of_seigo
from twinwall.game.tiles import Seat, Tile

NOT_READY = "not-ready"
NOT_THE_DRAWN_TILE = "not-the-drawn-tile"
CHANGED_WAITS = "changed-waits"


class SeigoWitness:
    """Looks on with all tiles known; it needs to remember nothing."""

    def objection(self, state: PlayState, event: PlayEvent, hands: Hands) -> Illegal | None:
        """Why an event breaks a duty."""
        seigo = of_seigo(state)
        match event:
            case TileDiscarded(seat, tile, riichi=True):
                if not waits(_without(hands[seat], tile), len(seigo.seat(seat).melds)):
                    return Illegal(NOT_READY, f"{seat.value} declared riichi and its hand is not ready")
            case TileDiscarded(seat, tile) if seigo.riichi_turn(seat) is not None and tile is not hands[seat][-1]:
                return Illegal(NOT_THE_DRAWN_TILE, f"{seat.value} is in riichi and discards what it draws")
            case KongDeclared(seat, meld) if seigo.riichi_turn(seat) is not None:
                return _kong_in_riichi(hands[seat], len(seigo.seat(seat).melds), seat, meld.tiles[0])
            case _:
                pass
        return None

    def see(self, state: PlayState, event: PlayEvent, hands: Hands) -> None:
        """Nothing."""


def _kong_in_riichi(held: tuple[Tile, ...], melds: int, seat: Seat, tile: Tile) -> Illegal | None:
    if tile is not held[-1]:
        return Illegal(NOT_THE_DRAWN_TILE, f"{seat.value} is in riichi and makes a kong of the tile that it drew only")
    after = tuple(other for other in held if other is not tile)
    if waits(held[:-1], melds) != waits(after, melds + 1):
        return Illegal(CHANGED_WAITS, f"{seat.value} is in riichi and this kong would change its waits")
    return None


def _without(held: tuple[Tile, ...], tile: Tile) -> tuple[Tile, ...]:
    """The tiles less one of a kind; as they are where there is none, which is judged elsewhere."""
    if tile not in held:
        return held
    place = held.index(tile)
    return (*held[:place], *held[place + 1 :])
