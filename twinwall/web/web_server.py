"""The HTTP server of this program: one thread for each connection, with limits for each visitor. h11 reads each request. A WSGI application
answers it, or an upgrade handler for its path takes the connection over (WebSocket). The sorter names the visitor and says whether the
request is a stream; ``twinwall.web.visitor_limits`` decides which connection must close."""

import logging
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack, suppress
from email.utils import formatdate
from functools import partial
from http import HTTPStatus
from itertools import chain
from typing import NoReturn
from wsgiref.types import WSGIApplication, WSGIEnvironment

import h11
from werkzeug.wrappers import Response

from twinwall.values import frozen
from twinwall.web.visitor_limits import Visit, VisitLimits, VisitorLimits, VisitStage, network_of
from twinwall.web.web_requests import UNREAD, RefusedRequestError, RequestReader, WholeRequest, visitor_address

BACKLOG = 256
PIECE = 64 << 10
LOOK_S = 0.2
"""How often the accepting thread checks whether the server stops."""
TIDY_S = 60.0
KEPT_S = 120.0
"""How long a kept connection may be idle after a request."""
RETRY_AFTER_S = 5
STOP_S = 0.5
_LOG = logging.getLogger(__name__)


@frozen
class LaneLimits:
    """Limits for all requests of a lane."""

    pages: int
    """Requests answered at a time, without streams; others wait."""
    streams: int = 0


@frozen
class ServerLimits:
    """Limits for one visitor and for each lane; sizes in bytes."""

    visits: VisitLimits
    lanes: Mapping[str, LaneLimits]
    pages_each: int = 8
    header_bytes: int = 16 << 10
    body_bytes: int = 192 << 10
    request_s: float = 10.0
    """Longest time until a request is complete, with the TLS handshake."""
    answer_s: float = 20.0
    """Longest time in which a client takes nothing of the answer."""


@frozen
class SortedRequest:
    """What the limits need of a request; ``visitor`` is None when only the address is known."""

    lane: str = ""
    is_stream: bool = False
    visitor: str | None = None


class RequestSorter:
    """Treats all requests alike."""

    def sort(self, _environ: WSGIEnvironment) -> SortedRequest:
        return SortedRequest()

    def refusal(self, _environ: WSGIEnvironment, refused: RefusedRequestError) -> WSGIApplication:
        """The answer to a refused or unreadable request."""
        return Response(f"{HTTPStatus(refused.status).phrase}\n", refused.status, {"Retry-After": str(RETRY_AFTER_S)}, "text/plain")


PLAIN = RequestSorter()

Upgrade = Callable[[WholeRequest, socket.socket, Visit], None]
"""Handles the connection of a GET request with an Upgrade header until it returns; the visit stays half-open until the handler sets it."""


