"""Opens the camera of a setting: chooses the adapter by the address, and adds the watch for faulty frames."""

from __future__ import annotations

from vision.cameras.file_camera import open_folder
from vision.cameras.http_camera import HttpCamera
from vision.cameras.pi_camera import open_pi_camera
from vision.cameras.port import Camera, CameraLock
from vision.cameras.usb_camera import open_usb_camera
from vision.cameras.watched_camera import ReopenedCamera, WatchedCamera


def open_camera(
    source: str,
    timeout_s: float,
    lock: CameraLock | None = None,
    *,
    local_only: bool = False,
    size: tuple[int, int] | None = None,
    at_once: bool = True,
) -> Camera:
    """Open the camera at an address and watch its frames for faults.

    ``v4l2:0`` and ``picamera2:0`` are devices of this machine, ``http://host:port/path`` is an HTTP camera,
    ``files:FOLDER`` shows a folder's pictures in a loop. ``local_only`` is for cameras that see concealed tiles.
    ``size`` (width, height in px) is the size that pictures must have; None: that of the device, or of the first
    picture. Raises ValueError for an address that may not or cannot be used, CameraLostError for a device that cannot
    be opened; with ``at_once`` False the first frame raises it, and each later one tries again.
    """
    kind, _, which = source.partition(":")
    if kind == "files":
        return ReopenedCamera(lambda: open_folder(which), at_once=at_once)
    if kind not in {"v4l2", "picamera2"}:
        return WatchedCamera(HttpCamera(source, timeout_s=timeout_s, loopback_only=local_only), f"the camera at {source}", size=size)
    if not which.isdecimal():
        raise ValueError(f"{source!r} is not a camera: write {kind}: and the device's number, for example {kind}:0")
    locked = lock or CameraLock()
    open_device = open_usb_camera if kind == "v4l2" else open_pi_camera
    device = ReopenedCamera(lambda: open_device(int(which), locked), at_once=at_once)
    return WatchedCamera(device, f"the camera {source}", size=size or (locked.width, locked.height))
