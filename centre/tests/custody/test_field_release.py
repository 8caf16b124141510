"""Release to many venues: in any order of messages no venue's vault holds a deal too early, and no slip is out too soon."""

import math
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from centre.custody.field_rules import EVERYWHERE, AnnulDeal, FieldCommand, FieldCustody, WithdrawVenue, unfinished_at
from centre.tests.support.field_run import OPENS, FieldRun, key, keys, shown
from tests.support.tiers import law
from twinwall.custody.release import AllowKey, DealGiven, KeyAccepted, SlipReleased, due_events
from twinwall.game.deals import FieldTerms, ReleaseRule, SessionTimes, plan_sessions

VENUES = ("Kyoto", "Sendai", "Haus 7")
DEADLINE = OPENS + timedelta(hours=4)
TWO = ("Ann", "Ben")
LEAST_DEAL_S = 3600.0


def field(rule: ReleaseRule = ReleaseRule.ALL_FINISHED, least_deal_s: float = 0.0) -> FieldCustody:
    """Two sessions of three deals, the second a day later."""
    by_deadline = rule is ReleaseRule.DEADLINE
    times = tuple(
        SessionTimes(session, f"2026-11-{day}T18:00Z", f"2026-11-{day}T22:00Z" if by_deadline else None)
        for session, day in ((1, 22), (2, 23))
    )
    plan = plan_sessions("Autumn", "mcr-duplicate", sessions=2, hands=3, holders=["server"], public="", field=FieldTerms(rule, times))
    return FieldCustody(plan, VENUES, least_deal_s)


def opened(rule: ReleaseRule = ReleaseRule.ALL_FINISHED) -> FieldRun:
    """A field whose first session has just opened; every venue's vault was heard."""
    run = FieldRun(field(rule))
    for venue in VENUES:
        run.say(venue)
    run.wait(OPENS)
    return run


def test_a_venue_is_given_the_first_deal_when_the_session_opens_and_the_next_when_a_table_plays() -> None:
    run = FieldRun(field())
    for venue in VENUES:
        run.say(venue)
    run.wait(OPENS - timedelta(minutes=1))
    assert run.given("Kyoto") == []
    run.wait(OPENS)
    assert [run.given(venue) for venue in VENUES] == [[1], [1], [1]]
    run.say("Kyoto", begun=[1])
    assert [run.given(venue) for venue in VENUES] == [[1, 2], [1], [1]]


def test_a_venue_that_starts_an_hour_late_is_given_its_deals_then_and_the_others_do_not_wait() -> None:
    run = opened()
    for n in (1, 2, 3):
        run.say("Kyoto", finished=range(1, n + 1))
    assert run.given("Kyoto") == [1, 2, 3]
    run.wait(OPENS + timedelta(hours=1))
    run.say("Sendai", begun=[1])
    assert run.given("Sendai") == [1, 2]
    assert run.state.released == frozenset()


def test_deals_ahead_are_given_one_in_each_least_time_before_a_table_there_has_begun() -> None:
    custody = replace(field(least_deal_s=LEAST_DEAL_S), ahead=2)
    run = FieldRun(custody)
    for venue in VENUES:
        run.say(venue)
    run.wait(OPENS)
    assert run.given("Kyoto") == [1]
    for hours in (1, 2, 3):
        run.wait(OPENS + timedelta(hours=hours))
    assert run.given("Kyoto") == [1, 2]
    run.say("Kyoto", {1}, asks=(3,))
    assert (run.given("Kyoto"), run.refusals) == ([1, 2, 3], [])
    run.say("Sendai", asks=(3,))
    assert "it is given when a table there plays the deal 2 before it" in run.refusals[-1]


def test_a_deal_ahead_that_a_venue_was_given_and_does_not_hold_is_sent_again_before_its_turn() -> None:
    run = FieldRun(replace(field(), ahead=3))
    for venue in VENUES:
        run.say(venue)
    run.wait(OPENS)
    assert run.given("Kyoto") == [1, 2, 3]
    run.say("Kyoto", holds=(1, 2, 3))
    run.say("Kyoto")
    assert run.given("Kyoto") == [1, 2, 3], "it has all, and an earlier version does not say what it has"
    run.say("Kyoto", finished=(1,), holds=(2,))
    assert run.given("Kyoto") == [1, 2, 3, 3]
    run.say("Kyoto", holds=(), boot=7)
    assert (run.given("Kyoto"), run.refusals[-1][:37]) == ([1, 2, 3, 3], "venue 'Kyoto' shows a sealing key tha")


