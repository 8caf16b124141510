"""Hands for the conformance suite: those of a person who is asked in words, or of the simulated table."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import Protocol, assert_never

from firmware_bridge.conformance.wire import (
    CloseLid,
    Deed,
    DropIntoWell,
    HoldGateTile,
    LiftDraw,
    LiftRear,
    OpenLid,
    PressEstop,
    PutBackDraw,
    ReleaseEstop,
    Restart,
    TakeGateTile,
    TakeHand,
)
from simulator.physical_tiles import PhysicalTile

_SEATS = ("seat 0", "seat 1, to the right of seat 0", "seat 2, opposite seat 0", "seat 3, to the left of seat 0")
_WHOLE_HAND = 40


class HandledTable(Protocol):
    """A simulated machine as hands touch it; ``FeederSimulator`` is one."""

    def take_hand_tiles(self, place: int, count: int) -> tuple[PhysicalTile, ...]:
        """Take up to ``count`` tiles from the hand places of a seat."""

    def lift_draw(self, place: int) -> PhysicalTile | None:
        """Lift the tile at a draw gate; None when it is locked."""

    def lift_at_rear(self, place: int) -> PhysicalTile | None:
        """Lift the tile at a rear gate; None when it is locked."""

    def put_back(self, place: int, tile: PhysicalTile) -> None:
        """Put a tile back into the draw gate."""

    def drop_into_well(self, tiles: Iterable[PhysicalTile]) -> None:
        """Push tiles into the well."""

    def hold_gate_tile(self) -> None:
        """Keep the tile in the gate from leaving it."""

    def take_gate_tile(self) -> None:
        """Take the tile that is held out of the gate and put it into the drum."""

    def set_lid(self, opened: bool) -> None:
        """Open or close the drum's lid."""

    def set_estop(self, on: bool) -> None:
        """Press or release the emergency stop."""

    def reboot(self) -> None:
        """Cut the firmware's power and bring it back."""


class SimulatedHands:
    """Does at the simulated table what a person would do at a real one."""

    def __init__(self, table: HandledTable) -> None:
        self._table = table
        self._held: list[PhysicalTile] = []

    def finished(self) -> bool:
        """Nothing here takes time."""
        return True

    def begin(self, deed: Deed) -> None:
        """Do it."""
        match deed:
            case PressEstop() | ReleaseEstop():
                self._table.set_estop(isinstance(deed, PressEstop))
            case OpenLid() | CloseLid():
                self._table.set_lid(isinstance(deed, OpenLid))
            case TakeHand(seat):
                self._held += self._table.take_hand_tiles(seat, _WHOLE_HAND)
            case LiftDraw(seat) | LiftRear(seat):
                lifted = self._table.lift_draw(seat) if isinstance(deed, LiftDraw) else self._table.lift_at_rear(seat)
                self._held += [] if lifted is None else [lifted]
            case PutBackDraw(seat):
                self._table.put_back(seat, self._held.pop())
            case DropIntoWell():
                held, self._held = self._held, []
                self._table.drop_into_well(held)
            case HoldGateTile():
                self._table.hold_gate_tile()
            case TakeGateTile():
                self._table.take_gate_tile()
            case Restart():
                self._table.reboot()
            case _:
                assert_never(deed)


class PersonsHands:
    """Asks a person in words; ``ask`` shows a sentence and returns once it is done, in a thread of its own."""

    def __init__(self, ask: Callable[[str], None]) -> None:
        self._ask = ask
        self._asking: threading.Thread | None = None

    def begin(self, deed: Deed) -> None:
        """Ask for it."""
        self._asking = threading.Thread(target=self._ask, args=(in_words(deed),), name="hands", daemon=True)
        self._asking.start()

    def finished(self) -> bool:
        """Whether the person has said so."""
        return self._asking is None or not self._asking.is_alive()


def in_words(deed: Deed) -> str:
    """What a person is asked to do."""
    match deed:
        case TakeHand(seat):
            return f"Take all tiles from the hand places of {_SEATS[seat]}, and keep them."
        case LiftDraw(seat):
            return f"Lift the tile at the draw gate of {_SEATS[seat]}; if it is locked, pull at it and let go."
        case LiftRear(seat):
            return f"Lift the tile at the rear gate of {_SEATS[seat]}."
        case PutBackDraw(seat):
            return f"Put the tile that you lifted last back into the draw gate of {_SEATS[seat]}."
        case _:
            return _WORDS[type(deed)]


_WORDS: dict[type[Deed], str] = {
    PressEstop: "Press the emergency stop.",
    ReleaseEstop: "Release the emergency stop.",
    OpenLid: "Open the drum's lid.",
    CloseLid: "Close the drum's lid.",
    DropIntoWell: "Drop all tiles that you hold into the well, one after the other.",
    HoldGateTile: "Hold the tile in the gate with a wooden stick, so that it cannot leave; no finger.",
    TakeGateTile: "Take stick and tile out of the gate, and put the tile into the drum; shut the lid again.",
    Restart: "Press the reset button of the feeder's controller, or cut its power and bring it back.",
}
