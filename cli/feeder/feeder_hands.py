"""Hands for the conformance suite: a person who is asked in words, or the simulated table."""

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Protocol

from firmware_bridge.conformance.wire import HandsAct
from firmware_bridge.electrics.drives import Part
from firmware_bridge.electrics.wiring import Input
from simulator.mechanics.hands import MachineHands
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
    "HAND_SWITCH": Input.MAGAZINE,
    "LIFT_SWITCH": Input.LIFT_DOWN,
}
"""What is pulled, plugged in, bridged or freed, by its name in the act; at seats, the first one."""


class HandledTable(Protocol):
    """A simulated machine that hands can touch, such as ``FeederSimulator``."""

    def acting(self) -> AbstractContextManager[tuple[MachineHands, float]]:
        """The hands at the machine, and its present time, at which they act."""

    def reboot(self) -> None:
        """Cut the firmware's power and bring it back."""


class SimulatedHands:
    """Does at the simulated table what a person would do at a real one."""

    def __init__(self, table: HandledTable) -> None:
        self._table = table
        self._held: list[PhysicalTile] = []

    def finished(self) -> bool:
        """Always True: nothing here takes time."""
        return True

    def begin(self, act: HandsAct, seat: int) -> None:
        if act is HandsAct.RESTART:
            self._table.reboot()
            return
        with self._table.acting() as (hands, now_s):
            match act:
                case HandsAct.PRESS_ESTOP | HandsAct.RELEASE_ESTOP:
                    hands.set_estop(act is HandsAct.PRESS_ESTOP, now_s)
                case HandsAct.OPEN_LID | HandsAct.CLOSE_LID:
                    hands.set_lid(act is HandsAct.OPEN_LID, now_s)
                case HandsAct.DRAW_BOLT | HandsAct.LET_BOLT_GO:
                    hands.draw_bolt(seat, now_s, drawn=act is HandsAct.DRAW_BOLT)
                case HandsAct.TAKE_HAND:
                    self._held += hands.take_hand_tiles(seat, _WHOLE_HAND, now_s)
                case HandsAct.LIFT_DRAW | HandsAct.LIFT_REAR:
                    lifted = hands.lift_draw(seat, now_s) if act is HandsAct.LIFT_DRAW else hands.lift_at_rear(seat, now_s)
                    self._held += [] if lifted is None else [lifted]
                case HandsAct.PUT_BACK_DRAW:
                    hands.put_back(seat, self._held.pop(), now_s)
                case HandsAct.DROP_INTO_WELL:
                    held, self._held = self._held, []
                    hands.drop_into_well(held, now_s)
                case HandsAct.HOLD_GATE_TILE:
                    hands.hold_gate_tile(now_s)
                case HandsAct.TAKE_GATE_TILE:
                    hands.free((Part.DIVERTER, 0), now_s)
                case HandsAct.BLOCK_DRUM | HandsAct.FREE_DRUM:
                    hands.block_drum(now_s, blocked=act is HandsAct.BLOCK_DRUM)
                case _:
                    verb, _, plug = act.name.partition("_")
                    hands.pull_plug(_PLUGS[plug] + seat, now_s, pulled=verb in ("PULL", "BRIDGE"), reads=verb == "BRIDGE")


class PersonsHands:
    """Asks a person in words; ``ask`` shows a sentence, and returns once it is done; it runs in its own thread."""

    def __init__(self, ask: Callable[[str], None]) -> None:
        self._ask = ask
        self._asking: threading.Thread | None = None

    def begin(self, act: HandsAct, seat: int) -> None:
        self._asking = threading.Thread(target=self._ask, args=(in_words(act, seat),), name="hands", daemon=True)
        self._asking.start()

    def finished(self) -> bool:
        """Whether the person has confirmed it."""
        return self._asking is None or not self._asking.is_alive()


def in_words(act: HandsAct, seat: int) -> str:
    """What a person is asked to do."""
    return act.value.format(seat=_SEATS[seat])
