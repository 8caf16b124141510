"""Key of a table's journal: where it is stored, and how a table that has lost it asks the vaults for it.

The key is made with the journal from one random piece per vault; all pieces together are the key. They are in the memory folder, so that a
killed controller continues by itself. When the table first hears a vault's sealing key, it also stores that vault's piece, sealed to it,
beside the journal; before that, no deal comes from a vault. After a power cut only the sealed pieces remain: the table shows its new boot
keys and these pieces, and waits for every vault.
"""

import logging
import queue
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from pathlib import Path

from controller.adapters.sealed_deals import SealedDeals
from controller.adapters.service_manager import tell_alive
from controller.ledger.journal import JournalError
from controller.ledger.publisher import Link
from twinwall.game.documents import DocumentError
from twinwall.values import frozen
from twinwall.wire.durable_file import write_durably, write_whole
from twinwall.wire.ledger import LedgerPosition, parse
from twinwall.wire.line_cipher import LINE_KEY_SIZE
from twinwall.wire.messages.signing import VAULT
from twinwall.wire.messages.vaults.journal_key import GivenKeyPiece, read_stored_key, seal_for_vault
from twinwall.wire.messages.vaults.key_codes import SlipParts
from twinwall.wire.mqtt.link import LinkListener
from twinwall.wire.mqtt.topics import Channel, Topic

IN_MEMORY = "journal.key"
BESIDE_JOURNAL = "table.journal.key"
ASKED_EVERY_S = 2.0
UNKNOWN_JOURNAL = "unknown"
"""Stands for the journal's name in the request of a table that has lost its public ledger too."""

log = logging.getLogger(__name__)


@frozen
class JournalKeyFiles:
    """The key's two places: ``memory`` is the table's folder in memory, ``ledger`` that of its journal. ``vaults`` are the vaults' names in
    the plan's order, one piece for each."""

    memory: Path
    ledger: Path
    vaults: tuple[str, ...] = (VAULT,)

    def held(self) -> bytes | None:
        """The key, if its pieces are in memory."""
        pieces = self._pieces()
        return key_of(pieces) if pieces else None

    def hold(self, pieces: Sequence[bytes]) -> None:
        """Write the key's pieces to memory, in the order of the vaults."""
        write_whole(self.memory / IN_MEMORY, b"".join(pieces), 0o600)

    def begin(self, fresh: Callable[[int], bytes]) -> bytes:
        """Make a new key for a new journal, and remove stored pieces of another journal's."""
        for vault in self.vaults:
            self._beside(vault).unlink(missing_ok=True)
        pieces = [fresh(LINE_KEY_SIZE) for _ in self.vaults]
        self.hold(pieces)
        return key_of(pieces)

    def kept(self, vault: str = VAULT) -> str:
        """The stored piece beside the journal for a vault (hex); raises JournalError if there is none, or an unreadable one."""
        path = self._beside(vault)
        lost = "the key of this journal was in memory and is gone with the power"
        advice = "keep the folder for the referee, and start the table with an empty one"
        try:
            return read_stored_key(path.read_bytes()).sealed
        except FileNotFoundError:
            raise JournalError(f"{path} is not there: {lost}, before the vault could hear of it; {advice}") from None
        except DocumentError as error:
            raise JournalError(f"{path}: {lost}, and {error}; put a good copy back, or {advice}") from None

    def keep_for(self, vault: str, sealing_key: bytes, event: str, table: str) -> None:
        """Seal a vault's piece to its sealing key, on disk on return; does nothing if that was done before."""
        path, pieces = self._beside(vault), self._pieces()
        if len(pieces) != len(self.vaults) or self._is_kept_for(vault, sealing_key):
            return
        write_durably(path, seal_for_vault(pieces[self.vaults.index(vault)], sealing_key, event, table), 0o600)

    def _pieces(self) -> list[bytes]:
        """The pieces in memory; none if they are missing or incomplete."""
        try:
            held = (self.memory / IN_MEMORY).read_bytes()
        except FileNotFoundError:
            return []
        whole = len(held) % LINE_KEY_SIZE == 0
        return [held[start : start + LINE_KEY_SIZE] for start in range(0, len(held), LINE_KEY_SIZE)] if whole else []

    def _beside(self, vault: str) -> Path:
        return self.ledger / (BESIDE_JOURNAL if vault == VAULT else f"{BESIDE_JOURNAL}.{vault}")

    def _is_kept_for(self, vault: str, sealing_key: bytes) -> bool:
        try:
            return read_stored_key(self._beside(vault).read_bytes()).to == sealing_key.hex()
        except (FileNotFoundError, DocumentError):
            return False