class WebServer:
    """Serves from ``start`` to ``stop``, repeatedly, until ``close``."""

    def __init__(
        self,
        listening: socket.socket,
        limits: ServerLimits,
        *,
        tls: ssl.SSLContext | None = None,
        over_tls: bool = False,
        trusted: Iterable[str] = (),
        keeps: bool = False,
        upgrades: Mapping[str, Upgrade] | None = None,
    ) -> None:
        """Take over the socket ``listening``. ``over_tls``: browsers reach this server through a TLS proxy. ``trusted``: addresses of such
        proxies. ``keeps``: a connection may carry several requests. ``upgrades``: handlers by path."""
        self.host, self.port = listening.getsockname()[:2]
        self.visitors = VisitorLimits(limits.visits)
        self._limits, self._keeps, self._upgrades = limits, keeps, upgrades or {}
        self._trusted = frozenset(visitor_address(each, "", ()) for each in trusted)
        self._scheme = "https" if over_tls or tls else "http"
        # Each connection's own thread does the handshake, so that a silent client does not block others.
        self._listening = listening if tls is None else tls.wrap_socket(listening, server_side=True, do_handshake_on_connect=False)
        self._listening.settimeout(LOOK_S)
        self._lanes = {name: threading.Semaphore(lane.pages) for name, lane in limits.lanes.items()}
        self._pages: dict[str, threading.Semaphore] = {}
        self._open: dict[Visit, threading.Thread] = {}
        self.is_serving = False
        """Applications end their streams when it is false."""
        self._accepting: threading.Thread | None = None

    def start(self, app: WSGIApplication, sorter: RequestSorter = PLAIN) -> None:
        """Serve an application; returns at once."""
        self._app, self._sorter, self.is_serving = app, sorter, True
        self._accepting = threading.Thread(target=self._accept, name=f"http {self.port}", daemon=True)
        self._accepting.start()

    def stop(self, patience_s: float = STOP_S) -> None:
        """Accept no more connections; answers in progress may end within ``patience_s``, then all connections are closed."""
        self.is_serving, until_s = False, time.monotonic() + patience_s
        if self._accepting:
            with suppress(OSError):  # wakes the accepting thread, which would wait up to LOOK_S
                socket.create_connection((self.host, self.port), LOOK_S).close()
            self._accepting.join()
        for visit in tuple(self._open):
            if visit.stage in (VisitStage.HALF_OPEN, VisitStage.IDLE):
                visit.abort()
        for visit, thread in tuple(self._open.items()):
            thread.join(max(0.0, until_s - time.monotonic()))
            visit.abort()

    def close(self) -> None:
        self._listening.close()

    def _accept(self) -> None:
        tidy_at_s = time.monotonic() + TIDY_S
        while self.is_serving:
            if (now_s := time.monotonic()) >= tidy_at_s:
                tidy_at_s = now_s + TIDY_S
                for gone in self.visitors.tidy(now_s):
                    self._pages.pop(gone, None)
            try:
                connection, peer = self._listening.accept()
            except TimeoutError:
                continue
            except OSError:  # the client has gone, or this process has too many files open
                time.sleep(0.01)
                continue
            self._enter(connection, str(peer[0]))

    def _enter(self, connection: socket.socket, peer: str) -> None:
        """Start a thread for a connection, and close the connections that make room for it."""
        visit = Visit(network_of(peer), partial(_end, connection))
        trusted = visitor_address(peer, "", ()) in self._trusted
        for each in self.visitors.enter(visit, time.monotonic(), trusted=trusted):
            each.abort()
        self._open[visit] = threading.Thread(target=self._serve, args=(connection, peer, visit), name="http", daemon=True)
        try:
            self._open[visit].start()
        except RuntimeError:  # the system has no more threads for this program
            self._leave(connection, visit)

    def _leave(self, connection: socket.socket, visit: Visit) -> None:
        connection.close()
        self.visitors.leave(visit)
        del self._open[visit]

    def _serve(self, connection: socket.socket, peer: str, visit: Visit) -> None:
        try:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, True)
            self._converse(connection, peer, visit)
        except OSError:  # the client has gone or was too slow, or the limits closed the connection
            pass
        except Exception:
            _LOG.exception("a request could not be answered")
        finally:
            self._leave(connection, visit)

    def _converse(self, connection: socket.socket, peer: str, visit: Visit) -> None:
        reader, until_s = RequestReader(self._limits.header_bytes, self._limits.body_bytes), time.monotonic() + self._limits.request_s
        connection.settimeout(self._limits.request_s)
        if isinstance(connection, ssl.SSLSocket):
            connection.do_handshake()
        try:
            while request := self._read(reader, connection, until_s):
                connection.settimeout(self._limits.answer_s)
                upgrade = self._upgrades.get(request.path) if request.values(b"upgrade") and request.head.method == b"GET" else None
                if upgrade:
                    upgrade(request, connection, visit)
                    return
                self._answer(reader.http, connection, request, peer, visit)
                if not reader.next():
                    return
                visit.stage, until_s = VisitStage.IDLE, time.monotonic() + KEPT_S
        except RefusedRequestError as refused:
            environ = self._environ(reader.request or UNREAD, peer)
            _respond(self._sorter.refusal(environ, refused), environ, reader.http, connection, closes=True)

    def _read(self, reader: RequestReader, connection: socket.socket, until_s: float) -> WholeRequest | None:
        """The next request; None when the client closes the connection."""
        piece = b""
        while (request := reader.take(piece)) is None:
            if reader.http.they_are_waiting_for_100_continue:
                connection.sendall(reader.http.send(h11.InformationalResponse(status_code=100, headers=[])) or b"")
            connection.settimeout(max(0.001, until_s - time.monotonic()))
            piece = connection.recv(PIECE)
            if not piece:
                return None
        return request

    def _environ(self, request: WholeRequest, peer: str) -> WSGIEnvironment:
        address = visitor_address(peer, request.values(b"x-forwarded-for"), self._trusted)
        return request.environ(address, self._scheme, (self.host, self.port))

    def _answer(self, http: h11.Connection, connection: socket.socket, request: WholeRequest, peer: str, visit: Visit) -> None:
        """Wait for the visitor's turn and let the application answer; raises RefusedRequestError."""
        environ = self._environ(request, peer)
        asked, now_s, network = self._sorter.sort(environ), time.monotonic(), network_of(environ["REMOTE_ADDR"])
        self.visitors.identify(visit, f"{asked.visitor} at {network}" if asked.visitor else network, now_s)
        visit.lane = asked.lane
        if not self.visitors.may_ask(visit, now_s):
            raise RefusedRequestError(429, "refused.asked", seconds=RETRY_AFTER_S)
        with ExitStack() as held:
            if asked.is_stream:
                self._begin_stream(visit)
            else:
                visit.stage = VisitStage.ASKING
                self._page_slot(visit, held)
            _respond(self._app, environ, http, connection, closes=not self._keeps)

    def _begin_stream(self, visit: Visit) -> None:
        may, gives_way = self.visitors.hold(visit, self._limits.lanes[visit.lane].streams)
        if gives_way:
            gives_way.abort()
        if not may:
            raise RefusedRequestError(429, "refused.streams", seconds=RETRY_AFTER_S)

    def _page_slot(self, visit: Visit, held: ExitStack) -> None:
        """Wait for a free slot of the visitor, then for one of its lane."""
        own = self._pages.setdefault(visit.visitor, threading.Semaphore(self._limits.pages_each))
        until_s = time.monotonic() + self._limits.request_s
        for slot in (own, self._lanes[visit.lane]):
            if not slot.acquire(timeout=max(0.0, until_s - time.monotonic())):
                raise RefusedRequestError(503, "refused.busy", seconds=RETRY_AFTER_S)
            held.callback(slot.release)


