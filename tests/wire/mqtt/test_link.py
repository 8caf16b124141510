"""The MQTT link over real brokers: the embedded one and Mosquitto, with the same rights."""

import re
import signal
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from paho.mqtt import client as paho
from paho.mqtt.enums import CallbackAPIVersion

from tests.support.wire.brokers import (
    EVENT,
    KINDS,
    MOSQUITTO,
    PASSWORDS,
    Ear,
    LedgerPublisher,
    LedgerReader,
    RunningBroker,
    connected,
    eventually,
    free_port,
    link_of,
    new_broker,
)
from tests.support.wire.streams import ledger
from tests.support.wire.tls import LASTS, Cable, HallCertificates, account, new_tls_broker
from twinwall.game.documents import DocumentError
from twinwall.wire.mqtt.access import SERVER_USER, table_user
from twinwall.wire.mqtt.broker_address import BrokerAddress, Credentials, TlsFiles, parse_address
from twinwall.wire.mqtt.link import MqttLink
from twinwall.wire.mqtt.topics import Channel, Topic, all_tables

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", params=KINDS)
def broker(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningBroker]:
    running = new_broker(request.param, tmp_path_factory.mktemp("broker"))
    yield running
    if running.process is not None:
        running.stop()


def topic(table: str, channel: Channel) -> str:
    return str(Topic(EVENT, table, channel))


def test_what_a_table_publishes_the_server_hears_and_the_broker_acknowledges(broker: RunningBroker) -> None:
    server, table, lines = Ear(), Ear(), [b"line %d" % number for number in range(200)]
    listening = link_of(broker, SERVER_USER, server, all_tables(EVENT, Channel.EVENTS))
    publishing = link_of(broker, "1", table)
    with connected(listening, publishing):
        tokens = [publishing.publish(topic("1", Channel.EVENTS), line) for line in lines]
        eventually(lambda: len(server.messages) == 200 and len(table.tokens) == 200, "200 lines arrive and are acknowledged")
    assert (server.messages, table.tokens) == ([(topic("1", Channel.EVENTS), line) for line in lines], tokens)


def test_a_table_can_neither_speak_for_another_nor_hear_it_nor_command(broker: RunningBroker) -> None:
    server, second = Ear(), Ear()
    listening = link_of(broker, SERVER_USER, server, *(all_tables(EVENT, channel) for channel in (Channel.EVENTS, Channel.HEALTH)))
    spying = link_of(broker, "2", second, all_tables(EVENT, Channel.EVENTS), topic("1", Channel.COMMAND), topic("2", Channel.COMMAND))
    publishing = link_of(broker, "1", Ear())
    with connected(listening, spying, publishing):
        for speaker, table, channel, payload in (
            (publishing, "2", Channel.EVENTS, b"in another's name"),
            (publishing, "2", Channel.COMMAND, b"a table's command"),
            (publishing, "1", Channel.EVENTS, b"mine"),
            (listening, "1", Channel.COMMAND, b"to one"),
            (listening, "1", Channel.EVENTS, b"the server is no table"),
            (listening, "2", Channel.COMMAND, b"to two"),
            (publishing, "1", Channel.HEALTH, b"the last word"),
        ):
            speaker.publish(topic(table, channel), payload)
        eventually(lambda: len(server.messages) == 2 and bool(second.messages), "the last words arrive")
    assert [payload for _, payload in server.messages] == [b"mine", b"the last word"]
    assert second.messages == [(topic("2", Channel.COMMAND), b"to two")]
    if broker.kind == "amqtt":
        said = (broker.folder / "broker.log").read_text()
        assert said.count(f"refused: 'table-1' may not publish to '{topic('2', Channel.EVENTS)}'") == 1
        assert said.count(f"refused: 'table-2' may not hear '{topic('1', Channel.COMMAND)}'") == 1


@pytest.mark.parametrize(("name", "password"), [("1", "guessed"), ("1", ""), (SERVER_USER, "of table one")])
def test_a_wrong_password_is_refused_and_said(broker: RunningBroker, name: str, password: str) -> None:
    ear = Ear()
    with closing(link_of(broker, name, ear, password=password)):
        eventually(lambda: len(ear.reasons) >= 2, "refused, and refused again")
    assert (ear.times_connected, "refused" in ear.reasons[0]) == (0, True)


