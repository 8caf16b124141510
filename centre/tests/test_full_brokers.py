"""A real RabbitMQ that has no room: a full disk, which venues wait for, and a session that a flood has filled."""

import json
from collections.abc import Iterator
from pathlib import Path
from queue import SimpleQueue

import pytest

from centre.deploy.gateway_conf import BrokerEndpoint, CentreEnd
from centre.deploy.rabbitmq_conf import MOST_SESSION_BYTES
from centre.tests.support.rabbit_rig import CONSUMER, OTHER, RabbitRig, needs
from tests.support.patience import PATIENCE_S
from tests.support.wire.brokers import Ear, eventually
from tools.rehearsal.programs import LOOPBACK
from tools.rehearsal.venue_brokers import VenueBrokers
from twinwall.free_ports import free_ports
from twinwall.wire.mqtt.access import table_user
from twinwall.wire.mqtt.broker_address import BrokerAddress, Credentials
from twinwall.wire.mqtt.link import MqttLink, Unsettled
from twinwall.wire.mqtt.topics import Channel, Topic

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.slow,
    pytest.mark.timeout(900),
    needs("rabbitmq-server", "mosquitto"),
]
EVENTS = str(Topic("e", "1", Channel.EVENTS))
HEARD = "venue/+/twinwall/#"


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[RabbitRig]:
    rig = RabbitRig(tmp_path)
    yield rig
    rig.close()


class SettlingConsumer:
    """A consumer whose session the broker keeps, as that of ``twinwall centre consume``."""

    def __init__(self, rig: RabbitRig) -> None:
        self._came: SimpleQueue[Unsettled] = SimpleQueue()
        self._heard: dict[bytes, None] = {}
        self.link, _ = rig.link(CONSUMER, HEARD, instance="1-of-1", unsettled=self._came.put)

    @property
    def lines(self) -> list[bytes]:
        """What has come until now, each once, in its order; it is settled."""
        while not self._came.empty():
            message = self._came.get()
            self._heard |= {message.payload: None} if message.topic.endswith(EVENTS) else {}
            self.link.settle([message])
        return list(self._heard)


def test_while_the_disk_of_the_centres_broker_is_full_the_venues_gateway_keeps_every_line(rig: RabbitRig, tmp_path: Path) -> None:
    consumer, acknowledged = SettlingConsumer(rig), Ear()
    certificate = rig.files[OTHER.user].certificate
    assert certificate is not None
    venue = VenueBrokers(OTHER, tmp_path / "venue", free_ports(1)[0], ("1",))
    address = BrokerEndpoint(LOOPBACK, rig.nodes.endpoints[0].port)
    gateway = venue.add_gateway(CentreEnd((address,), OTHER.client_id(certificate.read_bytes()), rig.files[OTHER.user]))
    table = MqttLink(BrokerAddress(LOOPBACK, venue.port), Credentials(table_user("1"), venue.password), acknowledged)
    try:
        for program in (venue.hall, gateway):
            program.start()
            program.wait(PATIENCE_S)
        table.start()
        eventually(lambda: consumer.link.is_connected and table.is_connected, "all are connected")
        eventually(lambda: table.publish(EVENTS, b"first") is not None and bool(consumer.lines), "the gateway passes on what is said")
        rig.control("set_disk_free_limit", f"{10**14}")
        eventually(lambda: "Free disk space alarm" in rig.control("status"), "the broker has raised its alarm")
        before, tokens = consumer.lines, len(acknowledged.tokens)
        said = [f"line {number}".encode() for number in range(200)]
        for line in said:
            assert table.publish(EVENTS, line) is not None
        eventually(lambda: len(acknowledged.tokens) >= tokens + len(said), "the hall's broker has taken them all")
        assert consumer.lines == before
        rig.control("set_disk_free_limit", "50MB")
        eventually(lambda: consumer.lines == [*before, *said], "every line comes, in its order")
    finally:
        table.close()
        for program in (gateway, venue.hall):
            program.stop()


def test_a_flood_fills_the_session_of_a_consumer_that_is_away_to_its_limit_and_no_further(rig: RabbitRig) -> None:
    policies = json.loads(rig.control("list_policies", "--formatter", "json"))
    assert [json.loads(each["definition"])["max-length-bytes"] for each in policies] == [MOST_SESSION_BYTES]
    limit = json.dumps({"max-length-bytes": 200_000, "overflow": "drop-head"})
    rig.control("set_policy", "sessions", "^mqtt-subscription-", limit, "--apply-to", "queues")
    consumer, (venue, told) = SettlingConsumer(rig), rig.link(OTHER.user)
    eventually(lambda: consumer.link.is_connected and venue.is_connected, "both are connected")
    consumer.link.close()
    flood = [f"{number:4}".encode() * 500 for number in range(400)]
    for line in flood:
        assert venue.publish(f"{OTHER.prefix}{EVENTS}", line) is not None
    eventually(lambda: len(told.tokens) >= len(flood), "the broker has taken the flood")
    again = SettlingConsumer(rig)
    eventually(lambda: flood[-1] in again.lines, "the consumer hears the last of it")
    assert again.lines == flood[-len(again.lines) :]
    assert sum(map(len, again.lines)) <= 200_000
