"""The page of an event's tables: what each lacks, and seats that move with the choice."""

import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from dashboard.assignments import HallTable, HallTables
from dashboard.events_folder import EventsFolder
from dashboard.hall_requests import RehearsalFile, RehearsedTables
from dashboard.pages.events.event_choice import EventChoice
from dashboard.pages.events.session_routes import HallOfTables, chosen_tables, table_rows
from tests.support.dashboard.desks import MemoryDesk
from tests.support.dashboard.hall import OPEN, Hall
from tests.support.dashboard.setup import SetUp, says
from tests.support.event.managed import PREPARED
from tests.support.event.stored_event import STARTED
from tests.support.wire.assignments import HALL_SERVER
from twinwall.event.management.change_checks import ChangeRefusal, Why, refusal
from twinwall.event.management.changes import SessionEnded, SessionStarted, TablesChosen, change_document, read_change
from twinwall.event.management.managed_event import ManagedEvent, apply, managed_event
from twinwall.event.store.programme import Programme
from twinwall.wire.messages.assignment import HallStage, JoinedTable, TableKind
from twinwall.wire.messages.signing import Counter

AT = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
PREPARED_EVENT = managed_event(PREPARED)


def _no_programme(_event: str) -> Programme:
    raise AssertionError("no event is begun here")


def joined(name: str, stage: HallStage = HallStage.WAITING, *lacks: str) -> HallTable:
    return HallTable(name, JoinedTable(name, AT, "0.1.0", "a" * 64, stage, lacks=lacks), AT)


def test_every_table_of_the_hall_is_listed_with_what_it_lacks() -> None:
    rows = table_rows(["1", "2", "10"], [joined("2", HallStage.WAITING, "feeder"), joined("spare")], managed_event(()))
    assert [(row.name, row.state, row.lacks) for row in rows] == [
        ("1", "tables.silent", ()),
        ("2", "tables.waiting", ("feeder",)),
        ("10", "tables.silent", ()),
        ("spare", "tables.waiting", ()),
    ]
    assert [row.name for row in rows if row.chosen] == ["2", "spare"], "those that have joined are proposed"


def test_drawn_seats_move_to_the_chosen_tables_and_what_was_played_stays_at_its_own() -> None:
    change = TablesChosen(("5", "2", "7", "8"))
    assert refusal(PREPARED_EVENT, change) is None
    moved = apply(PREPARED_EVENT, change).seats(1)
    assert (moved["5"], moved["2"]) == (("1", "2", "3", "4"), ("5", "6", "7", "8"))
    played = managed_event((*PREPARED, SessionStarted(1), SessionEnded(1), change))
    assert set(played.seats(1)) == {"1", "2", "3", "4"}
    assert played.tables == change.tables


def test_a_session_does_not_start_at_tables_that_are_not_chosen() -> None:
    fewer = apply(PREPARED_EVENT, TablesChosen(("1", "2", "3")))
    assert set(fewer.seats(1)) == {"1", "2", "3", "4"}, "there is no table for the fourth four, so nobody moves"
    assert refusal(fewer, SessionStarted(1)) == ChangeRefusal(Why.UNKNOWN_TABLE, "4")
    assert refusal(PREPARED_EVENT, TablesChosen(("1",), {"2": TableKind.PAPER})) == ChangeRefusal(Why.UNKNOWN_TABLE, "2")


@pytest.mark.parametrize("tables", [["5", "6", "7", "8"], ["1"]])
def test_a_director_chooses_tables_and_the_page_says_how_many_the_seats_need(tables: list[str]) -> None:
    hall = Hall(settings=OPEN)
    hall.manage(*PREPARED)
    hall.log_in()
    assert "The seats need 4 tables; 4 are chosen." in hall.client.get("/event/tables").text
    form = {"seen": str(hall.desk.event.version), "table": tables}
    assert hall.submit("/event/tables", form).status_code == 303
    assert hall.desk.event.tables == tuple(tables)
    answer = hall.submit("/event/tables", form)
    assert answer.status_code == 409, "the same form again is of an older version"
    assert "<strong><bdi>Ota</bdi></strong>: chose " in answer.text


def test_the_choice_keeps_the_kind_that_each_table_has_told() -> None:
    paper = HallTable("2", JoinedTable("2", AT, "0.1.0", "a" * 64, HallStage.WAITING, kind=TableKind.PAPER), AT)
    change = chosen_tables(["1", "2"], table_rows(["1", "2", "3"], [joined("1"), paper], managed_event(())))
    assert change == TablesChosen(("1", "2"), {"2": TableKind.PAPER})
    event = apply(managed_event(()), change)
    assert [event.kind_of(table) for table in ("1", "2", "3")] == [TableKind.FEEDER, TableKind.PAPER, TableKind.FEEDER]
    silent = table_rows(["2"], [], event)
    assert [row.kind for row in silent if row.name == "2"] == [TableKind.PAPER], "a table that is silent keeps its kind"


class Heard(HallTables):
    """The tables that have been heard, as a test says."""

    def __init__(self, *heard: HallTable) -> None:
        super().__init__(HALL_SERVER, Counter(lambda: 1), Path(), lambda: AT, lambda: 0.0)
        self.now = heard

    def all_tables(self) -> tuple[HallTable, ...]:
        return self.now


