"""Faults with two tile sets: wrong counts at the well, tiles in the wrong set, faults beside a hand in play."""

import pytest

from controller.ledger.journal_events import OperationIssued, TilesNamed
from controller.state.sides import PlayStage, WallStage
from firmware_bridge import messages as feeder_messages
from firmware_bridge.messages import Clear, CloseWell, FaultCode, OpenWell, Return, Where
from tests.controller.wall.test_sessions import check, play
from tests.support.controller.feeder import OtherBack, back_of, face_of
from tests.support.controller.rigs import MakeRig, Rig
from tests.support.controller.sessions import SHORT_HANDS, Session, hand_is, seat_session
from twinwall.game.tiles import Tile
from twinwall.wire.events.hand_events import HandClosed
from twinwall.wire.events.trouble_events import FaultCleared, TableFault
from twinwall.wire.events.wall_events import Cleared, WallReady, WellCounted
from twinwall.wire.shapes.panel import Key

pytestmark = pytest.mark.slow


@pytest.fixture
def session(make_rig: MakeRig) -> Session:
    """Two hands, of which the first is about to be taken up."""
    return seat_session(make_rig, 2, SHORT_HANDS, raised=True)


@pytest.fixture
def rig(session: Session) -> Rig:
    return session.rig


def fault(rig: Rig, code: str) -> TableFault:
    (found,) = (fault for fault in rig.state.faults if fault.code == code)
    return found


def test_whoever_watches_the_mat_is_told_which_set_lies_on_it(rig: Rig) -> None:
    rig.run(hand_is(rig, 2, PlayStage.CLOSED))
    of_hand = {n: {watch.back for watch in rig.eye.watched if watch.version is not None and watch.version.deal == n} for n in (1, 2)}
    assert of_hand[1] == {None}, "that set stood there when the journal began, and no tile of it was seen"
    assert of_hand[2] == {rig.state.playing.back}
    assert rig.state.playing.back in rig.setup.sets


def test_a_tile_under_the_table_is_missed_and_the_count_goes_on_by_itself_when_it_is_pushed_in(session: Session, rig: Rig) -> None:
    rig.run(hand_is(rig, 1, PlayStage.CLOSED))
    session.drop_under_the_table(3)
    rig.run(lambda: rig.state.has_fault("well-count"))
    assert rig.lamps.fault
    assert rig.feeder.well_open
    for left in ("2 tiles", "1 tile"):
        rig.feeder.push_in([session.under_the_table.pop()])
        rig.settle()
        assert f"lacks {left} of the set" in fault(rig, "well-count").sentence
    rig.feeder.push_in(session.under_the_table)
    session.under_the_table = []
    rig.run(hand_is(rig, 2, PlayStage.TAKING))
    assert not rig.state.faults
    assert not rig.feeder.well_open
    assert rig.happened(WellCounted)[-1] == WellCounted(136, 136)


def test_people_who_push_in_slowly_are_not_troubled(rig: Rig) -> None:
    rig.run(hand_is(rig, 1, PlayStage.CLOSED))
    rig.run(lambda: rig.feeder.well_open)
    rig.players = lambda: None
    for _ in range(4):
        rig.feeder.push_in([rig.feeder.out.pop()])
        rig.settle()
        rig.time.now_s += rig.setup.well_patience_s - 1
        rig.settle()
    assert not rig.happened(TableFault)


