"""A path-traced table in a folder: pictures of an overhead camera, and ``truth.json``.

``truth.json`` says for each slot of the mat what is there (``holds``: a kind, ``flower``, ``back`` or ``empty``), whether it lies sideways,
and where its face is seen; and for each frame the shares of each slot that arms and other tiles hide.
"""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TypedDict

from twinwall.art.mat import Area, Slot

FREE_OF_ARMS, FREE_OF_TILES = 0.02, 0.3
"""Shares of a slot that arms, and other tiles, may hide if it still counts as seen."""
TRUTH = "truth.json"
CLOSE = "close"
"""A folder with this prefix shows a set from near; its design follows after a hyphen."""


class SlotTruth(TypedDict):
    """The content of a slot; ``outline_px`` is its face (upper left, upper right, lower right, lower left of the upright tile)."""

    slot: tuple[int, str, int]
    holds: str
    sideways: bool | None
    outline_px: list[tuple[float, float]] | None


class FrameTruth(TypedDict):
    """A picture's file, and for each slot (place, area, index) the shares hidden by arms and by other tiles."""

    file: str
    hidden: list[tuple[int, str, int, float, float]]


class CameraTruth(TypedDict):
    """The camera that rendered the table: focal length in px, height in mm."""

    focal: float
    height: float


class TableTruth(TypedDict):
    """The content of ``truth.json``; ``camera_height_mm`` is the camera's height as measured by a person."""

    scene: str
    condition: str
    design: str
    camera_height_mm: float
    camera: CameraTruth
    slots: list[SlotTruth]
    frames: list[FrameTruth]


class FolderError(Exception):
    """A folder is not a path-traced table; the message names it and says what to do."""


def truth_of(folder: Path) -> TableTruth:
    """Read the truth about a table; raises FolderError."""
    path = folder / TRUTH
    try:
        content: TableTruth = json.loads(path.read_text("utf-8"))
        _ = content["design"], content["camera_height_mm"], content["slots"], content["frames"]
    except OSError as error:
        raise FolderError(f"{path} cannot be read: {error.strerror}; make tables with: python -m benchmarks.rendered make") from None
    except (ValueError, KeyError, TypeError) as error:
        raise FolderError(f"{path} does not say what lies on a table ({error!r}); make the table again") from None
    return content


def write_truth(folder: Path, truth: TableTruth) -> None:
    (folder / TRUTH).write_text(json.dumps(truth) + "\n", "utf-8")


def tables_in(root: Path) -> list[Path]:
    """Return the folders of tables in a folder, in order, without sets shown from near; raises FolderError if there are none."""
    found = sorted(one.parent for one in root.glob(f"*/{TRUTH}") if not one.parent.name.startswith(CLOSE))
    if not found:
        raise FolderError(f"{root} holds no path-traced table: make some with python -m benchmarks.rendered make --out {root} --tables 1")
    return found


def slot_of(content: Iterable[object]) -> Slot:
    place, area, index = content
    return Slot(int(str(place)), Area(str(area)), int(str(index)))


def free_slots(frame: FrameTruth) -> frozenset[Slot]:
    """Return the slots that nothing hides in a frame."""
    return frozenset(
        slot_of((place, area, index))
        for place, area, index, arms, tiles in frame["hidden"]
        if arms <= FREE_OF_ARMS and tiles <= FREE_OF_TILES
    )


def slots_under_arms(frame: FrameTruth) -> frozenset[Slot]:
    """Return the slots of which arms hide too much."""
    return frozenset(slot_of((place, area, index)) for place, area, index, arms, _ in frame["hidden"] if arms > FREE_OF_ARMS)
