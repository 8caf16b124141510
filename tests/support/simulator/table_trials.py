"""Trial tables for the table reader: known tiles, and one fault of the real world or all of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeVar

import cv2
import numpy as np
from numpy.random import Generator

from simulator.cameras.cover_layers import Arm, Layer, arm_layer
from simulator.cameras.ground import PX_PER_MM, SIDE_PX, Cloth, Colour, Points, View
from simulator.cameras.optics import FOREIGN, Picture, as_picture, light_map, lit, to_light, to_picture
from simulator.cameras.table import TILE_THICKNESS_MM, TableCamera, TableLook, TileSet
from simulator.scene import BACK, LaidTile, TableScene
from twinwall.art.designs import SIMULATOR_DESIGN, Design, Palette
from twinwall.art.mat import Area, Mat, Slot, Spot
from twinwall.game.tiles import ALL_TILES
from vision.table.lens import SQUARE
from vision.table.slot_places import on_mat

_FOCUS_ROUNDS = 5
_MARGIN_PX = 8
_SEEN_ABOVE_MM = 16.0
_SEEN_MM = np.array([(x, y) for x in (-360.0, 0.0, 360.0) for y in (-360.0, 0.0, 360.0)])
"""What a camera over the table must see: the mat's markers and the outermost tiles."""


def hung_view(eye_mm: tuple[float, float], height_mm: float, looks_at_mm: tuple[float, float], roll_deg: float, bend: float) -> View:
    """A pinhole camera that hangs above a point of the mat and looks at another, rolled about its axis; the mat fills its picture."""
    forth = np.array([looks_at_mm[0] - eye_mm[0], looks_at_mm[1] - eye_mm[1], height_mm])
    forth /= np.linalg.norm(forth)
    roll = math.radians(roll_deg)
    right = np.array([math.cos(roll), math.sin(roll), 0.0])
    right -= forth * (right @ forth)
    right /= np.linalg.norm(right)
    turn = np.stack((right, np.cross(forth, right), forth))
    outer = np.column_stack((turn[:, 0], turn[:, 1], turn @ np.array([-eye_mm[0], -eye_mm[1], height_mm])))
    focal = height_mm * PX_PER_MM
    for _ in range(_FOCUS_ROUNDS):
        inner = np.array([(focal, 0, SIDE_PX / 2), (0, focal, SIDE_PX / 2), (0, 0, 1)])
        view = View(np.asarray(inner @ outer, np.float64), eye_mm, height_mm, bend)
        reached = np.abs(view.project(_SEEN_MM, _SEEN_ABOVE_MM) - SIDE_PX / 2).max()
        focal *= (SIDE_PX / 2 - _MARGIN_PX) / reached
    return view


_CLOTHS: tuple[Cloth, ...] = (
    Cloth(),
    Cloth((96, 110, 24), (136, 150, 66), 5.0),
    Cloth((92, 52, 34), (130, 96, 82), 4.0),
    Cloth((44, 40, 96), (86, 82, 140), 6.0),
    Cloth((52, 50, 48), (94, 92, 90), 5.0),
    Cloth((110, 96, 40), (150, 138, 88), 4.0),
)
_PALETTES: tuple[Palette, ...] = (
    SIMULATOR_DESIGN.palette,
    replace(SIMULATOR_DESIGN.palette, ink="#101418", red="#c22a20", green="#0f7a46", blue="#1f55a8", face="#fffefa"),
    replace(SIMULATOR_DESIGN.palette, ink="#2a2420", red="#8f2430", green="#2c5a44", blue="#2b3f70", face="#f2ead2"),
    replace(SIMULATOR_DESIGN.palette, ink="#15253a", red="#b83a2c", green="#1c8a5a", blue="#173a90", face="#f7f7f2"),
)
_BACKS: tuple[Colour, ...] = ((58, 92, 40), (140, 84, 30), (36, 140, 224), (60, 60, 160), (180, 150, 70))
_SKINS: tuple[Colour, ...] = ((150, 178, 228), (120, 152, 208), (92, 120, 176), (58, 78, 120), (40, 52, 78))
_SLEEVES: tuple[Colour, ...] = ((40, 38, 36), (90, 60, 40), (60, 56, 120), (120, 120, 118), (232, 236, 238), (80, 120, 150), (150, 110, 60))
_THIRD = 1 / 3
_MOST_ASKEW_DEG = 20.0


