"""A table in play that cannot read a discard, and the question that it sends."""

from __future__ import annotations

import cv2
import numpy as np

from tests.support.dashboard.example import SELF_DRAWN, building, play
from tests.support.wire.streams import Line
from twinwall.game.tiles import ALL_TILES, Tile
from twinwall.wire.messages.discard_question import AskedDiscard, asked_discard

NUMBER = 41
"""Events of the hand at the moment of the question, as the table counts them."""
SEEN_FIRST = (Tile.M6, Tile.M5, Tile.S1)
"""What the camera thinks likeliest, in its order."""
KINDS = (*SEEN_FIRST, *(tile for tile in ALL_TILES if tile not in SEEN_FIRST))


def unread(place: int = 2, river: int = 4) -> Line:
    """The table's fault while the discard is in doubt."""
    where = {"where": f"place {place} river {river}", "part": "river", "place": place, "number": river}
    return "fault", {"code": "unread-tile", "sentence": "A tile on the table cannot be read", **where}


READ: Line = ("fault-cleared", {"code": "unread-tile"})
IN_PLAY: list[Line] = [*building(), *[*play(SELF_DRAWN)][:30]]
IN_DOUBT: list[Line] = [*IN_PLAY, unread()]


def picture(level: int) -> bytes:
    """A JPEG file of the size that a table sends: a place on grey cloth, ``level`` bright."""
    image = np.full((342, 252, 3), (60, 80, 30), np.uint8)
    cv2.rectangle(image, (84, 114), (162, 222), (level, level, level), -1)
    return cv2.imencode(".jpg", image)[1].tobytes()


def question(n: int = 1, place: int = 2, river: int = 4, *, before: bytes | None = None, after: bytes | None = None) -> AskedDiscard:
    """What the table asks: the pictures show cloth, and something bright on it."""
    shown = {"before": picture(70) if before is None else before, "after": picture(235) if after is None else after}
    return asked_discard(n, NUMBER, place, river, KINDS, **shown)
