"""Key of a table's journal: where it lies, and how a table that has lost it asks the vaults for it.

The key is made with the journal: one random piece for each vault, all of which together are the key. The pieces lie in the folder in
memory, so that a killed controller goes on by itself. As soon as the table hears a vault's sealing key, it puts that vault's piece
beside the journal too, sealed to it; no deal comes from a vault before that. After a power cut that is all there is: the table shows
its new boot keys and what it has kept, and waits for every vault.
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
"""A table whose public ledger is lost too has no name for its journal while it asks."""

log = logging.getLogger(__name__)


@frozen
class JournalKeyFiles:
    """The two places of the key: ``memory`` is the table's folder in memory, ``ledger`` the one of its journal. ``vaults`` are the
    vaults' names in the plan's order, one piece for each."""

    memory: Path
    ledger: Path
    vaults: tuple[str, ...] = (VAULT,)

    def held(self) -> bytes | None:
        """The key, where memory has its pieces."""
        pieces = self._pieces()
        return key_of(pieces) if pieces else None

    def hold(self, pieces: Sequence[bytes]) -> None:
        """Put the key's pieces into memory, in the order of the vaults."""
        write_whole(self.memory / IN_MEMORY, b"".join(pieces), 0o600)

    def begin(self, fresh: Callable[[int], bytes]) -> bytes:
        """A new key for a new journal; what was kept of another journal's is removed."""
        for vault in self.vaults:
            self._beside(vault).unlink(missing_ok=True)
        pieces = [fresh(LINE_KEY_SIZE) for _ in self.vaults]
        self.hold(pieces)
        return key_of(pieces)

    def kept(self, vault: str = VAULT) -> str:
        """What lies beside the journal for a vault (hex); raises JournalError when nothing does that could be read."""
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
        """Seal a vault's piece to its sealing key, on the disk when this returns; nothing is done where that has been done."""
        path, pieces = self._beside(vault), self._pieces()
        if len(pieces) != len(self.vaults) or self._is_kept_for(vault, sealing_key):
            return
        write_durably(path, seal_for_vault(pieces[self.vaults.index(vault)], sealing_key, event, table), 0o600)

    def _pieces(self) -> list[bytes]:
        """The pieces in memory; none where they are not there or not whole."""
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
    """The key that its pieces make: each is as long as the key, and without one of them the others tell nothing of it."""
    return reduce(lambda one, other: bytes(a ^ b for a, b in zip(one, other, strict=True)), pieces)


GivenJournal = tuple[tuple[bytes, ...], Mapping[str, LedgerPosition]]
"""What the vaults have given: the key's pieces in their order, and the last line of the table's ledger that each of them knows."""


class JournalKeyRequest(LinkListener):
    """Listens on one MQTT link until every vault has given its piece; its methods may be called from any thread."""

    def __init__(self, deals: SealedDeals, kept: Mapping[str, str], stands: LedgerPosition) -> None:
        """``kept`` is what lies beside the journal, by vault; ``stands`` is where the table's ledger ends on its disk."""
        self._deals, self._kept, self._stands = deals, kept, stands
        recipient = deals.identity.recipient
        self._custody, self._challenge, self._key = (
            str(Topic(recipient.event, recipient.table, channel)) for channel in (Channel.CUSTODY, Channel.CHALLENGE, Channel.JOURNAL_KEY)
        )
        self._given: queue.SimpleQueue[GivenKeyPiece | None] = queue.SimpleQueue()

    @property
    def subscriptions(self) -> tuple[str, ...]:
        """What the link has to subscribe to."""
        return self._challenge, self._key

    @property
    def without_network(self) -> bytes:
        """The request that somebody carries to the vaults where this table hears none."""
        return self._deals.identity.key_request(self._kept)

    @property
    def digits(self) -> str:
        """The sixteen digits of the table's boot keys, which people compare."""
        return self._deals.identity.boot.public.fingerprint

    def slip_parts(self) -> SlipParts:
        """What puts the vaults' answers together from the codes on a phone."""
        return SlipParts(self._deals.identity.recipient.table, self._deals.identity.boot.public.sealing)

    def take_slip(self, given: bytes) -> None:
        """A vault's answer has come by another way than MQTT."""
        self.message(self._key, given)

    def wait(self, link: Link) -> GivenJournal | None:
        """Ask until every vault has answered. None when stopped."""
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
        """Let ``wait`` return."""
        self._given.put(None)

    def message(self, topic: str, payload: bytes) -> None:
        """A challenge, or the key."""
        if topic == self._challenge:
            self._deals.hear_challenge(payload)
        elif topic == self._key:
            try:
                self._given.put(self._deals.identity.journal_key(payload))
            except DocumentError as error:
                self.problem(str(error))

    def connected(self) -> None:
        """The broker is there."""
        log.info("connected to the broker: the table asks the vault for its journal's key")

    def disconnected(self, reason: str) -> None:
        """The broker is gone."""
        log.warning("broker: %s; without the vault the journal stays closed", reason)


def ledger_end(path: Path) -> LedgerPosition:
    """Where a public ledger ends on the disk, as its last whole line says."""
    content = path.read_bytes() if path.exists() else b""
    lines = content[: content.rfind(b"\n") + 1].splitlines(keepends=True)
    try:
        return parse(lines[-1]).position
    except (IndexError, DocumentError):
        return LedgerPosition(UNKNOWN_JOURNAL)
