"""The hall's authority: whom its certificates convince, checked by the library that the programs use."""

import ast
import socket
import ssl
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest

from tests.support.children import ends_with_parent
from tests.support.patience import PATIENCE_S
from tests.support.wire.tls import HOSTS, LASTS, HallCertificates
from twinwall import free_ports as ports
from twinwall.event.event_standings import SHARE_PATTERN
from twinwall.free_ports import GIVEN, LOOPBACK, free_ports
from twinwall.game.documents import DocumentError
from twinwall.game.typed_json import Digest, HexText
from twinwall.wire.certificates import LONGEST_NAME, CertificateError, Issued, issued_by, name_in_certificate, new_authority, read_authority
from twinwall.wire.mqtt.broker_address import TlsFiles
from twinwall.wire.names import whole_number
from twinwall.wire.release_manifest import FileName

NOW = datetime.now(UTC)


def handshake(client: ssl.SSLContext, server: ssl.SSLContext, host: str) -> bool:
    """Whether client and server shake hands in memory, and the server has read what the client shows; raises SSLError."""
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    asking = client.wrap_bio(to_client, to_server, server_hostname=host)
    answering = server.wrap_bio(to_server, to_client, server_side=True)
    for end in (asking, answering) * 3:
        try:
            end.do_handshake()
        except ssl.SSLWantReadError:
            continue
    return bool(answering.getpeercert())


def serving(files: TlsFiles) -> ssl.SSLContext:
    """A server that wants its clients' certificates."""
    assert files.certificate is not None
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=files.authority)
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_cert_chain(files.certificate, files.key)
    return context


@pytest.fixture
def hall(tmp_path: Path) -> HallCertificates:
    return HallCertificates(tmp_path / "hall")


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("name", ["vault", "table-1", "table-1%2E5", "table-%E9%BA%BB"])
def test_programs_of_one_hall_convince_each_other(hall: HallCertificates, host: str, name: str) -> None:
    assert handshake(hall.issue(name).context(), serving(hall.issue("broker", *HOSTS)), host)


def test_the_certificate_of_a_table_convinces_nobody_that_it_is_the_broker(hall: HallCertificates) -> None:
    with pytest.raises(ssl.SSLError, match=r"purpose|mismatch"):
        handshake(hall.issue("vault").context(), serving(hall.issue("table-1")), HOSTS[0])


def test_a_client_of_another_hall_is_refused(hall: HallCertificates, tmp_path: Path) -> None:
    theirs = HallCertificates(tmp_path / "theirs").issue("table-1")
    trusting_ours = TlsFiles(hall.authority_file, theirs.certificate, theirs.key)
    with pytest.raises(ssl.SSLError, match="verify failed"):
        handshake(trusting_ours.context(), serving(hall.issue("broker", *HOSTS)), HOSTS[0])


def test_a_host_that_the_certificate_does_not_name_is_refused(hall: HallCertificates) -> None:
    with pytest.raises(ssl.SSLError, match="Hostname mismatch"):
        handshake(hall.issue("vault").context(), serving(hall.issue("broker", HOSTS[0])), HOSTS[1])


@pytest.mark.parametrize("behind", [timedelta(days=1), timedelta(0), -LASTS + timedelta(hours=1)])
def test_certificates_are_good_from_before_they_are_made_until_the_authority_ends(tmp_path: Path, behind: timedelta) -> None:
    """A clock that is a day behind sees a certificate that is made a day in its future."""
    hall = HallCertificates(tmp_path / "hall", now=NOW + behind)
    assert handshake(hall.issue("vault").context(), serving(hall.issue("broker", *HOSTS)), HOSTS[0])


@pytest.mark.parametrize(("made", "why"), [(NOW - 2 * LASTS, "expired"), (NOW + timedelta(days=3), "not yet valid")])
def test_certificates_of_another_time_are_refused(tmp_path: Path, made: datetime, why: str) -> None:
    hall = HallCertificates(tmp_path / "hall", now=made)
    with pytest.raises(ssl.SSLError, match=why):
        handshake(hall.issue("vault").context(), serving(hall.issue("broker", *HOSTS)), HOSTS[0])


def test_an_authority_names_no_host_but_its_own(hall: HallCertificates) -> None:
    """So whoever has its key can pass for no other site towards a phone that trusts it."""
    with pytest.raises(CertificateError, match=r"not made for bank\.example"):
        hall.issue("broker", HOSTS[0], "bank.example")
    for host in HOSTS:
        assert host in hall.authority.hosts


def test_an_authority_that_has_ended_issues_nothing(hall: HallCertificates) -> None:
    with pytest.raises(CertificateError, match="ended on"):
        hall.authority.issue("vault", (), NOW + 2 * LASTS)


@pytest.mark.parametrize("host", ["", "hall example", "https://hall.example", "hall..example", "192.168.1", "192.168.1.999", "*.example"])
def test_what_is_no_host_is_refused(host: str) -> None:
    with pytest.raises(CertificateError, match="is no host"):
        new_authority("Autumn", [host], NOW, LASTS)


def test_names_that_fit_no_certificate_are_refused(hall: HallCertificates) -> None:
    assert name_in_certificate(hall.authority.issue("t" * LONGEST_NAME, (), NOW).certificate) == "t" * LONGEST_NAME
    for name in ("", "t" * (LONGEST_NAME + 1)):
        with pytest.raises(CertificateError, match="does not fit"):
            hall.authority.issue(name, (), NOW)
    with pytest.raises(CertificateError, match="--host"):
        new_authority("Autumn", [], NOW, LASTS)


