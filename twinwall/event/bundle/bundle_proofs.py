"""Proofs of a bundle's ledgers (chained lines, signed heads, heads noted by other tables) and the report of what is unproved.

The vault's announcements say which keys are the tables'; these sign the heads. The heads of ``heads.jsonl`` come from the server's store,
and a table that helps to change its own ledger can sign new ones. It cannot change the heads that other tables have noted: these are in
their ledgers, under their signatures.

A changed line, a changed hash and a lost line look alike to the next line. The check decides from the end: a line is unchanged if the next
line or a signed head names its hash.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field

from twinwall.event.bundle.bundle_files import HEADS, KEYS
from twinwall.game.documents import DocumentError, digest, parse_object
from twinwall.values import frozen
from twinwall.wire.events.hand_events import HandClosed, HeadsNoted
from twinwall.wire.ledger import LedgerPosition, PublicEvent, parse
from twinwall.wire.messages.boot_keys import Announcement, read_head
from twinwall.wire.messages.signing import VAULT, open_document


@frozen
class Unproved:
    """One thing that does not hold, in a sentence; ``line`` counts from 1, None for the whole file."""

    file: str
    line: int | None
    sentence: str

    def __str__(self) -> str:
        return f"{self.file}{'' if self.line is None else f', line {self.line}'}: {self.sentence}"


@dataclass(slots=True)
class BundleReport:
    """The result of a check of the bundle with this ``start`` code. ``vault_key``: the key (hex) that announced the tables' keys, empty if
    unknown; ``known_vault``: whether a person gave it, and not only the bundle. ``counts``: how many of each kind are proved; ``unproved``:
    what does not hold, in the order of the files."""

    start: str
    event: str = ""
    vault_key: str = ""
    known_vault: bool = False
    counts: dict[str, int] = field(default_factory=dict)
    deals: tuple[int, ...] = ()
    unproved: list[Unproved] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    _places: set[tuple[str, int | None]] = field(default_factory=set)

    @property
    def good(self) -> bool:
        return not self.unproved

    def add(self, file: str, line: int | None, sentence: str) -> None:
        """Report what does not hold; each place is named once."""
        if (file, line) not in self._places:
            self._places.add((file, line))
            self.unproved.append(Unproved(file, line, sentence))

    def names(self, file: str) -> bool:
        return any(name == file for name, _ in self._places)

    def to_json(self) -> dict[str, object]:
        return {
            "good": self.good,
            "event": self.event,
            "start": self.start,
            "vault_key": self.vault_key,
            "vault_key_given": self.known_vault,
            "proved": dict(self.counts),
            "deals": list(self.deals),
            "unproved": [asdict(each) for each in self.unproved],
            "notes": list(self.notes),
        }


@frozen
class ReadLine:
    """A line as read; ``event`` is None for a line that is no event, and ``reason`` says why."""

    number: int
    digest: str
    event: PublicEvent | None
    reason: str = ""


def read_lines(content: bytes) -> tuple[ReadLine, ...]:
    """All lines of a ledger's file; a last line without line feed is no event."""
    return tuple(_read(number, line) for number, line in enumerate(content.splitlines(keepends=True), 1))


def _read(number: int, line: bytes) -> ReadLine:
    if not line.endswith(b"\n"):
        return ReadLine(number, digest(line), None, "the line has no end: the rest of it is missing")
    try:
        return ReadLine(number, digest(line), parse(line))
    except DocumentError as error:
        return ReadLine(number, digest(line), None, str(error))


def ledger_owner(lines: Sequence[ReadLine]) -> tuple[str, str]:
    """The table and journal that most lines name; empty if no line can be read."""
    named = Counter((line.event.table, line.event.journal) for line in lines if line.event is not None)
    return max(named, key=named.__getitem__, default=("", ""))


def bad_places(lines: Sequence[ReadLine], heads: Sequence[LedgerPosition]) -> dict[int, str]:
    """By line number, why each bad line of a ledger does not hold; ``heads`` are the table's signed heads of this journal."""
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
    """Yield lines that the table's heads contradict, lines that are cut off, and lines that no head covers."""
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


AnnouncedKeys = Mapping[str, set[bytes]]
"""All boot signing keys that the vault announced, by table."""
SignedLines = Mapping[tuple[str, str], list[LedgerPosition]]
"""The lines named by proved heads, by table and journal."""


def prove_heads(files: Mapping[str, bytes], event: str, vault_key: bytes, report: BundleReport) -> tuple[SignedLines, AnnouncedKeys]:
    """Check a bundle's announcements and heads under the vault's public key; report what does not hold."""
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
    keys: defaultdict[str, set[bytes]] = defaultdict(set)
    for number, line in _numbered(content):
        try:
            announced = open_document(line, Announcement, {VAULT: vault_key}, event)
        except DocumentError as error:
            report.add(KEYS, number, f"the vault has not announced these keys: {error}")
            continue
        for key in announced.tables:
            keys[key.table].add(bytes.fromhex(key.signing_key))
    return keys


def signed_position(line: bytes, event: str, keys: AnnouncedKeys) -> tuple[str, LedgerPosition]:
    """The table and position of a head that one of the table's keys has signed; raises DocumentError."""
    table = parse_object(line).get("by")
    if not isinstance(table, str):
        raise DocumentError(f"the head names no table but {table!r}")
    refused: DocumentError | None = None
    for key in sorted(keys.get(table, ())):
        try:
            return table, read_head(line, event, table, key).position
        except DocumentError as error:
            refused = error
    raise refused or DocumentError(f"a head of table {table!r} is refused: the vault has announced no key of this table")


def _numbered(content: bytes) -> Iterator[tuple[int, bytes]]:
    return enumerate(content.splitlines(keepends=True), 1)


Place = tuple[str, str, int]
"""Table, journal and number of a line."""
ReadLines = dict[Place, tuple[str, int, str]]
"""File, line and hash of each place, as the ledgers were read."""
NotedHead = tuple[str, LedgerPosition, str, int]
"""A table's head that another table has noted: table, position, and the noting line's file and number."""


def noted_heads(events: Iterable[PublicEvent], read: ReadLines, event: str, keys: AnnouncedKeys, report: BundleReport) -> list[NotedHead]:
    """All heads that ledgers note of other tables; reports those that their table has not signed."""
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
    """Report, once each, the ledgers that contradict a head noted by another table."""
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
    """Yield a sentence for each table with closed hands that no other table has noted."""
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
