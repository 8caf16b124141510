"""Files that are larger inside than outside, deep without end, or that never end: one sentence, and no memory."""

import resource
import sqlite3
import struct
import zlib
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from cli import main
from tests.support.custody.ordered import plan_of
from twinwall.event.forms.registry import READABLE
from twinwall.event.store.databases.port import StoreError
from twinwall.event.store.databases.sqlite import LARGEST_VALUE, SqliteDatabase
from vision.cameras.port import CAMERA_MOST_PX, CameraFault, CameraLostError, decode_picture

DEEP = 100_000


@cache
def bomb(side: int = 20_000) -> bytes:
    """A PNG file of ``side`` × ``side`` pixels; the default has 400 million, in half a megabyte."""
    packer = zlib.compressobj(9)
    row = bytes(1 + side)
    packed = b"".join(packer.compress(row) for _ in range(side)) + packer.flush()

    def chunk(name: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))

    head = struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", packed) + chunk(b"IEND", b"")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("deep.json").write_text("[" * DEEP)
    Path("deep-object.json").write_text('{"unknown":' + "[" * DEEP + "]" * DEEP + "}")
    Path("deep.toml").write_text("a = " + "[" * DEEP)
    Path("match.json").write_text('{"logs": []}')
    Path("results.csv").touch()
    Path("plan.json").write_bytes(plan_of("server").canonical)


@pytest.mark.parametrize(
    "words",
    [
        *(f"import --format {form} {file}" for form in READABLE for file in ("deep.json", "deep-object.json", "/dev/zero")),
        "import --format botzone --options deep.toml match.json",
        "export --format pmn --tags deep.json deep.json",
        "replay deep.json",
        "replay /dev/zero",
        *(f"record decode {file}" for file in ("deep.json", "deep-object.json", "/dev/zero")),
        *(f"record {file} --rules mcr-duplicate --out hand.json" for file in ("deep.json", "/dev/zero")),
        "score --rules mcr-duplicate --options deep.toml",
        "compare --team --scale deep.toml results.csv",
        "compare --team /dev/zero",
        "dashboard --settings deep.toml",
        "evaluate . --profile deep.json",
        "evaluate . --model /dev/zero",
        "deals commit plan.json --seed server=/proc/self/mem --out commitments.json",
        "deals commit plan.json --seed server=/dev/zero --out commitments.json",
        "deals verify plan.json --start deep.json deep.json",
        "verify --start deep.json plan.json",
        "event check deep.json",
        "sign check deep.json",
    ],
)
def test_a_command_says_one_sentence(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words.split()) in (1, 2)
    said = capsys.readouterr().err
    assert said.startswith("twinwall: ") or said.startswith("deep.json")
    assert "usage:" not in said


def store(*statements: str) -> Path:
    path = Path("event.sqlite")
    SqliteDatabase.new(path).leave_one_file()
    connection = sqlite3.connect(path)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()
    return path


def test_a_view_in_a_tables_place_gives_no_rows_without_end() -> None:
    endless = "WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n) SELECT n, '', x'' FROM n"
    path = store("DROP TABLE programmes", f"CREATE VIEW programmes (id, at, document) AS {endless}")
    with pytest.raises(StoreError, match="no store of events"):
        SqliteDatabase.for_reading(path)


def test_a_value_that_fills_the_memory_is_not_read() -> None:
    path = store(f"INSERT INTO slips (n, at, slip) VALUES (1, '', zeroblob({LARGEST_VALUE + 1}))")
    with pytest.raises(StoreError, match="damaged"):
        SqliteDatabase.for_reading(path).rows(tuple[int, str, bytes], "SELECT n, at, slip FROM slips")


def test_an_empty_store_is_refused_and_no_event_begins_anew_in_it() -> None:
    path = Path("event.sqlite")
    path.touch()
    for opened in (SqliteDatabase.for_reading, SqliteDatabase.for_writing):
        with pytest.raises(StoreError, match="the file is empty: put a good copy back"):
            opened(path)
    assert path.read_bytes() == b""


@pytest.fixture
def limited() -> Callable[[], int]:
    """By how many MiB the peak of this process has grown since."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return lambda: (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) >> 10


def test_control_with_a_larger_limit_every_pixel_is_decoded() -> None:
    assert decode_picture(bomb(5_000), "the phone", 25_000_000).shape == (5_000, 5_000, 3)


def test_a_frame_with_too_many_pixels_is_refused_before_it_is_decoded(limited: Callable[[], int]) -> None:
    with pytest.raises(CameraLostError, match=r"20000 × 20000 px: at most 16 million are read") as lost:
        decode_picture(bomb(), "the phone", CAMERA_MOST_PX)
    assert lost.value.fault is CameraFault.SIZE
    assert limited() < 100


@pytest.mark.parametrize("words", ["read bomb.png", "evaluate .", "selftest mat --image bomb.png"])
def test_a_command_refuses_such_a_picture_in_a_sentence(words: str, capsys: pytest.CaptureFixture[str], limited: Callable[[], int]) -> None:
    Path("1m").mkdir()
    for name in ("bomb.png", "1m/bomb.png"):
        Path(name).write_bytes(bomb())
    assert main(words.split()) == 2
    assert "64 million" in capsys.readouterr().err
    assert limited() < 400, "the model takes some of it"