def test_all_have_finished_releases_the_slip_and_the_last_venue_is_waited_for() -> None:
    run = opened()
    run.say("Kyoto", finished=[1])
    run.say("Sendai", finished=[1])
    assert unfinished_at(run.state, 1) == ("Haus 7",)
    assert run.say("Haus 7", finished=[1])[-1] == SlipReleased(1)


def test_by_deadline_nothing_is_released_before_and_everything_at_the_deadline_whoever_has_finished() -> None:
    run = opened(ReleaseRule.DEADLINE)
    for venue in VENUES:
        run.say(venue, finished=[1])
    run.wait(DEADLINE - timedelta(minutes=1))
    assert run.state.released == frozenset()
    run.wait(DEADLINE)
    assert run.state.released == {1, 2, 3}
    assert unfinished_at(run.state, 2) == VENUES


def test_two_persons_withdraw_a_venue_that_never_finishes_and_one_alone_does_not() -> None:
    run = opened()
    run.say("Kyoto", finished=[1])
    run.say("Sendai", finished=[1])
    for persons in (("Ann",), ("Ann", " ANN "), ()):
        run.do(WithdrawVenue("Haus 7", persons))
    assert run.state.released == frozenset()
    assert run.refusals[0] == "venue 'Haus 7' is not withdrawn: the order is of 'Ann' alone: another person has to sign it too"
    run.do(WithdrawVenue("Haus 7", TWO))
    assert run.state.released == {1}
    run.say("Haus 7", begun=[1], asks=(2,))
    assert run.given("Haus 7") == [1]
    assert run.refusals[-1] == "venue 'Haus 7' was withdrawn by two persons: it is given nothing, and nothing waits for it"


def test_a_deal_that_is_annulled_at_one_venue_is_not_waited_for_there_and_is_played_on() -> None:
    run = opened()
    run.do(AnnulDeal(1, "Sendai", TWO))
    run.say("Kyoto", finished=[1])
    assert run.say("Haus 7", finished=[1])[-1] == SlipReleased(1)
    run.say("Sendai", begun=[1], boot=0)
    assert run.given("Sendai") == [1, 2]


def test_a_deal_that_is_annulled_everywhere_is_released_when_those_who_play_it_have_finished() -> None:
    run = opened()
    run.do(AnnulDeal(1, EVERYWHERE, TWO))
    assert not run.do(AnnulDeal(1, EVERYWHERE, TWO))
    for venue in VENUES:
        assert run.state.released == frozenset()
        run.say(venue, finished=[1])
    assert run.state.released == {1}


def test_after_its_deadline_a_session_gives_no_deal_any_more() -> None:
    run = opened(ReleaseRule.DEADLINE)
    run.wait(DEADLINE)
    run.say("Kyoto", begun=[1], asks=(2,))
    assert run.given("Kyoto") == [1]
    assert run.refusals[-1].endswith("session 1 ended at its deadline, 2026-11-22T22:00Z (UTC): its slips are out")


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (WithdrawVenue("Osaka", TWO), "venue 'Osaka' is not in the settings: write its name as they do"),
        (AnnulDeal(1, "Osaka", TWO), "venue 'Osaka' is not in the settings: write its name as they do"),
        (AnnulDeal(7, EVERYWHERE, TWO), "deal 7 is not annulled: the plan has deals 1 to 6"),
        (AnnulDeal(1, EVERYWHERE, ("Ann", "ann")), "deal 1 is not annulled: the order is of 'ann' alone"),
    ],
)
def test_an_order_that_cannot_be_followed_is_a_sentence_and_changes_nothing(command: FieldCommand, said: str) -> None:
    run = opened()
    before = run.state
    assert not run.do(command)
    assert run.refusals[-1].startswith(said)
    assert run.state == before


def test_a_vault_that_asks_early_is_told_when_and_one_that_asks_twice_is_given_the_same_again() -> None:
    run = FieldRun(field())
    for venue in VENUES:
        run.say(venue)
    run.wait(OPENS - timedelta(minutes=30))
    run.say("Kyoto", asks=(1,))
    assert run.refusals[-1].endswith("asks for deal 1 too early: session 1 opens at 2026-11-22T18:00Z (UTC), and it is 2026-11-22T17:30Z")
    run.wait(OPENS)
    run.say("Kyoto", asks=(1,))
    run.say("Kyoto", asks=(1,))
    assert run.given("Kyoto") == [1, 1, 1]
    run.say("Kyoto", asks=(3,))
    assert "it is given when a table there plays the deal before" in run.refusals[-1]
    assert run.given("Kyoto") == [1, 1, 1]
    run.say("Kyoto", asks=(9,))
    assert "speaks of deal 9, and the plan has deals 1 to 6" in run.refusals[-1]


