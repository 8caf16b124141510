"""Sessions with two tile sets: the next wall is made during play, and between hands the table is cleared and counted."""

import pytest

from controller.state.making import Making, OpenDeal, WallStage
from controller.state.playing import PlayStage
from firmware_bridge.messages import CloseWell, Dump, OpenWell, Raise
from tests.controller.hand.test_whole_hands import mortal
from tests.support.controller.rigs import EVENTS, PUBLIC, MakeRig
from tests.support.controller.sessions import (
    SHORT_HANDS,
    Scripts,
    Session,
    hand_is,
    seat_players,
    seat_session,
    second_set,
    written_session,
)
from tests.support.narrowed import of_type
from tests.support.tiers import pairs, some
from twinwall.game.play_events import TileDiscarded
from twinwall.game.replay import replay
from twinwall.wire.events.hand_events import HandStarted
from twinwall.wire.events.wall_events import Building, ClearingBegan, DealOpened, DealRefused, HandsTaken, WallRaised, WallReady
from twinwall.wire.ledger import verify_chain
from twinwall.wire.shapes.panel import Key

pytestmark = pytest.mark.slow


def play(session: Session, hands: int) -> None:
    rig = session.rig
    rig.run(hand_is(rig, hands, PlayStage.CLOSED), most=60_000, most_s=3600)
    rig.confirm()
    rig.settle()


def check(session: Session, scripts: Scripts) -> None:
    """Every hand is in its record as it was played, no tile is lost, and what was published is the ledger."""
    rig = session.rig
    for hand, script in enumerate(scripts, 1):
        record = rig.record(hand)
        assert list(record.events) == script
        assert replay(record).scores == record.scores
    assert rig.state.closed == tuple(range(1, len(scripts) + 1))
    assert sorted(map(str, session.tiles)) == sorted(map(str, [*rig.setup.rules.tiles, *second_set()]))
    for topic, ledger in zip((EVENTS, PUBLIC), rig.ledgers, strict=True):
        assert verify_chain(ledger.lines) is None
        assert {line for to, line in rig.broker.published if to == topic} == set(ledger.lines)


@pytest.mark.parametrize("seed", some([SHORT_HANDS, 1, 2], 1))
def test_hands_follow_each_other_with_the_sets_in_turn(make_rig: MakeRig, seed: int) -> None:
    session, scripts = seat_session(make_rig, 3, seed)
    play(session, 3)
    check(session, scripts)
    assert session.backs == [{1: 136}, {2: 136}, {1: 136}]
    assert not session.rig.state.faults


def test_the_next_wall_is_made_while_the_hand_is_played(make_rig: MakeRig) -> None:
    session, _ = seat_session(make_rig, 2, SHORT_HANDS)
    rig = session.rig
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
    session, scripts = seat_session(make_rig, 2, SHORT_HANDS, raised=True)
    rig = session.rig
    late = rig.deals.deals.pop()
    rig.run(hand_is(rig, 1, PlayStage.CLOSED))
    assert rig.state.making.stage is WallStage.NONE
    assert isinstance(late, OpenDeal)
    rig.deals.deals.append(late)
    rig.post(late)
    play(session, 2)
    check(session, scripts)


def test_a_next_deal_that_must_not_be_played_lights_the_lamp_and_stops_nothing_else(make_rig: MakeRig) -> None:
    session, scripts = seat_session(make_rig, 2, SHORT_HANDS, raised=True)
    rig = session.rig
    good = of_type(OpenDeal, rig.deals.deals[1])
    rig.deals.deals[1] = DealRefused(2, "digest", "deal-0002.json must not be played")
    rig.run(hand_is(rig, 1, PlayStage.CLOSED))
    assert rig.fault_codes() == {"deal-refused"}
    rig.deals.deals[1] = good
    rig.tell(good)
    assert not rig.state.faults
    play(session, 2)
    check(session, scripts)


def test_a_deal_that_is_in_play_or_was_played_is_not_built_again(make_rig: MakeRig) -> None:
    session, _ = seat_session(make_rig, 2, SHORT_HANDS, raised=True)
    rig = session.rig
    played = of_type(OpenDeal, rig.deals.deals[0])
    rig.deals.deals.pop()
    for stage in (PlayStage.PLAYING, PlayStage.CLOSED):
        rig.run(hand_is(rig, 1, stage))
        rig.tell(played)
        assert rig.state.making.stage is WallStage.NONE


