"""A connection to a broker that keeps what was published; whether it takes anything is the test's business."""

from __future__ import annotations


class FakeLink:
    """Takes what is published while it is ``up``; tokens count from 1."""

    def __init__(self) -> None:
        self.up = True
        self.sent: list[tuple[str, bytes]] = []

    def publish(self, topic: str, payload: bytes) -> int | None:
        if not self.up:
            return None
        self.sent.append((topic, payload))
        return len(self.sent)

    def on(self, topic: str) -> list[bytes]:
        return [payload for to, payload in self.sent if to == topic]
