"""Usual places: discards, melds and shown hands of a table without a mat, moved to the mat's places, where the decoder expects them. The
rivers show the middle between them, and each how far its discards are from the mat's places.

At home rivers begin elsewhere, and people lay melds into the corner at their right and show a hand where it stood. Tiles near the mat's
places stay. The first meld of each seat becomes the mat's first, and a shown hand moves into the mat's row.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from math import dist, hypot
from statistics import median

import numpy as np

from controller.recorder.places import from_own_side, nearest, seen_from
from controller.recorder.tracks import SAME_PLACE_MM, Track, TrackList, covers, squares_below
from twinwall.game.tiles import SEATS, Suit
from twinwall.values import frozen
from vision.mat import MELD_SLOTS, Area, Mat, Slot
from vision.mat_observation import MatObservation, ObservedTile
from vision.table.lens import Points

_OUTER_MM = 240.0
"""Rivers end nearer to the middle."""
_LIES_MS, _TOGETHER_MS = 1500, 3000
"""A tile picked up again sooner was not laid; tiles laid within ``_TOGETHER_MS`` are one meld or hand."""
_FITS_MM = 45.0
"""A meld or hand that is on average this near its place on the mat stays."""
_ASIDE_MM = 30.0
"""A single tile further than this from the places of melds is a winning tile."""
_BESIDE_MM = 120.0
"""Most distance between neighbours of one meld."""
_TWO_SEEN, _APART_MM = 2, 45.0
"""Only two tiles of a meld may be seen; if they are this far apart, another one is between them."""
_MELDS = 4
_HALF_HAND_MM, _HALF_TILE_MM = 200.0, 13.0
_FIRST_SHARED = 10
"""Number of the shared place at which the first tile is turned up."""
_LEAST_HAND, _GAPS = 4, (1.25, 1.75)
"""Least tiles of a shown hand, and the gap to its winning tile as a multiple of its other gaps; a wider gap hides a tile."""


@frozen
class _Moved:
    """A tile and its offset."""

    track: Track
    x_mm: float
    y_mm: float

    def has(self, x_mm: float, y_mm: float, at_ms: int) -> bool:
        """Whether a tile seen here at this time is this one."""
        track = self.track
        near = abs(track.x_mm - x_mm) < SAME_PLACE_MM and abs(track.y_mm - y_mm) < SAME_PLACE_MM
        return near and track.appeared_ms <= at_ms and (track.gone_ms is None or at_ms <= track.gone_ms)


class UsualPlaces:
    """The moved tiles of one hand; in some rules tiles are turned up around the middle."""

    def __init__(self, observations: Sequence[MatObservation], *, turned_up: bool) -> None:
        self._mat, self._observations = Mat(), observations
        tracks = TrackList()
        for observation in observations:
            tracks.see(observation)
        lie = (track for track in tracks.all.values() if track.rests and (track.gone_ms is None or track.lain_ms >= _LIES_MS))
        outer, inner = list[Track](), list[Track]()
        for track in lie:
            (outer if max(abs(track.x_mm), abs(track.y_mm)) > _OUTER_MM else inner).append(track)
        discards = sorted((track for track in inner if track.face_up), key=lambda track: track.appeared_ms)
        backs = [track for track in outer if not track.face_up]
        outer = [track for track in outer if track.face_up or not _was_taken(track, backs, discards)]
        seats: dict[int, list[Track]] = {}
        for track in outer:
            seats.setdefault(_place(track, outer), []).append(track)
        self._moved = [_Moved(*each) for each in learnt_rivers(self._mat, discards)]
        if turned_up:
            self._moved += self._shared([track for track in discards if river_place(track) is None])
        self._moved += (moved for place, laid in seats.items() for moved in self._of_seat(place, laid))
        self._at = np.array([(one.track.x_mm, one.track.y_mm) for one in self._moved]).reshape(-1, 2)

    def laid(self) -> Iterator[MatObservation]:
        """Yield the observations with the tiles at their usual places."""
        for observation in self._observations:
            tiles = tuple(self._tiles(observation))
            hidden = (one for one in self._moved if one.has(one.track.x_mm, one.track.y_mm, observation.at_ms))
            under = [one for one in hidden if covers(observation.covered, one.track.x_mm, one.track.y_mm)]
            covered = observation.covered.union(*(squares_below(one.track.x_mm + one.x_mm, one.track.y_mm + one.y_mm) for one in under))
            yield replace(observation, tiles=tiles, covered=covered)

    def seen_at(self, x_mm: float, y_mm: float) -> tuple[float, float]:
        """Return where the camera sees what is at a usual place."""
        for one in self._moved:
            if abs(one.track.x_mm + one.x_mm - x_mm) + abs(one.track.y_mm + one.y_mm - y_mm) < SAME_PLACE_MM:
                return one.track.x_mm, one.track.y_mm
        return x_mm, y_mm

    def _tiles(self, observation: MatObservation) -> Iterator[ObservedTile]:
        seen = np.array([(tile.x_mm, tile.y_mm) for tile in observation.tiles]).reshape(-1, 2)
        near = (np.abs(seen[:, None] - self._at) < SAME_PLACE_MM).all(axis=2)
        for tile, row in zip(observation.tiles, near, strict=True):
            ways = (self._moved[number] for number in np.flatnonzero(row))
            moved = next((one for one in ways if one.has(tile.x_mm, tile.y_mm, observation.at_ms)), None)
            yield tile if moved is None else replace(tile, x_mm=tile.x_mm + moved.x_mm, y_mm=tile.y_mm + moved.y_mm)

    def _shared(self, inner: Sequence[Track]) -> Iterator[_Moved]:
        """Yield the tiles turned up around the middle: the first is at the first shared place, as seen from one of the sides."""
        away = from_first_shared(inner[0]) if inner else [0.0]
        place = away.index(min(away))
        for track in inner if place else ():
            x_mm, y_mm = seen_from(place, track)
            yield _Moved(track, x_mm - track.x_mm, y_mm - track.y_mm)

    def _of_seat(self, place: int, laid: Sequence[Track]) -> Iterator[_Moved]:
        """Yield the moved tiles among a seat's outer tiles, in the order in which they were laid."""
        melds = list[list[Track]]()
        for group in _together(laid):
            beside = next((meld for meld in melds if len(meld) < MELD_SLOTS and len(group) == 1 and _near(meld, group[0])), None)
            if beside is not None:
                beside += group
            elif _is_meld(group) and len(melds) < _MELDS:
                melds.append(group)
            elif len(group) > 1:
                yield from self._shown(place, group)
            else:
                yield from self._won(place, group[0])
        for number, meld in enumerate(melds):
            yield from self._meld(place, number, meld)

    def _meld(self, place: int, number: int, meld: Sequence[Track]) -> Iterator[_Moved]:
        slots = [Slot(place, Area.MELD, MELD_SLOTS * number + index) for index in range(MELD_SLOTS)]
        along = [seen_from(place, track)[0] for track in meld]
        if len(meld) == _TWO_SEEN and abs(along[1] - along[0]) > _APART_MM:
            del slots[1]  # the tile between them is hidden
        if np.mean([self._off_mm(nearest(self._mat, slots, track), track) for track in meld]) < _FITS_MM:
            return
        first = sorted(meld[:3], key=lambda track: seen_from(place, track)[0])
        for slot, track in zip(slots, (*first, *meld[3:]), strict=False):
            yield self._to(slot, track)

    def _shown(self, place: int, hand: Sequence[Track]) -> Iterator[_Moved]:
        won = _laid_apart(place, hand)
        if won is not None:
            hand = [track for track in hand if track is not won]
            yield self._to(Slot(place, Area.WIN, 0), won)
        along, away = np.array([seen_from(place, track) for track in hand]).T
        off = float(np.median(away)) - self._mat.hand_row_mm
        aside = float((along.min() + along.max()) / 2) if np.abs(along).max() > _HALF_HAND_MM else 0.0
        if abs(off) < _FITS_MM and not aside:
            return
        x_mm, y_mm = from_own_side(place, -aside, -off)
        yield from (_Moved(track, x_mm, y_mm) for track in hand)

    def _won(self, place: int, tile: Track) -> Iterator[_Moved]:
        """Yield a winning tile laid apart before the hand is shown."""
        meld = nearest(self._mat, self._mat.slots(place, Area.MELD), tile)
        if seen_from(place, tile)[1] - self._mat.hand_row_mm > _FITS_MM and self._off_mm(meld, tile) > _ASIDE_MM:
            yield self._to(Slot(place, Area.WIN, 0), tile)

    def _to(self, slot: Slot, track: Track) -> _Moved:
        spot = self._mat.spot(slot)
        return _Moved(track, spot.x_mm - track.x_mm, spot.y_mm - track.y_mm)

    def _off_mm(self, slot: Slot, track: Track) -> float:
        spot = self._mat.spot(slot)
        return float(np.hypot(spot.x_mm - track.x_mm, spot.y_mm - track.y_mm))


