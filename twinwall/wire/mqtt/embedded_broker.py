"""The embedded broker: amqtt with users and rights, for a venue without a broker. It stores nothing, because tables send from their ledgers
and receivers ask for gaps, so it can be killed and restarted. A venue with Mosquitto uses the same access file
(``twinwall.wire.mqtt.access``)."""

import asyncio
import logging
import signal
import time
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress

from amqtt.adapters import StreamReaderAdapter, StreamWriterAdapter
from amqtt.broker import Broker
from amqtt.contexts import Action, BrokerConfig
from amqtt.errors import AMQTTError
from amqtt.session import Session

from twinwall.wire.mqtt.access import MOST_PACKET_BYTES, AccessFiles, read_passwords, read_rights
from twinwall.wire.mqtt.broker_address import BrokerAddress

KEEPALIVE_GRACE_S = 10
"""amqtt ends a session exactly after its keep-alive, when clients send their ping, so it gets this in addition."""

BYTES_PER_S = 1 << 20
BURST_BYTES = 8 << 20
"""Limits of one connection: a whole ledger sent again is a burst, a flood is not."""
MOST_WAITING = 256
"""Messages that wait for delivery; beyond, nothing is read, so that senders wait."""
TAKEN_WITHIN_S = 20.0
"""A receiver that takes nothing for this long is disconnected; it asks for missing lines when it connects again."""
MOST_UNTAKEN_BYTES = 32 << 20
"""Bytes that wait for one receiver: enough for all ledgers of a hall."""


def serve(access: AccessFiles, address: BrokerAddress, started: Callable[[], None] = lambda: None) -> None:
    """Serve at the address until SIGTERM or SIGINT, with TLS by mqtts:// only; call ``started`` when the port is open. Clients have
    passwords with TLS too; a client's certificate must be of the same authority. Raises DocumentError or OSError for unreadable access
    files, RuntimeError if the port cannot be opened."""
    read_passwords(access.passwords)
    read_rights(access.rights)
    logging.getLogger("amqtt").setLevel(logging.ERROR)
    logging.getLogger("transitions").setLevel(logging.ERROR)
    asyncio.run(_serve(access, address, started))


class LimitedReader(StreamReaderAdapter):
    """Reads one connection for amqtt, with limits on packet length and rate, and not while too many messages wait. What is not read stays
    in the sender's buffers. Without the limit on waiting messages, a broker with too little processor time would read more and more and
    deliver later and later. ``LimitedWriter`` limits what is delivered and not taken."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        room: asyncio.Event | None = None,
        monotonic_s: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """``room`` is set while the broker takes messages."""
        super().__init__(reader)
        self._room, self._monotonic_s, self._sleep = room, monotonic_s, sleep
        self._left, self._at_s = float(BURST_BYTES), monotonic_s()

    async def read(self, n: int = -1) -> bytes:
        """Read ``n`` bytes; raises ConnectionError."""
        if n > MOST_PACKET_BYTES:
            raise ConnectionError(f"a packet has {n} bytes, {MOST_PACKET_BYTES} are taken")
        if self._room is not None:
            await self._room.wait()
        content = await super().read(n)
        now_s = self._monotonic_s()
        self._left = min(BURST_BYTES, self._left + (now_s - self._at_s) * BYTES_PER_S) - len(content)
        self._at_s = now_s
        if self._left < 0:
            await self._sleep(-self._left / BYTES_PER_S)
        return content


class LimitedWriter(StreamWriterAdapter):
    """Writes one connection for amqtt; disconnects a receiver that takes nothing for long or has too much waiting."""

    def __init__(self, writer: asyncio.StreamWriter, taken_within_s: float = TAKEN_WITHIN_S) -> None:
        super().__init__(writer)
        self._transport, self._within_s, self._written = writer.transport, taken_within_s, 0

    def write(self, data: bytes) -> None:
        super().write(data)
        self._written += len(data)
        if self._transport.get_write_buffer_size() > MOST_UNTAKEN_BYTES:
            self._transport.abort()

    async def drain(self) -> None:
        """Wait until the receiver has taken most of it; raises ConnectionError if it is disconnected."""
        while True:
            sent = self._sent
            try:
                async with asyncio.timeout(self._within_s):
                    return await super().drain()
            except TimeoutError:
                if self._sent == sent:
                    self._transport.abort()

    @property
    def _sent(self) -> int:
        return self._written - self._transport.get_write_buffer_size()


class Subscriptions(dict[str, list[tuple[Session, int]]]):
    """amqtt's subscriptions by filter. Filters with wildcards are also listed apart, so that a message is compared with these few only."""

    def __init__(self) -> None:
        super().__init__()
        self._wildcards: set[str] = set()

    def __setitem__(self, topic_filter: str, sessions: list[tuple[Session, int]]) -> None:
        super().__setitem__(topic_filter, sessions)
        if "+" in topic_filter or "#" in topic_filter:
            self._wildcards.add(topic_filter)

    def __delitem__(self, topic_filter: str) -> None:
        super().__delitem__(topic_filter)
        self._wildcards.discard(topic_filter)

    def to(self, topic: str, matches: Callable[[str, str], bool]) -> list[tuple[Session, int]]:
        """The subscribers of a topic; ``matches`` compares topic and filter."""
        found = [self.get(topic, []), *(self[each] for each in self._wildcards if matches(topic, each))]
        return [subscribed for sessions in found for subscribed in sessions]