@pytest.mark.nightly
def test_staff_may_go_on_without_a_tile_which_is_named_when_its_set_is_read_again(make_rig: MakeRig) -> None:
    session = seat_session(make_rig, 3, SHORT_HANDS, raised=True)
    rig = session.rig
    rig.run(hand_is(rig, 1, PlayStage.CLOSED))
    session.drop_under_the_table(1)
    rig.run(lambda: rig.state.has_fault("well-count"))
    rig.press(2, Key.CONFIRM)
    rig.run(hand_is(rig, 2, PlayStage.TAKING))
    assert rig.happened(Cleared)[-1] == Cleared(2, 135)
    rig.run(lambda: rig.state.has_fault("missing-tiles"))
    (lost,) = session.under_the_table
    assert rig.happened(TilesNamed) == [TilesNamed((lost,))]  # type: ignore[arg-type]  # of the first set: a kind
    assert not rig.feeder.well_open, "an open well asks players to push in what they play with"
    assert "through the lid" in fault(rig, "missing-tiles").sentence
    session.through_the_lid(lost)
    rig.run(hand_is(rig, 2, PlayStage.PLAYING))
    rig.press(1, Key.CONFIRM)
    play(session, 3)
    check(session)


def test_a_tile_too_many_is_told_at_the_well_and_named_when_its_set_is_read_again(make_rig: MakeRig) -> None:
    session = seat_session(make_rig, 3, SHORT_HANDS, raised=True)
    rig = session.rig
    rig.run(hand_is(rig, 1, PlayStage.CLOSED))
    session.under_the_table.append(Tile.P7)
    rig.feeder.out.append(session.under_the_table.pop())
    rig.run(lambda: rig.state.has_fault("well-count"))
    assert "1 tile too many" in fault(rig, "well-count").sentence
    assert rig.state.making.stage is WallStage.CLEARING
    rig.press(0, Key.CONFIRM)
    rig.run(hand_is(rig, 2, PlayStage.PLAYING))
    rig.run(lambda: rig.state.has_fault("extra-tile"))
    assert "fifth 7p" in fault(rig, "extra-tile").sentence


def test_a_tile_that_falls_in_while_the_well_shuts_is_told_and_the_well_stays_shut(rig: Rig) -> None:
    rig.run(lambda: bool(rig.ordered(CloseWell)))
    rig.feeder.push_in([Tile.P7])
    rig.settle()
    assert "1 tile too many" in fault(rig, "well-count").sentence
    rig.run(lambda: not rig.feeder.well_open)
    opened = len(rig.happened(OperationIssued))
    while rig._world() or rig.time.pass_to_next():
        rig.settle()
    assert len(rig.happened(OperationIssued)) == opened
    rig.press(0, Key.CONFIRM)
    rig.run(hand_is(rig, 2, PlayStage.TAKING))


def test_a_tile_that_somebody_puts_into_a_magazine_meanwhile_drops_before_the_walls_rise(rig: Rig) -> None:
    rig.run(hand_is(rig, 1, PlayStage.CLOSED))
    rig.run(lambda: rig.feeder.well_open)
    rig.feeder.magazines[0, 20] = rig.feeder.out.pop()
    rig.run(lambda: rig.state.has_fault("well-count"))
    rig.press(0, Key.CONFIRM)
    rig.run(hand_is(rig, 2, PlayStage.TAKING))
    assert rig.happened(Cleared)[-1] == Cleared(2, 136)
    assert rig.wall_is_right()


def test_what_is_left_in_the_magazines_of_an_earlier_day_drops_before_the_first_walls_rise(make_rig: MakeRig) -> None:
    rig = make_rig()
    rig.feeder.magazines[3, 30] = Tile.P7
    rig.run(lambda: rig.state.has_fault("well-count"))
    rig.press(0, Key.CONFIRM)
    rig.build()
    assert Tile.P7 in rig.feeder.drum


def swap(session: Session) -> tuple[Tile, Tile]:
    """Exchange a tile of the drum with one of another kind in the box: the kinds that went over, first the drum's."""
    drum, box = session.rig.feeder.drum, session.box
    at = next(at for at, tile in enumerate(box) if face_of(tile) is not drum[-1])
    drum[-1], box[at] = box[at], drum[-1]
    gone, come = face_of(box[at]), face_of(drum[-1])
    assert isinstance(gone, Tile)
    assert isinstance(come, Tile)
    return gone, come


