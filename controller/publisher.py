"""Publishing the ledgers: the outbox is the ledger itself and the position up to which the broker has it.

The position is only a hint on disk: when it is lost, lines are published again, and receivers
drop what they have. A table plays on while nobody listens.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Protocol

from controller.public import PublicLedger
from twinwall.wire.commands import Health, MessageError, Resend, read_command, write_health
from twinwall.wire.topics import Channel, Topic

WINDOW = 64
"""Lines that may be on their way to the broker at a time."""

log = logging.getLogger(__name__)


class Link(Protocol):
    """What is needed of an MQTT connection."""

    def publish(self, topic: str, payload: bytes) -> int | None:
        """Send at QoS 1; the token that will be acknowledged, or None while not connected."""
        ...


class Outbox:
    """One ledger on its way to one topic."""

    def __init__(self, ledger: PublicLedger, topic: Topic, position_file: Path) -> None:
        """``position_file`` holds journal id and number of the last line that the broker has acknowledged."""
        self._ledger = ledger
        self._topic = str(topic)
        self._file = position_file
        self._acknowledged = self._stored()
        self._sent = self._acknowledged
        self._tokens: dict[int, int] = {}
        self._arrived: set[int] = set()
        self._again: dict[int, None] = {}
        """Numbers to send once more, in the order asked for, each once."""

    @property
    def acknowledged(self) -> int:
        """Number of the last line up to which the broker has all."""
        return self._acknowledged

    def pump(self, link: Link) -> None:
        """Send what may be sent now."""
        for number in list(self._again)[:WINDOW]:
            if link.publish(self._topic, self._ledger.lines[number - 1]) is None:
                return
            del self._again[number]
        while self._sent < len(self._ledger.lines) and self._sent - self._acknowledged < WINDOW:
            token = link.publish(self._topic, self._ledger.lines[self._sent])
            if token is None:
                return
            self._sent += 1
            self._tokens[token] = self._sent

    def published(self, token: int) -> None:
        """The broker has the line of this token."""
        number = self._tokens.pop(token, None)
        if number is None:
            return
        self._arrived.add(number)
        before = self._acknowledged
        while self._acknowledged + 1 in self._arrived:
            self._acknowledged += 1
            self._arrived.remove(self._acknowledged)
        if self._acknowledged != before:
            self._file.write_text(f"{self._ledger.journal} {self._acknowledged}\n")

    def connection_lost(self) -> None:
        """Whatever was on its way is void."""
        self._tokens.clear()
        self._arrived.clear()
        self._sent = self._acknowledged

    def resend(self, command: Resend) -> None:
        """A receiver lacks lines: send them again."""
        if command.journal == self._ledger.journal:
            self._again.update(dict.fromkeys(range(command.first, min(command.last, len(self._ledger.lines)) + 1)))

    def _stored(self) -> int:
        try:
            journal, number = self._file.read_text().split()
        except (FileNotFoundError, ValueError):
            return 0
        return min(int(number), len(self._ledger.lines)) if journal == self._ledger.journal and number.isdigit() else 0


class Publisher:
    """Listens to one MQTT link and sends both ledgers and the heartbeat; may be called from any thread."""

    def __init__(
        self, event: str, table: str, ledgers: tuple[PublicLedger, PublicLedger], folder: Path, now: Callable[[], datetime]
    ) -> None:
        """``ledgers`` are the table's and the open one, already caught up."""
        self._event, self._table, self._now = event, table, now
        self._ledger = ledgers[0]
        channels = (Channel.EVENTS, Channel.PUBLIC)
        self._boxes = tuple(
            Outbox(ledger, Topic(event, table, channel), folder / f"{channel}.position")
            for ledger, channel in zip(ledgers, channels, strict=True)
        )
        self._lock = threading.Lock()
        self.link: Link | None = None

    @property
    def command_topic(self) -> str:
        """What the link has to subscribe to."""
        return str(Topic(self._event, self._table, Channel.COMMAND))

    def pump(self) -> None:
        """The ledgers have grown: send."""
        if self.link is not None:
            with self._lock:
                for box in self._boxes:
                    box.pump(self.link)

    def beat(self, lost: tuple[str, ...]) -> None:
        """Tell the server that the table lives and how long its ledger is."""
        if self.link is not None:
            health = Health(self._table, self._ledger.journal, len(self._ledger.lines), self._now(), lost)
            self.link.publish(str(Topic(self._event, self._table, Channel.HEALTH)), write_health(health))

    def connected(self) -> None:
        """The broker is there."""
        self.pump()

    def disconnected(self, reason: str) -> None:
        """The broker is gone."""
        log.info("broker: %s", reason)
        with self._lock:
            for box in self._boxes:
                box.connection_lost()

    def published(self, token: int) -> None:
        """The broker has taken a line over."""
        with self._lock:
            for box in self._boxes:
                box.published(token)
        self.pump()

    def message(self, topic: str, payload: bytes) -> None:
        """A command has come."""
        try:
            command = read_command(payload)
        except MessageError as error:
            self.problem(f"a command on {topic} was refused: {error}")
            return
        with self._lock:
            self._boxes[0].resend(command)
        self.pump()

    def problem(self, sentence: str) -> None:
        """Something on the network was not understood."""
        log.warning("%s", sentence)