@pytest.mark.parametrize(
    ("tag", "lead"), [("en", "have not taken this session yet"), ("ja", "まだ受け付けていません"), ("zh-Hans", "尚未接受本节")]
)
def test_the_page_of_sessions_says_which_tables_refuse_the_session_and_why(tag: str, lead: str) -> None:
    sentence = "hand 2 of session 1 of 'Autumn' is in play: session 2 of 'Autumn' can begin when it is over; the referee may end it"
    beats = {name: JoinedTable(name, AT, "0.1.0", "a" * 64, HallStage.PLAYING, refused=sentence if name == "3" else "") for name in "1234"}
    tables = Heard(*(HallTable(name, beat, AT) for name, beat in beats.items()))
    hall = Hall(settings=OPEN, hall_tables=tables, desk=MemoryDesk(custody=STARTED))
    hall.manage(*PREPARED, SessionStarted(1))
    hall.log_in()
    (notice,) = re.findall(r'<div[^>]* id="refusing">(.*?)</div>', hall.client.get(f"/event/sessions?lang={tag}").text, re.DOTALL)
    assert lead in notice
    assert re.findall(r'<li><strong>.*?3.*?</strong> <span lang="en">(.*?)</span>', notice) == [sentence.replace("'", "&#39;")]


def test_saved_seats_take_the_kinds_of_tables_and_an_unheard_table_leaves_the_step_open(tmp_path: Path) -> None:
    """Nobody presses "Play at these tables": paper tables have building sheets all the same, once they are heard."""
    paper = tuple(HallTable(name, JoinedTable(name, AT, "0.1.0", "a" * 64, HallStage.WAITING, kind=TableKind.PAPER), AT) for name in "1234")
    tables = Heard(*paper)
    setup = SetUp(tmp_path, tables)
    setup.prepared()
    assert setup.send("/event/seating", do="save", plan=setup.plan()).status_code == 303
    assert set(setup.event.kinds.values()) == {TableKind.PAPER}
    prints = setup.page("/event/prints")
    assert prints.count("twinwall vault sheets") == 4
    assert not says(prints, "prints.unchosen")
    assert 'class="done"' in step_of(setup.page("/event/sessions"), "Tables")
    tables.now = paper[:3]
    assert 'class="done"' not in step_of(setup.page("/event/sessions"), "Tables")
    assert says(setup.page("/event/prints"), "prints.unchosen")


def step_of(page: str, name: str) -> str:
    steps: list[str] = re.findall(r"<li class=.*?</li>", page, re.DOTALL)
    return next(step for step in steps if re.search(rf"</span> {name} <", step))


def rows_of(folder: Path, *heard: HallTable, event: ManagedEvent | None = None) -> dict[str, TableKind]:
    tables = HallOfTables(["1", "2"], lambda: heard, RehearsalFile(folder))
    return {row.name: row.kind for row in tables.rows(event or managed_event(()))}


def test_a_table_that_shall_be_simulated_is_so_before_it_is_heard_and_no_more_afterwards(tmp_path: Path) -> None:
    file = RehearsalFile(tmp_path)
    file.write(RehearsedTables(("2",), ("2",)))
    assert rows_of(tmp_path) == {"1": TableKind.FEEDER, "2": TableKind.SIMULATED}
    chosen = apply(managed_event(()), TablesChosen(("1", "2"), {"2": TableKind.SIMULATED}))
    assert rows_of(tmp_path, joined("2"), event=chosen)["2"] is TableKind.FEEDER, "what a table tells of itself counts"
    file.write(file.tables().with_table("2", simulated=False))
    assert rows_of(tmp_path, event=chosen)["2"] is TableKind.FEEDER


def test_only_a_table_that_is_offered_can_be_simulated(tmp_path: Path) -> None:
    file = RehearsalFile(tmp_path)
    assert file.tables() == RehearsedTables()
    assert RehearsedTables(("2",)).with_table("1", simulated=True) == RehearsedTables(("2",))
    assert RehearsedTables(("2", "3"), ("3",)).with_table("2", simulated=True).wanted == ("3", "2")
    (tmp_path / "rehearsed-tables.json").write_text("{")
    assert file.tables() == RehearsedTables(), "a damaged file offers nothing"


class RehearsingHall:
    """A hall whose events are made in the browser and whose tables 1 and 2 may be simulated."""

    def __init__(self, folder: Path, *, rehearsal: bool = True) -> None:
        self.file = RehearsalFile(folder)
        self.file.write(RehearsedTables(("1", "2")))
        choice = EventChoice(EventsFolder(folder, ("1", "2"), _no_programme), lambda: AT, None, lambda: None)
        self.hall = Hall(settings=replace(OPEN, tables=("1", "2"), rehearsal=rehearsal), event_choice=choice)
        self.hall.log_in()

    def press(self, do: str, table: str) -> int:
        return self.hall.submit("/event/tables/rehearsal", {"do": do, "table": table}).status_code

    @property
    def page(self) -> str:
        return self.hall.client.get("/event/tables").text


def test_a_director_lets_a_table_be_simulated_in_a_rehearsal_alone(tmp_path: Path) -> None:
    event = RehearsingHall(tmp_path, rehearsal=False)
    assert "Simulate table" not in event.page
    assert event.press("simulate", "2") == 404
    assert event.file.tables().wanted == ()
    rehearsing = RehearsingHall(tmp_path)
    rehearsing.hall.manage(*PREPARED)
    assert rehearsing.press("simulate", "2") == 303
    assert rehearsing.file.tables().wanted == ("2",)
    assert rehearsing.hall.desk.event.kind_of("2") is TableKind.SIMULATED
    assert "Simulate table 2 no more" in rehearsing.page
    assert rehearsing.press("end", "2") == 303
    assert rehearsing.file.tables().wanted == ()
    assert rehearsing.hall.desk.event.kind_of("2") is TableKind.FEEDER


def test_a_choice_of_tables_from_before_there_were_kinds_is_read() -> None:
    assert read_change({"type": "tables-chosen", "tables": ["1", "2"]}) == TablesChosen(("1", "2"))
    assert change_document(TablesChosen(("1", "2"))) == {"type": "tables-chosen", "tables": ("1", "2")}
