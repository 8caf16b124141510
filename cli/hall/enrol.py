"""``twinwall hall enrol`` and ``twinwall table join``: a table gets its certificate over the network, by a code of one use.

The table checks the hall's authority by the code, then asks it for a certificate and what its settings need. The hall also shows a line
that the table reads from a file, or its camera from a QR code: where the hall answers, the code, and the table. A frame with the codes of
several tables, or with a second code that cannot be read, is refused, since a table that took another one's code would use it up.
"""

import http.client
import io
import secrets
import ssl
import sys
import time
from argparse import Namespace
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import msgspec
import segno

from cli.files import PRIVATE, PUBLISHED, refuse_existing, write_file
from cli.hall.certificate_files import CertificateFiles
from cli.hall.enrolment_server import MOST_BYTES, EnrolmentServer, Issue
from cli.usage import EXIT_GOOD, EXIT_NO, UsageError, argument, port_number, say, settings_file, takes, tell
from config import DashboardSettings, MqttSettings, load, write
from config.keys import EVENT_MODE
from controller.device_settings import CameraSection, FeederSection, GateCameraSection, TableCameraSection
from controller.settings import CustodySection, LedgerSection, TableSection, TableSettings
from twinwall.game import typed_json
from twinwall.game.documents import DocumentError
from twinwall.given_files import given_bytes, given_text
from twinwall.values import frozen
from twinwall.wire.certificates import (
    Authority,
    CertificateError,
    Issued,
    clock_hint,
    issued_by,
    name_in_certificate,
    new_request,
    server_tls,
)
from twinwall.wire.enrolment import (
    CODE_S,
    SECRET_SIZE,
    EnrolmentAnswer,
    EnrolmentCode,
    EnrolmentError,
    EnrolmentRequest,
    Invitation,
    certificate_words,
    code_of,
    read_enrolment_code,
)
from twinwall.wire.messages.signing import KEY_SIZE, read_signer, write_signing_key
from twinwall.wire.mqtt.access import SERVER_USER, table_user
from twinwall.wire.mqtt.mosquitto import BROKER

if TYPE_CHECKING:
    from vision.cameras.port import Camera

_SCANNED = "twinwall-join"
MOST_MINUTES = 240
"""A code that is carried on a card is good for the setting up of a hall at most."""
_RETRY_S = 1.0
_ALONE_FRAMES = 3
"""This many frames must show a code alone before it is taken: of two codes one is overlooked now and then."""
_WHITE_ON_BLACK, _AS_BEFORE = "\033[97;40m", "\033[0m"


@frozen
class ShownCode:
    """Where the hall answers (``HOST:PORT``), the code, and the table that it is for."""

    address: str
    words: str
    table: str

    @property
    def text(self) -> str:
        """The line that a file or the QR code holds."""
        return f"{_SCANNED} {self.address} {self.words} {self.table}"


def show(code: ShownCode, out: TextIO) -> None:
    """Draw a code at a terminal, in colours of its own, or say why not."""
    drawn = io.StringIO()
    segno.make(code.text, error="m").terminal(out=drawn, compact=True)
    try:
        drawn.getvalue().encode(out.encoding)
    except UnicodeEncodeError:
        print(f"no QR code is shown: {out.encoding} has no blocks to draw it with; PYTHONIOENCODING=utf-8 has", file=out)
        return
    for line in drawn.getvalue().splitlines():
        print(f"{_WHITE_ON_BLACK}{line}{_AS_BEFORE}", file=out)


def codes_in(texts: Iterable[str]) -> tuple[ShownCode, ...]:
    """The enrolment codes among the texts of QR codes, or the lines of a file."""
    split = (text.strip().split(" ", 3) for text in texts)
    return tuple(ShownCode(*said[1:]) for said in split if len(said) == 4 and said[0] == _SCANNED)


def seen_code(
    camera: "Camera", clock: Callable[[], float] = time.monotonic, pause: Callable[[float], None] = time.sleep
) -> ShownCode | None:
    """The first code that is alone before a camera; None where none was in five minutes. What is amiss meanwhile is printed."""
    from vision.cameras.port import CameraLostError  # noqa: PLC0415 - OpenCV is slow to import, and a code is mostly typed
    from vision.cameras.qr_codes import QrCodes  # noqa: PLC0415

    codes, ends_s, said = QrCodes(), clock() + CODE_S, ""
    alone: ShownCode | None = None
    frames = 0
    while clock() < ends_s:
        try:
            texts, unread = codes.read_all(camera.frame_after(time.monotonic_ns()).image)
            found = codes_in(texts)
            problem = _amiss(found, unread=unread)
        except CameraLostError as lost:
            found, problem = (), f"{lost}; trying again"
            pause(_RETRY_S)
        if problem:
            alone = None
            if problem != said:
                tell(problem)
                said = problem
        elif found:
            alone, frames = found[0], frames + 1 if found[0] == alone else 1
            if frames == _ALONE_FRAMES:
                return alone
    return None


