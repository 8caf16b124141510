"""A session of four tables: table 3's controller is lost with its disk in a hand, and another one is started by the written procedure.

In ``make test`` tests/controller/test_next_players.py, tests/attacks/table_keys/test_replaced_controller.py,
tests/dashboard/test_assignments.py, tests/dashboard/pages/people/test_key_slip.py and
tests/cli/table/test_replacing.py look at each part.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from tests.support.demo.harness import DemoRun
from tests.support.demo.replaced_controller import HANDS, LOST_IN, MOST_S, PATIENCE_S, TABLE, TABLES, ProcedureTimes, replaced_controller
from tests.support.wire.brokers import eventually
from twinwall.event.results import Basis, result_after_rulings
from twinwall.event.store.hall import Hall
from twinwall.event.store.store_loading import load as load_store
from twinwall.event.store.store_rows import read_store

pytestmark = [pytest.mark.nightly, pytest.mark.timeout(3600)]


@dataclass(frozen=True)
class Replaced:
    hall: Hall
    times: ProcedureTimes


@pytest.fixture(scope="module")
def replaced(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Replaced]:
    with DemoRun(tmp_path_factory.mktemp("replaced") / "demo", "--tables", str(TABLES), "--hands", str(HANDS)) as demo:
        times = replaced_controller(demo)
        eventually((demo.folder / "released" / f"slip-{HANDS:04d}.json").exists, "the last slip", PATIENCE_S)
        stored = demo.folder / "event.sqlite"
        eventually(lambda: HANDS in load_store(read_store(stored)).hall.released_deals(), "the last slip in the store", PATIENCE_S, 0.1)
        yield Replaced(load_store(read_store(stored)).hall, times)


def test_the_session_ends_and_every_other_hand_of_every_table_counts_as_it_was_played(replaced: Replaced) -> None:
    found = {(hand.table, hand.n): said.basis for hand in replaced.hall.hands() if (said := result_after_rulings(hand)) is not None}
    assert found == {
        (str(table), n): Basis.AVERAGE if (str(table), n) == (TABLE, LOST_IN) else Basis.PLAYED
        for table in range(1, TABLES + 1)
        for n in range(1, HANDS + 1)
    }


def test_each_deal_is_compared_and_nothing_is_left_out(replaced: Replaced) -> None:
    compared = replaced.hall.comparison().deals
    assert sorted(compared) == list(range(1, HANDS + 1))
    assert all(deal.groups and not deal.left_out for deal in compared.values())


def test_the_procedure_takes_five_minutes_at_most_beside_what_people_need(replaced: Replaced) -> None:
    assert replaced.times.all_s <= MOST_S, f"a table would stand still for longer than its players wait: {replaced.times.document()}"
