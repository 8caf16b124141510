"""CONFIRM by staff: which fault it clears, and what the table does then."""

from controller.ledger.journal_events import JournalEvent, OperationIssued
from controller.state.faults import FEEDER_FAULTS, MISSING, STAFF_FAULTS, WELL
from controller.state.table_state import TableState
from firmware_bridge.messages import Clear, CloseWell, Command
from twinwall.wire.events.trouble_events import FaultCleared


def done(state: TableState) -> tuple[JournalEvent, ...]:
    """Staff have dealt with the faults: the well closes, the feeder may move again. Empty when no fault waits for staff."""
    events: tuple[JournalEvent, ...] = ()
    commands: list[Command] = []
    for fault in state.faults:
        if fault.code in STAFF_FAULTS:
            events = (*events, FaultCleared(fault.code))
            commands += [CloseWell()] if fault.code == MISSING and fault.where == WELL else []
        elif fault.code in FEEDER_FAULTS:
            events = (*events, FaultCleared(fault.code))
            commands.append(Clear(FEEDER_FAULTS[fault.code]))
    numbered = enumerate(commands, state.next_operation)
    return (*events, *(OperationIssued(operation, command, None) for operation, command in numbered))
