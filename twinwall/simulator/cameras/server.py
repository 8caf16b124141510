"""Serves frames over HTTP on loopback: ``/<table>/gate.jpg``, ``/<table>/table.jpg`` and the same as ``.png``;
further gates of a table are ``/<table>/gate-1.jpg`` and so on.

Every request is an exposure of its own: the scene is asked for between the two capture times that
the answer carries (``X-Exposure-Start-Ns`` and ``X-Exposure-End-Ns``, CLOCK_MONOTONIC), so a frame
never shows anything older than its start. ``?region=left,top,width,height`` reads out that part of
the overhead camera's picture only, and ``X-Region`` says which pixels came. Without the world there
is no frame but a 503.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import ClassVar, TypeVar
from urllib.parse import quote, urlsplit

import cv2

from twinwall.art.mat import Mat
from twinwall.simulator.cameras.gate import GateCamera
from twinwall.simulator.cameras.layers import WHOLE, Rect
from twinwall.simulator.cameras.optics import Picture, jpeg, png
from twinwall.simulator.cameras.source import HttpScenes, Scenes, WorldSilentError
from twinwall.simulator.cameras.table import TableCamera

_SceneT = TypeVar("_SceneT")
_IDLE_S = 60.0
_HOST = "127.0.0.1"
_REGION = "region="
_OTHER_GATE = 10_000
"""Apart from each other by so much are the seeds of one table's gate cameras, so that none hangs as another table's."""


@dataclass(frozen=True, slots=True)
class CameraSettings:
    """The cameras of some tables: each table's name and its world's address, where they serve (port 0 takes a free one), how they hang."""

    worlds: Mapping[str, str]
    port: int = 0
    seed: int = 0
    jpeg_quality: int = 90
    world_timeout_s: float = 2.0
    mat: Mat = field(default_factory=Mat)
    gates: int = 1
    """Of each table."""


@dataclass(frozen=True, slots=True)
class Exposure:
    """A frame, the part of the camera's picture that it is, and the monotonic times between which it shows the world, in nanoseconds."""

    picture: Picture
    part: Rect | None
    start_ns: int
    end_ns: int


@dataclass(frozen=True, slots=True)
class TableScenes:
    """What the cameras of one table see; they are asked from different threads, so give each camera its own."""

    gate: Scenes
    table: Scenes
    other_gates: tuple[Scenes, ...] = ()
    """Those of the gates after the first."""


class _Eye:
    """One camera, which exposes one frame at a time."""

    def __init__(self, expose: Callable[[Rect | None], Exposure]) -> None:
        self._expose = expose
        self._lock = threading.Lock()

    def frame(self, part: Rect | None) -> Exposure:
        """One exposure, of a part where the camera can read out a part."""
        with self._lock:
            return self._expose(part)


class CameraServer:
    """The HTTP side of the cameras of all tables."""

    def __init__(self, settings: CameraSettings, scenes: Mapping[str, TableScenes]) -> None:
        """``scenes`` by table; the cameras of no two tables hang alike. Raises OSError when the port is taken."""
        self._quality = settings.jpeg_quality
        self._eyes: dict[str, _Eye] = {}
        for number, (table, seen) in enumerate(scenes.items()):
            self._eyes[f"/{quote(table)}/gate"] = _gate_eye(GateCamera(settings.seed + number), seen.gate)
            for gate, others in enumerate(seen.other_gates, start=1):
                camera = GateCamera(settings.seed + number + _OTHER_GATE * gate)
                self._eyes[f"/{quote(table)}/gate-{gate}"] = _gate_eye(camera, others)
            self._eyes[f"/{quote(table)}/table"] = _table_eye(TableCamera(settings.seed + number, settings.mat), seen.table)
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

    @property
    def names(self) -> tuple[str, ...]:
        """The cameras, for example ``/1/gate``."""
        return tuple(self._eyes)

    def frame(self, name: str, part: Rect | None) -> Exposure:
        """One exposure of a camera of ``names``; raises KeyError for another name and what the camera raises."""
        return self._eyes[name].frame(part)

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
        address = urlsplit(self.path)
        name, _, suffix = address.path.rpartition(".")
        if name not in self.cameras.names or suffix not in {"jpg", "png"}:
            known = ", ".join(f"{name}.jpg" for name in self.cameras.names)
            self._refuse(HTTPStatus.NOT_FOUND, f"there is no {self.path} here: ask for {known} or the same as .png")
            return
        try:
            part = _part(address.query)
        except ValueError as error:
            self._refuse(HTTPStatus.BAD_REQUEST, str(error))
            return
        try:
            exposure = self.cameras.frame(name, part)
        except WorldSilentError as error:
            self._refuse(HTTPStatus.SERVICE_UNAVAILABLE, f"no frame of {name}: {error}")
            return
        except ValueError as error:
            self._refuse(HTTPStatus.SERVICE_UNAVAILABLE, f"no frame of {name}: the world shows what no camera can: {error}")
            return
        body = self.cameras.encoded(exposure.picture, suffix)
        self.send_response_only(HTTPStatus.OK)
        self.send_header("Content-Type", "image/jpeg" if suffix == "jpg" else "image/png")
        self.send_header("X-Exposure-Start-Ns", str(exposure.start_ns))
        self.send_header("X-Exposure-End-Ns", str(exposure.end_ns))
        if (came := exposure.part) is not None:
            self.send_header("X-Region", f"{came.left},{came.top},{came.right - came.left},{came.bottom - came.top}")
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
    """Run the cameras until the process is interrupted; ``ready`` is told the address.

    Raises ValueError for a world that is not on loopback and OSError when the port is taken.
    """
    cv2.setNumThreads(1)
    with ExitStack() as stack:

        def scenes(world_url: str, gate: int = 0) -> Scenes:
            return stack.enter_context(HttpScenes(world_url, settings.world_timeout_s, gate))

        def of_table(url: str) -> TableScenes:
            return TableScenes(scenes(url), scenes(url), tuple(scenes(url, gate) for gate in range(1, settings.gates)))

        server = CameraServer(settings, {table: of_table(url) for table, url in settings.worlds.items()})
        if ready is not None:
            ready(server.url)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            return
        finally:
            server.release()


def _gate_eye(camera: GateCamera, scenes: Scenes) -> _Eye:
    """The gate's camera: it has no windows, and sends its whole picture always."""
    return _Eye(lambda _part: _exposed(scenes.gate, camera.render, None))


def _table_eye(camera: TableCamera, scenes: Scenes) -> _Eye:
    def expose(part: Rect | None) -> Exposure:
        window = part and part.shared(WHOLE)
        return _exposed(scenes.table, lambda scene: camera.render(scene, window), window)

    return _Eye(expose)


def _exposed(ask: Callable[[], _SceneT], render: Callable[[_SceneT], Picture], part: Rect | None) -> Exposure:
    """Ask for the scene between the capture times, then render it."""
    start_ns = time.monotonic_ns()
    scene = ask()
    end_ns = time.monotonic_ns()
    return Exposure(render(scene), part, start_ns, end_ns)


def _part(query: str) -> Rect | None:
    """The part that a request names, None for the whole; raises ValueError for anything else."""
    if not query:
        return None
    numbers = query.removeprefix(_REGION).split(",")
    if not query.startswith(_REGION) or len(numbers) != 4 or not all(number.isdecimal() for number in numbers):
        raise ValueError(f"{query!r} is not understood: a part is asked for as region=left,top,width,height, in pixels")
    left, top, width, height = map(int, numbers)
    if not (width and height):
        raise ValueError(f"a part of {width} × {height} pixels shows nothing")
    return Rect(left, top, left + width, top + height)
