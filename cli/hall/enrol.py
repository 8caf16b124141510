"""``twinwall hall enrol``: shows codes of one use by which tables get their certificates and settings over the network. Each is shown as
words to type in, as a line that the table reads from a file, and as a QR code for its camera. A small HTTPS server runs while codes are
good. ``GET /authority`` gives the authority's certificate, ``POST /enrol`` a table's. Which code is worth what is decided in
``twinwall.wire.enrolment``."""

import secrets
import socket
import ssl
import sys
import threading
import time
from argparse import Namespace
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from flask import Flask, Response, request
from werkzeug.exceptions import HTTPException

from cli.hall.certificate_files import CertificateFiles
from cli.terminal import draw_qr
from cli.usage import PUBLISHED, UsageError, argument, port_number, settings_file, takes, write_file, wrong_use
from config import DashboardSettings, load
from twinwall.game import typed_json
from twinwall.game.documents import DocumentError
from twinwall.given_files import limited_text
from twinwall.web.visitor_limits import VisitLimits
from twinwall.web.web_server import BACKLOG, LaneLimits, ServerLimits, WebServer
from twinwall.wire.certificates import Authority, CertificateError, server_tls
from twinwall.wire.enrolment import (
    CODE_S,
    MOST_BYTES,
    PORT,
    SECRET_SIZE,
    CodeVerdict,
    EnrolmentAnswer,
    EnrolmentRequest,
    Invitation,
    ShownCode,
    certificate_words,
    code_of,
    take,
)
from twinwall.wire.messages.signing import read_signer
from twinwall.wire.mqtt.access import BROKER, SERVER_USER, table_user

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
        self._server.start(self._app())

    def close(self) -> None:
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


MOST_MINUTES = 240
"""Four hours are enough to carry codes on cards to the tables of a hall."""


AFTERWARDS_S = 120.0
"""So long the hall still answers that a code was used or has run out."""


@takes(
    settings_file("the dashboard's"),
    argument("--certificates", "the folder of hall certificates, with the authority's key", type=Path, required=True, metavar="FOLDER"),
    argument("--table", "the table; once for each", action="append", required=True, metavar="TABLE"),
    argument("--listen", "this machine's address, one of the hosts of the certificates", required=True, metavar="ADDRESS"),
    argument("--port", f"the port ({PORT})", type=port_number, default=PORT, metavar="N"),
    argument("--qr", "show each code as a QR code too, for a table's camera; at a terminal it is", action="store_true"),
    argument("--minutes", f"how long the codes are good, 1 to {MOST_MINUTES} (5)", type=int, default=round(CODE_S / 60), metavar="N"),
)
def enrol(args: Namespace) -> None:
    if not 1 <= args.minutes <= MOST_MINUTES:
        raise UsageError(f"--minutes {args.minutes}: a number from 1 to {MOST_MINUTES}")
    settings = load(args.settings, DashboardSettings)
    files = CertificateFiles(args.certificates)
    for table in args.table:
        if table not in settings.tables:
            raise UsageError(f"table {table!r} is not in {args.settings}")
        if (certificate := files.certificate(table_user(table))).exists():
            raise UsageError(
                f"table {table} has a certificate, and no two tables may have one: remove {certificate} if that table gave it up"
            )
    with wrong_use(args.certificates, CertificateError):
        authority = files.read_authority()
    if args.listen not in authority.hosts:
        raise UsageError(f"{args.listen} is not in the hall's certificates, which name {', '.join(authority.hosts)}")
    good_s = 60 * args.minutes
    ends_s = time.monotonic() + good_s
    invitations = tuple(Invitation(table, secrets.token_bytes(SECRET_SIZE), ends_s) for table in args.table)
    try:
        server = EnrolmentServer(
            (args.listen, args.port),
            _tls(files),
            authority.pem,
            invitations=invitations,
            issue=issuing(files, authority, settings),
            clock=time.monotonic,
        )
    except OSError as error:
        raise UsageError(f"port {args.port} of {args.listen} cannot be listened on ({error.strerror})") from None
    _show_codes(args, server.port, authority, invitations)
    print(f"Good once, for {args.minutes} minutes. At the table: twinwall table join {args.listen}:{server.port} --out FOLDER", flush=True)
    server.start()
    try:
        time.sleep(good_s + AFTERWARDS_S)
    finally:
        server.close()


def _show_codes(args: Namespace, port: int, authority: Authority, invitations: Sequence[Invitation]) -> None:
    """Each table's words, the line for a file, and a QR code where one can be read."""
    host = f"[{args.listen}]" if ":" in args.listen else args.listen
    for invitation in invitations:
        words = code_of(authority.pem, invitation.secret).words
        code = ShownCode(f"{host}:{port}", words, invitation.table)
        print(f"table {invitation.table}: {words}\n{code.text}")
        if args.qr or sys.stdout.isatty():
            draw_qr(code.text, sys.stdout)


def issuing(files: CertificateFiles, authority: Authority, settings: DashboardSettings) -> Issue:
    """What the server issues certificates with: it keeps each in the folder, and says it."""

    def issue(table: str, request: bytes) -> EnrolmentAnswer:
        way = _connection_of(settings, table)
        certificate = authority.answer(request, table_user(table), datetime.now(UTC))
        try:
            write_file(files.certificate(table_user(table)), certificate, PUBLISHED, force=None)
        except UsageError:
            raise CertificateError(f"table {table} has got a certificate meanwhile, and no two tables may have one") from None
        print(f"table {table} has its certificate. It shows the same words: {certificate_words(certificate)}", flush=True)
        return EnrolmentAnswer(table, certificate.decode(), *way)

    return issue


def _connection_of(settings: DashboardSettings, table: str) -> tuple[str, str, str]:
    """The broker, a table's password there and the server's key; raises CertificateError where a file of them cannot be read."""
    mqtt, signing_key = settings.mqtt, settings.dashboard.signing_key
    if not mqtt.over_tls or signing_key is None:
        return "", "", ""
    password = None if mqtt.password_file is None else mqtt.password_file.with_name(f"{table_user(table)}.password")
    try:
        said = limited_text(password).strip() if password is not None and password.exists() else ""
        return mqtt.url, said, read_signer(SERVER_USER, signing_key).public.hex()
    except (OSError, DocumentError) as problem:
        raise CertificateError(f"the hall cannot tell table {table} its way: {problem}") from None


def _tls(files: CertificateFiles) -> ssl.SSLContext:
    try:
        return server_tls(files.certificate(BROKER), files.key(BROKER))
    except CertificateError as problem:
        raise UsageError(f"{problem}; twinwall hall certificates makes them") from None
