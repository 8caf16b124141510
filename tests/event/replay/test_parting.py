"""Where the tables of a deal parted; the laws of it are in ``test_played_deals``."""

from dataclasses import replace
from fractions import Fraction

from tests.support.game.worked_example import E, N, S, W, record_of
from twinwall.event.replay.parting import decision_gains, decisions, partings
from twinwall.event.replay.steps import replay_document
from twinwall.game.play_events import TileDiscarded
from twinwall.game.record import HandRecord
from twinwall.game.tiles import parse_tile


def records_of(plays: list[list[str]]) -> list[HandRecord]:
    """A deal in which East alone discards, at each table its own tiles."""
    return [
        replace(record_of("1"), table=str(number), events=tuple(TileDiscarded(E, parse_tile(tile)) for tile in play))
        for number, play in enumerate(plays, 1)
    ]


def test_the_worked_deal_parts_at_easts_and_souths_first_discards() -> None:
    records = [record_of(play) for play in "1234"]
    found = partings(records)
    assert [(parting.seat, parting.turn) for parting in found][:2] == [(E, 1), (S, 1)]
    first = {record.table: decisions(record, S)[0].choice for record in records}
    assert {(way.act, way.tiles): way.tables for way in found[1].ways} == {
        choice: [table for table in first if first[table] == choice] for choice in first.values()
    }


def test_the_steps_are_those_of_the_replay() -> None:
    for play in "1234":
        (table,) = replay_document([record_of(play)]).tables
        for seat in (E, S, W, N):
            for made in decisions(record_of(play), seat):
                assert table.steps[made.step - 1].seat == seat.value


def test_tables_that_do_the_same_never_part() -> None:
    assert partings([record_of("1")]) == []
    assert partings(records_of([["1m", "2m"], ["1m", "2m"]])) == []


def test_a_table_whose_hand_is_over_goes_its_own_way() -> None:
    (parting,) = partings(records_of([["1m"], ["1m", "2m"], ["1m", "2m"]]))
    assert (parting.turn, [(way.act, way.tables) for way in parting.ways]) == (2, [("", ["1"]), ("discard", ["2", "3"])])


def test_a_table_without_a_score_counts_on_neither_side() -> None:
    found = decision_gains(partings(records_of([["1m"], ["2m"], ["3m"]])), {"1": {E: 8}, "2": {E: -2}})
    assert sorted((each.gain, each.others) for each in found) == [(Fraction(-10), ("1",)), (Fraction(10), ("2",))]


def test_equal_results_and_equal_decisions_are_no_decisions_that_cost() -> None:
    assert decision_gains(partings(records_of([["1m"], ["2m"]])), {"1": {E: 3}, "2": {E: 3}}) == []
    assert decision_gains(partings([record_of("1")]), {"1": record_of("1").scores}) == []
