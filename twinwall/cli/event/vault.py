"""``twinwall vault``: the process that keeps a session's seeds and gives each deal when it is due.

``twinwall.event.custody`` decides; this module has the passphrases, the files, the broker and one loop. The seeds are
in this process's memory alone, from the typing of the passphrases until it ends.
"""

from __future__ import annotations

import argparse
import logging
import queue
import secrets
import signal
import time
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType

from config import VaultSettings, load_to_run
from twinwall.cli import Subparsers, event_mode
from twinwall.cli.errors import EXIT_GOOD, UsageError
from twinwall.cli.event.passphrases import Passphrases, add_passphrase_option, passphrases
from twinwall.cli.event.starts import started_plan
from twinwall.cli.table.mqtt_connection import mqtt_access, mqtt_address
from twinwall.event.custody.custody_status import write_status
from twinwall.event.custody.deal_openings import DealOpenings
from twinwall.event.custody.process_protection import protect
from twinwall.event.custody.release import CustodyPlan
from twinwall.event.custody.seed_file import SeedFileError, read_seed
from twinwall.event.custody.signed_lines import VaultFilesError
from twinwall.event.custody.vault import Keep, Output, Publish, ReleaseSlip, Say, Vault
from twinwall.event.custody.vault_files import Orders, keep_start, put_out, put_status
from twinwall.event.custody.vault_ledger import VaultLedger
from twinwall.game.deals import Seed
from twinwall.game.documents import DocumentError
from twinwall.wire.messages.challenge import CHALLENGE_SIZE
from twinwall.wire.messages.commands import CommandWriter
from twinwall.wire.messages.sealing import VAULT
from twinwall.wire.messages.signing import Counter, KeyFileError, read_signer
from twinwall.wire.mqtt.access import VAULT_USER
from twinwall.wire.mqtt.link import MqttLink

TICK_S = 0.5
STATUS_S = 2.0
PROBLEMS = (DocumentError, SeedFileError, KeyFileError, VaultFilesError)

log = logging.getLogger(__name__)


def register(subparsers: Subparsers) -> None:
    """Add ``twinwall vault``."""
    parser = subparsers.add_parser("vault", help="keep the seeds of a session and give each deal when it is due")
    parser.add_argument("--settings", type=Path, required=True, help="the vault's settings file")
    add_passphrase_option(parser)
    event_mode.add_argument(parser)
    parser.set_defaults(func=_run)


def _run(arguments: argparse.Namespace) -> int:
    settings = load_to_run(arguments.settings, VaultSettings)
    event_mode.prepare(settings, arguments)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(message)s")
    if (warning := protect()) is not None:
        log.warning("%s", warning)
    try:
        serve(settings, passphrases(arguments.passphrase_fd))
    except PROBLEMS as error:
        raise UsageError(str(error)) from error
    return EXIT_GOOD


