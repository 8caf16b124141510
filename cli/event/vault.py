"""``twinwall vault run``: the process that keeps one holder's seed and gives each share of a deal when it is due. ``twinwall.custody``
decides; this module has the settings, the passphrase, the broker and one loop. A vault whose settings name no seed waits for the server's
orders; another one has plan, start and seed in files. The seed is in this process's memory alone."""

import logging
import queue
import secrets
import time
from argparse import Namespace
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from cli import logs
from cli.event.starts import started_plan
from cli.event.vault_folders import vault_account
from cli.run_settings import load_to_run, prepare_event
from cli.table.mqtt_connection import mqtt_access, mqtt_address
from cli.usage import (
    EVENT,
    LOG,
    PASSPHRASE_FD,
    Passphrases,
    UsageError,
    argument,
    passphrases,
    read_file,
    settings_file,
    stop_on_signals,
    takes,
)
from config import MqttSettings, VaultSettings
from config.field import VenueFieldSection
from twinwall.custody.key_shares import GivenShares, KeyShares, session_deals
from twinwall.custody.ordered_vault import OrderedVault
from twinwall.custody.process_protection import protect
from twinwall.custody.table_custody import TableCustody
from twinwall.custody.table_rules import CustodyPlan
from twinwall.custody.vault import Publish, Vault, VenueEnd
from twinwall.custody.vault_files import VaultFiles, keep_start
from twinwall.custody.vault_home import COST, Cost, VaultHome, VaultOwner, read_seed
from twinwall.game.deals import Commitments, StartedPlan
from twinwall.given_files import limited_bytes
from twinwall.wire.messages.signing import Counter, SealingKey, Signer, read_signer, vault_names
from twinwall.wire.messages.vaults.journal_key import CHALLENGE_SIZE
from twinwall.wire.mqtt.link import LinkListener, MqttLink

TICK_S = 0.5

log = logging.getLogger(__name__)


@takes(
    settings_file("the vault's"),
    argument("--holder", "whose vault this is meant to be: another holder's settings are refused", metavar="NAME"),
    PASSPHRASE_FD,
    argument(
        "--passphrase-here",
        "where the server gives the orders: ask for the passphrase at this machine, and take none from the server",
        action="store_true",
    ),
    EVENT,
    LOG,
)
def run(arguments: Namespace) -> None:
    """Keep the vault until SIGTERM or SIGINT."""
    keep(arguments, COST)


def keep(arguments: Namespace, cost: Cost) -> None:
    """Keep the vault until SIGTERM or SIGINT; ``cost`` is what the passphrase of a seed costs that is made here."""
    settings = load_to_run(arguments.settings, VaultSettings)
    prepare_event(settings, arguments)
    if arguments.holder not in (None, settings.vault.holder):
        raise UsageError(f"{arguments.settings} is of the holder {settings.vault.holder!r}, not {arguments.holder!r}: name his settings")
    logs.begin(arguments, vault_in_log(settings))
    if (warning := protect()) is not None:
        log.warning("%s", warning)
    if settings.waits:
        wait_for_orders(settings, arguments, cost)
    else:
        serve(settings, passphrases(arguments.passphrase_fd))


def vault_in_log(settings: VaultSettings) -> dict[str, str]:
    """What each JSON line of a vault's log names: its holder, and the venue in a field of many."""
    return {"holder": settings.vault.holder, "venue": "" if settings.field is None else settings.field.venue}


def _passphrase_here(arguments: Namespace, *, is_new: bool) -> str:
    """The passphrase that is given at the vault itself, typed twice where no seed is there yet; empty where it comes from the server."""
    if arguments.passphrase_fd is None and not arguments.passphrase_here:
        return ""
    return passphrases(arguments.passphrase_fd, twice=is_new)("this vault's seed")


def serve(settings: VaultSettings, given: Passphrases) -> None:
    """Keep the vault of seed, plan and start in files until SIGTERM or SIGINT; at a venue of a field without the seed."""
    vault, deals, hall = settings.vault, settings.deals, settings.hall
    assert deals is not None
    assert hall is not None
    shares = _given_shares(settings) if settings.field is not None else open_shares(settings, given)
    vault_name = vault_names(shares.plan.holders)[shares.holder]
    signer = read_signer(vault_name, vault.signing_key)
    keys = dict(line.split(" ") for line in hall.tables)
    names, size = tuple(keys), hall.group_size
    groups = tuple(names[start : start + size] for start in range(0, len(names), size))
    custody = CustodyPlan(session_deals(shares.plan, deals.session), groups, hall.spread, vault.new_keys == "ask")
    said = "the vault is open: %d deals of session %d for tables %s; holder %r, account %r"
    log.info(said, len(custody.deals), deals.session, ", ".join(names), shares.holder, vault_name)
    disk = VaultFiles(vault.folder, shares.plan.event, signer, settings.released, log.warning, server=vault.server)
    keep_start(vault.folder, shares.started.start)
    log.info("the start of the event is %s", shares.started.start.words)
    counter = _counter(vault.folder)
    tables = TableCustody(
        custody,
        {name: bytes.fromhex(key) for name, key in keys.items()},
        shares,
        signer=signer,
        counter=counter,
        draw=lambda: secrets.token_bytes(CHALLENGE_SIZE),
        command_id=lambda: secrets.token_hex(8),
        server=vault.server,
    )
    centre = _venue_end(settings.field, shares, signer, counter) if isinstance(shares, GivenShares) else None
    VaultProcess(settings.mqtt, Vault(shares, tables, disk, centre), vault_name).run()