class Fault(StrEnum):
    """What a trial is about; everything else is as on a good day."""

    NONE = "none"
    OFF_SLOT = "off-slot"
    """Tiles up to a third of their width off their slot and 20° askew; shown hands pushed together and aside."""
    LENS = "lens"
    """A wide lens, beside the middle and askew."""
    UNEVEN = "uneven-light"
    SHADOW = "shadow"
    GLARE = "glare"
    ARMS = "arms"
    """Hands and sleeves that move over the table, with rests."""
    SLEEVE = "cloth-coloured-sleeve"
    """The same with sleeves of the cloth's own colour."""
    BLUR = "blur-and-noise"
    ALL = "all"


Shown = TypeVar("Shown", bound=Hashable)

LaidMat = Callable[[Cloth, int], Picture]
"""A mat that people have laid, drawn for a cloth and a seed."""


@dataclass(frozen=True, slots=True, eq=False)
class TrialFrame:
    """One exposure, and by slot how much of the tile there, or of the bare place, is hidden by an arm, 0 to 1."""

    picture: Picture
    hidden: Mapping[Slot, float]


@dataclass(frozen=True, slots=True, eq=False)
class TrialCamera:
    """The camera of a trial with its fault; ``height_mm`` is how high a person has measured that it hangs."""

    camera: TableCamera
    height_mm: float
    gains: Picture
    highlights: Picture | None
    blur_px: float
    arms: tuple[tuple[Arm, ...], ...]

    def shot(self, scene: TableScene, number: int) -> tuple[Picture, list[Layer]]:
        """One exposure, and the arms over the table in it."""
        arms = self.arms[number % len(self.arms)] if self.arms else ()
        layers = [arm_layer(arm, self.camera.view, self.gains) for arm in arms]
        picture = self.camera.render(scene, over=layers)
        if self.highlights is not None:
            picture = as_picture(cv2.add(picture, cv2.cvtColor(self.highlights, cv2.COLOR_GRAY2BGR)))
        return (_blurred(picture, self.blur_px) if self.blur_px else picture), layers


@dataclass(frozen=True, slots=True, eq=False)
class Trial:
    """One table: what lies at which slot, and the camera that sees it."""

    fault: Fault
    seed: int
    laid: Mapping[Slot, LaidTile]
    _camera: TrialCamera
    _mat: Mat

    @property
    def camera_height_mm(self) -> float:
        """The height of the camera as a person has measured it."""
        return self._camera.height_mm

    def frames(self, count: int) -> Iterator[TrialFrame]:
        """So many exposures in order."""
        scene = TableScene(1, tuple(self.laid.values()))
        slots = self._mat.all_slots()
        for number in range(count):
            picture, layers = self._camera.shot(scene, number)
            yield TrialFrame(picture, hidden_shares(layers, {slot: self._shown(slot) for slot in slots}))

    def bare(self) -> Picture:
        """The table before anything lies on it, as the camera is calibrated."""
        return self._camera.camera.render(TableScene(0, ()))

    def _shown(self, slot: Slot) -> Points:
        """Where the face of the tile at a slot is seen, or the outline of a bare one: 4 × 2 px."""
        laid = self.laid.get(slot)
        spot = self._mat.spot(slot)
        if laid is None:
            return self._camera.camera.view.project(outline_mm(self._mat, spot))
        turn_deg = spot.turn_deg + laid.angle_deg + (90.0 if laid.sideways else 0.0)
        rests = Spot(spot.x_mm + laid.offset_mm[0], spot.y_mm + laid.offset_mm[1], turn_deg)
        return self._camera.camera.view.project(outline_mm(self._mat, rests), TILE_THICKNESS_MM)


def trial(fault: Fault, seed: int, mat: Mat, *, frames: int = 4, laid_mat: LaidMat | None = None) -> Trial:
    """A table with this fault; ``frames`` is how many different moments its arms have, ``laid_mat`` what lies there in place of cloth."""
    rng = np.random.default_rng((seed, list(Fault).index(fault), 11))
    everything = fault is Fault.ALL
    look, height_mm = trial_look(fault, rng)
    off = _THIRD if fault is Fault.OFF_SLOT or everything else 0.08
    askew = _MOST_ASKEW_DEG if fault is Fault.OFF_SLOT or everything else 4.0
    laid = lay_tiles(mat, rng, off * mat.tile_width_mm, askew)
    drawn = None if laid_mat is None else laid_mat(look.cloth, seed)
    camera = trial_camera(fault, rng, mat, seed=seed, look=look, height_mm=height_mm, frames=frames, canvas=drawn)
    return Trial(fault, seed, laid, camera, mat)


