"""The MQTT connection, which reconnects by itself and stores nothing.

Payloads are sent at QoS 1, and the link reports acknowledgements. When the connection breaks, unacknowledged messages are void: the caller
sends again from its acknowledged position (the ledger is the outbox). Sessions are clean and nothing is retained, so a broker may lose
everything. A reader that must miss nothing asks for a persistent session and settles messages itself; the broker repeats the others.
Trailing spaces give topic and payload together one of few lengths; the receiving link removes them. Callbacks run on the link's thread;
nothing from the network raises into it.
"""

import logging
import select
import socket
import ssl
import struct
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from itertools import count
from typing import Protocol, TypeVar

from paho.mqtt import client as paho
from paho.mqtt.enums import CallbackAPIVersion, MQTTErrorCode, MQTTProtocolVersion
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from twinwall.values import frozen
from twinwall.wire.certificates import clock_hint
from twinwall.wire.mqtt.broker_address import BrokerAddress, Credentials
from twinwall.wire.padding import padded_length

_LOG = logging.getLogger(__name__)
_Waiting = TypeVar("_Waiting")

FIRST_DELAY_S = 0.1
LAST_DELAY_S = 2.0
POLL_S = 0.5
"""Longest sleep of the thread, so that keep-alive works."""
LARGEST_PAYLOAD = 1 << 20
"""Bytes of the largest accepted message; a longer one is reported and dropped."""
MOST_PADDED = 120 << 10
"""Bytes: brokers take no packet much longer than twice this."""

_WIRE_ERRORS = (OSError, ValueError, IndexError, struct.error, paho.WebsocketConnectionError)


@frozen
class Unsettled:
    """A message that the broker repeats until it is settled on the connection that brought it."""

    topic: str
    payload: bytes
    connection: int
    number: int
    qos: int


class LinkListener(Protocol):
    """Callbacks to the link's owner, on the link's thread: put it into a queue and return."""

    def connected(self) -> None:
        """The connection and all subscriptions exist: send from the acknowledged position."""

    def disconnected(self, reason: str) -> None:
        """The connection was lost or refused; unacknowledged tokens are void. The link tries again."""

    def published(self, token: int) -> None:  # noqa: ARG002 - most need not know
        """The broker has acknowledged the message with this token."""
        return

    def message(self, topic: str, payload: bytes) -> None:
        """A message on a subscribed topic, unchecked."""

    def problem(self, sentence: str) -> None:
        """Something invalid arrived, a subscription was refused or a callback failed; the link continues."""
        _LOG.warning("%s", sentence)


