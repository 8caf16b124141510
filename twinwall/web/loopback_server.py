"""Small HTTP servers on loopback: any WSGI application behind ``WebServer``. This module decides how a server starts and stops."""

import socket
from wsgiref.types import WSGIApplication

from twinwall.web.visitor_limits import VisitLimits
from twinwall.web.web_server import BACKLOG, STOP_S, LaneLimits, ServerLimits, WebServer

LOOPBACK = "127.0.0.1"
_MOST = 384
"""Connections in all; each has a thread. A request that waits for an event keeps its connection."""
_UNCOUNTED = 1 << 30
"""Programs of this machine may ask without limit."""
LIMITS = ServerLimits(
    VisitLimits(_MOST, connections_each=256, half_open_each=64, holding_each=0, requests_per_s_each=_UNCOUNTED, burst_each=_UNCOUNTED),
    {"": LaneLimits(pages=_MOST)},
    pages_each=_MOST,
    body_bytes=8 << 20,
)


class HttpServer:
    """Serves a WSGI application on loopback from ``start`` to ``stop``."""

    def __init__(self, app: WSGIApplication, port: int) -> None:
        """Listen at ``port`` (0: any free one). Raises OSError."""
        self._app = app
        self._server = WebServer(socket.create_server((LOOPBACK, port), backlog=BACKLOG), LIMITS, keeps=True)
        self.port = self._server.port

    @property
    def url(self) -> str:
        return f"http://{LOOPBACK}:{self.port}"

    def start(self) -> None:
        self._server.start(self._app)

    def stop(self, patience_s: float = STOP_S) -> None:
        """Accept no more requests; those in progress may end within ``patience_s``, then their connections are closed."""
        self._server.stop(patience_s)
        self._server.close()
