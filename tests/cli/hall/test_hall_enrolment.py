"""A table gets its certificate by a code: once, in time, and from the hall of the code alone."""

import io
import ssl
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import cv2
import numpy as np
import pytest
import segno

from cli import main
from cli.hall.certificate_files import CertificateFiles
from cli.hall.enrol import EnrolmentServer, issuing
from cli.hall.hall_folder import HallFolder
from cli.run_settings import rehearsal_settings
from cli.table.join import join, seen_code
from cli.terminal import draw_qr
from config import DashboardSettings, load, write
from controller.settings import TableSettings
from tests.support.commands import Twinwall
from tests.support.vision.cameras import ShownPictures
from tests.support.vision.pictures import Picture
from tests.support.wire.brokers import free_port
from tools.default_settings import DASHBOARD
from twinwall.wire.certificates import issued_by, name_in_certificate
from twinwall.wire.enrolment import (
    CODE_S,
    EnrolmentCode,
    EnrolmentError,
    Invitation,
    ShownCode,
    certificate_words,
    code_of,
    read_enrolment_code,
)
from twinwall.wire.messages.signing import read_signer
from twinwall.wire.mqtt.broker_address import TlsFiles
from vision.cameras.port import decode_picture

HERE = "127.0.0.1"
NEXT_CODE = b"next one"
"""Table 1 has a second code."""


@dataclass
class Hall:
    """A hall whose server answers, with codes for tables 1 and 2."""

    folder: Path
    now_s: float = 0.0

    def __post_init__(self) -> None:
        self.files = CertificateFiles(self.folder)
        now = datetime.now(UTC)
        self.authority = self.files.make_authority("Autumn", [HERE], now, timedelta(days=3))
        self.files.issue(self.authority, "broker", [HERE], now)
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(self.folder / "broker.pem", self.folder / "broker.key")
        invitations = [Invitation(table, table.encode() * 8, CODE_S) for table in "12"] + [Invitation("1", NEXT_CODE, CODE_S)]
        served = HallFolder(self.folder, self.folder, ("1", "2"), 8883, 8443, trusting=False, host="10.0.0.5")
        served.passwords()
        served.vault()
        served.dashboard()
        issue = issuing(self.files, self.authority, load(self.folder / "dashboard.toml", DashboardSettings))
        self.server = EnrolmentServer((HERE, 0), tls, self.authority.pem, invitations=invitations, issue=issue, clock=lambda: self.now_s)
        self.server.start()

    def code(self, table: str) -> EnrolmentCode:
        return code_of(self.authority.pem, table.encode() * 8)

    def join(self, table: str) -> str:
        """The table of the answer to a table's code."""
        _, answer, _ = join(HERE, self.server.port, self.code(table))
        return answer.table


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    hall = Hall(tmp_path / "hall")
    yield hall
    hall.server.close()


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Hall]:
    hall = Hall(tmp_path / "other")
    yield hall
    hall.server.close()


