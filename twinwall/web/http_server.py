"""The small HTTP servers of a table: Flask applications that a web server answers on loopback.

It decides how a JSON body is read, how an error is reported (one sentence, as JSON) and how a server begins and ends. Which
addresses exist and what they do is left to the applications: the simulated world, the simulated cameras, the station's screen.
"""

import socket
from dataclasses import replace
from typing import TypeVar
from urllib.parse import urlsplit

import msgspec
from flask import Flask, Response, request
from werkzeug.exceptions import BadRequest, Forbidden, HTTPException

from twinwall.values import prepare
from twinwall.web.visitor_limits import VisitLimits
from twinwall.web.web_server import BACKLOG, STOP_S, LaneLimits, ServerLimits, WebServer

LOOPBACK = "127.0.0.1"
_OWN_NAMES = frozenset({LOOPBACK, "localhost"})
REQUEST_S = 10.0
_MOST = 384
"""Connections of all, each with a thread; a request that waits for something to happen keeps its own."""
_UNCOUNTED = 1 << 30
"""Programs of this machine may ask as often as they want."""
_LIMITS = ServerLimits(
    VisitLimits(_MOST, connections_each=256, half_open_each=64, holding_each=0, requests_per_s_each=_UNCOUNTED, burst_each=_UNCOUNTED),
    {"": LaneLimits(pages=_MOST)},
    pages_each=_MOST,
    body_bytes=8 << 20,
)

Document = TypeVar("Document")


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
    prepare(kind)
    try:
        return msgspec.json.decode(request.get_data(), type=kind)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise BadRequest(f"send a JSON document as it is described: {error}") from None


def query(kind: type[Document]) -> Document:
    """The fields behind the question mark of the present request; raises BadRequest when they are not of this kind."""
    prepare(kind)
    try:
        return msgspec.convert(request.args.to_dict(), kind, strict=False)
    except msgspec.ValidationError as error:
        raise BadRequest(f"ask as it is described: {error}") from None


def keep_to_this_machine(app: Flask, why: str) -> None:
    """Answer 403 and ``why`` to a request that names another host, as one does that a foreign page makes through DNS."""

    @app.before_request
    def is_ours() -> None:
        try:
            host = urlsplit(f"//{request.headers.get('Host', '')}").hostname
        except ValueError:
            host = None
        if host not in _OWN_NAMES:
            raise Forbidden(why)


def json_answer(document: object) -> Response:
    """An answer with a JSON document."""
    return Response(msgspec.json.encode(document), mimetype="application/json")


class HttpServer:
    """Answers an application's requests from ``start`` to ``stop``."""

    def __init__(self, app: Flask, port: int, *, request_s: float = REQUEST_S) -> None:
        """``port`` 0 takes a free one; ``request_s`` is how long a connection may be open before its first request has come whole.

        Raises OSError when the port is taken or the address is not this machine's.
        """
        self._app = app
        self._server = WebServer(socket.create_server((LOOPBACK, port), backlog=BACKLOG), replace(_LIMITS, request_s=request_s), keeps=True)
        self.port = self._server.port

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://{LOOPBACK}:{self.port}"

    def start(self) -> None:
        """Begin to answer."""
        self._server.start(self._app)

    def stop(self, patience_s: float = STOP_S) -> None:
        """Answer nothing more: what is under way may end within ``patience_s``, then connections are closed."""
        self._server.stop(patience_s)
        self._server.close()
