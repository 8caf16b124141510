"""Looks of path-traced tables: random kind, camera, lamps, cloth, tiles and sensor."""

from collections.abc import Callable
from dataclasses import replace
from enum import StrEnum

import cv2
import numpy as np
from numpy.random import Generator

from benchmarks.rendered.arms import Colour
from benchmarks.rendered.camera import MIDDLE_PX, OverheadCamera, fitted
from simulator.cameras.ground import SIDE_PX
from simulator.cameras.optics import Light, Picture
from simulator.cameras.table import TileSet
from tests.support.simulator.table_trials import varied_set
from twinwall.values import frozen


class Kind(StrEnum):
    """What is difficult about a table."""

    PLAIN = "plain"
    GLARE = "glare"
    """A lamp hangs where gloss reflects it into the camera."""
    ARMS = "arms"
    LENS = "lens"
    """A wide, bent lens, off the middle and looking at an angle."""
    DIM = "dim"
    """Little light: noise, an open aperture, out of focus."""
    SLEEVE = "sleeve"
    """Arms in sleeves of the cloth's colour, under a lamp that is reflected."""


@frozen
class Lamp:
    """A rectangle that shines towards the mat's middle, at mm beside and above it."""

    at_mm: tuple[float, float, float]
    size_mm: tuple[float, float]
    power: float
    colour: Colour


@frozen
class Weave:
    """The mat's cloth: colours of ground and print, distance of threads, depth of the weave."""

    ground: Colour
    print_colour: Colour
    thread_mm: float
    depth_mm: float
    table: Colour


@frozen
class Finish:
    """The tile set, the roughness of its gloss (0 mirror, 1 matt), and whether its faces are cut from photographs."""

    tiles: TileSet
    roughness: float
    photographed: bool


@frozen
class TracedSensor:
    """How the camera converts light: brightness, colour error, blur, darker corners, noise, quality of its JPEG."""

    exposure: float
    balance: Colour
    blur_px: float
    vignette: float
    read_noise: float
    shot_noise: float
    quality: int


@frozen
class TracedLook:
    """Everything but the tiles' places; ``told_height_mm`` is the camera's height as measured by a person."""

    kind: Kind
    camera: OverheadCamera
    told_height_mm: float
    lamps: tuple[Lamp, ...]
    ambient: float
    weave: Weave
    finish: Finish
    sensor: TracedSensor


_GROUNDS: tuple[tuple[Colour, Colour], ...] = (
    ((0.12, 0.33, 0.26), (0.29, 0.49, 0.41)),
    ((0.1, 0.26, 0.45), (0.3, 0.45, 0.62)),
    ((0.4, 0.14, 0.16), (0.58, 0.33, 0.33)),
    ((0.22, 0.22, 0.24), (0.42, 0.42, 0.44)),
    ((0.33, 0.18, 0.36), (0.5, 0.34, 0.52)),
    ((0.42, 0.36, 0.26), (0.62, 0.56, 0.45)),
)
"""Colours of cloth and print; the first pair is that of the printed mat."""
_WOODS: tuple[Colour, ...] = ((0.45, 0.32, 0.22), (0.25, 0.17, 0.12), (0.75, 0.66, 0.55), (0.55, 0.55, 0.55))


def drawn_look(kind: Kind, rng: Generator, *, photographed: bool) -> TracedLook:
    """Return a random look of a kind."""
    height_mm = float(rng.uniform(1300, 1850))
    camera = _camera(kind, height_mm, rng)
    finish = Finish(varied_set(rng), float(rng.uniform(0.12, 0.4)), photographed)
    ground, printed = _GROUNDS[int(rng.integers(len(_GROUNDS)))]
    wood = _WOODS[int(rng.integers(len(_WOODS)))]
    weave = Weave(ground, printed, float(rng.uniform(0.7, 2.2)), float(rng.uniform(0.05, 0.3)), wood)
    lamps = _lamps(kind, camera, rng)
    told_mm = height_mm * float(rng.uniform(0.97, 1.03))
    return TracedLook(kind, camera, told_mm, lamps, float(rng.uniform(0.15, 0.6)), weave, finish, _sensor(kind, rng))


def _camera(kind: Kind, height_mm: float, rng: Generator) -> OverheadCamera:
    wide = kind is Kind.LENS
    beside, askew = (130.0, 25.0) if wide else (45.0, 10.0)
    (x, y), (at_x, at_y) = rng.uniform(-beside, beside, 2).tolist(), rng.uniform(-askew, askew, 2).tolist()
    bend = float(rng.uniform(-0.12, -0.05) if wide else rng.uniform(-0.01, 0.01))
    aperture_mm, off_mm = (3.0, rng.uniform(100, 220)) if kind is Kind.DIM else (2.0, rng.uniform(-60, 60))
    camera = OverheadCamera(
        (x, y), height_mm, (at_x, at_y), float(rng.uniform(-2, 2)), 2000.0, bend, aperture_mm, height_mm - float(off_mm)
    )
    return fitted(camera)


def _lamps(kind: Kind, camera: OverheadCamera, rng: Generator) -> tuple[Lamp, ...]:
    """Return those of a room, and one that is reflected."""
    lamps = room_lamps(rng, (lambda: [_reflected(camera, rng)]) if kind in (Kind.GLARE, Kind.SLEEVE) else list)
    return tuple(replace(lamp, power=lamp.power * (0.35 if kind is Kind.DIM else 1.0)) for lamp in lamps)


