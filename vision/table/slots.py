"""Presence at slots in one frame: the bare mat, one tile that lies flat and whole, or hidden.

A slot is bare only when its middle has the cloth's colour and most of its printed outline can be seen: a sleeve of that
colour hides the outline. A tile is present only when its four sides are proved. All else (a hand, a sleeve, a
standing or half covered tile) is hidden: the slot has not been seen, and another frame may show it.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from twinwall.art.mat import Slot
from vision.table.bare_slots import BareSlots
from vision.table.covering import covered, rim
from vision.table.lens import Matrix, Points
from vision.table.registration import Around, Pose, Registrar
from vision.table.rows import SAME_MM, Lying, Touching, apart, touching
from vision.table.slot_places import SlotPlace
from vision.table.white import coarse_patch, cut, sampled, whiteness_of

_BESIDE_MM = (-9.0, -6.0, -3.0, 3.0, 6.0, 9.0)
"""How far beside a pose others are looked for: a fit moves by 3 mm at most."""
_MOST_ROUNDS = 3
"""How often tiles are looked for that touch those found before."""


class Presence(StrEnum):
    """What a frame shows at a slot."""

    EMPTY = "empty"
    TILE = "tile"
    HIDDEN = "hidden"
    """A hand, a sleeve, or a tile half covered: no whole tile lying flat. The slot has not been seen."""


Found = Pose | Literal[Presence.EMPTY, Presence.HIDDEN]
"""One slot in one frame: how the tile lies that lies there."""


@dataclass(frozen=True, slots=True, eq=False)
class SlotFrame:
    """One frame: where tiles lie on its ``cloth``. A tile is proved if its clearness is ``least_clearness`` or more (0 to 1)."""

    cloth: BareSlots
    registrar: Registrar
    least_clearness: float

    @property
    def _size_mm(self) -> Points:
        return self.cloth.places.tile_size_mm

    def look(self, slots: Sequence[Slot], known: Mapping[Slot, Pose] | None = None) -> dict[Slot, Found]:
        """What lies at each of the slots, of which some are ``known`` to hold a tile that lies so.

        Raises ValueError for a slot that the mat does not have.
        """
        known = known or {}
        tiles = [(self.cloth.places[slot], pose) for slot, pose in known.items()]
        found: dict[Slot, Found] = {place.slot: pose for place, pose in tiles}
        places = [self.cloth.places[slot] for slot in slots if slot not in known]
        cores = dict(zip(places, self.cloth.cores(places), strict=True))
        found |= {place.slot: pose for place, pose in self._rows(_taken(cores), tiles)}
        bare = self.cloth.bare({place: core for place, core in cores.items() if place.slot not in found})
        found |= dict.fromkeys([place.slot for place in bare], Presence.EMPTY)
        doubtful = [place for place, core in cores.items() if place.slot not in found and self.cloth.may_be_bare(place, core)]
        beside = self._beside(doubtful, found, set(slots))
        for place in doubtful:
            leaning = [beside[slot] for slot in place.neighbours if slot in beside]
            found[place.slot] = Presence.EMPTY if self.cloth.bare_beside(place, leaning, cores[place]) else Presence.HIDDEN
        return {slot: found.get(slot, Presence.HIDDEN) for slot in slots}

    def crops(self, slots: Sequence[Slot], poses: Sequence[Pose]) -> NDArray[np.uint8]:
        """The tiles at poses, cut for the network (n × CROP_H × CROP_W × 3); one that lies sideways comes out upright or upside down."""
        planes = [self._to_image(self.cloth.places[slot]) @ pose.to_slot() for slot, pose in zip(slots, poses, strict=True)]
        return cut(self.cloth.image, planes, self._size_mm)

    def uncovered(self, poses: Mapping[Slot, Pose]) -> dict[Slot, Pose]:
        """Those of the tiles at poses over which nothing lies."""
        return {place.slot: pose for place, pose in self._uncovered([(self.cloth.places[slot], pose) for slot, pose in poses.items()])}

    def beside(self, slot: Slot, pose: Pose) -> list[Pose]:
        """The tiles to both sides of a pose, along its width, that are proved to be the slot's own no less clearly than it is."""
        angle = np.deg2rad(pose.angle_deg + (90.0 if pose.sideways else 0.0))
        starts = [
            replace(pose, x_mm=pose.x_mm + off * float(np.cos(angle)), y_mm=pose.y_mm - off * float(np.sin(angle))) for off in _BESIDE_MM
        ]
        place, found = self.cloth.places[slot], list[Pose]()
        for one in self.registrar.again([0] * len(starts), starts, self._around([place])):
            known = (pose, *found)
            if one is not None and one.clearness >= pose.clearness and all(_apart_mm(one, other) > SAME_MM for other in known):
                found.append(one)
        return [one for _, one in self._uncovered([(place, one) for one in found])]

    def _rows(self, places: Sequence[SlotPlace], known: Sequence[Lying]) -> list[Lying]:
        """Those of the places where a tile is proved to lie, with its pose: by itself, or with tiles beside it that it touches, ``known``
        ones among them.

        A pose that lies in another tile's is dropped for the likelier one, and one that lies in a known tile's.
        """
        tiles = apart(self._tiles(places), self._size_mm, known)
        for _ in range(_MOST_ROUNDS):
            lying = [*known, *tiles]
            found = self._touching(touching(places, lying, self._size_mm), {place.slot: pose.likely for place, pose in lying})
            if not found:
                break
            tiles = apart([*tiles, *found], self._size_mm, known)
        return tiles

    def _touching(self, tried: Touching, known: Mapping[Slot, float]) -> list[Lying]:
        """The tiles that are proved where the ones beside them count as cloth, the likeliest of each place and likelier than ``known``."""
        if not tried.starts:
            return []
        around = self._around([place for place, _ in tried.starts])
        around = replace(around, look=tried.look(around.look, self._size_mm))
        poses = self.registrar.again(range(len(tried.starts)), [pose for _, pose in tried.starts], around)
        best = dict[Slot, Lying]()
        for (place, _), pose in zip(tried.starts, poses, strict=True):
            likely = best[place.slot][1].likely if place.slot in best else known.get(place.slot, -math.inf)
            if pose is not None and pose.clearness >= self.least_clearness and pose.likely > likely:
                best[place.slot] = (place, pose)
        return self._uncovered(list(best.values()))

    def _tiles(self, places: Sequence[SlotPlace]) -> list[Lying]:
        """Those of the places where a tile is proved to lie, with its pose."""
        if not places:
            return []
        poses = self.registrar.find(self._around(places))
        proved = [
            (place, pose) for place, pose in zip(places, poses, strict=True) if pose is not None and pose.clearness >= self.least_clearness
        ]
        return self._uncovered(proved)

    def _around(self, places: Sequence[SlotPlace]) -> Around:
        """The frame around places."""
        flanks = np.array([place.flank_mm for place in places])
        sideways = np.array([place.may_lie_sideways for place in places])
        planes = np.stack([self._to_image(place) for place in places])
        cloths = self.cloth.light.cloth_at(np.array([(place.spot.x_mm, place.spot.y_mm) for place in places]))

        def whiteness(numbers: NDArray[np.intp], points: Points) -> NDArray[np.float32]:
            return whiteness_of(self.cloth.light, sampled(self.cloth.image, planes[numbers], points), cloths[numbers][:, None])

        def patches(numbers: NDArray[np.intp]) -> NDArray[np.float32]:
            return np.stack([coarse_patch(self.cloth.light, self.cloth.image, planes[number], cloths[number]) for number in numbers])

        return Around(patches, flanks, sideways, lambda number, middles: places[number].owns(middles), whiteness)

    def _uncovered(self, tiles: list[Lying]) -> list[Lying]:
        """Those of the tiles over which nothing lies: no finger, sleeve or thing."""
        if not tiles:
            return []
        planes = np.stack([self._to_image(place) @ pose.to_slot() for place, pose in tiles])
        points = rim(*self._size_mm.tolist())
        hidden = covered(sampled(self.cloth.image, planes, np.broadcast_to(points, (len(tiles), *points.shape))))
        return [tile for tile, is_hidden in zip(tiles, hidden, strict=True) if not is_hidden]

    def _beside(self, places: Sequence[SlotPlace], found: dict[Slot, Found], asked: set[Slot]) -> dict[Slot, Lying]:
        """The tiles at neighbours of places, by slot: those found already, and others looked for now unless already ``asked`` for."""
        near = {slot for place in places for slot in place.neighbours}
        unknown = [self.cloth.places[slot] for slot in sorted(near - asked)]
        lying = self._tiles(_taken(dict(zip(unknown, self.cloth.cores(unknown), strict=True))))
        known = [(self.cloth.places[slot], one) for slot, one in found.items() if slot in near and isinstance(one, Pose)]
        return {place.slot: (place, pose) for place, pose in (*lying, *known)}

    def _to_image(self, place: SlotPlace) -> Matrix:
        return np.array([(1, 0, -self.cloth.corner[0]), (0, 1, -self.cloth.corner[1]), (0, 0, 1)], np.float64) @ place.plane


def _taken(cores: Mapping[SlotPlace, NDArray[np.bool_]]) -> list[SlotPlace]:
    """The places in whose cores not all is cloth."""
    return [place for place, core in cores.items() if not core.all()]


def _apart_mm(one: Pose, other: Pose) -> float:
    return math.hypot(one.x_mm - other.x_mm, one.y_mm - other.y_mm)
