"""Places: the cost of a tile's position as a seat's discard, meld, shown hand or shared tile."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import wraps

from controller.recorder import costs
from controller.recorder.tracks import Track
from twinwall.game.tiles import SEATS, Seat
from vision.mat import MELD_SLOTS, Area, Mat, Slot, Spot

_COVERED_SHARE = 0.25
"""A tile is on a place if it covers more than this share of it along each side."""
_NEARER_DEG = 45.0
"""A tile turned by less than this from sideways is nearer to that than to upright."""

_AROUND_RIVER_MM = 16.0
"""A river extends this far beyond its slots on each side."""


_Lying = Track | Spot


def _kept(cost: Callable[[MatPlaces, Seat, int, Spot], float]) -> Callable[[MatPlaces, Seat, int, _Lying], float]:
    """Cache the cost of a place for each millimetre, whatever tile rests there: a path is weighed thousands of times."""

    @wraps(cost)
    def kept(places: MatPlaces, seat: Seat, number: int, lying: _Lying) -> float:
        key = (cost, seat, number, x_mm := round(lying.x_mm), y_mm := round(lying.y_mm))
        known = places.known.get(key)
        if known is None:
            known = places.known[key] = cost(places, seat, number, Spot(x_mm, y_mm, 0.0))
        return known

    return kept


class MatPlaces:
    """The mat as seen from each seat; ``places`` gives the place 0 to 3 of each seat."""

    def __init__(self, places: Mapping[Seat, int], mat: Mat | None = None) -> None:
        self._mat = mat or Mat()
        self._spots: dict[tuple[int, Area, int], tuple[float, float]] = {}
        self.known: dict[tuple[object, ...], float] = {}
        """Cache of costs, by question and position in whole millimetres."""
        self.places = dict(places)
        self.seats = {place: seat for seat, place in places.items()}

    def own_side(self, seat: Seat, track: _Lying) -> tuple[float, float]:
        """Return millimetres to the seat's right of its centre line, and from the centre towards it."""
        return seen_from(self.places[seat], track)

    @_kept
    def river(self, seat: Seat, place: int, track: Spot) -> float:
        """Return the cost of a discard here that is due at a place of the seat's river."""
        apart_mm = self._apart(seat, Area.RIVER, place, track)
        anothers = any(self._in_river(other, track) for other in self.places if other is not seat)
        return costs.in_river(apart_mm, own=self._in_river(seat, track), anothers=anothers)

    def _in_river(self, seat: Seat, track: _Lying) -> bool:
        along, away = self.own_side(seat, track)
        mat = self._mat
        near_mm = mat.river_first_row_mm - _AROUND_RIVER_MM
        far_mm = mat.river_first_row_mm + mat.river_rows * mat.row_pitch_mm + _AROUND_RIVER_MM
        return abs(along) < mat.river_columns * mat.river_pitch_mm / 2 + _AROUND_RIVER_MM and near_mm < away < far_mm

    @_kept
    def meld(self, seat: Seat, group: int, track: Spot) -> float:
        """Return the cost of a tile here as one of the seat's meld of that number."""
        if group * MELD_SLOTS >= self._mat.count(0, Area.MELD):
            return costs.UNEXPLAINED
        slots = range(group * MELD_SLOTS, group * MELD_SLOTS + MELD_SLOTS)
        return costs.about(min(self._apart(seat, Area.MELD, index, track) for index in slots), costs.ASTRAY)

    def hand(self, seat: Seat, track: _Lying) -> float:
        """Return the cost of a tile here as one of the seat's shown hand."""
        return self._in_hand(seat, 0, track)

    @_kept
    def _in_hand(self, seat: Seat, _: int, track: Spot) -> float:
        along, away = self.own_side(seat, track)
        return costs.in_shown_hand(along, away - self._mat.hand_row_mm)

    def from_win_slot(self, seat: Seat, track: Track) -> float:
        """Return the distance (mm) from where a self-drawn winning tile is laid apart."""
        return self._apart(seat, Area.WIN, 0, track)

    @_kept
    def exposed(self, seat: Seat, groups: int, track: Spot) -> float:
        """Return the least cost of a tile here as one of the seat's shown hand or of its first ``groups`` melds."""
        return min(self.hand(seat, track), *(self.meld(seat, group, track) for group in range(groups)))

    def shared(self, index: int, track: Track) -> float:
        """Return the cost of a tile here as the shared tile of that number."""
        x_mm, y_mm = self.shared_spot(index)
        return costs.about(math.hypot(track.x_mm - x_mm, track.y_mm - y_mm), costs.LAID)

    def shared_spot(self, index: int) -> tuple[float, float]:
        return self._spot(0, Area.SHARED, index)

    def spot(self, seat: Seat, area: Area, index: int) -> tuple[float, float]:
        """Return where a seat's tile of this number belongs in an area (mat axes, mm); after the last place, there."""
        return self._spot(self.places[seat], area, min(index, self._mat.count(0, area) - 1))

    def sideways(self, seat: Seat, track: Track, most_deg: float = _NEARER_DEG) -> bool:
        """Whether the tile is sideways as its seat sees it, within ``most_deg``."""
        turn = (track.angle_deg - 90 * self.places[seat]) % 180
        return abs(turn - 90) < most_deg

    def _apart(self, seat: Seat, area: Area, index: int, track: _Lying) -> float:
        x_mm, y_mm = self.spot(seat, area, index)
        return math.hypot(track.x_mm - x_mm, track.y_mm - y_mm)

    def _spot(self, place: int, area: Area, index: int) -> tuple[float, float]:
        key = (place, area, index)
        if key not in self._spots:
            spot = self._mat.spot(Slot(*key))
            self._spots[key] = spot.x_mm, spot.y_mm
        return self._spots[key]


