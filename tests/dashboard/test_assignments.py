"""What the hall's server keeps of tables that have joined, and of the journal of a controller that took a lost one's place."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from dashboard.assignments import SILENT_S, HallTables
from tests.support.custody.hall import EVENT, SERVER, STARTED
from tests.support.dashboard.intake import TableIntake
from tests.support.event.ledgers import closing, preparing, starting
from tests.support.narrowed import present
from tests.support.wire.assignments import HALL_SERVER, IDENTITY, an_assignment
from tests.support.wire.streams import Line, ledger_lines
from twinwall.event.results import Basis, result_after_rulings
from twinwall.wire.ledger import LedgerPosition
from twinwall.wire.messages.assignment import HallStage, JoinedTable, TableKind, open_assignment, write_joined_table
from twinwall.wire.messages.boot_keys import SettledKeys
from twinwall.wire.messages.signing import Counter, Signer, sign_document
from twinwall.wire.messages.staff_orders import ReplacementOrder

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


def test_a_table_that_beats_waits_until_it_is_assigned_something_and_is_silent_after_a_while(new_hall: NewHall) -> None:
    hall = new_hall()
    assert hall.tables.all_tables() == ()
    hall.beat(lacks=("feeder",), refused="the rule set 'riichi' is not known")
    (table,) = hall.tables.all_tables()
    assert (table.name, table.heartbeat.lacks, table.heard, table.assigned) == ("1", ("feeder",), NOW, None)
    assert table.heartbeat.refused == "the rule set 'riichi' is not known"
    assigned = hall.tables.assign("1", an_assignment())
    assert hall.tables.all_tables()[0].assigned == assigned
    for seconds, silent in ((0.0, False), (SILENT_S + 1, True)):
        hall.now_s += seconds
        assert hall.tables.all_tables()[0].silent is silent, "whatever the wall clock says"
    hall.beat()
    assert not hall.tables.all_tables()[0].silent


def test_a_simulated_table_joins_in_a_rehearsal_alone(tmp_path: Path) -> None:
    for rehearsal in (True, False):
        hall = Hall(tmp_path, rehearsal=rehearsal)
        hall.beat(kind=TableKind.SIMULATED)
        assert bool(hall.tables.all_tables()) is rehearsal


def test_an_assignment_is_sent_until_the_table_has_accepted_it_also_by_a_server_that_was_killed(new_hall: NewHall) -> None:
    numbers = [new_hall().tables.assign("1", an_assignment()).number for _ in range(3)]
    assert numbers == sorted(set(numbers)), "they rise also across restarts"
    hall = new_hall()
    hall.beat()
    hall.beat()
    assert hall.numbers == [numbers[-1]] * 2
    hall.beat(number=numbers[-1], stage=HallStage.PLAYING)
    assert hall.numbers == [numbers[-1]] * 2
    number = hall.tables.assign("1", an_assignment()).number
    assert hall.numbers[2:] == [number]


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


TABLE = Signer("1", b"\x07" * 32)
FIRST: Line = ("start-fixed", {"code": STARTED.start.code.hex()})
LOST: list[Line] = [FIRST, *preparing(1), *starting(1), *closing(1, (8, -8, 0, 0)), *preparing(2), *starting(2)]
NO_SCORES = dict.fromkeys("ESWN", 0)


class Server(TableIntake):
    """It has a table's settled key, and hears scripts."""

    def hear_script(self, script: list[Line], journal: str) -> LedgerPosition:
        return self.hear_table(ledger_lines(script, journal=journal), TABLE)

    @property
    def journals(self) -> list[str]:
        return [journal.journal for journal in self.stored.journals]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    server = Server(tmp_path, SettledKeys({"1": TABLE.public}), STARTED, SERVER.public)
    yield server
    server.desk.close()


def going_on(after: LedgerPosition, signer: Signer = SERVER, journal: str | None = None) -> list[Line]:
    """The first lines of the journal that goes on after the hand of deal 2 was in play."""
    order = ReplacementOrder(EVENT, journal or after.journal, after.seq, after.digest, (1,), 2, "the disk is broken", "Abe", "Ota")
    first: Line = ("start-fixed", {**FIRST[1], "replaces": sign_document(signer, order, EVENT, "1").decode()})
    return [first, ("hand-ended", {"reason": "annulled", "scores": NO_SCORES}), ("hand-closed", {"n": 2})]


def test_by_the_order_the_record_goes_on_and_the_hand_in_play_counts_as_the_average(server: Server) -> None:
    ended = server.hear_script(LOST, "lost")
    reached = present(server.desk.hall.reached("1"))
    assert (reached.position, reached.finished, reached.n) == (ended, (1,), 2)
    server.hear_script([*going_on(ended), *preparing(3), *starting(3), *closing(3, (0, 0, 8, -8))], "new")
    assert (server.journals, server.complaint) == (["lost", "new"], "")
    hands = server.desk.hall.hands(as_referee_of="1")
    counted = [(hand.n, said.basis) for hand in hands if (said := result_after_rulings(hand)) is not None]
    assert counted == [(1, Basis.PLAYED), (2, Basis.AVERAGE), (3, Basis.PLAYED)]


def another_server(ended: LedgerPosition) -> list[Line]:
    return going_on(ended, Signer("server", b"\x0b" * 32))


def another_journal(ended: LedgerPosition) -> list[Line]:
    return going_on(ended, journal="another")


@pytest.mark.parametrize(
    "first", [lambda _ended: [FIRST], another_server, another_journal], ids=["no order", "a forged one", "another journal's"]
)
def test_without_an_order_that_it_has_signed_for_this_journal_no_line_is_taken(
    server: Server, first: Callable[[LedgerPosition], list[Line]]
) -> None:
    ended = server.hear_script(LOST, "lost")
    server.hear_script([*first(ended), *preparing(2), *starting(2), *closing(2, (8, -8, 0, 0))], "new")
    assert server.journals == ["lost"]
    assert "journal 'new'" in server.complaint


def test_what_the_lost_controller_says_afterwards_is_refused_and_named(server: Server) -> None:
    server.hear_script(going_on(server.hear_script(LOST, "lost")), "new")
    server.hear_script([*LOST, *closing(2, (8, -8, 0, 0))], "lost")
    assert "goes on with its former journal 'lost'" in server.complaint
    assert not any(present(present(server.desk.hall.hand("1", 2, as_referee_of="1")).scores).values())


def test_an_order_for_an_earlier_line_than_the_servers_last_does_not_count(server: Server) -> None:
    earlier = server.hear_script(LOST[:-1], "lost")
    server.hear_script(LOST, "lost")
    server.hear_script(going_on(earlier), "new")
    assert server.journals == ["lost"]
    assert "Order it again" in server.complaint
