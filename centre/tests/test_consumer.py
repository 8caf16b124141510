"""A consumer over a real broker and a real database: killed, restarted and cut off, it stores each line once."""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import psycopg
import pytest

from centre.consuming import ConsumerSettings, consume
from centre.deploy.venue_account import VenueAccount
from centre.store.centre_reading import CentreReader
from centre.tests import test_centre_store
from centre.tests.support.playing_venue import CENTRE, EVENT, Message, PlayingVenue, played_hands
from centre.tests.support.rabbit_rig import CONSUMER, OTHER, ROBBED, RabbitRig, needs
from tests.support.patience import PATIENCE_S
from tests.support.wire.brokers import MOSQUITTO, Ear, RunningBroker, eventually, free_port
from twinwall.event.store.databases.port import PostgresAddress, StoreError
from twinwall.wire.messages.commands import Health, write_health
from twinwall.wire.messages.venue_messages import read_notice
from twinwall.wire.mqtt.broker_address import Credentials
from twinwall.wire.mqtt.link import MqttLink
from twinwall.wire.mqtt.topics import Channel, Topic

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not MOSQUITTO.exists(), reason=f"{MOSQUITTO} is not installed (apt-get install mosquitto)"),
]
RABBITMQ = [pytest.mark.nightly, pytest.mark.timeout(900), needs("rabbitmq-server")]
HANDS = ((75, -25, -25, -25), (-8, 48, -32, -8))
VENUE = PlayingVenue("Kyoto", (("1", played_hands("1", HANDS)), ("2", played_hands("2", HANDS))))
LINES = sorted(len(lines) for lines in VENUE.ledgers.values())
FLOODING = PlayingVenue(ROBBED.venue, tuple((str(table), played_hands(str(table), 8 * HANDS)) for table in range(1, 41)))
FLOOD = sorted(len(lines) for lines in FLOODING.ledgers.values())


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
def running(settings: ConsumerSettings, told: Callable[[int], None] = lambda _: None) -> Iterator[None]:
    """A consumer, ended as a kill ends it for the broker: what it had not settled comes again."""
    ended = threading.Event()
    thread = threading.Thread(target=consume, args=(settings, ended, told))
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def consuming(broker: RunningBroker, store: PostgresAddress) -> AbstractContextManager[None]:
    """A consumer of the venue alone."""
    return running(ConsumerSettings([VENUE.venue], CENTRE, store, [broker.address], Credentials("consumer", "")))


@contextmanager
def venue_link(broker: RunningBroker, venue: str = "Kyoto") -> Iterator[tuple[MqttLink, Ear]]:
    """The venue's end, which hears its orders."""
    ear, account = Ear(), VenueAccount(venue)
    link = MqttLink(broker.address, Credentials(account.user, "", "gateway"), ear, subscriptions=[f"{account.prefix}orders/+"])
    link.start()
    eventually(lambda: link.is_connected, "the venue is connected")
    yield link, ear
    link.close()


def send(link: MqttLink, ear: Ear, messages: list[Message], venue: str = "Kyoto") -> None:
    before, prefix = len(ear.tokens), VenueAccount(venue).prefix
    for topic, payload in messages:
        assert link.publish(f"{prefix}{topic}", payload) is not None
    eventually(lambda: len(ear.tokens) == before + len(messages), "the broker has what the venue sends")


def send_until(link: MqttLink, ear: Ear, messages: list[Message], arrived: Callable[[], bool], venue: str = "Kyoto") -> None:
    """Send again and again, since nobody keeps messages for a consumer that was never there."""

    def sent() -> bool:
        send(link, ear, messages, venue)
        return arrived()

    eventually(sent, "the consumer hears the venue")


def stored(store: PostgresAddress, venue: str = "Kyoto") -> list[int]:
    try:
        return sorted(test_centre_store.stored(store, venue, EVENT))
    except StoreError:
        return []  # the consumer has not made it yet


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


