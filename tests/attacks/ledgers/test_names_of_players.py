"""Attack 27: whoever looks at the public pages, or is handed what an event leaves, looks for the names of those who played."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from werkzeug.test import TestResponse

from cli import main
from config import SettingsError, load, write
from controller.settings import SeatsSection, TableSettings
from dashboard.access.staff_file import StaffFile
from tests.support.dashboard.desks import MemoryDesk
from tests.support.dashboard.example import closed_hand
from tests.support.dashboard.hall import OPEN, Hall
from tests.support.event.ledgers import events
from tests.support.event.stored_event import EVENT, STARTED, open_desk, script, slip_bytes
from tests.support.wire.streams import START, Line
from tools.default_settings import TABLE
from twinwall.event.field import field_of
from twinwall.event.player_names import NamesShown, PlayerNames
from twinwall.event.results import EntrantKind
from twinwall.event.store.programme import Programme

TABLES = "1234"
FAMILIES = (
    "Aoki", "Bianchi", "Chen", "Dubois", "Eriksen", "Fujita", "García", "Hoffmann",
    "Ivanova", "Jansen", "Kowalski", "李娜", "Müller", "Nakamura", "Okafor", "鈴木",
)  # fmt: skip
NAMES = PlayerNames({str(number): f"{family} Q{number}" for number, family in enumerate(FAMILIES, 1)})
PAGES = ("/", "/standings", "/deal/1", "/deal/1/slip.json", "/table/1", "/table/4", "/calls")
STREAMS = ("/events", "/events?page=standings", "/events?deal=1", "/events?table=1")


def numbered(lines: list[Line], table: str) -> list[Line]:
    """A table's events as a table of today tells them: its players are numbers."""
    seats = dict(zip("ESWN", (str(4 * TABLES.index(table) + place) for place in range(1, 5)), strict=True))
    return [(name, {**fields, "seats": seats} if name == "hand-started" else fields) for name, fields in lines]


def hall(folder: Path, shown: NamesShown, names: PlayerNames = NAMES, kind: EntrantKind = EntrantKind.INDIVIDUAL) -> Hall:
    """Four tables that have played deal 1, and play deal 2."""
    file = folder / "players.json"
    file.write_bytes(names.document)
    found = Hall(desk=MemoryDesk(field_of(kind, TABLES)), settings=replace(OPEN, names=file, public_names=shown))
    for table in TABLES:
        found.feed(numbered([*closed_hand(table), *closed_hand(table, 2)[:60]], table), table)
    found.release(1)
    return found


def seen(hall: Hall) -> str:
    pages = [hall.client.get(path).text for path in PAGES]
    return "".join([*pages, *(hall.stream(path) for path in STREAMS if hall.client.get(path.replace("/events", "/")).status_code == 200)])


def families_in(text: str) -> set[str]:
    return {family for family in FAMILIES if family in text}


@pytest.mark.parametrize("shown", [NamesShown.NUMBER, NamesShown.INITIALS])
def test_no_name_stands_on_a_page_that_anybody_may_look_at(shown: NamesShown, tmp_path: Path) -> None:
    public = seen(hall(tmp_path, shown))
    assert families_in(public) == set()
    assert ("A. Q. 1" in public) == (shown is NamesShown.INITIALS)


def test_control_an_event_that_says_so_shows_every_name_and_the_staff_see_them_in_any_case(tmp_path: Path) -> None:
    assert families_in(seen(hall(tmp_path, NamesShown.FULL))) == set(FAMILIES)
    staffed = hall(tmp_path, NamesShown.NUMBER)
    staffed.log_in()
    assert families_in(seen(staffed)) == set(FAMILIES)


def test_a_person_who_is_forgotten_is_a_number_on_every_page_and_stream_at_once(tmp_path: Path) -> None:
    open_hall = hall(tmp_path, NamesShown.FULL)
    assert "Chen Q3" in open_hall.client.get("/standings").text
    before = open_hall.views.boot
    (tmp_path / "players.json").write_bytes(NAMES.without("3").document)
    assert families_in(seen(open_hall)) == set(FAMILIES) - {"Chen"}
    assert open_hall.views.boot == before, "the dashboard was not started again"
    open_hall.log_in()
    assert "Chen" not in seen(open_hall)


def warned(hall: Hall, reason: str) -> TestResponse:
    """The answer to a referee's warning at table 1 for this reason."""
    hall.log_in()
    return hall.submit("/table/1/rule", {"n": "2", "choice": "warning", "seat": "W", "form": "f", "reason": reason})


