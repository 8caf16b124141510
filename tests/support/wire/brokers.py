"""Real brokers in processes of their own, and the two ends that talk over them."""

import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.support.children import Program, ends_with_parent
from tests.support.patience import PATIENCE_S
from twinwall.free_ports import free_ports
from twinwall.wire.ledger import PublicEvent
from twinwall.wire.messages.commands import Resend, read_command, write_command
from twinwall.wire.mqtt.access import SALT_BYTES, SERVER_USER, VAULT_USER, AccessFiles, loopback_conf, table_user, write_access_files
from twinwall.wire.mqtt.broker_address import BrokerAddress, Credentials
from twinwall.wire.mqtt.link import LinkListener, MqttLink
from twinwall.wire.mqtt.topics import Channel, Topic, all_tables, parse_topic
from twinwall.wire.receiver import LineRefused, TableReceiver

MOSQUITTO = Path("/usr/sbin/mosquitto")
EVENT = "Autumn / Herbst"
PASSWORDS = {SERVER_USER: "of the server", VAULT_USER: "of the vault", "1": "of table one", "2": "of table two"}
AMQTT_PROGRAM = """
import sys
from pathlib import Path
from twinwall.wire.mqtt.access import AccessFiles
from twinwall.wire.mqtt.broker_address import BrokerAddress
from twinwall.wire.mqtt.embedded_broker import serve
from twinwall.wire.mqtt.broker_address import TlsFiles
folder = Path(sys.argv[1])
tls = TlsFiles(*map(Path, sys.argv[3:])) if sys.argv[3:] else None
serve(AccessFiles(folder / "passwords", folder / "rights"), BrokerAddress("127.0.0.1", int(sys.argv[2]), tls))
"""


def free_port() -> int:
    return free_ports(1)[0]


def eventually(what: Callable[[], object], meaning: str, limit_s: float = PATIENCE_S, every_s: float = 0.01) -> None:
    """Wait until it is so, and look so often; fails with the meaning when it does not become so."""
    end = time.monotonic() + limit_s
    while not what():
        assert time.monotonic() < end, f"not within {limit_s} s: {meaning}"
        time.sleep(every_s)


@dataclass
class RunningBroker(Program):
    """A broker process that can be killed and started again on its port."""

    kind: str
    folder: Path
    port: int
    program: str = AMQTT_PROGRAM

    @property
    def address(self) -> BrokerAddress:
        return BrokerAddress("127.0.0.1", self.port)

    def start(self) -> None:
        if self.kind == "amqtt":
            command = [sys.executable, "-c", self.program, str(self.folder), str(self.port), *self.amqtt_files()]
        else:
            conf = self.folder / "mosquitto.conf"
            conf.write_text(self.mosquitto_conf() + "user root\n")
            command = [str(MOSQUITTO), "-c", str(conf)]
        with (self.folder / "broker.log").open("ab") as log:
            self.process = subprocess.Popen(ends_with_parent(command), stdout=log, stderr=log)
        eventually(self._listens, f"{self.kind} listens; its log: {(self.folder / 'broker.log').read_text()}")

    def amqtt_files(self) -> list[str]:
        """Authority, certificate and key of the embedded broker; nothing in clear."""
        return []

    def mosquitto_conf(self) -> str:
        """What Mosquitto is told."""
        return loopback_conf(AccessFiles(self.folder / "passwords", self.folder / "rights"), "127.0.0.1", self.port)

    def _listens(self) -> bool:
        with socket.socket() as asked:
            return asked.connect_ex(("127.0.0.1", self.port)) == 0


def write_accounts(folder: Path, event: str | None = EVENT) -> None:
    """The accounts of ``PASSWORDS`` and their rights at one event, or for None at any."""
    for name, content in _access_files(event).items():
        (folder / name).write_bytes(content)
        (folder / name).chmod(0o600)


@cache
def _access_files(event: str | None) -> dict[str, bytes]:
    """The files by their names: hashing passwords takes as long as starting a broker."""
    with TemporaryDirectory() as folder:
        files = write_access_files(Path(folder), event, PASSWORDS, {name: name.encode().ljust(SALT_BYTES, b".") for name in PASSWORDS})
        return {path.name: path.read_bytes() for path in (files.passwords, files.rights)}


