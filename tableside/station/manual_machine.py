"""The machine that the board of a station is wired to: its drives go to people, and their confirmations come back as edges."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from firmware_bridge.electrics.drives import Drive
from firmware_bridge.electrics.edges import Edge, GateReading, Levels, Sensor
from tableside.station.confirmed_places import ConfirmedPlaces
from tableside.station.drives import take_drive
from tableside.station.manual_state import ManualState
from tableside.station.sizes import ManualFeederSizes

_RETURN_S = 0.02
"""So long a fetched tile waits before the gate: the board has to see it there."""


class ManualMachine:
    """A ``WiredMachine`` without motors. What an edge tells of is on disk before the board hears of it."""

    held = False
    """It has neither a lid nor an emergency stop."""
    unplugged: Mapping[int, bool] = MappingProxyType({})

    def __init__(self, state: ManualState, keep: Callable[[ConfirmedPlaces], None]) -> None:
        """``keep`` puts what lies where on disk."""
        self._state = state
        self._keep = keep
        self._kept = state.memory

    @property
    def settings(self) -> ManualFeederSizes:
        """The table's sizes."""
        return self._state.sizes

    @property
    def changes(self) -> int:
        """Grows whenever a sensor may have changed."""
        return self._state.changes

    @property
    def carried(self) -> int:
        """Bit per seat whose shuttle holds a tile: somebody has it in hand."""
        return sum(1 << seat for seat in self._state.grippers)

    @property
    def drum_empty(self) -> bool:
        """Whether somebody has said that no tile is left on the heap."""
        return self._state.none_left

    @property
    def door_open(self) -> bool:
        """Whether tiles are to be gathered."""
        return self._state.memory.door_open

    def drive(self, drive: Drive, now_s: float) -> None:
        """Turn a drive into a task; what needs no person happens at once."""
        self._state.now_s = now_s
        take_drive(self._state, drive)
        self._state.follow()
        self._state.changes += 1

    def advance(self, now_s: float) -> list[Edge]:
        """The edges since the last call; what they tell is on disk by then."""
        state = self._state
        self._end_motions(now_s)
        if state.memory != self._kept:
            self._keep(state.memory)
            self._kept = state.memory
        edges, state.edges = state.edges, []
        return edges

    def next_edge_s(self) -> float | None:
        """At once when edges wait; a person's moment is not known before."""
        due = (self._state.now_s if self._state.edges else None, self._state.home_at_s, self._returns_s())
        return min((time_s for time_s in due if time_s is not None), default=None)

    def levels(self) -> Levels:
        """What has been confirmed, in place of sensors."""
        memory = self._state.memory
        return Levels(
            cells=memory.cells,
            trays=memory.trays,
            magazines=memory.magazines,
            locks=sum(1 << gate for gate in self._state.draws),
            lid_open=False,
            estop=False,
        )

    def gate_tile(self, gate: int = 0) -> GateReading | None:
        """The tile in the frame as it was reported to the board."""
        return self._state.gate if gate == 0 else None

    def gripping(self, shuttle: int) -> bool:  # noqa: ARG002 - a method of WiredMachine
        """Never: a gripper takes no time."""
        return False

    def returned_at(self, gate: int) -> bool:
        """Whether a tile that was fetched waits before the gate."""
        return gate == 0 and self._state.returned_s is not None

    def exchanging(self, exchanger: int) -> bool:
        """Never: a table with one gate has no exchanger."""
        return exchanger < self.settings.exchangers

    def _returns_s(self) -> float | None:
        state = self._state
        return None if state.returned_s is None or not state.belt else state.returned_s + _RETURN_S

    def _end_motions(self, now_s: float) -> None:
        """A purge that needs no person ends, and a tile that was fetched slides into the gate."""
        state = self._state
        if state.home_at_s is not None and now_s >= state.home_at_s:
            state.now_s, state.home_at_s = now_s, None
            state.changes += 1
            state.tell(Sensor.HOME)
        returns_s = self._returns_s()
        if returns_s is not None and now_s >= returns_s:
            state.now_s, state.returned_s = now_s, None
            state.changes += 1
            state.enter_gate(returned=True)