@pytest.mark.parametrize("reason", ["Chen Q3 looked at the wall", "CHEN saw it", "李娜说的", "see Mu\u0308ller"])
def test_a_reason_of_a_ruling_that_names_a_player_goes_to_no_table(tmp_path: Path, reason: str) -> None:
    found = hall(tmp_path, NamesShown.NUMBER)
    answer = warned(found, reason)
    assert "rule.problem.name" in answer.headers["Location"]
    assert found.desk.rulings == []


@pytest.mark.parametrize("reason", ["West looked at the wall", "Q3", "a kitchen", "saw it\x1b[2J"])
def test_control_a_reason_without_a_name_is_only_refused_for_what_cannot_be_seen(tmp_path: Path, reason: str) -> None:
    answer = warned(hall(tmp_path, NamesShown.NUMBER), reason)
    assert ("rule.problem.reason" in answer.headers["Location"]) is not reason.isprintable()
    assert "rule.problem.name" not in answer.headers["Location"]


def test_a_names_file_that_cannot_be_read_shows_numbers(tmp_path: Path) -> None:
    open_hall = hall(tmp_path, NamesShown.FULL)
    (tmp_path / "players.json").write_text('{"format": "twinwall-names-1", "players": {"1": "Aoki"')
    assert families_in(seen(open_hall)) == set()


def test_ledgers_that_were_recorded_with_names_still_show_and_hide_them_as_the_event_says(tmp_path: Path) -> None:
    for shown, expected in ((NamesShown.FULL, True), (NamesShown.INITIALS, False), (NamesShown.NUMBER, False)):
        old = Hall(desk=MemoryDesk(field_of(EntrantKind.INDIVIDUAL, "12")), settings=replace(OPEN, public_names=shown))
        for table in "12":
            old.feed(closed_hand(table), table)
        old.release(1)
        assert ("Moretti" in "".join(old.client.get(path).text for path in ("/", "/deal/1", "/standings", "/table/1"))) == expected


def test_a_table_takes_no_names_so_no_ledger_journal_or_record_of_it_has_any(tmp_path: Path) -> None:
    file = tmp_path / "table.toml"
    write(file, replace(TABLE, seats=SeatsSection(("1", "2", "3", "Okafor Ada"))))
    with pytest.raises(SettingsError, match=r"players.*four numbers"):
        load(file, TableSettings)
    write(file, replace(TABLE, seats=SeatsSection(("1", "2", "3", "15"))))
    assert load(file, TableSettings).seats.players == ("1", "2", "3", "15")


def small_event(folder: Path, *, names_in_ledgers: bool) -> None:
    """All that the server of a small event leaves: store, staff, names, and what was exported from it."""
    (folder / "players.json").write_bytes(NAMES.document)
    StaffFile(folder / "staff.sqlite").close()
    desk = open_desk(folder, Programme(EVENT, field_of(EntrantKind.INDIVIDUAL, TABLES), STARTED))
    for table in TABLES:
        lines = numbered(script(table), table)
        if names_in_ledgers:
            named = {"seats": dict(zip("ESWN", FAMILIES[:4], strict=True))}
            lines = [(name, {**fields, **named} if name == "hand-started" else fields) for name, fields in lines]
        desk.take(events(lines, table))
    for n in (1, 2, 3):
        desk.slip(slip_bytes(n), START)
    desk.close()
    store = str(folder / "event.sqlite")
    for form in ("csv", "json", "bundle"):
        assert main(["export", "--format", form, store, "--out", str(folder / f"evening.{form}")]) == 0
    shutil.unpack_archive(folder / "evening.bundle", folder / "bundle", "zip")


def files_with_names(folder: Path) -> set[str]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {path.name for path in files if any(family.encode() in path.read_bytes() for family in FAMILIES)}


def test_of_all_that_a_small_event_leaves_only_the_names_file_has_a_name(tmp_path: Path) -> None:
    small_event(tmp_path, names_in_ledgers=False)
    assert len(list(tmp_path.rglob("*"))) > 10
    assert files_with_names(tmp_path) == {"players.json"}


def test_control_names_in_ledgers_stand_in_the_store_and_in_every_export(tmp_path: Path) -> None:
    small_event(tmp_path, names_in_ledgers=True)
    assert {"event.sqlite", "evening.csv", "evening.json", "players.json"} < files_with_names(tmp_path)


def test_an_export_for_a_person_carries_names_when_asked(tmp_path: Path) -> None:
    small_event(tmp_path, names_in_ledgers=False)
    store, names = str(tmp_path / "event.sqlite"), str(tmp_path / "players.json")
    for form in ("csv", "json"):
        out = tmp_path / f"named.{form}"
        assert main(["export", "--format", form, store, "--names", names, "--out", str(out)]) == 0
        assert families_in(out.read_text(encoding="utf-8")) == set(FAMILIES)
    assert main(["export", "--format", "bundle", store, "--names", names, "--out", str(tmp_path / "no.zip")]) == 2