def _given_shares(settings: VaultSettings) -> GivenShares:
    """What a venue's vault begins with: the start, and no share; raises DocumentError or UsageError."""
    deals, holder = settings.deals, settings.vault.holder
    assert deals is not None
    started = started_plan(deals.plan, deals.start)
    if holder not in started.plan.holders:
        raise UsageError(f"{holder!r} is no holder of the plan ({', '.join(started.plan.holders)}): correct [vault] holder")
    return GivenShares(started, holder)


def _venue_end(field: VenueFieldSection | None, shares: GivenShares, signer: Signer, counter: Counter) -> VenueEnd:
    """A venue's end towards the centre's vault of the holder."""
    assert field is not None
    keys = Signer(field.venue, signer.secret), bytes.fromhex(field.centre_key), SealingKey(secrets.token_bytes(32))
    return VenueEnd(*keys, shares, counter=counter, clock=lambda: datetime.now(UTC))


def wait_for_orders(settings: VaultSettings, arguments: Namespace, cost: Cost) -> None:
    """Keep the vault that gets everything from the server until SIGTERM or SIGINT."""
    vault, account = settings.vault, vault_account(settings)
    assert vault.server is not None
    signer = read_signer(account, vault.signing_key)
    home = VaultHome(vault.folder, signer)
    passphrase = _passphrase_here(arguments, is_new=home.present is None)
    owner = VaultOwner(vault.holder, signer, vault.server, passphrase, vault.new_keys == "ask", vault.released, cost)
    waiting = OrderedVault(owner, home, _counter(vault.folder), log.warning)
    log.info("the vault of %r waits for orders; account %r, public key %s", vault.holder, account, signer.public.hex())
    VaultProcess(settings.mqtt, waiting, account).run()


def _counter(folder: Path) -> Counter:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return Counter(lambda: time.time_ns() // 1_000_000, folder / "counter")


def open_shares(settings: VaultSettings, given: Passphrases) -> KeyShares:
    """Open the seed and compare it with commitments and start; raises DocumentError or UsageError."""
    deals, path = settings.deals, settings.vault.seed
    assert deals is not None
    assert path is not None
    return open_seed(started_plan(deals.plan, deals.start), settings.vault.holder, path, deals.commitments, given)


def open_seed(started: StartedPlan, wanted: str, path: Path, commitments: Path | None, given: Passphrases) -> KeyShares:
    """Open a holder's seed file and compare it with commitments and start; raises DocumentError or UsageError."""
    published = None if commitments is None else Commitments.from_json(limited_bytes(commitments))
    passphrase = given(str(path))
    holder, seed = read_file(path, lambda content: read_seed(content, passphrase))
    if holder != wanted:
        raise UsageError(f"{path} is the seed of the holder {holder!r}, not of {wanted!r}: correct [vault] seed or holder")
    return KeyShares.open(started, holder, seed, published)


class ServedVault(Protocol):
    """What the loop serves: a vault with its files."""

    @property
    def subscriptions(self) -> tuple[str, ...]:
        """What the link has to hear now."""

    def hear(self, topic: str, payload: bytes, now_s: float) -> list[Publish]:
        """Something arrived; what is to be sent."""

    def tick(self, now_s: float, at: datetime) -> list[Publish]:
        """Time has passed; what is to be sent."""


class VaultProcess(LinkListener):
    """The link's listener and the one loop that owns the vault."""

    def __init__(self, mqtt: MqttSettings, served: ServedVault, account: str, monotonic_s: Callable[[], float] = time.monotonic) -> None:
        self._served, self._monotonic_s = served, monotonic_s
        self._queue: queue.SimpleQueue[tuple[str, bytes] | None] = queue.SimpleQueue()
        self._address, self._access = mqtt_address(mqtt), mqtt_access(mqtt, account)
        self._subscriptions = served.subscriptions
        self._link = MqttLink(self._address, self._access, self, subscriptions=self._subscriptions)

    def run(self) -> None:
        stop_on_signals(self.stop)
        self._link.start()
        self.serve()

    def serve(self) -> None:
        """Hear what arrives and tick, until ``stop``. From the end of a tick to the next one there is time to hear: on a machine with
        much other work a tick may take longer than ``TICK_S``, and one message between two ticks would leave ever more waiting."""
        tick_due_s = self._monotonic_s()
        try:
            while True:
                now_s = self._monotonic_s()
                if now_s >= tick_due_s:
                    self._send(self._served.tick(now_s, datetime.now(UTC)))
                    tick_due_s = self._monotonic_s() + TICK_S
                try:
                    arrived = self._queue.get(timeout=max(0.0, tick_due_s - self._monotonic_s()))
                except queue.Empty:
                    continue
                if arrived is None:
                    return
                self._send(self._served.hear(*arrived, self._monotonic_s()))
        finally:
            self._link.close()

    def stop(self) -> None:
        """End ``serve`` once what has arrived until now is heard."""
        self._queue.put(None)

    def connected(self) -> None:
        """The broker is there; tables speak every few seconds."""
        log.info("connected to the broker")

    def disconnected(self, reason: str) -> None:
        """The broker is gone; tables play on with what they hold."""
        log.warning("broker: %s", reason)

    def message(self, topic: str, payload: bytes) -> None:
        self._queue.put((topic, payload))

    def _send(self, sent: list[Publish]) -> None:
        """Send, and hear from now on what the vault has to hear."""
        for each in sent:
            self._link.publish(each.topic, each.payload)
        if self._subscriptions != self._served.subscriptions:
            self._subscriptions = self._served.subscriptions
            self._link.close()
            self._link = MqttLink(self._address, self._access, self, subscriptions=self._subscriptions)
            self._link.start()
