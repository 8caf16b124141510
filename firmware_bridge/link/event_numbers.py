"""Numbers of device events: one is the next that the user has not had, others the user has taken over."""


class EventNumbers:
    """Counts on from the last event that the user took over."""

    def __init__(self, taken_over: int) -> None:
        self.taken_over = taken_over
        self._next = taken_over + 1

    def is_next(self, number: int) -> bool:
        """An event has come; whether the user gets it now."""
        is_next = number == self._next
        self._next += is_next
        return is_next

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
