"""The embedded broker: whom a message reaches, what it reads while many wait, and receivers that take nothing."""

import asyncio
import logging
import socket
from collections import deque
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest
from amqtt.broker import Broker
from amqtt.session import Session
from hypothesis import given
from hypothesis import strategies as st

from tests.support.patience import PATIENCE_S
from tests.support.wire.brokers import EVENT, PASSWORDS, Ear, RunningBroker, free_port, link_of
from twinwall.wire.mqtt.access import SALT_BYTES, AccessFiles, write_access_files
from twinwall.wire.mqtt.broker_address import BrokerAddress
from twinwall.wire.mqtt.embedded_broker import MOST_UNTAKEN_BYTES, MOST_WAITING, LimitedBroker, LimitedWriter, Subscriptions, broker_config
from twinwall.wire.mqtt.topics import Channel, Topic

LEVELS = st.sampled_from(("a", "b", "$c", ""))
TOPICS = st.lists(LEVELS, min_size=1, max_size=3).map("/".join)
FILTERS = st.lists(st.one_of(LEVELS, st.sampled_from(("+", "#"))), min_size=1, max_size=3).map("/".join)


@given(st.lists(FILTERS, max_size=6, unique=True), st.lists(FILTERS, max_size=3), TOPICS)
def test_a_message_reaches_whoever_amqtt_says_and_nobody_who_has_gone(filters: list[str], gone: list[str], topic: str) -> None:
    amqtt = Broker.__new__(Broker)
    amqtt.logger = logging.getLogger("amqtt")
    matches = amqtt._matches
    subscriptions, sessions = Subscriptions(), {each: Session() for each in filters}
    for each, session in sessions.items():
        subscriptions[each] = [(session, 1)]
    for each in set(gone) & set(filters):
        del subscriptions[each]
    wanted = [sessions[each] for each in filters if each in subscriptions and matches(topic, each)]
    assert {id(session) for session, _ in subscriptions.to(topic, matches)} == set(map(id, wanted))


def test_whoever_subscribes_while_a_message_is_given_out_changes_nothing_of_its_way() -> None:
    subscriptions, first, second = Subscriptions(), Session(), Session()
    subscriptions["a"] = [(first, 1)]
    reached = []
    for session, _ in subscriptions.to("a", lambda topic, each: topic == each):
        subscriptions["b"] = [(second, 1)]
        subscriptions["a"].append((second, 1))
        reached.append(session)
    assert reached == [first]


class HeldBroker(LimitedBroker):
    """Gives out nothing before it may, and counts what it gives out."""

    def __init__(self, folder: Path, port: int) -> None:
        access = AccessFiles(folder / "passwords", folder / "rights")
        super().__init__(broker_config(access, BrokerAddress("127.0.0.1", port)), asyncio.get_running_loop())
        self.may, self.given = asyncio.Event(), 0

    async def _run_broadcast(self, running_tasks: deque[asyncio.Task[None]]) -> None:
        await self.may.wait()
        await super()._run_broadcast(running_tasks)
        self.given += 1

    async def standing_still(self) -> int:
        """How many messages wait once no more come."""
        waiting = -1
        while waiting != (waiting := self._broadcast_queue.qsize()) or not waiting:
            await asyncio.sleep(0.2)
        return waiting


def in_a_thread(work: Coroutine[object, object, object]) -> None:
    with ThreadPoolExecutor(1) as thread:  # this thread may have a loop already: the browser's, of a test before
        thread.submit(asyncio.run, work).result()


def test_nothing_is_read_while_too_many_messages_wait_and_everything_arrives_afterwards(tmp_path: Path) -> None:
    sent = 8 * MOST_WAITING
    write_access_files(tmp_path, EVENT, PASSWORDS, {name: name.encode().ljust(SALT_BYTES, b".") for name in PASSWORDS})

    async def flood() -> None:
        at = RunningBroker("amqtt", tmp_path, free_port())
        broker = HeldBroker(tmp_path, at.port)
        await broker.start()
        link = link_of(at, "1", ear := Ear())
        while not ear.times_connected:
            await asyncio.sleep(0.01)
        for number in range(sent):
            link.publish(str(Topic(EVENT, "1", Channel.EVENTS)), b"%d" % number)
        assert await broker.standing_still() < sent / 2
        broker.may.set()
        while broker.given < sent:
            await asyncio.sleep(0.01)
        await asyncio.to_thread(link.close)
        await broker.shutdown()

    in_a_thread(flood())


@pytest.mark.parametrize("sent", [16 << 20, MOST_UNTAKEN_BYTES + (8 << 20)])
def test_a_receiver_that_takes_nothing_or_lets_too_much_wait_is_cut_off(sent: int) -> None:
    async def stall() -> None:
        cut, patience_s = asyncio.Event(), 0.1 if sent < MOST_UNTAKEN_BYTES else 1e6

        async def give(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            limited = LimitedWriter(writer, patience_s)
            for _ in range(sent >> 16):
                limited.write(bytes(1 << 16))
            with suppress(ConnectionError):
                await limited.drain()
                return
            cut.set()

        server = await asyncio.start_server(give, "127.0.0.1", 0)
        receiver = socket.create_connection(server.sockets[0].getsockname())
        receiver.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        await asyncio.wait_for(cut.wait(), PATIENCE_S)
        receiver.close()
        server.close()

    in_a_thread(stall())
