"""The station's screen shows who is missing in the seat check, as the table's own ledger says."""

from pathlib import Path

from cli.table.station import LEDGER, LedgerSeats
from controller.ledger.assignment_folder import CURRENT, event_folder
from tests.support.wire.streams import Line, ledger_lines
from twinwall.game.documents import canonical_json

AWAITED: Line = ("seats-awaited", {"session": 1, "players": ["11", "12", "13", "14"]})
RIGHT: list[Line] = [("seat-taken", {"place": place, "player": str(11 + place)}) for place in range(4)]
CONFIRMED: Line = ("seats-confirmed", {"session": 1, "players": ["11", "12", "13", "14"]})
BUILT: Line = ("building", {"placed": 8, "of": 136})


def write(folder: Path, *script: Line, torn: bytes = b"") -> None:
    folder.mkdir(exist_ok=True)
    (folder / LEDGER).write_bytes(b"".join(ledger_lines(list(script))) + torn)


def says(seats: LedgerSeats) -> list[str] | None:
    shown = seats.shown()
    return None if shown is None else [each["says"] for each in shown]


def test_each_place_is_shown_with_its_player_and_who_says_to_sit_there(tmp_path: Path) -> None:
    seats = LedgerSeats(tmp_path)
    assert seats.shown() is None
    write(tmp_path, BUILT, AWAITED, ("seat-taken", {"place": 1, "player": "14"}))
    assert seats.shown() == [
        {"seat": 0, "player": "11", "says": ""},
        {"seat": 1, "player": "12", "says": "14"},
        {"seat": 2, "player": "13", "says": ""},
        {"seat": 3, "player": "14", "says": ""},
    ]


def test_lines_that_come_later_are_read_on_and_a_torn_one_when_it_is_whole(tmp_path: Path) -> None:
    seats = LedgerSeats(tmp_path)
    write(tmp_path, AWAITED, torn=b'{"half')
    assert says(seats) == ["", "", "", ""]
    write(tmp_path, AWAITED, *RIGHT[:2])
    assert says(seats) == ["11", "12", "", ""]
    write(tmp_path, AWAITED, *RIGHT, CONFIRMED)
    assert says(seats) is None


def test_a_table_that_is_assigned_another_event_is_followed_there(tmp_path: Path) -> None:
    seats = LedgerSeats(tmp_path)
    for event, script in (("First", [AWAITED, RIGHT[0]]), ("Second", [AWAITED, RIGHT[1]])):
        (tmp_path / CURRENT).write_bytes(canonical_json({"event": event}))
        write(tmp_path / event_folder(event), *script)
        shown = seats.shown()
        assert shown is not None
        assert [each["says"] for each in shown if each["says"]] == ["11" if event == "First" else "12"]
