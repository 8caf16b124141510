"""A table without a mat, path-traced: which parts of its picture are rendered again, and how a camera converts the light.

The whole picture is rendered once, and again when the camera was moved; otherwise only around tiles that came or went, as far as their
shadows reach. Tiles, ground, lamps and camera are in the scene (``home_scene``, in Blender). Arms and things are drawn over the picture, as
for drawn tables, without shadows of the lamps.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from benchmarks.anytable.surfaces import ground
from benchmarks.anytable.video import SIZE_PX, ViewOf
from benchmarks.rendered.camera import Part
from benchmarks.rendered.looks import Lamp, gain_of, levels, room_lamps
from benchmarks.rendered.making import blender_wanted
from simulator.cameras.optics import Light
from tools.train.finder.tabletop import CORNERS, DrawnSet, Eye, Label, Picture, Points, Tile3D, box_of, draw
from twinwall.values import frozen

_SOFT_PX, _AROUND_PX = 8, 14
"""Pixels over which a rendered part fades into the picture, and by which it reaches beyond the shadows."""
_ROUGHNESS_AND_DEPTH = {
    "felt": (0.95, 0.4),
    "wood": (0.45, 0.15),
    "dark wood": (0.3, 0.15),
    "printed cloth": (0.9, 0.15),
    "white board": (0.3, 0.0),
    "stone": (0.2, 0.0),
    "automatic table": (0.95, 0.4),
    "bed sheet": (0.95, 0.6),
}


@frozen
class HomeLook:
    """Lamps and ambient light, the ground's roughness and depth, the gloss of tiles (0 mirror, 1 matt), and exposure."""

    lamps: tuple[Lamp, ...]
    ambient: float
    roughness: float
    deep_mm: float
    gloss: float
    exposure: float


class FilmedScene(Protocol):
    """The part of ``home_scene.HomeScene`` that is used."""

    def lay(self, gone: Sequence[Tile3D], come: Sequence[Tile3D]) -> None:
        """Take laid tiles away, and lay others."""
        ...

    def light(self, eye: Eye, part: Part | None) -> Light:
        """Return what the camera shows, all of it or a part (left, upper, right, lower edge)."""
        ...


def home_look(surface: str, rng: Generator) -> HomeLook:
    """Return a random look."""
    lamps, (roughness, deep_mm) = tuple(room_lamps(rng)), _ROUGHNESS_AND_DEPTH[surface]
    ambient, gloss, exposure = rng.uniform((0.15, 0.12, 0.5), (0.6, 0.4, 0.75)).tolist()
    return HomeLook(lamps, ambient, roughness, deep_mm, gloss, exposure)


def in_blender(folder: Path) -> ViewOf:
    """Return a maker of views that Blender renders, with its files in ``folder``; raises BlenderMissingError."""
    with blender_wanted():
        from benchmarks.anytable.home_scene import HomeScene  # noqa: PLC0415  # only rendering has Blender

    def view(surface: str, tile_set: DrawnSet, seed: int, rng: Generator) -> TracedView:
        look = home_look(surface, rng)
        above = ground(surface, np.random.default_rng([seed, 16]))
        return TracedView(HomeScene(look, tile_set, above, folder), look, tile_set)

    return view


class TracedView:
    """A table in a scene; its light is kept from picture to picture."""

    def __init__(self, scene: FilmedScene, look: HomeLook, tile_set: DrawnSet) -> None:
        self._scene, self._look, self._set = scene, look, tile_set
        self._laid: dict[tuple[object, ...], Tile3D] = {}
        self._kept: tuple[Eye, Light] | None = None
        self._gain = 0.0

    def seen(self, tiles: list[Tile3D], eye: Eye, bright: NDArray[np.float32]) -> tuple[Picture, list[Label]]:
        """As ``video.FilmedView``."""
        now = {_key(tile): tile for tile in tiles}
        gone = [tile for key, tile in self._laid.items() if key not in now]
        come = [tile for key, tile in now.items() if key not in self._laid]
        self._scene.lay(gone, come)
        self._laid = {key: self._laid.get(key, tile) for key, tile in now.items()}
        if self._kept is None or self._kept[0] is not eye:
            self._kept = eye, self._scene.light(eye, None)
        else:
            for part in joined(self._part(tile, eye) for tile in (*gone, *come)):
                _blend(self._kept[1], self._scene.light(eye, part), part)
        light = self._kept[1]
        self._gain = self._gain or gain_of(light, self._look.exposure)
        labels, _ = draw(np.zeros((*SIZE_PX[::-1], 3), np.uint8), tiles, self._set, eye, np.array((0.0, 0.0, 1.0)))
        return levels(np.asarray(light * bright * np.float32(self._gain), np.float32)), labels

    def _part(self, tile: Tile3D, eye: Eye) -> Part:
        """Return the part of the picture that may show a tile, its shadows, and the surroundings it darkens."""
        middle, halves = box_of(tile, self._set)
        corners = middle + CORNERS @ halves
        high = float(corners[:, 2].max())
        reached = [corners, *((corners + high * side) * (1, 1, 0) for side in CORNERS)]
        reached += [shadow(corners, np.array(lamp.at_mm)) for lamp in self._look.lamps]
        seen = eye.project(np.concatenate(reached))
        low, far = np.floor(seen.min(axis=0)).astype(int) - _AROUND_PX, np.ceil(seen.max(axis=0)).astype(int) + _AROUND_PX
        left, upper = np.clip(low, 0, np.array(SIZE_PX) - 1).tolist()
        right, lower = np.clip(far, 1, SIZE_PX).tolist()
        return left, upper, right, lower


def shadow(points_mm: Points, lamp_mm: Points) -> Points:
    """Return where a lamp throws the shadows of points (n × 3) on the table."""
    shares = points_mm[:, 2:] / (lamp_mm[2] - points_mm[:, 2:])
    return np.asarray((points_mm + (points_mm - lamp_mm) * shares) * (1, 1, 0), np.float64)


def joined(parts: Iterable[Part]) -> Iterator[Part]:
    """Yield the parts, with overlapping ones joined."""
    waiting = list(parts)
    while waiting:
        one = waiting.pop()
        for number, other in enumerate(waiting):
            if one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]:
                left, upper, right, lower = zip(one, other, strict=True)
                waiting[number] = min(left), min(upper), max(right), max(lower)
                break
        else:
            yield one


def _key(tile: Tile3D) -> tuple[object, ...]:
    """Return the same key for tiles that look the same at the same place."""
    return round(tile.x_mm, 3), round(tile.y_mm, 3), round(tile.turn_deg, 3), round(tile.z_mm, 3), tile.form, id(tile.picture)


def _blend(kept: Light, fresh: Light, part: Part) -> None:
    """Blend a rendered part into a picture, in place, softly at the part's edges."""
    left, upper, right, lower = part
    across, down = (_ramp(*ends, side) for ends, side in zip(((left, right), (upper, lower)), SIZE_PX, strict=True))
    mask = np.minimum(down[:, None], across[None, :])[..., None]
    there = kept[upper:lower, left:right]
    there += mask * (fresh - there)


def _ramp(low: int, high: int, side: int) -> NDArray[np.float32]:
    at = np.arange(low, high, dtype=np.float32)
    begun = np.full_like(at, _SOFT_PX) if low == 0 else at - low + 1
    left = np.full_like(at, _SOFT_PX) if high == side else high - at
    return np.minimum(np.minimum(begun, left) / _SOFT_PX, 1)