class CentreBroker:
    """A centre's broker with two venues, for a consumer of both; one of them may flood it."""

    def __init__(self, kind: str, folder: Path, running: ExitStack) -> None:
        if kind == "rabbitmq":
            rig = RabbitRig(folder)
            running.callback(rig.close)
            self.address, self.user = rig.address(CONSUMER), CONSUMER
            self.links = {account.venue: rig.link(account.user, f"{account.prefix}orders/+") for account in (OTHER, ROBBED)}
        else:
            broker = OpenBroker("mosquitto", folder, free_port())
            broker.start()
            running.callback(broker.stop)
            self.address, self.user = broker.address, "consumer"
            self.links = {venue.name: running.enter_context(venue_link(broker, venue.name)) for venue in (VENUE, FLOODING)}
        eventually(lambda: all(link.is_connected for link, _ in self.links.values()), "both venues are connected")

    def settings(self, store: PostgresAddress) -> ConsumerSettings:
        return ConsumerSettings([FLOODING.venue, VENUE.venue], CENTRE, store, [self.address], Credentials(self.user, ""))

    def send(self, venue: PlayingVenue, messages: list[Message], until: Callable[[], bool] = lambda: True) -> None:
        send_until(*self.links[venue.name], messages, until, venue.name)


@pytest.fixture(params=["mosquitto", pytest.param("rabbitmq", marks=RABBITMQ)])
def centre(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[CentreBroker]:
    with ExitStack() as running:
        yield CentreBroker(request.param, tmp_path, running)


def has_begun(store: PostgresAddress, venue: str) -> bool:
    return stored(store, venue) == [1]


def begin(centre: CentreBroker, store: PostgresAddress) -> None:
    """Let the consumer that runs store a line of each venue."""
    for venue in (FLOODING, VENUE):
        first = [venue.statement(), venue.announcement, venue.line("1", 1), venue.head("1", 1)]
        centre.send(venue, first, partial(has_begun, store, venue.name))


def transactions_before(store: PostgresAddress, venue: str, other: str) -> int:
    """How many transactions have stored lines of a venue until the last line of another one was stored."""
    of_venue = "SELECT lines.xmin::text::bigint FROM lines JOIN venues ON venues.id = venue_id WHERE venue = %s"
    with psycopg.connect(store.url, options=f"-c search_path={store.schema}") as reader:
        last = f"SELECT max(stored) FROM ({of_venue}) AS other (stored)"
        counted = f"SELECT count(DISTINCT stored) FROM ({of_venue}) AS flood (stored) WHERE stored < ({last})"
        found = reader.execute(counted, (venue, other)).fetchone()
    assert found is not None
    return int(found[0])


def test_a_backlog_of_one_venue_delays_no_other_one_of_its_consumer(centre: CentreBroker, postgres_store: PostgresAddress) -> None:
    backlog, is_held, goes_on = threading.Event(), threading.Event(), threading.Event()

    def hold(_: int) -> None:
        if backlog.is_set():
            is_held.set()
            assert goes_on.wait(PATIENCE_S)

    with running(centre.settings(postgres_store), hold):
        begin(centre, postgres_store)
        backlog.set()
        try:
            eventually(is_held.is_set, "the consumer stores nothing")
            centre.send(FLOODING, FLOODING.messages)
            centre.send(VENUE, VENUE.messages)
        finally:
            backlog.clear()
            goes_on.set()
        eventually(lambda: stored(postgres_store) == LINES, "the other venue's lines are stored")
        eventually(lambda: stored(postgres_store, FLOODING.name) == FLOOD, "the backlog is stored")
    assert transactions_before(postgres_store, FLOODING.name, VENUE.name) <= 4


def test_heartbeats_that_came_while_no_consumer_ran_raise_no_alarm_of_a_clock(
    centre: CentreBroker, postgres_store: PostgresAddress
) -> None:
    with running(centre.settings(postgres_store)):
        begin(centre, postgres_store)
    an_hour_ago = Health("1", VENUE.journal, 1, datetime.now(UTC) - timedelta(hours=1))
    centre.send(VENUE, [(str(Topic(EVENT, "1", Channel.HEALTH)), write_health(an_hour_ago)), *VENUE.messages])
    now = Health("1", VENUE.journal, 1, datetime.now(UTC))
    with running(centre.settings(postgres_store)):
        eventually(lambda: stored(postgres_store) == LINES, "every line is stored")
        reader = CentreReader(postgres_store, EVENT)
        beat = (str(Topic(EVENT, "1", Channel.HEALTH)), write_health(now))
        centre.send(VENUE, [beat], lambda: (told := reader.progress().get(VENUE.name)) is not None and told.at is not None)
    assert reader.notices(VENUE.name) == []
    reader.close()
