"""Sessions with two tile sets: the next wall is made during play, the table is cleared and counted; and a session that was ended early."""

from dataclasses import replace

import pytest

from controller.assigning import AssignmentStanding, refusal
from controller.state.sides import Making, OpenDeal, PlayStage, WallStage
from firmware_bridge.messages import ALL_SEATS, Container, Dump, OpenWell, Raise, Return
from tests.controller.hand.test_whole_hands import mortal
from tests.support.controller.players import written_hand
from tests.support.controller.rigs import EVENTS, PUBLIC, MakeRig, Rig, opened, set_up
from tests.support.controller.sessions import SHORT_HANDS, Session, hand_is, seat_players, seat_session, second_set, written_session
from tests.support.game.tables import random_walls
from tests.support.narrowed import of_type
from tests.support.tiers import pairs, some
from tests.support.wire.assignments import an_assignment
from twinwall.game.play_events import TileDiscarded
from twinwall.game.replay import replay
from twinwall.wire.events.hand_events import HandStarted
from twinwall.wire.events.trouble_events import TableFault
from twinwall.wire.events.wall_events import Building, ClearingBegan, DealOpened, DealRefused, HandsTaken, WallRaised, WallReady
from twinwall.wire.ledger import verify_chain
from twinwall.wire.messages.commands import PauseClock

pytestmark = pytest.mark.slow


def play(session: Session, hands: int) -> None:
    rig = session.rig
    rig.run(hand_is(rig, hands, PlayStage.CLOSED), most=60_000, most_s=3600)
    rig.confirm()
    rig.settle()


def check(session: Session) -> None:
    """Every hand is in its record as it was played, no tile is lost, and what was published is the ledger."""
    rig = session.rig
    for hand, script in enumerate(session.scripts, 1):
        record = rig.record(hand)
        assert list(record.events) == script
        assert replay(record).scores == record.scores
    assert rig.state.closed == tuple(range(1, len(session.scripts) + 1))
    assert sorted(map(str, session.tiles)) == sorted(map(str, [*rig.setup.rules.tiles, *second_set()]))
    for topic, ledger in zip((EVENTS, PUBLIC), rig.ledgers, strict=True):
        assert verify_chain(ledger.lines) is None
        assert {line for to, line in rig.broker.published if to == topic} == set(ledger.lines)


@pytest.mark.parametrize("seed", some([SHORT_HANDS, 1, 2], 1))
def test_hands_follow_each_other_with_the_sets_in_turn(make_rig: MakeRig, seed: int) -> None:
    session = seat_session(make_rig, 3, seed)
    play(session, 3)
    check(session)
    assert session.backs == [{1: 136}, {2: 136}, {1: 136}]
    assert not session.rig.state.faults


def test_the_next_wall_is_made_while_the_hand_is_played(make_rig: MakeRig) -> None:
    rig = seat_session(make_rig, 2, SHORT_HANDS).rig
    rig.run(hand_is(rig, 1, PlayStage.CLOSED))
    story = rig.events()
    started = story.index(next(event for event in story if isinstance(event, HandStarted)))
    placed = [at for at, event in enumerate(story) if isinstance(event, Building) and at > started]
    discards = [at for at, event in enumerate(story) if isinstance(event, TileDiscarded)]
    assert placed[0] < discards[-1]
    assert placed[-1] > discards[0]
    taken, second = story.index(HandsTaken(1)), story.index(rig.happened(DealOpened)[1])
    assert taken < second < discards[0], "the next deal is opened when the hands have been taken"


def test_a_deal_that_comes_late_is_built_when_it_comes(make_rig: MakeRig) -> None:
    session = seat_session(make_rig, 2, SHORT_HANDS, raised=True)
    rig = session.rig
    late = rig.deals.deals.pop()
    rig.run(hand_is(rig, 1, PlayStage.CLOSED))
    assert rig.state.making.stage is WallStage.NONE
    assert isinstance(late, OpenDeal)
    rig.deals.deals.append(late)
    rig.post(late)
    play(session, 2)
    check(session)


def test_a_next_deal_that_must_not_be_played_lights_the_lamp_and_stops_nothing_else(make_rig: MakeRig) -> None:
    session = seat_session(make_rig, 2, SHORT_HANDS, raised=True)
    rig = session.rig
    good = of_type(OpenDeal, rig.deals.deals[1])
    rig.deals.deals[1] = DealRefused(2, "digest", "deal-0002.json must not be played")
    rig.run(hand_is(rig, 1, PlayStage.CLOSED))
    assert rig.fault_codes() == {"deal-refused"}
    rig.deals.deals[1] = good
    rig.tell(good)
    assert not rig.state.faults
    play(session, 2)
    check(session)


