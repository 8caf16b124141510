"""The embedded broker: amqtt on loopback with users and rights, for a venue without a broker.

It stores nothing: tables send from their ledgers and receivers ask for gaps, so it can be killed and started again. A venue with
Mosquitto obeys the same access file (``twinwall.wire.mqtt.mosquitto``).
"""

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

from twinwall.wire.mqtt.access import AccessFiles, read_passwords, read_rights
from twinwall.wire.mqtt.broker_address import BrokerAddress
from twinwall.wire.mqtt.mosquitto import MOST_PACKET_BYTES

KEEPALIVE_GRACE_S = 10
"""amqtt ends a session after exactly its keep-alive; clients send their sign of life at about that moment, so it gets this on top."""

BYTES_PER_S = 1 << 20
BURST_BYTES = 8 << 20
"""What one connection may send: a ledger that is sent again as a whole is a burst, a flood is not."""
MOST_WAITING = 256
"""Messages that wait to be given out; while there are more, nothing is read, so that senders wait and not messages."""
TAKEN_WITHIN_S = 20.0
"""A receiver that takes nothing for this long is cut off; when it connects again, it asks for what is missing."""
MOST_UNTAKEN_BYTES = 32 << 20
"""What waits for one receiver: ledgers of a hall that are sent again as a whole, and no more."""


def serve(access: AccessFiles, address: BrokerAddress, started: Callable[[], None] = lambda: None) -> None:
    """Listen at the address until SIGTERM or SIGINT, with TLS by mqtts:// alone; ``started`` is called once the port is open.

    Clients say who they are by a password with TLS too; a certificate that one shows must be of the same authority.

    Raises DocumentError or OSError for access files that cannot be read, RuntimeError when the port cannot be opened.
    """
    read_passwords(access.passwords)
    read_rights(access.rights)
    logging.getLogger("amqtt").setLevel(logging.ERROR)
    logging.getLogger("transitions").setLevel(logging.ERROR)
    asyncio.run(_serve(access, address, started))


class LimitedReader(StreamReaderAdapter):
    """One connection's bytes as amqtt asks for them: no packet too long, no faster than the rate, and none while too many messages wait.

    What comes faster waits in the sender's own buffers. Without the bound on what waits a broker that gets too little of its processor
    would read ever more and give it out ever later. What has been given out and is not taken is bounded by ``LimitedWriter``.
    """

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
        """Read ``size`` bytes; raises ConnectionError."""
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
    """One connection's bytes as amqtt sends them. A receiver that takes nothing for long, or lets too much wait, is cut off."""

    def __init__(self, writer: asyncio.StreamWriter, taken_within_s: float = TAKEN_WITHIN_S) -> None:
        super().__init__(writer)
        self._transport, self._within_s, self._written = writer.transport, taken_within_s, 0

    def write(self, data: bytes) -> None:
        """Send, as soon as the receiver takes it."""
        super().write(data)
        self._written += len(data)
        if self._transport.get_write_buffer_size() > MOST_UNTAKEN_BYTES:
            self._transport.abort()

    async def drain(self) -> None:
        """Wait until the receiver has taken most of it; raises ConnectionError when it is cut off."""
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
    """amqtt's subscriptions by filter; those with wildcards are known apart, so that a message is compared with these few alone."""

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
        """Who has subscribed to a topic, as it is now; ``matches`` compares topic and filter."""
        found = [self.get(topic, []), *(self[each] for each in self._wildcards if matches(topic, each))]
        return [subscribed for sessions in found for subscribed in sessions]


class LimitedBroker(Broker):
    """amqtt, reading through ``LimitedReader`` and looking at the subscriptions of a message's topic alone."""

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
        """Give out the next message. amqtt's own method compares it with every filter of every client: with 64 tables there are some
        700; and somebody who subscribes meanwhile ends it with an error."""
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
        """A client has connected (reported by the listener)."""
        await self.external_connected(LimitedReader(reader, self._room), LimitedWriter(writer), listener_name)


async def _given(sending: Awaitable[object]) -> None:
    """Send a message. A receiver that has not acknowledged it after amqtt's five seconds has it all the same, unless its connection ends;
    amqtt would write a page of log for each."""
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
    """The settings for amqtt."""
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
