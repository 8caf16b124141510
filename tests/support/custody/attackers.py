"""Attackers of the custody tests, each with exactly what an attack says that they have."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

from tests.support.custody.hall import EVENT, IDENTITIES, START, PlayedTable
from twinwall.game.tiles import SEATS
from twinwall.wire.ledger import LedgerPosition, envelope, next_position
from twinwall.wire.messages.boot_keys import BootKeys
from twinwall.wire.messages.signing import Signer
from twinwall.wire.messages.statement import Statement, write_statement
from twinwall.wire.mqtt.topics import Channel, Topic


def played_lines(table: str, n: int, after: LedgerPosition) -> list[bytes]:
    """Lines of a ledger that say that a table has played deal ``n``, which it has not."""
    seats = {seat.value: 0 for seat in SEATS}
    hand = {"n": n, "session": 1, "hand": n, "rules": "mcr-duplicate", "round": "E", "places": seats, "draws": seats}
    lines: list[bytes] = []
    first: list[tuple[str, dict[str, object]]] = [] if after.seq else [("start-fixed", {"code": START.code.hex()})]
    played: list[tuple[str, dict[str, object]]] = [
        ("hand-started", {**hand, "seats": dict.fromkeys(seats, "Ann")}),
        ("hand-closed", {"n": n}),
    ]
    for kind, fields in first + played:
        lines.append(envelope(table, after, PlayedTable.now(), kind, fields))
        after = next_position(after, lines[-1])
    return lines


def after_lines(lines: list[bytes], after: LedgerPosition) -> LedgerPosition:
    """Where a ledger stands after more lines."""
    return reduce(next_position, lines, after)


@dataclass(frozen=True, slots=True)
class DiskCopy:
    """Somebody with a copy of a table's disk: its identity key and its broker password, and what the broker tells that account.

    What the table has in memory, the boot keys, he has not; ``boot`` is a signing key of his own.
    """

    table: str
    boot: Signer

    def statement(self, keys: BootKeys, challenge: str, head: LedgerPosition) -> bytes:
        """A statement that names any keys, signed with what he has."""
        return write_statement(
            IDENTITIES[self.table], self.boot, EVENT, self.table, Statement.of(keys, challenge, head, (), counter=10**12)
        )

    def topic(self, channel: Channel) -> str:
        """A topic to which the table's account may publish, or that it may hear."""
        return str(Topic(EVENT, self.table, channel))
