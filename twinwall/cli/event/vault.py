"""``twinwall vault``: the process that keeps one holder's seed and gives each share of a deal when it is due.

``twinwall.event.custody`` decides; this module has the passphrase, the files, the broker and one loop. The seed is
in this process's memory alone, from the typing of the passphrase until it ends.
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
from twinwall.event.custody.key_shares import KeyShares
from twinwall.event.custody.process_protection import protect
from twinwall.event.custody.release import CustodyPlan
from twinwall.event.custody.seed_file import SeedFileError, read_seed
from twinwall.event.custody.signed_lines import VaultFilesError
from twinwall.event.custody.vault import Keep, Output, Publish, ReleaseSlip, Say, Vault
from twinwall.event.custody.vault_files import Orders, UnreadOrder, keep_start, put_out, put_status, sound_slips
from twinwall.event.custody.vault_ledger import VaultLedger
from twinwall.game.deals import Commitments
from twinwall.game.documents import DocumentError
from twinwall.wire.messages.challenge import CHALLENGE_SIZE
from twinwall.wire.messages.commands import CommandWriter
from twinwall.wire.messages.sealing import vault_names
from twinwall.wire.messages.signing import Counter, KeyFileError, read_signer
from twinwall.wire.mqtt.link import MqttLink

TICK_S = 0.5
STATUS_S = 2.0
PROBLEMS = (DocumentError, SeedFileError, KeyFileError, VaultFilesError)

log = logging.getLogger(__name__)


def register(subparsers: Subparsers) -> None:
    """Add ``twinwall vault``."""
    parser = subparsers.add_parser("vault", help="keep a holder's seed and give his share of each deal when it is due")
    parser.add_argument("--settings", type=Path, required=True, help="the vault's settings file")
    parser.add_argument("--holder", metavar="NAME", help="whose vault this is meant to be: another holder's settings are refused")
    add_passphrase_option(parser)
    event_mode.add_argument(parser)
    parser.set_defaults(func=_run)


def _run(arguments: argparse.Namespace) -> int:
    settings = load_to_run(arguments.settings, VaultSettings)
    event_mode.prepare(settings, arguments)
    if arguments.holder not in (None, settings.vault.holder):
        raise UsageError(f"{arguments.settings} is of the holder {settings.vault.holder!r}, not {arguments.holder!r}: name his settings")
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
    shares = open_shares(settings, given)
    vault_name = vault_names(shares.plan.holders)[shares.holder]
    signer = read_signer(vault_name, settings.vault.signing_key)
    tables = {name: bytes.fromhex(key) for name, key in (line.split(" ") for line in settings.hall.tables)}
    names, size = tuple(tables), settings.hall.group_size
    groups = tuple(names[start : start + size] for start in range(0, len(names), size))
    custody = CustodyPlan(shares.session(settings.deals.session), groups, settings.hall.spread, settings.vault.new_keys == "ask")
    said = "the vault is open: %d deals of session %d for tables %s; holder %r, account %r"
    log.info(said, len(custody.deals), settings.deals.session, ", ".join(names), shares.holder, vault_name)
    ledger = VaultLedger(settings.vault.folder, shares.plan.event, signer)
    keep_start(settings.vault.folder, shares.started.start)
    counter = Counter(lambda: time.time_ns() // 1_000_000, settings.vault.folder / "counter")
    commands = CommandWriter(shares.plan.event, signer, counter, lambda: secrets.token_hex(8))
    slips, set_aside = sound_slips(settings.vault.released, shares.started)
    for sentence in set_aside:
        log.warning("%s", sentence)
    vault = Vault(
        shares, custody, tables, signer=signer, commands=commands, kept=ledger.read(), counter=counter, fresh=_challenge, slips=slips
    )
    log.info("the start of the event is %s", shares.started.start.words)
    server = None if settings.vault.server_key is None else bytes.fromhex(settings.vault.server_key)
    orders = Orders(settings.vault.folder, shares.plan.event, signer, server)
    _Process(settings, vault, ledger, orders, vault_name).run()


def _challenge() -> bytes:
    return secrets.token_bytes(CHALLENGE_SIZE)


def open_shares(settings: VaultSettings, given: Passphrases) -> KeyShares:
    """Open the seed and compare it with commitments and start; raises DocumentError or UsageError."""
    started = started_plan(settings.deals.plan, settings.deals.start)
    published = None if settings.deals.commitments is None else Commitments.from_json(settings.deals.commitments.read_bytes())
    path, wanted = settings.vault.seed, settings.vault.holder
    try:
        holder, seed = read_seed(path.read_bytes(), given(str(path)))
    except SeedFileError as error:
        raise UsageError(f"{path}: {error}") from None
    if holder != wanted:
        raise UsageError(f"{path} is the seed of the holder {holder!r}, not of {wanted!r}: correct [vault] seed or holder")
    return KeyShares.open(started, holder, seed, published)


class _Process:
    """The link's listener and the one loop that owns the vault."""

    def __init__(self, settings: VaultSettings, vault: Vault, ledger: VaultLedger, orders: Orders, account: str) -> None:
        self._vault, self._ledger = vault, ledger
        self._orders = orders
        self._folder, self._released = settings.vault.folder, settings.vault.released
        self._status_due_s = 0.0
        self._queue: queue.SimpleQueue[tuple[str, bytes] | None] = queue.SimpleQueue()
        address, access = mqtt_address(settings.mqtt), mqtt_access(settings.mqtt, account)
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
            if isinstance(order, UnreadOrder):
                log.warning("%s", order.sentence)
            else:
                self._do(self._vault.order(order))
        if orders:
            self._orders.taken()
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
