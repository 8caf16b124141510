"""Numbers of device events: one is the next that the user has not had, others the user has taken over."""

from enum import Enum, auto


class EventArrival(Enum):
    """What an event is by its number."""

    NEXT = auto()
    TAKEN_OVER = auto()
    """The user has it for good, and the feeder does not know that yet."""
    OTHER = auto()
    """One that the user has had, or one after a gap: the feeder tells it again."""


class EventNumbers:
    """Counts on from the last event that the user took over."""

    def __init__(self, taken_over: int) -> None:
        self.taken_over = taken_over
        self._next = taken_over + 1

    def arrived(self, number: int) -> EventArrival:
        """An event has come."""
        if number == self._next:
            self._next += 1
            return EventArrival.NEXT
        return EventArrival.TAKEN_OVER if number <= self.taken_over else EventArrival.OTHER

    def take_over(self, number: int) -> bool:
        """The user has taken over every event up to this one; whether that is news."""
        news = number > self.taken_over
        self.taken_over = max(self.taken_over, number)
        return news

    def resume(self, next_of_feeder: int) -> bool:
        """The same boot answers again; whether it still keeps events that the user has taken over."""
        self._next = max(self._next, next_of_feeder)
        return self.taken_over >= next_of_feeder

    def begin(self, next_of_feeder: int) -> None:
        """Another boot answers: its numbers count."""
        self._next, self.taken_over = next_of_feeder, next_of_feeder - 1
