"""A vault as a process and tables on real links, for the tests over both brokers."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from config import MqttSettings
from tests.support.children import Program, ends_with_parent
from tests.support.commands import readable
from tests.support.custody.hall import NAMES, PLAN, SEEDS, START, VAULT, PlayedTable, boot_of
from tests.support.custody.vault_settings import settings_file
from tests.support.wire.brokers import PASSWORDS, RunningBroker, eventually, link_of
from twinwall.custody.release import AllowKey
from twinwall.custody.vault_files import Orders
from twinwall.custody.vault_home import Cost, write_seed
from twinwall.game.deals import Seed
from twinwall.wire.mqtt.access import VAULT_USER
from twinwall.wire.mqtt.link import MqttLink

PASSPHRASE = "four quiet random words"
BEAT_S = 0.1


@dataclass
class VaultProgram(Program):
    """A vault's command with the settings ``vault.toml`` in its folder, as a process that can be killed and started again."""

    folder: Path
    words: tuple[str, ...] = ("vault", "run")

    def start(self, passphrase: str = PASSPHRASE) -> None:
        reading = readable(f"{passphrase}\n")
        command = [sys.executable, "-m", "cli", *self.words, "--settings", str(self.folder / "vault.toml")]
        with (self.folder / "log").open("a") as log:
            words = [*command, "--passphrase-fd", str(reading)]
            self.process = subprocess.Popen(ends_with_parent(words), pass_fds=(reading,), stdout=log, stderr=log)
        os.close(reading)

    @property
    def log(self) -> str:
        return (self.folder / "log").read_text()

    @property
    def released(self) -> list[Path]:
        return sorted((self.folder / "released").glob("slip-*.json"))


@dataclass
class RunningVault(VaultProgram):
    """``twinwall vault run`` with its seed, plan and start in files."""

    broker_port: int = 0

    def set_up(self) -> None:
        """What an organiser does before: keys, seed, plan, start, settings."""
        self.folder.mkdir()
        write_cheap_seed(self.folder / "server.seed", SEEDS["server"])
        (self.folder / "start.json").write_bytes(START.canonical)
        (self.folder / "password").write_text(PASSWORDS[VAULT_USER])
        settings_file(self.folder, MqttSettings(f"mqtt://127.0.0.1:{self.broker_port}", VAULT_USER, self.folder / "password"))
        orders = Orders(self.folder / "kept", PLAN.event, VAULT)
        for name in NAMES:
            orders.give(AllowKey(name, boot_of(name).public.fingerprint))


def write_cheap_seed(path: Path, seed: Seed) -> None:
    """A seed file whose passphrase takes no time."""
    path.write_bytes(write_seed(seed, "server", PASSPHRASE, salt=b"s" * 16, nonce=b"n" * 12, cost=Cost(64, 1, 1)))


@dataclass
class WiredTable:
    """A played table with a real link; the password is that of ``PASSWORDS`` where none is given."""

    table: PlayedTable
    broker: RunningBroker
    link: MqttLink | None = None
    password: str | None = None

    def plug_in(self, port: int | None = None) -> None:
        self.pull()
        publisher = self.table.publisher
        self.link = link_of(self.broker, self.table.name, publisher, *publisher.subscriptions, password=self.password, port=port)
        publisher.link = self.link

    def pull(self) -> None:
        if self.link is not None:
            self.link.close()
            self.link = None


def while_tables_beat(tables: list[WiredTable], what: Callable[[], bool], meaning: str, beat_s: float = BEAT_S) -> None:
    """Wait until it is so, the tables' heartbeats going on."""
    last_s = 0.0

    def beaten() -> bool:
        nonlocal last_s
        if time.monotonic() - last_s > beat_s:
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