def test_a_tile_of_the_other_set_is_named_and_both_sets_are_put_right_before_the_hand(make_rig: MakeRig) -> None:
    session = seat_session(make_rig, 2, SHORT_HANDS)
    rig = session.rig
    gone, come = swap(session)
    rig.run(lambda: rig.state.has_fault("other-set"))
    assert f"A {come.text} of the green set" in fault(rig, "other-set").sentence
    rig.run(lambda: rig.feeder.rejected == [OtherBack(come)])
    session.box.append(rig.feeder.rejected.pop())
    rig.press(0, Key.CONFIRM)
    rig.run(lambda: rig.state.has_fault("missing-tiles"))
    assert rig.happened(TilesNamed) == [TilesNamed((gone,))]
    assert not rig.feeder.well_open
    session.box.remove(gone)
    session.through_the_lid(gone)
    rig.press(0, Key.CONFIRM)
    play(session, 2)
    check(session)
    assert session.backs == [{1: 136}, {2: 136}]


@pytest.mark.parametrize("at", [0, 1, 2, 100])
def test_the_first_set_is_the_one_that_most_tiles_are_of(make_rig: MakeRig, at: int) -> None:
    session = seat_session(make_rig, 2, SHORT_HANDS)
    rig = session.rig
    rig.feeder.drum.insert(at, session.box.pop())
    rig.run(lambda: rig.state.making.stage is WallStage.READY or bool(rig.feeder.rejected))
    assert rig.state.making.back == 1
    assert [back_of(tile) for tile in rig.feeder.rejected] == [2]
    assert rig.fault_codes() == {"other-set"}


def test_a_tile_of_neither_set_is_foreign(make_rig: MakeRig) -> None:
    rig = seat_session(make_rig, 2, SHORT_HANDS).rig
    rig.feeder.drum.insert(50, OtherBack(Tile.M1, back=7))
    rig.run(lambda: rig.feeder.rejected == [OtherBack(Tile.M1, back=7)])
    assert rig.fault_codes() == {"foreign-tile"}
    assert not rig.happened(WallReady)


def test_a_fault_of_the_machine_lights_the_lamp_and_the_hand_goes_on(session: Session, rig: Rig) -> None:
    rig.run(hand_is(rig, 1, PlayStage.PLAYING))
    rig.feeder.stuck = True
    rig.feeder._event(feeder_messages.Fault(FaultCode.JAM, Where.GATE, 7))
    rig.run(hand_is(rig, 1, PlayStage.CLOSED))
    assert rig.lamps.fault
    rig.press(3, Key.CONFIRM)
    assert rig.happened(FaultCleared) == [FaultCleared("feeder-jam")]
    rig.feeder.stuck = False
    play(session, 2)


def test_a_fault_that_stands_in_the_feeder_and_in_no_journal_is_called_once_and_cleared_by_confirm(rig: Rig) -> None:
    rig.feeder.standing.add(FaultCode.LID)
    rig.run(lambda: rig.state.has_fault("feeder-lid"))
    rig.press(0, Key.CONFIRM)
    rig.run(lambda: not rig.feeder.standing)
    rig.run(hand_is(rig, 1, PlayStage.PLAYING))
    assert rig.happened(FaultCleared) == [FaultCleared("feeder-lid")]


def test_a_discard_that_cannot_be_read_does_not_stop_the_build(session: Session, rig: Rig) -> None:

    def unread() -> bool:
        rig.mat.blurred.update(rig.mat.tiles)
        return rig.state.has_fault("unread-tile")

    rig.run(unread)
    assert rig.state.making.stage is WallStage.BUILDING
    rig.players = lambda: None
    rig.run(lambda: rig.state.making.stage is WallStage.READY)
    rig.mat.blurred.clear()
    rig.players = session.next_move
    play(session, 2)
    assert not rig.state.faults


