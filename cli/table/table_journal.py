"""A table's journal, opened as its settings say: signed and encrypted where a vault gives the deals, in clear in a rehearsal."""

import logging
import secrets
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, closing, nullcontext
from functools import partial
from typing import Protocol

from cli.usage import UsageError
from controller.adapters.journal_keys import GivenJournal, JournalKeyFiles, JournalKeyRequest, key_of, ledger_end
from controller.adapters.sealed_deals import SealedDeals
from controller.ledger.journal import Journal, JournalHeads
from controller.ledger.journal_lines import is_encrypted
from controller.ledger.publisher import Link
from controller.settings import TableSettings
from twinwall.values import frozen
from twinwall.wire.ledger import LedgerPosition
from twinwall.wire.line_cipher import LineCipher, LineSalts

JOURNAL = "table.journal"
HEADS = "table.journal.heads"
LATEST_HEAD = "journal.head"


class KeyLink(Link, Protocol):
    """A link on which the vault can be asked."""

    def start(self) -> None:
        """Begin to connect."""

    def close(self) -> None:
        """End it."""


Connect = Callable[[JournalKeyRequest], KeyLink]
Waiting = Callable[[JournalKeyRequest], AbstractContextManager[None]]

log = logging.getLogger(__name__)


@frozen
class OpenedJournal:
    """The journal, what encrypts its lines, where the vaults know the table's ledger to have stood, when they were asked, and the salts of
    that ledger."""

    journal: Journal
    cipher: LineCipher | None = None
    known: Mapping[str, LedgerPosition] | None = None
    salt: LineSalts | None = None


def open_journal(
    settings: TableSettings, sealed: SealedDeals | None, connect: Connect, waiting: Waiting = lambda _request: nullcontext()
) -> OpenedJournal | None:
    """The journal of the table; None when the table is stopped while it waits for the vault. Raises JournalError. ``connect`` makes the
    link on which the vault is asked for the key of a journal that a power cut has closed; ``waiting`` is entered while nothing can go on
    before the vaults have answered."""
    folder = settings.ledger.folder
    path = folder / JOURNAL
    if sealed is None:
        log.warning("a rehearsal: deals lie in a folder, and the journal %s is written in clear and unsigned", path)
        return OpenedJournal(Journal(path))
    folder.mkdir(parents=True, exist_ok=True)
    files = JournalKeyFiles(settings.custody.memory, folder, tuple(sealed.identity.vaults))
    key = files.held()
    given: GivenJournal | None = None
    if key is None and not (path.exists() and b"\n" in path.read_bytes()):
        key = files.begin(secrets.token_bytes)
    elif key is None:
        kept = {vault: files.kept(vault) for vault in sealed.identity.vaults}
        request = JournalKeyRequest(sealed, kept, ledger_end(folder / "events.jsonl"))
        with waiting(request):
            given = _ask(request, connect)
        if given is None:
            return None
        key = key_of(given[0])
    heads = JournalHeads(folder / HEADS, settings.custody.memory / LATEST_HEAD, sealed.identity.head_keys)
    cipher = LineCipher(key, secrets.token_bytes)
    journal = Journal(path, cipher, heads)
    if given is not None:
        files.hold(given[0])
    recipient = sealed.identity.recipient
    sealed.vault_heard = partial(files.keep_for, event=recipient.event, table=recipient.table)
    return OpenedJournal(journal, cipher, None if given is None else given[1], LineSalts(key))


def reading_cipher(settings: TableSettings) -> LineCipher | None:
    """What a report needs to read the journal; None where it lies in clear. Raises UsageError when the key is not in memory."""
    path = settings.ledger.folder / JOURNAL
    if not path.exists() or not is_encrypted(path.read_bytes()[:64]):
        return None
    key = JournalKeyFiles(settings.custody.memory, settings.ledger.folder).held()
    if key is None:
        raise UsageError(
            f"{path} is encrypted, and its key is not in {settings.custody.memory}: start the table (twinwall table run), which asks the "
            "vault for it, then say this again"
        )
    return LineCipher(key, secrets.token_bytes)


def _ask(request: JournalKeyRequest, connect: Connect) -> GivenJournal | None:
    """Wait for the vaults, until the request is stopped."""
    log.warning(
        "the table has lost power, and the key of its journal with it: the vault gives it back when a person has allowed this table's "
        "new boot keys (twinwall vault allow)"
    )
    with closing(connect(request)) as link:
        link.start()
        return request.wait(link)