def test_an_authority_reads_back_and_its_key_fits_no_other(hall: HallCertificates) -> None:
    _, made = new_authority("Autumn", HOSTS, NOW, LASTS)
    _, other = new_authority("Autumn", HOSTS, NOW, LASTS)
    again = read_authority(made)
    certificate = again.issue("vault", (), NOW).certificate
    assert issued_by(certificate, made.certificate)
    assert not issued_by(certificate, other.certificate)
    for wrong in (
        Issued(made.certificate, other.key),
        Issued(b"", made.key),
        Issued(made.certificate, b"x"),
        again.issue("vault", (), NOW),
    ):
        with pytest.raises(CertificateError, match="authority"):
            read_authority(wrong)
    assert b"PRIVATE" not in repr(made).encode()


def test_files_that_cannot_be_used_are_named(hall: HallCertificates, tmp_path: Path) -> None:
    good, other, nothing = hall.issue("vault"), hall.issue("table-1"), tmp_path / "nothing"
    nothing.write_text("x")
    for files, named in (
        (TlsFiles(nothing), "nothing holds no certificate authority"),
        (TlsFiles(tmp_path / "missing"), "missing holds no certificate authority"),
        (TlsFiles(good.authority, good.certificate, other.key), "are not a certificate and its key"),
        (TlsFiles(good.authority, nothing, good.key), "are not a certificate and its key"),
    ):
        with pytest.raises(DocumentError, match=named):
            files.context()


def test_ports_are_different_and_a_server_can_listen_on_each() -> None:
    given = free_ports(20)
    assert len(set(given)) == 20
    assert free_ports(0) == []
    for port in given:
        socket.create_server((LOOPBACK, port)).close()


def test_no_port_is_given_that_the_system_lends_to_outgoing_connections() -> None:
    first, last = map(int, Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split())
    if first < GIVEN.stop:
        pytest.skip(f"this machine lends ports from {first} on, which Linux does not by itself")
    assert not set(free_ports(20)) & set(range(first, last + 1))


def test_a_port_in_use_is_not_given_and_too_few_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server((LOOPBACK, 0)) as server:
        used = server.getsockname()[1]
        monkeypatch.setattr(ports, "GIVEN", range(used, used + 1))
        with pytest.raises(OSError, match="fewer than 1 of the ports"):
            free_ports(1)


def test_threads_are_given_different_ports() -> None:
    with ThreadPoolExecutor(8) as threads:
        given = [port for ports in threads.map(free_ports, 8 * [100]) for port in ports]
    assert len(set(given)) == len(given)


def test_a_port_that_a_process_was_given_is_not_given_again_until_it_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    command = [sys.executable, "-c", "from twinwall.free_ports import free_ports; print(*free_ports(1), flush=True); input()"]
    with subprocess.Popen(ends_with_parent(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        given = int(other.stdout.readline())
        monkeypatch.setattr(ports, "GIVEN", range(given, given + 1))
        with pytest.raises(OSError, match="fewer than 1 of the ports"):
            free_ports(1)
        other.communicate("\n", timeout=PATIENCE_S)
    assert free_ports(1) == [given]
    with pytest.raises(OSError, match="fewer than 1 of the ports"):
        free_ports(1)


@pytest.mark.parametrize(
    ("typed", "number"),
    [(" 12", 12), ("１２", 12), ("१२", 12), ("＋３", 3), ("\N{MINUS SIGN}3", -3), ("²", None), ("①", None), ("1½", None), ("Ⅳ", None)],
)
def test_digits_of_any_script_are_a_number_and_raised_or_circled_ones_are_none(typed: str, number: int | None) -> None:
    assert whole_number(typed) == number


TOP = Path(__file__).parents[2]
BY_NAME = {"SHARE_PATTERN": SHARE_PATTERN}
"""Patterns that forms name. One without ``^`` holds to no end: it asks for a character anywhere."""
ROOMS = ("twinwall", "controller", "dashboard", "config", "vision", "firmware_bridge", "centre", "cli", "simulator", "tableside")


def meta_patterns() -> list[tuple[str, str]]:
    """Where a form's ``Meta`` names a pattern, and how the pattern's code ends."""
    found = []
    for path in (path for room in ROOMS for path in sorted((TOP / room).rglob("*.py"))):
        source = path.read_bytes()
        for call in (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)) if b"Meta(" in source else ():
            if ast.unparse(call.func).split(".")[-1] == "Meta":
                patterns = [ast.unparse(named.value) for named in call.keywords if named.arg == "pattern"]
                found += [(f"{path.relative_to(TOP)}:{call.lineno}", code) for code in patterns]
    return found


def test_no_pattern_of_a_form_ends_with_a_dollar_sign() -> None:
    found = meta_patterns()
    assert len(found) >= 13
    whole = [(where, code) for where, code in found if code not in BY_NAME and "^" in code]
    assert [(where, code) for where, code in whole if not code.rstrip("'\"").endswith("\\Z")] == []
    assert all(pattern.endswith("\\Z") for pattern in BY_NAME.values())


@pytest.mark.parametrize(("form", "text"), [(Digest, "ab" * 32), (HexText, "abcd"), (FileName, "twinwall.tar.gz")])
def test_a_text_with_a_line_feed_after_it_is_of_another_form(form: type[str], text: str) -> None:
    assert msgspec.convert(text, form) == text
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(f"{text}\n", form)
