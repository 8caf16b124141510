"""Proof of a bundle's ledgers against each other: what each table has noted of the others' heads.

The heads of ``heads.jsonl`` come from the server's store, and a table that helps to change its ledger signs new ones. What other tables
have noted stands in their own ledgers, under their own signatures, and cannot be changed without them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from twinwall.event.bundle.bundle_report import Unproved
from twinwall.event.bundle.head_proof import signed_position
from twinwall.game.documents import DocumentError
from twinwall.wire.events.hand_events import HandClosed, HeadsNoted
from twinwall.wire.ledger import LedgerPosition, PublicEvent

Place = tuple[str, str, int]
"""Table, journal and number of a line."""


@dataclass(slots=True)
class ReadLedgers:
    """The ledgers of a bundle as they were read: file and line of each place, and the hash of that line."""

    places: dict[Place, tuple[str, int]] = field(default_factory=dict)
    digests: dict[Place, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class NotedHead:
    """A head of ``table`` that another table has noted, in a line of its ledger: ``file`` and ``line``."""

    table: str
    position: LedgerPosition
    file: str
    line: int


def noted_heads(
    events: Iterable[PublicEvent], read: ReadLedgers, event: str, keys: Mapping[str, set[bytes]], unproved: list[Unproved]
) -> list[NotedHead]:
    """Every head that a line of the ledgers notes of another table; those that its table has not signed are named."""
    found: list[NotedHead] = []
    for each, text in _texts(events):
        file, line = read.places[each.table, each.journal, each.seq]
        try:
            table, position = signed_position(text.encode(), event, keys)
        except DocumentError as error:
            unproved.append(Unproved(file, line, f"a head is noted here that no key of its table has signed: {error}"))
            continue
        if table != each.table:
            found.append(NotedHead(table, position, file, line))
    return found


def contradictions(heads: Iterable[NotedHead], read: ReadLedgers) -> Iterator[Unproved]:
    """Each ledger that is not what its table had signed when another table noted it, named once."""
    named: set[tuple[str, str]] = set()
    for head in heads:
        name = head.table, head.position.journal
        place = (*name, head.position.seq)
        if name in named or read.digests.get(place) == head.position.digest:
            continue
        named.add(name)
        noted = f"{head.file}, line {head.line} has noted the line {head.position.seq} that table {head.table!r} had signed"
        if place in read.places:
            file, line = read.places[place]
            yield Unproved(file, line, f"this is another line {head.position.seq}: the ledger of table {head.table!r} was changed; {noted}")
            continue
        file = next((file for known, (file, _) in read.places.items() if known[:2] == name), head.file)
        yield Unproved(file, None, f"journal {name[1]!r} of table {head.table!r} lacks a line: the ledger was cut or replaced; {noted}")


def unwitnessed(events: Iterable[PublicEvent], heads: Iterable[NotedHead]) -> Iterator[str]:
    """A sentence for each table of whose closed hands no other table has noted the last."""
    noted: dict[tuple[str, str], int] = {}
    for head in heads:
        name = head.table, head.position.journal
        noted[name] = max(noted.get(name, 0), head.position.seq)
    closed = {(each.table, each.journal): each.seq for each in events if isinstance(each.body, HandClosed)}
    for (table, journal), seq in closed.items():
        witnessed = noted.get((table, journal), 0)
        if witnessed < seq:
            yield (
                f"no other table has noted the lines {witnessed + 1} to {seq} of table {table!r}: if they were changed at the table and in "
                "the server's store together, this check does not find it"
            )


def _texts(events: Iterable[PublicEvent]) -> Iterator[tuple[PublicEvent, str]]:
    for each in events:
        if isinstance(each.body, HeadsNoted):
            yield from ((each, text) for text in each.body.heads)
