"""The vault's ledger on disk: what the vault has decided, printed building sheets, and where the server orders sessions, those orders.

Nothing in it is secret, and each line is signed by the vault. Each entry of a table's progress names a line of the table's ledger; a
restarted vault compares it with what the table signs, and listens from there on.
"""

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
    """The server has ordered this session: from here on its deals are given."""

    order: BeginSession


class SheetsPrinted(Shape, tag_field="type", tag="sheets-printed"):
    """A person at the vault has printed the building sheets of these deals for a table without cameras."""

    table: Text
    deals: tuple[Count, ...]


Kept = (
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
"""What a vault does not hear again after a start."""
Entry = Kept | SessionOrdered | SheetsPrinted
_SHAPES: dict[object, type[Entry]] = {shape.__struct_config__.tag: shape for shape in get_args(Entry)}


@frozen
class LedgerForm:
    """A ledger's file, what its signatures are for, and its own ``words`` for types and keys where they differ from those of the entries;
    a key whose word is empty is not written."""

    file: str
    purpose: str
    words: Mapping[str, str] = field(default_factory=dict)


HALL_LEDGER = LedgerForm("ledger", "twinwall-vault-ledger-2")


class VaultLedger:
    """The ledger of the vault's folder, in the order in which things happened."""

    def __init__(self, folder: Path, event: str, signer: Signer, form: LedgerForm = HALL_LEDGER) -> None:
        """``folder`` is the vault's own, made if it is not there; ``signer`` holds the vault's key."""
        self._lines, self._words = SignedLines(folder / form.file, form.purpose, event, signer), form.words
        self._meant = {word: meant for meant, word in form.words.items() if word}

    def read(self) -> list[Entry]:
        """All entries, once. Raises DocumentError, which names the first line that does not hold."""
        return [self._entry(number, line) for number, line in enumerate(self._lines.new(), 1)]

    def keep(self, entry: Entry) -> None:
        """Add one, on disk when this returns."""
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


def of_last_session(entries: Iterable[Entry]) -> list[Kept]:
    """What counts in the session that was ordered last: of other sessions, keys and lines that were reached, but no withdrawal. Where no
    session was ordered there is one, and all counts."""
    entries, session = list(entries), 0
    last = 0 if (order := last_order(entries)) is None else order.session
    kept: list[Kept] = []
    for entry in entries:
        if isinstance(entry, SessionOrdered):
            session = entry.order.session
        elif not isinstance(entry, SheetsPrinted) and (not isinstance(entry, MemberWithdrawn) or session == last):
            kept.append(entry)
    return kept


def last_order(entries: Iterable[Entry]) -> BeginSession | None:
    """The session that the server has ordered last."""
    orders = [entry.order for entry in entries if isinstance(entry, SessionOrdered)]
    return orders[-1] if orders else None


def noted_in_play(entries: Iterable[Entry]) -> tuple[str, ...]:
    """The tables that play a deal of the last session by what is noted, and are not withdrawn."""
    playing: dict[str, int] = {}
    for entry in of_last_session(entries):
        match entry:
            case DealStarted(name, n):
                playing[name] = n
            case DealFinished(name) | MemberWithdrawn(name):
                playing.pop(name, None)
    return tuple(playing)
