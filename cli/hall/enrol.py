"""``twinwall hall enrol``: shows codes of one use by which tables get their certificates and settings over the network.

Each is shown as words to type in, as a line that the table reads from a file, and as a QR code for its camera.
"""

import secrets
import ssl
import sys
import time
from argparse import Namespace
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from cli.hall.certificate_files import CertificateFiles
from cli.hall.enrolment_server import EnrolmentServer, Issue
from cli.qr import draw_qr
from cli.usage import PUBLISHED, UsageError, argument, port_number, settings_file, takes, write_file
from config import DashboardSettings, load
from twinwall.game.documents import DocumentError
from twinwall.given_files import given_text
from twinwall.wire.certificates import Authority, CertificateError, server_tls
from twinwall.wire.enrolment import CODE_S, PORT, SECRET_SIZE, EnrolmentAnswer, Invitation, ShownCode, certificate_words, code_of
from twinwall.wire.messages.signing import read_signer
from twinwall.wire.mqtt.access import SERVER_USER, table_user
from twinwall.wire.mqtt.mosquitto import BROKER

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
    try:
        authority = files.read_authority()
    except CertificateError as error:
        raise UsageError(f"{args.certificates}: {error}") from None
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
    for invitation in invitations:
        words = code_of(authority.pem, invitation.secret).words
        code = ShownCode(_shown_address(args.listen, port), words, invitation.table)
        print(f"table {invitation.table}: {words}\n{code.text}")
        if args.qr or sys.stdout.isatty():
            draw_qr(code.text, sys.stdout)


def issuing(files: CertificateFiles, authority: Authority, settings: DashboardSettings) -> Issue:
    """What the server issues certificates with: it keeps each in the folder, and says it."""

    def issue(table: str, request: bytes) -> EnrolmentAnswer:
        way = _way_to(settings, table)
        certificate = authority.answer(request, table_user(table), datetime.now(UTC))
        try:
            write_file(files.certificate(table_user(table)), certificate, PUBLISHED, force=False)
        except UsageError:
            raise CertificateError(f"table {table} has got a certificate meanwhile, and no two tables may have one") from None
        print(f"table {table} has its certificate. It shows the same words: {certificate_words(certificate)}", flush=True)
        return EnrolmentAnswer(table, certificate.decode(), *way)

    return issue


def _way_to(settings: DashboardSettings, table: str) -> tuple[str, str, str]:
    """The broker, a table's password there and the server's key; raises CertificateError where a file of them cannot be read."""
    mqtt, signing_key = settings.mqtt, settings.dashboard.signing_key
    if not mqtt.over_tls or signing_key is None:
        return "", "", ""
    password = None if mqtt.password_file is None else mqtt.password_file.with_name(f"{table_user(table)}.password")
    try:
        said = given_text(password).strip() if password is not None and password.exists() else ""
        return mqtt.url, said, read_signer(SERVER_USER, signing_key).public.hex()
    except (OSError, DocumentError) as problem:
        raise CertificateError(f"the hall cannot tell table {table} its way: {problem}") from None


def _tls(files: CertificateFiles) -> ssl.SSLContext:
    try:
        return server_tls(files.certificate(BROKER), files.key(BROKER))
    except CertificateError as problem:
        raise UsageError(f"{problem}; twinwall hall certificates makes them") from None


def _shown_address(host: str, port: int) -> str:
    return f"{f'[{host}]' if ':' in host else host}:{port}"
