"""Source of a table's deals, by its settings: sealed deals from the vault, or a folder of deals in the clear for rehearsals."""

import logging
import secrets
import time
from collections.abc import Mapping

from cli.event.starts import started_plan
from config import SettingsError
from config.reading import named_keys
from controller.adapters.deal_folder import DealFolder, due_deals
from controller.adapters.memory_folder import MOUNTS, boot_secrets, open_folder
from controller.adapters.sealed_deals import SealedDeals
from controller.adapters.table_identity import TableIdentity
from controller.settings import TableSettings
from controller.table_loop import Deals
from twinwall.game.deals import DealError, StartedPlan
from twinwall.game.tiles import hands_in_order
from twinwall.wire.messages.assignment import TableKind
from twinwall.wire.messages.boot_keys import BOOT_SECRETS_SIZE
from twinwall.wire.messages.signing import Counter, Recipient, Signer, read_signer
from twinwall.wire.mqtt.access import SERVER_USER

log = logging.getLogger(__name__)


def table_deals(settings: TableSettings, sealed: SealedDeals | None) -> Deals:
    """Where the table takes its deals from; at a table without cameras the plan says which is next, and none is opened."""
    is_paper = settings.table.kind == TableKind.PAPER
    if sealed is not None and not is_paper:
        return sealed
    return DealFolder(_started(settings), settings.hands.session, played_hands(settings), None if is_paper else settings.deals.folder)


def sealed_deals(settings: TableSettings) -> SealedDeals | None:
    """The deals from the vault; None where they lie in a folder. A table without cameras takes none, and tells the vault how far it is.

    Raises DocumentError or OSError for the table's key, SettingsError when what opens deals would reach a disk.
    """
    custody, name = settings.custody, settings.table.name
    if custody.identity is None or not custody.vault_keys:
        return None
    started, signer = _started(settings), read_signer(name, custody.identity)
    memory = open_folder(custody.memory, MOUNTS.read_text(encoding="utf-8"))
    boot = boot_secrets(memory, name, secrets.token_bytes(BOOT_SECRETS_SIZE))
    log.info("the fingerprint of this table's boot keys is %s", boot.public.fingerprint)
    try:
        recipient = Recipient(settings.table.event, name, started.start.root)
        identity = TableIdentity(started, recipient, named_keys(custody.vault_keys), signer, boot, Counter(_since_boot_ms))
    except DealError as error:
        raise SettingsError(f"custody.vault_keys: {error}") from None
    hands = () if settings.table.kind == TableKind.PAPER else played_hands(settings)
    return SealedDeals(identity, memory, due_deals(started.plan, settings.hands.session, hands))


def trusted_signers(settings: TableSettings, sealed: SealedDeals | None) -> Mapping[str, bytes] | None:
    """Whose commands count, by name; None in a rehearsal, where they are not signed."""
    custody = settings.custody
    if custody.identity is None:
        return None
    trusted = dict(sealed.identity.vaults) if sealed is not None else {}
    if custody.server_key is not None:
        trusted[SERVER_USER] = bytes.fromhex(custody.server_key)
    return trusted or None


def head_signer(settings: TableSettings, sealed: SealedDeals | None) -> Signer | None:
    """Who signs the heads of this table's ledgers: its boot key, or its identity key where there is no vault to accept one; None
    in a rehearsal without keys."""
    if sealed is not None:
        return sealed.identity.boot.signer
    identity = settings.custody.identity
    return None if identity is None else read_signer(settings.table.name, identity)


def played_hands(settings: TableSettings) -> tuple[int, ...]:
    """The hands that the table plays, in order."""
    return hands_in_order(settings.hands.first, settings.hands.last, settings.hands.begins)


def _since_boot_ms() -> int:
    """The key is of one boot, and so is its counter: a table without a clock of its own may wake up in the past."""
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1_000_000


def _started(settings: TableSettings) -> StartedPlan:
    deals = settings.deals
    assert deals.plan is not None and deals.start is not None, "settings with an event name both"
    try:
        return started_plan(deals.plan, deals.start)
    except OSError as error:
        key, what = ("start", "start") if error.filename == str(deals.start) else ("plan", "plan of deals")
        raise SettingsError(f"deals.{key}: {error.filename} cannot be read ({error.strerror}): name the event's {what}") from error
