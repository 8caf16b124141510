"""Makes the folder of a path-traced table: its frames and the truth about them.

What arms and tiles hide of a slot is the share of its outline in the picture, by the shapes as the camera that renders them projects
them. An arm hides everything within its outline, since nothing is above it. Tiles are side by side at one height, so they hide no faces,
only bare places beside them.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Protocol

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from benchmarks.rendered.arms import TracedArm
from benchmarks.rendered.camera import OverheadCamera, Points
from benchmarks.rendered.faces import face_pictures
from benchmarks.rendered.folder import FrameTruth, SlotTruth, TableTruth, write_truth
from benchmarks.rendered.looks import Weave, exposed, gain_of, seen_through_lens
from benchmarks.rendered.tables import TracedTable
from simulator.cameras.ground import SIDE_PX
from simulator.cameras.optics import Light, Picture, jpeg
from simulator.cameras.table import TILE_THICKNESS_MM
from simulator.scene import LaidTile
from tests.support.dashboard.printed import pictures_of
from twinwall.art.mat import Mat, Slot
from twinwall.art.mat_prints.mat_pages import FELT, PRINT, mat_page
from twinwall.art.pdf import Mark, PdfLine, Rectangle, pdf
from twinwall.values import frozen

Mask = NDArray[np.uint8]
"""SIDE_PX × SIDE_PX, 255 where something is."""
_SHIFT = 4
_FINER = 1 << _SHIFT


def tile_corners_mm(mat: Mat, slot: Slot, laid: LaidTile | None) -> Points:
    """Return the corners (4 × 2 mm: upper left, upper right, lower right, lower left) of an upright tile at a slot, or of the bare slot."""
    spot = mat.spot(slot)
    off, angle_deg = ((0.0, 0.0), 0.0) if laid is None else (laid.offset_mm, laid.angle_deg + 90.0 * laid.sideways)
    angle = np.deg2rad(spot.turn_deg + angle_deg)
    x, y = mat.tile_width_mm / 2, mat.tile_height_mm / 2
    turn = np.array([(np.cos(angle), -np.sin(angle)), (np.sin(angle), np.cos(angle))])
    corners = np.array([(-x, -y), (x, -y), (x, y), (-x, y)]) @ turn
    return np.asarray(corners + np.array((spot.x_mm + off[0], spot.y_mm + off[1])), np.float64)


def outline_px(mat: Mat, slot: Slot, laid: LaidTile | None, camera: OverheadCamera) -> Points:
    """Return where the face of the tile at a slot, or the bare slot, is seen (4 × 2 px)."""
    return camera.project(tile_corners_mm(mat, slot, laid), 0.0 if laid is None else TILE_THICKNESS_MM)


def arms_mask(shapes: Iterable[tuple[Points, NDArray[np.int32]]], camera: OverheadCamera) -> Mask:
    """Return what arms cover, from points (n × 3 mm, the third above the mat) and triangles (m × 3) of each shape."""
    mask = np.zeros((SIDE_PX, SIDE_PX), np.uint8)
    for points, triangles in shapes:
        pixels = np.rint(camera.project(points[:, :2], points[:, 2]) * _FINER).astype(np.int32)
        for corners in pixels[triangles]:
            cv2.fillConvexPoly(mask, corners, 255, cv2.LINE_8, _SHIFT)
    return mask


def tiles_mask(corners_mm: Iterable[Points], camera: OverheadCamera) -> Mask:
    """Return what tiles cover, each from its foot to its face."""
    mask = np.zeros((SIDE_PX, SIDE_PX), np.uint8)
    for corners in corners_mm:
        seen = np.vstack((camera.project(corners), camera.project(corners, TILE_THICKNESS_MM)))
        hull = cv2.convexHull(np.rint(seen * _FINER).astype(np.int32))
        cv2.fillConvexPoly(mask, hull, 255, cv2.LINE_8, _SHIFT)
    return mask


def share(mask: Mask, outline: Points) -> float:
    """Return the share of an outline (4 × 2 px) that a mask covers, 0 to 1; parts outside the picture count as free."""
    left, top = np.clip(np.floor(outline.min(axis=0)), 0, SIDE_PX - 1).astype(int)
    right, bottom = np.clip(np.ceil(outline.max(axis=0)) + 1, 1, SIDE_PX).astype(int)
    inside = np.zeros((bottom - top, right - left), np.uint8)
    cv2.fillConvexPoly(inside, np.rint((outline - (left, top)) * _FINER).astype(np.int32), 255, cv2.LINE_8, _SHIFT)
    within = inside > 0
    return float((mask[top:bottom, left:right][within] > 0).mean()) if within.any() else 0.0


def hidden_shares(
    mat: Mat, slots: Iterable[Slot], laid: Mapping[Slot, LaidTile], camera: OverheadCamera, arms: Mask
) -> dict[Slot, tuple[float, float]]:
    """Return, for each slot, the shares of its tile's face or bare place that arms and other tiles hide."""
    tiles = tiles_mask((tile_corners_mm(mat, slot, one) for slot, one in laid.items()), camera)
    found = {}
    for slot in slots:
        outline = outline_px(mat, slot, laid.get(slot), camera)
        found[slot] = share(arms, outline), 0.0 if slot in laid else share(tiles, outline)
    return found