def from_first_shared(track: Track) -> list[float]:
    """Return how far a tile is from where the first one is turned up, as seen from each of the four sides (mm)."""
    spot = Mat().at_own_side(Slot(0, Area.SHARED, _FIRST_SHARED))
    return [dist(seen_from(place, track), spot) for place in range(len(SEATS))]


def _together(laid: Sequence[Track]) -> list[list[Track]]:
    """Return the tracks in groups laid together, side by side, in the order of time."""
    groups = list[list[Track]]()
    for track in laid:
        apart, together = list[list[Track]](), [track]
        for group in groups:
            if any(_laid_beside(each, track) for each in group):
                together += group
            else:
                apart.append(group)
        groups = [*apart, together]
    in_time = (sorted(group, key=lambda each: each.appeared_ms) for group in groups)
    return sorted(in_time, key=lambda group: group[0].appeared_ms)


def _laid_apart(place: int, hand: Sequence[Track]) -> Track | None:
    """Return the winning tile at an end of a shown hand of one or two rows, which people lay a little apart; None without one."""
    ordered = sorted(hand, key=lambda track: seen_from(place, track)[0])
    gaps = np.diff([seen_from(place, track)[0] for track in ordered])
    beside = gaps[gaps > _HALF_TILE_MM]
    for end in (0, -1) if len(hand) >= _LEAST_HAND and beside.size else ():
        if _GAPS[0] < gaps[end] / np.median(beside) < _GAPS[1]:
            return ordered[end]
    return None


