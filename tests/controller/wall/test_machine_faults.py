"""Faults of the machine: named to staff, and cleared at the feeder when staff confirm."""

from dataclasses import replace

import pytest

from controller.core.apply import apply
from controller.core.decide import decide
from controller.ledger.journal_events import JournalEvent, OperationIssued
from controller.state.keys import KeyPressed
from controller.state.messages import Message, PartFound, PartLost, Refused
from controller.state.table_state import TableState
from firmware_bridge import messages as wire
from firmware_bridge.link import events as feeder
from tests.support.controller.rigs import set_up
from twinwall.wire.events.trouble_events import FaultCleared, LinkLost, LinkRestored, TableFault
from twinwall.wire.shapes.panel import Key

SETUP = set_up()


def told(state: TableState, message: Message) -> tuple[TableState, tuple[JournalEvent, ...]]:
    events = decide(SETUP, state, message)
    assert not isinstance(events, Refused)
    for event in events:
        state = apply(SETUP, state, event)
    return state, events


def test_a_fault_of_the_feeder_is_named_with_its_place() -> None:
    state, events = told(TableState(), wire.Fault(wire.FaultCode.JAM, wire.Where.GATE, 7, number=1))
    fault = next(event for event in events if isinstance(event, TableFault))
    assert fault.code == "feeder-jam"
    assert "press CONFIRM" in fault.sentence
    assert state.faults == (fault,)


def test_confirm_clears_the_fault_at_the_feeder_and_at_the_table() -> None:
    state, _ = told(TableState(), wire.Fault(wire.FaultCode.DOUBLE_FEED, wire.Where.GATE, 7, number=1))
    state, events = told(state, KeyPressed(2, Key.CONFIRM))
    assert FaultCleared("feeder-double-feed") in events
    assert [event.command for event in events if isinstance(event, OperationIssued)] == [wire.Clear(wire.FaultCode.DOUBLE_FEED)]
    assert state.faults == ()


def test_two_faults_are_cleared_under_two_operations() -> None:
    state, _ = told(TableState(), wire.Fault(wire.FaultCode.JAM, wire.Where.GATE, 7, number=1))
    state, _ = told(state, wire.Fault(wire.FaultCode.SHUTTLE, wire.Where.SHUTTLE, 7, number=2))
    _, events = told(state, KeyPressed(0, Key.CONFIRM))
    operations = [event.operation for event in events if isinstance(event, OperationIssued)]
    assert len(set(operations)) == 2


def test_a_panel_whose_pins_fail_is_lost_until_they_work_again() -> None:
    state, events = told(TableState(), PartLost("panel"))
    assert events == (LinkLost("panel"),)
    state, events = told(state, PartFound("panel"))
    assert events == (LinkRestored("panel"),)
    assert not state.lost


@pytest.mark.parametrize(
    ("on", "off", "fault", "code"),
    [
        (wire.Estop(True, number=1), wire.Estop(False, number=2), "estop", wire.FaultCode.ESTOP),
        (wire.Lid(True, number=1), wire.Lid(False, number=2), "lid", wire.FaultCode.LID),
    ],
)
def test_after_a_lid_or_an_emergency_stop_the_feeder_stands_until_somebody_confirms(
    on: wire.Estop | wire.Lid, off: Message, fault: str, code: wire.FaultCode
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
    assert [event.command for event in events if isinstance(event, OperationIssued)] == [wire.Clear(code)]
    assert state.faults == ()


def test_a_lid_that_was_shut_while_the_feeder_had_no_power_is_open_no_more() -> None:
    state, _ = told(TableState(), wire.Lid(True, number=1))
    hello = wire.HelloAck(1, 1, b"feeder 1", 77, wire.ResetReason.POWER_ON, bytes(8), bytes(8), 0, 1)
    state, _ = told(state, feeder.LinkUp(hello, False, 0, wire.Capabilities(), ()))
    assert state.faults == ()
