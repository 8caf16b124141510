"""A session that was ended early: the table leaves the wall of its next deal, and builds that of the session that follows."""

from dataclasses import replace
from typing import TypeVar

import pytest

from controller.assigning import AssignmentStanding, refusal
from controller.state.making import OpenDeal, WallStage
from controller.state.playing import PlayStage
from firmware_bridge.messages import ALL_SEATS, Container, Dump, OpenWell, Return
from tests.controller.hand.test_whole_hands import mortal
from tests.support.controller.feeder import Move
from tests.support.controller.players import written_hand
from tests.support.controller.rigs import MakeRig, Rig, opened, set_up
from tests.support.controller.sessions import SHORT_HANDS, Session, hand_is, seat_players, seat_session, second_set
from tests.support.game.tables import random_walls
from tests.support.wire.assignments import an_assignment
from twinwall.wire.events.hand_events import HandStarted
from twinwall.wire.events.trouble_events import TableFault
from twinwall.wire.events.wall_events import ClearingBegan, DealOpened, WallRaised
from twinwall.wire.messages.commands import PauseClock

pytestmark = pytest.mark.slow
OF_SESSION_2 = replace(opened(random_walls(401), n=3, hand=1), session=2)
DROPPED = Dump(Container.TRAY, ALL_SEATS)
C = TypeVar("C")


def takes(rig: Rig, session: int) -> bool:
    """Whether the table takes another session as it stands."""
    first = an_assignment(1, session=rig.setup.session)
    return refusal(AssignmentStanding(first, {first.event: first}, rig.state), an_assignment(2, session=session)) is None


def go_over(rig: Rig, session: int, *deals: OpenDeal, power_cut: bool = False) -> None:
    """The table takes the session, and its program begins again with that session's deals."""
    assert takes(rig, session)
    rig.table.leave_between_hands()
    assert not rig.table.step(rig.follower, rig.publisher, lambda _: None, 0)
    rig.setup, rig.deals.deals = replace(rig.setup, session=session), list(deals)
    rig.die(power_cut=power_cut)


def told(rig: Rig, kind: type[C]) -> list[C]:
    return [command for _, command in rig.feeder.commands if isinstance(command, kind)]


@pytest.mark.parametrize("placed", [0, 5, 90, 136])
@pytest.mark.parametrize("killed", [False, True])
def test_a_wall_in_the_making_drops_at_once_and_the_next_sessions_is_built(make_rig: MakeRig, placed: int, killed: bool) -> None:
    """Which tiles stood where does not show: all seats' trays empty together, whatever the two walls have in common."""
    rig = make_rig(opened(random_walls(1)), setup=set_up(last_hand=1))
    rig.post(PauseClock(True))
    rig.run(lambda: rig.state.making.deal is not None and len(rig.state.making.build.placed) >= placed)
    if placed == 136:
        rig.run(lambda: rig.state.making.stage is WallStage.READY)
    go_over(rig, 2, OF_SESSION_2, power_cut=killed)
    rig.post(PauseClock(False))
    at_the_table = hand_is(rig, 1, PlayStage.TAKING)
    if killed:
        mortal(rig, at_the_table, mean=60, most=60_000)
    rig.run(at_the_table)
    assert rig.state.playing.deal == OF_SESSION_2
    assert rig.wall_is_right()
    assert [event.n for event in rig.happened(DealOpened)] == [1, 3]
    assert [event.n for event in rig.happened(WallRaised)] == [3]
    assert not rig.happened(TableFault)
    assert set(told(rig, Dump)) <= {DROPPED}
    if not killed:
        assert len(told(rig, Dump)) == 1 or not placed
        assert all(back.position >= rig.setup.capabilities.wall_places for back in told(rig, Return)), "only what waited in a cell"


def test_a_wall_that_stands_raised_is_cleared_away_and_comes_back_with_its_session(make_rig: MakeRig) -> None:
    first, rules = opened(random_walls(1), n=1, hand=1), set_up().rules
    scripts = [written_hand(rules, random_walls(401), 3, hand=1), written_hand(rules, random_walls(1), 3, hand=1)]
    session = seat_players(make_rig, [first], scripts, SHORT_HANDS, raised=True)
    rig = session.rig
    rig.players = lambda: None
    rig.settle()
    go_over(rig, 2, OF_SESSION_2)
    rig.settle()
    assert not rig.lamps.turn, "nobody is asked to take a tile of it"
    rig.run(lambda: rig.state.playing.deal == OF_SESSION_2)
    assert rig.happened(ClearingBegan) == [ClearingBegan(3, 136)]
    assert not told(rig, OpenWell), "every tile of the wall lay in the magazines"
    rig.feeder.raises, rig.players = 1, session.next_move
    rig.run(hand_is(rig, 1, PlayStage.CLOSED))
    rig.deals.deals = [OF_SESSION_2, first]
    rig.setup = replace(rig.setup, session=1)
    rig.die(power_cut=False)
    rig.run(lambda: rig.state.closed == (3, 1), most=60_000, most_s=3600)
    assert [started.session for started in rig.happened(HandStarted)] == [2, 1]
    assert not rig.happened(TableFault)


@pytest.mark.parametrize("stage", [WallStage.CLEARING, WallStage.RAISING])
def test_a_wall_for_which_the_table_is_cleared_rises_first_and_is_left(make_rig: MakeRig, stage: WallStage) -> None:
    """Meanwhile the set of the hand before falls into the drum, where a tile of the other set has no business."""
    session, _ = seat_session(make_rig, 2, SHORT_HANDS, raised=True)
    rig = session.rig
    rig.run(hand_is(rig, 1, PlayStage.CLOSED))
    rig.players = lambda: pushed_in(session)
    rig.post(PauseClock(True))
    rig.run(lambda: rig.state.making.stage is stage)
    go_over(rig, 2, OF_SESSION_2)
    rig.run(lambda: [event.n for event in rig.happened(WallRaised)] == [1, 2])
    assert rig.state.paused, "no hand begins with it"
    rig.post(PauseClock(False))
    rig.run(lambda: rig.state.playing.deal == OF_SESSION_2)
    assert rig.wall_is_right()
    assert [event.n for event in rig.happened(HandStarted)] == [1]
    assert not rig.happened(TableFault)
    assert sorted(map(str, session.tiles)) == sorted(map(str, [*rig.setup.rules.tiles, *second_set()]))


def pushed_in(session: Session) -> Move | None:
    return session.next_move() if session.rig.feeder.well_open else None


def test_a_hand_of_which_a_tile_was_drawn_is_played_first(make_rig: MakeRig) -> None:
    session, _ = seat_session(make_rig, 1, SHORT_HANDS, raised=True)
    rig = session.rig
    rig.settle()
    assert takes(rig, 2)
    rig.run(lambda: bool(rig.state.playing.hand.taken))
    assert not takes(rig, 2)
    rig.run(hand_is(rig, 1, PlayStage.PLAYING))
    assert not takes(rig, 2)
    rig.run(hand_is(rig, 1, PlayStage.CLOSED))
    assert takes(rig, 2)
