"""The embedded broker's subscriptions: whom a message reaches, and that one which waits keeps others from being read."""

from __future__ import annotations

import asyncio
import logging
from concurrent.futures import ThreadPoolExecutor

from amqtt.broker import Broker
from amqtt.session import Session
from hypothesis import given
from hypothesis import strategies as st

from twinwall.wire.mqtt.embedded_broker import MOST_WAITING, LimitedReader, Subscriptions

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


def test_nothing_is_read_while_too_many_messages_wait() -> None:
    waiting, looks = [MOST_WAITING + 3], list[int]()

    async def sleep(_seconds: float) -> None:
        looks.append(waiting[0])
        waiting[0] -= 1

    async def read() -> bytes:
        reader = asyncio.StreamReader()
        reader.feed_data(b"four")
        return await LimitedReader(reader, lambda: waiting[0], sleep=sleep).read(4)

    with ThreadPoolExecutor(1) as thread:  # this thread may have a loop already: the browser's, of a test before
        assert thread.submit(lambda: asyncio.run(read())).result() == b"four"
    assert looks == [MOST_WAITING + 3, MOST_WAITING + 2, MOST_WAITING + 1]