def trial_camera(
    fault: Fault, rng: Generator, mat: Mat, *, seed: int, look: TableLook, height_mm: float, frames: int, canvas: Picture | None = None
) -> TrialCamera:
    """A camera with this fault, whose arms have so many moments; ``canvas`` lies on the table in place of printed cloth."""
    everything = fault is Fault.ALL
    arms: tuple[tuple[Arm, ...], ...] = ()
    if fault in (Fault.ARMS, Fault.SLEEVE) or everything:
        arms = _moments(rng, frames, look.cloth.colour if fault is Fault.SLEEVE or (everything and rng.random() < 0.5) else None)
    highlights = _highlights(rng) if fault is Fault.GLARE or everything else None
    blur_px = rng.uniform(0.8, 1.25) if fault is Fault.BLUR else rng.uniform(0.5, 0.8) if everything else 0.0
    camera = TableCamera(seed, mat, look if canvas is None else replace(look, canvas=canvas))
    measured_mm = height_mm * float(rng.uniform(0.97, 1.03))
    return TrialCamera(camera, measured_mm, look.gains, highlights, float(blur_px), arms)


def trial_look(fault: Fault, rng: Generator) -> tuple[TableLook, float]:
    """Where the camera hangs, light, cloth and set; and the camera's height."""
    everything = fault is Fault.ALL
    height_mm = float(rng.uniform(1300, 1900))
    wide = fault is Fault.LENS or everything
    beside = 130.0 if wide else 20.0
    eye = (float(rng.uniform(-beside, beside)), float(rng.uniform(-beside, beside)))
    bend = float(rng.uniform(-0.13, -0.03)) if wide else 0.0
    view = hung_view(eye, height_mm, (float(rng.uniform(-5, 5)), float(rng.uniform(-5, 5))), float(rng.uniform(-2, 2)), bend)
    uneven, vignette = (rng.uniform(0.25, 0.4), 0.3) if fault is Fault.UNEVEN or everything else (rng.uniform(0.05, 0.15), 0.15)
    dim = fault is Fault.BLUR
    gains = light_map(
        SIDE_PX,
        SIDE_PX,
        rng,
        uneven=float(uneven),
        vignette=vignette,
        level=float(rng.uniform(0.5, 0.7) if dim else rng.uniform(0.85, 1.05)),
    )
    if fault is Fault.SHADOW or everything:
        gains = lit(gains, _shadows(rng))
    cloth = _CLOTHS[int(rng.integers(len(_CLOTHS)))]
    return TableLook(view, gains, cloth, varied_set(rng), 5.0 if dim else 2.2), height_mm


def varied_set(rng: Generator) -> TileSet:
    """The simulator's set in other paints, weights and proportions."""
    design: Design = replace(
        SIMULATOR_DESIGN,
        palette=_PALETTES[int(rng.integers(len(_PALETTES)))],
        weight=float(rng.uniform(0.4, 1.4)),
        bird_mirrored=bool(rng.random() < 0.5),
        dot_size=float(rng.uniform(0.92, 1.05)),
        stick_width=float(rng.uniform(0.9, 1.15)),
        numeral_size=float(rng.uniform(28.5, 32.0)),
        ten_thousand_size=float(rng.uniform(34.0, 38.0)),
        honour_size=float(rng.uniform(46.0, 52.0)),
    )
    return TileSet(design, _BACKS[int(rng.integers(len(_BACKS)))], back_share=float(rng.uniform(0.25, 0.5)))


def _shadows(rng: Generator) -> Picture:
    """Gains of one to three shadows of heads and lamps, with soft and hard edges."""
    y, x = (np.mgrid[0:320, 0:320] / 160 - 1).astype(np.float32)
    left = np.ones_like(x)
    for _ in range(int(rng.integers(1, 4))):
        angle, off = rng.uniform(0, 2 * np.pi), rng.uniform(-0.3, 0.6)
        softness, depth = rng.uniform(0.01, 0.15), rng.uniform(0.25, 0.5)
        if rng.random() < 0.5:
            edge = np.cos(angle) * x + np.sin(angle) * y - off
        else:
            edge = rng.uniform(0.25, 0.5) - np.hypot(x - 0.7 * np.cos(angle), y - 0.7 * np.sin(angle))
        left *= 1 - depth / (1 + np.exp(-np.clip(edge / softness, -30, 30)))
    coarse = np.clip(np.rint(np.maximum(left, 0.3) * 128), 0, 255).astype(np.uint8)
    return as_picture(cv2.cvtColor(cv2.resize(coarse, (SIDE_PX, SIDE_PX), interpolation=cv2.INTER_LINEAR), cv2.COLOR_GRAY2BGR))


