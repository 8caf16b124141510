"""The base Flask application of the dashboard and of the pages on one computer (enrolment, recorded evening). It answers only to trusted
names, sends the security headers, and serves the tiles' faces. ``dashboard.app``, ``dashboard.enrolment_page`` and
``dashboard.evening_page`` add the pages."""

import gzip
import hashlib
import re
import secrets
from collections.abc import Collection, Iterable
from functools import cache
from pathlib import Path
from urllib.parse import quote, urlsplit

from flask import Flask, Request, Response, abort, current_app, g, redirect, request, url_for
from jinja2 import StrictUndefined
from werkzeug.datastructures import ImmutableMultiDict
from werkzeug.wrappers import Response as AnyResponse

from dashboard.i18n.words import IN_TEMPLATES
from dashboard.pages.page_links import ServedLinks
from twinwall.art.svg import sprite
from twinwall.wire.names import typed_number

LOOPBACK_NAMES = ("127.0.0.1", "localhost", "::1")
SECURITY_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}
SECRETS = ("password", "again", "passphrase")
"""Fields that are used exactly as typed."""
CACHED_ENDPOINTS = ("static", "tiles")
STATIC = Path(__file__).parent / "static"
STATIC_MAX_AGE_S = 365 * 86_400
"""Static files have an address that changes with their content, so browsers need not ask for an icon again."""
LEAST_COMPRESSED = 1024
"""Bytes; smaller answers are sent uncompressed."""
COMPRESSED_TYPES = frozenset({"text/html", "text/css", "text/javascript", "image/svg+xml", "application/json", "text/csv"})


class _TypedFields(ImmutableMultiDict[str, object]):
    """Fields of a form or an address: a whole number may be typed with full-width digits, or with the minus that pages print."""

    def __init__(self, fields: Iterable[tuple[str, object]] = ()) -> None:
        super().__init__([(key, typed_number(value) if isinstance(value, str) and key not in SECRETS else value) for key, value in fields])


class _TypedRequest(Request):
    parameter_storage_class = _TypedFields


def web_app(names: Collection[str], **settings: object) -> Flask:
    """The application with its settings; ``names`` are the accepted host names, empty for any."""
    app = Flask(__name__, static_url_path=f"/static/{_version()}")
    app.request_class = _TypedRequest
    app.config.update(settings, SEND_FILE_MAX_AGE_DEFAULT=STATIC_MAX_AGE_S)
    app.jinja_env.globals |= {**IN_TEMPLATES, "links": ServedLinks(f"{app.static_url_path}/icons.svg")}
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    app.jinja_env.undefined = StrictUndefined
    etag = secrets.token_hex(8)

    @app.before_request
    def refuse_foreign_names() -> None:
        if names and urlsplit(f"//{request.host}").hostname not in names:
            abort(Response(status=400))  # a page would tell a page elsewhere what stands in it

    @app.get("/tiles.svg")
    def tiles() -> Response:
        response = Response(sprite(), mimetype="image/svg+xml")
        response.set_etag(etag)
        response.cache_control.max_age = 3600
        response.make_conditional(request)
        return response

    @app.after_request
    def protect(response: Response) -> Response:
        response.headers.update(SECURITY_HEADERS)
        if request.endpoint not in CACHED_ENDPOINTS:
            response.headers.setdefault("Cache-Control", "no-store")
        return _compressed(response)

    return app


def see_other(endpoint: str, **values: object) -> AnyResponse:
    """Redirect to a page of this site, after a form was carried out."""
    return redirect(url_for(endpoint, **values), 303)  # type: ignore[arg-type]  # its options are typed, and none is among them


def site_address() -> str:
    """The pages' address for browsers: from the settings, or from this request."""
    address: str | None = current_app.config["ADDRESS"]
    return (address or request.host_url).rstrip("/")


def download(content: bytes | str, name: str, mimetype: str = "application/json") -> Response:
    plain = re.sub(r'[^ -~]|["\\]', "_", name)
    exact = "" if plain == name else f"; filename*=UTF-8''{quote(name, safe='')}"  # RFC 6266
    return Response(content, mimetype=mimetype, headers={"Content-Disposition": f'attachment; filename="{plain}"{exact}'})


def shown_pdf(content: bytes, name: str) -> Response:
    """A PDF file that the browser shows, and saves under this name."""
    return Response(content, mimetype="application/pdf", headers={"Content-Disposition": f'inline; filename="{name}.pdf"'})


@cache
def _version() -> str:
    """A digest of all static files at the first application's creation."""
    digest = hashlib.sha256()
    for file in sorted(each for each in STATIC.rglob("*") if each.is_file()):
        digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:12]


def _compressed(response: Response) -> Response:
    """The answer, compressed for a browser that accepts gzip, except event streams and pages that must not reveal anything by their length.
    The length reveals no form's token (BREACH): the session's cookie is ``SameSite=Strict``, so no foreign page can request a page with a
    token."""
    stream = response.is_streamed and not response.direct_passthrough
    compressible = response.mimetype in COMPRESSED_TYPES and not response.content_encoding and g.get("compressible", True)
    if response.status_code != 200 or stream or not compressible:
        return response
    response.vary.add("Accept-Encoding")
    if not request.accept_encodings.quality("gzip"):
        return response
    response.direct_passthrough = False
    content = response.get_data()
    if len(content) >= LEAST_COMPRESSED:
        response.set_data(gzip.compress(content, compresslevel=6, mtime=0))
        response.content_encoding = "gzip"
    return response
