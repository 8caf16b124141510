"""A table in play that cannot read a discard, and the question that it sends."""

import cv2
import numpy as np

from tests.support.dashboard.example import SELF_DRAWN, building, play
from tests.support.wire.streams import Line
from twinwall.game.tiles import ALL_TILES, Tile, format_tiles
from twinwall.wire.messages.tile_question import AskedArea, AskedTile

NUMBER = 55
"""Events of the hand at the moment of the question, as the table counts them."""
SEEN_FIRST = (Tile.M6, Tile.M5, Tile.S1)
"""What the camera thinks likeliest, in its order."""
KINDS = (*SEEN_FIRST, *(tile for tile in ALL_TILES if tile not in SEEN_FIRST))


def unread(place: int = 2, area: AskedArea = "river", slot: int = 4) -> Line:
    """The table's fault while a tile is in doubt."""
    where = {"where": f"place {place} {area} {slot}", "part": area, "place": place, "number": slot}
    return "fault", {"code": "unread-tile", "sentence": "A tile on the table cannot be read", **where}


READ: Line = ("fault-cleared", {"code": "unread-tile"})
IN_PLAY: list[Line] = [*building(), *[*play(SELF_DRAWN)][:111]]
IN_DOUBT: list[Line] = [*IN_PLAY, unread()]


def picture(level: int) -> bytes:
    """A JPEG file of the size that a table sends: a place on grey cloth, ``level`` bright."""
    image = np.full((342, 252, 3), (60, 80, 30), np.uint8)
    cv2.rectangle(image, (84, 114), (162, 222), (level, level, level), -1)
    return cv2.imencode(".jpg", image)[1].tobytes()


def question(
    area: AskedArea = "river", slot: int = 4, *, n: int = 1, place: int = 2, before: bytes | None = None, after: bytes | None = None
) -> AskedTile:
    """What the table asks: the pictures show cloth, and something bright on it."""
    shown = {"before": picture(70) if before is None else before, "after": picture(235) if after is None else after}
    return AskedTile(n, NUMBER, place, area, slot, format_tiles(KINDS), **shown)