def test_a_deal_that_is_in_play_or_was_played_is_not_built_again(make_rig: MakeRig) -> None:
    rig = seat_session(make_rig, 2, SHORT_HANDS, raised=True).rig
    played = of_type(OpenDeal, rig.deals.deals[0])
    rig.deals.deals.pop()
    for stage in (PlayStage.PLAYING, PlayStage.CLOSED):
        rig.run(hand_is(rig, 1, stage))
        rig.tell(played)
        assert rig.state.making.stage is WallStage.NONE


def test_a_wall_that_is_ready_first_waits_for_the_hand(make_rig: MakeRig) -> None:
    session = seat_session(make_rig, 2, SHORT_HANDS)
    rig = session.rig
    rig.run(hand_is(rig, 1, PlayStage.PLAYING))
    rig.players = lambda: None
    rig.run(lambda: rig.state.making.stage is WallStage.READY)
    waits = len(rig.feeder.commands)
    rig.run(lambda: rig.time.now_s > 60)
    assert not [command for _, command in rig.feeder.commands[waits:] if isinstance(command, Dump | OpenWell | Raise)]
    rig.players = session.next_move
    play(session, 2)
    check(session)


def test_a_hand_that_ends_first_waits_for_the_wall(make_rig: MakeRig) -> None:
    session = seat_session(make_rig, 2, SHORT_HANDS)
    rig = session.rig
    rig.run(hand_is(rig, 1, PlayStage.PLAYING))
    rig.feeder.stuck = True
    rig.run(hand_is(rig, 1, PlayStage.CLOSED))
    assert rig.state.making.stage is WallStage.BUILDING
    rig.feeder.stuck = False
    play(session, 2)
    check(session)
    assert len(rig.happened(ClearingBegan)) == 2


def test_after_the_last_hand_nothing_is_built_and_the_table_stays_as_it_is(make_rig: MakeRig) -> None:
    session = seat_session(make_rig, 2, SHORT_HANDS)
    rig = session.rig
    play(session, 2)
    told = len(rig.feeder.commands)
    while rig._world() or rig.time.pass_to_next():
        rig.settle()
    assert len(rig.feeder.commands) == told
    assert len(rig.happened(DealOpened)) == len(rig.happened(WallReady)) == len(rig.happened(WallRaised)) == 2
    assert rig.mat.tiles
    assert not rig.feeder.well_open
    assert rig.state.making == Making(well_open=False)


@pytest.mark.nightly
def test_the_only_hand_of_a_session_takes_the_second_set_in_where_another_session_follows(make_rig: MakeRig) -> None:
    deals, scripts = written_session(2, SHORT_HANDS)
    session = seat_players(make_rig, deals, scripts, SHORT_HANDS, of_sessions=2)
    play(session, 2)
    assert (session.backs, len(session.rig.happened(ClearingBegan))) == ([{1: 136}, {2: 136}], 2)


@pytest.mark.parametrize("seed", some([SHORT_HANDS, 0, 1], 1))
def test_killed_and_cut_at_any_effect_the_session_goes_on_as_if_nothing_had_been(make_rig: MakeRig, seed: int) -> None:
    session = seat_session(make_rig, 2, seed)
    rig = session.rig
    mortal(rig, hand_is(rig, 2, PlayStage.CLOSED), mean=120, most=60_000)
    rig.confirm()
    rig.settle()
    assert rig.deaths > 10
    check(session)
    assert [set(backs) for backs in session.backs] == [{1}, {2}]


OF_SESSION_2 = replace(opened(random_walls(401), n=3, hand=1), session=2)
DROPPED = Dump(Container.TRAY, ALL_SEATS)


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


@pytest.mark.parametrize(("placed", "killed"), pairs([0, 5, 90, 136], [False, True]))
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
    assert set(rig.ordered(Dump)) <= {DROPPED}
    if not killed:
        assert len(rig.ordered(Dump)) == 1 or not placed
        assert all(back.position >= rig.setup.capabilities.wall_places for back in rig.ordered(Return)), "only what waited in a cell"


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
    assert not rig.ordered(OpenWell), "every tile of the wall lay in the magazines"
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
    session = seat_session(make_rig, 2, SHORT_HANDS, raised=True)
    rig = session.rig
    rig.run(hand_is(rig, 1, PlayStage.CLOSED))
    rig.players = lambda: session.next_move() if rig.feeder.well_open else None
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


def test_a_hand_of_which_a_tile_was_drawn_is_played_first(make_rig: MakeRig) -> None:
    rig = seat_session(make_rig, 1, SHORT_HANDS, raised=True).rig
    rig.settle()
    assert takes(rig, 2)
    rig.run(lambda: bool(rig.state.playing.hand.taken))
    assert not takes(rig, 2)
    rig.run(hand_is(rig, 1, PlayStage.PLAYING))
    assert not takes(rig, 2)
    rig.run(hand_is(rig, 1, PlayStage.CLOSED))
    assert takes(rig, 2)
