"""Custody over real wires: the vault as a process of its own, both brokers, kills and pulled cables."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from config import MqttSettings, VaultSettings, write
from config.services import HallSection, VaultDealsSection, VaultSection
from tests.event.custody.hall import (
    COMMITMENTS,
    DIGESTS,
    EVENT,
    NAMES,
    PLAN,
    PUBLIC,
    PUBLIC_KEYS,
    ROOT,
    SEEDS,
    VAULT,
    PlayedTable,
    deal_topic,
)
from tests.wire.brokers import PASSWORDS, PATIENCE_S, Ear, Relay, RunningBroker, eventually, link_of, new_broker
from tests.wire.test_mqtt import KINDS
from twinwall import cli
from twinwall.event.custody.seed_file import Cost, write_seed
from twinwall.game.documents import pretty_json
from twinwall.wire.access import SERVER_USER, VAULT_USER
from twinwall.wire.mqtt import Credentials, MqttLink
from twinwall.wire.signing import write_signing_key
from twinwall.wire.topics import slips_topic

PASSPHRASE = "four quiet random words"
BEAT_S = 0.1


@dataclass
class RunningVault:
    """``twinwall vault`` as a process that can be killed and started again."""

    folder: Path
    broker_port: int
    process: subprocess.Popen[str] | None = None
    said: list[str] = field(default_factory=list)

    def set_up(self) -> None:
        """What an organiser does before: keys, seed, plan, commitments, settings."""
        self.folder.mkdir()
        write_signing_key(self.folder / "vault.key", VAULT.secret)
        content = write_seed(SEEDS["server"], "server", PASSPHRASE, salt=b"s" * 16, nonce=b"n" * 12, cost=Cost(64, 1, 1))
        (self.folder / "server.seed").write_bytes(content)
        (self.folder / "plan.json").write_bytes(PLAN.canonical)
        (self.folder / "commitments.json").write_bytes(pretty_json(COMMITMENTS.to_json()))
        (self.folder / "password").write_text(PASSWORDS[VAULT_USER])
        settings = VaultSettings(
            VaultSection((self.folder / "server.seed",), self.folder / "vault.key", self.folder / "kept", self.folder / "released"),
            VaultDealsSection(self.folder / "plan.json", self.folder / "commitments.json", PUBLIC),
            HallSection(tuple(f"{name} {PUBLIC_KEYS[name].hex()}" for name in NAMES)),
            MqttSettings(f"mqtt://127.0.0.1:{self.broker_port}", VAULT_USER, self.folder / "password"),
        )
        write(self.folder / "vault.toml", settings)

    def start(self, passphrase: str = PASSPHRASE) -> None:
        reading, writing = os.pipe()
        os.write(writing, f"{passphrase}\n".encode())
        os.close(writing)
        command = [sys.executable, "-m", "twinwall.cli", "vault", "--settings", str(self.folder / "vault.toml")]
        with (self.folder / "log").open("a") as log:
            words = [*command, "--passphrase-fd", str(reading)]
            self.process = subprocess.Popen(words, pass_fds=(reading,), stdout=log, stderr=log, text=True)
        os.close(reading)

    @property
    def log(self) -> str:
        return (self.folder / "log").read_text()

    @property
    def released(self) -> list[Path]:
        return sorted((self.folder / "released").glob("slip-*.json"))

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        assert self.process is not None
        self.process.send_signal(number)
        return self.wait()

    def wait(self) -> int:
        assert self.process is not None
        code = self.process.wait(PATIENCE_S)
        self.process = None
        return code


@dataclass
class WiredTable:
    """A played table with a real link."""

    table: PlayedTable
    broker: RunningBroker
    link: MqttLink | None = None

    def plug_in(self, port: int | None = None) -> None:
        self.pull()
        publisher = self.table.publisher
        self.link = link_of(self.broker, self.table.name, publisher, *publisher.subscriptions, port=port)
        publisher.link = self.link

    def pull(self) -> None:
        if self.link is not None:
            self.link.close()
            self.link = None


@pytest.fixture(params=KINDS)
def broker(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[RunningBroker]:
    folder = tmp_path / "broker"
    folder.mkdir()
    running = new_broker(request.param, folder)
    yield running
    if running.process is not None:
        running.stop()


@pytest.fixture
def vault(broker: RunningBroker, tmp_path: Path) -> Iterator[RunningVault]:
    vault = RunningVault(tmp_path / "vault", broker.port)
    vault.set_up()
    vault.start()
    yield vault
    if vault.process is not None:
        vault.stop()


@pytest.fixture
def tables(broker: RunningBroker, tmp_path: Path) -> Iterator[list[WiredTable]]:
    wired = [WiredTable(PlayedTable(name, tmp_path / name), broker) for name in NAMES]
    for each in wired:
        each.plug_in()
    yield wired
    for each in wired:
        each.pull()
        each.table.close()


def while_tables_beat(tables: list[WiredTable], what: Callable[[], bool], meaning: str) -> None:
    """Wait until it is so, the tables' heartbeats going on."""
    last_s = 0.0

    def beaten() -> bool:
        nonlocal last_s
        if time.monotonic() - last_s > BEAT_S:
            last_s = time.monotonic()
            for each in tables:
                each.table.beat()
        return what()

    eventually(beaten, meaning)


