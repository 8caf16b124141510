"""The last heartbeat over a link, until the broker has taken it: more heartbeats would delay a slow broker further."""


class LastHeartbeat:
    """A link's tokens rise, and one may be reported as taken before ``publish`` has returned it. Any thread may call."""

    def __init__(self) -> None:
        self._sent: int | None = None
        self._taken = 0

    @property
    def is_under_way(self) -> bool:
        """Whether the broker has not taken it yet."""
        return self._sent is not None and self._sent > self._taken

    def sent(self, token: int | None) -> None:
        """One was published; None if the broker is away."""
        self._sent = token

    def taken(self, token: int) -> None:
        """The broker has taken this message, a heartbeat or another one."""
        self._taken = max(self._taken, token)

    def void(self) -> None:
        """There is a new connection: messages under way on an earlier one are lost."""
        self._sent = None
