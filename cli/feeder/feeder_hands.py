"""Hands for the conformance suite: those of a person who is asked in words, or of the simulated table."""

import threading
from collections.abc import Callable, Iterable
from typing import Protocol

from firmware_bridge.conformance.wire import HandsAct
from firmware_bridge.electrics.wiring import Input
from simulator.physical_tiles import PhysicalTile

_SEATS = ("seat 0", "seat 1, to the right of seat 0", "seat 2, opposite seat 0", "seat 3, to the left of seat 0")
_WHOLE_HAND = 40
_PLUGS = {
    "END_SWITCH": Input.HOME,
    "PLACE_FLAG": Input.AT_PLACE,
    "GRIPPER": Input.GRIPPER_UP,
    "DRIVER_LINE": Input.DRIVER_FAULT,
    "DRUM_MONITOR": Input.DRUM_TURNS,
    "DOOR_SWITCH": Input.DOOR_IS_SHUT,
}
"""What is pulled, plugged in, bridged or freed, by its name in the act; of those of seats the first."""


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

    def block_drum(self, blocked: bool) -> None:
        """Get something between drum and gate, or take it out."""

    def pull_plug(self, number: int, pulled: bool, reads: bool = False) -> None:
        """Pull the plug of an input, by its number, so that it ``reads`` low, or high where it is bridged; or put it back."""

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

    def begin(self, act: HandsAct, seat: int) -> None:
        """Do it."""
        match act:
            case HandsAct.PRESS_ESTOP | HandsAct.RELEASE_ESTOP:
                self._table.set_estop(act is HandsAct.PRESS_ESTOP)
            case HandsAct.OPEN_LID | HandsAct.CLOSE_LID:
                self._table.set_lid(act is HandsAct.OPEN_LID)
            case HandsAct.TAKE_HAND:
                self._held += self._table.take_hand_tiles(seat, _WHOLE_HAND)
            case HandsAct.LIFT_DRAW | HandsAct.LIFT_REAR:
                lifted = self._table.lift_draw(seat) if act is HandsAct.LIFT_DRAW else self._table.lift_at_rear(seat)
                self._held += [] if lifted is None else [lifted]
            case HandsAct.PUT_BACK_DRAW:
                self._table.put_back(seat, self._held.pop())
            case HandsAct.DROP_INTO_WELL:
                held, self._held = self._held, []
                self._table.drop_into_well(held)
            case HandsAct.HOLD_GATE_TILE:
                self._table.hold_gate_tile()
            case HandsAct.TAKE_GATE_TILE:
                self._table.take_gate_tile()
            case HandsAct.BLOCK_DRUM | HandsAct.FREE_DRUM:
                self._table.block_drum(act is HandsAct.BLOCK_DRUM)
            case HandsAct.RESTART:
                self._table.reboot()
            case _:
                verb, _, plug = act.name.partition("_")
                self._table.pull_plug(_PLUGS[plug] + seat, verb in ("PULL", "BRIDGE"), reads=verb == "BRIDGE")


class PersonsHands:
    """Asks a person in words; ``ask`` shows a sentence and returns once it is done, in a thread of its own."""

    def __init__(self, ask: Callable[[str], None]) -> None:
        self._ask = ask
        self._asking: threading.Thread | None = None

    def begin(self, act: HandsAct, seat: int) -> None:
        """Ask for it."""
        self._asking = threading.Thread(target=self._ask, args=(in_words(act, seat),), name="hands", daemon=True)
        self._asking.start()

    def finished(self) -> bool:
        """Whether the person has said so."""
        return self._asking is None or not self._asking.is_alive()


def in_words(act: HandsAct, seat: int) -> str:
    """What a person is asked to do."""
    return act.value.format(seat=_SEATS[seat])
