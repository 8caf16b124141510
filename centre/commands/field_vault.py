"""``twinwall centre vault`` and ``twinwall centre allow``: one holder's vault at the centre, which gives deals to the venues' vaults.

``centre.custody`` decides; this module has the settings, the passphrase, the broker and the centre's store.
"""

import argparse
import logging
from collections.abc import Mapping
from contextlib import closing
from datetime import datetime

from centre.commands.consume import store_address
from centre.custody.field_ledger import FIELD_LEDGER
from centre.custody.field_orders import FieldOrders, read_field_orders
from centre.custody.field_rules import FieldCustody
from centre.custody.venues import Venues
from centre.store.centre_reading import CentreReader
from centre.store.order_rows import OrderRows
from cli import logs
from cli.event.starts import started_plan
from cli.event.vault import VaultProcess, open_seed
from cli.run_settings import load_to_run
from cli.table.mqtt_connection import mqtt_account
from cli.usage import EXIT_GOOD, LOG, PASSPHRASE_FD, UsageError, argument, passphrases, settings_file, takes
from config import FieldVaultSettings, load
from config.field import FieldVaultSection
from twinwall.custody.key_shares import KeyShares
from twinwall.custody.process_protection import protect
from twinwall.custody.release import AllowKey
from twinwall.custody.vault import CENTRE, Vault
from twinwall.custody.vault_files import Orders, VaultFiles, keep_start
from twinwall.event.store.databases.port import PostgresAddress
from twinwall.game.deals import StartedPlan
from twinwall.game.documents import DocumentError
from twinwall.wire.messages.signing import read_signer

log = logging.getLogger(__name__)


@takes(
    settings_file("the vault's"),
    PASSPHRASE_FD,
    LOG,
    about=__doc__,
)
def run(arguments: argparse.Namespace) -> int:
    settings = load_to_run(arguments.settings, FieldVaultSettings)
    vault = settings.vault
    started = started_plan(vault.plan, vault.start)
    logs.begin(arguments, {"event": started.plan.event, "holder": vault.holder})
    if (warning := protect()) is not None:
        log.warning("%s", warning)
    custody = _custody(started, vault)
    shares = open_seed(started, vault.holder, vault.seed, vault.commitments, passphrases(arguments.passphrase_fd))
    opened = field_vault(settings, started, custody, shares)
    log.info("the centre's vault of %r is open for %d venues; start %s", vault.holder, len(custody.venues), started.start.words)
    VaultProcess(settings.mqtt, opened, mqtt_account(settings.mqtt)).run()
    return EXIT_GOOD


def field_vault(settings: FieldVaultSettings, started: StartedPlan, custody: FieldCustody, shares: KeyShares) -> Vault:
    """The vault, made from its files; raises DocumentError if they are not valid."""
    vault, event, signer = settings.vault, started.plan.event, read_signer(CENTRE, settings.vault.signing_key)
    keep_start(vault.folder, started.start)
    venues = Venues(custody, vault.keys, shares, signer, _CentreStore(store_address(settings.database), started, vault))
    files = VaultFiles(vault.folder, event, signer, vault.folder / "released", log.warning, form=FIELD_LEDGER, once=True)
    return Vault(shares, venues, files)


class _CentreStore:
    """The centre's store, opened for each access: these are rare, and a database that moved is found again."""

    def __init__(self, address: PostgresAddress, started: StartedPlan, vault: FieldVaultSection) -> None:
        self._address, self._started, self._vault = address, started, vault

    def orders(self) -> FieldOrders:
        event, vault = self._started.plan.event, self._vault
        with closing(CentreReader(self._address, event)) as reader:
            orders, sentences = read_field_orders(reader.orders(), event, vault.persons, tuple(vault.keys), self._started)
        for sentence in sentences:
            log.debug("%s", sentence)
        return orders

    def add(self, slips: Mapping[int, bytes], at: datetime) -> None:
        with closing(OrderRows(self._address, self._started.plan.event)) as rows:
            rows.release(slips, at)


def _custody(started: StartedPlan, vault: FieldVaultSection) -> FieldCustody:
    try:
        return FieldCustody(started.plan, tuple(vault.keys), vault.least_deal_s, ahead=vault.deals_ahead)
    except ValueError as error:
        raise UsageError(f"[vault] {error}") from None


@takes(
    argument("venue", metavar="VENUE", help="the venue's name, as the settings have it"),
    argument("fingerprint", metavar="FINGERPRINT", help="the digits that the venue's vault has in its log"),
    settings_file("the centre's vault's"),
    about=__doc__,
)
def allow(arguments: argparse.Namespace) -> int:
    settings = load(arguments.settings, FieldVaultSettings)
    vault = settings.vault
    if arguments.venue not in vault.keys:
        raise UsageError(f"venue {arguments.venue!r} is not in {arguments.settings}: write its name as [vault] venues does")
    try:
        event = started_plan(vault.plan, vault.start).plan.event
        orders = Orders(vault.folder, event, read_signer(CENTRE, vault.signing_key))
        orders.give(AllowKey(arguments.venue, arguments.fingerprint))
    except (DocumentError, OSError) as error:
        raise UsageError(str(error)) from None
    return EXIT_GOOD
