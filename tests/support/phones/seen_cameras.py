"""The simulated cameras as a browser may fetch them: pages of other addresses are allowed to look."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from urllib.error import URLError
from urllib.request import urlopen

from flask import Response
from werkzeug.exceptions import ServiceUnavailable

from twinwall.web.http_server import HttpServer, json_app

_PATIENCE_S = 10.0


@contextmanager
def seen_cameras(cameras_url: str) -> Iterator[str]:
    """The address at which pages find what is at ``cameras_url``."""
    app = json_app("seen cameras", most_bytes=0)

    @app.get("/<path:path>")
    def picture(path: str) -> Response:
        try:
            with urlopen(f"{cameras_url}/{path}", timeout=_PATIENCE_S) as answer:
                return Response(answer.read(), mimetype="image/jpeg", headers={"Access-Control-Allow-Origin": "*"})
        except (URLError, TimeoutError) as problem:
            raise ServiceUnavailable(str(problem)) from None

    server = HttpServer(app, 0)
    server.start()
    try:
        yield server.url
    finally:
        server.stop()
