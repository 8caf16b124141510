"""The vault's ledger on disk: accepted and revoked keys, the deals that each table has started and finished, released slips, printed
building sheets, and where the server orders sessions, those orders.

Nothing in it is secret, and each line is signed by the vault. Each entry of progress names a line of the table's ledger; a
restarted vault compares it with what the table signs, and listens from there on.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import msgspec
from msgspec import Struct

from twinwall.custody.release import DealFinished, DealStarted, KeyAccepted, KeyRevoked, SlipReleased, TableWithdrawn
from twinwall.custody.signed_lines import SignedLines, VaultFilesError
from twinwall.wire.canonical_json import Count, Digest, FormError, Text, read_as
from twinwall.wire.ledger import LedgerPosition
from twinwall.wire.messages.boot_keys import BootKeys
from twinwall.wire.messages.signing import Signer
from twinwall.wire.messages.vaults.vault_orders import BeginSession

PURPOSE = "twinwall-vault-ledger-2"


@dataclass(frozen=True, slots=True)
class Progressed:
    """A table has started or finished a deal, as the line at ``line`` of its ledger says, which a signed head covered."""

    event: DealStarted | DealFinished
    line: LedgerPosition

    @property
    def table(self) -> str:
        """Whose progress it is."""
        return self.event.table


@dataclass(frozen=True, slots=True)
class SessionOrdered:
    """From here on the deals of this session are given."""

    order: BeginSession


@dataclass(frozen=True, slots=True)
class SheetsPrinted:
    """A person at the vault has printed the building sheets of these deals for a table without cameras."""

    table: str
    deals: tuple[int, ...]


Kept: TypeAlias = KeyAccepted | KeyRevoked | Progressed | TableWithdrawn | SlipReleased
Entry: TypeAlias = Kept | SessionOrdered | SheetsPrinted


class AcceptedLine(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="key-accepted"):
    """The table's boot keys from now on."""

    table: Text
    sealing_key: Digest
    signing_key: Digest


class RevokedLine(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="key-revoked"):
    """The boot keys of this fingerprint count no more."""

    table: Text
    fingerprint: Text


class WithdrawnLine(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="table-withdrawn"):
    """The table plays no more; the slips of the deals ``awaited`` wait for it still."""

    table: Text
    awaited: tuple[Count, ...] = ()


class StartedLine(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="deal-started"):
    """The table has started a deal, as the line of its ledger says."""

    table: Text
    n: Count
    journal: Text
    seq: Count
    digest: Digest


class FinishedLine(StartedLine, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="deal-finished"):
    """The table has finished a deal, as the line of its ledger says."""


class ReleasedLine(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="slip-released"):
    """The slip of this deal is out."""

    n: Count


class SessionLine(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="session-ordered"):
    """The server has ordered this session."""

    ordered: BeginSession


class PrintedLine(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="sheets-printed"):
    """The building sheets of these deals were printed for this table."""

    table: Text
    deals: tuple[Count, ...]


LedgerLine: TypeAlias = AcceptedLine | RevokedLine | WithdrawnLine | StartedLine | FinishedLine | ReleasedLine | SessionLine | PrintedLine
_SHAPES: dict[object, type[LedgerLine]] = {
    "key-accepted": AcceptedLine,
    "key-revoked": RevokedLine,
    "table-withdrawn": WithdrawnLine,
    "deal-started": StartedLine,
    "deal-finished": FinishedLine,
    "slip-released": ReleasedLine,
    "session-ordered": SessionLine,
    "sheets-printed": PrintedLine,
}


class VaultLedger:
    """The file ``ledger`` of the vault's folder, in the order in which things happened."""

    def __init__(self, folder: Path, event: str, signer: Signer) -> None:
        """``folder`` is the vault's own, made if it is not there; ``signer`` holds the vault's key."""
        self._lines = SignedLines(folder / "ledger", PURPOSE, event, signer)

    def read(self) -> list[Entry]:
        """All entries, once. Raises VaultFilesError, which names the first line that does not hold."""
        return [self._entry(number, line) for number, line in enumerate(self._lines.new(), 1)]

    def keep(self, entry: Entry) -> None:
        """Add one, on disk when this returns."""
        written: dict[str, object] = msgspec.to_builtins(_line_of(entry))
        self._lines.append(written)

    def _entry(self, number: int, read: dict[str, object]) -> Entry:
        shape = _SHAPES.get(read.get("type"))
        try:
            if shape is None:
                raise FormError(f"the type {read.get('type')!r} is not known, only {', '.join(map(str, _SHAPES))}")
            return _entry_of(read_as(read, shape))
        except FormError as error:
            raise VaultFilesError(f"{self._lines.path}, line {number}: {error}: it was written by another version of the vault") from None


def of_last_session(entries: Iterable[Entry]) -> list[Kept]:
    """What counts in the session that was ordered last: of other sessions, keys and lines that were reached, but no withdrawal. Where no
    session was ordered there is one, and all counts."""
    entries, session = list(entries), 0
    last = next((entry.order.session for entry in reversed(entries) if isinstance(entry, SessionOrdered)), 0)
    kept: list[Kept] = []
    for entry in entries:
        if isinstance(entry, SessionOrdered):
            session = entry.order.session
        elif not isinstance(entry, SheetsPrinted) and (not isinstance(entry, TableWithdrawn) or session == last):
            kept.append(entry)
    return kept


def noted_in_play(entries: Iterable[Entry]) -> tuple[str, ...]:
    """The tables that play a deal of the last session by what is noted, and are not withdrawn."""
    playing: dict[str, int] = {}
    for entry in of_last_session(entries):
        match entry:
            case Progressed(DealStarted(table, n)):
                playing[table] = n
            case Progressed(DealFinished(table)) | TableWithdrawn(table):
                playing.pop(table, None)
            case _:
                pass
    return tuple(playing)


def _line_of(entry: Entry) -> LedgerLine:
    match entry:
        case KeyAccepted(table, keys):
            return AcceptedLine(table, keys.sealing.hex(), keys.signing.hex())
        case KeyRevoked(table, fingerprint):
            return RevokedLine(table, fingerprint)
        case TableWithdrawn(table, awaited):
            return WithdrawnLine(table, awaited)
        case Progressed(event, line):
            shape = StartedLine if isinstance(event, DealStarted) else FinishedLine
            return shape(event.table, event.n, line.journal, line.seq, line.digest)
        case SlipReleased(n):
            return ReleasedLine(n)
        case SessionOrdered(order):
            return SessionLine(order)
        case SheetsPrinted(table, deals):
            return PrintedLine(table, deals)


def _entry_of(line: LedgerLine) -> Entry:
    match line:
        case AcceptedLine(table, sealing, signing):
            return KeyAccepted(table, BootKeys(bytes.fromhex(sealing), bytes.fromhex(signing)))
        case RevokedLine(table, fingerprint):
            return KeyRevoked(table, fingerprint)
        case WithdrawnLine(table, awaited):
            return TableWithdrawn(table, awaited)
        case ReleasedLine(n):
            return SlipReleased(n)
        case SessionLine(order):
            return SessionOrdered(order)
        case PrintedLine(table, deals):
            return SheetsPrinted(table, deals)
        case FinishedLine():
            return Progressed(DealFinished(line.table, line.n), LedgerPosition(line.journal, line.seq, line.digest))
        case StartedLine():
            return Progressed(DealStarted(line.table, line.n), LedgerPosition(line.journal, line.seq, line.digest))
