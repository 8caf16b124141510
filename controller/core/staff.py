"""What CONFIRM means when it is pressed by whoever looks after the table: what was asked for has been done."""

from __future__ import annotations

from controller.ledger.journal_events import JournalEvent, OperationIssued
from controller.state.faults import MACHINE_FAULT, MISSING, STAFF_FAULTS
from controller.state.table_state import TableState
from controller.wall.survey import WELL
from firmware_bridge.messages import Clear, CloseWell, Command, FaultCode
from twinwall.wire.events.trouble_events import FaultCleared


def done(state: TableState) -> tuple[JournalEvent, ...]:
    """Staff have dealt with what stands: the well closes, the machine may move again. Empty when nothing waits for them."""
    events: tuple[JournalEvent, ...] = ()
    commands: list[Command] = []
    for fault in state.faults:
        if fault.code in STAFF_FAULTS:
            events = (*events, FaultCleared(fault.code))
            commands += [CloseWell()] if fault.code == MISSING and fault.where == WELL else []
        elif fault.code.startswith(MACHINE_FAULT):
            events = (*events, FaultCleared(fault.code))
            commands.append(Clear(FaultCode[fault.code.removeprefix(MACHINE_FAULT).upper().replace("-", "_")]))
    numbered = enumerate(commands, state.next_operation)
    return (*events, *(OperationIssued(operation, command, None) for operation, command in numbered))