def test_the_first_sealing_key_waits_for_a_person_and_a_copy_that_speaks_before_the_venue_is_given_nothing() -> None:
    run = FieldRun(field())
    for venue in VENUES:
        run.say(venue, boot=7 if venue == "Kyoto" else 0)
    assert run.refusals[-1].startswith(
        f"venue 'Kyoto' shows a sealing key that nobody has allowed, {shown('Kyoto', 7)}: its vault was started, or"
    )
    run.say("Kyoto")
    run.wait(OPENS)
    run.say("Kyoto", begun=[1], boot=7, asks=(1,))
    assert [event.key for _, event in run.happened if isinstance(event, DealGiven) and event.name == "Kyoto"] == [key("Kyoto")]


def test_a_former_sealing_key_needs_a_person_again() -> None:
    run = opened()
    run.do(AllowKey("Kyoto", shown("Kyoto", 1)))
    run.say("Kyoto", boot=1)
    run.say("Kyoto", begun=[1])
    assert run.state.members["Kyoto"].keys == keys("Kyoto", 1)
    assert run.refusals[-1].endswith(f"say twinwall centre allow Kyoto '{shown('Kyoto')}'")


def test_a_deal_that_is_asked_for_many_times_at_once_is_given_once() -> None:
    run = opened()
    run.say("Kyoto", asks=(1,) * 1000)
    assert run.given("Kyoto") == [1, 1]


def test_a_venue_that_asks_before_time_counts_is_told_with_its_second_statement() -> None:
    run = FieldRun(field())
    run.say("Kyoto", asks=(1,))
    assert run.refusals == []
    run.say("Kyoto", asks=(1,))
    assert run.refusals[-1].startswith("venue 'Kyoto' asks for deal 1 before the vault's clock is known to be right")


def test_unfinished_deals_of_a_session_do_not_hold_back_the_next_session() -> None:
    custody = replace(field(), most_held=2)
    run = FieldRun(custody)
    for venue in VENUES:
        run.say(venue)
    run.wait(OPENS)
    run.say("Kyoto", begun=[1, 2])
    run.wait(OPENS + timedelta(days=1))
    assert run.given("Kyoto") == [1, 2, 4]


def test_another_sealing_key_after_a_deal_was_given_waits_for_a_person() -> None:
    run = opened()
    run.say("Kyoto", begun=[1], boot=1)
    assert run.given("Kyoto") == [1]
    assert run.refusals[-1].endswith(f"say twinwall centre allow Kyoto '{shown('Kyoto', 1)}'")
    run.do(AllowKey("Kyoto", shown("Kyoto", 1)))
    run.say("Kyoto", begun=[1], boot=1)
    assert run.given("Kyoto") == [1, 1, 2]
    assert run.state.members["Kyoto"].given == {1: key("Kyoto", 1), 2: key("Kyoto", 1)}


@pytest.mark.parametrize("off", [timedelta(days=1), timedelta(days=-1)])
def test_a_vault_whose_clock_is_a_day_off_gives_and_releases_nothing_by_time(off: timedelta) -> None:
    run = FieldRun(field(ReleaseRule.DEADLINE))
    for venue in VENUES:
        run.say(venue)
    for minutes in (0, 90, 300):
        at = OPENS + timedelta(minutes=minutes)
        run.wait(at, shown=at + off)
    assert not run.happened or not any(isinstance(event, DealGiven | SlipReleased) for _, event in run.happened)
    assert "3 of 3 venues' clocks are more than 10 minutes off it (Kyoto: " in run.refusals[-1]
    run.wait(OPENS + timedelta(hours=3))
    assert run.given("Kyoto") == [1]


def test_one_venue_whose_clock_is_a_day_off_delays_nobody() -> None:
    run = FieldRun(field())
    run.say("Kyoto", clock_off=timedelta(days=1))
    run.say("Sendai")
    run.wait(OPENS)
    assert run.refusals[-1].endswith("2 venues' clocks are known so far: nothing is given or released by time before")
    run.say("Haus 7")
    run.wait(OPENS + timedelta(seconds=1))
    assert [run.given(venue) for venue in VENUES] == [[1], [1], [1]]


def test_when_every_venue_is_withdrawn_time_decides_nothing_and_no_slip_is_released() -> None:
    run = FieldRun(field())
    for venue in VENUES:
        run.say(venue)
        run.do(WithdrawVenue(venue, TWO))
    run.wait(OPENS)
    assert "0 venues' clocks are known so far" in run.refusals[-1]
    assert run.state.released == frozenset()


def test_a_plan_of_one_hall_is_refused_with_what_to_do() -> None:
    plan = plan_sessions("Club", "mcr-duplicate", sessions=1, hands=1, holders=["server"], public="")
    with pytest.raises(ValueError, match="has no terms for many venues: make it with twinwall deals plan --release and --times"):
        FieldCustody(plan, VENUES, 0.0)