def _is_meld(group: Sequence[Track]) -> bool:
    """Whether tiles laid together are a pung, chow or kong; a tile in doubt may be any kind."""
    if len(group) not in (_TWO_SEEN, 3, MELD_SLOTS):
        return False
    read = [
        track.evidence for track in group if track.face_up and (track.evidence.frames if len(group) == MELD_SLOTS else track.evidence.sure)
    ]
    kinds = sorted({evidence.likeliest for evidence in read})
    if len(kinds) <= 1:
        return True
    return len(group) <= 3 and kinds[-1] - kinds[0] <= 2 and kinds[0].suit is kinds[-1].suit is not Suit.HONOURS


def _near(meld: Sequence[Track], track: Track) -> bool:
    return any(abs(each.x_mm - track.x_mm) + abs(each.y_mm - track.y_mm) < 2 * _FITS_MM for each in meld)


def _place(track: Track, laid: Sequence[Track]) -> int:
    """Return the place 0 to 3 of the seat that laid a tile and those beside it: in a corner a row is parallel to its seat's side."""
    at = np.array([(each.x_mm, each.y_mm) for each in laid if _laid_beside(each, track)])
    x_mm, y_mm = at.mean(axis=0).tolist()
    across, along = np.ptp(at, axis=0).tolist()
    level = abs(y_mm) >= abs(x_mm)
    if len(at) > 1 and min(abs(x_mm), abs(y_mm)) > _OUTER_MM:
        level = across > along
    if level:
        return 0 if y_mm > 0 else 2
    return 1 if x_mm > 0 else 3


