"""A consumer over a real broker and a real database: killed, restarted and cut off, it stores each line once."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from tests.support.centre.playing_venue import CENTRE, EVENT, Message, PlayingVenue, played_hands
from tests.support.wire.brokers import MOSQUITTO, Ear, RunningBroker, eventually, free_port
from twinwall.centre.consuming import ConsumerSettings, consume
from twinwall.centre.store.centre_reading import CentreReader
from twinwall.event.store.databases.addresses import PostgresAddress
from twinwall.event.store.databases.port import StoreError
from twinwall.wire.messages.notice import read_notice
from twinwall.wire.mqtt.broker_address import Credentials
from twinwall.wire.mqtt.link import MqttLink

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not MOSQUITTO.exists(), reason=f"{MOSQUITTO} is not installed (apt-get install mosquitto)"),
]
HANDS = ((75, -25, -25, -25), (-8, 48, -32, -8))
VENUE = PlayingVenue("Kyoto", (("1", played_hands("1", HANDS)), ("2", played_hands("2", HANDS))))
LINES = sorted(len(lines) for lines in VENUE.ledgers.values())


class OpenBroker(RunningBroker):
    """Mosquitto on loopback without accounts; sessions are kept while it runs."""

    def mosquitto_conf(self) -> str:
        return f"listener {self.port} 127.0.0.1\nallow_anonymous true\nmax_queued_messages 0\n"


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[RunningBroker]:
    running = OpenBroker("mosquitto", tmp_path, free_port())
    running.start()
    yield running
    running.stop()


@contextmanager
def consuming(broker: RunningBroker, store: PostgresAddress) -> Iterator[None]:
    """A consumer, ended as a kill ends it for the broker: what it had not settled comes again."""
    settings = ConsumerSettings([VENUE.venue], CENTRE, store, [broker.address], Credentials("consumer", "", "1-of-1"))
    ended = threading.Event()
    thread = threading.Thread(target=consume, args=(settings, ended))
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


@contextmanager
def venue_link(broker: RunningBroker) -> Iterator[tuple[MqttLink, Ear]]:
    """The venue's end, which hears its orders."""
    ear = Ear()
    link = MqttLink(broker.address, Credentials("venue", "", "gateway"), ear, subscriptions=["venue/Kyoto/orders/+"])
    link.start()
    eventually(lambda: link.is_connected, "the venue is connected")
    yield link, ear
    link.close()


def send(link: MqttLink, ear: Ear, messages: list[Message]) -> None:
    before = len(ear.tokens)
    for topic, payload in messages:
        assert link.publish(f"venue/Kyoto/{topic}", payload) is not None
    eventually(lambda: len(ear.tokens) == before + len(messages), "the broker has what the venue sends")


def send_until(link: MqttLink, ear: Ear, messages: list[Message], arrived: Callable[[], bool]) -> None:
    """Send again and again, since nobody keeps messages for a consumer that was never there."""

    def sent() -> bool:
        send(link, ear, messages)
        return arrived()

    eventually(sent, "the consumer hears the venue")


def stored(store: PostgresAddress) -> list[int]:
    try:
        reader = CentreReader(store, EVENT)
    except StoreError:
        return []  # the consumer has not made it yet
    assert not list(reader.damages("Kyoto"))
    found = sorted(len(journal.lines) for journal in reader.journals("Kyoto"))
    reader.close()
    return found


def test_what_came_while_no_consumer_ran_and_what_comes_twice_is_stored_once(
    broker: RunningBroker, postgres_store: PostgresAddress
) -> None:
    half = len(VENUE.messages) // 2
    with venue_link(broker) as (link, ear):
        with consuming(broker, postgres_store):
            send_until(link, ear, VENUE.messages[:half], lambda: sum(stored(postgres_store)) > 0)
        send(link, ear, VENUE.messages[half // 2 :])
        with consuming(broker, postgres_store):
            eventually(lambda: stored(postgres_store) == LINES, "every line is stored")


def test_a_missing_line_is_asked_for_and_a_refusal_is_told_at_the_venue(broker: RunningBroker, postgres_store: PostgresAddress) -> None:
    missing = VENUE.line("1", 2)
    with venue_link(broker) as (link, ear), consuming(broker, postgres_store):
        send_until(link, ear, [VENUE.statement(spoken=9)], lambda: bool(ear.messages))
        send(link, ear, [message for message in VENUE.messages if message != missing])
        eventually(lambda: any(topic.endswith("/resend") for topic, _ in ear.messages), "the line is asked for")
        told = [read_notice(payload) for topic, payload in ear.messages if topic == "venue/Kyoto/orders/notice"]
        assert "speaks form 9" in told[0]
        send(link, ear, [missing])
        eventually(lambda: stored(postgres_store) == LINES, "every line is stored")


@contextmanager
def full_disk(store: PostgresAddress) -> Iterator[None]:
    """The database refuses each line as it does when its disk is full (53100, disk_full)."""
    refuse = "RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'"
    with psycopg.connect(store.url, autocommit=True, options=f"-c search_path={store.schema}") as administrator:
        administrator.execute(f"CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {refuse}; END $$")
        administrator.execute("CREATE TRIGGER full_disk BEFORE INSERT ON lines FOR EACH ROW EXECUTE FUNCTION full_disk()")
        yield
        administrator.execute("DROP TRIGGER full_disk ON lines")


def test_what_comes_while_the_databases_disk_is_full_waits_in_the_broker_and_is_stored_once_afterwards(
    broker: RunningBroker, postgres_store: PostgresAddress, caplog: pytest.LogCaptureFixture
) -> None:
    half = len(VENUE.messages) // 2
    with venue_link(broker) as (link, ear), consuming(broker, postgres_store):
        send_until(link, ear, VENUE.messages[:half], lambda: sum(stored(postgres_store)) > 0)
        with caplog.at_level(logging.ERROR), full_disk(postgres_store):
            before = stored(postgres_store)
            send(link, ear, VENUE.messages[half:])
            eventually(lambda: "the disk is full, nothing more is stored" in caplog.text, "the consumer says why it stores nothing")
            assert stored(postgres_store) == before
        eventually(lambda: stored(postgres_store) == LINES, "every line is stored")
