"""Shared tiles: built behind the walls, let out one by one, laid open in the middle."""

import pytest

from controller.ledger.journal_events import OperationIssued
from firmware_bridge.messages import REAR_GATE, NakCode
from tests.support.controller.hands_of_rules import begun_seigo, deal_of, seated
from tests.support.controller.rigs import MakeRig, set_up
from twinwall.game.deals import walls_digest
from twinwall.game.play_events import SharedTileTurned
from twinwall.game.rules import rule_set
from twinwall.game.tiles import SEATS, Tile
from twinwall.wire.events.hand_events import SharedTileLifted
from twinwall.wire.events.trouble_events import DealFouled, Violation
from twinwall.wire.events.wall_events import WallReady
from twinwall.wire.shapes.panel import Key, Lamps
from vision.mat import Area, Slot

RULES = rule_set("seigo")
INDICATOR = Slot(0, Area.SHARED, 10)


def test_a_wall_is_built_with_its_shared_tiles_and_its_digest_is_the_deals(make_rig: MakeRig) -> None:
    deal = deal_of("seigo", 6)
    rig = make_rig(deal, seed=6, setup=set_up(rules=RULES, options={}))
    rig.build()
    assert len(rig.feeder.magazines) == 136
    assert not rig.feeder.trays
    assert [event.digest for event in rig.happened(WallReady)] == [walls_digest(deal.walls, deal.rest).hex()]
    behind = [rig.feeder.magazines[deal.place(SEATS[0]), index] for index in (31, 32, 33)]
    assert behind == [deal.rest[number] for number in (10, 11, 9)]


@pytest.mark.slow
def test_the_first_gate_to_open_is_the_rear_gate_of_the_indicator_and_no_draw_before_it_lies_open(make_rig: MakeRig) -> None:
    rig = begun_seigo(make_rig)
    east = rig.deal.place(SEATS[0])
    assert (set(rig.feeder.locks), rig.lamps) == ({REAR_GATE + east}, Lamps(call=frozenset({east})))
    face = rig.feeder.lift(REAR_GATE + east)
    rig.settle()
    assert not rig.feeder.locks
    assert isinstance(face, Tile)
    rig.mat.tiles[INDICATOR] = face
    rig.look_at_mat()
    assert (rig.happened(SharedTileTurned), set(rig.feeder.locks)) == ([SharedTileTurned(10, face)], {east})
    assert rig.lamps == Lamps(turn=frozenset({east}))


def test_another_tile_than_the_deals_in_the_middle_fouls_the_deal_on_the_second_look(make_rig: MakeRig) -> None:
    rig = begun_seigo(make_rig)
    face = rig.feeder.lift(REAR_GATE + rig.deal.place(SEATS[0]))
    rig.settle()
    rig.mat.tiles[INDICATOR] = next(tile for tile in RULES.tiles if tile is not face)
    rig.eye.look()
    rig.settle()
    assert not rig.happened(DealFouled)
    rig.look_at_mat()
    assert len(rig.happened(DealFouled)) == 1
    assert not rig.happened(SharedTileTurned)


def test_an_indicator_that_does_not_appear_calls_the_referee(make_rig: MakeRig) -> None:
    rig = begun_seigo(make_rig)
    rig.feeder.lift(REAR_GATE + rig.deal.place(SEATS[0]))
    rig.run(lambda: bool(rig.happened(Violation)))
    assert [event.what for event in rig.happened(Violation)] == ["not-shown"]


def test_a_shared_tile_that_left_while_nobody_listened_is_known_by_the_sensors(make_rig: MakeRig) -> None:
    rig = begun_seigo(make_rig)
    rig.feeder.lift(REAR_GATE + rig.deal.place(SEATS[0]))
    rig.feeder.restart()
    rig.run(lambda: bool(rig.happened(SharedTileLifted)))
    assert rig.happened(SharedTileLifted) == [SharedTileLifted(SEATS[0])]
    rig.settle()
    assert not rig.feeder.locks
    assert not rig.happened(Violation)


def test_a_second_tile_out_of_a_rear_gate_is_for_the_referee(make_rig: MakeRig) -> None:
    rig = begun_seigo(make_rig)
    gate = REAR_GATE + rig.deal.place(SEATS[0])
    rig.feeder.lift(gate)
    rig.settle()
    rig.feeder.locks[gate] = rig.time.now_s + 60
    rig.feeder.lift(gate)
    rig.settle()
    assert [event.what for event in rig.happened(Violation)] == ["drew-out-of-turn"]
    assert rig.state.playing.halted


def test_a_feeder_without_rear_gates_calls_staff_once_and_is_asked_again_after_confirm(make_rig: MakeRig) -> None:
    rig, _ = seated(make_rig, "seigo", 6)
    nak = rig.feeder.nak
    rig.feeder.nak = lambda command: NakCode.NO_SUCH_PLACE if getattr(command, "seat", 0) >= REAR_GATE else nak(command)
    rig.run(lambda: "no-rear-gate" in rig.fault_codes())
    asked = len(rig.happened(OperationIssued))
    while rig.time.pass_to_next():
        rig.settle()
    assert len(rig.happened(OperationIssued)) == asked
    rig.feeder.nak = nak
    rig.press(2, Key.CONFIRM)
    assert not rig.state.faults
    while rig.state.playing.blocked is not None:
        rig.time.pass_to_next()
        rig.settle()
    assert set(rig.feeder.locks) == {REAR_GATE + rig.deal.place(SEATS[0])}
