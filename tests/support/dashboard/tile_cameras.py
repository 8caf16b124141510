"""The server of readiness as the pages meet it when drawn tiles are read: a fake at the wire whose tables show what a test says."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from flask import Response
from werkzeug.exceptions import Conflict

from twinwall.web.http_server import HttpServer, json_answer, json_app


@dataclass
class TileCameras:
    """``tiles`` are the kinds on each table; ``unread`` its slots that are not read; a table in ``refused`` answers with its sentence."""

    tiles: dict[str, str]
    unread: dict[str, list[dict[str, object]]] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    """The tables that were asked, in no order."""

    @contextmanager
    def served(self) -> Iterator[str]:
        """The server's address."""
        app = json_app("tile-cameras", 4096)

        @app.get("/")
        def names() -> Response:
            return json_answer(list(self.tiles))

        @app.post("/<table>/tiles")
        def read(table: str) -> Response:
            self.asked.append(table)
            if table in self.refused:
                raise Conflict(self.refused[table])
            return json_answer({"tiles": self.tiles[table].split(), "unread": self.unread.get(table, [])})

        server = HttpServer(app, 0)
        server.start()
        yield server.url
        server.stop()
