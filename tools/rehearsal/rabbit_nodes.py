"""The centre's RabbitMQ nodes of a rehearsal, each in a folder and on ports of its own, with an epmd of its own beside Debian's; and the
certificates of brokers, venues and consumers, from an authority of its own."""

import socket
import subprocess
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path

from centre.deploy.deploy_files import filled
from centre.deploy.gateway_conf import BrokerEndpoint
from centre.deploy.rabbitmq_conf import RabbitNode, definitions, node_conf
from centre.deploy.venue_account import VenueAccount
from tools.rehearsal.programs import LOOPBACK, ExternalProgram, ProgramError, find_program
from twinwall.free_ports import free_ports
from twinwall.values import frozen
from twinwall.wire.certificates import new_authority
from twinwall.wire.mqtt.broker_address import TlsFiles

LASTS = timedelta(days=1)


class CentreCertificates:
    """Made anew for each rehearsal."""

    def __init__(self, folder: Path, now: datetime) -> None:
        """``now`` is when they are made; they last a day."""
        folder.mkdir(parents=True)
        self._folder, self._now = folder, now
        self._authority, _ = new_authority("rehearsal", (LOOPBACK,), now, LASTS)
        self.authority_file = folder / "authority.pem"
        self.authority_file.write_bytes(self._authority.pem)

    def issue(self, name: str, *hosts: str) -> TlsFiles:
        """The files of one program; a server's where hosts are given."""
        issued = self._authority.issue(name, hosts, self._now)
        certificate, key = self._folder / f"{name}.pem", self._folder / f"{name}.key"
        certificate.write_bytes(issued.certificate)
        key.touch(mode=0o600)
        key.write_bytes(issued.key)
        return TlsFiles(self.authority_file, certificate, key)


BROKER = "rabbitmq"
"""The name in the nodes' certificates; no account."""
COOKIE = "twinwall-rehearsal"
HANDSHAKE_S = 2.0


@frozen
class CentreAccounts:
    """Who may connect."""

    venues: Sequence[VenueAccount]
    consumers: Sequence[str]
    vaults: Sequence[str] = ()


class RabbitNodes:
    """A cluster of so many nodes on this machine."""

    def __init__(self, folder: Path, count: int, certificates: CentreCertificates, accounts: CentreAccounts) -> None:
        """Write the files; nothing is started."""
        self._script = _server_script()
        folder.mkdir(parents=True)
        epmd, *ports = free_ports(2 * count + 1)
        self._epmd = epmd
        names = [f"twinwall-{epmd}-{number}@localhost" for number in range(1, count + 1)]
        accounts_file = folder / "definitions.json"
        accounts_file.write_bytes(definitions(accounts.venues, accounts.consumers, accounts.vaults))
        tls = certificates.issue(BROKER, LOOPBACK)
        self.nodes: list[ExternalProgram] = []
        self.endpoints: list[BrokerEndpoint] = []
        for name, port, distribution in zip(names, ports[:count], ports[count:], strict=True):
            node = RabbitNode(name, LOOPBACK, port, names, tls, str(accounts_file))
            self.nodes.append(self._program(folder / f"node-{len(self.nodes) + 1}", node, distribution))
            self.endpoints.append(BrokerEndpoint(LOOPBACK, port))

    def start(self, timeout_s: float) -> None:
        """Start all nodes, the first one first: the others join it."""
        for node in self.nodes:
            node.start()
            node.wait(timeout_s)

    def stop(self) -> None:
        """End them, and their epmd."""
        for node in reversed(self.nodes):
            node.stop()
        subprocess.run([find_program("epmd", "erlang-base"), "-port", str(self._epmd), "-kill"], check=False, stdout=subprocess.DEVNULL)

    def _program(self, folder: Path, node: RabbitNode, distribution: int) -> ExternalProgram:
        folder.mkdir()
        (folder / "rabbitmq.conf").write_text(node_conf(node))
        (folder / "enabled_plugins").write_text(filled("enabled_plugins"))
        cookie = folder / ".erlang.cookie"
        cookie.write_text(COOKIE)
        cookie.chmod(0o400)
        environment = {
            "HOME": str(folder),
            "RABBITMQ_NODENAME": node.name,
            "RABBITMQ_MNESIA_BASE": str(folder / "mnesia"),
            "RABBITMQ_LOG_BASE": str(folder / "log"),
            "RABBITMQ_CONFIG_FILE": str(folder / "rabbitmq.conf"),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(folder / "enabled_plugins"),
            "RABBITMQ_CONF_ENV_FILE": "/dev/null",
            "RABBITMQ_PID_FILE": str(folder / "pid"),
            "RABBITMQ_DIST_PORT": str(distribution),
            "ERL_EPMD_PORT": str(self._epmd),
            "ERL_EPMD_ADDRESS": LOOPBACK,
        }
        name = folder.name.replace("node", "rabbitmq")
        return ExternalProgram(name, [self._script], folder, lambda: _speaks_tls(node.port, node.tls), environment)


def _speaks_tls(port: int, tls: TlsFiles) -> bool:
    """Whether the node completes a handshake. While it starts it takes connections and says nothing, and a Mosquitto that waits for an
    answer to its handshake keeps a core busy."""
    try:
        with socket.create_connection((LOOPBACK, port), HANDSHAKE_S) as connection:
            connection.settimeout(HANDSHAKE_S)
            tls.context().wrap_socket(connection, server_hostname=LOOPBACK).close()
    except OSError:
        return False
    return True


def _server_script() -> str:
    """RabbitMQ's own start script: Debian's in /usr/sbin changes to the user of the service, whose folders these are not."""
    find_program("rabbitmq-server", "rabbitmq-server")
    script = Path("/usr/lib/rabbitmq/bin/rabbitmq-server")
    if not script.exists():
        raise ProgramError(f"{script} is not there: apt-get install rabbitmq-server")
    return str(script)