def test_while_a_hand_is_settled_confirm_is_the_players_alone(rig: Rig) -> None:
    rig.run(hand_is(rig, 1, PlayStage.SETTLING))
    rig.feeder._event(feeder_messages.Fault(FaultCode.JAM, Where.GATE, 7))
    rig.settle()
    (proposer,) = rig.lamps.turn
    others = [place for place in range(4) if place != proposer]
    rig.press(others[0], Key.CONFIRM)
    assert not rig.happened(FaultCleared), "nobody but the winner is waited for, and this was no answer to the fault"
    for _ in range(3):
        rig.press(proposer, Key.CONFIRM)
    assert rig.state.has_fault("feeder-jam"), "a key pressed once too often clears nothing"
    assert rig.state.playing.stage is PlayStage.SETTLING
    rig.press(others[1], Key.CONFIRM)
    assert rig.happened(HandClosed)
    assert rig.state.has_fault("feeder-jam")
    rig.press(others[1], Key.CONFIRM)
    assert not rig.state.has_fault("feeder-jam")
    assert Clear(FaultCode.JAM) in [event.command for event in rig.happened(OperationIssued)]


def test_while_a_kong_is_called_confirm_is_its_seats_and_staffs_elsewhere(rig: Rig) -> None:
    rig.run(lambda: rig.state.playing.hand.play is not None and bool(rig.lamps.turn) and len(rig.mat.tiles) > 0)
    rig.run(lambda: rig.setup.rules.permissions(rig.state.playing.hand.play).kong is not None)  # type: ignore[arg-type]  # play is on
    rig.players = lambda: None
    (place,) = rig.lamps.turn
    rig.press(place, Key.KONG)
    rig.feeder._event(feeder_messages.Fault(FaultCode.JAM, Where.GATE, 7))
    rig.settle()
    rig.press(place, Key.CONFIRM)
    assert rig.state.has_fault("feeder-jam")
    rig.press((place + 1) % 4, Key.CONFIRM)
    assert not rig.state.has_fault("feeder-jam")


def test_a_wall_that_loses_a_tile_while_it_stands_ready_is_made_whole_before_it_rises(session: Session, rig: Rig) -> None:
    rig.run(hand_is(rig, 1, PlayStage.PLAYING))
    rig.players = lambda: None
    rig.run(lambda: rig.state.making.stage is WallStage.READY)
    rig.feeder.power_cut()
    rig.feeder.drum.append(rig.feeder.trays.pop((2, 5)))
    rig.feeder.connect()
    rig.run(lambda: len(rig.happened(WallReady)) == 2)
    assert rig.state.playing.stage is PlayStage.PLAYING
    rig.players = session.next_move
    play(session, 2)


def test_a_tile_that_falls_from_a_ready_wall_unnoticed_is_missed_before_the_table_is_cleared(session: Session, rig: Rig) -> None:
    rig.run(hand_is(rig, 1, PlayStage.PLAYING))
    rig.run(lambda: rig.state.making.stage is WallStage.READY and not rig.state.making.build.rereading)
    rig.feeder.drum.append(rig.feeder.trays.pop((2, 5)))
    rig.run(lambda: len(rig.happened(WallReady)) == 2)
    play(session, 2)
    assert not rig.state.faults


def test_missing_tiles_are_named_during_a_hand_without_opening_the_well(session: Session, rig: Rig) -> None:
    lost = rig.feeder.drum.pop()
    rig.run(hand_is(rig, 1, PlayStage.PLAYING))
    rig.players = lambda: None
    rig.run(lambda: rig.state.has_fault("missing-tiles"))
    assert len(rig.ordered(Return)) >= 8
    assert not rig.ordered(OpenWell)
    rig.players = session.next_move
    rig.run(hand_is(rig, 1, PlayStage.SETTLING))
    session.through_the_lid(lost)
    rig.run(hand_is(rig, 1, PlayStage.CLOSED))
    rig.press(0, Key.CONFIRM)
    play(session, 2)
