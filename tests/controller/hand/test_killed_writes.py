"""A controller killed at a write of its journal: the next one records the same hand. ``benchmarks.killed_controller`` kills at all."""

from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from controller.state.table_state import replace as changed
from tests.support.controller.hands_of_rules import HANDS, table_of
from tests.support.controller.killed_writes import KilledHand, Recorded, killed, undisturbed
from tests.support.tiers import some
from twinwall.game.rules import rule_set_names
from twinwall.game.tiles import Seat

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


def killed_late(tmp_path: Path, meanwhile: str) -> KilledHand:
    """A hand killed at its last two writes, whose folder is changed before the next controller starts."""
    due, writes = alone("mcr-duplicate")
    change = {"lost": lose_the_last_line, "damaged": damage_a_line}[meanwhile]
    return killed(partial(table_of, "mcr-duplicate"), tmp_path / "hand", due, {writes - 1, writes}, change)


def lose_the_last_line(folder: Path) -> None:
    journal = folder / "table.journal"
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:-1]))


def damage_a_line(folder: Path) -> None:
    journal = folder / "table.journal"
    journal.write_bytes(journal.read_bytes().replace(b'"tile-discarded"', b'"tile-Discarded"', 1))


def test_a_journal_that_loses_its_last_line_is_noticed(tmp_path: Path) -> None:
    hand = killed_late(tmp_path, "lost")
    whole = [kill for kill in hand.kills if kill.written in (0, kill.of)]
    assert len(whole) == 4
    assert all(kill.difference for kill in whole)
    assert any("lines of the journal where" in kill.difference for kill in whole)


def test_a_controller_that_does_not_start_again_is_noticed(tmp_path: Path) -> None:
    hand = killed_late(tmp_path, "damaged")
    assert hand.kills
    assert all("damaged" in kill.difference for kill in hand.kills)


def test_another_record_another_public_event_and_another_fold_are_noticed() -> None:
    due, _ = alone("mcr-duplicate")
    record = due.record
    others: dict[str, Recorded] = {
        "is recorded where": replace(due, record=replace(record, events=(*record.events[:3], *record.events[4:]))),
        "the record differs": replace(due, record=replace(record, scores={**record.scores, Seat.EAST: record.scores[Seat.EAST] + 1})),
        "is public where": replace(due, public=(*due.public[:3], *due.public[4:])),
        "public events where": replace(due, public=due.public[:-1]),
        "fold differs in halted": replace(due, playing=changed(due.playing, halted=True)),
    }
    assert not due.differs_from(due)
    assert [part for part, other in others.items() if part not in other.differs_from(due)] == []