def _respond(app: WSGIApplication, environ: WSGIEnvironment, http: h11.Connection, connection: socket.socket, *, closes: bool) -> None:
    """Send the application's answer piece by piece."""
    given: list[tuple[str, list[tuple[str, str]]]] = []

    def start(status: str, headers: list[tuple[str, str]], _error: object = None) -> Callable[[bytes], object]:
        given[:] = [(status, headers)]
        return _no_write

    pieces = app(environ, start)
    try:
        for piece in chain(pieces, (b"",)):  # the empty piece sends the head of an answer without a body
            sent = b""
            if http.our_state in (h11.IDLE, h11.SEND_RESPONSE):
                ((status, headers),) = given
                sent = http.send(_head(status, headers, closes=closes)) or b""
            if piece and environ["REQUEST_METHOD"] != "HEAD":
                sent += http.send(h11.Data(data=piece)) or b""
            for begin in range(0, len(sent), PIECE):  # the timeout holds for each piece
                connection.sendall(sent[begin : begin + PIECE])
        if end := http.send(h11.EndOfMessage()):
            connection.sendall(end)
    finally:
        close = getattr(pieces, "close", None)
        if close:
            close()


def _no_write(_piece: bytes) -> NoReturn:
    raise NotImplementedError("WSGI's write() is not for new applications: return the body")


def _head(status: str, headers: list[tuple[str, str]], *, closes: bool) -> h11.Response:
    number, _, reason = status.partition(" ")
    own = [("Date", formatdate(usegmt=True)), *([("Connection", "close")] if closes else [])]
    written = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in (*headers, *own)]
    return h11.Response(status_code=int(number), headers=written, reason=reason.encode("latin-1"))


def _end(connection: socket.socket) -> None:
    """Shut down a connection that another thread reads or writes."""
    with suppress(OSError):  # closed already
        socket.socket.shutdown(connection, socket.SHUT_RDWR)  # SSLSocket.shutdown would drop the other thread's TLS session
