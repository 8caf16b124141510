"""Bare slots of one frame: the middle has the cloth's colour, and most of the printed outline is seen.

A sleeve of that colour hides the outline. The core of a slot are points in its middle, of which any tile of its own covers most. A gap is
a slot among proved tiles so close that no arm reaches it without lying over one of these, whatever their sides hide of its outline.
"""

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from twinwall.art.mat import Area, Slot
from twinwall.values import frozen_identity
from vision.sampling import nearest
from vision.table.lens import Points
from vision.table.light import Colours, Light, logarithms
from vision.table.outlines import clear_sides, contrasts, edged, ended, shown, shown_but_for_one_side, uneven, usual
from vision.table.slot_places import Places, SlotPlace, on_mat
from vision.table.tile_pose import TilePose, over, under

_AROUND_MM = 6.0
"""So far around a slot's outline tiles must lie."""
_STEP_MM = 2.0
_WIDEST_WAY_MM = 65.0
"""How far apart tiles may lie around it: one side of the slot may be open. Sleeves are wider."""


def enclosed(place: SlotPlace, tiles: Sequence[TilePose], size_mm: Points) -> bool:
    """Whether tiles around a slot of a river leave no way to it for an arm.

    Elsewhere tiles lie face down, and their backs may look like cloth: there it is never decided.
    """
    if place.slot.area is not Area.RIVER:
        return False
    is_open = (~under(tiles, size_mm, on_mat(place.spot, _ring(size_mm)))).tolist()
    longest = max((len(list(run)) for way, run in itertools.groupby(is_open + is_open) if way), default=0)
    return longest * _STEP_MM < _WIDEST_WAY_MM


def _ring(size_mm: Points) -> Points:
    """Points (n × 2 mm) once around a slot, one after the other."""
    x, y = size_mm / 2 + _AROUND_MM
    across, down = np.arange(-x, x, _STEP_MM), np.arange(-y, y, _STEP_MM)
    sides = ((across, np.full_like(across, -y)), (np.full_like(down, x), down), (-across, np.full_like(across, y)))
    return np.concatenate([np.stack(side, axis=1) for side in (*sides, (np.full_like(down, -x), -down))])


_DARKEST, _LIGHTEST, _MOST_BESIDE = -0.5, 0.36, 0.2
"""Limits of the cloth's colour, as shares of the way to white and beside it."""
_CLOTH_SHARE = 0.9
_PLAINLY_BESIDE = 0.05
"""A core whose mean colour is less far beside the way from cloth to white is plainly cloth: on path-traced tables 16,500 of 16,553 looks
at bare slots were, and none of 56 at backs that had the cloth's colour more or less."""
_NEARLY_BESIDE, _AS_AROUND, _LEAST_AROUND = 0.07, 0.03, 0.3
"""Outside of melds a core that lies less far beside than the first counts as well if its colour differs by less than the second from that
of the cloth around the slot, of which the third at least is seen. Backs lie 0.061 beside at least, and differ by 0.045 at least."""
_SOFT_PX = (3, 3)
"""The square of pixels whose mean is compared with the cloth: in little light one alone is off by noise."""
_EVEN, _MOST_GLARE, _MOST_GLARE_BESIDE = 0.06, 0.9, 0.35
"""Limits of a reflection on cloth: unevenness, whiteness, and distance beside the way."""
_LEAST_PRINT_SIDES, _CLEAR_SIDES = 2, 3
_PRINT_ROOM = 0.2
"""Limit by which the print may be whiter than the cloth."""
_LEAST_CORE = 0.2
"""Share of a slot's middle that must be free of neighbouring tiles to be distinguished from cloth."""
_LEAST_FREE_OUTLINE = 0.5
"""Share of a slot's outline that must be free of tiles beside it where it is looked for."""
_LEAST_FREE_INSIDE = 0.15
"""Share of what lies just inside a slot's outline that must be free of tiles around it, where nothing reaches between them."""
_READ_WITHOUT_PRINT = 0.05
"""Contrast below which the mat counts as having no printed outlines."""
_LEAST_BARE_SLOTS = 10
_OUTLINES_EVERY = 4
"""One slot in this many is sampled to measure the contrast of the mat's print."""


