"""The world over HTTP on loopback: strict JSON in, JSON out, errors as one sentence.

``GET`` looks and ``POST`` does. 400 is a request that nobody could mean, 404 an address that does
not exist, 409 something that hands cannot do at this moment, 503 a world that is ending.
"""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from collections.abc import Callable, Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

from twinwall.simulator.mechanics import NotPossibleError
from twinwall.simulator.tabletop import TabletopError
from twinwall.simulator.world.table import ImpossibleError, WorldStoppedError

LOOPBACK = "127.0.0.1"
_MOST_BYTES = 65536
_ENDING_LIMIT_S = 5.0

Values = Mapping[str, object]
Route = Callable[[Values], object]


class RequestError(ValueError):
    """The request is wrong; the message says what is allowed."""


class JsonServer:
    """Serves routes from threads of its own until it is stopped."""

    def __init__(self, routes: Mapping[tuple[str, str], Route], port: int) -> None:
        """``routes`` by method and path; ``port`` 0 takes a free one. Raises OSError when the port is taken."""
        self._open: set[socket.socket] = set()
        self._lock = threading.Condition()
        self._server = ThreadingHTTPServer((LOOPBACK, port), _handler(routes, self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.1}, name="world http", daemon=True)

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://{LOOPBACK}:{self._server.server_address[1]}"

    def start(self) -> None:
        """Begin to answer."""
        self._thread.start()

    def stop(self) -> None:
        """Answer nothing more: open connections are closed, and what they asked for has come to its end."""
        self._server.shutdown()
        self._thread.join()
        with self._lock:
            for connection in self._open:
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
            self._lock.wait_for(lambda: not self._open, _ENDING_LIMIT_S)
        self._server.server_close()

    def opened(self, connection: socket.socket) -> None:
        """Remember a connection until it is closed."""
        with self._lock:
            self._open.add(connection)

    def closed(self, connection: socket.socket) -> None:
        """Forget a connection."""
        with self._lock:
            self._open.discard(connection)
            self._lock.notify_all()


def _handler(routes: Mapping[tuple[str, str], Route], server: JsonServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True
        wbufsize = -1

        def setup(self) -> None:
            super().setup()
            server.opened(self.connection)

        def finish(self) -> None:
            try:
                with contextlib.suppress(OSError):
                    super().finish()
            finally:
                server.closed(self.connection)

        def handle(self) -> None:
            with contextlib.suppress(ConnectionError):
                super().handle()

        def do_GET(self) -> None:
            self._answer(dict(parse_qsl(urlsplit(self.path).query, keep_blank_values=True)))

        def do_POST(self) -> None:
            length = self.headers.get("Content-Length", "")
            if not length.isdecimal() or int(length) > _MOST_BYTES:
                self.close_connection = True
                self._send(HTTPStatus.BAD_REQUEST, {"error": f"a request needs a Content-Length of at most {_MOST_BYTES}"})
                return
            try:
                body = json.loads(self.rfile.read(int(length)))
            except ValueError as problem:
                self._send(HTTPStatus.BAD_REQUEST, {"error": f"the body is not JSON: {problem}"})
                return
            if isinstance(body, dict):
                self._answer(body)
            else:
                self._send(HTTPStatus.BAD_REQUEST, {"error": "the body must be a JSON object"})

        def _answer(self, values: Values) -> None:
            path = urlsplit(self.path).path
            route = routes.get((self.command, path))
            if route is None:
                known = ", ".join(f"{method} {known_path}" for method, known_path in sorted(routes))
                self._send(HTTPStatus.NOT_FOUND, {"error": f"there is no {self.command} {path}; there are {known}"})
                return
            try:
                self._send(HTTPStatus.OK, route(values))
            except RequestError as problem:
                self._send(HTTPStatus.BAD_REQUEST, {"error": str(problem)})
            except (ImpossibleError, TabletopError, NotPossibleError) as problem:
                self._send(HTTPStatus.CONFLICT, {"error": str(problem)})
            except WorldStoppedError as problem:
                self._send(HTTPStatus.SERVICE_UNAVAILABLE, {"error": str(problem)})

        def _send(self, status: HTTPStatus, answer: object) -> None:
            body = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
            self.wfile.flush()

        def log_message(self, format: str, *args: object) -> None:
            """Requests are not worth a line each."""

    return Handler


class Fields:
    """The fields of one request, each taken once; ``end`` refuses what is left over."""

    def __init__(self, values: Values) -> None:
        self._left = dict(values)
        self._names: list[str] = []

    def whole(self, name: str, low: int, high: int, default: int | None = None) -> int:
        """A whole number from ``low`` to ``high``; text is accepted, as a query has it."""
        value = self._take(name, default)
        if isinstance(value, str) and value.lstrip("-").isdecimal():
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise RequestError(f"{name} must be a whole number from {low} to {high}, not {value!r}")
        return value

    def number(self, name: str, low: float, high: float, default: float | None = None) -> float:
        """A number from ``low`` to ``high``."""
        value = self._take(name, default)
        with contextlib.suppress(ValueError):
            value = float(value) if isinstance(value, str) else value
        if not isinstance(value, int | float) or isinstance(value, bool) or not low <= value <= high:
            raise RequestError(f"{name} must be a number from {low} to {high}, not {value!r}")
        return float(value)

    def text(self, name: str) -> str:
        """A text that is not empty."""
        value = self._take(name, None)
        if not isinstance(value, str) or not value:
            raise RequestError(f"{name} must be a text, not {value!r}")
        return value

    def optional_text(self, name: str) -> str | None:
        """A text, or null, or left out."""
        value = self._left.pop(name, None)
        self._names.append(name)
        if value is not None and not isinstance(value, str):
            raise RequestError(f"{name} must be a text or null, not {value!r}")
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of texts."""
        value = self._take(name, None)
        if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
            raise RequestError(f"{name} must be a list of texts, not {value!r}")
        return tuple(value)

    def choice(self, name: str, allowed: tuple[str, ...], default: str | None = None) -> str:
        """One of some words."""
        value = self._take(name, default)
        if value not in allowed:
            raise RequestError(f"{name} must be one of {', '.join(allowed)}, not {value!r}")
        return str(value)

    def end(self) -> None:
        """Refuse fields that nobody asked for."""
        if self._left:
            raise RequestError(f"{sorted(self._left)[0]!r} is not known here; known are {', '.join(self._names)}")

    def _take(self, name: str, default: object) -> object:
        self._names.append(name)
        if name not in self._left and default is None:
            raise RequestError(f"{name} is missing")
        return self._left.pop(name, default)
