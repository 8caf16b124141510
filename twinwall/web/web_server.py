"""The server of everything that this program serves over HTTP: a thread for each connection, within limits for each visitor.

h11 reads each request whole, within limits of size and time. Then a WSGI application answers it, or the handler of its path takes the
connection over, as for a WebSocket. Whose request it is and whether it asks for a stream is the sorter's decision; who gives way to
whom is ``twinwall.web.visitor_limits``.
"""

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
"""How often the thread that accepts looks whether the server ends."""
TIDY_S = 60.0
KEPT_S = 120.0
"""How long a connection may be open without a request after the first one, where connections are kept."""
RETRY_AFTER_S = 5
STOP_S = 0.5
_LOG = logging.getLogger(__name__)


@frozen
class LaneLimits:
    """What all requests of a lane may have at a time."""

    pages: int
    """Requests that are answered, streams not counted; others wait."""
    streams: int = 0


@frozen
class ServerLimits:
    """What one visitor, and all in a lane, may have at a time; sizes in bytes."""

    visits: VisitLimits
    lanes: Mapping[str, LaneLimits]
    pages_each: int = 8
    header_bytes: int = 16 << 10
    body_bytes: int = 192 << 10
    request_s: float = 10.0
    """So long a request may take to come whole, the TLS handshake included."""
    answer_s: float = 20.0
    """So long a client may take nothing of what is sent to it."""


@frozen
class SortedRequest:
    """A request as the limits see it; ``visitor`` is None where nothing but the address is known."""

    lane: str = ""
    is_stream: bool = False
    visitor: str | None = None


class RequestSorter:
    """Sorts requests that are all alike."""

    def sort(self, _environ: WSGIEnvironment) -> SortedRequest:
        """What a request is."""
        return SortedRequest()

    def refusal(self, _environ: WSGIEnvironment, refused: RefusedRequestError) -> WSGIApplication:
        """What answers a request that is not passed on, or could not be read."""
        return Response(f"{HTTPStatus(refused.status).phrase}\n", refused.status, {"Retry-After": str(RETRY_AFTER_S)}, "text/plain")


PLAIN = RequestSorter()

Upgrade = Callable[[WholeRequest, socket.socket, Visit], None]
"""Takes over the connection of a GET request with an Upgrade header, until it returns; the visit is half-open until it says more."""


class WebServer:
    """Answers requests from ``start`` to ``stop``, which may be repeated, until ``close``."""

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
        """``listening`` belongs to the server from now on; ``over_tls`` says that browsers reach a proxy in front of this server by TLS
        only, and ``trusted`` has the addresses of such proxies; ``keeps`` lets a connection carry several requests; ``upgrades`` by path.
        """
        self.host, self.port = listening.getsockname()[:2]
        self.visitors = VisitorLimits(limits.visits)
        self._limits, self._keeps, self._upgrades = limits, keeps, upgrades or {}
        self._trusted = frozenset(visitor_address(each, "", ()) for each in trusted)
        self._scheme = "https" if over_tls or tls else "http"
        # The handshake comes in the connection's own thread: a silent client keeps no other waiting.
        self._listening = listening if tls is None else tls.wrap_socket(listening, server_side=True, do_handshake_on_connect=False)
        self._listening.settimeout(LOOK_S)
        self._lanes = {name: threading.Semaphore(lane.pages) for name, lane in limits.lanes.items()}
        self._pages: dict[str, threading.Semaphore] = {}
        self._open: dict[Visit, threading.Thread] = {}
        self.is_serving = False
        """Whether streams shall go on; asked by the applications."""
        self._accepting: threading.Thread | None = None

    def start(self, app: WSGIApplication, sorter: RequestSorter = PLAIN) -> None:
        """Begin to answer with an application; returns at once."""
        self._app, self._sorter, self.is_serving = app, sorter, True
        self._accepting = threading.Thread(target=self._accept, name=f"http {self.port}", daemon=True)
        self._accepting.start()

    def stop(self, patience_s: float = STOP_S) -> None:
        """Take no more connections: what is answered may end within ``patience_s``, the rest is closed."""
        self.is_serving, until_s = False, time.monotonic() + patience_s
        if self._accepting:
            with suppress(OSError):  # without it the thread that accepts would look LOOK_S later
                socket.create_connection((self.host, self.port), LOOK_S).close()
            self._accepting.join()
        for visit in tuple(self._open):
            if visit.stage in (VisitStage.HALF_OPEN, VisitStage.IDLE):
                visit.abort()
        for visit, thread in tuple(self._open.items()):
            thread.join(max(0.0, until_s - time.monotonic()))
            visit.abort()

    def close(self) -> None:
        """Let the port go."""
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
            except OSError:  # it went before its turn, or this process has too many files open
                time.sleep(0.01)
                continue
            self._enter(connection, str(peer[0]))

    def _enter(self, connection: socket.socket, peer: str) -> None:
        """Give a connection a thread, and close those that give way to it."""
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
        except OSError:  # the client went, or was too slow, or had to give way
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
        """The next request; None when the client closes without one."""
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
        """Have the application answer when the visitor may ask, and its turn has come; raises RefusedRequestError."""
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
        """Wait until a page of this visitor, and one of its lane, may be answered: the visitor's own wait comes first."""
        own = self._pages.setdefault(visit.visitor, threading.Semaphore(self._limits.pages_each))
        until_s = time.monotonic() + self._limits.request_s
        for slot in (own, self._lanes[visit.lane]):
            if not slot.acquire(timeout=max(0.0, until_s - time.monotonic())):
                raise RefusedRequestError(503, "refused.busy", seconds=RETRY_AFTER_S)
            held.callback(slot.release)


def _respond(app: WSGIApplication, environ: WSGIEnvironment, http: h11.Connection, connection: socket.socket, *, closes: bool) -> None:
    """Send what an application answers, each piece as it comes."""
    given: list[tuple[str, list[tuple[str, str]]]] = []

    def start(status: str, headers: list[tuple[str, str]], _error: object = None) -> Callable[[bytes], object]:
        given[:] = [(status, headers)]
        return _no_write

    pieces = app(environ, start)
    try:
        for piece in chain(pieces, (b"",)):  # the last one has the head sent of an answer without a body
            sent = b""
            if http.our_state in (h11.IDLE, h11.SEND_RESPONSE):
                ((status, headers),) = given
                sent = http.send(_head(status, headers, closes=closes)) or b""
            if piece and environ["REQUEST_METHOD"] != "HEAD":
                sent += http.send(h11.Data(data=piece)) or b""
            for begin in range(0, len(sent), PIECE):  # the patience is for each piece
                connection.sendall(sent[begin : begin + PIECE])
        connection.sendall(http.send(h11.EndOfMessage()) or b"")
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
    """End a connection that another thread reads or writes."""
    with suppress(OSError):  # the other end was quicker
        socket.socket.shutdown(connection, socket.SHUT_RDWR)  # that of TLS would take the session from the other thread
