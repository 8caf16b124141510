"""Summaries of hands from public events, however events of deals and tables interleave."""

import random
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.dashboard.example import NAMES, whole_hand
from tests.support.event.ledgers import (
    SCORES,
    TABLES,
    TEAMS,
    check_of,
    closing,
    events,
    playing,
    preparing,
    session,
    starting,
    worked_example,
)
from tests.support.tiers import law
from tests.support.wire.streams import Line
from twinwall.event.field import EventField, Group, field_of, results_of
from twinwall.event.hands import HandSummary, TableHands, summaries
from twinwall.event.movements.seating import MovementError
from twinwall.event.results import EntrantKind
from twinwall.game.documents import DocumentError
from twinwall.game.play_events import EndReason
from twinwall.game.tiles import SEATS, Seat
from twinwall.wire.ledger import PublicEvent, UnknownEvent

EAST, SOUTH = Seat("E"), Seat("S")


def only(script: Sequence[Line]) -> HandSummary:
    (found,) = summaries(events(script))
    return found


def test_a_whole_hand_is_summed_up_with_winner_fans_and_scores() -> None:
    hand = only([*whole_hand(), ("hand-closed", {"n": 1})])
    assert (hand.table, hand.n, hand.session, hand.hand, hand.rules) == ("1", 1, 1, 1, "mcr-duplicate")
    assert {seat.value: name for seat, name in hand.names.items()} == NAMES
    assert (hand.reason, hand.winners, hand.sources) == (EndReason.WON, (EAST,), (None,))
    assert ([fan.id for fan in hand.fans][:2], hand.total) == (["mixed-triple-chow", "outside-hand"], 17)
    assert [dict(hand.scores or {})[seat] for seat in SEATS] == [75, -25, -25, -25]
    assert hand.closed
    assert hand.ended is not None
    assert hand.ended > hand.started


def test_a_hand_in_play_has_no_result_yet_and_a_drawn_one_no_winner() -> None:
    hand = only([*preparing(1), *starting(1), *playing()])
    assert (hand.ended, hand.reason, hand.scores, hand.winners, hand.closed) == (None, None, None, (), False)
    assert hand.check == check_of(1)
    drawn = only([*starting(1), *playing(1), *closing(1, (0, 0, 0, 0))])
    assert (drawn.reason, drawn.sources, drawn.winners) == (EndReason.DRAWN, (), ())


SHOWN: list[Line] = [
    ("win-declared", {"seat": "S", "from": "E", "tile": "1m"}),
    ("hand-shown", {"seat": "S", "concealed": "2m 3m", "winning": "1m"}),
]
REFUSED: list[Line] = [*SHOWN, ("win-refused", {"seat": "S", "reason": "not-a-win"})]


@pytest.mark.parametrize(
    ("declared", "scores", "winners", "sources"),
    [
        (REFUSED, (0, 0, 0, 0), (), ()),
        (REFUSED, (75, -25, -25, -25), (EAST,), (None,)),
        ([*SHOWN, ("hand-ruled-dead", {"seat": "S"})], (75, -25, -25, -25), (EAST,), (None,)),
        (SHOWN, (-40, -8, 48, 0), (SOUTH, Seat("W")), (EAST, EAST)),
    ],
    ids=["a refused win is nobody's", "another wins after it", "another after one that is ruled dead", "several on one discard"],
)
def test_winners_and_whom_they_won_from(
    declared: list[Line], scores: tuple[int, ...], winners: tuple[Seat, ...], sources: tuple[Seat | None, ...]
) -> None:
    hand = only([*starting(1), *playing(1), *declared, *closing(1, scores)])
    assert (hand.winners, hand.sources) == (winners, sources)


def test_the_next_wall_that_is_built_during_play_belongs_to_the_next_hand() -> None:
    first, second = summaries(events(session({1: SCORES[0], 2: SCORES[1]})))
    assert (first.n, second.n) == (1, 2)
    assert (first.check, second.check) == (check_of(1), check_of(2))
    preparations = {"deal-opened", "building", "wall-ready", "wall-raised", "hands-taken"}
    assert not preparations & {event.type for event in (*first.events, *second.events)}
    assert [event.type for event in first.events] == [event.type for event in second.events]


def test_an_event_that_names_a_deal_belongs_to_it_and_any_other_to_the_hand_in_play() -> None:
    ruling: Line = ("ruling", {"ruling": "r1", "n": 1, "by": "R", "texts": {"en": "The hand stands."}, "effects": []})
    fouled: Line = ("deal-fouled", {"reason": "seen"})
    first, second = summaries(events([*starting(1), *closing(1, SCORES[0]), ruling, *starting(2), *playing(1), fouled]))
    assert first.events[-1].type == "ruling"
    assert second.events[-1].type == "deal-fouled"


def test_event_types_that_are_not_known_are_kept_in_the_hand_and_change_nothing() -> None:
    known = events([*starting(1), *playing(1), *closing(1, SCORES[0])])
    strange = [event if event.type != "passed" else unknown(event) for event in known]
    (hand,), (same,) = summaries(strange), summaries(known)
    assert [event.type for event in hand.events] == ["tile-blessed" if event.type == "passed" else event.type for event in same.events]
    assert replace(hand, events=()) == replace(same, events=())


def unknown(event: PublicEvent) -> UnknownEvent:
    fields = (event.table, event.journal, event.seq, event.prev, event.at, "tile-blessed", {"by": 3}, event.line, None)
    return UnknownEvent(*fields, why="not known")


def added(*streams: Sequence[PublicEvent]) -> TableHands:
    hands = TableHands("1")
    for event in (event for stream in streams for event in stream):
        hands.add(event)
    return hands


