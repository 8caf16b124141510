"""A table's two cameras, as its settings name them."""

from __future__ import annotations

from dataclasses import asdict

from config.table import CameraSection, LockSection
from vision.camera import Camera, CameraLock, open_camera


def open_gate_camera(camera: CameraSection) -> Camera:
    """The gate's camera, on this machine; raises CameraLost and ValueError."""
    return open_camera(camera.gate.source, camera.read_timeout_s, _lock(camera.gate.lock), local_only=True)


def open_table_camera(camera: CameraSection) -> Camera:
    """The camera above the table; raises CameraLost and ValueError."""
    return open_camera(camera.table.source, camera.read_timeout_s, _lock(camera.table.lock))


def _lock(section: LockSection) -> CameraLock:
    return CameraLock(**asdict(section))
