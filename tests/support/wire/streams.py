"""Ledger lines as a controller would write them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from twinwall.wire.ledger import LedgerPosition, envelope, next_position

START = datetime(2026, 11, 20, 10, 2, 3, 123000, tzinfo=UTC)


def ledger(count: int, table: str = "12", journal: str = "j1") -> list[bytes]:
    """``count`` lines of one ledger, a second apart."""
    lines: list[bytes] = []
    position = LedgerPosition(journal)
    for number in range(count):
        fields: dict[str, object] = {"placed": number, "of": 136}
        lines.append(envelope(table, position, START + timedelta(seconds=number), "building", fields))
        position = next_position(position, lines[-1])
    return lines
