"""Presence at slots in one frame: the bare mat, one tile that lies flat and whole, or hidden.

A slot is bare only when its middle has the cloth's colour and most of its printed outline can be seen: a sleeve of that
colour hides the outline. A tile is present only when its four sides are proved. All else (a hand, a sleeve, a
standing or half covered tile) is hidden: the slot has not been seen, and another frame may show it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import cv2
import numpy as np
from numpy.typing import NDArray

from twinwall.art.mat import Area, Mat, Slot
from vision.model.crop import CROP_H, CROP_W
from vision.table.covering import covered, rim
from vision.table.gaps import enclosed
from vision.table.lens import Matrix, Points
from vision.table.light import Colours, Light, logarithms
from vision.table.outlines import contrasts, edged, ended, shown, shown_around, uneven, usual
from vision.table.registration import Around, Pose, Registrar
from vision.table.rows import SAME_MM, Lying, Touching, apart, over, seen_from, touching
from vision.table.slot_places import Places, SlotPlace
from vision.table.white import coarse_patch, sampled, warped, whiteness_of

_DARKEST, _LIGHTEST, _MOST_BESIDE = -0.5, 0.36, 0.2
"""Limits of the cloth's colour, as shares of the way to white and beside it."""
_CLOTH_SHARE = 0.9
_PLAINLY_BESIDE = 0.05
"""A core whose mean colour is less far beside the way from cloth to white is plainly cloth: on path-traced tables 16,500 of 16,553 looks
at bare slots were, and none of 56 at backs that had the cloth's colour more or less."""
_NEARLY_BESIDE, _AS_AROUND, _LEAST_AROUND = 0.07, 0.03, 0.3
"""Farther beside it no core is cloth that does not look like it, nor one whose colour differs by more from the cloth's around the slot, of
which so much must be seen. Of backs the first is 0.061 at least, and the second 0.045."""
_SOFT_PX = (3, 3)
"""The square of pixels whose mean is compared with the cloth: in little light one alone is off by noise."""
_BESIDE_MM = (-9.0, -6.0, -3.0, 3.0, 6.0, 9.0)
"""How far beside a pose others are looked for: a fit moves by 3 mm at most."""
_EVEN, _MOST_GLARE, _MOST_GLARE_BESIDE = 0.06, 0.9, 0.35
"""Limits of a reflection on cloth: unevenness, whiteness, and distance beside the way."""
_LEAST_PRINT_SIDES = 2
_PRINT_ROOM = 0.2
"""Limit by which the print may be whiter than the cloth."""
_LEAST_CORE = 0.2
"""Share of a slot's middle that must be free of neighbouring tiles to be told from cloth."""
_LEAST_FREE_OUTLINE = 0.5
"""Share of a slot's outline that must be free of tiles beside it where it is looked for."""
_LEAST_FREE_INSIDE = 0.15
"""Share of what lies just inside a slot's outline that must be free of tiles around it, where nothing reaches between them."""
_READ_WITHOUT_PRINT = 0.05
"""Contrast below which the mat counts as having no printed outlines."""
_LEAST_BARE_SLOTS = 10
_MOST_ROUNDS = 3
"""How often tiles are looked for that touch those found before."""
_OUTLINES_EVERY = 4
"""Every so many slots are sampled to measure the contrast of the mat's print."""


class Presence(StrEnum):
    """What a frame shows at a slot."""

    EMPTY = "empty"
    TILE = "tile"
    HIDDEN = "hidden"
    """A hand, a sleeve, or a tile half covered: no whole tile lying flat. The slot has not been seen."""


@dataclass(frozen=True, slots=True)
class Found:
    """One slot in one frame; ``pose`` where a tile lies there."""

    presence: Presence
    pose: Pose | None = None


_EMPTY, _HIDDEN = Found(Presence.EMPTY), Found(Presence.HIDDEN)


