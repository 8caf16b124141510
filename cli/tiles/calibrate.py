"""``twinwall tiles calibrate`` and ``selftest``: writes the calibration of a camera, compares camera and tiles with it later, and checks by
the camera above the table how the sheets or cards of a mat lie.
"""

import time
from argparse import Namespace
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from cli.table.table_journal import JOURNAL, reading_cipher
from cli.tiles.cameras import day_of, open_plain_camera
from cli.usage import (
    JSON,
    PUBLISHED,
    UsageError,
    answer,
    argument,
    new_file,
    one_of,
    refuse_no_file,
    settings_file,
    takes,
    tell,
    write_file,
)
from config import load
from controller.device_settings import CameraSection
from controller.ledger.journal import Journal
from controller.settings import TableSettings
from controller.wall.wear import WALLS, looks_of
from twinwall.art.mat import Mat, WallMat
from twinwall.art.mat_prints.mat_pages import mat_print
from twinwall.art.mat_prints.name_marker import why_unnamed
from vision.calibration import mat_check
from vision.calibration.calibrate import CalibrationRefusedError, Finding, calibrate_gate, calibrate_table, examine, examine_mat, frames_of
from vision.calibration.camera_day import CameraDay
from vision.calibration.mat_check import drawn_png
from vision.cameras.file_camera import file_bytes
from vision.cameras.port import Camera, CameraLostError, decode_picture, use_one_thread
from vision.table.lens import Lens

Got = TypeVar("Got")

_LOWEST_MM, _HIGHEST_MM = 300.0, 5000.0
"""Upper limit of a camera's height over its mat."""
_HELP = """Write down how a camera of a table sees today: light, noise, sharpness, and a thumbnail of its empty scene. The gate's camera
is shown its empty gate, a white card (which evens out its light) and a tile (which says what part of the picture matters), the table's
the bare mat with its markers. twinwall tiles selftest camera compares with it. --print writes the PDF of the markers, of the whole
mat, or of the mat for walls built by hand."""
_TEST_HELP = """Hold a camera's pictures of its empty gate, or of the bare mat, against the day of its calibration. Exit 1 when something
wants a hand: a lens to clean, a lamp, a focus, a camera that was moved."""

_PRINT_HELP = "write a PDF to print: the mat's markers, the whole mat, or the mat on which walls are built by hand"
_PAPER_HELP = "print a mat on sheets of this format, to be cut and put together; without it on one page of the mat's size"
_TABLE_HELP = "print the mat or its markers with the name of this table, a number; with --settings the mat has that table's where it is one"
_TILES_HELP = """Read the journal of a table that is not running, and name the kinds that its gate reads less surely than it did:
worn, chipped or dirty tiles. Exit 1 when there are any."""
_HEIGHT_MM = 1600.0
_MAT = """Measure one picture of the bare mat: whether each sheet or card lies in its place, the right way round and in its right size, and
whether light, sharpness and resolution are enough. The worst fault is said with what to do; test again when that is done. Exit 1 while
something is wrong."""


@takes(
    one_of(
        argument("--camera", "the camera under the gate, or the one above the table", choices=("gate", "table")),
        argument("--print", _PRINT_HELP, choices=("markers", "mat", "walls")),
        required=True,
    ),
    argument("--paper", _PAPER_HELP, choices=("a4", "a3")),
    argument("--table", _TABLE_HELP, metavar="NAME"),
    argument("--settings", "the table's settings file; a camera needs it", type=Path, metavar="SETTINGS"),
    argument("--out", "the calibration, or the PDF, to write", type=new_file, metavar="FILE", required=True),
    argument("--height-mm", "how high the table's camera hangs above the mat (default 1600)", type=float, default=_HEIGHT_MM),
    argument("--cards", "the table's markers are cards that people have laid: measure how they lie", action="store_true"),
    about=_HELP,
)
def calibrate(arguments: Namespace) -> bool:
    """0 when the file was written, 1 when what was shown cannot be calibrated on."""
    if arguments.print is not None:
        _print(arguments)
        return True
    if arguments.paper is not None:
        raise UsageError("--paper goes with --print mat or walls")
    if arguments.table is not None:
        raise UsageError("--table goes with --print mat or markers: a camera's table is that of its settings")
    if arguments.settings is None:
        raise UsageError("tiles calibrate --camera needs --settings, the table's settings file")
    if not _LOWEST_MM <= arguments.height_mm <= _HIGHEST_MM:
        raise UsageError(f"--height-mm {arguments.height_mm:g}: a camera hangs from {_LOWEST_MM:g} to {_HIGHEST_MM:g} mm above its mat")
    refuse_no_file(arguments.out)
    try:
        day = _with_camera(load(arguments.settings, TableSettings), arguments.camera, _calibration(arguments))
    except CalibrationRefusedError as refused:
        tell(f"not calibrated: {refused}")
        return False
    write_file(arguments.out, day.to_json().encode(), PUBLISHED, force=True)
    print(f"{arguments.out}: the {day.camera} camera as of {day.made}; name it in the settings at [camera.{day.camera}] calibration")
    return True


