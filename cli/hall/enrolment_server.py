"""The hall's end of an enrolment: a small HTTPS server that runs while codes are good.

``GET /authority`` gives the authority's certificate, ``POST /enrol`` a table's. Which code is worth what is decided in
``twinwall.wire.enrolment``.
"""

import socket
import ssl
import threading
from collections.abc import Callable, Sequence

import msgspec
from flask import Flask, Response, request
from werkzeug.exceptions import HTTPException

from twinwall.game import typed_json
from twinwall.web.visitor_limits import VisitLimits
from twinwall.web.web_server import BACKLOG, LaneLimits, ServerLimits, WebServer
from twinwall.wire.certificates import CertificateError
from twinwall.wire.enrolment import MOST_BYTES, CodeVerdict, EnrolmentAnswer, EnrolmentRequest, Invitation, take

_VISITS = VisitLimits(connections=64, connections_each=16, half_open_each=16, holding_each=0)
_LIMITS = ServerLimits(_VISITS, {"": LaneLimits(16)}, body_bytes=MOST_BYTES)

Issue = Callable[[str, bytes], EnrolmentAnswer]
"""Answers the request (PEM) of a table, and keeps the certificate; raises CertificateError."""


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
        self._server = WebServer(socket.create_server(at, backlog=BACKLOG), _LIMITS, tls=tls)
        self.port = self._server.port

    def start(self) -> None:
        """Begin to answer."""
        self._server.start(self._app())

    def close(self) -> None:
        """Answer nothing more."""
        self._server.stop()
        self._server.close()

    def enrol(self, asked: EnrolmentRequest) -> EnrolmentAnswer | CodeVerdict:
        """Give the table of a good code its certificate; raises CertificateError, and the code is used all the same."""
        with self._lock:
            secret = bytes.fromhex(asked.secret)
            self._invitations, invitation, verdict = take(self._invitations, secret, self._clock())
            if invitation is None or verdict is not CodeVerdict.GOOD:
                return verdict
            return self._issue(invitation.table, asked.request.encode())

    def _app(self) -> Flask:
        app = Flask("enrolment", static_folder=None)

        @app.get("/authority")
        def authority() -> Response:
            return Response(self.authority, mimetype="application/x-pem-file")

        @app.post("/enrol")
        def enrol() -> Response:
            try:
                answer = self.enrol(typed_json.decode(request.get_data(), EnrolmentRequest))
            except (msgspec.MsgspecError, ValueError) as problem:
                return Response(str(problem) if isinstance(problem, CertificateError) else "this is no enrolment request", 400)
            if isinstance(answer, CodeVerdict):
                return Response(answer.value, 403)
            return Response(msgspec.json.encode(answer), mimetype="application/json")

        @app.errorhandler(HTTPException)
        def refused(_error: HTTPException) -> Response:
            return Response("there are GET /authority and POST /enrol", 404)

        return app