def _was_taken(back: Track, backs: Sequence[Track], inner: Sequence[Track]) -> bool:
    """Whether a back was gone, and no other came to its place, while discards were laid: it was a wall's or a hand's, since a concealed
    kong stays."""
    laid_ms = max((track.appeared_ms for track in inner if river_place(track) is not None and track.gone_ms is None), default=0)
    again = any(each is not back and each.appeared_ms >= (back.gone_ms or 0) and _at_one_place(each, back) for each in backs)
    return back.gone_ms is not None and back.gone_ms < laid_ms and not again


def _at_one_place(one: Track, other: Track) -> bool:
    return abs(one.x_mm - other.x_mm) < SAME_PLACE_MM and abs(one.y_mm - other.y_mm) < SAME_PLACE_MM


def _laid_beside(one: Track, other: Track) -> bool:
    near = np.hypot(one.x_mm - other.x_mm, one.y_mm - other.y_mm) < _BESIDE_MM
    return bool(near and abs(one.appeared_ms - other.appeared_ms) <= _TOGETHER_MS)


_LEAST_TILES, _LEAST_SHARE = 4, 0.4
"""Least number and share of discards that must fit the rows of a river."""
_RIVERS_MM, _BESIDE_RIVER_MM = (82.0, 250.0), 140.0
"""Discards are laid between these distances from the middle, and at most this far aside."""
_UPRIGHT_MM = 60.0
"""An upright discard is at least this far from the middle, if none is laid sideways: a nearer one would be another seat's, sideways."""
_ASKEW_DEG = 20.0
"""A tile turned by less than this from halfway between upright and sideways may be either."""
_AT_PLACE_MM, _MOST_MM = 14.0, 45.0
"""A discard this near a place is at that place; rivers are at most ``_MOST_MM`` off the mat's."""
_THERE_MM = 5.0
"""A river this near the mat's is not moved."""
_FIRST, _NEXT_PLACE = 8, 0.7
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
        if nearest_mm < away < farthest_mm and abs(along) < _BESIDE_RIVER_MM:
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
    due = [(slots[each], np.array([1.0 if number == index else _NEXT_PLACE for index in each])) for number, each in enumerate(ranges)]
    ways = np.concatenate([places - point for (places, _), point in zip(due[:_FIRST], points, strict=False)])
    scored = [(_fit(points + way, due) - np.hypot(*way) / _A_PLACE_MM, way) for way in ways if np.hypot(*way) <= _MOST_MM]
    best, way = max(scored, key=lambda each: each[0], default=(0.0, None))
    if way is None or len(river) < _LEAST_TILES or best < _LEAST_SHARE * min(len(river), len(slots)):
        return None
    off = [places[np.hypot(*(places - point).T).argmin()] - point for (places, _), point in zip(due, points + way, strict=False)]
    along, away = (way + np.median([each for each in off if np.hypot(*each) < _AT_PLACE_MM], axis=0)).tolist()
    return None if np.hypot(along, away) < _THERE_MM else (along, away)


def _fit(points: Points, due: Sequence[tuple[Points, Points]]) -> float:
    """Return how many discards are where they are due; those off it or beside it count less."""
    return sum(
        float((worth * (1 - (np.hypot(*(places - point).T) / _AT_PLACE_MM) ** 2)).max(initial=0.0))
        for (places, worth), point in zip(due, points, strict=False)
    )
