"""Proof of a bundle's ledgers against each other: what each table has noted of the others' heads.

The heads of ``heads.jsonl`` come from the server's store, and a table that helps to change its ledger signs new ones. What other tables
have noted stands in their own ledgers, under their own signatures, and cannot be changed without them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from twinwall.event.bundle.bundle_report import BundleReport
from twinwall.event.bundle.head_proof import AnnouncedKeys, signed_position
from twinwall.game.documents import DocumentError
from twinwall.wire.events.hand_events import HandClosed, HeadsNoted
from twinwall.wire.ledger import LedgerPosition, PublicEvent

Place: TypeAlias = tuple[str, str, int]
"""Table, journal and number of a line."""
ReadLines: TypeAlias = dict[Place, tuple[str, int, str]]
"""File and line of each place of the ledgers as they were read, and the hash of that line."""
NotedHead: TypeAlias = tuple[str, LedgerPosition, str, int]
"""A head of a table that another table has noted, in a line of its ledger: file and line."""


def noted_heads(events: Iterable[PublicEvent], read: ReadLines, event: str, keys: AnnouncedKeys, report: BundleReport) -> list[NotedHead]:
    """Every head that a line of the ledgers notes of another table; those that its table has not signed are reported."""
    found: list[NotedHead] = []
    for each in events:
        for text in each.body.heads if isinstance(each.body, HeadsNoted) else ():
            file, line, _ = read[each.table, each.journal, each.seq]
            try:
                table, position = signed_position(text.encode(), event, keys)
            except DocumentError as error:
                report.add(file, line, f"a head is noted here that no key of its table has signed: {error}")
                continue
            if table != each.table:
                found.append((table, position, file, line))
    return found


def report_contradictions(heads: Iterable[NotedHead], read: ReadLines, report: BundleReport) -> None:
    """Report each ledger that is not what its table had signed when another table noted it, once."""
    named: set[tuple[str, str]] = set()
    for table, position, file, line in heads:
        name, place = (table, position.journal), (table, position.journal, position.seq)
        if name in named or (place in read and read[place][2] == position.digest):
            continue
        named.add(name)
        noted = f"{file}, line {line} has noted the line {position.seq} that table {table!r} had signed"
        if place in read:
            sentence = f"this is another line {position.seq}: the ledger of table {table!r} was changed; {noted}"
            report.add(*read[place][:2], sentence)
            continue
        owner = next((of for known, (of, _, _) in read.items() if known[:2] == name), file)
        report.add(owner, None, f"journal {name[1]!r} of table {table!r} lacks a line: the ledger was cut or replaced; {noted}")


def unwitnessed(events: Iterable[PublicEvent], heads: Iterable[NotedHead]) -> Iterator[str]:
    """A sentence for each table of whose closed hands no other table has noted the last."""
    noted: dict[tuple[str, str], int] = {}
    for table, position, _, _ in heads:
        noted[table, position.journal] = max(noted.get((table, position.journal), 0), position.seq)
    closed = {(each.table, each.journal): each.seq for each in events if isinstance(each.body, HandClosed)}
    for (table, journal), seq in closed.items():
        witnessed = noted.get((table, journal), 0)
        if witnessed < seq:
            yield (
                f"no other table has noted the lines {witnessed + 1} to {seq} of table {table!r}: if they were changed at the table and in "
                "the server's store together, this check does not find it"
            )
