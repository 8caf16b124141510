"""Proof of a bundle's signatures: the vault's announcements say which keys are the tables', and these sign the heads of ledgers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import TypeAlias

from twinwall.event.bundle.bundle_files import HEADS, KEYS
from twinwall.event.bundle.bundle_report import BundleReport
from twinwall.game.documents import DocumentError, parse_object
from twinwall.wire.ledger import LedgerPosition
from twinwall.wire.messages.announced_keys import FORMAT, NO_TABLE, Announcement
from twinwall.wire.messages.head import LedgerKind, read_head
from twinwall.wire.messages.sealing import VAULT
from twinwall.wire.messages.signing import open_document

AnnouncedKeys: TypeAlias = Mapping[str, set[bytes]]
"""All boot signing keys that the vault has announced, by table."""
SignedLines: TypeAlias = Mapping[tuple[str, str], list[LedgerPosition]]
"""The lines that proved heads name, by table and journal."""


def prove_heads(files: Mapping[str, bytes], event: str, vault_key: bytes, report: BundleReport) -> tuple[SignedLines, AnnouncedKeys]:
    """Check announcements and heads of a bundle under the vault's public key; what does not hold is reported."""
    keys = _announced(files.get(KEYS, b""), event, vault_key, report)
    positions: defaultdict[tuple[str, str], list[LedgerPosition]] = defaultdict(list)
    signed: dict[tuple[str, str, int], str] = {}
    for number, line in _numbered(files.get(HEADS, b"")):
        try:
            table, position = signed_position(line, event, keys)
        except DocumentError as error:
            report.add(HEADS, number, str(error))
            continue
        if signed.setdefault((table, position.journal, position.seq), position.digest) != position.digest:
            report.add(HEADS, number, f"table {table!r} has signed two different lines {position.seq} of journal {position.journal!r}")
        positions[table, position.journal].append(position)
    return positions, keys


def _announced(content: bytes, event: str, vault_key: bytes, report: BundleReport) -> AnnouncedKeys:
    """All keys that were a table's at some time."""
    keys: defaultdict[str, set[bytes]] = defaultdict(set)
    for number, line in _numbered(content):
        try:
            announced = open_document(FORMAT, event, NO_TABLE, line, {VAULT: vault_key}, shape=Announcement)
        except DocumentError as error:
            report.add(KEYS, number, f"the vault has not announced these keys: {error}")
            continue
        for key in announced.tables:
            keys[key.table].add(bytes.fromhex(key.signing_key))
    return keys


def signed_position(line: bytes, event: str, keys: AnnouncedKeys) -> tuple[str, LedgerPosition]:
    """The table and the place of a head under one of the table's keys; raises DocumentError."""
    table = parse_object(line).get("by")
    if not isinstance(table, str):
        raise DocumentError(f"the head names no table but {table!r}")
    refused: DocumentError | None = None
    for key in sorted(keys.get(table, ())):
        try:
            return table, read_head(line, event, table, {table: key}, ledger=LedgerKind.EVENTS).position
        except DocumentError as error:
            refused = error
    raise refused or DocumentError(f"a head of table {table!r} is refused: the vault has announced no key of this table")


def _numbered(content: bytes) -> Iterator[tuple[int, bytes]]:
    return enumerate(content.splitlines(keepends=True), 1)
