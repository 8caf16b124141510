"""Bare slots of one frame: the middle has the cloth's colour, and most of the printed outline shows, which a sleeve of that colour hides.

The core of a slot is a grid of points that any tile on it mostly covers. A gap is a slot so closely surrounded by proved tiles that no arm
reaches it without covering one, even if their sides hide its outline.
"""

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from twinwall.art.mat import Area, Slot
from twinwall.values import frozen_identity
from vision.sampling import nearest
from vision.table.lens import Points
from vision.table.light import Colours, Light, brightness, logarithms
from vision.table.slot_places import Places, SlotPlace, on_mat
from vision.table.tile_pose import TilePose, over, under

Floats = NDArray[np.float64]

_SIDES = 4
_LEAST_PRINT, _LEAST_PRINT_TOGETHER, _PRINT_DOUBT = 0.3, 0.4, 2.6
"""Shares of the usual contrast: what each side must reach, within this many standard errors, and what all sides together must."""
_LEAST_PRINT_PLACES = 3
_CERTAIN = 2.5
"""All sides together must exceed zero by this many standard errors, so that noise on a sleeve is no print."""
_TOGETHER = 3
"""This many neighbouring places are averaged: in little light a single one is mostly noise."""
_FAIR_SHARE = 0.3
"""An outline with a smaller share of the clearer ones' contrast may be under a sleeve."""
_EVEN_PLACES = 12
"""Inside and outside are compared over this many neighbouring places, half a side."""
_MOST_UNEVEN = 0.5
"""Most difference between them, in the print's contrast, beyond the standard error: a shadow's edge has more."""
_MOST_PRINT, _NO_PRINT = 2.0, 3.0
"""Limit of the contrast with which a place counts, and above which it is no print, but a tile's edge beside a finger."""
_LEAST_CLEAR_PLACES, _CLEAR_DOUBT = 6, 2.0
"""A side is clear with at least this many places, and a contrast that is large enough less this many standard errors."""
_ENDS = 0.55
"""A tile ends if it is darker beyond its side by this share of the difference between cloth and tile."""
_EDGE_SHARE = 0.6
"""A side with this share of places too light for print may be the white edge of a tile face down."""


