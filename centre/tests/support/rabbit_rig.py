"""One RabbitMQ node of a centre with two venues and a consumer, on the files that deploy it."""

import os
import shutil
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from centre.deploy.venue_account import VenueAccount
from tests.support.patience import PATIENCE_S
from tests.support.wire.brokers import Ear
from tools.rehearsal.programs import LOOPBACK, ProgramError
from tools.rehearsal.rabbit_nodes import CentreAccounts, CentreCertificates, RabbitNodes
from twinwall.wire.mqtt.broker_address import BrokerAddress, Credentials, TlsFiles
from twinwall.wire.mqtt.link import MqttLink, Unsettled

CONSUMER = "consumer-1"
ROBBED, OTHER = VenueAccount("Haus 7.1"), VenueAccount("Kyoto")


def needs(*programs: str) -> pytest.MarkDecorator:
    """Leaves a test out where one of these is not installed."""
    missing = [name for name in programs if shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin") is None]
    return pytest.mark.skipif(bool(missing), reason=f"not installed: {', '.join(missing)}")


class RabbitRig:
    """One node with two venues and a consumer."""

    def __init__(self, folder: Path, made_at: datetime | None = None) -> None:
        """``made_at`` is when its certificates were made; they last a day."""
        certificates = CentreCertificates(folder / "certificates", made_at or datetime.now(UTC))
        self.nodes = RabbitNodes(folder / "rabbitmq", 1, certificates, CentreAccounts((ROBBED, OTHER), (CONSUMER,)))
        self.files = {user: certificates.issue(user) for user in (ROBBED.user, OTHER.user, CONSUMER)}
        self.links: list[MqttLink] = []
        self._has_started = False
        try:
            self.nodes.start(PATIENCE_S)
        except ProgramError:
            self.nodes.stop()
            raise

    def link(
        self,
        user: str,
        *topics: str,
        instance: str = "0123456789abcdef",
        files: TlsFiles | None = None,
        unsettled: Callable[[Unsettled], None] | None = None,
    ) -> tuple[MqttLink, Ear]:
        """A connection with the certificate of this account, or with other files in its name; with ``unsettled`` its session is kept."""
        ear = Ear()
        link = MqttLink(self.address(user, files), Credentials(user, "", instance), ear, subscriptions=topics, unsettled=unsettled)
        link.start()
        self.links.append(link)
        return link, ear

    def address(self, user: str, files: TlsFiles | None = None) -> BrokerAddress:
        """The node as this account reaches it, or with other files in its name."""
        return BrokerAddress(LOOPBACK, self.nodes.endpoints[0].port, files or self.files[user])

    def control(self, *words: str) -> str:
        """As the how-to says to the person at the broker; what it prints."""
        if not self._has_started:
            self._has_started = True
            self.control("await_startup")  # it takes connections a little before it takes orders
        node = self.nodes.nodes[0]
        command = ["/usr/lib/rabbitmq/bin/rabbitmqctl", *words]
        return subprocess.run(command, env=os.environ | dict(node.environment), check=True, capture_output=True, text=True).stdout

    def close(self) -> None:
        for link in self.links:
            link.close()
        self.nodes.stop()
