"""Opens a camera by its address: chooses the adapter, and adds the watch for faulty frames."""

import logging
from collections.abc import Callable, Iterable
from pathlib import Path

from vision.cameras.file_camera import open_folder
from vision.cameras.http_camera import MOST_ANSWERS, HttpCamera
from vision.cameras.lock import CameraLock
from vision.cameras.pi_camera import open_pi_camera
from vision.cameras.port import Camera, without_user
from vision.cameras.stream_camera import StreamCamera
from vision.cameras.usb_camera import DEVICES, MOST_QUEUED, device_path, open_usb_camera
from vision.cameras.watched_camera import ReopenedCamera, WatchedCamera

_STOPPING_S = 1.0
"""Additional time for a call that stops a silent device."""

log = logging.getLogger(__name__)


def open_camera(
    source: str,
    timeout_s: float,
    lock: CameraLock | None = None,
    *,
    local_only: bool = False,
    size: tuple[int, int] | None = None,
    any_size: bool = False,
    at_once: bool = True,
) -> Camera:
    """Open the camera at an address and watch its frames for faults.

    ``v4l2:0``, ``v4l2:/dev/v4l/by-id/…`` and ``picamera2:0`` are devices of this machine, ``http://host:port/path`` is an HTTP camera,
    ``files:FOLDER`` loops over a folder's pictures. ``local_only`` is for cameras that see concealed tiles. ``size`` (width, height in px)
    is the required size; None: that of ``lock``, or with ``any_size`` and over HTTP that of the first picture. Raises ValueError for an
    unusable address, CameraLostError for a device that cannot be opened; with ``at_once`` False each frame tries to open it and raises
    instead.
    """
    kind, _, which = source.partition(":")
    name = f"the camera {source}"
    if kind == "files":
        return ReopenedCamera(lambda: open_folder(which), name, timeout_s, at_once=at_once)
    if kind not in {"v4l2", "picamera2"}:
        http = HttpCamera(source, timeout_s=timeout_s, loopback_only=local_only)
        return WatchedCamera(ReopenedCamera(lambda: http, name, MOST_ANSWERS * timeout_s), name, size=size)
    locked = lock or CameraLock()
    limit_s = timeout_s + MOST_QUEUED / locked.frames_per_s
    opened = _device(kind, which, locked, limit_s)
    device = ReopenedCamera(opened, name, limit_s + _STOPPING_S, at_once=at_once)
    return WatchedCamera(device, name, size=size or (None if any_size else (locked.width, locked.height)))


def open_free_camera(source: str, timeout_s: float) -> Camera:
    """Open a camera over a table without sensors: one of ``open_camera``, with pictures of any size, or a stream (``rtsp://…``,
    ``http://…``), whose frames are dated by their arrival. Raises as ``open_camera`` does."""
    if "://" not in source or (source.startswith("http://") and HttpCamera(source, timeout_s=timeout_s, loopback_only=False).is_dated()):
        return open_camera(source, timeout_s, any_size=True)
    return ReopenedCamera(lambda: StreamCamera(source, timeout_s), f"the stream {without_user(source)}", 2 * timeout_s)


def _device(kind: str, which: str, lock: CameraLock, limit_s: float) -> Callable[[], Camera]:
    """Return a function that opens a device of this machine; raises ValueError for another name."""
    if kind == "v4l2" and (which.isdecimal() or which.startswith("/dev/")):
        return lambda: open_usb_camera(which, lock)
    if kind == "picamera2" and which.isdecimal():
        return lambda: open_pi_camera(int(which), lock, limit_s)
    path = " or its path, for example v4l2:/dev/v4l/by-id/NAME" if kind == "v4l2" else ""
    raise ValueError(f"{kind}:{which} is not a camera: write {kind}: and the device's number, for example {kind}:0{path}")


def refuse_same_camera(sources: Iterable[str], devices: Path = DEVICES) -> None:
    """Raise ValueError for two names of one camera, and log by which path a USB camera can be named instead of its number.

    Numbers may change at a start. Cameras of one kind without serial numbers share one link in ``by-id``, so then all are named by their
    plug.
    """
    named: dict[Path, str] = {}
    for source in sources:
        kind, _, which = source.partition(":")
        if kind not in {"v4l2", "picamera2"}:
            continue
        device = device_path(which, devices).resolve() if kind == "v4l2" else Path(kind, which)
        if device in named:
            raise ValueError(f"{named[device]} and {source} are one camera: name another one")
        named[device] = source
    plugged = {device: source for device, source in named.items() if device.exists()}
    for folder in ("by-id", "by-path"):
        links = {link.resolve(): link for link in sorted((devices / "v4l" / folder).glob("*"))}
        if plugged.keys() <= links.keys():
            for device, source in plugged.items():
                if source.removeprefix("v4l2:").isdecimal():
                    level = logging.WARNING if len(named) > 1 else logging.INFO
                    log.log(
                        level, "the camera %s is now v4l2:%s: name it so, since its number may change at a start", source, links[device]
                    )
            return
