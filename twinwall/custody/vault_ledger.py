"""The vault's signed ledger on disk: its decisions, printed building sheets, and sessions ordered by the server. Nothing in it is secret.
An entry of a table's progress names a line of the table's ledger; a restarted vault compares it with what the table signs, and continues
from that line."""

from collections.abc import Iterable, Mapping
from dataclasses import field
from pathlib import Path
from typing import get_args

import msgspec

from twinwall.custody.release import (
    DealAnnulled,
    DealFinished,
    DealGiven,
    DealStarted,
    KeyAccepted,
    KeyAllowed,
    KeyRevoked,
    MemberWithdrawn,
    SlipReleased,
    VenueProgressed,
)
from twinwall.custody.signed_lines import SignedLines
from twinwall.game.documents import DocumentError
from twinwall.game.typed_json import Count, Text, read_as
from twinwall.values import Shape, frozen
from twinwall.wire.messages.signing import Signer
from twinwall.wire.messages.vaults.vault_orders import BeginSession


class SessionOrdered(Shape, tag_field="type", tag="session-ordered", rename={"order": "ordered"}):
    """The server has ordered this session; its deals are given from here on."""

    order: BeginSession


class SheetsPrinted(Shape, tag_field="type", tag="sheets-printed"):
    """A person has printed the building sheets of these deals for a table without cameras."""

    table: Text
    deals: tuple[Count, ...]


StoredEntry = (
    KeyAllowed
    | KeyAccepted
    | KeyRevoked
    | DealStarted
    | DealFinished
    | VenueProgressed
    | MemberWithdrawn
    | DealGiven
    | SlipReleased
    | DealAnnulled
)
"""What a restarted vault does not receive again."""
Entry = StoredEntry | SessionOrdered | SheetsPrinted
_SHAPES: dict[object, type[Entry]] = {shape.__struct_config__.tag: shape for shape in get_args(Entry)}


@frozen
class LedgerForm:
    """A ledger's file, its signatures' purpose, and its own ``words`` for entries' types and keys; a key with an empty word is not
    written."""

    file: str
    purpose: str
    words: Mapping[str, str] = field(default_factory=dict)


HALL_LEDGER = LedgerForm("ledger", "twinwall-vault-ledger-2")


class VaultLedger:
    """The ledger of the vault's folder, in order of time."""

    def __init__(self, folder: Path, event: str, signer: Signer, form: LedgerForm = HALL_LEDGER) -> None:
        """``folder`` is the vault's own; makes it if necessary."""
        self._lines, self._words = SignedLines(folder / form.file, form.purpose, event, signer), form.words
        self._meant = {word: meant for meant, word in form.words.items() if word}

    def read(self) -> list[Entry]:
        """All entries, once; raises DocumentError, which names the first wrong line."""
        return [self._entry(number, line) for number, line in enumerate(self._lines.new(), 1)]

    def keep(self, entry: Entry) -> None:
        """Append an entry; it is on disk when this returns."""
        written: dict[str, object] = msgspec.to_builtins(entry, order="deterministic")
        if isinstance(entry, DealStarted | DealFinished):
            written |= msgspec.to_builtins(written.pop("line"))
        self._lines.append(_in_words(written, self._words))

    def _entry(self, number: int, line: dict[str, object]) -> Entry:
        read = _in_words(line, self._meant)
        shape = _SHAPES.get(read.get("type"))
        if shape in (DealStarted, DealFinished):
            read["line"] = {key: read.pop(key, None) for key in ("journal", "seq", "digest")}
        try:
            if shape is None:
                raise DocumentError(f"the type {line.get('type')!r} is not known, only {', '.join(map(str, _SHAPES))}")
            return read_as(read, shape)
        except DocumentError as error:
            raise DocumentError(f"{self._lines.path}, line {number}: {error}: it was written by another version of the vault") from None


def _in_words(line: Mapping[str, object], words: Mapping[str, str]) -> dict[str, object]:
    written = {words.get(key, key): value for key, value in line.items() if words.get(key, key)}
    return written | {"type": words.get(str(written.get("type")), written.get("type"))}


def of_last_session(entries: Iterable[Entry]) -> list[StoredEntry]:
    """The entries that count in the last ordered session: from other sessions all but withdrawals. Without any order there is one session,
    and all count."""
    entries, session = list(entries), 0
    last = 0 if (order := last_order(entries)) is None else order.session
    kept: list[StoredEntry] = []
    for entry in entries:
        if isinstance(entry, SessionOrdered):
            session = entry.order.session
        elif not isinstance(entry, SheetsPrinted) and (not isinstance(entry, MemberWithdrawn) or session == last):
            kept.append(entry)
    return kept


def last_order(entries: Iterable[Entry]) -> BeginSession | None:
    orders = [entry.order for entry in entries if isinstance(entry, SessionOrdered)]
    return orders[-1] if orders else None


def in_play_by_ledger(entries: Iterable[Entry]) -> tuple[str, ...]:
    """Tables of the last session that play a deal by the ledger and are not withdrawn."""
    playing: dict[str, int] = {}
    for entry in of_last_session(entries):
        match entry:
            case DealStarted(name, n):
                playing[name] = n
            case DealFinished(name) | MemberWithdrawn(name):
                playing.pop(name, None)
    return tuple(playing)
