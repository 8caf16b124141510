"""Tiles and winds as Botzone writes them: W characters, B dots, T bamboos, F1 to F4 winds, J1 to J3 dragons (red, green, white)."""

from __future__ import annotations

from twinwall.event.forms.sheet import FormTextError
from twinwall.game.rules.mcr_duplicate.fan_table import FAN_KINDS
from twinwall.game.session import round_wind
from twinwall.game.tiles import SEATS, Tile

CODES = tuple(f"{letter}{rank}" for letter, ranks in zip("WBTFJ", (9, 9, 9, 4, 3), strict=True) for rank in range(1, ranks + 1))
_TILES = {code: Tile(index) for index, code in enumerate(CODES)}
FAN_NAMES = {kind.id: kind.chinese for kind in FAN_KINDS} | {"closed-wait": "嵌张"}
"""Names of fans by our ids, as the published judge writes them."""
RULES = {"end": "next-empty", "kong_when_next_empty": False}
"""Options under which hands are played there: a hand ends when the seat to draw has no tile left."""


def tile_of(code: str, place: str) -> Tile:
    """The tile of a code; raises FormTextError naming the place where it stands."""
    tile = _TILES.get(code)
    if tile is None:
        why = "a flower, which no rule set here has" if code.startswith("H") else "no tile"
        raise FormTextError(f"{place} has {code!r}, which is {why}")
    return tile


def run_around(code: str, place: str) -> tuple[Tile, Tile, Tile]:
    """A chow by its middle tile; raises FormTextError."""
    middle = tile_of(code, place)
    if middle.is_honour or middle.rank in (1, 9):
        raise FormTextError(f"{place} is a chow around {code}: the middle tile has a number from 2 to 8")
    return Tile(middle - 1), middle, Tile(middle + 1)


def wind_number(hand: int) -> int:
    """The prevalent wind of a hand of a session, from 0 for East."""
    return SEATS.index(round_wind(hand))
