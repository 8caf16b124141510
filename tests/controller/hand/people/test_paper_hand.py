"""A hand at a table without cameras: one player enters the result, another confirms it, and whatever is doubtful goes to the referee."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from controller.assigning import AssignmentStanding, refusal
from controller.state.messages import SlipHeard
from controller.state.sides import PlayStage
from tests.support.controller.paper_rig import PaperRig
from tests.support.controller.rigs import EVENT
from tests.support.wire.assignments import an_assignment
from twinwall.game.deals import Start, StartedPlan, plan_sessions
from twinwall.game.play_events import EndReason, HandEnded, Offence, PenaltyRuled
from twinwall.game.tiles import SEATS
from twinwall.wire.events.trouble_events import CallSubject
from twinwall.wire.messages.commands import CallReferee, EnterResult, PauseClock, TakeSeat
from twinwall.wire.messages.ruling import Ruling

E, S, W, N = SEATS
SOUTH_OFF_WEST_24 = (-8, 48, -32, -8)
TEXTS = {"en": "So be it."}


@pytest.fixture
def rig(tmp_path: Path) -> PaperRig:
    rig = PaperRig(tmp_path)
    rig.begin()
    return rig


def test_sheets_are_due_at_once_and_play_begins_when_a_player_says_so(tmp_path: Path) -> None:
    rig = PaperRig(tmp_path)
    assert rig.types() == ["start-fixed", "controller-started", "sheets-due"]
    rig.begin(n=2)
    rig.enter(S, winner=S, source=W, total=24)
    assert rig.types()[-1] == "sheets-due", "the deal that is not due does not begin, and no result is entered before"
    rig.begin()
    rig.begin()
    assert rig.types().count("hand-started") == 1


def test_one_player_enters_the_result_and_another_confirms_it(rig: PaperRig) -> None:
    rig.enter(S, winner=S, source=W, total=24)
    assert rig.state.playing.stage is PlayStage.SETTLING
    rig.confirm(N, SOUTH_OFF_WEST_24)
    assert rig.scores() == [SOUTH_OFF_WEST_24]
    assert rig.types()[3:] == [
        "hand-started",
        "result-entered",
        "payments-proposed",
        "payments-confirmed",
        "settled",
        "hand-ended",
        "hand-closed",
        "sheets-due",
    ]
    assert [line["reason"] for line in rig.lines() if line["type"] == "hand-ended"] == ["entered"]


def test_a_second_player_who_enters_the_same_confirms_it(rig: PaperRig) -> None:
    rig.enter(S, winner=S, source=W, total=24)
    rig.enter(W, winner=S, source=W, total=24)
    assert rig.scores() == [SOUTH_OFF_WEST_24]


def test_a_drawn_hand_pays_nothing(rig: PaperRig) -> None:
    rig.enter(E, winner=None)
    rig.confirm(W, (0, 0, 0, 0))
    assert rig.scores() == [(0, 0, 0, 0)]


def test_who_entered_does_not_confirm_and_the_same_again_records_nothing(rig: PaperRig) -> None:
    rig.enter(S, winner=S, source=W, total=24)
    told = len(rig.lines())
    rig.confirm(S, SOUTH_OFF_WEST_24)
    rig.enter(S, winner=S, source=W, total=24)
    assert len(rig.lines()) == told


def test_who_entered_may_correct_it_until_another_has_spoken(rig: PaperRig) -> None:
    rig.enter(S, winner=S, source=W, total=42)
    rig.enter(S, winner=S, source=W, total=24)
    rig.confirm(N, (-8, 66, -50, -8))
    assert rig.scores() == [], "what was corrected is not confirmed by a phone that is behind"
    rig.confirm(N, SOUTH_OFF_WEST_24)
    assert rig.scores() == [SOUTH_OFF_WEST_24]


def test_two_players_who_say_otherwise_call_the_referee_and_nothing_is_recorded(rig: PaperRig) -> None:
    rig.enter(S, winner=S, source=W, total=24)
    rig.enter(W, winner=S, source=E, total=24)
    assert rig.types()[-3:] == ["result-entered", "referee-called", "play-halted"]
    rig.confirm(N, SOUTH_OFF_WEST_24)
    rig.enter(N, winner=S, source=W, total=24)
    assert rig.scores() == [], "the referee is waited for"
    scores = dict(zip(SEATS, SOUTH_OFF_WEST_24, strict=True))
    rig.tell(Ruling("r1", 1, "Ota", TEXTS, (HandEnded(EndReason.RULED, scores),)))
    assert rig.scores() == [SOUTH_OFF_WEST_24]


def test_after_a_ruling_without_effect_the_result_is_entered_again(rig: PaperRig) -> None:
    rig.enter(S, winner=S, source=W, total=24)
    rig.tell(CallReferee(rig.place(E), CallSubject.SCORE), Ruling("r1", 1, "Ota", TEXTS, ()))
    rig.confirm(N, SOUTH_OFF_WEST_24)
    assert rig.scores() == [], "what was entered before the ruling counts no more"
    rig.enter(S, winner=S, source=W, total=30)
    rig.confirm(N, (-8, 54, -38, -8))
    assert rig.scores() == [(-8, 54, -38, -8)]


@pytest.mark.parametrize(
    "told",
    [
        EnterResult(0, 1, S, W, 7),
        EnterResult(0, 1, S, W, 401),
        EnterResult(0, 1, S, S, 24),
        EnterResult(0, 1, None, W, 0),
        EnterResult(0, 1, None, None, 8),
        EnterResult(0, 1, scores=(1, 0, 0, 0)),
        EnterResult(0, 2, S, W, 24),
        EnterResult(0, 99, S, W, 24),
    ],
)
def test_a_result_that_the_rules_or_the_deal_do_not_allow_changes_nothing(rig: PaperRig, told: EnterResult) -> None:
    before = rig.lines()
    rig.tell(told)
    assert rig.lines() == before


def test_a_penalty_in_points_is_added_to_what_the_players_enter(rig: PaperRig) -> None:
    rig.tell(Ruling("r1", 1, "Ota", TEXTS, (PenaltyRuled(E, Offence.CONDUCT, 0, 10),)))
    rig.enter(S, winner=S, source=W, total=24)
    rig.confirm(N, (-38, 58, -22, 2))
    assert rig.scores() == [(-38, 58, -22, 2)]


def test_a_correction_after_confirmation_is_a_ruling_and_leaves_what_was_recorded(rig: PaperRig) -> None:
    rig.enter(S, winner=S, source=W, total=24)
    rig.confirm(N, SOUTH_OFF_WEST_24)
    rig.enter(S, winner=S, source=W, total=30)
    assert rig.scores() == [SOUTH_OFF_WEST_24]
    scores = dict(zip(SEATS, (-8, 54, -38, -8), strict=True))
    rig.tell(Ruling("r1", 1, "Ota", TEXTS, (HandEnded(EndReason.RULED, scores),)))
    assert (rig.types()[-1], rig.scores()) == ("ruling", [SOUTH_OFF_WEST_24])


def test_several_winners_where_the_event_allows_them_are_entered_as_four_scores(tmp_path: Path) -> None:
    rig = PaperRig(tmp_path, options={"several_winners": "each-minus-others"})
    rig.begin()
    rig.enter(S, winner=S, source=W, total=24)
    assert rig.types()[-1] == "hand-started", "who alone won does not tell what is paid"
    rig.tell(EnterResult(0, 1, scores=(-16, 24, -32, 24)))
    rig.confirm(N, (-16, 24, -32, 24))
    assert rig.scores() == [(-16, 24, -32, 24)]


@pytest.mark.parametrize("moment", range(4))
def test_a_table_that_is_killed_goes_on_where_it_was(tmp_path: Path, moment: int) -> None:
    rig = PaperRig(tmp_path)
    steps: tuple[Callable[[], None], ...] = (
        rig.begin,
        lambda: rig.enter(S, S, W, 24),
        lambda: rig.confirm(N, SOUTH_OFF_WEST_24),
        lambda: rig.begin(2),
    )
    for number, step in enumerate(steps):
        step()
        if number == moment:
            rig.kill()
    assert rig.scores() == [SOUTH_OFF_WEST_24]
    assert rig.types()[-1] == ("hand-started" if moment < 3 else "controller-started")
    assert rig.state.playing.deal is not None
    assert rig.state.playing.deal.n == 2


def test_no_hand_begins_while_the_clock_is_paused_or_before_the_four_have_sat_down(tmp_path: Path) -> None:
    rig = PaperRig(tmp_path, seat_check=True)
    rig.begin()
    assert "hand-started" not in rig.types()
    rig.tell(*(TakeSeat(place, player) for place, player in enumerate(rig.setup.names)), PauseClock(paused=True))
    rig.begin()
    assert "hand-started" not in rig.types()
    rig.tell(PauseClock(paused=False))
    rig.begin()
    assert "hand-started" in rig.types()


def test_the_end_of_a_hand_in_custody_is_told_to_everybody_with_the_release(tmp_path: Path) -> None:
    rig = PaperRig(tmp_path, custody=True)
    rig.play(1, SOUTH_OFF_WEST_24)
    rig.begin(2)
    assert [line.get("n") for line in rig.lines("public.jsonl") if line["type"] == "sheets-due"] == [1]
    rig.tell(SlipHeard(1))
    assert [line.get("n") for line in rig.lines("public.jsonl") if line["type"] == "sheets-due"] == [1, 2]
    public = (tmp_path / "public.jsonl").read_text()
    assert "scores" not in public
    assert "result-entered" not in public


@pytest.mark.parametrize("custody", [False, True])
def test_after_a_session_that_was_ended_early_the_next_is_played_and_sheets_that_waited_are_left(tmp_path: Path, custody: bool) -> None:
    plan = plan_sessions(EVENT, "mcr-duplicate", sessions=2, hands=2, holders=["server"], public="noon")
    rig = PaperRig(tmp_path, custody=custody, started=StartedPlan(plan, Start(plan.digest, plan.digest, "noon")))
    rig.play(1, SOUTH_OFF_WEST_24)
    first = an_assignment(1)
    standing = AssignmentStanding(accepted=first, first={first.event: first}, state=rig.state)
    assert refusal(standing, an_assignment(2, session=2)) is None
    assert "is in play" in str(refusal(standing, an_assignment(2, event="Other"))), "another event has another journal"
    rig.setup = replace(rig.setup, session=2)
    rig.kill()
    rig.begin(n=2)
    rig.play(3, SOUTH_OFF_WEST_24)
    assert [line["n"] for line in rig.lines() if line["type"] == "hand-started"] == [1, 3]
    assert rig.scores() == [SOUTH_OFF_WEST_24] * 2, "what was played is kept"
    rig.tell(SlipHeard(1), SlipHeard(3))
    opened = [line["n"] for line in rig.lines("public.jsonl") if line["type"] == "hand-started"]
    assert opened == [1, 3], "nothing waits for the release of a deal that is not played"
    rig.setup = replace(rig.setup, session=1)
    rig.kill()
    rig.play(2, SOUTH_OFF_WEST_24)
    assert len(rig.scores()) == 3, "the session may be taken up again"
