"""The world over HTTP on loopback: strict JSON in, JSON out, errors as one sentence.

``GET`` looks and ``POST`` does. 400 is a request that nobody could mean, 404 an address that does
not exist, 409 something that hands cannot do at this moment, 503 a world that is ending. Of HTTP/1.1
only what a request needs is read (its first line, Content-Length and Connection): players ask some
thousand times in a hand, and a general server would spend more on that than the world itself.
"""

from __future__ import annotations

import contextlib
import io
import json
import socket
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from socketserver import StreamRequestHandler, ThreadingTCPServer
from urllib.parse import parse_qsl, urlsplit

from twinwall.simulator.mechanics import NotPossibleError
from twinwall.simulator.tabletop import TabletopError
from twinwall.simulator.world.world import ImpossibleError, WorldStoppedError

LOOPBACK = "127.0.0.1"
_MOST_BYTES = 65536
_MOST_HEADERS = 64
_ENDING_LIMIT_S = 5.0

Values = Mapping[str, object]
Route = Callable[[Values], object]
Routes = Mapping[tuple[str, str], Route]


class JsonText(str):
    """A route's answer that is written as JSON already."""

    __slots__ = ()


class WorldRequestError(ValueError):
    """The request is wrong; the message says what is allowed."""


class JsonServer:
    """Serves routes from threads of its own until it is stopped."""

    def __init__(self, routes: Routes, port: int) -> None:
        """``routes`` by method and path; ``port`` 0 takes a free one. Raises OSError when the port is taken."""
        self._open: set[socket.socket] = set()
        self._lock = threading.Condition()
        self._server = _Listener((LOOPBACK, port), _conversation(routes, self))
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


class _Listener(ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 64


@dataclass(frozen=True, slots=True)
class _Request:
    method: str
    target: str
    body: bytes
    last: bool
    """The connection ends with the answer."""


def _read_request(stream: io.BufferedIOBase) -> _Request | None:
    """The next request, None when there is none any more; raises RequestError for what is none."""
    line = stream.readline(_MOST_BYTES)
    if not line:
        return None
    words = line.decode("latin-1").split()
    if len(words) != 3 or not words[2].startswith("HTTP/1."):
        raise WorldRequestError("this is no HTTP request")
    headers: dict[str, str] = {}
    for _ in range(_MOST_HEADERS):
        name, _, value = stream.readline(_MOST_BYTES).decode("latin-1").partition(":")
        if not name.strip():
            break
        headers[name.strip().lower()] = value.strip()
    else:
        raise WorldRequestError(f"a request has at most {_MOST_HEADERS} headers")
    length = headers.get("content-length", "" if words[0] == "POST" else "0")
    if not length.isdecimal() or int(length) > _MOST_BYTES:
        raise WorldRequestError(f"a request needs a Content-Length of at most {_MOST_BYTES}")
    body = stream.read(int(length))
    last = words[2] == "HTTP/1.0" or headers.get("connection", "").lower() == "close"
    return _Request(words[0], words[1], body, last)


def _conversation(routes: Routes, server: JsonServer) -> type[StreamRequestHandler]:
    class Conversation(StreamRequestHandler):
        disable_nagle_algorithm = True

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
                while self._answer_one():
                    pass

        def _answer_one(self) -> bool:
            """Answer a request; whether there may be another."""
            try:
                request = _read_request(self.rfile)
            except WorldRequestError as problem:
                self._send(HTTPStatus.BAD_REQUEST, {"error": str(problem)})
                return False
            if request is None:
                return False
            self._send(*_answer(routes, request))
            return not request.last

        def _send(self, status: HTTPStatus, answer: object) -> None:
            body = (answer if isinstance(answer, JsonText) else json.dumps(answer, separators=(",", ":"))).encode()
            head = f"HTTP/1.1 {status.value} {status.phrase}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
            self.connection.sendall(head.encode() + body)

    return Conversation


def _answer(routes: Routes, request: _Request) -> tuple[HTTPStatus, object]:
    """What a request comes to."""
    address = urlsplit(request.target)
    route = routes.get((request.method, address.path))
    if route is None:
        known = ", ".join(f"{method} {known_path}" for method, known_path in sorted(routes))
        return HTTPStatus.NOT_FOUND, {"error": f"there is no {request.method} {address.path}; there are {known}"}
    try:
        return HTTPStatus.OK, route(_values(request, address.query))
    except WorldRequestError as problem:
        return HTTPStatus.BAD_REQUEST, {"error": str(problem)}
    except (ImpossibleError, TabletopError, NotPossibleError) as problem:
        return HTTPStatus.CONFLICT, {"error": str(problem)}
    except WorldStoppedError as problem:
        return HTTPStatus.SERVICE_UNAVAILABLE, {"error": str(problem)}


def _values(request: _Request, query: str) -> Values:
    """The fields of a request: of the query in a GET, of the body in a POST."""
    if request.method == "GET":
        return dict(parse_qsl(query, keep_blank_values=True))
    try:
        body = json.loads(request.body)
    except ValueError as problem:
        raise WorldRequestError(f"the body is not JSON: {problem}") from None
    if not isinstance(body, dict):
        raise WorldRequestError("the body must be a JSON object")
    return body


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
            raise WorldRequestError(f"{name} must be a whole number from {low} to {high}, not {value!r}")
        return value

    def number(self, name: str, low: float, high: float, default: float | None = None) -> float:
        """A number from ``low`` to ``high``."""
        value = self._take(name, default)
        with contextlib.suppress(ValueError):
            value = float(value) if isinstance(value, str) else value
        if not isinstance(value, int | float) or isinstance(value, bool) or not low <= value <= high:
            raise WorldRequestError(f"{name} must be a number from {low} to {high}, not {value!r}")
        return float(value)

    def text(self, name: str) -> str:
        """A text that is not empty."""
        value = self._take(name, None)
        if not isinstance(value, str) or not value:
            raise WorldRequestError(f"{name} must be a text, not {value!r}")
        return value

    def optional_text(self, name: str) -> str | None:
        """A text, or null, or left out."""
        value = self._left.pop(name, None)
        self._names.append(name)
        if value is not None and not isinstance(value, str):
            raise WorldRequestError(f"{name} must be a text or null, not {value!r}")
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of texts."""
        value = self._take(name, None)
        if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
            raise WorldRequestError(f"{name} must be a list of texts, not {value!r}")
        return tuple(value)

    def choice(self, name: str, allowed: tuple[str, ...], default: str | None = None) -> str:
        """One of some words."""
        value = self._take(name, default)
        if value not in allowed:
            raise WorldRequestError(f"{name} must be one of {', '.join(allowed)}, not {value!r}")
        return str(value)

    def end(self) -> None:
        """Refuse fields that nobody asked for."""
        if self._left:
            raise WorldRequestError(f"{sorted(self._left)[0]!r} is not known here; known are {', '.join(self._names)}")

    def _take(self, name: str, default: object) -> object:
        self._names.append(name)
        if name not in self._left and default is None:
            raise WorldRequestError(f"{name} is missing")
        return self._left.pop(name, default)