def _amiss(found: Sequence[ShownCode], *, unread: bool) -> str:
    """Why none of the codes in a frame is taken; empty where there is one alone, or none at all."""
    if len(found) > 1:
        tables = ", ".join(sorted(code.table for code in found))
        return f"codes of several tables are before the camera ({tables}): show that of this table alone"
    if not unread:
        return ""
    if not found:
        return "a QR code is before the camera and cannot be read: show it larger, hold it still, and keep lamps out of it"
    return (
        f"beside the code of table {found[0].table} the camera sees another one that it cannot read: hold that of this table alone before "
        "it, or type its code in place of --camera"
    )


PATIENCE_S = 15.0


@frozen
class Enrolled(Issued):
    """What a table has afterwards: the hall's answer, and the authority's certificate (PEM)."""

    answer: EnrolmentAnswer
    authority: bytes


def join(host: str, port: int, code: EnrolmentCode) -> Enrolled:
    """Get the certificate of the table that the code is for; raises EnrolmentError."""
    try:
        authority = _ask((host, port), _unchecked(), "/authority")
        code.check_authority(authority)
        request, key = new_request()
        body = msgspec.json.encode(EnrolmentRequest(code.secret.hex(), request.decode()))
        answer = typed_json.decode(_ask((host, port), _checked(authority), "/enrol", body), EnrolmentAnswer)
        certificate = answer.certificate.encode()
        if name_in_certificate(certificate) != table_user(answer.table) or not issued_by(certificate, authority):
            raise EnrolmentError("the certificate that came is not this table's: ask for a new code")
    except ssl.SSLError as problem:
        raise EnrolmentError(
            f"{host}:{port} is not the hall's machine of this code, or somebody stands between: {problem}{clock_hint(problem)}"
        ) from None
    except (OSError, http.client.HTTPException) as problem:
        raise EnrolmentError(f"no program answers at {host}:{port} ({problem}): is twinwall hall enrol running there?") from None
    except (msgspec.MsgspecError, CertificateError, UnicodeDecodeError):
        raise EnrolmentError(f"{host}:{port} answered something else than a hall does: compare the address") from None
    return Enrolled(certificate, key, answer, authority)


def _ask(at: tuple[str, int], tls: ssl.SSLContext, path: str, body: bytes | None = None) -> bytes:
    """The body of an answer, to a POST where there is a body to send; raises EnrolmentError with the hall's sentence where it refuses."""
    connection = http.client.HTTPSConnection(*at, timeout=PATIENCE_S, context=tls)
    try:
        connection.request("GET" if body is None else "POST", path, body)
        answer = connection.getresponse()
        content = answer.read(MOST_BYTES)
    finally:
        connection.close()
    if answer.status != http.client.OK:
        raise EnrolmentError(content.decode(errors="replace"))
    return content


def _unchecked() -> ssl.SSLContext:
    """For the authority's certificate alone, which is compared with the code."""
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


def _checked(authority: bytes) -> ssl.SSLContext:
    context = ssl.create_default_context(cadata=authority.decode("ascii"))
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context


PORT = 8444
_FRAME_S = 3.0
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
            show(code, sys.stdout)


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


def _scanned(source: str) -> ShownCode:
    """The first QR code of a hall that is held alone before a camera; raises UsageError."""
    from vision.cameras.opening import open_camera  # noqa: PLC0415 - OpenCV is slow to import, and a code is mostly typed
    from vision.cameras.port import CameraLostError  # noqa: PLC0415

    tell(f"hold the hall's QR code before the camera {source}")
    try:
        with closing(open_camera(source, _FRAME_S)) as camera:
            code = seen_code(camera)
    except (ValueError, CameraLostError) as problem:
        raise UsageError(f"--camera {source}: {problem}") from None
    if code is None:
        raise UsageError(f"--camera {source}: no QR code of a hall was seen in five minutes: show it larger, and hold it still")
    tell(f"this is the code of table {code.table}")
    return code


