"""Signatures that a store keeps: heads of the tables' ledgers, and the vault's announcements of the keys they are signed with.

They are checked before they are stored and kept byte for byte, so that whoever has the store's lines can check them again.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from datetime import datetime

from twinwall.wire.canonical_json import read_time, write_time


@dataclass(frozen=True, slots=True)
class SignedHead:
    """A head of a table's ledger as it was received."""

    table: str
    journal: str
    seq: int
    head: bytes


@dataclass(frozen=True, slots=True)
class StoredAnnouncement:
    """The vault's announcement of the tables' boot signing keys as it was received, and the vault's key that it was checked with."""

    announcement: bytes
    vault_key: bytes
    at: datetime


def write_signature(connection: sqlite3.Connection, signature: SignedHead | StoredAnnouncement) -> None:
    """Add a row, within a transaction."""
    match signature:
        case SignedHead(table, journal, seq, head):
            into = "INSERT INTO heads (table_name, journal, seq, head) VALUES (?, ?, ?, ?)"
            connection.execute(into, (table, journal, seq, head))
        case StoredAnnouncement(announcement, vault_key, at):
            into = "INSERT INTO announcements (announcement, vault_key, at) VALUES (?, ?, ?)"
            connection.execute(into, (announcement, vault_key, write_time(at)))


def read_heads(connection: sqlite3.Connection) -> tuple[SignedHead, ...]:
    """All heads in the order in which they were stored."""
    return tuple(SignedHead(*row) for row in connection.execute("SELECT table_name, journal, seq, head FROM heads ORDER BY id"))


def read_announcements(connection: sqlite3.Connection) -> tuple[StoredAnnouncement, ...]:
    """All announcements in the order in which they were stored."""
    rows = connection.execute("SELECT announcement, vault_key, at FROM announcements ORDER BY id")
    return tuple(StoredAnnouncement(announcement, vault_key, read_time(at)) for announcement, vault_key, at in rows)