_PX_PER_MM = 4.0
_PAPER_LEVEL, _INK_LEVEL = 0.86, 16


def mat_picture(mat: Mat, weave: Weave) -> Picture:
    """Return the print (BGR, 4 px a mm), its ground and lines in the cloth's colours; no white is pure white, no black pure black."""
    page = mat_page(mat)
    drawn = replace(page, marks=tuple(_coloured(mark, weave) for mark in page.marks))
    (picture,) = pictures_of(pdf([drawn]), _PX_PER_MM * 25.4 / 72)
    return np.asarray(cv2.convertScaleAbs(picture, alpha=_PAPER_LEVEL, beta=_INK_LEVEL), np.uint8)


def woven(printed: Picture, weave: Weave, rng: Generator) -> tuple[Picture, Picture]:
    """Return the print on threads and fibres, and the cloth's normals as a picture (blue up, green away from place 0, red right)."""
    height = _threads(len(printed), weave, rng)
    shade = 0.8 + 0.28 * height
    colour = np.clip(np.rint(printed * shade[:, :, None]), 0, 255).astype(np.uint8)
    across = cv2.Sobel(height, cv2.CV_32F, 1, 0, scale=_PX_PER_MM / 8) * weave.depth_mm
    down = cv2.Sobel(height, cv2.CV_32F, 0, 1, scale=_PX_PER_MM / 8) * weave.depth_mm
    normals = np.dstack((np.ones_like(across), down, -across))
    normals /= np.linalg.norm(normals, axis=2, keepdims=True)
    return colour, np.rint((normals + 1) * 127.5).astype(np.uint8)


