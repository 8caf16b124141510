"""A real RabbitMQ with the accounts that are written for it: rights by venue, and a venue that is cut off."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.support.patience import PATIENCE_S
from tests.support.wire.brokers import Ear, eventually
from twinwall.centre.deployment.gateway_conf import order_topic
from twinwall.centre.deployment.venue_account import VenueAccount
from twinwall.centre.rehearsal.centre_certificates import CentreCertificates
from twinwall.centre.rehearsal.programs import LOOPBACK
from twinwall.centre.rehearsal.rabbit_nodes import CentreAccounts, RabbitNodes
from twinwall.wire.mqtt.broker_address import BrokerAddress, Credentials
from twinwall.wire.mqtt.centre_topics import CentreOrder
from twinwall.wire.mqtt.link import MqttLink
from twinwall.wire.mqtt.tls import TlsFiles

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.slow,
    pytest.mark.timeout(900),
    pytest.mark.skipif(shutil.which("rabbitmq-server", path="/usr/sbin") is None, reason="apt-get install rabbitmq-server"),
]
CONSUMER = "consumer-1"
ROBBED, OTHER = VenueAccount("Haus 7.1"), VenueAccount("Kyoto")


class RabbitRig:
    """One node with two venues and a consumer."""

    def __init__(self, folder: Path) -> None:
        certificates = CentreCertificates(folder / "certificates", datetime.now(UTC))
        self.nodes = RabbitNodes(folder / "rabbitmq", 1, certificates, CentreAccounts((ROBBED, OTHER), (CONSUMER,)))
        self.files = {user: certificates.issue(user) for user in (ROBBED.user, OTHER.user, CONSUMER)}
        self.links: list[MqttLink] = []
        self.nodes.start(PATIENCE_S)

    def link(self, user: str, *topics: str, instance: str = "0123456789abcdef", files: TlsFiles | None = None) -> tuple[MqttLink, Ear]:
        """A connection with the certificate of this account, or with other files in its name."""
        ear = Ear()
        address = BrokerAddress(LOOPBACK, self.nodes.endpoints[0].port, files or self.files[user])
        link = MqttLink(address, Credentials(user, "", instance), ear, subscriptions=topics)
        link.start()
        self.links.append(link)
        return link, ear

    def control(self, *words: str) -> None:
        """As the how-to says to the person at the broker."""
        node = self.nodes.nodes[0]
        command = ["/usr/lib/rabbitmq/bin/rabbitmqctl", *words]
        subprocess.run(command, env=os.environ | dict(node.environment), check=True, capture_output=True)

    def close(self) -> None:
        for link in self.links:
            link.close()
        self.nodes.stop()


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RabbitRig]:
    rig = RabbitRig(tmp_path_factory.mktemp("rabbitmq"))
    yield rig
    rig.close()


def test_a_venue_speaks_below_its_prefix_alone_and_a_robbed_one_is_cut_off_without_the_others(rig: RabbitRig) -> None:
    consumer, heard = rig.link(CONSUMER, "venue/+/twinwall/#", instance="1-of-1")
    robbed, robbed_ear = rig.link(ROBBED.user, order_topic(ROBBED, CentreOrder.RESEND))
    other, other_ear = rig.link(OTHER.user, order_topic(OTHER, CentreOrder.RESEND))
    eventually(lambda: all(link.is_connected for link in (consumer, robbed, other)), "all are connected")
    first_tries = len(other_ear.reasons)

    for link, account in ((robbed, ROBBED), (other, OTHER)):
        assert link.publish(f"{account.prefix}twinwall/e/1/events", b"line") is not None
    eventually(lambda: len(heard.messages) == 2, "both venues are heard")
    assert consumer.publish(order_topic(OTHER, CentreOrder.RESEND), b"order") is not None
    eventually(lambda: other_ear.messages == [(order_topic(OTHER, CentreOrder.RESEND), b"order")], "the order is heard")
    assert robbed_ear.messages == []

    robbed.publish(f"{OTHER.prefix}twinwall/e/1/events", b"forged")
    eventually(lambda: bool(robbed_ear.reasons), "who speaks for another venue is thrown out")
    _, curious = rig.link(ROBBED.user, order_topic(OTHER, CentreOrder.RESEND), instance="fedcba9876543210")
    eventually(lambda: bool(curious.problems or curious.reasons), "who listens to another venue's orders is refused")

    rig.control("delete_user", ROBBED.user)
    rig.control("close_all_user_connections", ROBBED.user, "robbed")
    seen = len(heard.messages)
    eventually(lambda: not robbed.is_connected and len(robbed_ear.reasons) > 1, "the stolen certificate is of nobody")
    assert other.publish(f"{OTHER.prefix}twinwall/e/1/events", b"after") is not None
    eventually(lambda: (f"{OTHER.prefix}twinwall/e/1/events", b"after") in heard.messages[seen:], "the other venue goes on")
    assert other_ear.reasons[first_tries:] == []
    assert not any(payload == b"forged" for _, payload in heard.messages)


def test_who_has_no_certificate_of_the_centre_is_not_heard(rig: RabbitRig, tmp_path: Path) -> None:
    stranger = CentreCertificates(tmp_path / "stranger", datetime.now(UTC)).issue(OTHER.user)
    mixed = TlsFiles(rig.files[OTHER.user].authority, stranger.certificate, stranger.key)
    tried = [rig.link(OTHER.user, files=files) for files in (mixed, TlsFiles(rig.files[OTHER.user].authority))]
    eventually(lambda: all(len(ear.reasons) > 1 for _, ear in tried), "they are refused again and again")
    assert [ear.times_connected for _, ear in tried] == [0, 0]