def new_broker(kind: str, folder: Path, program: str = AMQTT_PROGRAM, event: str | None = EVENT) -> RunningBroker:
    """A broker of the kind with the accounts of ``PASSWORDS`` and their rights at one event, or for None at any, started."""
    write_accounts(folder, event)
    broker = RunningBroker(kind, folder, free_port(), program=program)
    broker.start()
    return broker


class Ear:
    """A listener that remembers everything."""

    def __init__(self) -> None:
        self.messages: list[tuple[str, bytes]] = []
        self.tokens: list[int] = []
        self.reasons: list[str] = []
        self.problems: list[str] = []
        self.times_connected = 0

    def connected(self) -> None:
        self.times_connected += 1

    def disconnected(self, reason: str) -> None:
        self.reasons.append(reason)

    def published(self, token: int) -> None:
        self.tokens.append(token)

    def message(self, topic: str, payload: bytes) -> None:
        self.messages.append((topic, payload))

    def problem(self, sentence: str) -> None:
        self.problems.append(sentence)


def link_of(
    broker: RunningBroker,
    name: str,
    ear: LinkListener,
    *topics: str,
    password: str | None = None,
    port: int | None = None,
    instance: str = "",
) -> MqttLink:
    """A started link of the server, the vault, or a table (by its name)."""
    user = name if name in (SERVER_USER, VAULT_USER) else table_user(name)
    credentials = Credentials(user, PASSWORDS[name] if password is None else password, instance)
    link = MqttLink(replace(broker.address, port=port or broker.port), credentials, ear, subscriptions=topics)
    link.start()
    return link


@contextmanager
def connected(*links: MqttLink) -> Iterator[None]:
    """Goes on when all links are up, and closes them at the end."""
    eventually(lambda: all(link.is_connected for link in links), "all are connected")
    yield
    for link in links:
        link.close()


class LedgerPublisher(Ear):
    """A table's end: its ledger and an acknowledged position are all the outbox there is."""

    def __init__(self, broker: RunningBroker, table: str, password: str | None = None) -> None:
        super().__init__()
        self.lines: list[bytes] = []
        self.asked: list[Resend] = []
        self.acknowledged = 0
        self._sent: dict[int, int] = {}
        self._lock = threading.RLock()
        self._topic = str(Topic(EVENT, table, Channel.EVENTS))
        self.link = link_of(broker, table, self, str(Topic(EVENT, table, Channel.COMMAND)), password=password)

    def append(self, line: bytes) -> None:
        with self._lock:
            self.lines.append(line)
            self._send(len(self.lines))

    def connected(self) -> None:
        with self._lock:
            super().connected()
            self._sent.clear()
            for seq in range(self.acknowledged + 1, len(self.lines) + 1):
                self._send(seq)

    def published(self, token: int) -> None:
        with self._lock:
            seq = self._sent.pop(token, 0)
            if seq == self.acknowledged + 1:
                self.acknowledged = seq

    def message(self, topic: str, payload: bytes) -> None:
        command = read_command(payload)
        assert isinstance(command, Resend)
        with self._lock:
            self.asked.append(command)
            for seq in range(command.first, min(command.last, len(self.lines)) + 1):
                self.link.publish(self._topic, self.lines[seq - 1])

    def _send(self, seq: int) -> None:
        token = self.link.publish(self._topic, self.lines[seq - 1])
        if token is not None:
            self._sent[token] = seq


class LedgerReader(Ear):
    """The server's end: puts one table's stream in order and asks for what is missing."""

    def __init__(self, broker: RunningBroker, table: str) -> None:
        super().__init__()
        self.accepted: list[bytes] = []
        self.refused: list[str] = []
        self._table = table
        self._receiver = TableReceiver(table)
        self.link = link_of(broker, SERVER_USER, self, all_tables(EVENT, Channel.EVENTS), instance=f"reader of {table}")

    def message(self, topic: str, payload: bytes) -> None:
        for output in self._receiver.feed(payload, time.monotonic()) if parse_topic(topic).table == self._table else []:
            match output:
                case PublicEvent() as event:
                    self.accepted.append(event.line)
                case LineRefused(reason):
                    self.refused.append(reason)
                case Resend() as resend:
                    self.link.publish(str(Topic(EVENT, self._table, Channel.COMMAND)), write_command(resend))
                case _:
                    pass


KINDS = [
    "amqtt",
    pytest.param(
        "mosquitto", marks=pytest.mark.skipif(not MOSQUITTO.exists(), reason=f"{MOSQUITTO} is not installed (apt-get install mosquitto)")
    ),
]