def key_of(pieces: Sequence[bytes]) -> bytes:
    """The key from its pieces: each is as long as the key, and without one of them the others reveal nothing."""
    return reduce(lambda one, other: bytes(a ^ b for a, b in zip(one, other, strict=True)), pieces)


GivenJournal = tuple[tuple[bytes, ...], Mapping[str, LedgerPosition]]
"""What the vaults have given: the key's pieces in order, and for each vault the last line of the table's ledger that it knows."""


class JournalKeyRequest(LinkListener):
    """Listens on one MQTT link until every vault has given its piece; any thread may call."""

    def __init__(self, deals: SealedDeals, kept: Mapping[str, str], stands: LedgerPosition) -> None:
        """``kept`` are the sealed pieces beside the journal, by vault; ``stands`` is the end of the table's ledger on disk."""
        self._deals, self._kept, self._stands = deals, kept, stands
        recipient = deals.identity.recipient
        self._custody, self._challenge, self._key = (
            str(Topic(recipient.event, recipient.table, channel)) for channel in (Channel.CUSTODY, Channel.CHALLENGE, Channel.JOURNAL_KEY)
        )
        self._given: queue.SimpleQueue[GivenKeyPiece | None] = queue.SimpleQueue()

    @property
    def subscriptions(self) -> tuple[str, ...]:
        return self._challenge, self._key

    @property
    def without_network(self) -> bytes:
        """The request to carry to the vaults if this table hears none."""
        return self._deals.identity.key_request(self._kept)

    @property
    def digits(self) -> str:
        """The sixteen digits of the table's boot keys, for people to compare."""
        return self._deals.identity.boot.public.fingerprint

    def slip_parts(self) -> SlipParts:
        """An object that assembles the vaults' answers from the codes on a phone."""
        return SlipParts(self._deals.identity.recipient.table, self._deals.identity.boot.public.sealing)

    def take_slip(self, given: bytes) -> None:
        self.message(self._key, given)

    def wait(self, link: Link) -> GivenJournal | None:
        pieces: dict[str, GivenKeyPiece] = {}
        while True:
            tell_alive()
            for vault, kept in self._kept.items():
                if vault not in pieces:
                    link.publish(self._custody, self._deals.statement(vault, self._stands, kept))
            try:
                given = self._given.get(timeout=ASKED_EVERY_S)
            except queue.Empty:
                continue
            if given is None:
                return None
            pieces[given.by] = given
            if missing := [vault for vault in self._kept if vault not in pieces]:
                log.info("%s has given its piece of the journal's key; the table waits for %s", given.by, ", ".join(missing))
                continue
            return tuple(pieces[vault].piece for vault in self._kept), {vault: pieces[vault].known for vault in self._kept}

    def stop(self) -> None:
        self._given.put(None)

    def message(self, topic: str, payload: bytes) -> None:
        if topic == self._challenge:
            self._deals.hear_challenge(payload)
        elif topic == self._key:
            try:
                self._given.put(self._deals.identity.journal_key(payload))
            except DocumentError as error:
                self.problem(str(error))

    def connected(self) -> None:
        log.info("connected to the broker: the table asks the vault for its journal's key")

    def disconnected(self, reason: str) -> None:
        log.warning("broker: %s; without the vault the journal stays closed", reason)


def ledger_end(path: Path) -> LedgerPosition:
    """The end of a public ledger on disk, by its last whole line."""
    content = path.read_bytes() if path.exists() else b""
    lines = content[: content.rfind(b"\n") + 1].splitlines(keepends=True)
    try:
        return parse(lines[-1]).position
    except (IndexError, DocumentError):
        return LedgerPosition(UNKNOWN_JOURNAL)
