"""A status put together from its three parts, which must be of the same instant."""

from firmware_bridge.link.events import FeederStatus, places_in
from firmware_bridge.messages import StatusCounters, StatusPlaces, StatusState


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
        trays, magazines = (tuple(map(places_in, masks)) for masks in (places.trays, places.magazines))
        return FeederStatus(state, trays, magazines, counters)
