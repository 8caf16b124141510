"""A whole hall with all kinds of tables: two of four tables have no camera, their players' phones enter and confirm every hand.

Broker, vault, pages and tables are the real processes. The two other tables, one with a feeder and one that is guided, play in memory
and sign their ledgers; test_phones_evening.py plays at a guided table with phones.
In ``make test`` test_paper_phones.py and test_paper_table.py of tests/dashboard enter and confirm hands,
tests/custody/test_release.py gives paper tables nothing, and tests/event/store/test_hall.py compares what they played.
"""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

import config
from cli.demo.browser import DemoLogin, make_staff
from cli.demo.choices import Choices
from cli.demo.command import set_up_event
from cli.demo.custody import memory_folder
from cli.demo.demo_events import EVENTS
from cli.demo.director import DemoDirector
from cli.demo.hall_tables import start_tables
from cli.demo.supervisor import Process, Supervisor, answers
from cli.hall.guided_tables import paper_process, without_machine
from cli.hall.hall_folder import HallFolder, table_names
from controller.adapters.memory_folder import MOUNTS
from dashboard.access.login import load_secret
from dashboard.access.seat_codes import seat_code
from simulator.mechanics import FaultPlan
from tests.support.patience import PATIENCE_S
from tests.support.wire.brokers import eventually
from twinwall.event.hand_records import record_of
from twinwall.event.store.store_check import problems
from twinwall.event.store.store_loading import load
from twinwall.event.store.store_reading import read_store
from twinwall.free_ports import free_ports
from twinwall.game.play_events import EndReason
from twinwall.game.replay import replay
from twinwall.game.rules import DEFAULT_RULES
from twinwall.wire.messages.table_kind import TableKind

pytestmark = [pytest.mark.nightly, pytest.mark.timeout(1200)]
TABLES, HANDS, SPEED = 4, 2, 60.0
FEEDER, GUIDED, PAPER = "1", "2", ("3", "4")
EVENT = replace(EVENTS["championship"], tables=TABLES, machines=0, sessions=1, hands=HANDS, seat_check=False)


class SeatPhone(DemoDirector):
    """A phone that has scanned the code of a seat; its page is looked at until it asks for something."""

    def __init__(self, port: int, secret: bytes, table: str, place: int, look_after: Callable[[], None]) -> None:
        super().__init__(port, DemoLogin("", "", Path()), look_after)
        self._seat = f"/seat/{table}/{place}"
        self._ask("GET", f"{self._seat}?code={seat_code(secret, EVENT.name, table, place)}")

    def press(self, seen: str, query: str = "", **form: str) -> None:
        """Wait until the page shows something, then press."""
        self.until(f"{self._seat}{query}", lambda page: seen in page, f"{self._seat} shows {seen}")
        self._post(self._seat, form)

    def payments(self) -> str:
        """What a confirmation names, once it is asked for."""
        page = self.until(self._seat, lambda page: 'id="confirm"' in page, f"{self._seat} asks for a confirmation")
        return page.partition('name="confirm" value="')[2].partition('"')[0]


def play(one: SeatPhone, other: SeatPhone, n: int) -> None:
    """A hand on paper: East wins 24 fan by self-draw."""
    one.press('id="begin"', begin=str(n))
    one.press('id="enter-result"', "?result=1", result=str(n), winner="E", source="self", total="24")
    other.press('id="confirm"', confirm=other.payments())


def test_a_feeder_a_guided_and_two_paper_tables_play_an_event_that_is_released_and_compared_alike(tmp_path: Path) -> None:
    with memory_folder(MOUNTS.read_text(encoding="utf-8")) as memory, Supervisor(tmp_path / "logs") as supervisor:
        port, broker = free_ports(2)
        hall = HallFolder(tmp_path, memory, tuple(table_names(TABLES)), broker, port, trusting=True)
        login = make_staff(tmp_path)[0]
        supervisor.start((hall.broker(), answers(hall.broker_port)))
        supervisor.start((hall.vault(), lambda: True), (hall.dashboard(), answers(port)))
        choices = Choices(1, DEFAULT_RULES, HANDS, True, port, FaultPlan())
        start_tables(supervisor, hall, choices, 0, speed=SPEED, real=(GUIDED, *PAPER))
        supervisor.start((guided_table(hall), lambda: True))
        supervisor.start((paper_process(hall, PAPER, datetime.now(UTC)), lambda: True))
        director = DemoDirector(port, login, supervisor.look_after)
        set_up_event(EVENT, director, DEFAULT_RULES)
        director.start(1)
        secret = load_secret(tmp_path / "dashboard.secret")
        phones = {table: [SeatPhone(port, secret, table, place, supervisor.look_after) for place in (0, 1)] for table in PAPER}
        for n in range(1, HANDS + 1):
            for one, other in phones.values():
                play(one, other, n)
        store = tmp_path / "events" / "0001" / "event.sqlite"
        wait_until(supervisor, lambda: set(load(read_store(store)).hall.released_deals()) == set(range(1, HANDS + 1)))
    contents = read_store(store)
    found = load(contents).hall
    assert problems(contents) == ()
    assert b'"kinds":{"2":"guided","3":"paper","4":"paper"}' in b"".join(contents.records)
    (ledger,) = (tmp_path / "vault").glob("plan-*/ledger")
    assert ledger.read_text().count('"paper":true') == len(PAPER), "the vault was told to give them nothing"
    assert found.comparison().left_out == (), "the hands of every kind are compared with each other"
    for n in range(1, HANDS + 1):
        hands = {hand.table: hand for hand in found.hands(n)}
        assert set(hands) == {FEEDER, GUIDED, *PAPER}
        assert {hands[table].reason for table in PAPER} == {EndReason.ENTERED}
        assert EndReason.ENTERED not in {hands[table].reason for table in (FEEDER, GUIDED)}
        released = found.released(n)
        assert released is not None
        assert all(replay(record_of(hand, released.deal)).legal for hand in hands.values())


def guided_table(hall: HallFolder) -> Process:
    """A table whose settings say that it is guided, played in memory."""
    file = hall.folder / "guided-table.toml"
    config.write(file, without_machine(hall, GUIDED, TableKind.GUIDED, hall.memory / "guided-ledger"))
    return Process("guided-table", ("table", "simulate", "tables", str(file), "--seed", "2", "--speed", str(SPEED)))


def wait_until(supervisor: Supervisor, seen: Callable[[], bool]) -> None:
    """Look until something is so."""

    def is_seen() -> bool:
        supervisor.look_after()
        return seen()

    eventually(is_seen, "the deals are released", 4 * PATIENCE_S, 1.0)
