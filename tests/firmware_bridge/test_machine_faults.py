"""Faults of the machine, each broken at the simulated board's pins during a build: named at the table in time, nothing moves after."""

import re
from pathlib import Path

import pytest

from benchmarks.machine_faults import LIMIT_S, MachineFault, happen, listed
from tests.support.tiers import one_in

LISTED = listed()
ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reference" / "machine-faults.md"


def test_the_list_has_64_faults_of_every_kind() -> None:
    kinds = {"stuck", "flicker", "slip", "jam", "stall", "blocked", "unplugged", "hot", "wrong wire"}
    assert len({fault.name for fault in LISTED}) == 64
    assert {fault.kind for fault in LISTED} == kinds


def test_the_page_of_faults_names_tests_that_exist() -> None:
    rows = re.findall(r"\| `(\S+\.py)` `(test_\w+)` \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(rows) == PAGE.read_text(encoding="utf-8").count("\n| ") - 1
    for file, name in rows:
        folder = ROOT if file.startswith("tests/") else Path(__file__).parent
        assert f"def {name}(" in (folder / file).read_text(encoding="utf-8"), name


@pytest.mark.parametrize("fault", one_in(2, LISTED), ids=lambda fault: fault.name.replace(" ", "-"))
def test_the_table_names_what_is_broken_in_time_and_nothing_moves_after_it(fault: MachineFault) -> None:
    outcome = happen(fault)
    assert outcome.named == fault.says
    assert outcome.where.startswith(fault.where)
    assert outcome.seconds is not None
    assert outcome.seconds <= LIMIT_S
    assert not outcome.moved
