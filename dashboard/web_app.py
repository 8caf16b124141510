"""The Flask application that the dashboard and the page of an enrolment begin with.

It answers to trusted names alone, sends the security headers, and serves the tiles' faces. What it
shows is added by ``dashboard.app`` and ``dashboard.enrolment_page``.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection
from urllib.parse import urlsplit

from flask import Flask, Response, abort, request

from twinwall.art.svg import sprite

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
CACHED_ENDPOINTS = ("static", "tiles")


def web_app(names: Collection[str], **settings: object) -> Flask:
    """The application with its settings; ``names`` are the host names that it answers to, none for any."""
    app = Flask(__name__, static_url_path="/static")
    app.config.update(settings)
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    etag = secrets.token_hex(8)

    @app.before_request
    def refuse_foreign_names() -> None:
        if names and urlsplit(f"//{request.host}").hostname not in names:
            abort(400)

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
        return response

    return app