def serve(settings: VaultSettings, given: Passphrases) -> None:
    """Keep the vault until SIGTERM or SIGINT."""
    signer = read_signer(VAULT, settings.vault.signing_key)
    keeper = open_keeper(settings, given)
    tables = {name: bytes.fromhex(key) for name, key in (line.split(" ") for line in settings.hall.tables)}
    names, size = tuple(tables), settings.hall.group_size
    groups = tuple(names[start : start + size] for start in range(0, len(names), size))
    custody = CustodyPlan(keeper.session(settings.deals.session), groups, settings.hall.spread, settings.vault.new_keys == "ask")
    log.info("the vault is open: %d deals of session %d for tables %s", len(custody.deals), settings.deals.session, ", ".join(names))
    ledger = VaultLedger(settings.vault.folder, keeper.plan.event, signer)
    keep_start(settings.vault.folder, keeper.started.start)
    counter = Counter(lambda: time.time_ns() // 1_000_000, settings.vault.folder / "counter")
    commands = CommandWriter(keeper.plan.event, signer, counter, lambda: secrets.token_hex(8))
    vault = Vault(keeper, custody, tables, signer=signer, commands=commands, kept=ledger.read(), counter=counter, fresh=_challenge)
    log.info("the start of the event is %s", keeper.started.start.words)
    _Process(settings, vault, ledger, Orders(settings.vault.folder, keeper.plan.event, signer)).run()


def _challenge() -> bytes:
    return secrets.token_bytes(CHALLENGE_SIZE)


def open_keeper(settings: VaultSettings, given: Passphrases) -> DealOpenings:
    """Open the seeds and compare them with the event's start; raises DocumentError or SeedFileError."""
    started = started_plan(settings.deals.plan, settings.deals.start)
    seeds: dict[str, Seed] = {}
    for path in settings.vault.seeds:
        try:
            holder, seed = read_seed(path.read_bytes(), given(str(path)))
        except SeedFileError as error:
            raise UsageError(f"{path}: {error}") from None
        seeds[holder] = seed
    return DealOpenings(started, seeds)


class _Process:
    """The link's listener and the one loop that owns the vault."""

    def __init__(self, settings: VaultSettings, vault: Vault, ledger: VaultLedger, orders: Orders) -> None:
        self._vault, self._ledger = vault, ledger
        self._orders = orders
        self._folder, self._released = settings.vault.folder, settings.vault.released
        self._status_due_s = 0.0
        self._queue: queue.SimpleQueue[tuple[str, bytes] | None] = queue.SimpleQueue()
        address, access = mqtt_address(settings.mqtt), mqtt_access(settings.mqtt, VAULT_USER)
        self._link = MqttLink(address, access, self, subscriptions=vault.subscriptions)

    def run(self) -> None:
        """Serve until told to stop."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._stop)
        self._link.start()
        tick_due_s = time.monotonic()
        try:
            while True:
                now_s = time.monotonic()
                if now_s >= tick_due_s:
                    self._tick(now_s)
                    tick_due_s = now_s + TICK_S
                try:
                    arrived = self._queue.get(timeout=max(0.0, tick_due_s - time.monotonic()))
                except queue.Empty:
                    continue
                if arrived is None:
                    return
                self._do(self._vault.hear(*arrived, time.monotonic()))
        finally:
            self._link.close()

    def connected(self) -> None:
        """The broker is there; tables speak every few seconds."""
        log.info("connected to the broker")

    def disconnected(self, reason: str) -> None:
        """The broker is gone; tables play on with what they hold."""
        log.warning("broker: %s", reason)

    def published(self, token: int) -> None:
        """What gets lost is asked for again, so nothing waits for this."""

    def message(self, topic: str, payload: bytes) -> None:
        """Something arrived."""
        self._queue.put((topic, payload))

    def problem(self, sentence: str) -> None:
        """Something on the network was not understood."""
        log.warning("%s", sentence)

    def _stop(self, _number: int, _frame: FrameType | None) -> None:
        self._queue.put(None)

    def _tick(self, now_s: float) -> None:
        try:
            orders = self._orders.new()
        except VaultFilesError as error:
            log.warning("%s", error)
            orders = []
        for order in orders:
            self._do(self._vault.order(order))
        self._do(self._vault.tick(now_s))
        if now_s >= self._status_due_s:
            self._status_due_s = now_s + STATUS_S
            put_status(self._folder, write_status(self._vault.status(datetime.now(UTC), now_s)))

    def _do(self, outputs: list[Output]) -> None:
        """Carry out what was decided, in its order: an entry is on disk before anything that relies on it leaves."""
        for output in outputs:
            match output:
                case Keep(event):
                    self._ledger.keep(event)
                case Publish(topic, payload):
                    self._link.publish(topic, payload)
                case ReleaseSlip(n, slip):
                    log.info("deal %d is released: %s", n, put_out(self._released, n, slip))
                case Say(sentence):
                    log.warning("%s", sentence)
