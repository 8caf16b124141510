"""Summaries of hands from public events, however events of deals and tables interleave."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.dashboard.example import NAMES, whole_hand
from tests.support.event.example import SCORES, TEAMS
from tests.support.event.ledgers import TABLES, check_of, closing, events, playing, preparing, session, starting, worked_example
from tests.support.tiers import law
from tests.support.wire.streams import Line
from twinwall.event.comparison import TeamEntry, compare
from twinwall.event.field import EventField, FieldError, Group, field_of, results_of
from twinwall.event.hands import HandSummary, TableHands, summaries
from twinwall.event.movements.seating import MovementError
from twinwall.event.results import EntrantKind
from twinwall.event.scale import provisional_scale
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


def test_a_hand_in_play_has_no_result_yet() -> None:
    hand = only([*preparing(1), *starting(1), *playing()])
    assert (hand.ended, hand.reason, hand.scores, hand.winners, hand.closed) == (None, None, None, (), False)
    assert hand.check == check_of(1)


def test_a_refused_win_is_nobodys() -> None:
    refused: list[Line] = [
        ("win-declared", {"seat": "S", "from": "E", "tile": "1m"}),
        ("hand-shown", {"seat": "S", "concealed": "2m 3m", "winning": "1m"}),
        ("win-refused", {"seat": "S", "reason": "not-a-win"}),
    ]
    assert only([*starting(1), *playing(1), *refused, *closing(1, (0, 0, 0, 0))]).winners == ()
    late = only([*starting(1), *playing(1), *refused, *closing(1, (75, -25, -25, -25))])
    assert (late.winners, late.sources) == ((EAST,), (None,))


def test_several_winners_on_one_discard_are_all_named() -> None:
    shown: list[Line] = [
        ("win-declared", {"seat": "S", "from": "E", "tile": "1m"}),
        ("hand-shown", {"seat": "S", "concealed": "2m 3m", "winning": "1m"}),
    ]
    hand = only([*starting(1), *playing(1), *shown, *closing(1, (-40, -8, 48, 0))])
    assert (hand.winners, hand.sources) == ((SOUTH, Seat("W")), (EAST, EAST))


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
    script = [*starting(1), *closing(1, SCORES[0]), ruling, *starting(2), *playing(1), fouled]
    first, second = summaries(events(script))
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


def test_a_result_entered_twice_is_kept_once_and_named() -> None:
    hands = TableHands("1")
    again = [*starting(1), *closing(1, SCORES[1]), *starting(2), *closing(2, SCORES[2])]
    for event in [*events([*starting(1), *closing(1, SCORES[0])]), *events(again, journal="another")]:
        hands.add(event)
    first, second = hands.summaries()
    assert [dict(first.scores or {})[seat] for seat in SEATS] == list(SCORES[0])
    assert [dict(second.scores or {})[seat] for seat in SEATS] == list(SCORES[2])
    assert "deal 1 a second time (journal 'another', line 3)" in hands.second_entries[0].sentence


def test_a_closed_hand_does_not_end_again() -> None:
    hands = TableHands("1")
    for event in events([*starting(1), *closing(1, SCORES[0]), ("hand-closed", {"n": 1})]):
        hands.add(event)
    assert len(hands.second_entries) == 1


def test_a_hand_that_a_replaced_controller_left_open_is_played_anew() -> None:
    cut = events([*starting(1), *playing(1)])
    (hand,) = summaries([*cut, *events([*starting(1), *closing(1, SCORES[0])], journal="another")])
    assert hand.closed
    assert {event.journal for event in hand.events} == {"another"}


@law
@given(st.integers(0, 2**32))
def test_how_tables_mix_does_not_change_what_their_hands_say(seed: int) -> None:
    chance = random.Random(seed)
    streams = {table: events(script, table) for table, script in worked_example((1, 2)).items()}
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


def test_the_worked_example_is_compared_from_its_events() -> None:
    mixed = [event for table, script in worked_example().items() for event in events(script, table)]
    event_field = field_of(EntrantKind.TEAM, TABLES, TEAMS)
    results = results_of(summaries(mixed), event_field)
    (deal,) = compare(results, EntrantKind.TEAM, provisional_scale(), zero_sum=True).groups[0].deals
    entries = [entry for entry in deal.entries if isinstance(entry, TeamEntry)]
    assert [(entry.entrant, entry.sum, entry.imp) for entry in entries] == [("A", 107, 16), ("B", -33, -10), ("C", -1, 0), ("D", -73, -14)]


def test_only_closed_hands_of_the_fields_tables_are_results() -> None:
    open_hand = events([*starting(1), *playing(1)], "1")
    stranger = events([*starting(1), *closing(1, SCORES[0])], "99")
    players = EventField(EntrantKind.INDIVIDUAL, (Group("1", TABLES),))
    assert results_of(summaries([*open_hand, *stranger]), players) == ()
    (hand,) = summaries(events([*starting(2, "3"), *closing(2, SCORES[0])], "3"))
    assert [(result.seat, result.entrant, result.score) for result in results_of([hand], players)] == [
        (seat, f"3-{place}", score) for seat, place, score in zip(SEATS, (1, 2, 3, 0), SCORES[0], strict=True)
    ]


def test_a_drawn_hand_is_won_by_nobody_and_from_nobody() -> None:
    hand = only([*starting(1), *playing(1), *closing(1, (0, 0, 0, 0))])
    assert (hand.reason, hand.sources, hand.winners) == (EndReason.DRAWN, (), ())


def test_each_team_holds_each_seat_of_a_deal_once_whatever_the_hand() -> None:
    teams = field_of(EntrantKind.TEAM, TABLES, TEAMS)
    for n in (1, 2, 7, 16):
        hands = summaries(event for table in TABLES for event in events([*starting(n, table), *closing(n, (0, 0, 0, 0))], table))
        held = [(teams.entrant(hand, seat), seat) for hand in hands for seat in SEATS]
        assert len(set(held)) == 16, f"deal {n}"


def test_rows_of_tables_and_teams_make_groups() -> None:
    tables, teams = [str(number) for number in range(1, 9)], [f"team {number}" for number in range(1, 9)]
    eight = field_of(EntrantKind.TEAM, tables, teams)
    assert [(group.name, group.tables[0], group.teams[0]) for group in eight.groups] == [("1", "1", "team 1"), ("2", "5", "team 5")]
    assert eight.tables == tuple(tables)
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
    with pytest.raises(FieldError, match=sentence):
        field_of(EntrantKind.TEAM, tables, teams)


def test_a_team_named_twice_is_refused() -> None:
    with pytest.raises(MovementError, match="A is there more than once"):
        field_of(EntrantKind.TEAM, TABLES, ("A", "B", "C", "A"))


def test_groups_need_names_of_their_own_and_tables_and_an_individual_event_has_no_teams() -> None:
    with pytest.raises(FieldError, match="the group a is there more than once"):
        EventField(EntrantKind.INDIVIDUAL, (Group("a", ("1",)), Group("a", ("2",))))
    with pytest.raises(FieldError, match="group a has no tables"):
        EventField(EntrantKind.INDIVIDUAL, (Group("a", ()),))
    with pytest.raises(FieldError, match="names teams"):
        EventField(EntrantKind.INDIVIDUAL, (Group("a", TABLES, TEAMS),))


def test_a_table_outside_the_field_has_no_entrants() -> None:
    (hand,) = summaries(events([*starting(1)], "99"))
    with pytest.raises(FieldError, match="table 99 is in no group"):
        field_of(EntrantKind.TEAM, TABLES, TEAMS).entrant(hand, SEATS[0])
