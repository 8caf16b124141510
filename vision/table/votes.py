"""Votes: joins readings of one slot over several frames into one observation, or into none.

Frames count as independent looks, so their probabilities multiply; a kind that one frame holds impossible stays
unlikely. In addition, two frames must put the same kind first, and one of them must be sure of it, or nearly so where no other frame
knows the set's faces: under steady glare frames err alike, and what each of them refused does not become certain by being
repeated. Two frames of a tile that lies still may share one look (``vision.table.table_reader``).
"""

import math
from collections.abc import Iterable, Sequence

from twinwall.art.mat import Slot
from twinwall.game.tiles import ALL_TILES, Tile
from vision.reading import Reason
from vision.table.slots import Presence
from vision.table.table_reader import SlotReading

_MOST_FRAMES = 60
_LEAST_AGREEING, _LEAST_PROBABILITY = 2, 0.99
_FLOOR = 1e-3
"""Least probability of a kind in a frame that does not name it: one bad frame must not outvote two good ones."""
_NEARLY_SURE = 0.85
"""Probability from which a kind that a frame did not dare to name may be settled by several frames."""


def vote(readings: Sequence[SlotReading]) -> Tile | None:
    """The kind on which readings of one slot settle, oldest first, or None while they are too few, do not agree or are all unsure.

    Only the readings since the slot was last seen empty count, and of those the ones that saw it.
    Raises ValueError for readings of several slots.
    """
    slots = {reading.slot for reading in readings}
    if len(slots) > 1:
        raise ValueError(f"one vote is about one slot, not about {len(slots)}")
    lying: list[SlotReading] = []
    for reading in readings:
        if reading.presence is not Presence.HIDDEN:
            lying = [*lying, reading] if reading.occupied else []
    named = [reading for reading in lying if reading.tile is not None]
    if not named:
        return None
    logs = _log_shares(named)
    best = max(ALL_TILES, key=lambda tile: logs[tile])
    probability = 1 / sum(math.exp(logs[tile] - logs[best]) for tile in ALL_TILES)
    agreeing = [reading for reading in named if reading.tile is best]
    sure = {reading.tile for reading in named if reading.reason is None}
    is_sure = best in sure or (not sure and any(_is_nearly_sure(reading) for reading in agreeing))
    if not is_sure or len(agreeing) < _LEAST_AGREEING or probability < _LEAST_PROBABILITY:
        return None
    return best


def emptied(readings: Sequence[SlotReading]) -> bool:
    """Whether the last readings of a slot that saw it, at least the least number, saw it bare; what was hidden tells nothing."""
    seen = [reading for reading in readings if reading.presence is not Presence.HIDDEN][-_LEAST_AGREEING:]
    return len(seen) == _LEAST_AGREEING and all(reading.presence is Presence.EMPTY for reading in seen)


def _log_shares(readings: Sequence[SlotReading]) -> dict[Tile, float]:
    return {tile: sum(math.log(_share(reading, tile)) for reading in readings) for tile in ALL_TILES}


class SlotVotes:
    """Votes over the frames of one watch, for as many slots as are read."""

    def __init__(self) -> None:
        self._readings: dict[Slot, list[SlotReading]] = {}

    def add(self, readings: Iterable[SlotReading]) -> None:
        """One frame's readings."""
        for reading in readings:
            kept = self._readings.setdefault(reading.slot, [])
            kept.append(reading)
            del kept[:-_MOST_FRAMES]

    def emptied(self, slot: Slot) -> bool:
        """Whether the frames settle on the slot being bare."""
        return emptied(self._readings.get(slot, ()))

    def settled(self, slot: Slot) -> Tile | None:
        """The kind that the frames settle on for a slot, or None while they do not."""
        return vote(self._readings.get(slot, ()))

    def ranked(self, slot: Slot) -> tuple[Tile, ...]:
        """All kinds, the likeliest first, by what the frames alone say; those of which they say nothing in the order of the kinds."""
        logs = _log_shares([reading for reading in self._readings.get(slot, ()) if reading.candidates])
        return tuple(sorted(ALL_TILES, key=lambda tile: -logs[tile]))


def _share(reading: SlotReading, tile: Tile) -> float:
    return max((one.probability for one in reading.candidates if one.tile is tile), default=0.0) + _FLOOR


def _is_nearly_sure(reading: SlotReading) -> bool:
    """Whether a reading was refused for a small doubt alone, and not for glare or what else is wrong with the picture, nor by a judge that
    knows the set's faces: what looks otherwise than all of these is no small doubt."""
    small = reading.reason is Reason.UNSURE and reading.candidates[0].probability >= _NEARLY_SURE
    return small and not reading.knows_the_set