def test_a_wall_that_is_ready_first_waits_for_the_hand(make_rig: MakeRig) -> None:
    session, scripts = seat_session(make_rig, 2, SHORT_HANDS)
    rig = session.rig
    rig.run(hand_is(rig, 1, PlayStage.PLAYING))
    rig.players = lambda: None
    rig.run(lambda: rig.state.making.stage is WallStage.READY)
    waits = len(rig.feeder.commands)
    rig.run(lambda: rig.time.now_s > 60)
    assert not [command for _, command in rig.feeder.commands[waits:] if isinstance(command, Dump | OpenWell | Raise)]
    rig.players = session.next_move
    play(session, 2)
    check(session, scripts)


def test_a_hand_that_ends_first_waits_for_the_wall(make_rig: MakeRig) -> None:
    session, scripts = seat_session(make_rig, 2, SHORT_HANDS)
    rig = session.rig
    rig.run(hand_is(rig, 1, PlayStage.PLAYING))
    rig.feeder.stuck = True
    rig.run(hand_is(rig, 1, PlayStage.CLOSED))
    assert rig.state.making.stage is WallStage.BUILDING
    rig.feeder.stuck = False
    play(session, 2)
    check(session, scripts)
    assert len(rig.happened(ClearingBegan)) == 2


def test_after_the_last_hand_nothing_is_built_and_the_table_stays_as_it_is(make_rig: MakeRig) -> None:
    session, _ = seat_session(make_rig, 2, SHORT_HANDS)
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


def test_a_table_with_one_hand_to_play_clears_nothing(make_rig: MakeRig) -> None:
    rig = make_rig()
    rig.build()
    assert not rig.happened(ClearingBegan)
    assert not [command for _, command in rig.feeder.commands if isinstance(command, Dump | OpenWell)]


@pytest.mark.nightly
def test_the_only_hand_of_a_session_takes_the_second_set_in_where_another_session_follows(make_rig: MakeRig) -> None:
    deals, scripts = written_session(2, SHORT_HANDS)
    session = seat_players(make_rig, deals, scripts, SHORT_HANDS, of_sessions=2)
    play(session, 2)
    assert session.backs == [{1: 136}, {2: 136}]
    assert len(session.rig.happened(ClearingBegan)) == 2


# Death ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", some([SHORT_HANDS, 0, 1], 1))
def test_killed_and_cut_at_any_effect_the_session_goes_on_as_if_nothing_had_been(make_rig: MakeRig, seed: int) -> None:
    session, scripts = seat_session(make_rig, 2, seed)
    rig = session.rig
    mortal(rig, hand_is(rig, 2, PlayStage.CLOSED), mean=120, most=60_000)
    rig.confirm()
    rig.settle()
    assert rig.deaths > 10
    check(session, scripts)
    assert [set(backs) for backs in session.backs] == [{1}, {2}]


@pytest.mark.nightly
@pytest.mark.parametrize("seed", some([SHORT_HANDS, 0, 1], 1))
def test_a_session_outlives_power_cuts_of_the_feeder_while_it_builds_clears_and_plays(make_rig: MakeRig, seed: int) -> None:
    session, scripts = seat_session(make_rig, 2, seed)
    rig = session.rig
    left = [rig.random.randint(1, 80)]
    cuts = [0]

    def reached() -> bool:
        left[0] -= 1
        if left[0] <= 0 and cuts[0] < 25:
            left[0] = rig.random.randint(1, 80)
            cuts[0] += 1
            rig.feeder.power_cut()
            if rig.random.random() < 0.5:
                rig.feeder.disconnect()
            rig.feeder.connect()
        if rig.state.has_fault("well-count") and not rig.feeder.out:
            rig.press(0, Key.CONFIRM)
        return hand_is(rig, 2, PlayStage.CLOSED)()

    rig.run(reached, most=60_000, most_s=3600)
    assert cuts[0] > 10
    rig.confirm()
    rig.settle()
    check(session, scripts)


DEATHS = {"cut before": (False, True), "cut after": (True, True), "killed": (True, False)}
"""Whether the feeder had done what it was told, and whether the power went."""


@pytest.mark.nightly
@pytest.mark.parametrize(("command", "death"), pairs([Dump, OpenWell, CloseWell, Raise], DEATHS))
def test_a_controller_that_dies_between_two_hands_goes_on_clearing(make_rig: MakeRig, command: type, death: str) -> None:
    done, power_cut = DEATHS[death]
    session, scripts = seat_session(make_rig, 2, SHORT_HANDS, raised=True)
    rig = session.rig
    rig.run(hand_is(rig, 1, PlayStage.SETTLING))
    earlier = len(rig.feeder.commands)
    rig.run(lambda: any(isinstance(told, command) for _, told in rig.feeder.commands[earlier:]))
    if done:
        rig.feeder._finish_other()
    rig.die(power_cut=power_cut)
    play(session, 2)
    check(session, scripts)
    assert rig.feeder.raises == 2