def own_side(place: int, x_mm: float, y_mm: float) -> tuple[float, float]:
    """Return a spot of the mat as the place 0 to 3 sees it: millimetres to the right of its centre line, and from the centre towards it."""
    return ((x_mm, y_mm), (-y_mm, x_mm), (-x_mm, -y_mm), (y_mm, -x_mm))[place]


def seen_from(place: int, track: _Lying) -> tuple[float, float]:
    return own_side(place, track.x_mm, track.y_mm)


def from_own_side(place: int, along_mm: float, away_mm: float) -> tuple[float, float]:
    """The inverse of ``own_side``."""
    return own_side(-place % len(SEATS), along_mm, away_mm)


def all_seats(east_place: int) -> dict[Seat, int]:
    """Return the place of each seat when East sits at ``east_place``."""
    return {seat: (east_place + seat.index) % len(SEATS) for seat in SEATS}


def slots_of(mat: Mat, *areas: Area) -> Iterator[Slot]:
    return (slot for place in range(len(SEATS)) for area in areas for slot in mat.slots(place, area))


def nearest(mat: Mat, slots: Iterable[Slot], track: Track) -> Slot:
    return min(slots, key=lambda slot: math.hypot(*_off(mat, slot, track)))


def beside(mat: Mat, slot: Slot) -> tuple[Slot, ...]:
    """Return a slot and those next to it in its own area: what its picture shows."""
    across, along = mat.at_own_side(slot)
    spots = ((other, mat.at_own_side(other)) for other in mat.slots(slot.place, slot.area))
    near = 1.5 * mat.river_pitch_mm, 1.5 * mat.row_pitch_mm
    return tuple(other for other, (x_mm, y_mm) in spots if abs(x_mm - across) < near[0] and abs(y_mm - along) < near[1])


def is_beside(mat: Mat, slot: Slot, track: Track) -> bool:
    """Whether a tile is on a place of a river, or at most one place off it."""
    across, along = _off(mat, slot, track)
    return across <= mat.river_pitch_mm and along <= mat.row_pitch_mm


def covered_places(mat: Mat, track: Track) -> Iterator[tuple[int, int]]:
    """Yield the places of rivers that a tile covers."""
    most = (1 - _COVERED_SHARE) * mat.tile_width_mm, (1 - _COVERED_SHARE) * mat.tile_height_mm
    for slot in slots_of(mat, Area.RIVER):
        across, along = _off(mat, slot, track)
        if across < most[0] and along < most[1]:
            yield slot.place, slot.index


def _off(mat: Mat, slot: Slot, track: Track) -> tuple[float, float]:
    """Return the distance of a tile from a slot, across and along a tile in that slot."""
    spot = mat.spot(slot)
    off = abs(track.x_mm - spot.x_mm), abs(track.y_mm - spot.y_mm)
    return off if slot.place % 2 == 0 else off[::-1]