@st.composite
def heard(draw: st.DrawFn) -> tuple[str, object]:
    """Something that happens around the centre's vault, true or not."""
    what = draw(st.sampled_from(["say", "say", "say", "wait", "withdraw", "annul", "allow"]))
    venue, deals = draw(st.sampled_from(VENUES)), st.frozensets(st.integers(1, 6))
    if what == "say":
        asks = tuple(draw(st.lists(st.integers(1, 6), max_size=2)))
        return what, (venue, draw(deals), draw(deals), asks, draw(st.integers(0, 1)), draw(st.sampled_from([0, 0, 0, 24, -24])))
    if what == "wait":
        return what, (draw(st.integers(0, 600)), draw(st.sampled_from([0, 0, 0, 24 * 60, -24 * 60])))
    if what == "annul":
        return what, AnnulDeal(draw(st.integers(1, 7)), draw(st.sampled_from([venue, EVERYWHERE])), draw(st.sampled_from([TWO, ("Ann",)])))
    if what == "withdraw":
        return what, WithdrawVenue(venue, draw(st.sampled_from([TWO, ("Ann", "ann")])))
    return what, AllowKey(venue, shown(venue, draw(st.integers(0, 1))))


def carried_out(custody: FieldCustody, steps: list[tuple[str, object]]) -> FieldRun:
    run = FieldRun(custody)
    for what, told in steps:
        match what, told:
            case "say", (str(venue), frozenset(begun), frozenset(finished), tuple(asks), int(boot), int(hours)):
                run.say(venue, begun, finished, asks=asks, boot=boot, clock_off=timedelta(hours=hours))
            case "wait", (int(minutes), int(wrong)):
                at = run.at + timedelta(minutes=minutes)
                run.wait(at, shown=at + timedelta(minutes=wrong))
            case _, AnnulDeal() | WithdrawVenue() | AllowKey():
                run.do(told)
    return run


@pytest.mark.parametrize("rule", list(ReleaseRule))
@law
@given(steps=st.lists(heard(), max_size=25), ahead=st.integers(1, 3))
def test_in_any_order_no_venue_holds_a_deal_early_and_no_slip_is_out_too_soon(
    rule: ReleaseRule, steps: list[tuple[str, object]], ahead: int
) -> None:
    custody = replace(field(rule, LEAST_DEAL_S), ahead=ahead)
    run = carried_out(custody, steps)
    new: dict[tuple[str, int], float] = {}
    for state, event in run.happened:
        if isinstance(event, DealGiven):
            standing, times = state.members[event.name], custody.terms.times(custody.plan.deal(event.n).session)
            assert state.now is not None
            assert state.now >= times.opens_at
            assert not standing.withdrawn
            assert standing.keys is not None
            assert event.key == standing.keys.sealing.hex()
            assert times.deadline_at is None or state.now < times.deadline_at
            assert event.n in custody.permitted(state, event.name)
            before = event.n - ahead
            assert before not in custody.deals_of(times.session) or before in standing.started
            if event.n not in standing.given:
                assert state.ran_s is not None
                assert state.ran_s - new.get((event.name, times.session), -math.inf) >= LEAST_DEAL_S
                new[event.name, times.session] = state.ran_s
        elif isinstance(event, KeyAccepted):
            assert event.keys.fingerprint in state.members[event.name].allowed
        elif isinstance(event, SlipReleased):
            assert event.n not in state.released
            deadline = custody.terms.times(custody.plan.deal(event.n).session).deadline_at
            playing = [venue for venue in VENUES if not state.members[venue].withdrawn]
            if rule is ReleaseRule.DEADLINE:
                assert deadline is not None
                assert state.now is not None
                assert state.now >= deadline
            else:
                waited = [venue for venue in playing if (event.n, venue) not in state.annulled] or playing
                assert waited
                assert all(event.n in state.members[venue].finished for venue in waited)
    assert not due_events(custody, run.state)


@law
@given(steps=st.lists(heard(), max_size=25))
def test_in_any_order_time_never_runs_back_and_one_person_changes_nothing(steps: list[tuple[str, object]]) -> None:
    run = carried_out(field(), steps)
    states = [state for state, _ in run.happened] + [run.state]
    times = [state.now for state in states if state.now is not None]
    assert times == sorted(times)
    ordered = {told for _, told in steps if isinstance(told, AnnulDeal) and told.persons == TWO}
    assert run.state.annulled == {(order.n, order.name) for order in ordered if order.n <= 6}
    left = {told.name for _, told in steps if isinstance(told, WithdrawVenue) and told.persons == TWO}
    assert {venue for venue, standing in run.state.members.items() if standing.withdrawn} == left
