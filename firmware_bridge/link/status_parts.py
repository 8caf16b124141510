"""A status put together from its three parts, which must be of the same instant."""

from __future__ import annotations

from firmware_bridge.link.events import FeederStatus
from firmware_bridge.messages import Flags, StatusCounters, StatusPlaces, StatusState


class StatusParts:
    """Collects parts until three of one snapshot are there; parts of another snapshot replace them."""

    def __init__(self) -> None:
        self._state: StatusState | None = None
        self._places: StatusPlaces | None = None
        self._counters: StatusCounters | None = None

    def take(self, part: StatusState | StatusPlaces | StatusCounters) -> FeederStatus | None:
        """Take one part; return the status when it is the last one missing."""
        match part:
            case StatusState():
                self._state = part
            case StatusPlaces():
                self._places = part
            case StatusCounters():
                self._counters = part
        state, places, counters = self._state, self._places, self._counters
        if state is None or places is None or counters is None:
            return None
        if not state.snapshot == places.snapshot == counters.snapshot:
            return None
        self._state = self._places = self._counters = None
        return _assemble(state, places, counters)


def _assemble(state: StatusState, places: StatusPlaces, counters: StatusCounters) -> FeederStatus:
    return FeederStatus(
        state=state.state,
        flags=state.flags,
        faults=state.active_faults,
        open_locks=_bits(state.open_locks),
        bypass=_bits(state.bypass),
        waiting=state.waiting,
        trays=tuple(_bits(mask) for mask in places.trays),
        magazines=tuple(_bits(mask) for mask in places.magazines),
        well=state.well,
        counters=counters,
        last_operation=state.last_operation,
        boot_id=state.boot_id,
        gates=_bits(state.gates) or frozenset({0} if Flags.GATE_OCCUPIED in state.flags else ()),
    )


def _bits(mask: int) -> frozenset[int]:
    return frozenset(bit for bit in range(mask.bit_length()) if mask >> bit & 1)