def _highlights(rng: Generator) -> Picture:
    """What lamps add to the picture where the gloss reflects them (grey levels, SIDE_PX × SIDE_PX)."""
    y, x = np.mgrid[0:320, 0:320].astype(np.float32) * 4
    added = np.zeros_like(x)
    for _ in range(int(rng.integers(2, 6))):
        at, radius, ratio = rng.uniform(100, SIDE_PX - 100, 2), rng.uniform(25, 90), rng.uniform(0.5, 2.0)
        added += rng.uniform(30, 85) * np.exp(-(((x - at[0]) / radius) ** 2) - ((y - at[1]) / (radius * ratio)) ** 2)
    coarse = np.clip(np.rint(added), 0, 255).astype(np.uint8)
    return as_picture(cv2.resize(coarse, (SIDE_PX, SIDE_PX), interpolation=cv2.INTER_LINEAR))


def _moments(rng: Generator, count: int, cloth: Colour | None) -> tuple[tuple[Arm, ...], ...]:
    """One or two arms at so many moments: each reaches somewhere, holds still for a while, and goes away or elsewhere."""
    people = rng.permutation(4)[: int(rng.integers(1, 3))].tolist()
    looks = {
        place: (cloth or _SLEEVES[int(rng.integers(len(_SLEEVES)))], _SKINS[int(rng.integers(len(_SKINS)))], 14 * int(rng.random() < 0.2))
        for place in people
    }
    moments: list[tuple[Arm, ...]] = []
    reach: dict[int, tuple[float, float] | None] = {}
    shoulders = {place: float(rng.uniform(-180, 180)) for place in people}
    for number in range(count):
        arms = []
        for place in people:
            if number % 2 == 0 or rng.random() < 0.4:
                reach[place] = None if rng.random() < 0.2 else (float(rng.uniform(-260, 260)), float(rng.uniform(-260, 260)))
            palm = reach[place]
            if palm is not None:
                sleeve, skin, stripes = looks[place]
                arms.append(Arm(place, palm, shoulders[place], sleeve, skin, float(rng.uniform(0.02, 0.16)), 0 if cloth else stripes))
        moments.append(tuple(arms))
    return tuple(moments)


def lay_tiles(
    mat: Mat, rng: Generator, most_off_mm: float, most_askew_deg: float, *, least_river: int = 2, least_melds: int = 0
) -> dict[Slot, LaidTile]:
    """Rivers with gaps, melds with a tile turned, kongs, shown hands: as loose as told, and no tile in another.

    Each river has room for ``least_river`` tiles at least, and each place ``least_melds`` melds at least.
    """
    table = _Layout(mat, rng)
    for place in range(4):
        for index in range(int(rng.integers(least_river, 20))):
            if rng.random() < 0.92:
                table.lay(Slot(place, Area.RIVER, index), most_off_mm, most_askew_deg, sideways=False)
        for group in range(int(rng.integers(least_melds, 5))):
            turned = int(rng.integers(3))
            face_down = rng.random() < 0.1
            tiles = 4 if rng.random() < 0.35 else 3
            for position in range(tiles):
                slot = Slot(place, Area.MELD, 4 * group + position)
                table.lay(
                    slot,
                    most_off_mm / 2,
                    most_askew_deg / 3,
                    sideways=position == turned and not face_down,
                    face=BACK if face_down else None,
                )
        if rng.random() < 0.5:
            _show(table, place, int(rng.integers(5, 14)), most_off_mm)
        if rng.random() < 0.3:
            table.lay(Slot(place, Area.WIN, 0), most_off_mm / 2, most_askew_deg / 2, sideways=False)
    return table.laid


def _show(table: _Layout, place: int, tiles: int, most_off_mm: float) -> None:
    """A hand as a row that was pushed together and then aside; no tile more than ``most_off_mm`` off its slot."""
    mat, rng = table.mat, table.rng
    pitch = mat.tile_width_mm + float(rng.uniform(0.15, 0.8))
    drift_mm = (pitch - mat.hand_pitch_mm) * (tiles - 1)
    room = max(0.0, most_off_mm - abs(drift_mm))
    aside, forth = (float(value) for value in rng.uniform(-room, room, 2))
    for index in range(tiles):
        along = aside + index * (pitch - mat.hand_pitch_mm)
        table.lay_at(Slot(place, Area.HAND, index), (along, forth * 0.7), float(rng.uniform(-0.6, 0.6)))