@dataclass(frozen=True, slots=True, eq=False)
class SlotFrame:
    """One frame: its pixels (h × w × 3 BGR), where its first one lies in the whole picture, its light, and where slots are seen.

    ``print_contrast`` is how much lighter or darker the mat's printed outlines usually look (logarithm), 0 where there are none.
    """

    image: NDArray[np.uint8]
    corner: Points
    light: Light
    places: Places
    mat: Mat
    registrar: Registrar
    least_clearness: float
    print_contrast: float

    @property
    def _size_mm(self) -> Points:
        return np.array((self.mat.tile_width_mm, self.mat.tile_height_mm))

    def look(self, slots: Sequence[Slot], known: Mapping[Slot, Pose] | None = None) -> dict[Slot, Found]:
        """What lies at each of the slots, of which some are ``known`` to hold a tile that lies so.

        Raises ValueError for a slot that the mat does not have.
        """
        known = known or {}
        tiles = [(self.places[slot], pose) for slot, pose in known.items()]
        found = {place.slot: Found(Presence.TILE, pose) for place, pose in tiles}
        places = [self.places[slot] for slot in slots if slot not in known]
        bare = self._bare(places)
        taken = [place for place, is_bare in zip(places, bare, strict=True) if not is_bare.all()]
        found |= {place.slot: Found(Presence.TILE, pose) for place, pose in self._rows(taken, tiles)}
        clear = [place for place, is_bare in zip(places, bare, strict=True) if place.slot not in found and is_bare.mean() >= _CLOTH_SHARE]
        outlined = self._outlined([place.slot for place in clear], _LEAST_PRINT_SIDES)
        found |= {place.slot: _EMPTY for place, is_outlined in zip(clear, outlined, strict=True) if is_outlined}
        doubtful = [number for number, place in enumerate(places) if place.slot not in found and self._may_be_bare(place, bare[number])]
        beside = self._beside([places[number] for number in doubtful], found, set(slots))
        for number in doubtful:
            place = places[number]
            leaning = [beside[slot] for slot in place.neighbours if slot in beside]
            found[place.slot] = _EMPTY if self._bare_beside(place, leaning, bare[number]) else _HIDDEN
        return {slot: found.get(slot, _HIDDEN) for slot in slots}

    def _bare_beside(self, place: SlotPlace, tiles: Sequence[Lying], bare: NDArray[np.bool_]) -> bool:
        """Whether a slot is bare beside tiles that may lean over it; ``bare`` tells where its core has the cloth's colour."""
        free = ~over(tiles, place.core_px, self._size_mm)
        if free.mean() < _LEAST_CORE:
            return False
        is_cloth = bool(bare[free].mean() >= _CLOTH_SHARE)
        if not is_cloth and not self._only_glare(place, free):
            return False
        beside_tiles = ~over(tiles, place.print_px[1], self._size_mm)
        least_sides = 0 if is_cloth else _LEAST_PRINT_SIDES
        if self._outlined([place.slot], least_sides, beside_tiles[None], like_cloth=False)[0]:
            return True
        return is_cloth and self._cloth_inside(place, tiles) and enclosed(place, seen_from(place, tiles), self._size_mm)

    def _cloth_inside(self, place: SlotPlace, tiles: Sequence[Lying]) -> bool:
        """Whether there is cloth all along the inside of a slot's outline, where a tile has no marks, as far as no tile covers it."""
        inside_px = place.print_px[-1]
        free = ~over(tiles, inside_px, self._size_mm)
        if free.mean() < _LEAST_FREE_INSIDE:
            return False
        return bool(self._cloth_coloured(inside_px[free], place.print_on_mat_mm[free]).mean() >= _CLOTH_SHARE)

    def crops(self, slots: Sequence[Slot], poses: Sequence[Pose]) -> NDArray[np.uint8]:
        """The tiles at poses, cut for the network (n × CROP_H × CROP_W × 3); one that lies sideways comes out upright or upside down."""
        crops = np.empty((len(slots), CROP_H, CROP_W, 3), np.uint8)
        across, down = self.mat.tile_width_mm / CROP_W, self.mat.tile_height_mm / CROP_H
        to_tile = np.array([(across, 0, (across - self.mat.tile_width_mm) / 2), (0, down, (down - self.mat.tile_height_mm) / 2), (0, 0, 1)])
        for number, (slot, pose) in enumerate(zip(slots, poses, strict=True)):
            crops[number] = warped(self.image, self._to_image(self.places[slot]) @ pose.to_slot() @ to_tile, (CROP_W, CROP_H))
        return crops

    def uncovered(self, poses: Mapping[Slot, Pose]) -> dict[Slot, Pose]:
        """Those of the tiles at poses over which nothing lies."""
        return {place.slot: pose for place, pose in self._uncovered([(self.places[slot], pose) for slot, pose in poses.items()])}

    def beside(self, slot: Slot, pose: Pose) -> list[Pose]:
        """The tiles to both sides of a pose, along its width, that are proved to be the slot's own no less clearly than it is."""
        angle = np.deg2rad(pose.angle_deg + (90.0 if pose.sideways else 0.0))
        starts = [
            replace(pose, x_mm=pose.x_mm + off * float(np.cos(angle)), y_mm=pose.y_mm - off * float(np.sin(angle))) for off in _BESIDE_MM
        ]
        place, found = self.places[slot], list[Pose]()
        for one in self.registrar.again([0] * len(starts), starts, self._around([place])):
            known = (pose, *found)
            if one is not None and one.clearness >= pose.clearness and all(_apart_mm(one, other) > SAME_MM for other in known):
                found.append(one)
        return [one for _, one in self._uncovered([(place, one) for one in found])]

    def outline_contrasts(self, slots: Iterable[Slot]) -> NDArray[np.float64]:
        """How the printed outlines of the slots that look bare differ from the cloth inside of them (logarithm), one number each."""
        places = [self.places[slot] for slot in slots]
        bare = [place for place, is_bare in zip(places, self._bare(places), strict=True) if is_bare.mean() >= _CLOTH_SHARE]
        return np.array([float(contrasts(self._at(place.print_px)).mean()) for place in bare])

    def usual_contrast(self) -> float | None:
        """What ``print_contrast`` is in this frame; None where too few slots look bare."""
        contrasts = self.outline_contrasts(self.places.slots[::_OUTLINES_EVERY])
        return usual(contrasts) if len(contrasts) >= _LEAST_BARE_SLOTS else None

    def outlines_unseen(self, slots: Sequence[Slot], under_tiles: Callable[[Points], NDArray[np.bool_]]) -> list[Slot]:
        """Those of the slots whose printed outline does not show where there seems to be cloth: a sleeve of that colour lies there.

        ``under_tiles`` says which points of the mat (… × 2 mm) lie under tiles that are seen, which may hide the outline of a slot beside.
        A slot of whose outline less than half is free of them is left out, since too little of it is left to tell by. So is a gap between
        tiles on both sides in a river that has a row before it (44 % free): a sleeve of the cloth's colour over it is not noticed.
        """
        free = ~under_tiles(self.places.outlines(slots)[1])
        unseen = ~self._outlined(slots, 0, free) & (free.mean(axis=1) >= _LEAST_FREE_OUTLINE)
        return [slot for slot, is_unseen in zip(slots, unseen, strict=True) if is_unseen]

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
        cloths = self.light.cloth_at(np.array([(place.spot.x_mm, place.spot.y_mm) for place in places]))

        def whiteness(numbers: NDArray[np.intp], points: Points) -> NDArray[np.float32]:
            return whiteness_of(self.light, sampled(self.image, planes[numbers], points), cloths[numbers][:, None])

        def patches(numbers: NDArray[np.intp]) -> NDArray[np.float32]:
            return np.stack([coarse_patch(self.light, self.image, planes[number], cloths[number]) for number in numbers])

        return Around(patches, flanks, sideways, lambda number, middles: places[number].owns(middles), whiteness)

    def _uncovered(self, tiles: list[Lying]) -> list[Lying]:
        """Those of the tiles over which nothing lies: no finger, sleeve or thing."""
        if not tiles:
            return []
        planes = np.stack([self._to_image(place) @ pose.to_slot() for place, pose in tiles])
        points = rim(self.mat.tile_width_mm, self.mat.tile_height_mm)
        hidden = covered(sampled(self.image, planes, np.broadcast_to(points, (len(tiles), *points.shape))))
        return [tile for tile, is_hidden in zip(tiles, hidden, strict=True) if not is_hidden]

    def _beside(self, places: Sequence[SlotPlace], found: dict[Slot, Found], asked: set[Slot]) -> dict[Slot, Lying]:
        """The tiles at neighbours of places, by slot: those found already, and others looked for now, where nobody has ``asked`` yet."""
        near = {slot for place in places for slot in place.neighbours}
        unknown = [self.places[slot] for slot in sorted(near - asked)]
        bare = self._bare(unknown)
        lying = self._tiles([place for place, is_bare in zip(unknown, bare, strict=True) if not is_bare.all()])
        known = [(self.places[slot], one.pose) for slot, one in found.items() if slot in near and one.pose is not None]
        return {place.slot: (place, pose) for place, pose in (*lying, *known)}

    def _bare(self, places: Sequence[SlotPlace]) -> list[NDArray[np.bool_]]:
        """At each point of each place's core: whether it has the cloth's colour."""
        if not places:
            return []
        pixels = np.concatenate([place.core_px for place in places])
        return np.split(self._cloth_coloured(pixels, np.concatenate([place.core_on_mat_mm for place in places])), len(places))

    def _cloth_coloured(self, pixels: Points, points_mm: Points) -> NDArray[np.bool_]:
        """Which pixels of the whole picture (n × 2), at points of the mat (n × 2 mm), have the cloth's colour, by the mean around each."""
        white, beside = self.light.shares(self._softly_at(pixels), self.light.cloth_at(points_mm))
        return np.asarray((white > _DARKEST) & (white < _LIGHTEST) & (beside < _MOST_BESIDE))

    def _may_be_bare(self, place: SlotPlace, bare: NDArray[np.bool_]) -> bool:
        """Whether it is worth looking for tiles beside a slot, which may lean over it, or for a reflection."""
        return bool(bare.mean() >= _LEAST_CORE * _CLOTH_SHARE) or self._only_glare(place, np.ones(len(bare), np.bool_))

    def _only_glare(self, place: SlotPlace, free: NDArray[np.bool_]) -> bool:
        """Whether what is lighter than cloth in a slot's middle changes as evenly as a reflection does; its outline must show as well."""
        if abs(self.print_contrast) < _READ_WITHOUT_PRINT:
            return False
        white, beside = self.light.shares(self._at(place.core_px[free]), self.light.cloth_at(place.core_on_mat_mm[free]))
        plane = np.column_stack((place.core_mm[free], np.ones(len(white))))
        left = white - plane @ np.linalg.lstsq(plane, white, rcond=None)[0]
        return bool(left.std() < _EVEN and white.min() > _DARKEST and white.max() < _MOST_GLARE and beside.max() < _MOST_GLARE_BESIDE)

    def _outlined(
        self, slots: Sequence[Slot], least_sides: int, free: NDArray[np.bool_] | None = None, *, like_cloth: bool = True
    ) -> NDArray[np.bool_]:
        """Of slots (m), whether the mat's print is seen on every side on which there is cloth, and on so many sides at least: where the
        cloth is unevenly lit a side may be left out, but two of them must show. Three that show clearly are enough where no tile lies
        face down; where fewer do, the middle must plainly be cloth, since the sides of a tile on its face may look like print.

        ``free`` (m × n) says where no tile beside a slot covers its outline: tiles that are seen themselves. Looked at is what is free, and
        unless ``like_cloth`` is false, what looks like cloth.
        """
        if not slots or abs(self.print_contrast) < _READ_WITHOUT_PRINT:
            return np.ones(len(slots), np.bool_)
        print_px, print_on_mat_mm = self.places.outlines(slots)
        pixels = self._at(print_px)
        free = np.ones((len(slots), pixels.shape[2]), np.bool_) if free is None else free
        cloth = self.light.cloth_at(print_on_mat_mm.reshape(-1, 2)).reshape(*print_on_mat_mm.shape[:2], 3)
        is_cloth = self._like_cloth(pixels[:, 1:], cloth[:, None]).all(axis=1)
        seen = contrasts(pixels) / self.print_contrast
        ends = ended(pixels, free, float(self.light.white.mean()))
        no_edge = ~edged(seen, free)
        no_edge[~no_edge] = [self._plainly_cloth(self.places[slots[number]]) for number in np.flatnonzero(~no_edge).tolist()]
        if like_cloth:
            free = free & is_cloth
        evenly_lit = is_cloth & ~uneven(pixels, self.print_contrast)
        found = shown(seen, free, least_sides) | shown(seen, free & evenly_lit, _LEAST_PRINT_SIDES)
        clear = shown_around(seen, free)
        nearly = found & ~clear
        found[nearly] = [self._plainly_cloth(self.places[slots[number]]) for number in np.flatnonzero(nearly).tolist()]
        around = (~found | ends) & clear
        found[around] = [self._holds_no_back(self.places[slots[number]]) for number in np.flatnonzero(around).tolist()]
        return no_edge & (~ends | around) & found

    def _plainly_cloth(self, place: SlotPlace) -> bool:
        """Whether a slot's core has the cloth's colour in the mean, which noise leaves alone, not nearly so, as a tile's back may: or has
        the colour of the cloth outside of the slot, between tiles that reflect on both."""
        core = self._off_cloth(place.core_px, place.core_on_mat_mm)
        beside = self.light.beside_of(core)
        if beside < _PLAINLY_BESIDE:
            return True
        is_cloth = self._cloth_coloured(place.print_px[0], place.print_on_mat_mm)
        if place.slot.area is Area.MELD or beside >= _NEARLY_BESIDE or is_cloth.mean() < _LEAST_AROUND:
            return False
        around = self._off_cloth(place.print_px[0][is_cloth], place.print_on_mat_mm[is_cloth])
        return self.light.beside_of(core - around) < _AS_AROUND

    def _off_cloth(self, pixels: Points, points_mm: Points) -> Colours:
        """By how much pixels are off the cloth's colour in the mean: 3 logarithms."""
        return np.asarray((logarithms(self._softly_at(pixels)) - self.light.cloth_at(points_mm)).mean(axis=0))

    def _holds_no_back(self, place: SlotPlace) -> bool:
        """Whether no tile lies at a slot face down, with a back of nearly the cloth's colour and edges like print."""
        return place.slot.area is not Area.MELD and self._plainly_cloth(place)

    def _like_cloth(self, pixels: NDArray[np.uint8], cloth: NDArray[np.float32]) -> NDArray[np.bool_]:
        white, beside = self.light.shares(pixels, cloth)
        return np.asarray((white > _DARKEST) & (white < _LIGHTEST + _PRINT_ROOM) & (beside < _MOST_BESIDE))

    def _at(self, pixels: Points) -> NDArray[np.uint8]:
        """The pixels nearest to points of the whole picture (… × 2): … × 3."""
        at = np.rint(pixels - self.corner).astype(np.intp)
        x, y = np.clip(at[..., 0], 0, self.image.shape[1] - 1), np.clip(at[..., 1], 0, self.image.shape[0] - 1)
        return np.asarray(self.image[y, x])

    def _softly_at(self, pixels: Points) -> NDArray[np.uint8]:
        """As ``_at``, but the mean around each pixel; only the part of the picture that is asked for is softened."""
        most = np.array(self.image.shape[1::-1]) - 1
        left, top = np.clip(np.floor(pixels.min(axis=0) - self.corner) - 2, 0, most).astype(int)
        right, bottom = np.clip(np.ceil(pixels.max(axis=0) - self.corner) + 2, 0, most).astype(int) + 1
        soft = cv2.blur(self.image[top:bottom, left:right], _SOFT_PX)
        return replace(self, image=np.asarray(soft, np.uint8), corner=self.corner + np.array((left, top)))._at(pixels)

    def _to_image(self, place: SlotPlace) -> Matrix:
        return np.array([(1, 0, -self.corner[0]), (0, 1, -self.corner[1]), (0, 0, 1)], np.float64) @ place.plane


def _apart_mm(one: Pose, other: Pose) -> float:
    return math.hypot(one.x_mm - other.x_mm, one.y_mm - other.y_mm)
