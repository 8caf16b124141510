"""A rehearsed venue at its hall's broker: sends each table's ledger from its acknowledged line on, as a table does, and answers the
centre's orders, as the hall's server does. One connection does it for all tables of the venue."""

import threading
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from tools.rehearsal.scripted_venue import ScriptedMessage, ScriptedTable, ScriptedVenue
from twinwall.game.documents import DocumentError
from twinwall.wire.messages.venue_messages import read_resend_order
from twinwall.wire.mqtt.broker_address import BrokerAddress, Credentials
from twinwall.wire.mqtt.centre_topics import FOR_SERVER, CentreOrder, heard_order, repeat_topic
from twinwall.wire.mqtt.link import MqttLink

WINDOW = 64
"""Lines of a table that may be on their way to the broker at a time."""
HEAD_EVERY = 32
"""While more lines wait to be sent, one head covers so many, as at a real table."""
BEAT_S = 10.0
"""So often statement, keys and last heads are said again."""


@dataclass(slots=True)
class _Outbox:
    """One table's ledger on its way."""

    table: ScriptedTable
    acknowledged: int = 0
    sent: int = 0
    headed: int = 0
    arrived: set[int] = field(default_factory=set)


class VenuePlayer:
    """Listens to its own link; ``advance`` is called from time to time."""

    def __init__(self, venue: ScriptedVenue, broker: BrokerAddress, credentials: Credentials) -> None:
        self.venue = venue
        self.answered = 0
        """Lines that were sent again."""
        self.notices: list[str] = []
        """What the centre told the venue's staff."""
        self._boxes = [_Outbox(table) for table in venue.tables]
        self._tokens: dict[int, tuple[_Outbox, int]] = {}
        self._lock = threading.Lock()
        self._beat_s = 0.0
        """When statement, keys, heads and heartbeats are due."""
        orders = [heard_order(order) for order in FOR_SERVER]
        self.link = MqttLink(broker, credentials, self, subscriptions=orders)

    def advance(self, share: float, at: datetime, now_s: float) -> None:
        """Play up to this share of the session, and send what is due."""
        with self._lock:
            for box in self._boxes:
                box.table.play(share, at)
                self._send_new(box)
            if now_s >= self._beat_s:
                self._beat_s = now_s + BEAT_S * (1 if self._beat_s else self._boxes[0].table.ahead)  # venues do not speak in step either
                self._introduce()
                self._publish(box.table.head(box.sent) for box in self._boxes if box.sent)
                self._publish(box.table.heartbeat(at) for box in self._boxes)

    def connected(self) -> None:
        """Say who the venue is, and go on from the acknowledged lines."""
        with self._lock:
            self._introduce()
            for box in self._boxes:
                self._send_new(box)

    def disconnected(self, reason: str) -> None:  # noqa: ARG002 - the rehearsal knows what it has killed
        """Whatever was on its way is void."""
        with self._lock:
            self._tokens.clear()
            for box in self._boxes:
                box.arrived.clear()
                box.sent = box.headed = box.acknowledged

    def published(self, token: int) -> None:
        """The hall's broker has taken over a line."""
        with self._lock:
            box, seq = self._tokens.pop(token, (None, 0))
            if box is None:
                return
            box.arrived.add(seq)
            while box.acknowledged + 1 in box.arrived:
                box.acknowledged += 1
                box.arrived.remove(box.acknowledged)
            self._send_new(box)

    def message(self, topic: str, payload: bytes) -> None:
        """An order of the centre."""
        if topic == heard_order(CentreOrder.NOTICE):
            self.notices.append(payload.decode(errors="replace"))
            return
        try:
            order = read_resend_order(payload)
        except DocumentError as error:
            self.problem(f"an order of the centre is not understood: {error}")
            return
        with self._lock:
            again = self.venue.answer(order)
            self.answered += max(0, len(again) - 1)
            self._publish(ScriptedMessage(repeat_topic(each.topic), each.payload) for each in again)

    def problem(self, sentence: str) -> None:
        """Something was not understood."""
        self.notices.append(sentence)

    def _introduce(self) -> None:
        self._publish((self.venue.statement, self.venue.announcement))

    def _publish(self, messages: Iterable[ScriptedMessage]) -> None:
        for each in messages:
            self.link.publish(each.topic, each.payload)

    def _send_new(self, box: _Outbox) -> None:
        while box.sent < len(box.table.lines) and box.sent - box.acknowledged < WINDOW:
            line = box.table.line(box.sent + 1)
            token = self.link.publish(line.topic, line.payload)
            if token is None:
                return
            box.sent += 1
            self._tokens[token] = box, box.sent
        if box.sent - box.headed >= HEAD_EVERY or box.headed < box.sent == len(box.table.lines):
            box.headed = box.sent
            self._publish([box.table.head(box.sent)])