def test_somebody_without_a_name_is_refused(broker: RunningBroker) -> None:
    ear = Ear()
    with closing(MqttLink(broker.address, Credentials("", ""), ear)) as link:
        link.start()
        eventually(lambda: bool(ear.reasons), "refused")
    assert ear.times_connected == 0


def test_a_will_in_another_tables_name_is_not_published(broker: RunningBroker) -> None:
    server = Ear()
    with connected(link_of(broker, SERVER_USER, server, all_tables(EVENT, Channel.EVENTS), all_tables(EVENT, Channel.HEALTH))):
        for table, channel, payload in (("1", Channel.EVENTS, b"forged"), ("2", Channel.HEALTH, b"gone")):
            client, answers = paho.Client(CallbackAPIVersion.VERSION2, client_id=table_user(table)), list[object]()
            client.username_pw_set(table_user(table), PASSWORDS[table])
            client.will_set(topic("2", channel), payload, qos=1)
            client.on_connect = lambda *answer, answers=answers: answers.append(answer)
            with Cable(broker.port) as cable:
                client.connect("127.0.0.1", cable.port)
                client.loop_start()
                eventually(answers.copy, "the program is let in or not")
                cable.pull()
            client.loop_stop()
        eventually(lambda: bool(server.messages), "an honest will arrives")
    assert {payload for _, payload in server.messages} == {b"gone"}


@pytest.mark.parametrize("kind", KINDS)
def test_a_broker_killed_and_started_again_loses_no_line(kind: str, tmp_path: Path) -> None:
    lines = ledger(300, table="1")
    broker = new_broker(kind, tmp_path)
    reader, publisher = LedgerReader(broker, "1"), LedgerPublisher(broker, "1")
    for line in lines[:100]:
        publisher.append(line)
    eventually(lambda: len(reader.accepted) >= 50, "half of the first lines have come")
    broker.stop(signal.SIGKILL)
    for line in lines[100:200]:
        publisher.append(line)
    broker.start()
    for line in lines[200:299]:
        publisher.append(line)
    eventually(lambda: min(reader.times_connected, publisher.times_connected) >= 2, "both ends are back")
    publisher.append(lines[299])
    eventually(lambda: len(reader.accepted) >= 300 and publisher.acknowledged == 300, "every line has come and is acknowledged")
    reader.link.close()
    publisher.link.close()
    broker.stop()
    assert (reader.accepted, reader.refused) == (lines, [])


def test_the_embedded_broker_ends_cleanly_when_asked(tmp_path: Path) -> None:
    broker, ear = new_broker("amqtt", tmp_path), Ear()
    with connected(link_of(broker, "1", ear)):
        assert broker.stop(signal.SIGTERM) == 0
        eventually(lambda: bool(ear.reasons), "the client notices")


@pytest.mark.parametrize(
    "answer", [b"HTTP/1.1 400 Bad Request\r\n\r\n", b"\x20\x02\x00", b"\x20\xff\xff\xff\xff\xff", b"\x30\x05\x00\x02\xff\xfe\x00", b""]
)
def test_a_port_that_answers_something_else_never_ends_the_link(answer: bytes) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        ear = Ear()
        link = MqttLink(BrokerAddress("127.0.0.1", server.getsockname()[1]), Credentials("table-1", "x"), ear)
        answering = threading.Thread(target=_answer_twice, args=(server, answer))
        answering.start()
        link.start()
        answering.join()
        eventually(lambda: len(ear.reasons) >= 2, "it has been tried twice and reported")
        link.close()
    assert ear.times_connected == 0


CONNECT, PUBLISH, SUBSCRIBE, PING = 0x10, 0x30, 0x80, 0xC0
ANSWERS = {CONNECT: b"\x20\x02\x00\x00", SUBSCRIBE: b"\x90\x03\x00\x01\x01", PING: b"\xd0\x00"}


