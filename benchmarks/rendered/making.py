"""Makes the folder of a path-traced table: its frames and the truth about them."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from benchmarks.rendered.arms import TracedArm
from benchmarks.rendered.camera import OverheadCamera, Points
from benchmarks.rendered.faces import face_pictures
from benchmarks.rendered.folder import FrameTruth, SlotTruth, TableTruth, write_truth
from benchmarks.rendered.hidden import arms_mask, hidden_shares, outline_px
from benchmarks.rendered.mat_picture import mat_picture, woven
from benchmarks.rendered.sensor import exposed, gain_of, seen_through_lens
from benchmarks.rendered.tables import TracedTable
from simulator.cameras.optics import Light, jpeg
from twinwall.art.mat import Mat, Slot
from twinwall.values import frozen


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
