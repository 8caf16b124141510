"""Flask applications for small servers on loopback: how JSON bodies are read, and how errors are reported (one sentence, as JSON). The
applications decide which addresses exist; ``twinwall.web.loopback_server`` serves them."""

from typing import TypeVar
from urllib.parse import urlsplit

import msgspec
from flask import Flask, Response, request
from werkzeug.exceptions import BadRequest, Forbidden, HTTPException

from twinwall.values import prepare
from twinwall.web.loopback_server import LOOPBACK

_OWN_NAMES = frozenset({LOOPBACK, "localhost"})
Document = TypeVar("Document")


def json_app(name: str, most_bytes: int) -> Flask:
    """Make an application without addresses. It refuses bodies over ``most_bytes`` and answers each error with ``{"error": sentence}``."""
    app = Flask(name, static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = most_bytes

    @app.errorhandler(HTTPException)
    def refused(error: HTTPException) -> tuple[dict[str, object], int]:
        if error.code in {404, 405}:
            known = ", ".join(f"{method} {path}" for method, path in addresses(app))
            return {"error": f"there is no {request.method} {request.path} here; there are {known}"}, 404
        return {"error": error.description}, error.code or 500

    return app


def page_app(name: str, most_bytes: int) -> Flask:
    """A ``json_app`` for a page: its answers are not cached and not shown in a frame of another page."""
    app = json_app(name, most_bytes)

    @app.after_request
    def neither_cached_nor_framed(response: Response) -> Response:
        response.headers["Cache-Control"], response.headers["X-Frame-Options"] = "no-store", "DENY"
        return response

    return app


def addresses(app: Flask) -> list[tuple[str, str]]:
    return sorted((method, rule.rule) for rule in app.url_map.iter_rules() for method in (rule.methods or ()) if method in {"GET", "POST"})


def json_body(kind: type[Document]) -> Document:
    """Read the request's body; raises BadRequest when it is not a JSON document of this kind."""
    prepare(kind)
    try:
        return msgspec.json.decode(request.get_data(), type=kind)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise BadRequest(f"send a JSON document as it is described: {error}") from None


def check_json_object() -> None:
    """Raise BadRequest where the present request sends anything but a JSON object, which a foreign page could send unasked."""
    if request.mimetype != "application/json":
        raise BadRequest("send a JSON object")
    json_body(dict)


def known_version() -> int:
    """Return the version that the asking page knows, ``?after=…``; 0 if it names none."""
    return request.args.get("after", 0, type=int)


def query(kind: type[Document]) -> Document:
    """Read the request's query string; raises BadRequest when it is not of this kind."""
    prepare(kind)
    try:
        return msgspec.convert(request.args.to_dict(), kind, strict=False)
    except msgspec.ValidationError as error:
        raise BadRequest(f"ask as it is described: {error}") from None


def refuse_other_hosts(app: Flask, why: str) -> None:
    """Answer 403 and ``why`` to a request whose Host is not this machine (DNS rebinding by a foreign page), or that another page sends."""

    @app.before_request
    def is_ours() -> None:
        named = request.headers.get("Host", "")
        try:
            host = urlsplit(f"//{named}").hostname
        except ValueError:
            host = None
        if host not in _OWN_NAMES or request.headers.get("Origin", f"http://{named}") != f"http://{named}":
            raise Forbidden(why)


def json_answer(document: object) -> Response:
    return Response(msgspec.json.encode(document), mimetype="application/json")
