"""The station's screen and the gate camera's frames over HTTP, for this machine alone.

A tile in hand is concealed, so nothing here answers another machine: the server listens on loopback, and a request that was
made for another host's name (a web page that found a way round) is refused. What changes something must be JSON, which a
foreign page cannot send unasked.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from typing import ClassVar
from urllib.parse import parse_qs, urlsplit

from twinwall.station.eyes import SharedCamera
from twinwall.station.sizes import PersonSizes
from twinwall.station.station import Station
from twinwall.station.words import WORDS
from vision.camera import CameraLost, encode_picture

HOST = "127.0.0.1"
_OWN_NAMES = frozenset({"127.0.0.1", "localhost"})
_WAIT_S = 10.0
_MOST_BYTES = 4096
_MOST_MISSING = 136


class RequestError(ValueError):
    """The request is wrong; the message says what is allowed."""


class Page:
    """Serves the screen at ``/`` and the camera at ``/gate.jpg`` until it is stopped."""

    def __init__(self, station: Station, camera: SharedCamera, sizes: PersonSizes, sets: Mapping[int, str], port: int) -> None:
        """``sets`` names the sets by their backs; ``port`` 0 takes a free one. Raises OSError when the port is taken."""
        self._station, self._camera, self._sizes = station, camera, sizes
        words = json.dumps({"words": WORDS, "sets": {str(back): name for back, name in sets.items()}}, ensure_ascii=False)
        self._html = files("twinwall.station").joinpath("screen.html").read_text(encoding="utf-8").replace("{{words}}", words)

        class Handler(_Handler):
            page = self

        self._server = _Server((HOST, port), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.1}, name="station page", daemon=True)

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://{HOST}:{self._server.server_address[1]}"

    def start(self) -> None:
        """Begin to answer."""
        self._thread.start()

    def stop(self) -> None:
        """Answer nothing more."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def html(self) -> str:
        """The screen."""
        return self._html

    def now(self, after: int) -> dict[str, object]:
        """What the screen shows, as soon as it differs from version ``after``."""
        version, screen = self._station.screen(after, _WAIT_S)
        return {"version": version, **screen.to_json(self._sizes)}

    def frame(self) -> tuple[bytes, int, int]:
        """One exposure from now on: a JPEG file and its times; raises CameraLost."""
        frame = self._camera.frame_after(time.monotonic_ns())
        return encode_picture(frame.image), frame.exposure_start_ns, frame.exposure_end_ns

    def act(self, path: str, fields: Mapping[str, object]) -> bool:
        """What a touch of the screen asks for; raises RequestError."""
        match path:
            case "/done":
                return self._station.confirm(_whole(fields, "number"), _whole(fields, "missing", 0))
            case "/none-left":
                return self._station.none_left()
            case "/undo":
                return self._station.undo()
            case _:
                raise RequestError(f"there is no {path} here: /done, /none-left and /undo can be asked for")


def _whole(fields: Mapping[str, object], name: str, default: int | None = None) -> int:
    value = fields.get(name, default)
    if not isinstance(value, int) or isinstance(value, bool) or value < 0 or (name == "missing" and value > _MOST_MISSING):
        raise RequestError(f"{name} must be a whole number, not {value!r}")
    return value


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: object, client_address: object) -> None:
        """A page that is closed while it waits is nobody's fault; anything else is shown."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]  # typeshed's private socket types


class _Handler(BaseHTTPRequestHandler):
    page: ClassVar[Page]
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        if not self._is_ours():
            return
        match address.path:
            case "/":
                self._send(HTTPStatus.OK, "text/html; charset=utf-8", self.page.html().encode())
            case "/now":
                after = parse_qs(address.query).get("after", ["0"])[0]
                self._json(HTTPStatus.OK, self.page.now(int(after) if after.isdecimal() else 0))
            case "/gate.jpg":
                self._send_frame()
            case _:
                self._json(HTTPStatus.NOT_FOUND, {"error": f"there is no {address.path} here"})

    def do_POST(self) -> None:
        if not self._is_ours():
            return
        length = self.headers.get("Content-Length", "")
        if self.headers.get_content_type() != "application/json" or not length.isdecimal() or int(length) > _MOST_BYTES:
            self.close_connection = True
            self._json(HTTPStatus.BAD_REQUEST, {"error": "send a JSON object"})
            return
        try:
            fields = json.loads(self.rfile.read(int(length)))
            if not isinstance(fields, dict):
                raise RequestError("send a JSON object")
            self._json(HTTPStatus.OK, {"good": self.page.act(self.path, fields)})
        except ValueError as problem:
            self._json(HTTPStatus.BAD_REQUEST, {"error": str(problem)})

    def _is_ours(self) -> bool:
        """Whether the request was made for this machine by its own name."""
        if (urlsplit(f"//{self.headers.get('Host', '')}").hostname or "") in _OWN_NAMES:
            return True
        self.close_connection = True
        self._json(HTTPStatus.FORBIDDEN, {"error": "a tile in hand is concealed: this page is for the machine at the table alone"})
        return False

    def _send_frame(self) -> None:
        try:
            body, start_ns, end_ns = self.page.frame()
        except CameraLost as error:
            self._json(HTTPStatus.SERVICE_UNAVAILABLE, {"error": str(error)})
            return
        times = {"X-Exposure-Start-Ns": str(start_ns), "X-Exposure-End-Ns": str(end_ns)}
        self._send(HTTPStatus.OK, "image/jpeg", body, times)

    def _json(self, status: HTTPStatus, answer: object) -> None:
        self._send(status, "application/json", json.dumps(answer).encode())

    def _send(self, status: HTTPStatus, kind: str, body: bytes, more: Mapping[str, str] | None = None) -> None:
        self.send_response_only(status)
        headers = {"Content-Type": kind, "Content-Length": str(len(body)), "Cache-Control": "no-store", "X-Frame-Options": "DENY"}
        for name, value in (headers | dict(more or {})).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing of a tile in hand is logged, not even when it was shown."""
