"""Where the tables of a deal parted, compared with another way to find it."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from tests.support.game.worked_example import E, N, S, W, record_of
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
