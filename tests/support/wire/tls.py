"""The authority of a hall and its certificates, brokers that speak TLS, a cable that can be pulled, and a listener on the wire."""

import contextlib
import socket
import threading
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.support.wire.brokers import EVENT, RunningBroker, free_port, write_accounts
from twinwall.wire.certificates import new_authority
from twinwall.wire.mqtt.access import SERVER_USER, VAULT_USER, table_user, tls_conf
from twinwall.wire.mqtt.broker_address import BrokerAddress, TlsFiles

CHUNK = 65536


class Cable:
    """Carries TCP connections to ``port`` until ``pull``, which ends them all and refuses new ones until ``plug``."""

    def __init__(self, port: int) -> None:
        self._to = port
        self._server = socket.create_server(("127.0.0.1", free_port()))
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()
        self._pulled = self._ended = False
        self._threads: list[threading.Thread] = []

    @property
    def port(self) -> int:
        """Where the table's end is."""
        port: int = self._server.getsockname()[1]
        return port

    def __enter__(self) -> Self:
        self._spawn(self._accept)
        return self

    def __exit__(self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None) -> None:
        self._ended = True
        with contextlib.suppress(OSError):
            self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()
        self.pull()
        for thread in self._threads:
            thread.join()

    def pull(self) -> None:
        with self._lock:
            self._pulled = True
            for connection in self._open:
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)

    def plug(self) -> None:
        with self._lock:
            self._pulled = False

    def passes(self, content: bytes) -> None:
        """Something goes through; nobody looks."""

    def _accept(self) -> None:
        while not self._ended:
            try:
                near, _ = self._server.accept()
            except OSError:
                return
            try:
                far = socket.create_connection(("127.0.0.1", self._to), timeout=5)
            except OSError:
                near.close()
                continue
            with self._lock:
                if self._pulled:
                    near.close()
                    far.close()
                    continue
                self._open |= {near, far}
            far.settimeout(None)
            ends = threading.Semaphore(0)
            self._spawn(self._carry, near, far, ends)
            self._spawn(self._carry, far, near, ends)
            self._spawn(self._close, near, far, ends)

    def _carry(self, one: socket.socket, other: socket.socket, ends: threading.Semaphore) -> None:
        with contextlib.suppress(OSError):
            while content := one.recv(CHUNK):
                self.passes(content)
                other.sendall(content)
        for end in (one, other):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        ends.release()

    def _close(self, near: socket.socket, far: socket.socket, ends: threading.Semaphore) -> None:
        """Let go of both sockets when neither direction is carried any more."""
        ends.acquire()
        ends.acquire()
        with self._lock:
            self._open -= {near, far}
        near.close()
        far.close()

    def _spawn(self, act: object, *arguments: object) -> None:
        assert callable(act)
        thread = threading.Thread(target=act, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()


HOSTS = ("127.0.0.1", "hall.example")
LASTS = timedelta(days=10)


class HallCertificates:
    """An authority and its certificates below a folder, one pair of files for each name."""

    def __init__(self, folder: Path, *, hosts: tuple[str, ...] = HOSTS, now: datetime | None = None) -> None:
        """``now`` is when they are made; certificates last ten days."""
        folder.mkdir(exist_ok=True)
        self.folder, self.now = folder, now or datetime.now(UTC)
        self.authority, _ = new_authority(EVENT, hosts, self.now, LASTS)
        self.authority_file = folder / "authority.pem"
        self.authority_file.write_bytes(self.authority.pem)

    def issue(self, name: str, *hosts: str) -> TlsFiles:
        """The files of one program; a server's where hosts are given."""
        issued = self.authority.issue(name, hosts, self.now)
        certificate, key = self.folder / f"{name}.pem", self.folder / f"{name}.key"
        certificate.write_bytes(issued.certificate)
        key.write_bytes(issued.key)
        return TlsFiles(self.authority_file, certificate, key)


def certificate_in(folder: Path) -> tuple[Path, Path, Path]:
    """A certificate for this machine, its key, and the authority that has issued it."""
    hall = HallCertificates(folder / "certificates")
    hall.issue("hall", *HOSTS)
    return hall.folder / "hall.pem", hall.folder / "hall.key", hall.authority_file


@dataclass
class TlsBroker(RunningBroker):
    """A broker that is reached by TLS alone: Mosquitto by certificates, the embedded one by a certificate and passwords."""

    files: TlsFiles = field(default_factory=TlsFiles)
    """The broker's own."""

    @property
    def address(self) -> BrokerAddress:
        return BrokerAddress("127.0.0.1", self.port, TlsFiles(self.files.authority))

    def reached_with(self, files: TlsFiles) -> RunningBroker:
        """The same broker for a client with these files."""
        return _Reached(self.kind, self.folder, self.port, client=files)

    def amqtt_files(self) -> list[str]:
        return [str(self.files.authority), str(self.files.certificate), str(self.files.key)]

    def mosquitto_conf(self) -> str:
        return tls_conf(self.folder / "rights", self.files, "127.0.0.1", self.port)


@dataclass
class _Reached(RunningBroker):
    client: TlsFiles = field(default_factory=TlsFiles)

    @property
    def address(self) -> BrokerAddress:
        return replace(super().address, tls=self.client)


def new_tls_broker(kind: str, folder: Path, hall: HallCertificates, *hosts: str) -> TlsBroker:
    """A broker with the accounts of ``PASSWORDS`` and a certificate for these hosts (this machine by default), started."""
    write_accounts(folder)
    broker = TlsBroker(kind, folder, free_port(), files=hall.issue("broker", *(hosts or HOSTS)))
    broker.start()
    return broker


def account(name: str) -> str:
    """The user name of the server, the vault, or a table (by its name)."""
    return name if name in (SERVER_USER, VAULT_USER) else table_user(name)


class Wiretap(Cable):
    """A cable whose every byte somebody writes down, each way of each connection by itself."""

    def __init__(self, port: int) -> None:
        self._ways, self._noting = dict[int, bytearray](), threading.Lock()
        super().__init__(port)

    def passes(self, content: bytes) -> None:
        with self._noting:
            self._ways.setdefault(threading.get_ident(), bytearray()).extend(content)

    @property
    def heard(self) -> bytes:
        with self._noting:
            return b"".join(self._ways.values())

    def record_lengths(self) -> list[list[int]]:
        """Of each way, the lengths of its TLS records: what a listener learns without a key."""
        with self._noting:
            return [list(_records(bytes(way))) for way in self._ways.values()]


def _records(way: bytes) -> Iterator[int]:
    at = 0
    while at + 5 <= len(way):
        length = int.from_bytes(way[at + 3 : at + 5], "big")
        yield length
        at += 5 + length


def told_apart(heard: Iterable[tuple[str, object]]) -> float:
    """How much more often a listener is right who guesses what was sent from what he heard, than one who has heard nothing.

    ``heard`` are what was sent and what was heard of it; 0 is chance, and he knows how often each is sent with what length.
    """
    sent = list(heard)
    by_sound: defaultdict[object, Counter[str]] = defaultdict(Counter)
    for what, sound in sent:
        by_sound[sound][what] += 1
    right = sum(max(each.values()) for each in by_sound.values())
    return (right - max(Counter(what for what, _ in sent).values())) / len(sent)
