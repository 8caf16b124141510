"""Proof of one ledger: its chain of hashes, and the signed heads that cover it; every line that does not hold is named.

A changed line, a changed hash and a lost line look alike to the line behind them. Which one it is follows from behind: a line
whose hash the next line or a signed head names is as it was written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from twinwall.game.documents import DocumentError, digest
from twinwall.wire.ledger import LedgerPosition, PublicEvent, parse


@dataclass(frozen=True, slots=True)
class ReadLine:
    """A line of a file as it was read; ``event`` is None where it is none, and ``reason`` says why."""

    number: int
    digest: str
    event: PublicEvent | None
    reason: str = ""


def read_lines(content: bytes) -> tuple[ReadLine, ...]:
    """All lines of a ledger's file; a last line without its end is none."""
    return tuple(_read(number, line) for number, line in enumerate(content.splitlines(keepends=True), 1))


def _read(number: int, line: bytes) -> ReadLine:
    if not line.endswith(b"\n"):
        return ReadLine(number, digest(line), None, "the line has no end: the rest of it is missing")
    try:
        return ReadLine(number, digest(line), parse(line))
    except DocumentError as error:
        return ReadLine(number, digest(line), None, str(error))


def ledger_owner(lines: Sequence[ReadLine]) -> tuple[str, str]:
    """Table and journal that most lines name; empty where no line can be read."""
    named = [(line.event.table, line.event.journal) for line in lines if line.event is not None]
    return max(set(named), key=named.count, default=("", ""))


def bad_places(lines: Sequence[ReadLine], heads: Sequence[LedgerPosition]) -> dict[int, str]:
    """Why each line of a ledger that does not hold is none, by its number, against the table's signed heads of this journal."""
    owner = ledger_owner(lines)
    found = {line.number: line.reason for line in lines if line.event is None}
    signed = {head.digest for head in heads}
    for number, sentence in (*_strangers(lines, owner), *_broken_links(lines, signed), *_not_signed(lines, heads, set(found))):
        found.setdefault(number, sentence)
    return dict(sorted(found.items()))


def _strangers(lines: Sequence[ReadLine], owner: tuple[str, str]) -> Iterator[tuple[int, str]]:
    for line in lines:
        if line.event is not None and (line.event.table, line.event.journal) != owner:
            yield (
                line.number,
                f"a line of table {line.event.table!r}, journal {line.event.journal!r}, in the ledger of table {owner[0]!r}, {owner[1]!r}",
            )


def _broken_links(lines: Sequence[ReadLine], signed: set[str]) -> Iterator[tuple[int, str]]:
    before = LedgerPosition("")
    named = signed | {line.event.prev for line in lines if line.event is not None}
    for index, line in enumerate(lines):
        event = line.event
        if event is None:
            continue
        if event.seq != before.seq + 1:
            yield (line.number, _gap(before.seq, event.seq))
        elif event.prev != before.digest:
            blamed = lines[index - 1] if index and line.digest in named and lines[index - 1].event is not None else line
            yield (blamed.number, _link_sentence(line, blamed))
        before = LedgerPosition(event.journal, event.seq, line.digest)


def _gap(before: int, seq: int) -> str:
    if seq <= before:
        return f"its number is {seq}, and {before} stands before it"
    lost = f"line {seq - 1} of the journal is" if seq == before + 2 else f"lines {before + 1} to {seq - 1} of the journal are"
    return f"its number is {seq}: {lost} missing before it"


def _link_sentence(line: ReadLine, blamed: ReadLine) -> str:
    if line is blamed:
        return "it does not name the hash of the line before it"
    return "it was changed: the line after it names another hash"


def _not_signed(lines: Sequence[ReadLine], heads: Sequence[LedgerPosition], unread: set[int]) -> Iterator[tuple[int, str]]:
    """Lines that the table's heads contradict, lines that are cut off, and lines that no head covers."""
    by_seq: Mapping[int, ReadLine] = {line.event.seq: line for line in lines if line.event is not None}
    last, covered = max(by_seq, default=0), 0
    end = lines[-1].number if lines else 1
    for head in sorted(heads, key=lambda each: each.seq):
        line = by_seq.get(head.seq)
        if head.seq > last:
            yield (end, f"the journal ends here at line {last}, and the table has signed line {head.seq}: the rest is cut off")
        elif line is not None and line.digest != head.digest:
            first = by_seq.get(covered + 1, line)
            span = f"line {head.seq} is" if covered + 1 == head.seq else f"lines {covered + 1} to {head.seq} are"
            if not any(first.number <= number <= line.number for number in unread):
                yield (first.number, f"{span} not what the table has signed")
        covered = max(covered, head.seq)
    if not heads and lines:
        yield (1, "no signed head of this table and journal is in the bundle: no signature covers these lines")
    elif covered < last and covered + 1 in by_seq:
        yield (by_seq[covered + 1].number, f"lines {covered + 1} to {last} of the journal are covered by no signature of the table")