def _calibration(arguments: Namespace) -> Callable[[TableSettings, Camera], CameraDay]:
    today = datetime.now(UTC).date()
    if arguments.camera == "gate" and arguments.cards:
        raise UsageError("--cards goes with --camera table")
    if arguments.camera == "gate":
        return lambda _, camera: calibrate_gate(camera, _shown, today)
    cards, height_mm = arguments.cards, arguments.height_mm
    return lambda settings, camera: calibrate_table(camera, settings.own_mat, height_mm, _shown, today, cards=cards, note=print)


def _with_camera(settings: TableSettings, which: str, use: Callable[[TableSettings, Camera], Got]) -> Got:
    """Use one of the table's cameras as it is, without its calibration, and close it."""
    use_one_thread()
    with closing(open_plain_camera(settings.camera, which)) as camera:
        return use(settings, camera)


def _shown(scene: str) -> bool:
    """Asks in the terminal; ``s`` and the end of the input skip."""
    try:
        return input(f"{scene}, then press Enter (s to skip): ").strip() != "s"
    except EOFError:
        return False


def _print(arguments: Namespace) -> None:
    if arguments.print == "markers" and arguments.paper is not None:
        raise UsageError("--paper is for a mat; the markers are on A4")
    if arguments.print == "walls" and arguments.table is not None:
        raise UsageError("--table goes with --print mat or markers: the mat for walls names no table")
    if arguments.print == "walls":
        mat: Mat = WallMat()
    else:
        mat = Mat() if arguments.settings is None else load(arguments.settings, TableSettings).own_mat
    if arguments.table is not None:
        mat = replace(mat, table=arguments.table)
        if why := why_unnamed(mat):
            raise UsageError(f"--table {arguments.table}: {why}")
    try:
        content = mat_print(arguments.paper or ("markers" if arguments.print == "markers" else "whole"), mat)
    except ValueError as error:
        raise UsageError(str(error)) from None
    assert content is not None, "each of these kinds has its print"
    write_file(arguments.out, content, PUBLISHED, force=True)


@takes(
    settings_file("the table's"),
    argument("--camera", "which camera (default gate)", choices=("gate", "table"), default="gate"),
    JSON,
    about=_TEST_HELP,
)
def test_camera(arguments: Namespace) -> bool:
    """0 when nothing wants a hand, 1 when something does."""
    settings = load(arguments.settings, TableSettings)
    day = day_of(settings.camera, arguments.camera)
    if day is None:
        raise UsageError(
            f"{arguments.settings} names no calibration of the {arguments.camera} camera: make one with twinwall tiles calibrate "
            f"--camera {arguments.camera}, and name it at [camera.{arguments.camera}] calibration"
        )
    frames = _with_camera(settings, arguments.camera, lambda _, camera: frames_of(camera))
    findings = examine(day, frames)
    if day.mat is not None and frames[0].shape[:2] == (day.height_px, day.width_px):
        findings += examine_mat(day.mat, frames, settings.own_mat)
    document = {"camera": day.camera, "calibrated": day.made.isoformat(), "findings": [asdict(one) for one in findings]}
    answer(document, _table(day, findings), as_json=arguments.json)
    return all(finding.good for finding in findings)


