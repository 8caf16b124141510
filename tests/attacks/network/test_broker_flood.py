"""One table's password: messages that are too long, or too many, for the broker."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest

from dashboard.intake_reports import MOST_BAD_HEARTBEATS
from tests.support.custody.hall import EVENT as INTAKE_EVENT
from tests.support.dashboard.intake import TableIntake
from tests.support.wire.brokers import AMQTT_PROGRAM, EVENT, KINDS, Ear, RunningBroker, eventually, link_of, new_broker
from tests.support.wire.streams import START
from twinwall.wire.messages.commands import Health, write_health
from twinwall.wire.mqtt.access import MOST_PACKET_BYTES, SERVER_USER
from twinwall.wire.mqtt.embedded_broker import BURST_BYTES, BYTES_PER_S, LimitedReader
from twinwall.wire.mqtt.topics import Channel, Topic, all_tables
from twinwall.wire.receiver import REFUSE_AGAIN_S

TOO_LONG = b"x" * (4 * MOST_PACKET_BYTES)
WITHOUT_LIMIT = f"from twinwall.wire.mqtt import embedded_broker\nembedded_broker.MOST_PACKET_BYTES = 1 << 30\n{AMQTT_PROGRAM}"


def flood(broker: RunningBroker) -> tuple[Ear, list[int]]:
    """Table 1 sends what is too long, table 2 a line; what table 1 was told, and the lengths that the server heard."""
    server, attacker, other = Ear(), Ear(), Ear()
    topics = [all_tables(EVENT, Channel.EVENTS)]
    links = [link_of(broker, SERVER_USER, server, *topics), link_of(broker, "1", attacker), link_of(broker, "2", other)]
    eventually(lambda: all(ear.times_connected for ear in (server, attacker, other)), "all are connected")
    links[1].publish(str(Topic(EVENT, "1", Channel.EVENTS)), TOO_LONG)
    eventually(lambda: bool(attacker.reasons or server.messages), "it is refused, or arrives")
    links[2].publish(str(Topic(EVENT, "2", Channel.EVENTS)), b"a line")
    eventually(lambda: any(payload == b"a line" for _, payload in server.messages), "others are heard")
    for link in links:
        link.close()
    broker.stop()
    return attacker, [len(payload) for _, payload in server.messages]


@pytest.mark.parametrize("kind", KINDS)
def test_a_message_longer_than_any_of_an_event_ends_its_connection_and_disturbs_nobody(kind: str, tmp_path: Path) -> None:
    attacker, heard = flood(new_broker(kind, tmp_path))
    assert attacker.reasons
    assert len(TOO_LONG) not in heard


def test_control_without_the_limit_the_broker_takes_it(tmp_path: Path) -> None:
    _attacker, heard = flood(new_broker("amqtt", tmp_path, WITHOUT_LIMIT))
    assert len(TOO_LONG) in heard


def read_through(sent: int, piece: int) -> float:
    """How long a reader waits in all for so many bytes that come at once."""
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    async def read() -> None:
        reader = asyncio.StreamReader(limit=sent)
        reader.feed_data(bytes(sent))
        limited = LimitedReader(reader, monotonic_s=lambda: sum(waited), sleep=sleep)
        for _ in range(sent // piece):
            await limited.read(piece)

    with ThreadPoolExecutor(1) as thread:  # this thread may have a loop already: the browser's, of a test before
        thread.submit(lambda: asyncio.run(read())).result()
    return sum(waited)


def test_a_burst_is_read_at_once_and_a_flood_at_the_rate() -> None:
    piece = MOST_PACKET_BYTES
    assert read_through(BURST_BYTES, piece) == 0
    assert read_through(BURST_BYTES + 4 * BYTES_PER_S, piece) == pytest.approx(4.0)


def test_a_packet_that_is_too_long_is_not_read() -> None:
    with pytest.raises(ConnectionError, match="are taken"):
        read_through(2 * MOST_PACKET_BYTES, MOST_PACKET_BYTES + 1)


def test_bad_heartbeats_are_stored_now_and_then_and_hide_no_other_complaint(tmp_path: Path) -> None:
    hall = TableIntake(tmp_path, None)
    for number in range(2 * MOST_BAD_HEARTBEATS + 5):
        clock = Health("3", "j", 1, START + timedelta(hours=5 * (number % 2)))
        for table, bad in (("1", b"x%d" % number), ("2", write_health(Health("1", "j", 1, START))), ("3", write_health(clock))):
            hall.hear(str(Topic(INTAKE_EVENT, table, Channel.HEALTH)), bad)
    for channel in (Channel.NOTICE, Channel.EVENTS):
        hall.hear(str(Topic(INTAKE_EVENT, "1", channel)), b"x")
    hall.now_s += REFUSE_AGAIN_S
    hall.hear(str(Topic(INTAKE_EVENT, "1", Channel.HEALTH)), b"later")
    first, other = ([told.reason for told in hall.stored.complaints if told.table == table] for table in "12")
    assert (len(other), len({*other})) == (MOST_BAD_HEARTBEATS + 1, 2)
    assert ["not stored" in reason for reason in first] == [False] * MOST_BAD_HEARTBEATS + [True] + [False] * 3
    assert "the vault's notice" in first[-3]
    assert len([told for told in hall.stored.complaints if told.table == "3"]) == MOST_BAD_HEARTBEATS + 1
    hall.desk.close()
