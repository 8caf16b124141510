"""Faults of the machine: named to staff, and cleared at the feeder when staff confirm."""

from dataclasses import replace
from functools import partial

import pytest

from controller.core.apply import apply
from controller.core.decide import decide, due_events
from controller.ledger.journal_events import FeederEventTaken, JournalEvent, OperationIssued
from controller.state.faults import emergency_stop, feeder_fault, open_drum_lid
from controller.state.messages import GateLook, KeyPressed, Message, PartFound, PartLost, Refused
from controller.state.sides import Build, GateTile, Making, WallStage
from controller.state.table_state import TableState
from controller.state.table_state import replace as replace_state
from firmware_bridge import messages as feeder_messages
from firmware_bridge.link import events as feeder
from firmware_bridge.messages import Bypass, Command, FaultCode, Feed, Place, Raise, Recirculate, Release, Return
from tests.support.controller.rigs import MakeRig, Rig, opened, set_up
from tests.support.game.tables import random_walls
from twinwall.game.tiles import Tile
from twinwall.wire.events.trouble_events import FaultCleared, LinkLost, LinkRestored, TableFault
from twinwall.wire.events.wall_events import ControllerStarted
from twinwall.wire.shapes.panel import Key

SETUP = set_up()


def told(state: TableState, message: Message) -> tuple[TableState, tuple[JournalEvent, ...]]:
    events = decide(SETUP, state, message)
    assert not isinstance(events, Refused)
    for event in events:
        state = apply(SETUP, state, event)
    return state, events


def test_faults_of_the_feeder_are_named_and_confirm_clears_each_of_them_there_too() -> None:
    state, events = told(TableState(), feeder_messages.Fault(feeder_messages.FaultCode.JAM, feeder_messages.Where.GATE, 7, number=1))
    fault = next(event for event in events if isinstance(event, TableFault))
    assert fault.code == "feeder-jam"
    assert "press CONFIRM" in fault.sentence
    assert state.faults == (fault,)
    state, _ = told(state, feeder_messages.Fault(feeder_messages.FaultCode.SHUTTLE, feeder_messages.Where.SHUTTLE, 7, number=2))
    state, events = told(state, KeyPressed(2, Key.CONFIRM))
    assert [event.code for event in events if isinstance(event, FaultCleared)] == ["feeder-jam", "feeder-shuttle"]
    issued = [event for event in events if isinstance(event, OperationIssued)]
    assert [event.command for event in issued] == [
        feeder_messages.Clear(feeder_messages.FaultCode.JAM),
        feeder_messages.Clear(feeder_messages.FaultCode.SHUTTLE),
    ]
    assert len({event.operation for event in issued}) == 2
    assert state.faults == ()


def test_a_panel_whose_pins_fail_is_lost_until_they_work_again() -> None:
    state, events = told(TableState(), PartLost("panel"))
    assert events == (LinkLost("panel"),)
    state, events = told(state, PartFound("panel"))
    assert events == (LinkRestored("panel"),)
    assert not state.lost


@pytest.mark.parametrize(
    ("on", "off", "fault", "code"),
    [
        (feeder_messages.Estop(True, number=1), feeder_messages.Estop(False, number=2), "estop", feeder_messages.FaultCode.ESTOP),
        (feeder_messages.Lid(True, number=1), feeder_messages.Lid(False, number=2), "lid", feeder_messages.FaultCode.LID),
    ],
)
def test_after_a_lid_or_an_emergency_stop_the_feeder_stands_until_somebody_confirms(
    on: feeder_messages.Estop | feeder_messages.Lid, off: Message, fault: str, code: feeder_messages.FaultCode
) -> None:
    state, _ = told(TableState(), on)
    assert [each.code for each in state.faults] == [fault]
    assert isinstance(decide(SETUP, state, KeyPressed(0, Key.CONFIRM)), Refused)
    state, events = told(state, off)
    assert [each.code for each in state.faults] == [f"feeder-{fault}"]
    assert not any(isinstance(event, OperationIssued) for event in events)
    again, _ = told(state, replace(on, number=3))
    assert [each.code for each in again.faults] == [fault], "opened again, it is no question of CONFIRM"
    state, events = told(state, KeyPressed(0, Key.CONFIRM))
    assert [event.command for event in events if isinstance(event, OperationIssued)] == [feeder_messages.Clear(code)]
    assert state.faults == ()


def test_a_lid_that_was_shut_while_the_feeder_had_no_power_is_open_no_more() -> None:
    state, _ = told(TableState(), feeder_messages.Lid(True, number=1))
    hello = feeder_messages.HelloAck(1, 1, b"feeder 1", 77, feeder_messages.ResetReason.POWER_ON, bytes(8), bytes(8), 0, 1)
    state, _ = told(state, feeder.LinkUp(hello, False, 0, feeder_messages.Capabilities(), ()))
    assert state.faults == ()