def test_a_result_entered_twice_is_kept_once_and_named() -> None:
    again = [*starting(1), *closing(1, SCORES[1]), *starting(2), *closing(2, SCORES[2])]
    hands = added(events([*starting(1), *closing(1, SCORES[0])]), events(again, journal="another"))
    assert [[dict(hand.scores or {})[seat] for seat in SEATS] for hand in hands.summaries()] == [list(SCORES[0]), list(SCORES[2])]
    (_, sentence), *_ = hands.second_entries
    assert "deal 1 a second time (journal 'another', line 3)" in sentence
    assert len(added(events([*starting(1), *closing(1, SCORES[0]), ("hand-closed", {"n": 1})])).second_entries) == 1


def test_a_hand_that_a_replaced_controller_left_open_is_played_anew() -> None:
    cut = events([*starting(1), *playing(1)])
    (hand,) = summaries([*cut, *events([*starting(1), *closing(1, SCORES[0])], journal="another")])
    assert hand.closed
    assert {event.journal for event in hand.events} == {"another"}


@law
@given(st.integers(0, 2**32))
def test_how_tables_mix_does_not_change_what_their_hands_say(seed: int) -> None:
    chance = random.Random(seed)
    streams = {table: events(script, table) for table, script in worked_example().items()}
    expected = summaries(event for stream in streams.values() for event in stream)
    queues = [list(stream) for stream in streams.values()]
    mixed = []
    while queues := [queue for queue in queues if queue]:
        mixed.append(chance.choice(queues).pop(0))
    assert summaries(mixed) == expected


@law
@given(st.integers(0, 60))
def test_a_summary_grows_as_if_it_had_been_made_at_once(length: int) -> None:
    stream = events(session({1: SCORES[0], 2: SCORES[1]}))[:length]
    growing = TableHands("1")
    for event in stream:
        growing.add(event)
        growing.summaries()
    assert growing.summaries() == summaries(stream)


def test_only_closed_hands_of_the_fields_tables_are_results() -> None:
    open_hand = events([*starting(1), *playing(1)], "1")
    stranger = events([*starting(1), *closing(1, SCORES[0])], "99")
    players = EventField(EntrantKind.INDIVIDUAL, (Group("1", TABLES),))
    assert results_of(summaries([*open_hand, *stranger]), players) == ()
    (hand,) = summaries(events([*starting(2, "3"), *closing(2, SCORES[0])], "3"))
    assert [(result.seat, result.entrant, result.score) for result in results_of([hand], players)] == [
        (seat, f"3-{place}", score) for seat, place, score in zip(SEATS, (1, 2, 3, 0), SCORES[0], strict=True)
    ]


def test_each_team_holds_each_seat_of_a_deal_once_whatever_the_hand() -> None:
    teams = field_of(EntrantKind.TEAM, TABLES, TEAMS)
    for n in (1, 2, 7, 16):
        hands = summaries(event for table in TABLES for event in events([*starting(n, table), *closing(n, (0, 0, 0, 0))], table))
        held = [(teams.session(1).holder(hand.table, hand.places[seat], hand.names[seat])[1], seat) for hand in hands for seat in SEATS]
        assert len(set(held)) == 16, f"deal {n}"


def test_rows_of_tables_and_teams_make_groups() -> None:
    tables, teams = [str(number) for number in range(1, 9)], [f"team {number}" for number in range(1, 9)]
    eight = field_of(EntrantKind.TEAM, tables, teams)
    assert [(group.name, group.tables[0], group.teams[0]) for group in eight.groups] == [("1", "1", "team 1"), ("2", "5", "team 5")]
    assert eight.session(1).tables == tuple(tables)
    assert eight.session(1).group_of("6") is eight.groups[1]
    assert eight.session(1).group_of("9") is None


@pytest.mark.parametrize(
    ("tables", "teams", "sentence"),
    [
        (("1", "2", "3"), TEAMS, "group 1 has 3 tables and 4 teams"),
        (TABLES, (), "need as many groups of 4 teams, not 0"),
        ((*TABLES, "1", "6", "7", "8"), (*TEAMS, "e", "f", "g", "h"), "table 1 is in group 1 and in group 2"),
    ],
)
def test_a_field_that_no_team_event_can_have_is_refused(tables: tuple[str, ...], teams: tuple[str, ...], sentence: str) -> None:
    with pytest.raises(DocumentError, match=sentence):
        field_of(EntrantKind.TEAM, tables, teams)


def test_a_team_named_twice_is_refused() -> None:
    with pytest.raises(MovementError, match="A is there more than once"):
        field_of(EntrantKind.TEAM, TABLES, ("A", "B", "C", "A"))


def test_groups_need_names_of_their_own_and_tables_and_an_individual_event_has_no_teams() -> None:
    with pytest.raises(DocumentError, match="the group a is there more than once"):
        EventField(EntrantKind.INDIVIDUAL, (Group("a", ("1",)), Group("a", ("2",))))
    with pytest.raises(DocumentError, match="group a has no tables"):
        EventField(EntrantKind.INDIVIDUAL, (Group("a", ()),))
    with pytest.raises(DocumentError, match="names teams"):
        EventField(EntrantKind.INDIVIDUAL, (Group("a", TABLES, TEAMS),))


def test_a_table_outside_the_field_has_no_entrants() -> None:
    with pytest.raises(DocumentError, match="table 99 is in no group"):
        field_of(EntrantKind.TEAM, TABLES, TEAMS).session(1).holder("99", 0, "99-1")
