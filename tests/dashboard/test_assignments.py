"""What the hall's server keeps of tables that have joined, and how long it sends an assignment."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from dashboard.assignments import SILENT_S, HallTables
from tests.support.wire.assignments import HALL_SERVER, IDENTITY, an_assignment
from twinwall.wire.messages.assignment import HallStage, JoinedTable, open_assignment, write_joined_table
from twinwall.wire.messages.signing import Counter, Signer
from twinwall.wire.messages.table_kind import TableKind

NOW = datetime(2026, 11, 20, 10, 0, tzinfo=UTC)
WAITING = "twinwall-hall/1/waiting"
BEAT = JoinedTable(table="1", at=NOW, version="0.1.0", identity_key=IDENTITY.public.hex(), stage=HallStage.WAITING)


class Hall:
    """The server's end, and what it sent."""

    def __init__(self, folder: Path, *, rehearsal: bool = True) -> None:
        self.now_s = 0.0
        counter = Counter(lambda: 7, folder / "counter")
        self.tables = HallTables(HALL_SERVER, counter, folder, lambda: NOW, lambda: self.now_s, rehearsal=rehearsal)
        self.sent: list[tuple[str, bytes]] = []
        self.tables.publish = lambda topic, payload: self.sent.append((topic, payload))

    def beat(self, by: Signer = IDENTITY, **changes: object) -> None:
        self.tables.hear(WAITING, write_joined_table(by, msgspec.structs.replace(BEAT, **changes)))

    @property
    def numbers(self) -> list[int]:
        assert {topic for topic, _ in self.sent} <= {"twinwall-hall/1/assignment"}
        return [open_assignment(payload, "1", HALL_SERVER.public).number for _, payload in self.sent]


NewHall = Callable[[], Hall]


@pytest.fixture
def new_hall(tmp_path: Path) -> NewHall:
    """A server over the same folder each time, as after a restart."""
    return lambda: Hall(tmp_path)


def test_a_table_that_beats_waits_until_it_is_assigned_something(new_hall: NewHall) -> None:
    hall = new_hall()
    assert hall.tables.all_tables() == ()
    hall.beat(lacks=("feeder",), refused="the rule set 'riichi' is not known")
    (table,) = hall.tables.all_tables()
    assert (table.name, table.heartbeat.lacks, table.heard, table.assigned) == ("1", ("feeder",), NOW, None)
    assert table.heartbeat.refused == "the rule set 'riichi' is not known"
    assigned = hall.tables.assign("1", an_assignment())
    assert hall.tables.all_tables()[0].assigned == assigned


def test_a_simulated_table_joins_in_a_rehearsal_alone(tmp_path: Path) -> None:
    for rehearsal in (True, False):
        hall = Hall(tmp_path, rehearsal=rehearsal)
        hall.beat(kind=TableKind.SIMULATED)
        assert bool(hall.tables.all_tables()) is rehearsal


def test_numbers_rise_with_each_assignment_and_across_restarts(new_hall: NewHall) -> None:
    numbers = [new_hall().tables.assign("1", an_assignment()).number for _ in range(3)]
    assert numbers == sorted(set(numbers))


def test_an_assignment_is_sent_until_the_table_has_accepted_it(new_hall: NewHall) -> None:
    hall = new_hall()
    number = hall.tables.assign("1", an_assignment()).number
    hall.beat()
    hall.beat()
    assert hall.numbers == [number] * 3
    hall.beat(number=number, stage=HallStage.PLAYING)
    assert hall.numbers == [number] * 3


def test_a_server_that_was_killed_sends_what_it_had_assigned(new_hall: NewHall) -> None:
    number = new_hall().tables.assign("1", an_assignment()).number
    later = new_hall()
    later.beat()
    assert later.numbers == [number]


def test_a_table_that_has_said_nothing_for_long_is_silent_whatever_the_wall_clock_says(new_hall: NewHall) -> None:
    hall = new_hall()
    hall.beat()
    assert not hall.tables.all_tables()[0].silent
    hall.now_s += SILENT_S + 1
    assert hall.tables.all_tables()[0].silent
    hall.beat()
    assert not hall.tables.all_tables()[0].silent


def test_a_heartbeat_that_is_not_the_tables_has_no_effect(new_hall: NewHall, caplog: pytest.LogCaptureFixture) -> None:
    hall = new_hall()
    hall.beat(by=Signer("1", bytes(32)))
    hall.tables.hear("twinwall-hall/1/nonsense", b"")
    assert hall.tables.all_tables() == ()
    assert "a heartbeat of table 1 is refused" in caplog.text


def test_a_damaged_file_assigns_nothing_and_is_told(new_hall: NewHall, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    new_hall().tables.assign("1", an_assignment())
    (tmp_path / "table-1.json").write_bytes(b"{}")
    hall = new_hall()
    hall.beat()
    assert hall.sent == []
    assert "until you assign it again" in caplog.text