def _table(day: CameraDay, findings: list[Finding]) -> str:
    lines = [f"The {day.camera} camera, against {day.made}"]
    for finding in findings:
        verdict = "good" if finding.good else f"BAD: {finding.advice}"
        lines.append(f"{finding.what:<9} {finding.now:>8.3f}  ({finding.bound})  {verdict}")
    return "\n".join(lines)


@takes(settings_file("the table's"), JSON, about=_TILES_HELP)
def test_tiles(arguments: Namespace) -> bool:
    """0 when no kind wears, 1 when one does."""
    settings = load(arguments.settings, TableSettings)
    path = settings.ledger.folder / JOURNAL
    if not path.exists():
        raise UsageError(f"{path} is not there: the table has not been played at yet")
    journal = Journal(path, reading_cipher(settings))
    looks = looks_of(entry.event for entry in journal.entries)
    found = looks.worn()
    journal.close()
    names = {each.back: each.name for each in (settings.sets.first, settings.sets.second)}
    rows = [{"set": names.get(one.back), "back": one.back, "kind": one.tile.text, "then": one.then, "now": one.now} for one in found]
    words = "\n".join(
        f"{one.tile.text} of the set {names.get(one.back, one.back)}: {1 - 10**-one.then:.2%} at first, {1 - 10**-one.now:.2%} now; clean "
        "its four tiles, replace or enrol them again"
        for one in found
    )
    if looks.walls < 2 * WALLS:
        words = f"too little was seen to tell: {looks.walls} walls of a set at the most, and {2 * WALLS} are needed"
    answer({"worn": rows}, words or "no kind is read less surely than it was", as_json=arguments.json)
    return not found


@takes(
    argument("--settings", "the table's settings file: its camera, its mat, its calibration", type=Path, metavar="SETTINGS"),
    argument("--image", "a picture in place of the camera", type=Path),
    argument("--walls", "the mat on which walls are built by hand", action="store_true"),
    argument("--picture", "write the picture with what is seen in it, as PNG", type=new_file, metavar="FILE"),
    JSON,
    about=_MAT,
)
def check_mat(arguments: Namespace) -> bool:
    """0 when nothing is wrong, 1 when something is."""
    settings = None if arguments.settings is None else load(arguments.settings, TableSettings)
    mat = Mat() if settings is None else settings.own_mat
    if arguments.walls:
        mat = WallMat()
    image = _picture(settings, arguments.image)
    lens, height_mm = lens_and_height(None if settings is None else settings.camera, image)
    checked = mat_check.check_mat(image, mat, height_mm, lens)
    if arguments.picture is not None:
        write_file(arguments.picture, drawn_png(image, mat, checked), PUBLISHED, force=True)
    answer(_mat_json(checked), _mat_words(checked), as_json=arguments.json)
    return not checked.findings


def _picture(settings: TableSettings | None, path: Path | None) -> NDArray[np.uint8]:
    """The file's picture, or a frame of the table's camera (h × w × 3 BGR)."""
    try:
        if path is not None:
            return decode_picture(file_bytes(path), str(path))
        if settings is None:
            raise UsageError("tiles selftest mat needs --settings, the table's settings file, or --image, a picture")
        return _with_camera(settings, "table", lambda _, camera: camera.frame_after(time.monotonic_ns()).image)
    except (OSError, CameraLostError) as lost:
        raise UsageError(str(lost)) from None


def lens_and_height(camera: CameraSection | None, image: NDArray[np.uint8]) -> tuple[Lens | None, float]:
    """Lens and height of the camera's calibration, where there is one for pictures of this size."""
    day = None if camera is None else day_of(camera, "table")
    if day is None or day.mat is None or image.shape[:2] != (day.height_px, day.width_px):
        return None, _HEIGHT_MM
    return day.mat.lens, day.mat.camera_height_mm


def _mat_json(checked: mat_check.MatCheck) -> dict[str, object]:
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


def _mat_words(checked: mat_check.MatCheck) -> str:
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