def all_open(tables: list[WiredTable], n: int) -> None:
    def opened() -> bool:
        begun = [each.table.present for each in tables if each.table.open_next()]
        return len(begun) == len(tables) and all(deal is not None and deal.n == n for deal in begun)

    while_tables_beat(tables, opened, f"deal {n} is open at every table")


def all_finish(tables: list[WiredTable]) -> None:
    for each in tables:
        each.table.finish()


def test_a_session_with_a_killed_vault_and_a_table_cut_off_for_two_hands_ends_as_it_would_have(
    broker: RunningBroker, vault: RunningVault, tables: list[WiredTable], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hall = Ear()
    server = link_of(broker, SERVER_USER, hall, slips_topic(EVENT))
    all_open(tables, 1)
    while_tables_beat(tables, lambda: all(2 in each.table.deals.holds for each in tables), "deal 2 is given")
    assert vault.stop(signal.SIGKILL) == -signal.SIGKILL
    all_finish(tables)
    all_open(tables, 2)
    vault.start()
    while_tables_beat(tables, lambda: len(vault.released) == 1 and all(3 in each.table.deals.holds for each in tables), "deal 3 is given")
    with Relay(broker.port) as cable:
        tables[1].plug_in(cable.port)
        while_tables_beat(tables, lambda: tables[1].link is not None and tables[1].link.is_connected, "table 2 is on the cable")
        cable.cut()
        tables[1].table.finish()
        assert tables[1].table.open_next(), "it holds deal 3"
        tables[1].table.finish()
        assert not tables[1].table.open_next(), "it was given no more than two"
        tables[0].table.finish()
        all_open(tables[:1], 3)
        tables[0].table.finish()
        assert not tables[0].table.open_next(), "it waits for table 2"
        tables[1].pull()
    tables[1].plug_in()
    for n in (4, 5):
        all_open(tables, n)
        all_finish(tables)
    while_tables_beat(tables, lambda: len(vault.released) == 5 and len({payload for _, payload in hall.messages}) == 5, "all is released")
    server.close()
    assert [each.table.played for each in tables] == [DIGESTS, DIGESTS]
    assert all(not each.table.bad for each in tables)
    words = ["deals", "verify", str(vault.folder / "plan.json"), "--root", ROOT.hex(), *map(str, vault.released)]
    assert cli.main(words) == 0
    assert capsys.readouterr().out.count("re-made") == 5
    assert SEEDS["server"].content.hex() not in "".join(
        path.read_text(errors="replace") for path in vault.folder.glob("**/*") if path.is_file()
    )


def test_what_a_table_is_given_reaches_nobody_else_and_nobody_else_may_give(
    broker: RunningBroker, vault: RunningVault, tables: list[WiredTable]
) -> None:
    spies = [Ear(), Ear()]
    thief = MqttLink(broker.address, Credentials(VAULT_USER, "guessed", "thief"), spies[1], subscriptions=(deal_topic("1"),))
    thief.start()
    spying = [link_of(broker, SERVER_USER, spies[0], deal_topic("1")), thief]
    wired = tables[1].link
    assert wired is not None
    eventually(lambda: spying[0].is_connected and wired.is_connected and bool(spies[1].reasons), "all are in, or refused")
    spying[0].publish(deal_topic("1"), b"from the server")
    wired.publish(deal_topic("1"), b"from table 2")
    all_open(tables, 1)
    for link in spying:
        link.close()
    assert [spy.messages for spy in spies] == [[], []]
    assert all(not each.table.bad for each in tables)


@pytest.mark.parametrize("broker", KINDS[:1], indirect=True)
def test_the_wrong_passphrase_ends_the_vault_with_a_sentence(broker: RunningBroker, tmp_path: Path) -> None:
    vault = RunningVault(tmp_path / "vault", broker.port)
    vault.set_up()
    vault.start("four wrong random words")
    assert vault.wait() == 2
    assert "server.seed: the seed of 'server' does not open: the passphrase is another, or the file was changed" in vault.log
    assert "Traceback" not in vault.log
