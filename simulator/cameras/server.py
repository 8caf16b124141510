"""HTTP server of simulated frames on loopback: ``/<table>/gate.jpg``, ``/<table>/table.jpg``, and the same as ``.png``.

Further gates of a table are ``/<table>/gate-1.jpg`` and so on. Every request is an exposure of its own: the scene is asked for between the
two capture times of the answer (``X-Exposure-Start-Ns`` and ``X-Exposure-End-Ns``, CLOCK_MONOTONIC), so a frame never shows anything older
than its start. ``?region=left,top,width,height`` reads out that part of the table camera's picture, and ``X-Region`` says which pixels
came. Without the world the answer is 503.

Scenes for the cameras from the world's HTTP interface.

The connection to the world stays open between frames; a stale one is opened again once, then the world counts as silent.
"""

from __future__ import annotations

import contextlib
import http.client
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack, closing
from types import TracebackType
from typing import TypeVar
from urllib.parse import quote, urlsplit
from wsgiref.types import StartResponse, WSGIEnvironment

import cv2
import msgspec
from werkzeug.exceptions import BadRequest, HTTPException, NotFound, ServiceUnavailable

from simulator.cameras.cover_layers import WHOLE, Rect
from simulator.cameras.gate import GateCamera
from simulator.cameras.optics import Picture, jpeg, png
from simulator.cameras.table import TableCamera
from simulator.scene import GateScene, TableScene
from simulator.settings import CamerasSection
from twinwall.art.mat import Mat
from twinwall.values import frozen
from twinwall.web.loopback_server import HttpServer

_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


# Made before there are threads: the first use of a type in two threads at once ends the process.
_GATE, _TABLE = msgspec.json.Decoder(GateScene), msgspec.json.Decoder(TableScene)


class WorldSilentError(RuntimeError):
    """The world did not answer what a camera would see; the message says where it was asked and what came."""


class HttpScenes:
    """Scenes from the world's ``/scene/gate`` and ``/scene/table``; not for several threads at once."""

    def __init__(self, world_url: str, timeout_s: float, gate: int = 0) -> None:
        """``gate`` is the one that is asked about. Raises ValueError for an address that is not plain HTTP on loopback with a port."""
        address = urlsplit(world_url)
        if address.scheme != "http" or address.hostname not in _LOOPBACK or address.port is None:
            raise ValueError(
                f"the world's address {world_url!r} must be http://127.0.0.1:PORT: scenes show every tile and stay on this machine"
            )
        self._url = world_url.rstrip("/")
        self._gate_path = f"/scene/gate-{gate}" if gate else "/scene/gate"
        self._prefix = address.path.rstrip("/")
        self._connection = http.client.HTTPConnection(address.hostname, address.port, timeout=timeout_s)
        self._last_read: tuple[bytes, TableScene] | None = None
        """The mat as it lay last time, with the text that said so: mostly nothing has been moved between two frames."""

    def gate(self) -> GateScene:
        try:
            return _GATE.decode(self._answer(self._gate_path))
        except msgspec.MsgspecError as error:
            raise WorldSilentError(f"{self._url}{self._gate_path} answers no scene of the gate: {error}") from None

    def table(self) -> TableScene:
        written = self._answer("/scene/table")
        if self._last_read is not None and self._last_read[0] == written:
            return self._last_read[1]
        try:
            scene = _TABLE.decode(written)
        except msgspec.MsgspecError as error:
            raise WorldSilentError(f"{self._url}/scene/table answers no scene of the table: {error}") from None
        if scene.between.silent:
            raise WorldSilentError(f"the camera over the table of {self._url} sends nothing for a time")
        self._last_read = written, scene
        return scene

    def close(self) -> None:
        self._connection.close()

    def _answer(self, path: str) -> bytes:
        kept_open = self._connection.sock is not None
        while True:
            try:
                return self._asked(path)
            except (OSError, http.client.HTTPException) as error:
                self._connection.close()
                if not kept_open:
                    raise WorldSilentError(f"the world does not answer at {self._url}{path}: {error!r}") from None
            kept_open = False

    def _asked(self, path: str) -> bytes:
        self._connection.request("GET", self._prefix + path)
        response = self._connection.getresponse()
        body = response.read()
        if response.status != http.client.OK:
            with contextlib.suppress(OSError):
                self._connection.close()
            raise WorldSilentError(f"the world answers {response.status} at {self._url}{path}")
        return body


_SceneT = TypeVar("_SceneT")
_REGION = "region="
_JPEG_QUALITY = 90
_WORLD_TIMEOUT_S = 2.0
_OTHER_GATE = 10_000
"""Distance between the seeds of one table's gate cameras, so that none hangs as another table's."""


Exposure = tuple[Picture, Rect | None, int, int]
"""A frame, the part of the camera's picture that it is, and the monotonic times between which it shows the world, in nanoseconds."""


@frozen
class TableScenes:
    """What answers what each camera of one table sees now; it raises WorldSilentError where that cannot be known. Cameras ask from
    different threads."""

    gate: Callable[[], GateScene]
    table: Callable[[], TableScene] = lambda: TableScene(0, ())
    """An empty mat, where nothing else is said."""
    other_gates: tuple[Callable[[], GateScene], ...] = ()
    """Those of the gates after the first."""


Expose = Callable[[Rect | None], Exposure]
"""One exposure of a camera, of a part of its picture where it can read out a part."""


