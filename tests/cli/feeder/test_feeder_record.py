"""``twinwall feeder record``: writes a board's record, refuses an impossible one, and reads both."""

import json
from pathlib import Path

import pytest

import config
from cli import main
from firmware_bridge.board.table_record import BOOTS_AT, TableRecord, boots_of, decode
from firmware_bridge.intel_hex import loads

DEFAULT_TABLE = Path(config.__path__[0]) / "default" / "table.toml"


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """What the command says when it is used in this way, which is wrong."""
    assert main(["feeder", "record", *words]) == 2
    return capsys.readouterr().err


def test_a_record_is_written_for_the_reference_table_and_read_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "table.eep"
    assert main(["feeder", "record", "--uid", "0011223344556677", "--out", str(file)]) == 0
    assert decode(loads(file.read_text())) == TableRecord(bytes.fromhex("0011223344556677"))
    capsys.readouterr()
    assert main(["feeder", "record", "--read", str(file), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["uid"], told["tray_places"], told["boots"], told["usable"]) == ("0011223344556677", 37, None, True)


def test_the_number_is_taken_from_the_tables_settings(tmp_path: Path) -> None:
    settings, file = tmp_path / "table.toml", tmp_path / "table.eep"
    settings.write_text(DEFAULT_TABLE.read_text(encoding="utf-8").replace('uid = ""', 'uid = "a1b2c3d4e5f60718"'), encoding="utf-8")
    assert main(["feeder", "record", "--settings", str(settings), "--out", str(file)]) == 0
    assert decode(loads(file.read_text())).uid.hex() == "a1b2c3d4e5f60718"


def test_a_count_of_starts_is_written_only_when_it_is_asked_for(tmp_path: Path) -> None:
    file = tmp_path / "table.eep"
    assert main(["feeder", "record", "--uid", "TABLE-07", "--boots", "41", "--out", str(file)]) == 0
    assert boots_of(loads(file.read_text())) == 41
    assert main(["feeder", "record", "--uid", "TABLE-07", "--force", "--out", str(file)]) == 0
    assert len(loads(file.read_text())) < BOOTS_AT


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--uid", "TABLE-7"], "'TABLE-7' is no number of a board"),
        (["--uid", "TWF-NEW0"], "what a board without a record has"),
        ([], "give the board a number of its own with --uid"),
        (["--uid", "TABLE-07", "--bypass-cells", "9"], "from 0 to 8 bypass cells, not 9"),
        (["--uid", "TABLE-07", "--hand-places", "35"], "places must rise"),
        (["--uid", "TABLE-07", "--boots", "-1"], "boots are counted from 0"),
    ],
)
def test_what_the_firmware_would_refuse_is_refused_and_nothing_is_written(
    words: list[str], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "table.eep"
    assert says in refused(capsys, *words, "--out", str(file))
    assert not file.exists()


def test_a_file_that_is_there_is_written_over_only_by_force(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "table.eep"
    file.write_text("kept")
    assert "say --force to write over it" in refused(capsys, "--uid", "TABLE-07", "--out", str(file))
    assert file.read_text() == "kept"


@pytest.mark.parametrize("content", [b"\xff" * 4096, b":00000001FF\n", b":08000000545746\n", b"no record at all" * 10])
def test_a_file_that_no_board_would_start_with_is_a_no_with_the_reason(
    content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "memory.bin"
    file.write_bytes(content)
    assert main(["feeder", "record", "--read", str(file)]) == 1
    assert "would start without this record, as TWF-NEW0: " in capsys.readouterr().out


def test_a_record_that_is_read_is_not_written_by_the_same_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "table.eep"
    assert main(["feeder", "record", "--uid", "TABLE-07", "--out", str(file)]) == 0
    assert "leave --uid, --tray-places out" in refused(capsys, "--read", str(file), "--uid", "TABLE-08", "--tray-places", "36")


def test_a_file_is_not_taken_for_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "table.eep"
    file.write_text("kept")
    assert "name a file in a folder" in refused(capsys, "--uid", "TABLE-07", "--out", str(file / "below"), "--force")
    assert [one.name for one in tmp_path.iterdir()] == ["table.eep"]
