"""Votes: join the readings of one slot over several frames into one kind, or none.

Probabilities of frames multiply. In addition, two frames must put the same kind first and one must be sure of it, or nearly sure if no
frame's judge knows the set's faces: in steady glare all frames err alike, so repetition does not make an unsure kind certain. Two frames of
a tile at rest may share one look (``vision.table.table_reader``).
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
"""Least probability of a kind in a frame: one bad frame must not outvote two good ones."""
_NEARLY_SURE = 0.85
"""From this probability on, several frames may settle a kind that each was unsure of."""


def vote(readings: Sequence[SlotReading]) -> Tile | None:
    """Return the kind on which readings of one slot, oldest first, settle; None if they are too few, differ or are all unsure. Readings
    before the slot was last seen empty, and hidden ones, do not count. Raises ValueError for readings of several slots."""
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
    """Whether the last readings that saw a slot, enough of them, saw it bare."""
    seen = [reading for reading in readings if reading.presence is not Presence.HIDDEN][-_LEAST_AGREEING:]
    return len(seen) == _LEAST_AGREEING and all(reading.presence is Presence.EMPTY for reading in seen)


def _log_shares(readings: Sequence[SlotReading]) -> dict[Tile, float]:
    return {tile: sum(math.log(_share(reading, tile)) for reading in readings) for tile in ALL_TILES}


class SlotVotes:
    """Votes over the frames of one watch, for all slots read."""

    def __init__(self) -> None:
        self._readings: dict[Slot, list[SlotReading]] = {}

    def add(self, readings: Iterable[SlotReading]) -> None:
        for reading in readings:
            kept = self._readings.setdefault(reading.slot, [])
            kept.append(reading)
            del kept[:-_MOST_FRAMES]

    def emptied(self, slot: Slot) -> bool:
        """Whether the frames settle on a bare slot."""
        return emptied(self._readings.get(slot, ()))

    def settled(self, slot: Slot) -> Tile | None:
        """Return the kind that the frames settle on, or None."""
        return vote(self._readings.get(slot, ()))

    def ranked(self, slot: Slot) -> tuple[Tile, ...]:
        """Return all kinds, the likeliest first by the frames alone; the others in canonical order."""
        logs = _log_shares([reading for reading in self._readings.get(slot, ()) if reading.candidates])
        return tuple(sorted(ALL_TILES, key=lambda tile: -logs[tile]))


def _share(reading: SlotReading, tile: Tile) -> float:
    return max((one.probability for one in reading.candidates if one.tile is tile), default=0.0) + _FLOOR


def _is_nearly_sure(reading: SlotReading) -> bool:
    """Whether a reading was refused only for a small doubt: not for glare or another fault of the picture, and not by a judge that knows
    the set's faces, since a face unlike all of these is no small doubt."""
    small = reading.reason is Reason.UNSURE and reading.candidates[0].probability >= _NEARLY_SURE
    return small and not reading.knows_the_set
