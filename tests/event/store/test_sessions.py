"""An event of several sessions in the store: its programme, whose result a hand is, and what the hall adds up."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from fractions import Fraction
from pathlib import Path

import pytest

from tests.support.dashboard.desks import released
from tests.support.event.ledgers import TABLES, TEAMS
from tests.support.event.sessions import Play, hand_lines, left_out, paid, release, take
from tests.support.event.stored_event import PROGRAMME, open_desk
from tests.support.wire.streams import START, Line, public_events
from twinwall.event.event_standings import StandingRules
from twinwall.event.field import EventField, Group, SessionGroups
from twinwall.event.points import Points
from twinwall.event.results import EntrantKind
from twinwall.event.store.hall import Hall
from twinwall.event.store.programme import Programme
from twinwall.event.store.store_rows import StoreRows, read_store
from twinwall.game.documents import DocumentError

TEAM, INDIVIDUAL = EntrantKind.TEAM, EntrantKind.INDIVIDUAL
WHOLE = Group("1", TABLES, TEAMS)
SECOND = SessionGroups(2, (Group("A", TABLES, ("D", "C", "B", "A")),))
SEATED = replace(
    PROGRAMME,
    field=EventField(TEAM, (WHOLE,), (SECOND,)),
    rules=StandingRules(Fraction(1, 3), {2: Fraction(3, 2)}),
    withdrawn={"D": 20},
    held_sessions=(2,),
)


def plays(n: int, session: int, hand: int, winners: Sequence[int], tables: Sequence[str] = TABLES) -> list[Play]:
    """A deal at each table: that seat wins 16 fan by itself."""
    return [
        Play(n, session, hand, table, [str(10 * int(table) + place) for place in range(4)], paid(winner, 16, None))
        for table, winner in zip(tables, winners, strict=True)
    ]


def hall_of(programme: Programme, *deals: Sequence[Play]) -> Hall:
    hall = Hall(programme)
    played = [play for deal in deals for play in deal]
    take(hall, played)
    release(hall, played)
    return hall


def totals(hall: Hall) -> dict[str, Fraction]:
    return {standing.entrant: standing.total for standing in hall.standings().ranking}


def test_a_programme_with_sessions_is_stored_and_read_as_it_was() -> None:
    assert Programme.from_document(SEATED.document) == SEATED
    players = SessionGroups(2, (Group("1", TABLES),), {"99": "11"})
    substituted = Programme("e", EventField(INDIVIDUAL, (), (players,)), points=Points.CROSS)
    assert Programme.from_document(substituted.document) == substituted


def test_a_programme_of_before_reads_as_groups_of_every_session_and_is_written_as_before() -> None:
    assert not any(key in PROGRAMME.document for key in (b"sessions", b"carry_over", b"weights", b"withdrawn"))
    read = Programme.from_document(PROGRAMME.document)
    assert read.field.session(1) == read.field.session(7)
    assert read.document == PROGRAMME.document


@pytest.mark.parametrize(
    ("sessions", "sentence"),
    [
        ((SECOND, SECOND), "session 2 is there more than once"),
        (
            (SessionGroups(2, (Group("1", TABLES, TEAMS), Group("1", ("5", "6", "7", "8"), tuple("efgh")))),),
            "session 2: the group 1 is there more",
        ),
        ((SessionGroups(3, (WHOLE,), {"7": "8", "8": "9"}),), "session 3: 7 stands in for 8, who is a substitute too"),
    ],
)
def test_sessions_that_cannot_be_are_refused_by_number(sessions: tuple[SessionGroups, ...], sentence: str) -> None:
    with pytest.raises(DocumentError, match=sentence):
        EventField(TEAM, (), sessions)


def test_a_share_that_is_no_number_is_refused() -> None:
    with pytest.raises(DocumentError, match="carry_over"):
        Programme.from_document(SEATED.document.replace(b'"1/3"', b'"a third"'))


def test_later_sessions_are_added_during_the_event_and_every_programme_stays(tmp_path: Path) -> None:
    store = StoreRows(tmp_path / "event.sqlite", PROGRAMME, START)
    store.set_programme(SEATED, START)
    with pytest.raises(DocumentError, match="is of the event"):
        store.set_programme(Programme("Spring", PROGRAMME.field), START)
    store.close()
    again = open_desk(tmp_path)  # the settings say nothing of sessions: what the store has of them goes on
    assert again.hall.programme == SEATED
    again.close()
    assert read_store(tmp_path / "event.sqlite").programmes == (PROGRAMME, SEATED)


def test_a_hand_belongs_to_the_session_that_the_plan_gives_its_deal() -> None:
    assert PROGRAMME.custody is not None
    hall = hall_of(PROGRAMME, plays(1, 9, 1, [0, 1, 2, 3]))
    assert hall.session_of(1) == 1
    assert [group.session for group in hall.standings().groups] == [1]


def test_groups_of_a_session_are_compared_in_that_session_alone() -> None:
    hall = hall_of(Programme("e", SEATED.field), plays(1, 1, 1, [0, 0, 0, 1]), plays(2, 2, 1, [0, 0, 0, 1]))
    first, second = hall.standings().groups
    assert [(group.session, group.name) for group in (first, second)] == [(1, "1"), (2, "A")]
    reversed_teams = dict(zip("ABCD", "DCBA", strict=True))
    assert {reversed_teams[at.entrant]: at.total for at in first.ranking} == {at.entrant: at.total for at in second.ranking}
    won = [{at.entrant: at.total for at in of_session.ranking} for of_session in (first, second)]
    assert totals(hall) == {team: won[0][team] + won[1][team] for team in TEAMS}


@pytest.mark.parametrize("options", [{}, {"self_draw": "rounded"}, {"self_draw": "by an option that is not known"}])
def test_a_sum_is_asked_of_hands_whose_rules_and_options_give_one(options: dict[str, object]) -> None:
    hall = hall_of(PROGRAMME, [replace(play, scores=(41, -14, -14, -14), options=options) for play in plays(1, 1, 1, (0, 0, 0, 0))])
    assert bool(hall.comparison().left_out) is (not options)


def test_tables_of_a_session_that_is_not_seated_are_in_no_group() -> None:
    unseated = Programme("e", EventField(INDIVIDUAL, (), (SessionGroups(1, (Group("1", TABLES),)),)))
    hall = hall_of(unseated, plays(1, 1, 1, [0, 1, 2, 3]), plays(2, 2, 1, [0, 1, 2, 3]))
    assert [group.session for group in hall.standings().groups] == [1]
    assert hall.deal(2).tables == ()
    hall.set_programme(Programme("e", EventField(INDIVIDUAL, (), (*unseated.field.sessions, SessionGroups(2, (Group("1", TABLES),))))))
    assert [group.session for group in hall.standings().groups] == [1, 2]


def test_a_substitute_s_result_belongs_to_the_entrant_in_that_session_alone() -> None:
    groups = (Group("1", TABLES),)
    field = EventField(INDIVIDUAL, (), (SessionGroups(1, groups), SessionGroups(2, groups, {"10": "77"})))
    found = totals(hall_of(Programme("e", field), plays(1, 1, 1, [0, 1, 1, 1]), plays(2, 2, 1, [0, 1, 1, 1])))
    assert found["77"] == found["10"] > 0


def test_whoever_withdrew_keeps_the_points_and_the_other_teams_of_the_group_get_the_average() -> None:
    deals = plays(1, 1, 1, [0, 1, 1, 1]), plays(2, 1, 2, [0, 1, 1, 1]), plays(3, 1, 3, [0, 1, 1, 1])
    whole = hall_of(Programme("e", EventField(TEAM, (WHOLE,))), *deals)
    left = hall_of(Programme("e", EventField(TEAM, (WHOLE,)), withdrawn={"B": 2}), *deals)
    after_first = hall_of(Programme("e", EventField(TEAM, (WHOLE,))), deals[0])
    assert totals(left) == totals(after_first) != totals(whole)
    assert [out.reason for out in left.comparison().averaged] == [
        f"deal {n} in group 1: B withdrew, so A, C, D get the average" for n in (2, 3)
    ]
    by_rank = hall_of(Programme("e", EventField(TEAM, (WHOLE,)), points=Points.RANK, withdrawn={"B": 1}), *deals)
    assert totals(by_rank) == dict.fromkeys("ACD", Fraction(15, 2))


def test_ranks_of_a_correction_are_without_a_session_that_is_held() -> None:
    first, second = plays(1, 1, 1, [0, 1, 1, 1]), plays(17, 2, 1, [1, 2, 3, 0])
    hall = Hall(replace(SEATED, withdrawn={}, rules=StandingRules()))
    for table, (one, other) in zip(TABLES, zip(first, second, strict=True), strict=True):
        lines: list[Line] = [*hand_lines(one), *hand_lines(other), ("deal-released", {"n": 1})]
        late = [left_out("late", 1)] if table == "1" else []
        for event in public_events([*lines, *late], table, "j"):
            hall.take(event)
    release(hall, [*first, *second], START + timedelta(days=1))
    (shown,) = hall.corrections(held=(2,))
    ranks = hall.standings(held=(2,)).ranks()
    assert {change.entrant: change.rank for change in shown.changes}.items() <= ranks.items()
    (whole,) = hall.corrections()
    assert [change.rank for change in whole.changes] != [change.rank for change in shown.changes], "session 2 changes the ranks"


def test_a_correction_of_one_hand_leaves_every_other_deal_as_it_was_compared() -> None:
    hall = hall_of(Programme("e", EventField(TEAM, (WHOLE,))), plays(1, 1, 1, [0, 1, 1, 1]), plays(2, 1, 2, [0, 1, 1, 1]))
    before = hall.comparison()
    hall.release(released(1))
    after = hall.comparison()
    assert after.deals[2] is before.deals[2]
    assert after.deals[1] is not before.deals[1]
