"""Open question of a table: which tile lies at a place of a river where the camera cannot tell.

What the camera has seen there is kept outside the state (``controller.adapters.discard_questions``).
"""

from __future__ import annotations

from dataclasses import dataclass

from twinwall.game.tiles import Tile
from vision.mat import Slot


@dataclass(frozen=True, slots=True)
class DiscardQuestion:
    """Which tile lies in ``slot``. ``n`` is the deal in play and ``number`` how many events its hand has so far: an answer that comes
    late is recognised by them."""

    n: int
    number: int
    slot: Slot


@dataclass(frozen=True, slots=True)
class DoubtedPlace:
    """What the camera alone knows of the place of a question: all kinds, the likeliest first, and JPEG pictures of the place with its
    neighbours in the river. ``before`` is from before something was laid there; empty where no frame is known from then."""

    question: DiscardQuestion
    kinds: tuple[Tile, ...]
    before: bytes
    after: bytes
