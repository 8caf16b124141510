"""Commands used wrongly: one sentence says what to do instead, nothing is printed beside it, and everything stays as it was."""

import os
import shlex
from pathlib import Path

import pytest

import config
from cli import usage
from tests.support.commands import Twinwall

DEFAULT = Path(config.__path__[0]) / "default"
TABLE, DASHBOARD = DEFAULT / "table.toml", DEFAULT / "dashboard.toml"
STORE = b"SQLite format 3\0"
NO_PORTS = ("99999", "0", "-1", "8080x", "0000080800", "9" * 5000)
AT_A_PORT = (
    ("/dev/no-such-feeder", "/dev/no-such-feeder: there is no such file"),
    ("/dev/null", "/dev/null: it is no serial device"),
    ("/dev/null --baud 0", "0 bits per second cannot be"),
    ("simulator --baud 9600", "--baud has no effect at the simulator: leave it out"),
    ("/dev/null --speed 2", "--speed has no effect at /dev/null, only at the simulator: leave it out"),
    ("/dev/null --firmware host", "--firmware has no effect at /dev/null, only at the simulator: leave it out"),
    ("simulator --speed 0", "speed is 0.0, but must be above 0 and at most 1000"),
)
CALIBRATING = (
    ("--print mat --table red", "tables 1 to 1023 alone"),
    ("--print mat --table 1024", "1 to 1023"),
    ("--print walls --table 3", "names no table"),
    ("--print markers --paper a4", "--paper is for a mat"),
    ("--print walls --paper a4", "larger paper"),
    ("--camera gate", "--settings"),
)
CERTIFICATES = (
    ("", "--host"),
    ("--host hall.example --table 99", "table '99' is not in"),
    ("--host hall.example --days 0", "--days must be 1 to"),
    ("--host hall.example --days 4000", "--days must be 1 to"),
    ("--host 'no host'", "is no host"),
)
DECODING = (
    ("", "name one observation file"),
    ("hand.jsonl --explain hand.jsonl 2", "name one observation file"),
    ("--explain hand.jsonl 'the second'", "give the number of an event after the file, such as 12"),
    ("--explain hand.jsonl -2", "give the number of an event after the file, such as 12"),
    (f"--explain hand.jsonl {'9' * 5000}", "give the number of an event after the file, such as 12"),
    ("hand.jsonl --explain 2", "expected 2 arguments"),
    ("--explain hand.jsonl 2 --json", "--explain prints sentences and --json a document of the whole hand: give one of them"),
)
ENROLLING = (
    ("--from /nowhere --out p", "/nowhere is not a folder"),
    ("--from empty --out p --kinds 1x", "not tile notation"),
    ("--from empty --out p --kinds ''", "no kinds"),
    ("--from empty --out p.json --only 3p", "p.json cannot be read"),
    ("--from empty --out p.json --page", "go with --table"),
    ("--from empty --out p.json --set first", "go with --table"),
    ("--from empty --out p.json --back -4", "numbers from 0 to 255"),
    ("--from crops --out nowhere/blue.json", "nowhere/blue.json cannot be written"),
    (f"--table {TABLE} --out crops", "crops cannot be written"),
)
JOINING = (
    ("", "write the hall's address"),
    ("127.0.0.1 --camera files:pictures", "write the hall's address"),
    ("--camera files:p --code A", "--code"),
    ("--file a --camera files:p", "--file"),
)
RECORDING = (
    ("none.mp4", "none.mp4: there is no such video, folder or camera"),
    ("text.jsonl", "an observation file is decoded by twinwall record decode"),
    ("v4l2:upstairs", "is not a camera"),
    ("none.mp4 --corners 1,2", "--corners"),
)
RECORDS = (
    ("--uid TABLE-7", "'TABLE-7' is no number of a board"),
    ("--uid TWF-NEW0", "what a board without a record has"),
    ("", "give the board a number of its own with --uid"),
    ("--uid TABLE-07 --bypass-cells 9", "from 0 to 8 bypass cells, not 9"),
    ("--uid TABLE-07 --hand-places 35", "places must rise"),
    ("--uid TABLE-07 --boots -1", "boots are counted from 0"),
    ("--uid TABLE-07 --lanes --tray-places 37 --bypass-cells 0", "leave --tray-places, --bypass-cells out"),
    ("--uid TABLE-07 --lanes --single-row --steps-per-position 9", "leave --single-row, --steps-per-position out"),
)
SERVING = (
    ("--simulate --host 192.0.2.7", "--simulate is for a hall on this computer alone"),
    ("--machines 1", "--machines is of simulated tables"),
    ("--simulate --tables 16", "--machines 16: a number from 0 to 8"),
    ("--host 192.0.2.7 --certificate a.pem", "--certificate and --certificate-key belong together"),
    ("--certificate a.pem --certificate-key a.key", "--certificate is for a hall that others reach"),
    ("--host h.example --certificate a.pem --certificate-key a.key", "--certificate a.pem, --certificate-key a.key: [Errno 2] No such"),
    ("--tables 65", "--tables 65: a number from 1 to 64"),
    ("--host 192.0.2.7", "--host 192.0.2.7: this computer has no such address; hostname -I says which it has"),
    ("--host nowhere.invalid", "--host nowhere.invalid: "),
    ("--event --simulate", "--event: --simulate belongs to a rehearsal"),
    *((f"--{name}port={port}", "a number from 1 to 65535") for name in ("", "broker-") for port in NO_PORTS),
)


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with files of somebody's, a pipe that nobody writes to, a folder of crops that holds one as well, and an empty one."""
    monkeypatch.chdir(tmp_path)
    Path("mine").write_text("mine")
    Path("event.sqlite").write_bytes(STORE)
    Path("text.jsonl").write_text("{}")
    os.mkfifo("pipe.jpg")
    Path("empty").mkdir()
    Path("crops/1m").mkdir(parents=True)
    os.mkfifo("crops/1m/pipe.jpg")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("read pipe.jpg", "pipe.jpg cannot be read: it is no file"),
        ("read /dev/zero", "/dev/zero cannot be read: it is no file"),
        ("evaluate crops", "crops holds 1m/pipe.jpg: no whole picture"),
        ("calibrate --print mat --out /", "/ cannot be written: name a file in this folder"),
        ("calibrate --print mat --out mine/mat.pdf", "mine/mat.pdf cannot be written: name a file"),
        (f"calibrate --camera gate --settings {TABLE} --out nowhere/day.json", "nowhere/day.json cannot be written"),
        (f"calibrate --camera table --settings {TABLE} --out day.json --height-mm nan", "--height-mm nan: a camera hangs from 300"),
        *((f"calibrate {words} --out print.pdf", says) for words, says in CALIBRATING),
        *((f"enrol {words}", says) for words, says in ENROLLING),
        ("selftest mat", "--image"),
        ("selftest mat --image none.png", "none.png"),
        *((f"feeder {action} {words}", says) for action in ("check", "link", "pins") for words, says in AT_A_PORT),
        ("feeder check simulator --only be-nice", "be-nice"),
        ("feeder check", "serial device"),
        ("feeder link simulator --seconds 0", "0 seconds cannot be measured in"),
        ("feeder link simulator --speed inf", "speed is inf, but must be above 0 and at most 1000"),
        ("feeder pins /dev/no-such-feeder --page --json", "leave --once and --json out"),
        ("feeder bring-up simulator --record r.json --by Aiko", "run it at a terminal"),
        ("feeder simulate --link no-such-folder/feeder", "there is no folder no-such-folder"),
        ("feeder simulate --link mine", "mine: a link to the feeder can only stand where nothing else is"),
        ("feeder simulate --link crops", "crops: a link to the feeder can only stand where nothing else is"),
        ("feeder simulate --camera-port 8102", "--camera-port has no effect without --lanes: leave it out"),
        ("feeder simulate --lanes --station 127.0.0.1:8105", "a station's screen has an address such as http://127.0.0.1:8105"),
        ("feeder simulate --lanes --station http://127.0.0.1:abc", "--station"),
        ("feeder simulate --foreign -3", "foreign is a number of tiles, not -3"),
        ("feeder simulate --speed nan", "speed is nan, but must be above 0 and at most 1000"),
        (f"feeder test-deal --settings {TABLE} --patience nan", "--patience is nan, but must be a time above 0 s"),
        ("feeder test-deal --settings none.toml --deals 0", "--deals is 0"),
        *((f"feeder record {words} --out table.eep", says) for words, says in RECORDS),
        ("feeder record --uid TABLE-07 --out mine", "say --force to write over it"),
        ("feeder record --uid TABLE-07 --out mine/below --force", "name a file in a folder"),
        ("feeder record --uid TABLE-07 --out event.sqlite --force", "event.sqlite is a database: name another file"),
        ("feeder record --read mine --uid TABLE-08 --tray-places 36", "leave --uid, --tray-places out"),
        ("feeder record --read mine --lanes", "leave --lanes out"),
        ("demo --gates 2 --feeder manual", "the boards of make firmware have one gate"),
        *((f"hall serve hall {words}", says) for words, says in SERVING),
        *((f"hall certificates --settings {DASHBOARD} --out new {words}", says) for words, says in CERTIFICATES),
        *((f"table join {words} --out crops", says) for words, says in JOINING),
        *((f"record decode {words}", says) for words, says in DECODING),
        *((f"record {words} --rules sichuan --out hand.json", says) for words, says in RECORDING),
        *(
            (f"record answer {folder} --out hand.json", "holds no recorded hand: name the folder of")
            for folder in ("crops", "none", "mine")
        ),
        *((f"deals plan --event E --rules mcr-duplicate --sessions {many} --out p", "9999 deals at most") for many in (625, 99999999)),
        ("rules riichi", "'riichi'"),
        ("score --rules riichi", "'riichi'"),
        ("admin upgrade mine", "git pull"),
    ],
)
def test_what_cannot_be_is_one_sentence_and_leaves_everything_as_it_was(words: str, says: str, twinwall: Twinwall) -> None:
    before = sorted(str(path) for path in Path().rglob("*"))
    said = twinwall(*shlex.split(words), code=2)
    assert says in said.err.splitlines()[-1]
    assert said.out == ""
    assert said.err.count("\n") == 1 or said.err.startswith("usage: ")
    assert sorted(str(path) for path in Path().rglob("*")) == before
    assert (Path("mine").read_text(), Path("event.sqlite").read_bytes()) == ("mine", STORE)


def test_a_file_that_cannot_be_read_is_not_written_over(monkeypatch: pytest.MonkeyPatch, twinwall: Twinwall) -> None:
    monkeypatch.setattr(usage, "is_database", lambda path: Path(path, "below").stat())
    said = twinwall("feeder", "record", "--uid", "TABLE-07", "--out", "mine", "--force", code=2)
    assert said.err == "twinwall: mine cannot be written: Not a directory\n"
    assert Path("mine").read_text() == "mine"