def _written(file: Path) -> ShownCode:
    """The code of the one line of a hall in a file; raises UsageError."""
    codes = codes_in(given_bytes(file).decode("utf-8-sig", errors="replace").splitlines())
    if len(codes) != 1:
        raise UsageError(f"{file}: {len(codes)} lines of a hall are in it: copy the one that twinwall hall enrol shows for this table")
    return codes[0]


def _settings(identity: Path, answer: EnrolmentAnswer) -> TableSettings:
    """The settings of a table that joined, whose files lie beside its identity key; its devices have the names that they mostly have."""
    name = table_user(answer.table)
    own = identity.parent / name
    mqtt = MqttSettings(
        answer.broker,
        user=name if answer.password else "",
        password_file=own.with_suffix(".password") if answer.password else None,
        ca_file=identity.with_name("authority.pem"),
        certificate_file=own.with_suffix(".pem"),
        key_file=own.with_suffix(".key"),
    )
    return TableSettings(
        table=TableSection(answer.table, mode=EVENT_MODE),
        feeder=FeederSection("/dev/ttyUSB0"),
        camera=CameraSection(GateCameraSection("v4l2:0"), TableCameraSection("v4l2:2")),
        mqtt=mqtt,
        ledger=LedgerSection(Path("/var/lib/twinwall/table/ledger")),
        custody=CustodySection(identity, server_key=answer.server_key),
    )


def _address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":") if ":" in text else (text, "", str(PORT))
    if not host or not port.isdecimal() or not 0 < int(port) < 1 << 16:
        raise UsageError(f"{text!r} is not an address: write HOST or HOST:PORT, as the hall shows it")
    return host.strip("[]"), int(port)


@takes(
    argument("address", "where the hall shows the code", nargs="?", metavar="HOST[:PORT]"),
    argument("--camera", "a camera of this table, before which the hall's QR code is held instead", metavar="SOURCE"),
    argument("--file", "a file with the line that twinwall hall enrol shows", type=Path, metavar="FILE"),
    argument("--code", "the code; left out, it is asked for", metavar="CODE"),
    argument("--out", "where the table's certificates, keys and settings go", type=Path, required=True, metavar="FOLDER"),
)
def join_hall(args: Namespace) -> int:
    if [args.address, args.camera, args.file].count(None) != 2:
        raise UsageError("write the hall's address, or --camera and hold the hall's QR code before it, or --file with the hall's line")
    if args.address is None and args.code is not None:
        raise UsageError("--code goes with the hall's address: the hall's QR code and its line say the code")
    if args.address is not None:
        _address(args.address)
    if not args.out.is_dir():
        raise UsageError(f"{args.out} is not a folder: make it first, so that a code is not used for nothing")
    refuse_existing([args.out / "authority.pem"])
    try:
        scanned = _scanned(args.camera) if args.camera else _written(args.file) if args.file else None
        address, typed = (args.address, args.code) if scanned is None else (scanned.address, scanned.words)
        code = read_enrolment_code(input("code: ") if typed is None else typed)
        enrolled = join(*_address(address), code)
    except EnrolmentError as error:
        say(str(error))
        return EXIT_NO
    answer, name = enrolled.answer, table_user(enrolled.answer.table)
    for file, content, mode in (
        (f"{name}.key", enrolled.key, PRIVATE),
        (f"{name}.pem", enrolled.certificate, PUBLISHED),
        ("authority.pem", enrolled.authority, PUBLISHED),
        *([(f"{name}.password", answer.password.encode(), PRIVATE)] if answer.password else []),
    ):
        write_file(args.out / file, content, mode, force=False)
    print(f"This is table {answer.table}. The hall shows the same words: {certificate_words(enrolled.certificate)}")
    if not answer.server_key or (args.out / "table.toml").exists():
        print(f"[mqtt] ca_file = {args.out}/authority.pem, certificate_file = {args.out}/{name}.pem, key_file = {args.out}/{name}.key")
        return EXIT_GOOD
    if not (identity := args.out.absolute() / "table.key").exists():
        write_signing_key(identity, secrets.token_bytes(KEY_SIZE))
    write(args.out / "table.toml", _settings(identity, answer))
    print(f"Its settings are {args.out}/table.toml: compare feeder and cameras there.")
    return EXIT_GOOD
