"""The small HTTP servers of a table: Flask applications that waitress answers in threads of one process.

It decides how a JSON body is read, how an error is reported (one sentence, as JSON) and how a server begins and ends. Which
addresses exist and what they do is left to the applications: the simulated world, the simulated cameras, the station's screen.
"""

from __future__ import annotations

import logging
import socket
import threading
import time
from contextlib import suppress
from typing import TypeVar
from urllib.parse import urlsplit

import msgspec
import waitress
from flask import Flask, Response, request
from waitress import wasyncore
from waitress.channel import HTTPChannel
from werkzeug.exceptions import BadRequest, HTTPException

from twinwall.visitor_limits import Visit, VisitLimits, VisitorLimits, VisitStage, network_of

LOOPBACK = "127.0.0.1"
_THREADS = 32
"""This many requests can be under way; one that waits for something to happen counts."""
_LIMITS = VisitLimits(connections=384, connections_each=256, half_open_each=64, holding_each=0)
_MOST_OPEN = 512
"""Beyond these waitress itself would take no more, from any client."""
REQUEST_S = 10.0

Document = TypeVar("Document")
_FIRST_USE = threading.Lock()
_prepared: set[type] = set()
"""Types whose first use is over: while one thread makes msgspec's description of a type, another that reads one ends the process."""


def json_app(name: str, most_bytes: int) -> Flask:
    """An application without addresses; bodies over ``most_bytes`` are refused, and every refusal is ``{"error": sentence}``."""
    app = Flask(name, static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = most_bytes

    @app.errorhandler(HTTPException)
    def refused(error: HTTPException) -> tuple[dict[str, object], int]:
        if error.code in {404, 405}:
            known = ", ".join(f"{method} {path}" for method, path in addresses(app))
            return {"error": f"there is no {request.method} {request.path} here; there are {known}"}, 404
        return {"error": error.description}, error.code or 500

    return app


def addresses(app: Flask) -> list[tuple[str, str]]:
    """Method and path of everything that can be asked of an application."""
    return sorted((method, rule.rule) for rule in app.url_map.iter_rules() for method in (rule.methods or ()) if method in {"GET", "POST"})


def json_body(kind: type[Document]) -> Document:
    """The body of the present request; raises BadRequest for what is no JSON document of this kind."""
    _prepare(kind)
    try:
        return msgspec.json.decode(request.get_data(), type=kind)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise BadRequest(f"send a JSON document as it is described: {error}") from None


def query(kind: type[Document]) -> Document:
    """The fields behind the question mark of the present request; raises BadRequest when they are not of this kind."""
    _prepare(kind)
    try:
        return msgspec.convert(request.args.to_dict(), kind, strict=False)
    except msgspec.ValidationError as error:
        raise BadRequest(f"ask as it is described: {error}") from None


def _prepare(kind: type) -> None:
    """Have msgspec describe a type to itself, in one thread at a time."""
    if kind in _prepared:
        return
    with _FIRST_USE:
        msgspec.json.Decoder(kind)
        _prepared.add(kind)


def host_of_request() -> str:
    """The host for which the present request was made; empty where it names none."""
    try:
        return urlsplit(f"//{request.headers.get('Host', '')}").hostname or ""
    except ValueError:
        return ""


def json_answer(document: object) -> Response:
    """An answer with a JSON document."""
    return Response(msgspec.json.encode(document), mimetype="application/json")


def _limited_channels(visitors: VisitorLimits, request_s: float) -> type[HTTPChannel]:
    """The connections of one server, each within the limits of its address."""

    class LimitedChannel(HTTPChannel):
        def __init__(self, server: object, sock: socket.socket, addr: tuple[str, int], adj: object, map: wasyncore.SocketMap) -> None:
            self._visit = Visit(network_of(addr[0]), self._end)
            super().__init__(server, sock, addr, adj, map)
            for each in visitors.enter(self._visit, time.monotonic()):
                each.abort()

        def _end(self) -> None:
            self.will_close = True

        def readable(self) -> bool:
            """Asked about once a second."""
            if self._visit.stage is VisitStage.HALF_OPEN and time.time() - self.creation_time > request_s:
                self._end()
            return super().readable()

        def received(self, data: bytes) -> bool:
            """A piece has come."""
            taken = super().received(data)
            if self.requests:
                self._visit.stage = VisitStage.ASKING
            return taken

        def del_channel(self, map: wasyncore.SocketMap | None = None) -> None:
            """It is closed."""
            visitors.leave(self._visit)
            super().del_channel(map)

    return LimitedChannel


class HttpServer:
    """Answers an application's requests from ``start`` to ``stop``."""

    def __init__(self, app: Flask, port: int, host: str = LOOPBACK, *, request_s: float = REQUEST_S) -> None:
        """``port`` 0 takes a free one; ``request_s`` is how long a connection may be open before its first request has come whole.

        Raises OSError when the port is taken or the address is not this machine's.
        """
        # It warns of every request that waits for a thread, and tells of everyone who sends no HTTP; Flask tells of our own errors.
        logging.getLogger("waitress").setLevel(logging.CRITICAL)
        listener = socket.create_server((host, port))
        self.host, self.port = listener.getsockname()
        self._connections: wasyncore.SocketMap = {}
        self._server = waitress.create_server(
            app, self._connections, sockets=[listener], threads=_THREADS, ident=None, connection_limit=_MOST_OPEN
        )
        self._server.channel_class = _limited_channels(VisitorLimits(_LIMITS), request_s)
        self._thread = threading.Thread(target=self._server.run, name=f"{app.name} http", daemon=True)

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://{self.host}:{self.port}"

    def start(self) -> None:
        """Begin to answer."""
        self._thread.start()

    def stop(self, patience_s: float = 0.5) -> None:
        """Answer nothing more: what is under way may end within ``patience_s``, then connections are closed."""
        self._server.task_dispatcher.shutdown(timeout=patience_s)
        if self._thread.ident is None:
            wasyncore.close_all(self._connections)
            return
        with suppress(OSError):  # the trigger is closed where the server has ended by itself
            self._server.trigger.pull_trigger(lambda: wasyncore.close_all(self._connections))
        self._thread.join()