@pytest.mark.parametrize(
    ("answered", "said"),
    [
        ((), "does not answer the connection or its subscriptions within 0.3 s"),
        ((CONNECT, PING), "does not answer the connection or its subscriptions within 0.3 s"),
        ((CONNECT, PING, SUBSCRIBE), "does not answer a message within 0.3 s"),
    ],
)
def test_a_broker_that_takes_the_connection_and_answers_no_more_is_lost_in_time(answered: tuple[int, ...], said: str) -> None:
    over = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server:
        ear = Ear()
        address = BrokerAddress("127.0.0.1", server.getsockname()[1])
        link = MqttLink(address, Credentials("table-1", "x"), ear, subscriptions=("a",), answer_s=0.3)
        answering = threading.Thread(target=_answer_some, args=(server, answered, over))
        answering.start()
        link.start()

        def is_lost() -> bool:
            link.publish("t", b"x")
            return any(said in reason for reason in ear.reasons)

        eventually(is_lost, "it is lost")
        over.set()
        link.close()
        answering.join()


def _answer_some(server: socket.socket, answered: tuple[int, ...], over: threading.Event) -> None:
    """Answer these packets of each connection, and leave it open until the other end has closed it."""
    server.settimeout(0.01)
    while not over.is_set():
        with suppress(OSError):
            connection, _ = server.accept()
            connection.settimeout(0.01)
            with connection:
                _answer_one(connection, answered, over)


def _answer_one(connection: socket.socket, answered: tuple[int, ...], over: threading.Event) -> None:
    while not over.is_set():
        with suppress(TimeoutError):
            if not (packet := connection.recv(1000)):
                return
            connection.sendall(b"".join(answer for kind, answer in ANSWERS.items() if kind in answered and packet[0] & 0xF0 == kind))


def _answer_twice(server: socket.socket, answer: bytes) -> None:
    for _ in range(2):
        connection, _ = server.accept()
        with connection:
            connection.recv(1000)
            connection.sendall(answer)


class Faulty(Ear):
    """A listener with a defect in whatever it is told."""

    def connected(self) -> None:
        super().connected()
        raise RuntimeError("a defect at the connection")

    def disconnected(self, reason: str) -> None:
        super().disconnected(reason)
        raise KeyError("a defect at the loss")

    def published(self, token: int) -> None:
        super().published(token)
        raise RuntimeError("a defect at the token")

    def message(self, topic: str, payload: bytes) -> None:
        super().message(topic, payload)
        raise RuntimeError("a defect at the message")


def test_a_defect_of_the_listener_is_logged_and_told_and_does_not_end_the_link(
    broker: RunningBroker, caplog: pytest.LogCaptureFixture
) -> None:
    server, table = Faulty(), Faulty()
    listening = link_of(broker, SERVER_USER, server, all_tables(EVENT, Channel.EVENTS))
    with Cable(broker.port) as cable:
        first = link_of(broker, "1", table, port=cable.port)
        eventually(lambda: listening.is_connected and first.is_connected, "both are connected")
        first.publish(topic("1", Channel.EVENTS), b"one")
        first.publish(topic("1", Channel.EVENTS), b"two")
        eventually(lambda: len(server.messages) == 2 and len(table.tokens) == 2, "the second message comes after the first defect")
        cable.pull()
        eventually(lambda: len(table.reasons) >= 2, "it goes on trying after the loss")
        assert listening.is_running
        assert first.is_running
        first.close()
    listening.close()
    assert server.times_connected == table.times_connected == 1
    assert any("a defect at the message" in problem for problem in server.problems)
    assert {"connection", "token", "loss"} <= {problem.split("a defect at the ")[1].split("'")[0] for problem in table.problems}
    assert any(record.exc_info for record in caplog.records)


def test_a_link_goes_to_the_next_broker_of_a_cluster_and_back_where_one_is_away(broker: RunningBroker) -> None:
    ear = Ear()
    with Cable(broker.port) as cable:
        nobody, other = (replace(broker.address, port=port) for port in (free_port(), cable.port))
        link = MqttLink(nobody, Credentials(table_user("1"), PASSWORDS["1"]), ear, others=[other, broker.address])
        link.start()
        eventually(lambda: link.is_connected, "it goes to the second broker, since the first is away")
        cable.pull()
        eventually(lambda: ear.times_connected == 2, "it goes to the third, since the second went")
        link.close()