class MqttLink:
    """One connection to a broker, with its own thread from ``start`` to ``close``."""

    def __init__(
        self,
        address: BrokerAddress,
        credentials: Credentials,
        listener: LinkListener,
        *,
        subscriptions: Sequence[str] = (),
        unqueued: Sequence[str] = (),
        keepalive_s: int = 10,
        connect_s: float = 5.0,
        answer_s: float = 60.0,
        unsettled: Callable[[Unsettled], None] | None = None,
        others: Sequence[BrokerAddress] = (),
    ) -> None:
        """Raises DocumentError for a certificate or key that cannot be used.

        - subscriptions: made after each connection, before ``connected`` is called.
        - unqueued: subscriptions at QoS 0, for which the broker queues nothing.
        - unsettled: gets messages instead of the listener; the broker keeps the session of this client id.
        - others: brokers of the same cluster; after each connection ends, the next one is tried.
        - connect_s: longest time to reach the broker.
        - answer_s: a broker that does not answer a subscription or message within this time counts as lost.
        """
        self._addresses = deque((address, *others))
        self._contexts = {each: None if each.tls is None else each.tls.context() for each in self._addresses}
        self._credentials, self._listener = credentials, listener
        self._subscriptions = (*((topic, 1) for topic in subscriptions), *((topic, 0) for topic in unqueued))
        self._keepalive_s, self._connect_s = keepalive_s, connect_s
        self._answer_s = answer_s
        self._unsettled = unsettled
        self._connections = count(1)
        self._settled: deque[Unsettled] = deque()
        self._tokens = count(1)
        self._outgoing: deque[tuple[int, str, bytes]] = deque()
        self._lock = threading.Lock()
        self.is_connected = False
        """Whether ``publish`` would send now."""
        self._closing = threading.Event()
        self._wake_read, self._wake_write = socket.socketpair()
        self._wake_read.setblocking(False)
        self._wake_write.setblocking(False)
        self._thread = threading.Thread(target=self._run, name=f"mqtt {credentials.client_id}", daemon=True)

    def start(self) -> None:
        self._thread.start()

    @property
    def is_running(self) -> bool:
        return self._thread.is_alive()

    def publish(self, topic: str, payload: bytes) -> int | None:
        """Send at QoS 1; return the token for ``published``, or None (nothing sent) without connection."""
        with self._lock:
            if not self.is_connected:
                return None
            token = next(self._tokens)
            self._outgoing.append((token, topic, _padded(topic, payload)))
        self._wake()
        return token

    def settle(self, messages: Iterable[Unsettled]) -> None:
        """Acknowledge these messages; the broker repeats those of an earlier connection."""
        with self._lock:
            self._settled.extend(messages)
        self._wake()

    def close(self) -> None:
        """Disconnect and end the thread; unacknowledged messages may or may not have arrived."""
        self._closing.set()
        self._wake()
        if self._thread.ident is not None:
            self._thread.join()
        self._wake_read.close()
        self._wake_write.close()

    def _wake(self) -> None:
        with suppress(BlockingIOError, OSError):
            self._wake_write.send(b"!")

    def _run(self) -> None:
        delay_s = FIRST_DELAY_S
        while not self._closing.is_set():
            was_up, reason = self._live()
            with self._lock:
                self.is_connected = False
                self._outgoing.clear()
            if not self._closing.is_set():
                self._addresses.rotate(-1)
                self._tell("the loss of the connection", self._listener.disconnected, reason)
                delay_s = FIRST_DELAY_S if was_up else min(2 * delay_s, LAST_DELAY_S)
                self._closing.wait(delay_s)

    def _live(self) -> tuple[bool, str]:
        """Run one connection; return whether it was established, and why it ended. An exception ends only this connection."""
        address = self._addresses[0]
        try:
            connection = _BrokerConnection(self)
            return connection.run(), connection.reason
        except Exception as problem:
            _LOG.exception("the link to %s:%s failed", address.host, address.port)
            return False, f"broker {address.host}:{address.port}: {problem!r}"

    def _opened(self) -> None:
        with self._lock:
            self.is_connected = True
        self._tell("the connection", self._listener.connected)

    def _tell(self, what: str, call: Callable[..., None], *values: object) -> None:
        """Call the listener; log and report its exception, and continue."""
        try:
            call(*values)
        except Exception as problem:
            _LOG.exception("the listener failed at %s", what)
            self._problem(f"{what} was not understood: {problem!r}")

    def _problem(self, sentence: str) -> None:
        try:
            self._listener.problem(sentence)
        except Exception:
            _LOG.exception("the listener could not take a problem: %s", sentence)

    def _taken(self, waiting: deque[_Waiting]) -> list[_Waiting]:
        with self._lock:
            taken = list(waiting)
            waiting.clear()
            return taken


