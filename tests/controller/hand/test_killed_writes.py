"""A controller killed at a write of its journal: the next one records the same hand. ``benchmarks.killed_controller`` kills at all."""

from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.support.controller.hands_of_rules import HANDS, table_of
from tests.support.controller.killed_writes import Recorded, killed, undisturbed
from tests.support.tiers import some
from twinwall.game.rules import rule_set_names

pytestmark = pytest.mark.slow

AT_THE_END = 3
"""So many writes one after the other are tried there."""
IN_THE_MIDDLE = some(sorted(HANDS), 1)
"""The rule sets whose hand is played from its middle on as well."""


@cache
def alone(rules: str) -> tuple[Recorded, int]:
    """What an undisturbed hand leaves, and how many writes it takes."""
    with TemporaryDirectory() as folder:
        return undisturbed(partial(table_of, rules), Path(folder) / "undisturbed")


def some_writes(rules: str, writes: int) -> set[int]:
    return {*([writes // 2] if rules in IN_THE_MIDDLE else []), *range(writes - AT_THE_END + 1, writes + 1)}


def test_there_is_a_hand_of_every_rule_set() -> None:
    assert sorted(HANDS) == sorted(rule_set_names())


@pytest.mark.parametrize("rules", some(sorted(HANDS), 2))
def test_killed_before_within_and_after_a_write_the_same_hand_is_recorded(rules: str, tmp_path: Path) -> None:
    due, writes = alone(rules)
    hand = killed(partial(table_of, rules), tmp_path / "hand", due, some_writes(rules, writes))
    assert hand.writes == writes
    assert {kill.write for kill in hand.kills} == some_writes(rules, writes)
    assert {kill.written for kill in hand.kills} > {0}
    assert any(kill.torn for kill in hand.kills)
    assert [kill.write for kill in hand.kills if kill.written == kill.of] == sorted(some_writes(rules, writes))
    assert hand.different == []


def lose_the_last_line(folder: Path) -> None:
    journal = folder / "table.journal"
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:-1]))


def test_a_journal_that_loses_its_last_line_is_noticed(tmp_path: Path) -> None:
    due, writes = alone("mcr-duplicate")
    hand = killed(partial(table_of, "mcr-duplicate"), tmp_path / "hand", due, {writes - 1, writes}, lose_the_last_line)
    whole = [kill for kill in hand.kills if kill.written in (0, kill.of)]
    assert len(whole) == 4
    assert all(kill.difference for kill in whole)
    assert any("lines of the journal where" in kill.difference for kill in whole)
