"""``twinwall hall enrol`` and ``twinwall table join``: a table gets its certificate over the network, by a code of one use."""

from __future__ import annotations

import argparse
import secrets
import ssl
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from cli.arguments import argument, settings_file, takes
from cli.errors import EXIT_GOOD, EXIT_NO, UsageError
from cli.files import PRIVATE, PUBLISHED, refuse_existing, write_file
from cli.hall.certificate_files import CertificateFiles
from cli.hall.enrolment_server import EnrolmentServer
from cli.hall.held_ports import port_number
from cli.hall.joining import join
from cli.hall.shown_code import ShownCode, seen_code, show
from config import DashboardSettings, load
from twinwall.wire.certificates import Authority, CertificateError, server_tls
from twinwall.wire.enrolment import CODE_S, SECRET_SIZE, EnrolmentError, Invitation, certificate_words, code_of, read_enrolment_code
from twinwall.wire.mqtt.access import table_user
from twinwall.wire.mqtt.mosquitto import BROKER

PORT = 8444
_FRAME_S = 3.0
AFTERWARDS_S = 120.0
"""So long the hall still answers that a code was used or has run out."""


@takes(
    settings_file("the dashboard's"),
    argument(
        "--certificates", type=Path, required=True, metavar="FOLDER", help="the folder of hall certificates, with the authority's key"
    ),
    argument("--table", action="append", required=True, metavar="TABLE", help="the table; once for each"),
    argument("--listen", required=True, metavar="ADDRESS", help="this machine's address, one of the hosts of the certificates"),
    argument("--port", type=port_number, default=PORT, metavar="N", help=f"the port ({PORT})"),
    argument("--qr", action="store_true", help="show each code as a QR code too, for a table's camera; at a terminal it is"),
)
def enrol(args: argparse.Namespace) -> int:
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
    ends_s = time.monotonic() + CODE_S
    invitations = tuple(Invitation(table, secrets.token_bytes(SECRET_SIZE), ends_s) for table in args.table)
    try:
        server = EnrolmentServer(
            (args.listen, args.port),
            _tls(files),
            authority.pem,
            invitations=invitations,
            issue=issuing(files, authority),
            clock=time.monotonic,
        )
    except OSError as error:
        raise UsageError(f"port {args.port} of {args.listen} cannot be listened on ({error.strerror})") from None
    _show_codes(args, server.port, authority, invitations)
    server.start()
    try:
        time.sleep(CODE_S + AFTERWARDS_S)
    finally:
        server.close()
    return EXIT_GOOD


def _show_codes(args: argparse.Namespace, port: int, authority: Authority, invitations: Sequence[Invitation]) -> None:
    """Each table's words, with a QR code where one can be read."""
    for invitation in invitations:
        words = code_of(authority.pem, invitation.secret).words
        print(f"table {invitation.table}: {words}")
        if args.qr or sys.stdout.isatty():
            show(ShownCode(_shown_address(args.listen, port), words, invitation.table), sys.stdout)
    print(f"Good once, for five minutes. At the table: twinwall table join {args.listen}:{port} --out FOLDER", flush=True)


def issuing(files: CertificateFiles, authority: Authority) -> Callable[[str, bytes], bytes]:
    """What the server issues certificates with: it keeps each in the folder, and says it."""

    def issue(table: str, request: bytes) -> bytes:
        certificate = authority.answer(request, table_user(table), datetime.now(UTC))
        try:
            write_file(files.certificate(table_user(table)), certificate, PUBLISHED, force=False)
        except UsageError:
            raise CertificateError(f"table {table} has got a certificate meanwhile, and no two tables may have one") from None
        print(f"table {table} has its certificate. It shows the same words: {certificate_words(certificate)}", flush=True)
        return certificate

    return issue


def _tls(files: CertificateFiles) -> ssl.SSLContext:
    try:
        return server_tls(files.certificate(BROKER), files.key(BROKER))
    except CertificateError as problem:
        raise UsageError(f"{problem}; twinwall hall certificates makes them") from None


def _shown_address(host: str, port: int) -> str:
    return f"{f'[{host}]' if ':' in host else host}:{port}"


def _scanned(source: str) -> ShownCode:
    """The first QR code of a hall that is held alone before a camera; raises UsageError."""
    from vision.cameras.opening import open_camera  # noqa: PLC0415 - OpenCV is slow to import, and a code is mostly typed
    from vision.cameras.port import CameraLostError  # noqa: PLC0415

    print(f"hold the hall's QR code before the camera {source}", file=sys.stderr)
    try:
        with closing(open_camera(source, _FRAME_S)) as camera:
            code = seen_code(camera)
    except (ValueError, CameraLostError) as problem:
        raise UsageError(f"--camera {source}: {problem}") from None
    if code is None:
        raise UsageError(f"--camera {source}: no QR code of a hall was seen in five minutes: show it larger, and hold it still")
    print(f"this is the code of table {code.table}", file=sys.stderr)
    return code


def _address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":") if ":" in text else (text, "", str(PORT))
    if not host or not port.isdecimal() or not 0 < int(port) < 1 << 16:
        raise UsageError(f"{text!r} is not an address: write HOST or HOST:PORT, as the hall shows it")
    return host.strip("[]"), int(port)


@takes(
    argument("address", nargs="?", metavar="HOST[:PORT]", help="where the hall shows the code"),
    argument("--camera", metavar="SOURCE", help="a camera of this table, before which the hall's QR code is held instead"),
    argument("--code", metavar="CODE", help="the code; left out, it is asked for"),
    argument("--out", type=Path, required=True, metavar="FOLDER", help="where authority.pem and the table's two files go"),
)
def join_hall(args: argparse.Namespace) -> int:
    if (args.address is None) is (args.camera is None):
        raise UsageError("write the hall's address, or --camera and hold the hall's QR code before it")
    if None not in (args.camera, args.code):
        raise UsageError("--code goes with the hall's address: with --camera the hall's QR code says the code")
    if args.address is not None:
        _address(args.address)
    if not args.out.is_dir():
        raise UsageError(f"{args.out} is not a folder: make it first, so that a code is not used for nothing")
    refuse_existing([args.out / "authority.pem"])
    try:
        scanned = None if args.camera is None else _scanned(args.camera)
        address, typed = (args.address, args.code) if scanned is None else (scanned.address, scanned.words)
        code = read_enrolment_code(input("code: ") if typed is None else typed)
        enrolled = join(*_address(address), code)
    except EnrolmentError as error:
        print(f"twinwall: {error}", file=sys.stderr)
        return EXIT_NO
    name = table_user(enrolled.table)
    for file, content, mode in (
        (f"{name}.key", enrolled.key, PRIVATE),
        (f"{name}.pem", enrolled.certificate, PUBLISHED),
        ("authority.pem", enrolled.authority, PUBLISHED),
    ):
        write_file(args.out / file, content, mode, force=False)
    print(f"This is table {enrolled.table}. The hall shows the same words: {certificate_words(enrolled.certificate)}")
    print(f"[mqtt] ca_file = {args.out}/authority.pem, certificate_file = {args.out}/{name}.pem, key_file = {args.out}/{name}.key")
    return EXIT_GOOD
