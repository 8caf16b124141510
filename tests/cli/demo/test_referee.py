"""The referee of a demo whose people disturb: answers what tables ask, and says when that is not enough."""

from __future__ import annotations

from pathlib import Path

import pytest

from twinwall.cli.demo.progress import DemoTableProgress
from twinwall.cli.demo.referee import LOOK_S, PATIENCE_S, UNREAD_TILE, RefereeRounds


class Rounds:
    """A referee's rounds at table 1; ``answered`` are the questions that he answered."""

    def __init__(self) -> None:
        self.answered: list[tuple[str, str]] = []
        self.table = DemoTableProgress("1", Path("events.jsonl"))
        self.rounds = RefereeRounds(self._answer, {"1": "http://world"})

    def _answer(self, table: str, world_url: str) -> bool:
        self.answered.append((table, world_url))
        return True

    def fault(self, code: str) -> None:
        self.table.fault, self.table.code = "A part needs a person", code

    def look(self, now_s: float, *, grew: bool = False) -> bool:
        return self.rounds.look(self.table, now_s, grew=grew)


@pytest.fixture
def rounds() -> Rounds:
    return Rounds()


def test_a_table_without_a_fault_is_asked_nothing(rounds: Rounds) -> None:
    assert rounds.look(0.0)
    assert rounds.look(10 * PATIENCE_S)
    assert rounds.answered == []


def test_an_unread_tile_is_answered_now_and_then_until_it_is_read(rounds: Rounds) -> None:
    rounds.fault(UNREAD_TILE)
    looks = [step * LOOK_S / 10 for step in range(1, 40)]
    assert all(rounds.look(now_s + 100) for now_s in looks)
    assert rounds.answered == [("1", "http://world")] * 4


def test_a_fault_of_another_kind_is_left_alone_and_ends_the_patience_when_nothing_happens(rounds: Rounds) -> None:
    rounds.fault("jam")
    assert rounds.look(1.0)
    assert rounds.look(PATIENCE_S)
    assert not rounds.look(PATIENCE_S + 2)
    assert rounds.answered == []


def test_a_table_that_goes_on_beside_its_fault_is_waited_for(rounds: Rounds) -> None:
    rounds.fault("")
    assert rounds.look(1.0)
    assert rounds.look(PATIENCE_S, grew=True)
    assert rounds.look(2 * PATIENCE_S - 1)
