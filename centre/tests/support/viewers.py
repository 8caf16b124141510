"""A real nginx with nchan in front of published pages, and viewers who read streams of them."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path

import pytest

from centre.deploy.nginx_conf import NCHAN_MODULE
from centre.viewers.page_publisher import PublicPage, PublishedPages
from tests.support.patience import PATIENCE_S
from tools.rehearsal.programs import LOOPBACK, nginx_program, viewer_server

needs_nginx = pytest.mark.skipif(not NCHAN_MODULE.exists(), reason=f"{NCHAN_MODULE} is not there (apt-get install libnginx-mod-nchan)")


class ViewerRig:
    """nginx with its folder of pages."""

    def __init__(self, folder: Path, streams_each: int) -> None:
        self.server = viewer_server(folder, streams_each)
        self.nginx = nginx_program(self.server)
        self.pages = PublishedPages(self.server.pages, self.server.socket)

    def start(self) -> None:
        """Start it, and wait until it serves."""
        self.nginx.start()
        self.nginx.wait(PATIENCE_S)

    def get(self, path: str, method: str = "GET", language: str = "en") -> tuple[int, Mapping[str, str], bytes]:
        """Status, header and body of one answer."""
        connection = HTTPConnection(LOOPBACK, self.server.port, timeout=PATIENCE_S)
        try:
            connection.request(method, path, headers={"Accept-Language": language})
            answer = connection.getresponse()
            return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
        finally:
            connection.close()

    @contextmanager
    def stream(self, channel: str) -> Iterator[HTTPResponse]:
        """An open stream."""
        connection = HTTPConnection(LOOPBACK, self.server.port, timeout=PATIENCE_S)
        connection.request("GET", f"/stream/{channel}", headers={"Accept": "text/event-stream"})
        try:
            yield connection.getresponse()
        finally:
            connection.close()


def heard(stream: HTTPResponse) -> bytes:
    """The next message of a stream."""
    while not (line := stream.readline()).startswith(b"data:"):
        assert line, "the stream has ended"
    return line.removeprefix(b"data:").strip()


def ranking(*teams: str, name: str = "world", language: str = "en", script: str = "") -> PublicPage:
    """A page with a heading and a ranking, each a part of its own."""
    parts = {"head": f'<h1 data-part="head">{len(teams)} teams</h1>', "table": f'<ol data-part="table">{_rows(teams)}</ol>'}
    body = "".join(parts.values())
    text = (
        f'<!doctype html><html lang="{language}" data-stream="{name}.{language}"><head><meta charset="utf-8"><title>Ranking</title>'
        f'<meta name="revision" content="">{script}</head><body>{body}</body></html>'
    )
    return PublicPage(name, language, text, parts)


def _rows(teams: tuple[str, ...]) -> str:
    return "".join(f"<li>{team}</li>" for team in teams)
