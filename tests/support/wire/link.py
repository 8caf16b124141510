"""A connection to a broker that keeps what was published; whether it takes anything is the test's business."""

from collections.abc import Callable


class FakeLink:
    """Takes what is published while it is ``up``; tokens count from 1."""

    def __init__(self, taken: Callable[[int], None] = lambda _: None) -> None:
        """``taken`` is told each token before ``publish`` returns it, as the thread of a fast broker may."""
        self.up, self._taken = True, taken
        self.sent: list[tuple[str, bytes]] = []

    def publish(self, topic: str, payload: bytes) -> int | None:
        if not self.up:
            return None
        self.sent.append((topic, payload))
        token = len(self.sent)
        self._taken(token)
        return token

    def on(self, topic: str) -> list[bytes]:
        return [payload for to, payload in self.sent if to == topic]
