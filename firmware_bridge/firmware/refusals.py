"""Whether an operation that moves something may be taken on, and why not. Pure: it looks and changes nothing.

What an actuator is about to do counts as done, because each works in the order of its operations: a
place that is about to be filled is filled, and a bypass cell is judged as it will be then.
"""

from __future__ import annotations

from dataclasses import dataclass

from firmware_bridge.firmware.occupancy import SEATS, Occupancy
from firmware_bridge.firmware.under_way import UnderWay, seats_of
from firmware_bridge.messages import (
    ALL_SEATS,
    Bypass,
    Capabilities,
    CloseWell,
    Command,
    Container,
    Dump,
    NakCode,
    OpenWell,
    Place,
    Raise,
    Recirculate,
    Reject,
    Release,
    Return,
)
from firmware_bridge.messages.routes import gate_of, is_exchanged


@dataclass(frozen=True, slots=True)
class Refusals:
    """Judges commands by what lies where and what is under way."""

    capabilities: Capabilities
    places: Occupancy
    under_way: UnderWay

    def of(self, command: Command) -> NakCode | None:
        """Why a command cannot be taken on; None when it can."""
        match command:
            case Place(gate=gate):
                return self._of_gate(gate) or self._of_place(command)
            case Bypass(cell):
                gate = self.capabilities.gate_of_cell(cell) if cell in self.capabilities.cells else 0
                return self._of_gate(gate) or self._of_cell(cell, filled=False)
            case Recirculate(gate) | Reject(gate):
                return self._of_gate(gate)
            case Release(cell):
                return self._of_cell(cell, filled=True) or self._of_place(command)
            case Return(seat, position):
                return self._of_return(seat, position)
            case Dump(container, seat):
                return self._of_dump(container, seat)
            case Raise():
                return self._of_raise()
            case OpenWell() | CloseWell():
                return NakCode.BUSY if self.under_way.door else None
            case _:
                return NakCode.UNKNOWN_COMMAND

    def _of_gate(self, gate: int) -> NakCode | None:
        if gate >= self.capabilities.gates:
            return NakCode.NO_SUCH_PLACE
        if self.under_way.gate_jobs[gate] is not None:
            return NakCode.BUSY
        return NakCode.NO_TILE if self.places.gates[gate] is None else None

    def _of_place(self, command: Place | Release) -> NakCode | None:
        seat, position = command.seat, command.position
        if seat not in SEATS or position >= self.capabilities.tray_places:
            return NakCode.NO_SUCH_PLACE
        if self.under_way.cams_busy:
            return NakCode.BUSY
        lying = self.places.trays[seat]
        filled = lying | self.under_way.targets(seat)
        if filled >> position & 1:
            return NakCode.OCCUPIED
        below = self.capabilities.support_below(position)
        supporting = filled if self.capabilities.gates == 1 else lying  # from several gates tiles come in any order
        if below is not None and not supporting >> below & 1:
            return NakCode.UNSUPPORTED
        shuttle = self.capabilities.shuttle_of(seat, position)
        return NakCode.BUSY if self.under_way.waiting_at(shuttle) > self.capabilities.shuttle_queue else self._of_exchange(command)

    def _of_exchange(self, command: Place | Release) -> NakCode | None:
        if not is_exchanged(self.capabilities, command):
            return None
        if not self.capabilities.exchangers:
            return NakCode.NO_SUCH_PLACE
        filling = self.under_way.pocket_filling(gate_of(self.capabilities, command))
        return NakCode.BUSY if filling >= self.capabilities.pocket_places else None

    def _of_cell(self, cell: int, *, filled: bool) -> NakCode | None:
        if cell not in self.capabilities.cells:
            return NakCode.NO_SUCH_PLACE
        will_be_filled = bool(self.places.cells >> cell & 1)
        for job in self.under_way.of_lane(self.capabilities.gate_of_cell(cell)):
            if isinstance(job.command, Bypass | Release) and job.command.cell == cell:
                will_be_filled = isinstance(job.command, Bypass)
        if will_be_filled is filled:
            return None
        return NakCode.EMPTY if filled else NakCode.OCCUPIED

    def _of_return(self, seat: int, position: int) -> NakCode | None:
        if seat not in SEATS or position >= self.capabilities.tray_places:
            return NakCode.NO_SUCH_PLACE
        if self.under_way.returning or any(self.under_way.of_seat(seat)) or self.under_way.cams_busy:
            return NakCode.BUSY
        tray = self.places.trays[seat]
        if not tray >> position & 1:
            return NakCode.EMPTY
        above = self.capabilities.covered_by(position)
        return NakCode.COVERED if above is not None and tray >> above & 1 else None

    def _of_dump(self, container: Container, seat: int) -> NakCode | None:
        if seat not in SEATS and seat != ALL_SEATS:
            return NakCode.NO_SUCH_PLACE
        shuttles_busy = container is Container.TRAY and any(True for each in seats_of(seat) for _ in self.under_way.of_seat(each))
        return NakCode.BUSY if self.under_way.cams_busy or shuttles_busy else None

    def _of_raise(self) -> NakCode | None:
        if self.under_way.cams_busy or any(self.under_way.shuttles):
            return NakCode.BUSY
        return NakCode.OCCUPIED if any(self.places.magazines) else None
