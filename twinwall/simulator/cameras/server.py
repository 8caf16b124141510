"""Serves frames over HTTP on loopback: ``/gate.jpg``, ``/table.jpg`` and the same as ``.png``.

Every request is an exposure of its own: the scene is asked for between the two capture times that
the answer carries (``X-Exposure-Start-Ns`` and ``X-Exposure-End-Ns``, CLOCK_MONOTONIC), so a frame
never shows anything older than its start. Without the world there is no frame but a 503.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import ClassVar, TypeVar

import cv2

from twinwall.art.mat import Mat
from twinwall.simulator.cameras.gate import GateCamera
from twinwall.simulator.cameras.optics import Picture, jpeg, png
from twinwall.simulator.cameras.source import HttpScenes, Scenes, WorldSilentError
from twinwall.simulator.cameras.table import TableCamera

_SceneT = TypeVar("_SceneT")
_IDLE_S = 60.0
_HOST = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class CameraSettings:
    """One table's cameras: where they serve (port 0 takes a free one), where the world is, and how they are mounted."""

    world_url: str
    port: int = 0
    seed: int = 0
    jpeg_quality: int = 90
    world_timeout_s: float = 2.0
    mat: Mat = field(default_factory=Mat)


@dataclass(frozen=True, slots=True)
class Exposure:
    """A frame and the monotonic times between which it shows the world, in nanoseconds."""

    picture: Picture
    start_ns: int
    end_ns: int


class CameraServer:
    """The HTTP side of both cameras; each exposes one frame at a time."""

    def __init__(self, settings: CameraSettings, gate_scenes: Scenes, table_scenes: Scenes) -> None:
        """``gate_scenes`` and ``table_scenes`` are asked from different threads, so give each camera its own."""
        gate, table = GateCamera(settings.seed), TableCamera(settings.seed, settings.mat)
        self._quality = settings.jpeg_quality
        self._cameras: dict[str, tuple[threading.Lock, Callable[[], Exposure]]] = {
            "gate": (threading.Lock(), lambda: _exposed(gate_scenes.gate, gate.render)),
            "table": (threading.Lock(), lambda: _exposed(table_scenes.table, table.render)),
        }
        self._server = _Server((_HOST, settings.port), self._handler())

    @property
    def url(self) -> str:
        """Where frames are, for example ``http://127.0.0.1:8101``."""
        return f"http://{_HOST}:{self._server.server_port}"

    def serve_forever(self) -> None:
        """Answer requests until ``close`` is called from another thread."""
        self._server.serve_forever(poll_interval=0.1)

    def close(self) -> None:
        """Stop ``serve_forever``, which runs in another thread, and give the port back."""
        self._server.shutdown()
        self.release()

    def release(self) -> None:
        """Give the port back when ``serve_forever`` has ended."""
        self._server.server_close()

    def __enter__(self) -> CameraServer:
        threading.Thread(target=self.serve_forever, name="cameras", daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def frame(self, name: str) -> Exposure:
        """One exposure of ``gate`` or ``table``; raises KeyError for another name and what the camera raises."""
        lock, expose = self._cameras[name]
        with lock:
            return expose()

    def encoded(self, picture: Picture, suffix: str) -> bytes:
        """A picture as a ``jpg`` or ``png`` file."""
        return jpeg(picture, self._quality) if suffix == "jpg" else png(picture)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        """A request handler class bound to these cameras."""

        class Handler(_FrameHandler):
            cameras = self

        return Handler


class _FrameHandler(BaseHTTPRequestHandler):
    """Answers one connection's requests for frames."""

    cameras: ClassVar[CameraServer]
    protocol_version = "HTTP/1.1"
    timeout = _IDLE_S
    disable_nagle_algorithm = True
    wbufsize = -1

    def do_GET(self) -> None:
        name, _, suffix = self.path.removeprefix("/").partition(".")
        if name not in {"gate", "table"} or suffix not in {"jpg", "png"}:
            self._refuse(HTTPStatus.NOT_FOUND, f"there is no {self.path} here: ask for /gate.jpg, /gate.png, /table.jpg or /table.png")
            return
        try:
            exposure = self.cameras.frame(name)
        except WorldSilentError as error:
            self._refuse(HTTPStatus.SERVICE_UNAVAILABLE, f"no frame of the {name}: {error}")
            return
        except ValueError as error:
            self._refuse(HTTPStatus.SERVICE_UNAVAILABLE, f"no frame of the {name}: the world shows what no camera can: {error}")
            return
        body = self.cameras.encoded(exposure.picture, suffix)
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "image/jpeg" if suffix == "jpg" else "image/png")
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Exposure-Start-Ns", str(exposure.start_ns))
        self.send_header("X-Exposure-End-Ns", str(exposure.end_ns))
        self._finish(body)

    def _refuse(self, status: HTTPStatus, sentence: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "text/plain; charset=utf-8")
        self._finish((sentence + "\n").encode())

    def _finish(self, body: bytes) -> None:
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Frames are asked for many times a second: nothing is logged."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: object, client_address: object) -> None:
        """A reader that hangs up in the middle of a frame is nobody's fault; anything else is shown."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]  # typeshed's private socket types


def serve(settings: CameraSettings, ready: Callable[[str], None] | None = None) -> None:
    """Run the cameras of one table until the process is interrupted; ``ready`` is told the address.

    Raises ValueError for a world that is not on loopback and OSError when the port is taken.
    """
    cv2.setNumThreads(1)
    with (
        HttpScenes(settings.world_url, settings.world_timeout_s) as gate,
        HttpScenes(settings.world_url, settings.world_timeout_s) as table,
    ):
        server = CameraServer(settings, gate, table)
        if ready is not None:
            ready(server.url)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            return
        finally:
            server.release()


def _exposed(ask: Callable[[], _SceneT], render: Callable[[_SceneT], Picture]) -> Exposure:
    """Ask for the scene between the capture times, then render it."""
    start_ns = time.monotonic_ns()
    scene = ask()
    end_ns = time.monotonic_ns()
    return Exposure(render(scene), start_ns, end_ns)
