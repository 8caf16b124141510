"""The hall's end of an enrolment: a small HTTPS server that runs while codes are good.

``GET /authority`` gives the authority's certificate, ``POST /enrol`` a table's. Which code is worth what is decided in
``twinwall.wire.enrolment``.
"""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import msgspec

from twinwall.game import typed_json
from twinwall.visitor_limits import Visit, VisitLimits, VisitorLimits
from twinwall.wire.certificates import CertificateError
from twinwall.wire.enrolment import CodeVerdict, EnrolmentAnswer, EnrolmentRequest, Invitation, take

REQUEST_S = 10.0
"""So long a connection may take, the TLS handshake included."""
MOST_BYTES = 8192
_LIMITS = VisitLimits(connections=64, connections_each=16, half_open_each=16, holding_each=0)

_Request = socket.socket | tuple[bytes, socket.socket]
_Address = tuple[str, int]

Issue = Callable[[str, bytes], bytes]
"""Issues the certificate (PEM) of a table for a request (PEM), and keeps it; raises CertificateError."""


class EnrolmentServer:
    """Answers tables from ``start`` to ``close``."""

    def __init__(
        self,
        at: tuple[str, int],
        tls: ssl.SSLContext,
        authority: bytes,
        *,
        invitations: Sequence[Invitation],
        issue: Issue,
        clock: Callable[[], float],
    ) -> None:
        """Raises OSError when this address cannot be listened at."""
        self.authority = authority
        self._invitations, self._issue, self._clock = tuple(invitations), issue, clock
        self._lock = threading.Lock()
        self._server = _Server(at, self)
        # The handshake comes with the first read, in the connection's own thread: a silent client keeps no other waiting.
        self._server.socket = tls.wrap_socket(self._server.socket, server_side=True, do_handshake_on_connect=False)
        self._thread = threading.Thread(target=self._server.serve_forever, name="enrolment", daemon=True)

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self._server.server_address[1])

    def start(self) -> None:
        """Begin to answer."""
        self._thread.start()

    def close(self) -> None:
        """Answer nothing more."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def enrol(self, asked: EnrolmentRequest) -> EnrolmentAnswer | CodeVerdict:
        """Give the table of a good code its certificate; raises CertificateError, and the code is used all the same."""
        with self._lock:
            secret = bytes.fromhex(asked.secret)
            self._invitations, invitation, verdict = take(self._invitations, secret, self._clock())
            if invitation is None or verdict is not CodeVerdict.GOOD:
                return verdict
            return EnrolmentAnswer(invitation.table, self._issue(invitation.table, asked.request.encode()).decode())


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, at: tuple[str, int], enrolment: EnrolmentServer) -> None:
        self.enrolment = enrolment
        self._visitors, self._visits = VisitorLimits(_LIMITS), dict[socket.socket, Visit]()
        super().__init__(at, _Handler)

    def process_request(self, request: _Request, client_address: _Address) -> None:
        """Answer a connection in a thread, within the limits of its address."""
        assert isinstance(request, socket.socket)
        self._visits[request] = self._visitors.take(request, client_address[0])
        super().process_request(request, client_address)

    def shutdown_request(self, request: _Request) -> None:
        """A connection has ended."""
        assert isinstance(request, socket.socket)
        self._visitors.leave(self._visits.pop(request))
        super().shutdown_request(request)

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that speaks no TLS, or goes away, gets no answer and no log line."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    timeout = REQUEST_S

    def do_GET(self) -> None:
        if self.path == "/authority":
            self._answer(200, self.server.enrolment.authority)
        else:
            self._answer(404, b"there are GET /authority and POST /enrol")

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        if self.path != "/enrol" or not length.isdecimal() or int(length) > MOST_BYTES:
            self._answer(400, b"send an enrolment request to /enrol")
            return
        try:
            answer = self.server.enrolment.enrol(typed_json.decode(self.rfile.read(int(length)), EnrolmentRequest))
        except (msgspec.MsgspecError, ValueError) as problem:
            sentence = str(problem) if isinstance(problem, CertificateError) else "this is no enrolment request"
            self._answer(400, sentence.encode())
            return
        if isinstance(answer, CodeVerdict):
            self._answer(403, answer.value.encode())
        else:
            self._answer(200, msgspec.json.encode(answer))

    def log_message(self, format: str, *args: object) -> None:
        """Requests are not said; enrolments are."""

    def _answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)