def placing(rig: Rig) -> tuple[int, ...]:
    """The places of the walls to which tiles are on their way, the first one first."""
    return tuple(pending.command.seat for pending in rig.state.pending if isinstance(pending.command, Place | Release))


def is_answered(rig: Rig, pending: OperationIssued) -> bool:
    return pending not in rig.state.pending


def test_the_lamp_of_the_wall_is_lit_while_a_tile_is_on_its_way_to_it_and_out_afterwards(rig: Rig) -> None:
    rig.settle()
    assert rig.lamps.wall is None
    lit: set[int | None] = set()
    for _ in range(20):
        rig.run(lambda: bool(placing(rig)))
        assert rig.lamps.wall == placing(rig)[0]
        lit.add(rig.lamps.wall)
        rig.run(partial(is_answered, rig, rig.state.pending[0]))
    assert len(lit) > 1
    rig.build()
    assert rig.lamps.wall is None


def test_a_tile_that_goes_to_no_wall_lights_no_lamp(make_rig: MakeRig) -> None:
    rig = make_rig()
    rig.look = lambda face, showing: (None, "glare")
    seen: list[GateLook] = []
    honest = rig.read

    def read(look: GateLook, after_ns: int) -> None:
        seen.append(look)
        honest(look, after_ns)

    rig.read = read  # type: ignore[method-assign]  # the fake camera of this test
    rig.run(lambda: len(seen) > 6)
    assert all(what != "lamps" or lamps.wall is None for what, lamps in rig.effects)  # type: ignore[attr-defined]  # effects name their detail


DEAL = opened(random_walls(1))
BUILDING = TableState(making=Making(WallStage.BUILDING, DEAL, build=Build(surveyed=True)))
WHOLE = Build(placed={each: DEAL.wanted(each) for each in DEAL.positions}, surveyed=True)
READY = TableState(making=Making(WallStage.READY, DEAL, build=WHOLE))


def moves(state: TableState) -> list[Command]:
    return [event.command for event in due_events(SETUP, state) if isinstance(event, OperationIssued)]


def test_two_tiles_in_a_gate_at_once_go_round_unread() -> None:
    back = next(iter(SETUP.sets))
    tile = GateTile(7, back, doubled=True, reads=(Tile.M1,) * SETUP.frames_to_agree)
    doubled = replace_state(BUILDING.making, back=back, build=replace_state(BUILDING.making.build, gates={0: tile}, feeding=True))
    assert moves(replace_state(BUILDING, making=doubled)) == [Recirculate(0)]


def test_nothing_moves_while_a_fault_of_the_machine_stands() -> None:
    assert (moves(BUILDING), moves(READY)) == ([Feed()], [Raise()])
    for fault in (emergency_stop(), open_drum_lid(), feeder_fault(FaultCode.JAM, 0)):
        assert [moves(replace_state(state, faults=(fault,))) for state in (BUILDING, READY)] == [[], []]


def test_after_a_restart_a_tile_on_its_way_into_a_cell_is_of_no_known_kind() -> None:
    under_way = (OperationIssued(7, Bypass(0), Tile.M1), OperationIssued(8, Place(0, 3, 0), Tile.M2))
    started = apply(SETUP, replace_state(BUILDING, pending=under_way), ControllerStarted("j", "1", resumed=True, first_operation=9))
    assert [(each.operation, each.tile) for each in started.pending] == [(7, None), (8, Tile.M2)]


@pytest.mark.slow
def test_a_killed_controller_goes_on_with_the_wall_as_it_stands(make_rig: MakeRig) -> None:
    rig = make_rig()
    rig.run(lambda: len(rig.state.making.build.placed) >= 100)
    before = len(rig.feeder.commands)
    rig.die(power_cut=False)
    rig.build()
    later = [command for _, command in rig.feeder.commands[before:]]
    assert sum(isinstance(command, Place) for command in later) <= 40
    assert sum(isinstance(command, Return) for command in later) <= rig.feeder.capabilities.bypass_cells


@pytest.mark.slow
def test_the_feeder_need_not_keep_an_event_only_when_it_is_on_disk(make_rig: MakeRig) -> None:
    rig = make_rig()
    safe, acknowledged = [0], []

    def effect(what: str, detail: object) -> None:
        if what == "fsync":
            safe[0] = rig.state.last_event
        if what == "acknowledge":
            assert isinstance(detail, int)
            acknowledged.append(detail)
            assert detail <= safe[0], "acknowledged before it was on disk"

    rig._effect = effect  # type: ignore[method-assign]  # looking on
    rig.build()
    assert acknowledged[-1] == rig.happened(FeederEventTaken)[-1].number
    assert len(acknowledged) < rig.state.last_event
