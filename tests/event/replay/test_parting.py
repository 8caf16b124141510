"""Where the tables of a deal parted, compared with another way to find it."""

from dataclasses import replace
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from tests.support.game.worked_example import E, N, S, W, record_of
from twinwall.event.replay.decision_gains import decision_gains
from twinwall.event.replay.parting import Parting, decisions, partings
from twinwall.event.replay.steps import replay_document
from twinwall.game.play_events import TileDiscarded
from twinwall.game.record import HandRecord
from twinwall.game.tiles import parse_tile

KINDS = st.sampled_from(("1m", "2m", "3m"))
PLAYS = st.lists(st.lists(KINDS, max_size=6), min_size=1, max_size=5)


def records_of(plays: list[list[str]]) -> list[HandRecord]:
    """A deal in which East alone discards, at each table its own tiles."""
    return [
        replace(record_of("1"), table=str(number), events=tuple(TileDiscarded(E, parse_tile(tile)) for tile in play))
        for number, play in enumerate(plays, 1)
    ]


def tables_together(parting: Parting | None) -> set[frozenset[str]]:
    """The tables of each way of a tree on which something was decided."""
    ways = [] if parting is None else [way for way in parting.ways if way.act]
    return {frozenset(way.tables) for way in ways}.union(*(tables_together(way.then) for way in ways))


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


@given(PLAYS)
def test_the_first_parting_is_where_the_common_beginning_ends(plays: list[list[str]]) -> None:
    found = partings(records_of(plays))
    longest = max(map(len, plays))
    common = next((n for n in range(longest) if len({tuple(play[: n + 1]) for play in plays}) > 1), None)
    assert (None if not found else found[0].turn) == (None if common is None else common + 1)


@given(PLAYS)
def test_tables_are_together_as_long_as_their_plays_have_the_same_beginning(plays: list[list[str]]) -> None:
    found = partings(records_of(plays))
    beginnings = {tuple(play[:n]) for play in plays for n in range(1, len(play) + 1)}
    same = {frozenset(str(number) for number, play in enumerate(plays, 1) if tuple(play[: len(begun)]) == begun) for begun in beginnings}
    assert tables_together(found[0] if found else None) <= same


def mean(values: list[int]) -> Fraction:
    return Fraction(sum(values), len(values))


def brute_force(plays: list[list[str]], scores: list[int], table: int) -> Fraction:
    """The largest gain or loss over all beginnings of a table's play, the earliest among equals."""
    best, mine = Fraction(0), tuple(plays[table])
    for length in range(len(mine)):
        together = [at for at, play in enumerate(plays) if tuple(play[:length]) == mine[:length]]
        same = [scores[at] for at in together if plays[at][length : length + 1] == [mine[length]]]
        otherwise = [scores[at] for at in together if plays[at][length : length + 1] != [mine[length]]]
        if otherwise and abs(mean(same) - mean(otherwise)) > abs(best):
            best = mean(same) - mean(otherwise)
    return best


@given(PLAYS, st.lists(st.integers(-50, 50), min_size=5, max_size=5))
def test_a_tables_gain_is_that_of_comparing_all_beginnings(plays: list[list[str]], scores: list[int]) -> None:
    by_table = {str(number): {E: score} for number, score in enumerate(scores[: len(plays)], 1)}
    found = decision_gains(partings(records_of(plays)), by_table)
    for at in range(len(plays)):
        gains = [abs(each.gain) for each in found if str(at + 1) in each.way.tables]
        assert max(gains, default=Fraction(0)) == abs(brute_force(plays, scores, at))


def test_a_table_without_a_score_counts_on_neither_side() -> None:
    plays = [["1m"], ["2m"], ["3m"]]
    found = decision_gains(partings(records_of(plays)), {"1": {E: 8}, "2": {E: -2}})
    assert sorted((each.gain, each.others) for each in found) == [(Fraction(-10), ("1",)), (Fraction(10), ("2",))]


def test_equal_results_and_equal_decisions_are_no_decisions_that_cost() -> None:
    assert decision_gains(partings(records_of([["1m"], ["2m"]])), {"1": {E: 3}, "2": {E: 3}}) == []
    assert decision_gains(partings([record_of("1")]), {"1": record_of("1").scores}) == []