@frozen_identity
class BareSlots:
    """One frame: its pixels (h × w × 3 BGR), where its first one lies in the whole picture, its light, and where slots are seen.

    ``print_contrast`` is how much lighter or darker the mat's printed outlines usually look (logarithm), 0 where there are none.
    """

    image: NDArray[np.uint8]
    corner: Points
    light: Light
    places: Places
    print_contrast: float = 0.0

    @property
    def _size_mm(self) -> Points:
        return self.places.tile_size_mm

    def cores(self, places: Sequence[SlotPlace]) -> list[NDArray[np.bool_]]:
        """At each point of each place's core: whether it has the cloth's colour."""
        if not places:
            return []
        pixels = np.concatenate([place.core_px for place in places])
        return np.split(self._cloth_coloured(pixels, np.concatenate([place.core_on_mat_mm for place in places])), len(places))

    def bare(self, cores: Mapping[SlotPlace, NDArray[np.bool_]]) -> list[SlotPlace]:
        """Those of the places, with their cores, whose middle has the cloth's colour and whose printed outline is seen."""
        clear = [place for place, core in cores.items() if core.mean() >= _CLOTH_SHARE]
        outlined = self._outlined([place.slot for place in clear], _LEAST_PRINT_SIDES)
        return [place for place, is_outlined in zip(clear, outlined, strict=True) if is_outlined]

    def may_be_bare(self, place: SlotPlace, bare: NDArray[np.bool_]) -> bool:
        """Whether it is worth looking for tiles beside a slot, which may lean over it, or for a reflection."""
        return bool(bare.mean() >= _LEAST_CORE * _CLOTH_SHARE) or self._only_glare(place, np.ones(len(bare), np.bool_))

    def bare_beside(self, place: SlotPlace, tiles: Sequence[TilePose], bare: NDArray[np.bool_]) -> bool:
        """Whether a slot is bare beside tiles that may lean over it; ``bare`` tells where its core has the cloth's colour."""
        free = ~over(tiles, place.core_px, self._size_mm)
        if free.mean() < _LEAST_CORE:
            return False
        is_cloth = bool(bare[free].mean() >= _CLOTH_SHARE)
        if not is_cloth and not self._only_glare(place, free):
            return False
        beside_tiles = ~over(tiles, place.print_px[1], self._size_mm)
        least_sides = 0 if is_cloth else _LEAST_PRINT_SIDES
        if self._outlined([place.slot], least_sides, beside_tiles[None], like_cloth=False, core=free)[0]:
            return True
        return is_cloth and self._cloth_inside(place, tiles) and enclosed(place, tiles, self._size_mm)

    def outline_contrasts(self, slots: Iterable[Slot]) -> NDArray[np.float64]:
        """How the printed outlines of the slots that look bare differ from the cloth inside of them (logarithm), one number each."""
        places = [self.places[slot] for slot in slots]
        bare = [place for place, is_bare in zip(places, self.cores(places), strict=True) if is_bare.mean() >= _CLOTH_SHARE]
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
        unseen = ~self._outlined(slots, 0, free, backs=False) & (free.mean(axis=1) >= _LEAST_FREE_OUTLINE)
        return [slot for slot, is_unseen in zip(slots, unseen, strict=True) if is_unseen]

    def _cloth_inside(self, place: SlotPlace, tiles: Sequence[TilePose]) -> bool:
        """Whether there is cloth all along the inside of a slot's outline, where a tile has no marks, as far as no tile covers it."""
        inside_px = place.print_px[-1]
        free = ~over(tiles, inside_px, self._size_mm)
        if free.mean() < _LEAST_FREE_INSIDE:
            return False
        return bool(self._cloth_coloured(inside_px[free], place.print_on_mat_mm[free]).mean() >= _CLOTH_SHARE)

    def _cloth_coloured(self, pixels: Points, points_mm: Points) -> NDArray[np.bool_]:
        """Which pixels of the whole picture (n × 2), at points of the mat (n × 2 mm), have the cloth's colour, by the mean around each."""
        white, beside = self.light.shares(self._softly_at(pixels), self.light.cloth_at(points_mm))
        return np.asarray((white > _DARKEST) & (white < _LIGHTEST) & (beside < _MOST_BESIDE))

    def _only_glare(self, place: SlotPlace, free: NDArray[np.bool_]) -> bool:
        """Whether what is lighter than cloth in a slot's middle changes as evenly as a reflection does; its outline must show as well."""
        if abs(self.print_contrast) < _READ_WITHOUT_PRINT:
            return False
        white, beside = self.light.shares(self._at(place.core_px[free]), self.light.cloth_at(place.core_on_mat_mm[free]))
        plane = np.column_stack((place.core_mm[free], np.ones(len(white))))
        left = white - plane @ np.linalg.lstsq(plane, white, rcond=None)[0]
        return bool(left.std() < _EVEN and white.min() > _DARKEST and white.max() < _MOST_GLARE and beside.max() < _MOST_GLARE_BESIDE)

    def _outlined(
        self,
        slots: Sequence[Slot],
        least_sides: int,
        free: NDArray[np.bool_] | None = None,
        *,
        like_cloth: bool = True,
        backs: bool = True,
        core: NDArray[np.bool_] | None = None,
    ) -> NDArray[np.bool_]:
        """Of slots (m), whether the mat's print is seen on every side on which there is cloth, and on at least that many sides: where the
        cloth is unevenly lit a side may be left out, but two of them must show. Three that show clearly are enough where no tile lies
        face down, since a tile beside may shade the fourth, and two of three where there is cloth all around; where fewer do, the middle
        must plainly be cloth, since the sides of a tile on its face may look like print.

        ``free`` (m × n) says where no tile beside a slot covers its outline: tiles that are seen themselves. Looked at is what is free, and
        unless ``like_cloth`` is false, what looks like cloth.
        ``backs`` asks for the middle where fewer than three sides show clearly; ``core`` says where no tile lies over that of the one slot.
        """
        if not slots or abs(self.print_contrast) < _READ_WITHOUT_PRINT:
            return np.ones(len(slots), np.bool_)
        print_px, print_on_mat_mm = self.places.outlines(slots)
        pixels = self._at(print_px)
        free = np.ones((len(slots), pixels.shape[2]), np.bool_) if free is None else free
        cloth = self.light.cloth_at(print_on_mat_mm.reshape(-1, 2)).reshape(*print_on_mat_mm.shape[:2], 3)
        is_cloth = self._like_cloth(pixels[:, 1:], cloth[:, None]).all(axis=1)
        all_cloth: NDArray[np.bool_] = np.count_nonzero(is_cloth & free, axis=1) >= _CLOTH_SHARE * np.count_nonzero(free, axis=1)
        seen = contrasts(pixels) / self.print_contrast
        ends = ended(pixels, free, float(self.light.white.mean()))
        no_edge = ~edged(seen, free)
        no_edge[~no_edge] = [self._plainly_cloth(self.places[slots[number]]) for number in np.flatnonzero(~no_edge).tolist()]
        if like_cloth:
            free = free & is_cloth
        evenly_lit = is_cloth & ~uneven(pixels, self.print_contrast)
        found = shown(seen, free, least_sides) | shown(seen, free & evenly_lit, _LEAST_PRINT_SIDES)
        sides = clear_sides(seen, free)
        clear = sides >= _CLEAR_SIDES
        nearly = found & ~clear & backs
        found[nearly] = [self._cloth_or_as_around(self.places[slots[n]], core, free[n]) for n in np.flatnonzero(nearly).tolist()]
        but_one = all_cloth & ~ends & backs & (sides >= _LEAST_PRINT_SIDES)
        if but_one.any():
            but_one[but_one] = shown_but_for_one_side(seen[but_one], free[but_one], _LEAST_PRINT_SIDES)
        around = (~found | ends) & (clear | but_one)
        found[around] = [self._holds_no_back(self.places[slots[number]]) for number in np.flatnonzero(around).tolist()]
        return no_edge & (~ends | around) & found

    def _plainly_cloth(self, place: SlotPlace) -> bool:
        """Whether a slot's core has the cloth's colour in the mean, which noise leaves alone, and not nearly so, as a tile's back may."""
        return self.light.beside_of(self._off_cloth(place.core_px, place.core_on_mat_mm)) < _PLAINLY_BESIDE

    def _cloth_or_as_around(self, place: SlotPlace, core: NDArray[np.bool_] | None, outline: NDArray[np.bool_]) -> bool:
        """Whether a slot's core, where no tile lies over it, plainly is cloth, or has the colour of the cloth outside of its ``outline``,
        where that is free: between tiles that reflect on both."""
        core = np.ones(len(place.core_px), np.bool_) if core is None else core
        off = self._off_cloth(place.core_px[core], place.core_on_mat_mm[core])
        beside = self.light.beside_of(off)
        if beside < _PLAINLY_BESIDE:
            return True
        is_cloth = self._cloth_coloured(place.print_px[0], place.print_on_mat_mm) & outline
        if place.slot.area is Area.MELD or beside >= _NEARLY_BESIDE or is_cloth.mean() < _LEAST_AROUND:
            return False
        around = self._off_cloth(place.print_px[0][is_cloth], place.print_on_mat_mm[is_cloth])
        return self.light.beside_of(off - around) < _AS_AROUND

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
        return nearest(self.image, pixels - self.corner)

    def _softly_at(self, pixels: Points) -> NDArray[np.uint8]:
        """As ``_at``, but the mean around each pixel; only the part of the picture that is asked for is softened."""
        most = np.array(self.image.shape[1::-1]) - 1
        left, top = np.clip(np.floor(pixels.min(axis=0) - self.corner) - 2, 0, most).astype(int)
        right, bottom = np.clip(np.ceil(pixels.max(axis=0) - self.corner) + 2, 0, most).astype(int) + 1
        soft = cv2.blur(self.image[top:bottom, left:right], _SOFT_PX)
        return replace(self, image=np.asarray(soft, np.uint8), corner=self.corner + np.array((left, top)))._at(pixels)
