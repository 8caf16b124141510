"""Key of a table's journal: where it lies, and how a table that has lost it asks the vault for it.

The key is made with the journal and lies in the folder in memory, so that a killed controller goes on by itself. As soon as the
table hears the vault's sealing key, it puts the key beside the journal too, sealed to the vault; no deal comes before that. After a
power cut that is all there is: the table shows its new boot keys and what it has kept, and waits.
"""

from __future__ import annotations

import logging
import os
import queue
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from controller.adapters.sealed_deals import SealedDeals
from controller.ledger.journal import JournalError
from controller.ledger.journal_heads import put_private
from controller.ledger.publisher import Link
from twinwall.wire.ledger import LedgerPosition, LineError, parse
from twinwall.wire.line_cipher import LINE_KEY_SIZE
from twinwall.wire.messages.journal_key import JournalKeyError, keep_for_vault, read_kept
from twinwall.wire.mqtt.topics import Channel, Topic

IN_MEMORY = "journal.key"
BESIDE_JOURNAL = "table.journal.key"
ASKED_EVERY_S = 2.0
UNKNOWN_JOURNAL = "unknown"
"""A table whose public ledger is lost too has no name for its journal while it asks."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class JournalKeyFiles:
    """The two places of the key: ``memory`` is the table's folder in memory, ``ledger`` the one of its journal."""

    memory: Path
    ledger: Path

    def held(self) -> bytes | None:
        """The key, where memory has it."""
        try:
            key = (self.memory / IN_MEMORY).read_bytes()
        except FileNotFoundError:
            return None
        return key if len(key) == LINE_KEY_SIZE else None

    def hold(self, key: bytes) -> None:
        """Put the key into memory."""
        put_private(self.memory / IN_MEMORY, key)

    def begin(self, fresh: Callable[[int], bytes]) -> bytes:
        """A new key for a new journal; what was kept of another journal's is removed."""
        (self.ledger / BESIDE_JOURNAL).unlink(missing_ok=True)
        key = fresh(LINE_KEY_SIZE)
        self.hold(key)
        return key

    def kept(self) -> str:
        """What lies beside the journal for the vault (hex); raises JournalError when nothing does that could be read."""
        path = self.ledger / BESIDE_JOURNAL
        lost = "the key of this journal was in memory and is gone with the power"
        advice = "keep the folder for the referee, and start the table with an empty one"
        try:
            return read_kept(path.read_bytes()).sealed
        except FileNotFoundError:
            raise JournalError(f"{path} is not there: {lost}, before the vault could be told; {advice}") from None
        except JournalKeyError as error:
            raise JournalError(f"{path}: {lost}, and {error}; put a good copy back, or {advice}") from None

    def keep_for(self, vault: bytes, event: str, table: str) -> None:
        """Seal the key to the vault's sealing key, on the disk when this returns; nothing is done where that has been done."""
        path, key = self.ledger / BESIDE_JOURNAL, self.held()
        if key is None or self._is_kept_for(vault):
            return
        put_private(path, keep_for_vault(key, vault, event, table))
        for name in (path, self.ledger):
            opened = os.open(name, os.O_RDONLY)
            try:
                os.fsync(opened)
            finally:
                os.close(opened)

    def _is_kept_for(self, vault: bytes) -> bool:
        try:
            return read_kept((self.ledger / BESIDE_JOURNAL).read_bytes()).to == vault.hex()
        except (FileNotFoundError, JournalKeyError):
            return False


class JournalKeyRequest:
    """Listens on one MQTT link until the vault has given the key; its methods may be called from any thread."""

    def __init__(self, deals: SealedDeals, kept: str, stands: LedgerPosition) -> None:
        """``kept`` is what lies beside the journal, ``stands`` where the table's ledger ends on its disk."""
        self._deals, self._kept, self._stands = deals, kept, stands
        recipient = deals.recipient
        self._custody, self._challenge, self._key = (
            str(Topic(recipient.event, recipient.table, channel)) for channel in (Channel.CUSTODY, Channel.CHALLENGE, Channel.JOURNAL_KEY)
        )
        self._given: queue.SimpleQueue[tuple[bytes, LedgerPosition] | None] = queue.SimpleQueue()

    @property
    def subscriptions(self) -> tuple[str, ...]:
        """What the link has to subscribe to."""
        return self._challenge, self._key

    def wait(self, link: Link) -> tuple[bytes, LedgerPosition] | None:
        """Ask until the vault answers: the key, and where it knows the table's ledger to have stood. None when told to stop."""
        while True:
            link.publish(self._custody, self._deals.statement(self._stands, self._kept))
            try:
                return self._given.get(timeout=ASKED_EVERY_S)
            except queue.Empty:
                continue

    def stop(self) -> None:
        """Let ``wait`` return."""
        self._given.put(None)

    def message(self, topic: str, payload: bytes) -> None:
        """A challenge, or the key."""
        if topic == self._challenge:
            self._deals.hear_challenge(payload)
        elif topic == self._key:
            try:
                self._given.put(self._deals.take_journal_key(payload))
            except JournalKeyError as error:
                self.problem(str(error))

    def connected(self) -> None:
        """The broker is there."""
        log.info("connected to the broker: the table asks the vault for its journal's key")

    def disconnected(self, reason: str) -> None:
        """The broker is gone."""
        log.warning("broker: %s; without the vault the journal stays closed", reason)

    def published(self, token: int) -> None:
        """What is lost is sent again."""

    def problem(self, sentence: str) -> None:
        """Something on the network was not understood."""
        log.warning("%s", sentence)


def ledger_end(path: Path) -> LedgerPosition:
    """Where a public ledger ends on the disk, as its last whole line says."""
    content = path.read_bytes() if path.exists() else b""
    lines = content[: content.rfind(b"\n") + 1].splitlines(keepends=True)
    try:
        return parse(lines[-1]).position
    except (IndexError, LineError):
        return LedgerPosition(UNKNOWN_JOURNAL)