def test_a_table_gets_its_certificate_and_both_ends_show_the_same_words(
    hall: Hall, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "table"
    out.mkdir()
    typed = hall.code("1").words.lower().replace("-", " ").replace("0", "o")
    assert main(["table", "join", f"{HERE}:{hall.server.port}", "--code", typed, "--out", str(out)]) == 0
    certificate = (out / "table-1.pem").read_bytes()
    assert capsys.readouterr().out.count(certificate_words(certificate)) == 2
    assert name_in_certificate(certificate) == "table-1"
    assert issued_by(certificate, hall.authority.pem)
    assert (hall.folder / "table-1.pem").read_bytes() == certificate
    assert not (hall.folder / "table-1.key").exists(), "the key was made at the table, and stays there"
    assert (out / "table-1.key").stat().st_mode & 0o777 == 0o600
    TlsFiles(out / "authority.pem", out / "table-1.pem", out / "table-1.key").context()


def test_a_table_that_reads_the_halls_line_from_a_file_has_settings_for_an_event(hall: Hall, tmp_path: Path) -> None:
    out, file = tmp_path / "table", tmp_path / "twinwall-join.txt"
    out.mkdir()
    file.write_bytes(f"\ufeffTable one\r\n  {shown(hall, '1').text}\r\n".encode())
    assert main(["table", "join", "--file", str(file), "--out", str(out)]) == 0
    settings = load(out / "table.toml", TableSettings)
    assert settings.mqtt.url == "mqtts://10.0.0.5:8883"
    assert (out / "table-1.password").read_text() == (hall.folder / "table-1.password").read_text().strip()
    assert settings.custody.server_key == read_signer("server", hall.folder / "server.key").public.hex()
    assert read_signer("1", out / "table.key")
    assert (settings.table.name, settings.table.is_assigned, [*rehearsal_settings(settings)]) == ("1", True, [])


@pytest.mark.parametrize("written", ["table-1.key", "table-1.pem", "table-1.password", "table.key", "table.toml"])
def test_a_table_whose_power_fails_while_it_joins_joins_by_the_next_code(hall: Hall, tmp_path: Path, written: str) -> None:
    """``written`` is the last file that came to the disk."""
    out = tmp_path / "table"
    out.mkdir()
    words = ["table", "join", f"{HERE}:{hall.server.port}", "--out", str(out), "--code"]
    assert main([*words, hall.code("1").words]) == 0
    files = [file.name for file in sorted(out.iterdir(), key=lambda file: file.stat().st_mtime_ns)]
    for name in files[files.index(written) + 1 :]:
        (out / name).unlink()
    (hall.folder / "table-1.pem").unlink()
    assert main([*words, code_of(hall.authority.pem, NEXT_CODE).words]) == 0
    assert {file.name for file in out.iterdir()} == set(files)
    TlsFiles(out / "authority.pem", out / "table-1.pem", out / "table-1.key").context()


@pytest.mark.parametrize("lines", [[], ["twinwall-join 10.0.0.5:8444 AAAA"], ["1", "2"]])
def test_a_file_without_one_line_of_a_hall_is_refused_by_its_name(hall: Hall, lines: list[str], tmp_path: Path, twinwall: Twinwall) -> None:
    file = tmp_path / "twinwall-join.txt"
    file.write_text("\n".join(shown(hall, line).text if line in "12" else line for line in lines))
    assert f"{file}: " in (said := twinwall("table", "join", "--file", file, "--out", tmp_path, code=2).err)
    assert "copy the one that twinwall hall enrol shows" in said
    assert [*tmp_path.glob("*.pem")] == []


def shown(hall: Hall, table: str) -> ShownCode:
    return ShownCode(f"{HERE}:{hall.server.port}", hall.code(table).words, table)


def test_a_table_reads_the_halls_code_with_its_camera(hall: Hall, tmp_path: Path) -> None:
    out, pictures = tmp_path / "table", tmp_path / "pictures"
    out.mkdir()
    pictures.mkdir()
    segno.make(shown(hall, "2").text, error="m").save(str(pictures / "1.png"), scale=6)
    assert main(["table", "join", "--camera", f"files:{pictures}", "--out", str(out)]) == 0
    assert (out / "table-2.pem").read_bytes() == (hall.folder / "table-2.pem").read_bytes()


def test_a_camera_that_is_not_there_is_named(tmp_path: Path, twinwall: Twinwall) -> None:
    assert "'nowhere' holds no pictures" in twinwall("table", "join", "--camera", "files:nowhere", "--out", tmp_path, code=2).err
    assert not list(tmp_path.iterdir())


def test_a_code_is_good_once(hall: Hall) -> None:
    hall.join("1")
    with pytest.raises(EnrolmentError, match="was used already"):
        hall.join("1")
    assert hall.join("2") == "2"


def test_a_code_runs_out(hall: Hall) -> None:
    hall.now_s = CODE_S
    with pytest.raises(EnrolmentError, match="has run out"):
        hall.join("1")
    assert not (hall.folder / "table-1.pem").exists()


def test_a_guessed_code_is_refused(hall: Hall) -> None:
    with pytest.raises(EnrolmentError, match="not a code of this hall"):
        join(HERE, hall.server.port, code_of(hall.authority.pem, b"guessed!"))


def test_a_table_takes_no_authority_but_the_codes_and_sends_another_hall_nothing(hall: Hall, other: Hall) -> None:
    """Somebody stands between with an authority of his own: the code's secret is not sent to him, and stays good."""
    with pytest.raises(EnrolmentError, match="nothing was sent"):
        join(HERE, other.server.port, hall.code("1"))
    assert hall.join("1") == "1"


def test_who_repeats_the_halls_authority_without_its_key_gets_no_secret(hall: Hall, other: Hall) -> None:
    """He shows the true authority's certificate, which is public, but his server has none that it issued."""
    other.server.authority = hall.authority.pem
    with pytest.raises(EnrolmentError, match="certificate verify failed"):
        join(HERE, other.server.port, hall.code("1"))


def test_control_who_has_the_authoritys_key_stands_between(hall: Hall, other: Hall) -> None:
    """The same with the one thing that the defence asks for: his table 1 gets a certificate of his."""
    _, _, authority = join(HERE, other.server.port, other.code("1"))
    assert authority == other.authority.pem


def test_nobody_there_is_one_sentence() -> None:
    code = EnrolmentCode(bytes(12), bytes(8))
    with pytest.raises(EnrolmentError, match="no program answers"):
        join(HERE, free_port(), code)


@pytest.mark.parametrize("text", ["", "0000", "UUUU-" * 8, "AAAA-" * 9, "f" * 64])
def test_what_is_no_code_is_one_sentence(text: str) -> None:
    with pytest.raises(EnrolmentError, match="no enrolment code"):
        read_enrolment_code(text)


def test_a_table_that_has_a_certificate_is_given_no_second_one(hall: Hall, tmp_path: Path, twinwall: Twinwall) -> None:
    settings = tmp_path / "dashboard.toml"
    write(settings, replace(DASHBOARD, event=replace(DASHBOARD.one_event, tables=("1", "2"))))
    hall.join("1")
    command = ["hall", "enrol", "--settings", str(settings), "--certificates", str(hall.folder), "--listen", HERE]
    assert "no two tables may have one" in twinwall(*command, "--table", "1", code=2).err
    (hall.folder / "table-2.pem").write_text("of table 2")
    with pytest.raises(EnrolmentError, match="has got a certificate meanwhile"):
        hall.join("2")


def codes_shown(*frames: tuple[Picture, ...]) -> ShownPictures:
    """A camera that shows what stands below each other in each frame; a frame of nothing is lost."""
    return ShownPictures(*(np.vstack(frame) if frame else None for frame in frames))


def drawn(text: str) -> Picture:
    saved = io.BytesIO()
    segno.make(text, version=8, error="m").save(saved, kind="png", scale=6, light="white")
    return decode_picture(saved.getvalue(), "the drawn code")


CODES = [ShownCode("10.0.0.1:8444", "AAAA-BBBB-CCCC-DDDD-EEEE-FFFF-GGGG-HHHH", table) for table in ("1", "high table")]
ONE, OTHER = (drawn(code.text) for code in CODES)
UNREADABLE = cv2.GaussianBlur(ONE, (0, 0), 3).astype(np.uint8)


@pytest.mark.parametrize(
    ("frames", "taken", "said"),
    [
        pytest.param(((ONE, OTHER), (OTHER,)), 1, "codes of several tables are before the camera (1, high table)", id="two tables"),
        pytest.param(((UNREADABLE,), (ONE,)), 0, "a QR code is before the camera and cannot be read: show it larger", id="unreadable"),
        pytest.param(((), (ONE,)), 0, "no picture comes; trying again", id="a lost frame"),
    ],
)
def test_what_is_wrong_with_a_frame_is_said_and_the_next_one_looked_at(
    frames: tuple[tuple[Picture, ...], ...], taken: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert seen_code(codes_shown(*frames), clock=lambda: 0.0, pause=lambda _s: None) == CODES[taken]
    assert said in capsys.readouterr().err


def test_a_code_beside_one_that_cannot_be_read_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    beside = (OTHER, UNREADABLE)
    assert seen_code(codes_shown(beside, beside, beside, beside, (ONE,)), clock=lambda: 0.0) == CODES[0]
    said = capsys.readouterr().err
    assert said.count("beside the code of table high table the camera sees another one that it cannot read") == 1
    assert "hold that of this table alone before it, or type its code" in said


def test_a_code_that_seems_alone_while_the_other_one_is_overlooked_is_not_taken() -> None:
    camera = codes_shown((ONE,), (ONE,), (ONE, OTHER), (ONE,), (OTHER,), (OTHER,), (ONE,), (OTHER,))
    assert seen_code(camera, clock=lambda: 0.0) == CODES[1]


def test_no_code_in_five_minutes_is_none() -> None:
    now_s = iter((0.0, 1.0, CODE_S))
    assert seen_code(codes_shown((drawn("another code"),)), clock=lambda: next(now_s)) is None


@pytest.mark.parametrize(("encoding", "drawn"), [("utf-8", True), ("ascii", False)])
def test_a_code_is_drawn_in_its_own_colours_where_the_encoding_has_blocks(encoding: str, drawn: bool) -> None:
    written = io.BytesIO()
    out = io.TextIOWrapper(written, encoding=encoding)
    draw_qr(CODES[0].text, out)
    out.flush()
    lines = written.getvalue().decode().splitlines()
    assert all(line.startswith("\033[97;40m") for line in lines) is drawn
    assert ("no QR code is shown" in lines[0]) is not drawn
