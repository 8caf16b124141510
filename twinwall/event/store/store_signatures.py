"""Signatures that a store keeps: heads of the tables' ledgers, and the vault's announcements of the keys they are signed with.

They are checked before they are stored and kept byte for byte, so that each owner of the store's lines can check them again.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from twinwall.event.store.databases.port import StoreDatabase
from twinwall.event.store.databases.schema import next_row
from twinwall.wire.canonical_json import read_time, write_time


@dataclass(frozen=True, slots=True)
class LinePlace:
    """A line of a table's journal; ``seq`` counts from 1."""

    table: str
    journal: str
    seq: int


@dataclass(frozen=True, slots=True)
class SignedHead(LinePlace):
    """A head of a table's ledger as it was received."""

    head: bytes


@dataclass(frozen=True, slots=True)
class StoredAnnouncement:
    """The vault's announcement of the tables' boot signing keys as it was received, and the vault's key that it was checked with."""

    announcement: bytes
    vault_key: bytes
    at: datetime


def write_signature(database: StoreDatabase, signature: SignedHead | StoredAnnouncement) -> None:
    """Add a row, within a transaction."""
    match signature:
        case SignedHead(table, journal, seq, head):
            database.add(next_row("heads", "table_name", "journal", "seq", "head"), [(table, journal, seq, head)])
        case StoredAnnouncement(announcement, vault_key, at):
            database.add(next_row("announcements", "announcement", "vault_key", "at"), [(announcement, vault_key, write_time(at))])


def read_heads(database: StoreDatabase) -> tuple[SignedHead, ...]:
    """All heads in the order in which they were stored."""
    rows = database.rows(tuple[str, str, int, bytes], "SELECT table_name, journal, seq, head FROM heads ORDER BY id")
    return tuple(SignedHead(*row) for row in rows)


def read_announcements(database: StoreDatabase) -> tuple[StoredAnnouncement, ...]:
    """All announcements in the order in which they were stored."""
    rows = database.rows(tuple[bytes, bytes, str], "SELECT announcement, vault_key, at FROM announcements ORDER BY id")
    return tuple(StoredAnnouncement(announcement, vault_key, read_time(at)) for announcement, vault_key, at in rows)
