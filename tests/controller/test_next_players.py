"""A table that goes on in one journal with other players: each hand and its record have those who played it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from controller.state.playing import PlayStage
from tests.support.controller.rigs import MakeRig
from tests.support.controller.sessions import hand_is, seat_session
from twinwall.wire.events.hand_events import HandStarted

pytestmark = pytest.mark.slow
BEFORE, AFTER = ("11", "12", "13", "14"), ("11", "12", "13", "99")


def test_a_substitute_plays_from_the_next_hand_and_stands_in_no_earlier_record(make_rig: MakeRig) -> None:
    session, _ = seat_session(make_rig, 2, 3, raised=True)
    rig = session.rig
    rig.setup = replace(rig.setup, names=BEFORE)
    rig.die(power_cut=False)
    rig.run(hand_is(rig, 1, PlayStage.CLOSED))
    rig.setup = replace(rig.setup, names=AFTER)
    rig.die(power_cut=False)
    assert sorted(rig.record(1).players.values()) == sorted(BEFORE)
    rig.run(hand_is(rig, 2, PlayStage.CLOSED))
    assert [sorted(started.seats.values()) for started in rig.happened(HandStarted)] == [sorted(BEFORE), sorted(AFTER)]
    assert sorted(rig.record(2).players.values()) == sorted(AFTER)


def test_a_table_that_is_told_to_leave_plays_the_hand_to_its_end(make_rig: MakeRig) -> None:
    session, _ = seat_session(make_rig, 2, 3, raised=True)
    rig = session.rig
    rig.run(hand_is(rig, 1, PlayStage.PLAYING))
    rig.table.leave_between_hands()
    assert rig.table.step(rig.follower, rig.publisher, lambda _: None, 0)
    rig.run(hand_is(rig, 1, PlayStage.CLOSED))
    assert not rig.table.step(rig.follower, rig.publisher, lambda _: None, 0)