def room_lamps(rng: Generator, others: Callable[[], list[Lamp]] = list) -> list[Lamp]:
    """Return one to three lamps far aside, others, and sometimes a window."""
    lamps = []
    for _ in range(int(rng.integers(1, 4))):
        above = float(rng.uniform(1500, 2300))
        way, far = rng.uniform(0, 2 * np.pi), rng.uniform(1000, 1700)
        width, length = rng.uniform(150, 900, 2).tolist()
        lamps.append(Lamp((far * np.cos(way), far * np.sin(way), above), (width, length), float(rng.uniform(0.5, 1.0)), _white(rng)))
    lamps += others()
    if rng.random() < 0.5:
        way = rng.uniform(0, 2 * np.pi)
        lamps.append(Lamp((2400 * np.cos(way), 2400 * np.sin(way), 900.0), (1400.0, 1200.0), float(rng.uniform(0.5, 2.0)), (0.8, 0.9, 1.0)))
    return lamps


def _reflected(camera: OverheadCamera, rng: Generator) -> Lamp:
    """Return a lamp that the camera sees mirrored in tiles somewhere on the mat."""
    above = float(rng.uniform(1500, 2200))
    on_mat = rng.uniform(-280, 280, 2)
    at = on_mat + (on_mat - camera.eye_mm) * above / camera.height_mm
    width, length = rng.uniform(60, 500, 2).tolist()
    return Lamp((float(at[0]), float(at[1]), above), (width, length), float(rng.uniform(0.3, 0.8)), _white(rng))


def _white(rng: Generator) -> Colour:
    """Return light between a warm lamp's and a cold one's."""
    cold = float(rng.uniform(-1, 1))
    return 1.0 - 0.18 * max(cold, 0.0), 1.0 - 0.12 * abs(cold), 1.0 + 0.4 * min(cold, 0.0)


def _sensor(kind: Kind, rng: Generator) -> TracedSensor:
    dim = kind is Kind.DIM
    red, green, blue = rng.uniform(0.94, 1.06, 3).tolist()
    return TracedSensor(
        exposure=float(rng.uniform(0.55, 0.75) if dim else rng.uniform(0.8, 1.1)),
        balance=(red, green, blue),
        blur_px=float(rng.uniform(0.6, 1.0) if dim else rng.uniform(0.3, 0.6)),
        vignette=float(rng.uniform(0.05, 0.3)),
        read_noise=float(rng.uniform(0.006, 0.012) if dim else rng.uniform(0.001, 0.004)),
        shot_noise=float(rng.uniform(0.015, 0.025) if dim else rng.uniform(0.004, 0.01)),
        quality=int(rng.integers(84, 95)),
    )


_BRIGHT = 97.0
"""Exposure brings this percentile of a picture's light to the level of white paper."""


def seen_through_lens(light: Light, rendered: OverheadCamera, camera: OverheadCamera) -> Light:
    """Return what a camera's lens shows (SIDE_PX square), from a straight lens's picture (2 × ``rendered_half_px`` square). The rendering
    camera may be slightly beside this one; things above the mat then shift by a hundredth of a pixel against it."""
    half = len(light) / 2
    y, x = np.mgrid[0:SIDE_PX, 0:SIDE_PX]
    straight = camera.straight(np.stack((x - MIDDLE_PX, y - MIDDLE_PX), axis=-1))
    ideal = camera.straight_in(rendered, straight) + half - 0.5
    across, down = (np.ascontiguousarray(ideal[:, :, axis], np.float32) for axis in (0, 1))
    return np.asarray(cv2.remap(light, across, down, cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE), np.float32)


def exposed(light: Light, sensor: TracedSensor, gain: float, rng: Generator) -> Picture:
    """Return one exposure (BGR): light times ``gain``, blurred, darker at the corners, with the sensor's noise."""
    seen = np.maximum(light, 0) * np.float32(gain) * np.array(sensor.balance[::-1], np.float32)
    if sensor.blur_px:
        seen = np.asarray(cv2.GaussianBlur(seen, (0, 0), sensor.blur_px), np.float32)
    y, x = (np.mgrid[0 : len(seen), 0 : len(seen)] / (len(seen) - 1) * 2 - 1).astype(np.float32)
    seen *= (1 - sensor.vignette * (x * x + y * y) / 2)[:, :, None]
    deviation = np.sqrt(sensor.read_noise**2 + sensor.shot_noise**2 * np.clip(seen, 0, 1))
    seen += rng.standard_normal(seen.shape, np.float32) * deviation
    return levels(np.asarray(seen, np.float32))


def gain_of(light: Light, exposure: float) -> float:
    """Return how much a camera brightens a table's pictures: the same for all its frames."""
    bright = float(np.percentile(light.max(axis=2), _BRIGHT))
    return 0.75 * exposure / max(bright, 1e-6)


def levels(light: Light) -> Picture:
    """Return the levels of a picture of light, by the sRGB curve."""
    shown = np.clip(light, 0, 1)
    curved = np.where(shown <= 0.0031308, shown * 12.92, 1.055 * np.power(np.maximum(shown, 1e-8), 1 / 2.4) - 0.055)
    return np.asarray(np.rint(curved * 255), np.uint8)
