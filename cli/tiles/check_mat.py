"""``twinwall tiles selftest mat``: checks by the camera above the table how the sheets or cards of a mat lie, and says what to do first."""

import time
from argparse import Namespace
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from cli.usage import EXIT_GOOD, EXIT_NO, JSON, PUBLISHED, UsageError, answer, argument, new_file, takes, write_file
from config import load
from controller.device_settings import CameraSection
from controller.settings import TableSettings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from vision.calibration.mat_check import MatCheck
    from vision.table.lens import Lens

_HEIGHT_MM = 1600.0
_MAT = """Measure one picture of the bare mat: whether each sheet or card lies in its place, the right way round and in its right size, and
whether light, sharpness and resolution are enough. The worst fault is said with what to do; test again when that is done. Exit 1 while
something is wrong."""


@takes(
    argument("--settings", "the table's settings file: its camera, its mat, its calibration", type=Path, metavar="SETTINGS"),
    argument("--image", "a picture in place of the camera", type=Path),
    argument("--walls", "the mat on which walls are built by hand", action="store_true"),
    argument("--picture", "write the picture with what is seen in it, as PNG", type=new_file, metavar="FILE"),
    JSON,
    about=_MAT,
)
def check_mat(arguments: Namespace) -> int:
    """0 when nothing is wrong, 1 when something is."""
    from twinwall.art.mat import Mat  # noqa: PLC0415
    from twinwall.art.wall_mat import WallMat  # noqa: PLC0415
    from vision.calibration.mat_check import check_mat  # noqa: PLC0415  # other commands need not wait for OpenCV
    from vision.calibration.mat_check_picture import drawn_png  # noqa: PLC0415

    settings = None if arguments.settings is None else load(arguments.settings, TableSettings)
    mat = Mat() if settings is None else settings.own_mat
    if arguments.walls:
        mat = WallMat()
    image = _picture(settings, arguments.image)
    lens, height_mm = lens_and_height(None if settings is None else settings.camera, image)
    checked = check_mat(image, mat, height_mm, lens)
    if arguments.picture is not None:
        write_file(arguments.picture, drawn_png(image, mat, checked), PUBLISHED, force=True)
    answer(_as_json(checked), _as_text(checked), as_json=arguments.json)
    return EXIT_NO if checked.findings else EXIT_GOOD


def _picture(settings: TableSettings | None, path: Path | None) -> "NDArray[np.uint8]":
    """The file's picture, or a frame of the table's camera (h × w × 3 BGR)."""
    from cli.tiles.cameras import open_plain_camera  # noqa: PLC0415
    from vision.cameras.file_camera import file_bytes  # noqa: PLC0415
    from vision.cameras.pictures import decode_picture  # noqa: PLC0415
    from vision.cameras.port import CameraLostError  # noqa: PLC0415

    try:
        if path is not None:
            return decode_picture(file_bytes(path), str(path))
        if settings is None:
            raise UsageError("tiles selftest mat needs --settings, the table's settings file, or --image, a picture")
        with closing(open_plain_camera(settings.camera, "table")) as camera:
            return camera.frame_after(time.monotonic_ns()).image
    except (OSError, CameraLostError) as lost:
        raise UsageError(str(lost)) from None


def lens_and_height(camera: CameraSection | None, image: "NDArray[np.uint8]") -> "tuple[Lens | None, float]":
    """Lens and height of the camera's calibration, where there is one for pictures of this size."""
    from cli.tiles.cameras import day_of  # noqa: PLC0415

    day = None if camera is None else day_of(camera, "table")
    if day is None or day.mat is None or image.shape[:2] != (day.height_px, day.width_px):
        return None, _HEIGHT_MM
    return day.mat.lens, day.mat.camera_height_mm


def _as_json(checked: "MatCheck") -> dict[str, object]:
    seen = checked.pieces
    return {
        "paper": None if seen.paper is None else seen.paper.name,
        "markers": sorted(one.number for one in seen.seen),
        "px_per_mm": round(checked.px_per_mm, 3),
        "edge_mm": round(checked.edge_mm, 2),
        "slots": len(checked.slots),
        "slots_bare": len(checked.slots_bare),
        "findings": [
            {"fault": one.fault.value, "numbers": one.numbers, "figure": round(one.figure, 3), "unit": one.unit, "advice": one.advice}
            for one in checked.findings
        ],
    }


def _as_text(checked: "MatCheck") -> str:
    seen = checked.pieces
    expected = sum(len(piece.markers) for piece in seen.pieces)
    what = "The mat" if seen.paper is None else f"The mat on {len(seen.pieces)} sheets of {seen.paper.name}"
    lines = [
        f"{what}: {len({one.number for one in seen.seen})} of {expected} markers, {len(checked.slots_bare)} of {len(checked.slots)} slots "
        f"bare, {checked.px_per_mm:.2f} px a millimetre, edges {checked.edge_mm:.1f} mm wide"
    ]
    if not checked.findings:
        return "\n".join([*lines, "good"])
    lines.append(f"BAD: {checked.findings[0].advice}")
    more = len(checked.findings) - 1
    if more:
        lines.append(f"{more} more after this: test again when it is done")
    return "\n".join(lines)