class LimitedBroker(Broker):
    """amqtt with ``LimitedReader``, ``LimitedWriter`` and ``Subscriptions``."""

    _subscriptions: Subscriptions

    def __init__(self, config: BrokerConfig, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(config, loop=loop)
        self._subscriptions = Subscriptions()
        self._room = asyncio.Event()
        self._room.set()

    async def _broadcast_message(
        self, session: Session | None, topic: str | None, data: bytes | bytearray | None, force_qos: int | None = None
    ) -> None:
        await super()._broadcast_message(session, topic, data, force_qos)
        if self._broadcast_queue.qsize() > MOST_WAITING:
            self._room.clear()

    async def _run_broadcast(self, running_tasks: deque[asyncio.Task[None]]) -> None:
        """Deliver the next message. amqtt's own method compares it with every filter of every client (some 700 with 64 tables), and fails
        if somebody subscribes meanwhile."""
        message = await self._broadcast_queue.get()
        if self._broadcast_queue.qsize() <= MOST_WAITING:
            self._room.set()
        topic = message["topic"]
        for session, granted in self._subscriptions.to(topic, self._matches):
            qos = message.get("qos", granted)
            if not await self._topic_filtering(session, topic=topic, action=Action.RECEIVE):
                continue
            if session.transitions.state == "connected":
                if (handler := self._get_handler(session)) is not None:
                    running_tasks.append(asyncio.ensure_future(_given(handler.mqtt_publish(topic, message["data"], qos, retain=False))))
            elif qos and not session.clean_session and not session.is_anonymous:
                await self._retain_broadcast_message(message, qos, session)

    async def stream_connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, listener_name: str) -> None:
        """Serve a new client."""
        await self.external_connected(LimitedReader(reader, self._room), LimitedWriter(writer), listener_name)


async def _given(sending: Awaitable[object]) -> None:
    """Send a message. Its receiver has it even without an acknowledgement within amqtt's five seconds, unless the connection ends; amqtt
    would log a page for each."""
    with suppress(TimeoutError, ConnectionError):
        await sending


async def _serve(access: AccessFiles, address: BrokerAddress, started: Callable[[], None]) -> None:
    asked_to_stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, asked_to_stop.set)
    broker = LimitedBroker(broker_config(access, address), loop=loop)
    try:
        await broker.start()
    except (AMQTTError, OSError) as problem:
        raise RuntimeError(f"the broker cannot listen on {address.host}:{address.port}: {problem}") from None
    started()
    await asked_to_stop.wait()
    await broker.shutdown()


def broker_config(access: AccessFiles, address: BrokerAddress) -> BrokerConfig:
    listener: dict[str, object] = {"type": "tcp", "bind": f"{address.host}:{address.port}"}
    if (tls := address.tls) is not None:
        listener |= {"ssl": True, "cafile": str(tls.authority), "certfile": str(tls.certificate), "keyfile": str(tls.key)}
    return BrokerConfig.from_dict(
        {
            "listeners": {"default": listener},
            "timeout_disconnect_delay": KEEPALIVE_GRACE_S,
            "plugins": {"twinwall.wire.mqtt.broker_guard.BrokerGuard": {"passwords": str(access.passwords), "rights": str(access.rights)}},
        }
    )
