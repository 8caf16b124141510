"""Attack 3: whoever listens on the network between a table and the broker reads its lines, or stands between the two.

The control is what `allow_clear_text` allows: the same lines over the same cable in clear.
"""

import json
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import pytest

from config import SettingsError, loads
from config.reading import dumps
from controller.settings import TableSettings
from tests.support.dashboard.example import whole_hand
from tests.support.wire.brokers import EVENT, KINDS, Ear, RunningBroker, eventually, link_of, new_broker
from tests.support.wire.streams import ledger_lines
from tests.support.wire.tls import Cable, HallCertificates, TlsBroker, Wiretap, account, new_tls_broker, told_apart
from tools.default_settings import TABLE
from twinwall.game.tiles import ALL_TILES
from twinwall.wire.mqtt import link
from twinwall.wire.mqtt.access import SERVER_USER
from twinwall.wire.mqtt.broker_address import BrokerAddress, Credentials
from twinwall.wire.mqtt.link import MqttLink
from twinwall.wire.mqtt.topics import Channel, Topic, all_tables

LINE = b'{"type":"discarded","seat":"E","tile":"5p"}'
"""A discard of a deal that other tables have still to play."""
TOPICS = all_tables(EVENT, Channel.EVENTS)
ACKNOWLEDGED = 64
"""Records up to this length are acknowledgements, which are of one length."""
PASSWORD = b"of table one"


def play_a_line(table_end: RunningBroker, server_end: RunningBroker, cable: Cable) -> None:
    """Table 1 sends a line through the cable, and the server hears it."""
    ear = Ear()
    server = link_of(server_end, SERVER_USER, ear, all_tables(EVENT, Channel.EVENTS))
    table = link_of(table_end, "1", Ear(), port=cable.port)
    eventually(lambda: server.is_connected and table.is_connected, "both are connected")
    table.publish(str(Topic(EVENT, "1", Channel.EVENTS)), LINE)
    eventually(lambda: [payload for _, payload in ear.messages] == [LINE], "the line arrives")
    table.close()
    server.close()


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> HallCertificates:
    return HallCertificates(tmp_path_factory.mktemp("certificates"))


@pytest.fixture(params=KINDS)
def broker(request: pytest.FixtureRequest, tmp_path: Path, hall: HallCertificates) -> Iterator[TlsBroker]:
    running = new_tls_broker(request.param, tmp_path, hall)
    yield running
    running.stop()


def test_control_in_clear_the_listener_reads_the_line_and_the_password(tmp_path: Path) -> None:
    broker = new_broker("amqtt", tmp_path)
    with Wiretap(broker.port) as cable:
        play_a_line(broker, broker, cable)
    broker.stop()
    assert LINE in cable.heard
    assert PASSWORD in cable.heard


def test_over_tls_the_listener_reads_neither_line_nor_topic_nor_password(broker: TlsBroker, hall: HallCertificates) -> None:
    with Wiretap(broker.port) as cable:
        table, server = (broker.reached_with(hall.issue(account(name))) for name in ("1", SERVER_USER))
        play_a_line(table, server, cable)
    assert cable.heard, "there was something to listen to"
    assert not [secret for secret in (LINE, PASSWORD, b"discarded", b"twinwall/", b"table-1/") if secret in cable.heard]


def heard_lengths(broker: TlsBroker, hall: HallCertificates, lines: Sequence[bytes]) -> list[object]:
    """What a listener hears of each line that table 1 sends: the lengths of the records on both cables, the table's and the server's."""
    heard, ear, before = list[object](), Ear(), list[int]()
    with Wiretap(broker.port) as cable:
        server = link_of(broker.reached_with(hall.issue(account(SERVER_USER))), SERVER_USER, ear, TOPICS, port=cable.port)
        table = link_of(broker.reached_with(hall.issue(account("1"))), "1", Ear(), port=cable.port)
        eventually(lambda: server.is_connected and table.is_connected, "both are connected")
        for number, line in enumerate(lines, start=1):
            before = [len(way) for way in cable.record_lengths()]
            table.publish(str(Topic(EVENT, "1", Channel.EVENTS)), line)
            eventually(partial(lambda expected: len(ear.messages) == expected, number), "the line arrives")
            new = [length for way, at in zip(cable.record_lengths(), before, strict=True) for length in way[at:] if length > ACKNOWLEDGED]
            heard.append(tuple(sorted(new)))
        assert [payload for _, payload in ear.messages] == list(lines), "and as it was sent"
        table.close()
        server.close()
    return heard


def test_the_length_of_what_is_sent_tells_no_tile_and_no_event(broker: TlsBroker, hall: HallCertificates) -> None:
    discards = {kind.text: LINE.replace(b"5p", kind.text.encode()) for kind in ALL_TILES}
    assert told_apart(zip(discards, heard_lengths(broker, hall, [*discards.values()]), strict=True)) == 0
    lines = ledger_lines([*whole_hand()])
    types = [str(json.loads(line)["type"]) for line in lines]
    assert told_apart(zip(types, heard_lengths(broker, hall, lines), strict=True)) == 0


def test_control_as_long_as_it_is_a_message_tells_suited_tiles_and_events(
    tmp_path: Path, hall: HallCertificates, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link, "_padded", lambda _topic, payload: payload)
    broker = new_tls_broker("amqtt", tmp_path, hall)
    lines = [LINE, LINE.replace(b"5p", b"E"), b'{"type":"play-halted"}']
    heard = heard_lengths(broker, hall, lines)
    broker.stop()
    assert len(set(heard)) == len(lines), "each is told apart from the others"


@pytest.mark.parametrize("who", ["another authority", "another machine"])
def test_who_stands_between_with_a_certificate_of_his_own_is_told_nothing(tmp_path: Path, hall: HallCertificates, who: str) -> None:
    """His broker answers in the place of the hall's: its certificate is not of the hall's authority, or names another machine."""
    others = HallCertificates(tmp_path / "others")
    theirs = (
        new_tls_broker("amqtt", tmp_path, others) if who == "another authority" else new_tls_broker("amqtt", tmp_path, hall, "hall.example")
    )
    ear, trusted = Ear(), hall.issue(account("1"))
    with Wiretap(theirs.port) as cable:
        link = MqttLink(BrokerAddress("127.0.0.1", cable.port, trusted), Credentials("table-1", PASSWORD.decode()), ear)
        link.start()
        eventually(lambda: len(ear.reasons) >= 2, "tried, and tried again")
        link.close()
    theirs.stop()
    assert ear.times_connected == 0
    assert "certificate" in ear.reasons[0]
    assert PASSWORD not in cable.heard


def table_settings(url: str, more: str = "") -> TableSettings:
    text = dumps(TABLE).replace('url = "mqtt://127.0.0.1:1883"', f'url = "{url}"\n{more}')
    return loads(text.replace("\nallow_clear_text = false", "") if more else text, TableSettings, Path("/etc/twinwall/table.toml"))


@pytest.mark.parametrize("url", ["mqtt://192.168.1.10", "mqtt://hall.example:1883", "mqtt://127.0.0.1.example", "mqtt://0.0.0.0"])
def test_a_table_whose_settings_name_a_broker_in_clear_beyond_its_machine_does_not_start(url: str) -> None:
    with pytest.raises(SettingsError, match=rf"\[mqtt\] url {url} is not encrypted.*mqtts://.*ca_file.*allow_clear_text = true"):
        table_settings(url)


def test_control_a_setting_named_as_what_it_is_lets_it_start() -> None:
    assert table_settings("mqtt://192.168.1.10", "allow_clear_text = true").mqtt.in_clear == "url mqtt://192.168.1.10"
