"""A venue's rows in memory: what its batches leave in the centre's store."""

from centre.store.venue_contents import JournalName, KnownVenue, ResultName, VenueBatch, VenueProgress, WaitingMessage
from twinwall.game.documents import digest
from twinwall.wire.ledger import LedgerPosition, PublicEvent, follows
from twinwall.wire.receiver import KnownJournal


class MemoryVenue:
    """Takes batches as ``CentreRows`` does; a line that is there already, or that does not follow, fails the test."""

    def __init__(self) -> None:
        self.lines: dict[JournalName, list[PublicEvent]] = {}
        self.evidence: set[bytes] = set()
        self.notices: list[str] = []
        self.results: dict[ResultName, bytes] = {}
        self.heads: dict[JournalName, int] = {}
        self._telling: list[bytes] = []
        self._waiting: dict[str, WaitingMessage] = {}
        self._documents: dict[str, bytes] = {}
        self._progress: VenueProgress | None = None

    def store(self, batch: VenueBatch) -> None:
        for event in batch.lines:
            of_journal = self.lines.setdefault((event.table, event.journal), [])
            after = of_journal[-1].position if of_journal else LedgerPosition(event.journal)
            assert follows(event, after) is None, f"line {event.seq} of table {event.table}"
            of_journal.append(event)
            self._telling += [event.line] if (event.table, event.journal, event.seq) in batch.telling else []
        repeated = [event for event in batch.repeated if self.lines[event.table, event.journal][event.seq - 1].line != event.line]
        self.evidence |= {event.line for event in repeated} | {each.line for each in batch.evidence}
        self._waiting = {hashed: each for hashed, each in (self._waiting | batch.waiting).items() if hashed not in batch.used}
        self._documents |= batch.documents
        self._progress = batch.progress or self._progress
        self.results |= {(table, n): result for table, n, result in batch.results}
        self.heads |= {name: head.seq for name, head in batch.heads.items()}
        self.notices += batch.notices

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    def known(self) -> KnownVenue:
        journals: dict[str, tuple[KnownJournal, ...]] = {}
        for (table, journal), lines in self.lines.items():
            last = digest(lines[-1].line)
            journals[table] = (*journals.get(table, ()), KnownJournal(journal, (last,), len(lines) - 1))
        documents, waiting = dict(self._documents), dict(self._waiting)
        return KnownVenue(journals, tuple(self._telling), waiting, dict(self.results), documents, self._progress)