class _Layout:
    """A table being laid: refuses a tile that would lie in another, and tries again closer to its slot."""

    def __init__(self, mat: Mat, rng: Generator) -> None:
        self.mat, self.rng = mat, rng
        self.laid: dict[Slot, LaidTile] = {}
        self._corners: list[tuple[list[float], Points]] = []

    def lay(self, slot: Slot, most_off_mm: float, most_askew_deg: float, *, sideways: bool, face: str | None = None) -> None:
        """A tile anywhere within a distance of its slot, by a random angle, either way round."""
        for tries in range(10):
            eased = 0.8**tries
            distance, direction = most_off_mm * eased * math.sqrt(self.rng.random()), self.rng.uniform(0, 2 * np.pi)
            offset = (float(distance * np.cos(direction)), float(distance * np.sin(direction)))
            if self.lay_at(slot, offset, float(self.rng.uniform(-1, 1)) * most_askew_deg * eased, sideways=sideways, face=face):
                return

    def lay_at(self, slot: Slot, offset: tuple[float, float], angle_deg: float, *, sideways: bool = False, face: str | None = None) -> bool:
        """A tile off its slot by so much in its player's sense; False where another lies."""
        spot = self.mat.spot(slot)
        turn = math.radians(spot.turn_deg)
        x = offset[0] * math.cos(turn) + offset[1] * math.sin(turn)
        y = -offset[0] * math.sin(turn) + offset[1] * math.cos(turn)
        rests = Spot(spot.x_mm + x, spot.y_mm + y, spot.turn_deg + angle_deg + (90.0 if sideways else 0.0))
        corners = outline_mm(self.mat, rests)
        middle = corners.mean(axis=0).tolist()
        if any(math.dist(middle, beside) <= 60 and _overlap(corners, other) for beside, other in self._corners):
            return False
        upside_down = 180.0 * int(self.rng.integers(2))
        drawn = face or (FOREIGN if self.rng.random() < 0.01 else ALL_TILES[int(self.rng.integers(34))].text)
        self.laid[slot] = LaidTile(drawn, slot.place, slot.area.value, slot.index, sideways, (x, y), angle_deg + upside_down)
        self._corners.append((middle, corners))
        return True


def outline_mm(mat: Mat, spot: Spot, wider_mm: float = 0.0) -> Points:
    """The corners of a tile (4 × 2), or of one so much wider on each side."""
    return on_mat(spot, SQUARE * (mat.tile_width_mm / 2 + wider_mm, mat.tile_height_mm / 2 + wider_mm))


def _overlap(one: Points, other: Points) -> bool:
    """Whether two rectangles share room: no side of either parts them."""
    for corners in (one, other):
        for side in (corners[1] - corners[0], corners[2] - corners[1]):
            low, high = one @ side, other @ side
            if low.max() <= high.min() or high.max() <= low.min():
                return False
    return True


def hidden_shares(layers: list[Layer], shown: Mapping[Shown, Points]) -> Mapping[Shown, float]:
    """How much of each outline (4 × 2 px) the layers cover."""
    if not layers:
        return dict.fromkeys(shown, 0.0)
    cover = np.zeros((SIDE_PX, SIDE_PX), np.uint8)
    for layer in layers:
        part = layer.rect.cut(cover)
        np.maximum(part, np.rint(255 * (1 - layer.body_rest[:, :, 0])).astype(np.uint8), out=part)
    shares = {}
    for key, outline in shown.items():
        left, top = np.clip(np.floor(outline.min(axis=0)), 0, SIDE_PX - 2).astype(int)
        right, bottom = np.clip(np.ceil(outline.max(axis=0)), 1, SIDE_PX - 1).astype(int) + 1
        inside = np.zeros((bottom - top, right - left), np.uint8)
        cv2.fillConvexPoly(inside, np.rint(outline - (left, top)).astype(np.int32), 255)
        shares[key] = float(cover[top:bottom, left:right][inside > 0].mean()) / 255
    return shares


def _blurred(picture: Picture, deviation_px: float) -> Picture:
    """A picture as a lens a little out of focus shows it."""
    return to_picture(np.asarray(cv2.GaussianBlur(to_light(picture), (0, 0), deviation_px), np.float32))
