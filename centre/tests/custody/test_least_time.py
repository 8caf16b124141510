"""The least time between two new deals of a session: venues that play honestly do not wait, whatever the clocks show."""

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import timedelta

import pytest

from centre.custody.field_rules import FieldCustody
from centre.tests.support.field_run import OPENS, FieldRun
from twinwall.game.deals import FieldTerms, ReleaseRule, SessionTimes, plan_sessions

LEAST_DEAL_S = 180.0
STEP_S = 5.0
"""How often venues speak and the vault looks at its clocks."""
HAND_S = LEAST_DEAL_S + 2 * STEP_S
HANDS = 6
WHOLE_S = (HANDS + 1) * HAND_S
EIGHT_MINUTES = timedelta(minutes=8)
"""Less than what a clock may be off."""


@dataclass
class PlayedSession:
    """One table in one session: what it has begun and finished, and how long it waited for each deal."""

    deals: tuple[int, ...]
    begun: list[int] = field(default_factory=list)
    finished: list[int] = field(default_factory=list)
    left_s: float = 0.0
    waits_s: float = 0.0
    waited_s: dict[int, float] = field(default_factory=dict)

    def step(self, given: Collection[int], hand_s: float) -> None:
        self.left_s -= STEP_S
        if self.left_s > 0 or len(self.finished) == len(self.deals):
            return
        self.finished = list(self.begun)
        following = self.deals[len(self.begun) : len(self.begun) + 1]
        if following and following[0] not in given:
            self.waits_s += STEP_S
        elif following:
            self.begun.append(following[0])
            self.waited_s[following[0]], self.waits_s, self.left_s = self.waits_s, 0.0, hand_s


class PlayedField(FieldRun):
    """A field whose sessions open at once. At each venue one table plays each session, and begins a deal as soon as it is there;
    ``clock_off`` and ``clocks_off`` are how wrong the clocks of the vault and of the venues are."""

    def __init__(self, *venues: str, sessions: int = 1) -> None:
        times = tuple(SessionTimes(session, "2026-11-22T18:00Z") for session in range(1, sessions + 1))
        terms = FieldTerms(ReleaseRule.ALL_FINISHED, times)
        plan = plan_sessions("Autumn", "mcr-duplicate", sessions=sessions, hands=HANDS, holders=["server"], public="", field=terms)
        super().__init__(FieldCustody(plan, venues, LEAST_DEAL_S))
        self.at = OPENS - timedelta(seconds=STEP_S)
        self.clock_off, self.clocks_off = timedelta(), dict.fromkeys(venues, timedelta())
        self.tables = {venue: [PlayedSession(self.custody.deals_of(each.session)) for each in times] for venue in venues}

    def play(self, seconds: float, hand_s: float = HAND_S) -> None:
        """Time passes in steps."""
        for _ in range(round(seconds / STEP_S)):
            self.at += timedelta(seconds=STEP_S)
            for venue, off in self.clocks_off.items():
                tables = self.tables[venue]
                for table in tables:
                    table.step(self.given(venue), hand_s)
                begun, finished = [n for table in tables for n in table.begun], [n for table in tables for n in table.finished]
                self.say(venue, begun, finished, clock_off=off)
            self.wait(self.at, self.at + self.clock_off)

    def longest_wait_s(self, venue: str) -> float:
        """After the first deals; a deal comes within two steps where it waits for nothing. Every deal has been played."""
        assert [table.finished for table in self.tables[venue]] == [list(table.deals) for table in self.tables[venue]]
        return max(s for table in self.tables[venue] for n, s in table.waited_s.items() if n != table.deals[0])


def test_a_vaults_clock_that_is_set_back_in_play_lets_nobody_wait() -> None:
    run = PlayedField("Kyoto")
    run.play(300)
    run.clock_off = -EIGHT_MINUTES
    run.play(WHOLE_S)
    assert run.longest_wait_s("Kyoto") <= 2 * STEP_S


def test_of_two_venues_one_whose_clock_goes_wrong_in_play_lets_nobody_wait() -> None:
    run = PlayedField("Kyoto", "Sendai")
    run.play(300)
    run.clocks_off["Sendai"] = timedelta(hours=3)
    run.play(WHOLE_S)
    assert [run.longest_wait_s(venue) <= 2 * STEP_S for venue in ("Kyoto", "Sendai")] == [True, True]


@pytest.mark.parametrize("sessions", [2, 3])
def test_a_venue_that_plays_several_sessions_at_once_waits_in_none(sessions: int) -> None:
    run = PlayedField("Kyoto", sessions=sessions)
    run.play(WHOLE_S)
    assert run.longest_wait_s("Kyoto") <= 2 * STEP_S


def test_a_venue_whose_hands_are_shorter_waits_for_the_rest_of_the_least_time() -> None:
    run = PlayedField("Kyoto")
    run.play(WHOLE_S, hand_s=LEAST_DEAL_S - 60)
    assert 60 <= run.longest_wait_s("Kyoto") <= 60 + 2 * STEP_S


def test_a_start_of_the_vault_lets_a_venue_wait_the_least_time_at_most_whatever_its_clock_showed_before() -> None:
    run = PlayedField("Kyoto")
    run.clock_off = EIGHT_MINUTES
    run.play(3 * STEP_S)
    assert run.given("Kyoto") == [1]
    run.clock_off = timedelta()
    run.start_again()
    run.play(LEAST_DEAL_S - STEP_S)
    assert run.given("Kyoto") == [1]
    run.play(3 * STEP_S)
    assert run.given("Kyoto") == [1, 2]


def test_a_start_of_the_vault_with_its_clock_set_forward_brings_one_deal_early_and_no_more() -> None:
    run = PlayedField("Kyoto")
    run.play(STEP_S)
    run.clock_off = EIGHT_MINUTES
    run.start_again()
    for _ in range(round(LEAST_DEAL_S / STEP_S) - 3):
        run.play(STEP_S, hand_s=0.0)
    assert run.given("Kyoto") == [1, 2]


def test_a_venue_that_asks_is_told_only_of_the_deal_that_comes_next_when_it_comes() -> None:
    run = PlayedField("Kyoto")
    run.play(4 * STEP_S)
    rule = "too early: a venue is given one new deal of a session in 180 s"
    run.say("Kyoto", begun=[1, 2], finished=[3], asks=(4,))
    assert run.refusals[-1] == f"venue 'Kyoto' asks for deal 4 {rule}, and deal 2 comes before it"
    run.clock_off = -EIGHT_MINUTES
    run.play(2 * STEP_S)
    run.say("Kyoto", finished=[1], asks=(2,))
    assert run.refusals[-1] == f"venue 'Kyoto' asks for deal 2 {rule}, and this one within 180 s"