class CameraServer(HttpServer):
    """The HTTP side of the cameras of all tables, from ``start`` to ``stop``."""

    def __init__(self, scenes: Mapping[str, TableScenes], seed: int = 0, port: int = 0) -> None:
        """``scenes`` by table; ``seed`` says how cameras hang, no two tables' alike. Port 0 takes a free one; raises OSError for a taken
        one."""
        self.cameras: dict[str, Expose] = {}
        """By their names, for example ``/1/gate``."""
        for number, (table, seen) in enumerate(scenes.items()):
            self.cameras[f"/{quote(table)}/gate"] = _gate_camera(GateCamera(seed + number), seen.gate)
            for gate, others in enumerate(seen.other_gates, start=1):
                camera = GateCamera(seed + number + _OTHER_GATE * gate)
                self.cameras[f"/{quote(table)}/gate-{gate}"] = _gate_camera(camera, others)
            self.cameras[f"/{quote(table)}/table"] = _table_camera(TableCamera(seed + number, Mat(table=table)), seen.table)
        super().__init__(self._respond, port)

    def __enter__(self) -> CameraServer:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.stop()

    def _respond(self, environ: WSGIEnvironment, start: StartResponse) -> tuple[bytes]:
        """Answer a request with a frame, or with a sentence (WSGI)."""
        try:
            headers, body = self._frame(quote(environ["PATH_INFO"].encode("latin-1")), environ["QUERY_STRING"])
            status = "200 OK"
        except HTTPException as error:
            headers, body = {"Content-Type": "text/plain; charset=utf-8"}, f"{error.description}\n".encode()
            status = f"{error.code} {error.name}"
        start(status, [*headers.items(), ("Content-Length", str(len(body)))])
        return (body,)

    def _frame(self, path: str, query: str) -> tuple[dict[str, str], bytes]:
        """A frame as a ``jpg`` or ``png`` file, with its times and its part as headers."""
        name, _, suffix = path.rpartition(".")
        if name not in self.cameras or suffix not in {"jpg", "png"}:
            known = ", ".join(f"{name}.jpg" for name in self.cameras)
            raise NotFound(f"there is no {path} here: ask for {known} or the same as .png")
        part = _part(query)
        try:
            picture, came, start_ns, end_ns = self.cameras[name](part)
        except (WorldSilentError, ValueError) as error:
            raise ServiceUnavailable(f"no frame of {name}: {error}") from None
        headers = {"X-Exposure-Start-Ns": str(start_ns), "X-Exposure-End-Ns": str(end_ns)}
        if came is not None:
            headers["X-Region"] = ",".join(map(str, (*came.corner, *came.size)))
        if suffix == "jpg":
            return headers | {"Content-Type": "image/jpeg"}, jpeg(picture, _JPEG_QUALITY)
        return headers | {"Content-Type": "image/png"}, png(picture)


def serve(cameras: CamerasSection) -> None:
    """Run the cameras until the process is interrupted.

    Raises ValueError for a world that is not on loopback and OSError when the port is taken.
    """
    cv2.setNumThreads(1)
    with ExitStack() as stack:

        def scenes(world_url: str, gate: int = 0) -> HttpScenes:
            return stack.enter_context(closing(HttpScenes(world_url, _WORLD_TIMEOUT_S, gate)))

        def of_table(url: str) -> TableScenes:
            others = tuple(scenes(url, gate).gate for gate in range(1, cameras.gates))
            return TableScenes(scenes(url).gate, scenes(url).table, others)

        worlds = dict(line.split(" ", 1) for line in cameras.worlds)
        stack.enter_context(CameraServer({table: of_table(url) for table, url in worlds.items()}, cameras.seed, cameras.port))
        with contextlib.suppress(KeyboardInterrupt):
            threading.Event().wait()


def _gate_camera(camera: GateCamera, scene: Callable[[], GateScene]) -> Expose:
    """The gate's camera: it has no windows, and sends its whole picture always."""
    return _one_at_a_time(lambda _part: _exposed(scene, camera.render, None))


def _table_camera(camera: TableCamera, scenes: Callable[[], TableScene]) -> Expose:
    def expose(part: Rect | None) -> Exposure:
        window = part and part.shared(WHOLE)
        return _exposed(scenes, lambda scene: camera.render(scene, window), window)

    return _one_at_a_time(expose)


def _one_at_a_time(expose: Expose) -> Expose:
    lock = threading.Lock()

    def exposed(part: Rect | None) -> Exposure:
        with lock:
            return expose(part)

    return exposed


def _exposed(ask: Callable[[], _SceneT], render: Callable[[_SceneT], Picture], part: Rect | None) -> Exposure:
    """Ask for the scene between the capture times, then render it."""
    start_ns = time.monotonic_ns()
    scene = ask()
    end_ns = time.monotonic_ns()
    return render(scene), part, start_ns, end_ns


def _part(query: str) -> Rect | None:
    """The part that a request names, None for the whole; raises BadRequest for anything else."""
    if not query:
        return None
    numbers = query.removeprefix(_REGION).split(",")
    if not query.startswith(_REGION) or len(numbers) != 4 or not all(number.isdecimal() and len(number) < 9 for number in numbers):
        raise BadRequest(f"{query!r} is not understood: a part is asked for as region=left,top,width,height, in pixels")
    left, top, width, height = map(int, numbers)
    if not (width and height):
        raise BadRequest(f"a part of {width} × {height} pixels shows nothing")
    return Rect(range(left, left + width), range(top, top + height))