def test_a_publish_while_nothing_is_connected_says_so() -> None:
    link = MqttLink(BrokerAddress("127.0.0.1", free_port()), Credentials("table-1", "x"), Ear())
    with closing(link):
        link.start()
        assert link.publish("twinwall/e/1/events", b"x") is None


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("mqtt://localhost:1884", BrokerAddress("localhost", 1884)),
        ("mqtt://10.0.0.2", BrokerAddress("10.0.0.2", 1883)),
        ("mqtts://broker.example", BrokerAddress("broker.example", 8883, TlsFiles())),
        ("mqtt://[::1]:1883/", BrokerAddress("::1", 1883)),
    ],
)
def test_addresses_are_read(url: str, address: BrokerAddress) -> None:
    assert parse_address(url) == address


@pytest.mark.parametrize(
    "url", ["", "localhost:1883", "http://localhost", "mqtt://", "mqtt://h:99999", "mqtt://h:x", "mqtt://user:pw@h", "mqtt://h/path"]
)
def test_other_addresses_are_refused_with_what_to_write(url: str) -> None:
    with pytest.raises(DocumentError, match="mqtt"):
        parse_address(url or "nothing")


LINES = str(Topic(EVENT, "1", Channel.EVENTS))


@pytest.mark.parametrize(("made", "said"), [(timedelta(days=5), "not yet valid"), (-2 * LASTS, "expired")])
def test_a_certificate_of_another_time_is_told_with_the_day_that_this_computer_has(tmp_path: Path, made: timedelta, said: str) -> None:
    hall = HallCertificates(tmp_path / "certificates", now=datetime.now(UTC) + made)
    broker = new_tls_broker("amqtt", tmp_path, hall)
    ear = Ear()
    link = link_of(broker.reached_with(TlsFiles(hall.authority_file)), "1", ear)
    eventually(lambda: bool(ear.reasons), "it is told why")
    link.close()
    broker.stop()
    day = f"{datetime.now(UTC):%-d %B %Y}"
    assert re.search(f"{said}.*; this computer thinks that it is {day}, .*timedatectl", ear.reasons[0]), ear.reasons


def connected_before(end: datetime, broker: RunningBroker, ear: Ear) -> MqttLink | None:
    """A connection that is made while the certificates are good; None where the machine was too slow."""
    link = link_of(broker, "1", ear)
    while not link.is_connected and datetime.now(UTC) < end:
        time.sleep(0.05)
    if not link.is_connected:
        link.close()
        return None
    return link


def outlives(folder: Path, lasts_s: int) -> bool:
    """Whether a connection was made while certificates were good for so long; it has then outlived them, and a new one was refused."""
    end = datetime.now(UTC) + timedelta(seconds=lasts_s)
    folder.mkdir()
    hall = HallCertificates(folder / "certificates", now=end - LASTS)
    broker = new_tls_broker("mosquitto", folder, hall)
    reached, ear, late = broker.reached_with(hall.issue(account("1"))), Ear(), Ear()
    link = connected_before(end, reached, ear)
    if link is not None:
        eventually(lambda: datetime.now(UTC) > end + timedelta(seconds=1), "the certificates have ended")
        refused = link_of(reached, "1", late, instance="another")
        eventually(lambda: any("expired" in reason for reason in late.reasons), "the new connection is told why")
        token = link.publish(LINES, b"line")
        eventually(lambda: token in ear.tokens, "the connection that stands takes the line")
        assert (late.times_connected, ear.reasons) == (0, [])
        refused.close()
        link.close()
    broker.stop()
    return link is not None


@pytest.mark.skipif(not MOSQUITTO.exists(), reason=f"{MOSQUITTO} is not installed (apt-get install mosquitto)")
def test_a_connection_outlives_its_certificate_and_a_new_one_is_refused(tmp_path: Path) -> None:
    assert any(outlives(tmp_path / f"{lasts_s}", lasts_s) for lasts_s in (2, 10, 60, 150)), "a connection is made in time"
