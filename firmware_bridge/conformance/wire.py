"""The two ports of the conformance suite: ``Wire`` for bytes and time, ``Hands`` for what a person does at the machine.

Through them the same rules run on a serial port in wall time with a person, and in memory in simulated time.
"""

from enum import Enum
from typing import Protocol


class Wire(Protocol):
    """A line to one machine, opened for the suite alone."""

    def write(self, sent: bytes) -> None:
        """Send bytes; raises OSError when the line has gone."""

    def read(self, wait_s: float) -> bytes:
        """Bytes that have come, after waiting ``wait_s`` seconds at most for the first; empty when none came."""

    def now_s(self) -> float:
        """The clock by which ``wait_s`` is counted."""


class HandsAct(Enum):
    """All that the suite may ask of a person at the machine, as he is asked; some acts are at one ``seat``."""

    PRESS_ESTOP = "Press the emergency stop."
    RELEASE_ESTOP = "Release the emergency stop."
    OPEN_LID = "Open the drum's lid."
    CLOSE_LID = "Close the drum's lid."
    TAKE_HAND = "Take all tiles from the hand places of {seat}, and keep them."
    LIFT_DRAW = "Lift the tile at the draw gate of {seat}; if it is locked, pull at it and let go."
    LIFT_REAR = "Lift the tile at the rear gate of {seat}."
    PUT_BACK_DRAW = "Put the tile that you lifted last back into the draw gate of {seat}."
    DROP_INTO_WELL = "Drop all tiles that you hold into the well, one after the other."
    HOLD_GATE_TILE = "Hold the tile in the gate with a wooden stick, so that it cannot leave; no finger."
    TAKE_GATE_TILE = "Take stick and tile out of the gate, and put the tile into the drum; shut the lid again."
    BLOCK_DRUM = "Open the lid, lay a cloth between drum and gate so that no tile comes out, and shut the lid."
    FREE_DRUM = "Open the lid, take the cloth out, and shut the lid."
    PULL_END_SWITCH = "Pull the plug of the end switch of the shuttle of {seat} (HOME)."
    PLUG_END_SWITCH = "Put the plug of that end switch back."
    PULL_PLACE_FLAG = "Pull the plug of the place flag of the shuttle of {seat} (AT_PLACE)."
    PLUG_PLACE_FLAG = "Put the plug of that place flag back."
    PULL_GRIPPER = "Pull the plug of the switch that sees the gripper of {seat} up (GRIPPER_UP)."
    PLUG_GRIPPER = "Put the plug of that gripper's switch back."
    BRIDGE_GRIPPER = "Pull that plug at {seat}, and bridge the wires to the board, so that the gripper always reads as up."
    FREE_GRIPPER = "Take the bridge out, and put that plug back."
    PULL_DRIVER_LINE = "Pull the plug of the line of the drivers' faults (DRIVER_FAULT)."
    PLUG_DRIVER_LINE = "Put the plug of that line back."
    PULL_DRUM_MONITOR = "Pull the plug of the drum's monitor (DRUM_TURNS)."
    PLUG_DRUM_MONITOR = "Put the plug of that monitor back."
    BRIDGE_DRUM_MONITOR = "Pull that plug, and bridge the wires to the board, so that the drum always reads as turning."
    FREE_DRUM_MONITOR = "Take that bridge out, and put the plug back."
    PULL_LIFT_SWITCH = "Pull the plug of the switch that sees the lift down (LIFT_DOWN)."
    PLUG_LIFT_SWITCH = "Put the plug of the lift's switch back."
    BRIDGE_LIFT_SWITCH = "Pull that plug, and bridge the wires to the board, so that the lift always reads as down."
    FREE_LIFT_SWITCH = "Take the bridge of the lift out, and put its plug back."
    PULL_HAND_SWITCH = "Pull the plug of the switch of the first hand place of seat 0 (MAGAZINE_0_0)."
    PLUG_HAND_SWITCH = "Put the plug of that hand place's switch back."
    DRAW_BOLT = "Draw the bolt of the draw gate of {seat} with a finger, or move its shutter, so that it stands open, and hold it."
    LET_BOLT_GO = "Let that bolt or shutter go."
    PULL_DOOR_SWITCH = "Pull the plug of the switch that sees the well shut (DOOR_IS_SHUT)."
    PLUG_DOOR_SWITCH = "Put the plug of that switch back."
    RESTART = "Press the reset button of the feeder's controller, or cut its power and bring it back."


class Hands(Protocol):
    """The person at the machine. The line is kept alive during an action."""

    def begin(self, act: HandsAct, seat: int) -> None:
        """Begin to do it; returns at once."""

    def finished(self) -> bool:
        """Whether what was begun last is done."""
