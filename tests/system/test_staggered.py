"""A whole staggered session: each table of a group begins in another wind; every deal is released when the last table has played it.

Broker, vault, pages and tables are the real processes. The tables play in memory and sign their ledgers.
``tests/event/store/test_hall.py`` has the same law on ledgers alone.
"""

import json
from pathlib import Path

import pytest

from cli.demo.browser import make_staff
from cli.demo.choices import Choices, DemoEvent
from cli.demo.command import set_up_event
from cli.demo.custody import memory_folder
from cli.demo.director import DemoDirector
from cli.demo.setup import start_tables
from cli.demo.supervisor import Supervisor, answers
from cli.hall.hall_folder import HallFolder, table_names
from controller.adapters.memory_folder import MOUNTS
from simulator.mechanics import FaultPlan
from twinwall.event.hand_records import record_of
from twinwall.event.store.store_check import problems
from twinwall.event.store.store_contents import StoredJournal
from twinwall.event.store.store_loading import load
from twinwall.event.store.store_rows import read_store
from twinwall.free_ports import free_ports
from twinwall.game.replay import replay
from twinwall.game.rules import DEFAULT_RULES

pytestmark = [pytest.mark.nightly, pytest.mark.timeout(1800)]
TABLES, HANDS, SPEED = 4, 5, 120.0
ORDERS = {"1": [1, 2, 3, 4, 5], "2": [5, 1, 2, 3, 4], "3": [1, 2, 3, 4, 5], "4": [5, 1, 2, 3, 4]}
"""Five hands are two rounds, so that every other table begins with the second round."""


class StaggeredEvent(DemoEvent):
    """One staggered session of sixteen players at tables that play in memory."""

    def file(self, rules: str) -> bytes:
        document = json.loads(super().file(rules))
        document["event"]["play_order"] = "staggered"
        return json.dumps(document).encode()


EVENT = StaggeredEvent("Staggered evening", "individual", TABLES, machines=0, sessions=1, hands=HANDS)


def order_of_play(journal: StoredJournal) -> list[int]:
    """The deals that a table has played, in its order."""
    lines = [json.loads(line) for line, _ in journal.lines]
    return [line["n"] for line in lines if line["type"] == "hand-started"]


def test_staggered_tables_play_every_deal_in_their_own_order_and_each_is_released_compared_and_replays(tmp_path: Path) -> None:
    with memory_folder(MOUNTS.read_text(encoding="utf-8")) as memory, Supervisor(tmp_path / "logs") as supervisor:
        port, broker = free_ports(2)
        hall = HallFolder(tmp_path, memory, tuple(table_names(TABLES)), broker, port, trusting=True)
        login = make_staff(tmp_path)[0]
        supervisor.start((hall.broker(), answers(hall.broker_port)))
        supervisor.start((hall.vault(), lambda: True), (hall.dashboard(), answers(port)))
        start_tables(supervisor, hall, Choices(1, DEFAULT_RULES, HANDS, True, port, FaultPlan()), 0, speed=SPEED)
        director = DemoDirector(port, login, supervisor.look_after)
        set_up_event(EVENT, director, DEFAULT_RULES)
        director.start(1)
        for n in range(1, HANDS + 1):
            director.wait_for_release(n)
        director.end(1)
    contents = read_store(tmp_path / "events" / "0001" / "event.sqlite")
    found = load(contents).hall
    assert problems(contents) == ()
    assert {journal.table: order_of_play(journal) for journal in contents.journals} == ORDERS
    assert found.comparison().left_out == ()
    for n in range(1, HANDS + 1):
        released = found.released(n)
        assert released is not None
        assert {hand.table for hand in found.hands(n)} == set(ORDERS)
        assert all(replay(record_of(hand, released.deal)).legal for hand in found.hands(n))