class _BrokerConnection:
    """One connection with its own paho client, so that paho repeats nothing of an earlier one."""

    def __init__(self, link: MqttLink) -> None:
        self._link = link
        self._address = link._addresses[0]
        self._number = next(link._connections)
        self.reason = "closed"
        self._was_up = False
        self._ended = False
        self._awaited: set[int] = set()
        self._tokens: dict[int, tuple[int, float]] = {}
        """Token and send time of unacknowledged messages by message id, oldest first."""
        self._begun_s = time.monotonic()
        self._client = self._make_client(link)

    def _make_client(self, link: MqttLink) -> paho.Client:
        client = paho.Client(
            CallbackAPIVersion.VERSION2,
            client_id=link._credentials.client_id,
            clean_session=link._unsettled is None,
            manual_ack=link._unsettled is not None,
            protocol=MQTTProtocolVersion.MQTTv311,
            reconnect_on_failure=False,
        )
        context = link._contexts[self._address]
        if link._credentials.password or context is None:
            client.username_pw_set(link._credentials.user, link._credentials.password)
        # Otherwise the certificate names the user: with a user name, RabbitMQ would ignore it and ask for a password.
        client.connect_timeout = link._connect_s
        if context is not None:
            client.tls_set_context(context)
        client.on_connect = self._on_connect
        client.on_subscribe = self._on_subscribe
        client.on_publish = self._on_publish
        client.on_message = self._on_message
        client.on_disconnect = self._on_disconnect
        return client

    def run(self) -> bool:
        """Connect and serve until the connection ends; return whether it was established."""
        address = self._address
        try:
            self._client.connect(address.host, address.port, self._link._keepalive_s)
            while not self._ended and not self._link._closing.is_set():
                self._turn()
            if not self._ended:
                self._goodbye()
        except _WIRE_ERRORS as problem:
            self.reason = f"broker {address.host}:{address.port}: {problem}{clock_hint(problem)}"
        finally:
            held = self._client.socket()
            if held is not None:
                held.close()
        return self._was_up

    def _turn(self) -> None:
        held = self._client.socket()
        if held is None:
            self._ended = True
            return
        for token, topic, payload in self._link._taken(self._link._outgoing):
            self._tokens[self._client.publish(topic, payload, qos=1).mid] = token, time.monotonic()
        for message in self._link._taken(self._link._settled):
            if message.connection == self._number and message.qos:
                self._heed(self._client.ack(message.number, message.qos))
        writing = [held] if self._client.want_write() else []
        readable, writable, _ = select.select([held, self._link._wake_read], writing, [], POLL_S)
        if self._link._wake_read in readable:
            with suppress(BlockingIOError):
                self._link._wake_read.recv(4096)
        if held in readable:
            self._heed(self._client.loop_read())
            while isinstance(held, ssl.SSLSocket) and not self._ended and held.pending():
                self._heed(self._client.loop_read())
        if writable:
            self._heed(self._client.loop_write())
        self._heed(self._client.loop_misc())
        self._watch_answers()

    def _watch_answers(self) -> None:
        """End a connection on which pings are answered but messages are not."""
        oldest_s = next((sent_s for _, sent_s in self._tokens.values()), time.monotonic()) if self._was_up else self._begun_s
        if not self._ended and time.monotonic() - oldest_s > self._link._answer_s:
            self._ended = True
            asked = "a message" if self._was_up else "the connection or its subscriptions"
            self.reason = f"broker {self._address.host}:{self._address.port} does not answer {asked} within {self._link._answer_s:g} s"

    def _heed(self, code: MQTTErrorCode) -> None:
        if code not in (MQTTErrorCode.MQTT_ERR_SUCCESS, MQTTErrorCode.MQTT_ERR_AGAIN):
            self._ended = True
            if self.reason == "closed":
                self.reason = f"the connection was lost ({paho.error_string(code)})"

    def _goodbye(self) -> None:
        self._client.disconnect()
        while self._client.want_write():
            if self._client.loop_write() != MQTTErrorCode.MQTT_ERR_SUCCESS:
                return

    def _on_connect(self, _client: paho.Client, _user: object, _flags: object, code: ReasonCode, _properties: Properties | None) -> None:
        if code.is_failure:
            self._ended = True
            self.reason = f"the broker refused {self._link._credentials.user!r}: {code}"
            return
        for topic, qos in self._link._subscriptions:
            _, mid = self._client.subscribe(topic, qos=qos)
            if mid is not None:
                self._awaited.add(mid)
        if not self._awaited:
            self._come_up()

    def _on_subscribe(self, _client: paho.Client, _user: object, mid: int, codes: list[ReasonCode], _properties: Properties | None) -> None:
        if any(code.is_failure for code in codes):
            self._link._problem(f"the broker refused a subscription of {self._link._credentials.user!r}")
        self._awaited.discard(mid)
        if not self._awaited and not self._was_up:
            self._come_up()

    def _come_up(self) -> None:
        self._was_up = True
        self._link._opened()

    def _on_publish(self, _client: paho.Client, _user: object, mid: int, _code: ReasonCode, _properties: Properties | None) -> None:
        known = self._tokens.pop(mid, None)
        if known is not None:
            self._link._tell("an acknowledgement", self._link._listener.published, known[0])

    def _on_message(self, _client: paho.Client, _user: object, message: paho.MQTTMessage) -> None:
        try:
            topic = message.topic
            if len(message.payload) > LARGEST_PAYLOAD:
                raise ValueError(f"{len(message.payload)} bytes are more than {LARGEST_PAYLOAD}")
            payload = bytes(message.payload).rstrip(b" ")
            if self._link._unsettled is None:
                self._link._tell(f"a message on {topic!r}", self._link._listener.message, topic, payload)
            else:
                self._link._unsettled(Unsettled(topic, payload, self._number, message.mid, message.qos))
        except ValueError as problem:
            self._link._problem(f"a message was not understood: {problem}")

    def _on_disconnect(self, _client: paho.Client, _user: object, _flags: object, code: ReasonCode, _properties: Properties | None) -> None:
        self._ended = True
        if self.reason == "closed" and not self._link._closing.is_set():
            self.reason = f"the connection was lost ({code})"


def _padded(topic: str, payload: bytes) -> bytes:
    beside = len(topic.encode())
    return payload if len(payload) > MOST_PADDED else payload.ljust(padded_length(beside + len(payload)) - beside)
