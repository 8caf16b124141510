"""Learnt rivers: how far from the mat's places the discards of each seat lie, on a table without a mat."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from controller.recorder.places import from_own_side, own_side
from controller.recorder.tracks import Track
from vision.mat import Area, Mat, Slot
from vision.table.lens import Points

_LEAST_TILES, _LEAST_SHARE = 4, 0.4
"""So many discards, and so many of all, must fit the rows of a river."""
_INNER_MM = 50.0
"""Rivers begin no nearer to the middle."""
_FITS_MM, _MOST_MM = 14.0, 45.0
"""A discard that is no further from a place lies there; rivers lie no further from the mat's."""
_THERE_MM = 5.0
"""Rivers that are no further from the mat's lie there."""
_FIRST, _LAG = 8, 0.1
"""The first discards tell where a river begins. One that fills the place of a claimed tile lags, which is a little less likely."""


def river_place(track: Track) -> int:
    """The place 0 to 3 in whose river a discard lies: it is upright for that player, if it is not laid sideways to call riichi."""
    x_mm, y_mm = track.x_mm, track.y_mm
    upright = abs(track.angle_deg - 90) > 45
    for across in (upright, not upright):
        place = (0 if y_mm > 0 else 2) if across else (1 if x_mm > 0 else 3)
        if own_side(place, x_mm, y_mm)[1] > _INNER_MM:
            return place
    return place


def learnt_rivers(mat: Mat, discards: Sequence[Track]) -> Iterator[tuple[Track, float, float]]:
    """The discards of rivers that do not lie where the mat has them, each with the way to there in the mat's axes (mm). ``discards``: what
    has lain around the middle, in the order in which it was laid."""
    rivers: dict[int, list[Track]] = {}
    for track in discards:
        rivers.setdefault(river_place(track), []).append(track)
    for place, river in rivers.items():
        slots = np.array([mat.at_own_side(Slot(place, Area.RIVER, index)) for index in range(mat.count(place, Area.RIVER))])
        way = _way(river, np.array([own_side(place, track.x_mm, track.y_mm) for track in river]), slots)
        if way is not None:
            yield from ((track, *from_own_side(place, *way)) for track in river)


def _way(river: Sequence[Track], points: Points, slots: Points) -> tuple[float, float] | None:
    """The way from a seat's discards (n × 2) to the places of its river; None where they fit none, or lie there."""
    taken = [sum(other.gone_ms is not None and other.gone_ms <= track.appeared_ms for other in river) for track in river]
    due = [slots[max(number - lag, 0) : number + 1][::-1] for number, lag in enumerate(taken)]
    ways = np.concatenate([places - point for places, point in zip(due[:_FIRST], points, strict=False) if len(places)])
    scored = [(_fit(points + way, due), way) for way in ways if np.hypot(*way) <= _MOST_MM]
    best, way = max(scored, key=lambda each: each[0], default=(0.0, None))
    if way is None or len(river) < _LEAST_TILES or best < _LEAST_SHARE * min(len(river), len(slots)):
        return None
    offs = [places[np.hypot(*(places - point).T).argmin()] - point for places, point in zip(due, points + way, strict=True) if len(places)]
    close = [off for off in offs if np.hypot(*off) < _FITS_MM]
    along, away = (way + np.median(close, axis=0)).tolist()
    return None if np.hypot(along, away) < _THERE_MM else (along, away)


def _fit(points: Points, due: Sequence[Points]) -> float:
    """How many discards lie where they are due, those off it for less."""
    return sum(
        float(((1 - _LAG * np.arange(len(places))) * (1 - (np.hypot(*(places - point).T) / _FITS_MM) ** 2)).max(initial=0.0))
        for places, point in zip(due, points, strict=True)
    )
