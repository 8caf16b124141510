"""The last heartbeat over a link, until the broker has taken it: a broker that cannot keep up would fall behind further with each."""


class LastHeartbeat:
    """Tokens of a link grow, and one may be reported as taken before ``publish`` has returned it. Any thread uses it."""

    def __init__(self) -> None:
        self._sent: int | None = None
        self._taken = 0

    @property
    def is_under_way(self) -> bool:
        """Whether the broker has still to take it."""
        return self._sent is not None and self._sent > self._taken

    def sent(self, token: int | None) -> None:
        """One was published; None where the broker is away."""
        self._sent = token

    def taken(self, token: int) -> None:
        """The broker has taken this message, a heartbeat or another one."""
        self._taken = max(self._taken, token)

    def void(self) -> None:
        """A new connection is there: what was on its way over an earlier one is lost."""
        self._sent = None
