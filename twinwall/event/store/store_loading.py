"""Loads a store (``load``): checks each line's hash and form, and that it follows the line before."""

from collections.abc import Iterator, Mapping

from twinwall.event.deal_state import DealState, NoDeals, deal_state
from twinwall.event.store.hall import Hall, SlipRefusedError, open_slip
from twinwall.event.store.store_contents import Contents, DealStepTaken, ManagementStep, StoredJournal, acts_of
from twinwall.event.store.store_records import BEGUN, LINES, bad_records, is_covered, read_records
from twinwall.game.documents import DocumentError, digest
from twinwall.values import frozen
from twinwall.wire.ledger import LedgerPosition, PublicEvent, follows, parse

ANOTHER_HASH = "it is not the line that was stored (another hash)"


class DamagedStoreError(ValueError):
    """A store with damaged rows; the message names each of them and says what to do."""

    def __init__(self, damages: tuple[str, ...]) -> None:
        shown = "; ".join(damages[:3]) + (f"; and {len(damages) - 3} more" if len(damages) > 3 else "")
        super().__init__(
            f"the store is damaged ({shown}): put a backup in its place (twinwall results restore), or put it aside; "
            "a new one is filled from the tables' ledgers"
        )
        self.damages = damages


def check_digests(contents: Contents) -> None:
    """Find the lines with changed bytes at once, without parsing; raises DamagedStoreError."""
    damages = tuple(
        _damage(journal, seq, ANOTHER_HASH)
        for journal in contents.journals
        for seq, (line, noted) in enumerate(journal.lines, 1)
        if digest(line) != noted
    )
    if damages:
        raise DamagedStoreError(damages)


def uncovered(contents: Contents) -> Iterator[str]:
    """Where programme, notes or lines contradict the records, in sentences: the store was changed outside its records."""
    records = list(read_records(contents.records))
    begun = [record for record in records if record.kind == BEGUN]
    known = {record.text("programme") for record in begun}
    if any(digest(programme.document) not in known for programme in contents.programmes[-1:]):
        yield "the programme in force is covered by no record: it was changed, or records were cut off"
    if any(record.text("earlier") != contents.notes_before_records for record in begun):
        yield "notes older than the records were changed or added"
    lines = {(journal.table, journal.journal): journal.lines for journal in contents.journals}
    reached: dict[tuple[str, str], int] = {}
    for record in records:
        if record.kind == LINES:
            name, seq = (record.text("table"), record.text("journal")), record.number("line")
            stored = lines.get(name, ())
            if not 1 <= seq <= len(stored) or stored[seq - 1][1] != record.text("hash"):
                yield f"{record}: line {seq} of journal {name[1]!r} was another when it was signed: the stored ledger was changed"
            reached[name] = max(reached.get(name, 0), seq)
    for name, stored in lines.items():
        for seq in range(reached.get(name, 0) + 1, len(stored) + 1):
            if is_covered(stored[seq - 1][0]):
                yield f"table {name[0]}, journal {name[1]!r}, line {seq}: no record covers it: records were cut off, or it was added"


def checked_events(journal: StoredJournal) -> Iterator[PublicEvent | str]:
    """Yield the events of a journal in order, up to the first bad line; then a sentence about that line."""
    after = LedgerPosition(journal.journal)
    for seq, (line, noted) in enumerate(journal.lines, 1):
        event = _checked(journal, seq, line, noted, after)
        yield event
        if isinstance(event, str):
            return
        after = LedgerPosition(journal.journal, seq, noted)


@frozen
class Loaded:
    """What a store gives: the hall, each table's events in order, the directors' changes, and the making of its deals."""

    hall: Hall
    events: Mapping[str, tuple[PublicEvent, ...]]
    steps: tuple[ManagementStep, ...]
    deals: DealState


def load(contents: Contents) -> Loaded:
    """Compute the hall from a store; raises DamagedStoreError."""
    hall = Hall(contents.programme)
    damages = [sentence for _seq, sentence in bad_records(contents.records, contents.programme.event)]
    damages += uncovered(contents)
    events: dict[str, list[PublicEvent]] = {}
    for journal in contents.journals:
        for event in checked_events(journal):
            if isinstance(event, str):
                damages.append(event)
            else:
                hall.take(event)
                events.setdefault(journal.table, []).append(event)
    for stored in contents.slips:
        try:
            hall.release(open_slip(stored.slip, contents.programme.custody, stored.at))
        except SlipRefusedError as error:
            damages.append(f"slip {stored.n}: {error}")
    for acknowledgement in contents.acknowledgements:
        if not hall.acknowledge(acknowledgement) and not damages:
            damages.append(f"the acknowledgement of line {acknowledgement.seq} of table {acknowledgement.table} names no call")
    steps: tuple[ManagementStep, ...] = ()
    deals: DealState = NoDeals()
    try:
        steps = tuple(acts_of(contents.records, ManagementStep))
        deals = deal_state((taken.step for taken in acts_of(contents.records, DealStepTaken)), contents.programme.custody)
    except DocumentError as error:
        damages.append(str(error))
    if damages:
        raise DamagedStoreError(tuple(damages))
    return Loaded(hall, {table: tuple(of_table) for table, of_table in events.items()}, steps, deals)


def _damage(journal: StoredJournal, seq: int, reason: str) -> str:
    return f"table {journal.table}, journal {journal.journal!r}, line {seq}: {reason}"


def _checked(journal: StoredJournal, seq: int, line: bytes, noted: str, after: LedgerPosition) -> PublicEvent | str:
    if digest(line) != noted:
        return _damage(journal, seq, ANOTHER_HASH)
    try:
        event = parse(line)
    except DocumentError as error:
        return _damage(journal, seq, str(error))
    sentence = follows(event, after)
    if sentence is None and event.table != journal.table:
        sentence = f"it is of table {event.table!r}"
    return event if sentence is None else _damage(journal, seq, sentence)
