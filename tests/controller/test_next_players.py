"""A table that goes on in one journal with other players: each hand and its record have those who played it."""

from dataclasses import replace

import pytest

from controller.state.playing import PlayStage
from tests.support.controller.players import written_hand
from tests.support.controller.rigs import MakeRig, opened, set_up
from tests.support.controller.sessions import SHORT_HANDS, hand_is, seat_players, seat_session, written_session
from tests.support.game.tables import random_walls
from twinwall.wire.events.hand_events import HandStarted
from twinwall.wire.messages.commands import TakeSeat

pytestmark = pytest.mark.slow
BEFORE, AFTER = ("11", "12", "13", "14"), ("11", "12", "13", "99")


def test_a_substitute_plays_from_the_next_hand_and_stands_in_no_earlier_record(make_rig: MakeRig) -> None:
    rig = seat_session(make_rig, 2, SHORT_HANDS, raised=True).rig
    rig.setup = replace(rig.setup, names=BEFORE)
    rig.die(power_cut=False)
    rig.run(hand_is(rig, 1, PlayStage.CLOSED))
    rig.setup = replace(rig.setup, names=AFTER)
    rig.die(power_cut=False)
    assert sorted(rig.record(1).players.values()) == sorted(BEFORE)
    rig.run(hand_is(rig, 2, PlayStage.CLOSED))
    assert [sorted(started.seats.values()) for started in rig.happened(HandStarted)] == [sorted(BEFORE), sorted(AFTER)]
    assert sorted(rig.record(2).players.values()) == sorted(AFTER)


def test_the_next_session_is_played_in_the_same_journal_when_its_players_have_said_who_they_are(make_rig: MakeRig) -> None:
    deals, scripts = written_session(2, SHORT_HANDS)
    walls = random_walls(401)
    third = replace(opened(walls, n=3, hand=1), session=2)
    session = seat_players(make_rig, deals, [*scripts, written_hand(set_up().rules, walls, 3, hand=1)], 3)
    rig = session.rig
    rig.run(hand_is(rig, 2, PlayStage.CLOSED), most=60_000, most_s=3600)
    rig.setup = replace(rig.setup, names=AFTER, session=2, seat_check=True)
    rig.deals.deals.append(third)
    rig.die(power_cut=False)
    for place, player in enumerate(AFTER):
        rig.post(TakeSeat(place, player))
    rig.run(lambda: 3 in rig.state.closed, most=60_000, most_s=3600)
    assert [(started.session, started.hand) for started in rig.happened(HandStarted)] == [(1, 1), (1, 2), (2, 1)]
    assert sorted(rig.happened(HandStarted)[-1].seats.values()) == sorted(AFTER)
    assert not rig.state.faults
    assert session.backs == [{1: 136}, {2: 136}, {1: 136}], "the sets go on in turn"


def test_a_table_that_is_told_to_leave_plays_the_hand_to_its_end(make_rig: MakeRig) -> None:
    rig = seat_session(make_rig, 2, SHORT_HANDS, raised=True).rig
    rig.run(hand_is(rig, 1, PlayStage.PLAYING))
    rig.table.leave_between_hands()
    assert rig.table.step(rig.follower, rig.publisher, lambda _: None, 0)
    rig.run(hand_is(rig, 1, PlayStage.CLOSED))
    assert not rig.table.step(rig.follower, rig.publisher, lambda _: None, 0)