def contrasts(pixels: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return how much lighter printed outlines are than the cloth inside: … × n logarithms. The rows of ``pixels`` (… × 5 × n × 3) are
    outside of the outline, three across it, and inside."""
    levels = brightness(pixels)
    return np.asarray(levels[..., 1:-1, :].mean(axis=-2) - levels[..., -1, :])


def usual(levels: Floats) -> float:
    """Return the usual contrast of outlines (n), some of which sleeves may hide: the median of those with a fair share of the upper
    quartile's. (Few exceed it: those beside tiles.) If as many are plainly lighter than the cloth as darker, all count."""
    duller, clearer = sorted(np.percentile(levels, (25, 75)).tolist(), key=abs)
    if not clearer or duller / clearer <= -_FAIR_SHARE:
        return float(np.median(levels))
    return float(np.median(levels[levels / clearer >= _FAIR_SHARE]))


def uneven(pixels: NDArray[np.uint8], contrast: float) -> NDArray[np.bool_]:
    """Return the places of outlines (m × n) where the cloth differs inside and outside, as at a shadow's edge, so they say nothing of the
    print. ``pixels`` as for ``contrasts`` (m × 5 × n × 3); ``contrast`` is the print's usual one (logarithm)."""
    levels = brightness(pixels[:, (0, -1)])
    off = ((levels[:, 0] - levels[:, 1]) / contrast).reshape(len(pixels), -1, _EVEN_PLACES)
    error = off.std(axis=-1) / math.sqrt(_EVEN_PLACES)
    return np.asarray(np.repeat(np.abs(off.mean(axis=-1)) > _MOST_UNEVEN + error, _EVEN_PLACES, axis=1))


def edged(seen: NDArray[np.float32], beside_tiles: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether a side of each outline (m) is too light for print where no known tile covers it (m × n): it is the white edge of a tile face
    down, with a back of the cloth's colour. ``seen`` is the contrast (m × n, side by side, usually 1)."""
    light = ((seen > _NO_PRINT) & beside_tiles).reshape(len(seen), _SIDES, -1)
    return np.asarray((light.mean(axis=2) > _EDGE_SHARE).any(axis=1))


def ended(pixels: NDArray[np.uint8], beside_tiles: NDArray[np.bool_], white: float) -> NDArray[np.bool_]:
    """Whether it gets darker beyond a side of each outline (m), as from a tile to cloth, where no known tile covers it (m × n): in a deep
    shadow a tile may have the cloth's level. ``pixels`` as for ``contrasts``; ``white`` is how much lighter a tile is than cloth
    (logarithm)."""
    levels = brightness(pixels[:, (0, -1)])
    dark = ((levels[:, 1] - levels[:, 0] > _ENDS * white) & beside_tiles).reshape(len(pixels), _SIDES, -1)
    return np.asarray((dark.mean(axis=2) > _EDGE_SHARE).any(axis=1))


def shown(seen: NDArray[np.float32], free: NDArray[np.bool_], least_sides: int) -> NDArray[np.bool_]:
    """Whether each outline's print shows (m) at the ``free`` places, which at least ``least_sides`` sides must have. ``seen`` is
    the contrast (m × n, side by side, usually 1)."""
    seen, free = _together(seen, free)
    count = free.sum(axis=2)
    total, squares = (seen * free).sum(axis=2), (seen * seen * free).sum(axis=2)
    mean, error = _mean_and_error(total, squares, count)
    known = count >= _LEAST_PRINT_PLACES
    enough = (~known | (mean + error * _PRINT_DOUBT >= _LEAST_PRINT)).all(axis=1)
    mean, error = _mean_and_error(*((each * known).sum(axis=1) for each in (total, squares, count)))
    together = mean >= np.maximum(_LEAST_PRINT_TOGETHER, _CERTAIN * error)
    return np.asarray(enough & together & (known.sum(axis=1) >= least_sides))


def shown_but_for_one_side(seen: NDArray[np.float32], free: NDArray[np.bool_], least_sides: int) -> NDArray[np.bool_]:
    """As ``shown``, with any one side left out (m)."""
    sides = np.arange(seen.shape[1]) * _SIDES // seen.shape[1]
    each = [shown(seen, free & (sides != side), least_sides) for side in range(_SIDES)]
    return np.asarray(np.any(each, axis=0), np.bool_)


def clear_sides(seen: NDArray[np.float32], free: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return on how many sides of each outline the print shows clearly (m); arguments as for ``shown``."""
    seen, free = _together(seen, free)
    count = free.sum(axis=2)
    mean, error = _mean_and_error((seen * free).sum(axis=2), (seen * seen * free).sum(axis=2), count)
    clear = (count >= _LEAST_CLEAR_PLACES) & (mean - error * _CLEAR_DOUBT >= _LEAST_PRINT)
    return np.asarray(clear.sum(axis=1))


def _together(seen: NDArray[np.float32], free: NDArray[np.bool_]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Average neighbouring places; return their contrasts and whether all of them are free (m × 4 sides × k)."""
    levels = seen.reshape(len(seen), _SIDES, -1, _TOGETHER).mean(axis=-1)
    limited = np.where(levels > _NO_PRINT, 0, np.clip(levels, -_MOST_PRINT, _MOST_PRINT))
    return np.asarray(limited, np.float32), np.asarray(free.reshape(len(free), _SIDES, -1, _TOGETHER).all(axis=-1), np.bool_)


def _mean_and_error(total: Floats, squares: Floats, count: NDArray[np.intp]) -> tuple[Floats, Floats]:
    """Return means, and their standard errors, from sums and sums of squares."""
    some = np.maximum(count, 1)
    mean = total / some
    return mean, np.sqrt(np.maximum(squares / some - mean * mean, 0) / some)


_AROUND_MM = 6.0
"""Tiles count as surrounding a slot if they are this far outside its outline."""
_STEP_MM = 2.0
_WIDEST_WAY_MM = 65.0
"""Widest opening among them, so one side of the slot may be open. Sleeves are wider."""


def enclosed(place: SlotPlace, tiles: Sequence[TilePose], size_mm: Points) -> bool:
    """Whether the tiles around a slot of a river leave no opening for an arm. Elsewhere never: tiles there are face down, with backs that
    may look like cloth."""
    if place.slot.area is not Area.RIVER:
        return False
    is_open = (~under(tiles, size_mm, on_mat(place.spot, _ring(size_mm)))).tolist()
    longest = max((len(list(run)) for way, run in itertools.groupby(is_open + is_open) if way), default=0)
    return longest * _STEP_MM < _WIDEST_WAY_MM


def _ring(size_mm: Points) -> Points:
    """Return points (n × 2 mm) around a slot, in order."""
    x, y = size_mm / 2 + _AROUND_MM
    across, down = np.arange(-x, x, _STEP_MM), np.arange(-y, y, _STEP_MM)
    sides = ((across, np.full_like(across, -y)), (np.full_like(down, x), down), (-across, np.full_like(across, y)))
    return np.concatenate([np.stack(side, axis=1) for side in (*sides, (np.full_like(down, -x), -down))])


_DARKEST, _LIGHTEST, _MOST_BESIDE = -0.5, 0.36, 0.2
"""Limits of the cloth's colour: shares of the way to white, and distance beside that way."""
_CLOTH_SHARE = 0.9
_PLAINLY_BESIDE = 0.05
"""A core is plainly cloth if its mean colour is less far beside the way from cloth to white: on path-traced tables, in 16,500 of 16,553
looks at bare slots and none of 56 at backs of nearly the cloth's colour."""
_NEARLY_BESIDE, _AS_AROUND, _LEAST_AROUND = 0.07, 0.03, 0.3
"""Outside of melds a core up to the first distance beside also counts if it differs by less than the second from the cloth around the slot
and at least the third share of that is seen. Backs are at least 0.061 beside, and differ by at least 0.045."""
_SOFT_PX = (3, 3)
"""The mean of this square of pixels is compared with the cloth, since in little light a single pixel is noise."""
_EVEN, _MOST_GLARE, _MOST_GLARE_BESIDE = 0.06, 0.9, 0.35
"""Limits of a reflection on cloth: unevenness, whiteness, and distance beside the way to white."""
_LEAST_PRINT_SIDES, _CLEAR_SIDES = 2, 3
_PRINT_ROOM = 0.2
"""By how much print may be whiter than the cloth."""
_LEAST_CORE = 0.2
"""Share of a core that must be free of neighbouring tiles."""
_LEAST_FREE_OUTLINE = 0.5
"""Share of an outline that must be free of neighbouring tiles when it is searched."""
_LEAST_FREE_INSIDE = 0.15
"""Share of the strip inside an outline that must be free of tiles around it, when no arm reaches between them."""
_READ_WITHOUT_PRINT = 0.05
"""Contrast below which the mat counts as having no printed outlines."""
_LEAST_BARE_SLOTS = 10
_OUTLINES_EVERY = 4
"""One slot in this many is sampled to measure the contrast of the mat's print."""


@frozen_identity
class BareSlots:
    """One frame's slots: its pixels (h × w × 3 BGR), the place of the first one in the whole picture, and its light. ``print_contrast`` is
    how much lighter printed outlines usually look (logarithm; negative: darker), 0 without any."""

    image: NDArray[np.uint8]
    corner: Points
    light: Light
    places: Places
    print_contrast: float = 0.0

    @property
    def _size_mm(self) -> Points:
        return self.places.tile_size_mm

    def cores(self, places: Sequence[SlotPlace]) -> list[NDArray[np.bool_]]:
        """For each place: which points of its core have the cloth's colour."""
        if not places:
            return []
        pixels = np.concatenate([place.core_px for place in places])
        return np.split(self._cloth_coloured(pixels, np.concatenate([place.core_on_mat_mm for place in places])), len(places))

    def bare(self, cores: Mapping[SlotPlace, NDArray[np.bool_]]) -> list[SlotPlace]:
        """Return the places whose core has the cloth's colour and whose printed outline shows."""
        clear = [place for place, core in cores.items() if core.mean() >= _CLOTH_SHARE]
        outlined = self._outlined([place.slot for place in clear], _LEAST_PRINT_SIDES)
        return [place for place, is_outlined in zip(clear, outlined, strict=True) if is_outlined]

    def may_be_bare(self, place: SlotPlace, bare: NDArray[np.bool_]) -> bool:
        """Whether ``bare_beside`` may succeed: part of the core is cloth, or it may be a reflection."""
        return bool(bare.mean() >= _LEAST_CORE * _CLOTH_SHARE) or self._only_glare(place, np.ones(len(bare), np.bool_))

    def bare_beside(self, place: SlotPlace, tiles: Sequence[TilePose], bare: NDArray[np.bool_]) -> bool:
        """Whether a slot is bare beside tiles that may lean over it; ``bare``: where its core has the cloth's colour."""
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
        """Return the contrasts (logarithm) of the printed outlines of slots that look bare with the cloth inside of them."""
        places = [self.places[slot] for slot in slots]
        bare = [place for place, is_bare in zip(places, self.cores(places), strict=True) if is_bare.mean() >= _CLOTH_SHARE]
        return np.array([float(contrasts(self._at(place.print_px)).mean()) for place in bare])

    def usual_contrast(self) -> float | None:
        """Return the ``print_contrast`` of this frame; None if too few slots look bare."""
        contrasts = self.outline_contrasts(self.places.slots[::_OUTLINES_EVERY])
        return usual(contrasts) if len(contrasts) >= _LEAST_BARE_SLOTS else None

    def outlines_unseen(self, slots: Sequence[Slot], under_tiles: Callable[[Points], NDArray[np.bool_]]) -> list[Slot]:
        """Return the slots whose printed outline is missing although the cloth seems bare: a sleeve of that colour is there.

        ``under_tiles`` says which points of the mat (… × 2 mm) are under known tiles. Slots with less than half of their outline free of
        them are left out; so a sleeve over a gap inside a river with a row before it (44 % free) is not noticed.
        """
        free = ~under_tiles(self.places.outlines(slots)[1])
        unseen = ~self._outlined(slots, 0, free, backs=False) & (free.mean(axis=1) >= _LEAST_FREE_OUTLINE)
        return [slot for slot, is_unseen in zip(slots, unseen, strict=True) if is_unseen]

    def _cloth_inside(self, place: SlotPlace, tiles: Sequence[TilePose]) -> bool:
        """Whether the strip inside a slot's outline, where tiles have no marks, is cloth wherever no tile covers it."""
        inside_px = place.print_px[-1]
        free = ~over(tiles, inside_px, self._size_mm)
        if free.mean() < _LEAST_FREE_INSIDE:
            return False
        return bool(self._cloth_coloured(inside_px[free], place.print_on_mat_mm[free]).mean() >= _CLOTH_SHARE)

    def _cloth_coloured(self, pixels: Points, points_mm: Points) -> NDArray[np.bool_]:
        """Return which pixels of the whole picture (n × 2), at these points of the mat (n × 2 mm), have the cloth's colour."""
        white, beside = self.light.shares(self._softly_at(pixels), self.light.cloth_at(points_mm))
        return np.asarray((white > _DARKEST) & (white < _LIGHTEST) & (beside < _MOST_BESIDE))

    def _only_glare(self, place: SlotPlace, free: NDArray[np.bool_]) -> bool:
        """Whether a light middle may be a reflection on cloth, because it changes evenly. The caller must check the outline as well."""
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
        """Whether each slot's printed outline (m) shows where there is cloth, and on at least ``least_sides`` sides.

        In uneven light a side may be missing, but two must show. Three clear sides are enough unless a tile is there face down, since a
        tile beside may shade the fourth; so are two with cloth all around. With fewer the middle must plainly be cloth: a tile's sides look
        like print.

        ``free`` (m × n): no known tile covers the outline there. ``like_cloth``: look only at what resembles cloth. ``backs``: check the
        middle if fewer than three sides are clear. ``core``: where no tile covers the middle of the one slot.
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
        """Whether the mean colour of a slot's core is the cloth's: noise does not change it, and a back is at best similar."""
        return self.light.beside_of(self._off_cloth(place.core_px, place.core_on_mat_mm)) < _PLAINLY_BESIDE

    def _cloth_or_as_around(self, place: SlotPlace, core: NDArray[np.bool_] | None, outline: NDArray[np.bool_]) -> bool:
        """Whether the free part of a core is plainly cloth, or has the colour of the cloth outside the free ``outline``: neighbouring tiles
        reflect on both."""
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
        """Return by how much pixels differ from the cloth's colour in the mean (3 logarithms)."""
        return np.asarray((logarithms(self._softly_at(pixels)) - self.light.cloth_at(points_mm)).mean(axis=0))

    def _holds_no_back(self, place: SlotPlace) -> bool:
        """Whether no tile is face down on a slot, with a back of nearly the cloth's colour and edges that look like print."""
        return place.slot.area is not Area.MELD and self._plainly_cloth(place)

    def _like_cloth(self, pixels: NDArray[np.uint8], cloth: NDArray[np.float32]) -> NDArray[np.bool_]:
        white, beside = self.light.shares(pixels, cloth)
        return np.asarray((white > _DARKEST) & (white < _LIGHTEST + _PRINT_ROOM) & (beside < _MOST_BESIDE))

    def _at(self, pixels: Points) -> NDArray[np.uint8]:
        """Return the pixels nearest to points of the whole picture (… × 2): … × 3."""
        return nearest(self.image, pixels - self.corner)

    def _softly_at(self, pixels: Points) -> NDArray[np.uint8]:
        """As ``_at``, by the mean around each pixel."""
        most = np.array(self.image.shape[1::-1]) - 1
        left, top = np.clip(np.floor(pixels.min(axis=0) - self.corner) - 2, 0, most).astype(int)
        right, bottom = np.clip(np.ceil(pixels.max(axis=0) - self.corner) + 2, 0, most).astype(int) + 1
        soft = cv2.blur(self.image[top:bottom, left:right], _SOFT_PX)
        return replace(self, image=np.asarray(soft, np.uint8), corner=self.corner + np.array((left, top)))._at(pixels)
