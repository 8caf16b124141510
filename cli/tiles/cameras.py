"""The gate cameras and the table camera of the settings, each with its calibration."""

from collections.abc import Iterator
from dataclasses import replace

from config import SettingsError
from controller.device_settings import CameraSection
from vision.calibration.camera_day import CameraDay, EvenCamera, parse_camera_day
from vision.cameras.opening import open_camera, refuse_same_camera
from vision.cameras.port import Camera

GATE, TABLE = "gate", "table"


def open_gate_camera(camera: CameraSection, *, at_once: bool = True) -> Camera:
    """The gate camera, corrected and cut as its calibration says; raises CameraLostError, ValueError. With ``at_once`` False a missing
    camera is opened when a frame is asked for."""
    day = day_of(camera, GATE)
    plain = _opened(camera, GATE, day, at_once=at_once)
    return plain if day is None or (day.flat_field is None and day.region is None) else EvenCamera(plain, day.flat_field, day.region)


def open_gate_cameras(camera: CameraSection, *, at_once: bool = True) -> Iterator[Camera]:
    """The cameras of all gates in their order, each as ``open_gate_camera`` opens the first; raises as that does. Raises SettingsError
    where two of the settings' cameras are one."""
    try:
        refuse_same_camera((camera.gate.source, *camera.other_gates, camera.table.source))
    except ValueError as error:
        raise SettingsError(f"[camera] {error}") from None
    yield open_gate_camera(camera, at_once=at_once)
    calibrations = camera.other_calibrations or (None,) * len(camera.other_gates)
    for source, calibration in zip(camera.other_gates, calibrations, strict=True):
        gate = replace(camera.gate, source=source, calibration=calibration)
        yield open_gate_camera(replace(camera, gate=gate), at_once=at_once)


def open_table_camera(camera: CameraSection) -> Camera:
    """The camera above the table, opened when a frame is asked for; raises ValueError."""
    return _opened(camera, TABLE, day_of(camera, TABLE), at_once=False)


def open_plain_camera(camera: CameraSection, which: str) -> Camera:
    """One of the cameras as it is; the gate's must stand on this machine. Raises CameraLostError and ValueError."""
    return _opened(camera, which, None, at_once=True)


def _opened(camera: CameraSection, which: str, day: CameraDay | None, *, at_once: bool) -> Camera:
    """A camera whose pictures must have the size of its calibration, where there is one."""
    section = camera.gate if which == GATE else camera.table
    size = None if day is None else (day.width_px, day.height_px)
    return open_camera(section.source, camera.read_timeout_s, section.lock, local_only=which == GATE, size=size, at_once=at_once)


def day_of(camera: CameraSection, which: str) -> CameraDay | None:
    """How a camera saw on its day of calibration, None where the settings name none; raises DocumentError for a file of no use."""
    path = camera.gate.calibration if which == GATE else camera.table.calibration
    if path is None:
        return None
    return parse_camera_day(path.read_text(encoding="utf-8", errors="replace"), str(path), which)