def _threads(side_px: int, weave: Weave, rng: Generator) -> NDArray[np.float32]:
    """Return the cloth's height, about 0 to 1: slightly uneven threads over and under one another, and fibres."""
    y, x = np.mgrid[0:side_px, 0:side_px].astype(np.float32) / np.float32(_PX_PER_MM * weave.thread_mm) * np.float32(np.pi)
    slow = cv2.resize(rng.normal(0, 0.7, (2, side_px // 40, side_px // 40)).astype(np.float32).transpose(1, 2, 0), (side_px, side_px))
    over = 0.5 + 0.5 * np.sin(x + slow[:, :, 0]) * np.sin(y + slow[:, :, 1])
    fibres = cv2.GaussianBlur(rng.standard_normal((side_px, side_px), np.float32), (0, 0), 0.8)
    return np.asarray(0.8 * over + 0.22 * fibres + 0.1, np.float32)


def _coloured(mark: Mark, weave: Weave) -> Mark:
    if isinstance(mark, Rectangle | PdfLine):
        if mark.colour == FELT:
            return replace(mark, colour=weave.ground)
        if mark.colour == PRINT:
            return replace(mark, colour=weave.print_colour)
    return mark


class BlenderMissingError(Exception):
    """Blender's module is not installed; the message says how to install it."""


@contextmanager
def blender_wanted() -> Iterator[None]:
    """Wrap imports of Blender's module; raises BlenderMissingError."""
    try:
        yield
    except ImportError as error:
        wanted = "install the dependency group with uv sync --group render"
        raise BlenderMissingError(f"rendering needs Blender's module ({error}): {wanted}") from None


@frozen
class RenderEffort:
    """How much a frame may cost: samples a pixel, and threads."""

    samples: int
    threads: int


class SceneRenderer(Protocol):
    """The part of ``scene.TracedScene`` that a frame needs."""

    def reach(self, arms: tuple[TracedArm, ...]) -> list[tuple[Points, NDArray[np.int32]]]:
        """Put these arms over the table; return their shapes."""
        ...

    def light(self, camera: OverheadCamera, samples: int, seed: int, threads: int) -> Light:
        """Return what a straight lens shows."""
        ...


def make(table: TracedTable, mat: Mat, out: Path, photos: Path | None, effort: RenderEffort) -> Path:
    """Render a table into a folder of its own; raises BlenderMissingError, and LabelsError if photographs are missing."""
    with blender_wanted():
        from benchmarks.rendered.scene import TracedScene  # noqa: PLC0415  # only rendering has Blender
    rng = table.generator()
    faces = face_pictures(table.look.finish, rng, photos)
    cloth = woven(mat_picture(mat, table.look.weave), table.look.weave, rng)
    folder = out / table.name
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as kept:
        scene = TracedScene(mat, table.look, cloth, faces, Path(kept))
        scene.lay(table.laid)
        frames = list(framed(scene, table, mat, folder, effort))
    write_truth(folder, told(table, mat, frames))
    return folder


@frozen
class _Rendered:
    """A table's light, the camera that rendered it, and the arms over it (mm, triangles)."""

    arms: tuple[TracedArm, ...]
    shapes: list[tuple[Points, NDArray[np.int32]]]
    camera: OverheadCamera
    light: Light


def framed(scene: SceneRenderer, table: TracedTable, mat: Mat, folder: Path, effort: RenderEffort) -> Iterator[FrameTruth]:
    """Render, expose and store each frame; yield what is hidden in it. The first frame sets the exposure. Frames that differ only by a
    camera move of less than a millimetre share their light, each with its own exposure."""
    gain, last = None, None
    for number, moment in enumerate(table.moments):
        if last is None or last.arms != moment.arms:
            shapes = scene.reach(moment.arms)
            light = scene.light(moment.camera, effort.samples, moment.seed, effort.threads)
            last = _Rendered(moment.arms, shapes, moment.camera, light)
        seen = seen_through_lens(last.light, last.camera, moment.camera)
        gain = gain or gain_of(seen, table.look.sensor.exposure)
        picture = exposed(seen, table.look.sensor, gain, np.random.default_rng(moment.seed))
        name = f"{number}.jpg"
        (folder / name).write_bytes(jpeg(picture, table.look.sensor.quality))
        arms = arms_mask(last.shapes, moment.camera)
        shares = hidden_shares(mat, mat.all_slots(), table.laid, moment.camera, arms)
        hidden = [
            (slot.place, slot.area.value, slot.index, round(by_arms, 4), round(by_tiles, 4)) for slot, (by_arms, by_tiles) in shares.items()
        ]
        yield FrameTruth(file=name, hidden=hidden)


def told(table: TracedTable, mat: Mat, frames: list[FrameTruth]) -> TableTruth:
    """Return the truth about a table; outlines are those of the resting camera, up to half a pixel beside those of the frames."""
    camera = table.look.camera
    return TableTruth(
        scene=table.name,
        condition=table.look.kind.value,
        design=table.design,
        camera_height_mm=table.look.told_height_mm,
        camera={"focal": camera.focal_px, "height": camera.height_mm},
        slots=[_slot_truth(table, mat, slot) for slot in mat.all_slots()],
        frames=frames,
    )


def _slot_truth(table: TracedTable, mat: Mat, slot: Slot) -> SlotTruth:
    laid = table.laid.get(slot)
    key = (slot.place, slot.area.value, slot.index)
    if laid is None:
        return SlotTruth(slot=key, holds="empty", sideways=None, outline_px=None)
    outline = [(round(x, 1), round(y, 1)) for x, y in outline_px(mat, slot, laid, table.look.camera).tolist()]
    return SlotTruth(slot=key, holds=laid.face, sideways=laid.sideways, outline_px=outline)
