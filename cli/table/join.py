"""``twinwall table join``: a table gets its certificate and settings over the network, by a code of one use. The table checks the hall's
authority by the code, then asks it. What the hall shows, where it answers, the code and the table, it reads from a file, or with its camera
from a QR code. A frame with the codes of several tables, or with a second code that cannot be read, is refused, since a table that took
another one's code would use it up."""

import http.client
import secrets
import ssl
import time
from argparse import Namespace
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from cli.hall.certificate_files import AUTHORITY, CertificateFiles
from cli.usage import NEVER, PRIVATE, PUBLISHED, DoesNotHoldError, UsageError, argument, refuse_existing, takes, tell, write_file, wrong_use
from config import MqttSettings, write
from config.reading import EVENT_MODE
from controller.device_settings import CameraSection, FeederSection, GateCameraSection, TableCameraSection
from controller.settings import CustodySection, LedgerSection, TableSection, TableSettings
from twinwall.game import typed_json
from twinwall.given_files import limited_bytes
from twinwall.wire.certificates import CertificateError, Issued, clock_hint, issued_by, name_in_certificate, new_request
from twinwall.wire.enrolment import (
    CODE_S,
    MOST_BYTES,
    PORT,
    EnrolmentAnswer,
    EnrolmentCode,
    EnrolmentError,
    EnrolmentRequest,
    ShownCode,
    certificate_words,
    codes_in,
    read_enrolment_code,
)
from twinwall.wire.messages.signing import KEY_SIZE, write_signing_key
from twinwall.wire.mqtt.access import table_user
from twinwall.wire.names import plain_number

if TYPE_CHECKING:
    from vision.cameras.port import Camera

_RETRY_S = 1.0
_ALONE_FRAMES = 3
"""This many frames must show a code alone before it is taken: of two codes one is overlooked now and then."""
_FRAME_S = 3.0
PATIENCE_S = 15.0


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
            problem = _problem_with(found, unread=unread)
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


def _problem_with(found: Sequence[ShownCode], *, unread: bool) -> str:
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


def join(host: str, port: int, code: EnrolmentCode) -> tuple[Issued, EnrolmentAnswer, bytes]:
    """Get the certificate of the table that the code is for, the hall's answer, and the authority's certificate (PEM); raises
    EnrolmentError."""
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
    return Issued(certificate, key), answer, authority


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


def _scanned(source: str) -> ShownCode:
    """The first QR code of a hall that is held alone before a camera; raises UsageError."""
    from vision.cameras.opening import open_camera  # noqa: PLC0415 - OpenCV is slow to import, and a code is mostly typed
    from vision.cameras.port import CameraLostError  # noqa: PLC0415

    tell(f"hold the hall's QR code before the camera {source}")
    with wrong_use(f"--camera {source}", ValueError, CameraLostError), closing(open_camera(source, _FRAME_S)) as camera:
        code = seen_code(camera)
    if code is None:
        raise UsageError(f"--camera {source}: no QR code of a hall was seen in five minutes: show it larger, and hold it still")
    tell(f"this is the code of table {code.table}")
    return code


def _written(file: Path) -> ShownCode:
    """The code of the one line of a hall in a file; raises UsageError."""
    codes = codes_in(limited_bytes(file).decode("utf-8-sig", errors="replace").splitlines())
    if len(codes) != 1:
        raise UsageError(f"{file}: {len(codes)} lines of a hall are in it: copy the one that twinwall hall enrol shows for this table")
    return codes[0]


def _settings(identity: Path, answer: EnrolmentAnswer) -> TableSettings:
    """The settings of a table that joined, whose files lie beside its identity key; its devices have the names that they mostly have."""
    name = table_user(answer.table)
    tls = CertificateFiles(identity.parent).tls_files(name)
    user, password = (name, identity.with_name(f"{name}.password")) if answer.password else ("", None)
    mqtt = MqttSettings(answer.broker, user, password, tls.authority, tls.certificate, tls.key)
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
    number = plain_number(port) or 0
    if not host or not 0 < number < 1 << 16:
        raise UsageError(f"{text!r} is not an address: write HOST or HOST:PORT, as the hall shows it")
    return host.strip("[]"), number


@takes(
    argument("address", "where the hall shows the code", nargs="?", metavar="HOST[:PORT]"),
    argument("--camera", "a camera of this table, before which the hall's QR code is held instead", metavar="SOURCE"),
    argument("--file", "a file with the line that twinwall hall enrol shows", type=Path, metavar="FILE"),
    argument("--code", "the code; left out, it is asked for"),
    argument("--out", "where the table's certificates, keys and settings go", type=Path, required=True, metavar="FOLDER"),
)
def join_hall(args: Namespace) -> None:
    if [args.address, args.camera, args.file].count(None) != 2:
        raise UsageError("write the hall's address, or --camera and hold the hall's QR code before it, or --file with the hall's line")
    if args.address is None and args.code is not None:
        raise UsageError("--code goes with the hall's address: the hall's QR code and its line say the code")
    if args.address is not None:
        _address(args.address)
    if not args.out.is_dir():
        raise UsageError(f"{args.out} is not a folder: make it first, so that a code is not used for nothing")
    refuse_existing([CertificateFiles(args.out).certificate(AUTHORITY)], NEVER)
    try:
        scanned = _scanned(args.camera) if args.camera else _written(args.file) if args.file else None
        address, typed = (args.address, args.code) if scanned is None else (scanned.address, scanned.words)
        code = read_enrolment_code(input("code: ") if typed is None else typed)
        issued, answer, authority = join(*_address(address), code)
    except EnrolmentError as error:
        raise DoesNotHoldError(str(error)) from None
    name, files = table_user(answer.table), CertificateFiles(args.out)
    # The authority's certificate comes last: without it the power failed on the way, and what a code brought before counts no more.
    write_file(files.key(name), issued.key, PRIVATE, force=True)
    write_file(files.certificate(name), issued.certificate, PUBLISHED, force=True)
    if answer.password:
        write_file(args.out / f"{name}.password", answer.password.encode(), PRIVATE, force=True)
    settings = args.out / "table.toml"
    if written := answer.server_key and not settings.exists():
        if not (identity := args.out.absolute() / "table.key").exists():
            write_signing_key(identity, secrets.token_bytes(KEY_SIZE))
        write(settings, _settings(identity, answer))
    write_file(files.certificate(AUTHORITY), authority, PUBLISHED, force=None)
    print(f"This is table {answer.table}. The hall shows the same words: {certificate_words(issued.certificate)}")
    tls = files.tls_files(name)
    named = f"[mqtt] ca_file = {tls.authority}, certificate_file = {tls.certificate}, key_file = {tls.key}"
    print(f"Its settings are {settings}: compare feeder and cameras there." if written else named)
