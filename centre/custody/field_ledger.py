"""The ledger of the centre's vault on disk: what it has decided, each line signed by the vault and chained. Nothing in it is secret."""

from __future__ import annotations

from pathlib import Path
from typing import TypeAlias

import msgspec
from msgspec import Struct

from centre.custody.field_state import (
    DealAnnulled,
    DealGiven,
    FieldSlipReleased,
    VenueKeyAllowed,
    VenueKeyTaken,
    VenueProgressed,
    VenueWithdrawn,
)
from centre.custody.field_vault import FieldKept
from twinwall.custody.signed_lines import SignedLines, VaultFilesError
from twinwall.wire.canonical_json import Count, Digest, FormError, Text, read_as, read_time, write_time
from twinwall.wire.messages.signing import Signer

PURPOSE = "twinwall-field-ledger-1"


class KeyAllowedLine(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="key-allowed"):
    """The venue may change to the sealing key of this fingerprint."""

    venue: Text
    fingerprint: Text


class KeyTakenLine(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="key-taken"):
    """The venue's sealing key from now on."""

    venue: Text
    key: Digest


class ProgressLine(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="progressed"):
    """What the venue's tables have begun, and all of them have finished."""

    venue: Text
    begun: tuple[Count, ...]
    finished: tuple[Count, ...]


class GivenLine(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="given"):
    """The share of this deal was sealed to this key of the venue at this time."""

    venue: Text
    n: Count
    key: Digest
    at: Text


class SlipOutLine(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="released"):
    """This holder has released this deal."""

    n: Count


class VenueWithdrawnLine(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="withdrawn"):
    """Two persons have withdrawn the venue."""

    venue: Text


class DealAnnulledLine(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="annulled"):
    """Two persons have annulled the deal at the venue, or everywhere where that is empty."""

    n: Count
    venue: str


FieldLine: TypeAlias = KeyAllowedLine | KeyTakenLine | ProgressLine | GivenLine | SlipOutLine | VenueWithdrawnLine | DealAnnulledLine


class _Written(Struct):
    line: FieldLine


class FieldLedger:
    """The file ``field`` of the vault's folder, in the order in which things happened."""

    def __init__(self, folder: Path, event: str, signer: Signer) -> None:
        """``folder`` is the vault's own, made if it is not there."""
        self._lines = SignedLines(folder / "field", PURPOSE, event, signer)

    def read(self) -> list[FieldKept]:
        """All entries, once; raises VaultFilesError, which names the first line that does not hold."""
        return [self._entry(number, line) for number, line in enumerate(self._lines.new(), 1)]

    def keep(self, event: FieldKept) -> None:
        """Add one, on disk when this returns."""
        written: dict[str, object] = msgspec.to_builtins(_line_of(event))
        self._lines.append(written)

    def _entry(self, number: int, read: dict[str, object]) -> FieldKept:
        try:
            return _event_of(read_as({"line": read}, _Written).line)
        except FormError as error:
            raise VaultFilesError(f"{self._lines.path}, line {number}: {error}: it was written by another version of the vault") from None


def _line_of(event: FieldKept) -> FieldLine:
    match event:
        case VenueKeyAllowed(venue, shown):
            return KeyAllowedLine(venue, shown)
        case VenueKeyTaken(venue, key):
            return KeyTakenLine(venue, key.hex())
        case VenueProgressed(venue, begun, finished):
            return ProgressLine(venue, tuple(sorted(begun)), tuple(sorted(finished)))
        case DealGiven(venue, n, key, at):
            return GivenLine(venue, n, key.hex(), write_time(at))
        case FieldSlipReleased(n):
            return SlipOutLine(n)
        case VenueWithdrawn(venue):
            return VenueWithdrawnLine(venue)
        case DealAnnulled(n, venue):
            return DealAnnulledLine(n, venue)


def _event_of(line: FieldLine) -> FieldKept:
    match line:
        case KeyAllowedLine(venue, shown):
            return VenueKeyAllowed(venue, shown)
        case KeyTakenLine(venue, key):
            return VenueKeyTaken(venue, bytes.fromhex(key))
        case ProgressLine(venue, begun, finished):
            return VenueProgressed(venue, frozenset(begun), frozenset(finished))
        case GivenLine(venue, n, key, at):
            return DealGiven(venue, n, bytes.fromhex(key), read_time(at))
        case SlipOutLine(n):
            return FieldSlipReleased(n)
        case VenueWithdrawnLine(venue):
            return VenueWithdrawn(venue)
        case DealAnnulledLine(n, venue):
            return DealAnnulled(n, venue)
