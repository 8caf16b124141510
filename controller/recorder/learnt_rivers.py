"""Learnt rivers: without a mat, the middle between the rivers and the offset of each seat's discards from the mat's places."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from math import hypot
from statistics import median

import numpy as np

from controller.recorder.places import from_own_side, seen_from
from controller.recorder.tracks import Track
from vision.mat import Area, Mat, Slot
from vision.table.lens import Points

_LEAST_TILES, _LEAST_SHARE = 4, 0.4
"""Least number and share of discards that must fit the rows of a river."""
_RIVERS_MM, _ASIDE_MM = (82.0, 250.0), 140.0
"""Discards are laid between these distances from the middle, and at most this far aside."""
_UPRIGHT_MM = 60.0
"""An upright discard is at least this far from the middle, if none is laid sideways: a nearer one would be another seat's, sideways."""
_ASKEW_DEG = 20.0
"""A tile turned by less than this from halfway between upright and sideways may be either."""
_FITS_MM, _MOST_MM = 14.0, 45.0
"""A discard this near a place is at that place; rivers are at most ``_MOST_MM`` off the mat's."""
_THERE_MM = 5.0
"""A river this near the mat's is not moved."""
_FIRST, _BESIDE = 8, 0.7
"""The first discards show where a river begins. A place next to the due one counts less: a discard seen late is there, or one that fills
the place of a claimed tile."""
_REACH_MM, _EARLY, _ROW = 230.0, 16, 3
"""Faces this near to the median of all show the middle, by this many first ones, and this many in a row."""
_BETWEEN_MM = (150.0, 280.0)
"""Distance between the first rows of two facing rivers."""
_OFF_MM, _FARTHEST_MM = 25.0, 200.0
"""Rivers that begin askew move the middle no further; a larger offset is a shown hand."""
_A_PLACE_MM = 28.0
"""An offset by this much costs as much as one discard in another place."""


def river_place(track: Track, *, sideways: bool = True) -> int | None:
    """Return the place 0 to 3 in whose river a tile rests: the tile is upright for that player, or too askew to say, or, if it may be,
    ``sideways`` to call riichi. None if it is too near to the middle, as a shared tile is, or too far from it."""
    askew = abs(track.angle_deg % 90 - 45) < _ASKEW_DEG
    upright = abs(track.y_mm) > abs(track.x_mm) if askew else abs(track.angle_deg - 90) > 45
    nearest_mm, farthest_mm = _RIVERS_MM if sideways else (_UPRIGHT_MM, _RIVERS_MM[1])
    for level in (upright, not upright) if sideways or askew else (upright,):
        place = (0 if track.y_mm > 0 else 2) if level else (1 if track.x_mm > 0 else 3)
        along, away = seen_from(place, track)
        if nearest_mm < away < farthest_mm and abs(along) < _ASIDE_MM:
            return place
    return None


def rivers_middle(faces: Iterable[Track]) -> tuple[float, float]:
    """Return the middle between the rivers (mm) from the first discards around the middle of all faces; (0, 0) if walls and hands have
    shown it, or two rivers on each axis are not there yet."""
    in_time = sorted(faces, key=lambda track: track.appeared_ms)
    about = [median(spots) for spots in zip(*((track.x_mm, track.y_mm) for track in in_time), strict=True)]
    early = [track for track in in_time if max(abs(track.x_mm - about[0]), abs(track.y_mm - about[1])) < _REACH_MM]
    middle = list[float]()
    for axis in range(2):
        laid = [(track.x_mm, track.y_mm)[axis] for track in early[:_EARLY] if (abs(track.angle_deg - 90) > 45) == bool(axis)]
        ordered = sorted(laid)
        _, parting = max(((high - low, low) for low, high in pairwise(ordered)), default=(0.0, 0.0))
        sides = [spot for spot in laid if spot <= parting][:_ROW], [spot for spot in laid if spot > parting][:_ROW]
        if min(map(len, sides)) < _ROW - 1:
            return 0.0, 0.0
        first, last = map(median, sides)
        if not _BETWEEN_MM[0] < last - first < _BETWEEN_MM[1]:
            return 0.0, 0.0
        middle.append((first + last) / 2)
    return (middle[0], middle[1]) if _OFF_MM < hypot(*middle) < _FARTHEST_MM else (0.0, 0.0)


def learnt_rivers(mat: Mat, discards: Sequence[Track]) -> Iterator[tuple[Track, float, float]]:
    """Yield the discards of rivers that are not at the mat's, each with its way there in the mat's axes (mm). ``discards``: all tiles that
    have been around the middle, in the order in which they were laid."""
    rivers: dict[int, list[Track]] = {}
    for track in discards:
        if (place := river_place(track)) is not None:
            rivers.setdefault(place, []).append(track)
    for place, river in rivers.items():
        slots = np.array([mat.at_own_side(Slot(place, Area.RIVER, index)) for index in range(mat.count(place, Area.RIVER))])
        way = _way(river, np.array([seen_from(place, track) for track in river]), slots)
        if way is not None:
            yield from ((track, *from_own_side(place, *way)) for track in river)


def _way(river: Sequence[Track], points: Points, slots: Points) -> tuple[float, float] | None:
    """Return the way from a seat's discards (n × 2) to the places of its river; None if they fit none, or are there."""
    taken = [sum(other.gone_ms is not None and other.gone_ms <= track.appeared_ms for other in river) for track in river]
    ranges = [range(max(number - lag - 1, 0), number + 2) for number, lag in enumerate(taken[: len(slots) - 1])]
    due = [(slots[each], np.array([1.0 if number == index else _BESIDE for index in each])) for number, each in enumerate(ranges)]
    ways = np.concatenate([places - point for (places, _), point in zip(due[:_FIRST], points, strict=False)])
    scored = [(_fit(points + way, due) - np.hypot(*way) / _A_PLACE_MM, way) for way in ways if np.hypot(*way) <= _MOST_MM]
    best, way = max(scored, key=lambda each: each[0], default=(0.0, None))
    if way is None or len(river) < _LEAST_TILES or best < _LEAST_SHARE * min(len(river), len(slots)):
        return None
    off = [places[np.hypot(*(places - point).T).argmin()] - point for (places, _), point in zip(due, points + way, strict=False)]
    along, away = (way + np.median([each for each in off if np.hypot(*each) < _FITS_MM], axis=0)).tolist()
    return None if np.hypot(along, away) < _THERE_MM else (along, away)


def _fit(points: Points, due: Sequence[tuple[Points, Points]]) -> float:
    """Return how many discards are where they are due; those off it or beside it count less."""
    return sum(
        float((worth * (1 - (np.hypot(*(places - point).T) / _FITS_MM) ** 2)).max(initial=0.0))
        for (places, worth), point in zip(due, points, strict=False)
    )
