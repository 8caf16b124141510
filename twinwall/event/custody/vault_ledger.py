"""The vault's ledger on disk: accepted keys, and the deals that each table has started and finished.

Nothing in it is secret. Each entry of progress names a line of the table's ledger; a restarted vault listens from there on.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from twinwall.event.custody.release import DealFinished, DealStarted, KeyAccepted
from twinwall.event.custody.vault_files import VaultFilesError, append_line, whole_lines
from twinwall.game.documents import DocumentError, DocumentFields, canonical_json, parse_object
from twinwall.wire.ledger import LedgerPosition
from twinwall.wire.messages.boot_keys import BootKeys
from twinwall.wire.messages.sealing import SEALING_KEY_SIZE
from twinwall.wire.messages.signing import KEY_SIZE

ACCEPTED, STARTED, FINISHED = "key-accepted", "deal-started", "deal-finished"
_DIGEST_SIZE = 32


@dataclass(frozen=True, slots=True)
class Progressed:
    """A table has started or finished a deal, as the line at ``line`` of its ledger says, which a signed statement vouched for."""

    event: DealStarted | DealFinished
    line: LedgerPosition

    @property
    def table(self) -> str:
        """Whose progress it is."""
        return self.event.table


Kept: TypeAlias = KeyAccepted | Progressed


class VaultLedger:
    """The file ``ledger`` of the vault's folder: a JSON object a line, in the order in which things happened."""

    def __init__(self, folder: Path) -> None:
        """``folder`` is the vault's own, made if it is not there."""
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._path = folder / "ledger"

    def read(self) -> list[Kept]:
        """All entries; a last line that a power cut has torn is cut off. Raises VaultFilesError."""
        return [self._entry(number, line) for number, line in enumerate(whole_lines(self._path, mend=True), 1)]

    def keep(self, entry: Kept) -> None:
        """Add one, on disk when this returns."""
        append_line(self._path, canonical_json(_to_json(entry)).decode())

    def _entry(self, number: int, line: str) -> Kept:
        name = f"{self._path}, line {number}"
        try:
            fields = DocumentFields(parse_object(line, name), name)
            entry = _from_json(fields)
            fields.done()
        except DocumentError as error:
            raise VaultFilesError(f"{error}: put a good copy back, or give the vault a new folder and let it ask the tables") from None
        return entry


def _to_json(entry: Kept) -> dict[str, object]:
    match entry:
        case KeyAccepted(table, keys):
            return {"type": ACCEPTED, "table": table, "sealing_key": keys.sealing.hex(), "signing_key": keys.signing.hex()}
        case Progressed(event, line):
            kind = STARTED if isinstance(event, DealStarted) else FINISHED
            where = {"journal": line.journal, "seq": line.seq, "digest": line.digest}
            return {"type": kind, "table": event.table, "n": event.n, **where}


def _from_json(fields: DocumentFields) -> Kept:
    kind, table = fields.text("type"), fields.words("table")
    if kind == ACCEPTED:
        return KeyAccepted(table, BootKeys(fields.hex("sealing_key", SEALING_KEY_SIZE), fields.hex("signing_key", KEY_SIZE)))
    if kind not in (STARTED, FINISHED):
        raise DocumentError(f"{fields.label('type')} must be {ACCEPTED!r}, {STARTED!r} or {FINISHED!r}, not {kind!r}")
    happened = (DealStarted if kind == STARTED else DealFinished)(table, fields.integer("n", 1))
    return Progressed(happened, LedgerPosition(fields.words("journal"), fields.integer("seq", 1), fields.hex("digest", _DIGEST_SIZE).hex()))
