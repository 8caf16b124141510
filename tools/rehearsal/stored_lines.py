"""What the centre's store has of a rehearsal, counted while it runs and compared with the tables' ledgers at its end."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from datetime import datetime
from typing import TypeVar

from centre.store.centre_reading import CentreReader
from centre.store.venue_contents import VenueProgress
from tools.rehearsal.scripted_venue import ScriptedVenue
from twinwall.event.store.databases.port import PostgresAddress, StoreError
from twinwall.values import frozen

T = TypeVar("T")


@frozen
class StoredCheck:
    """How the stored lines differ from those written, byte by byte."""

    stored: int
    lost: int
    doubled: int


class StoredLines:
    """Reads with a connection of its own, which it makes anew where the database has failed."""

    def __init__(self, address: PostgresAddress, event: str) -> None:
        self._address, self._event = address, event
        self._reader: CentreReader | None = None
        self._counted: dict[str, int] = {}

    def close(self) -> None:
        """End the connection."""
        if self._reader is not None:
            self._reader.close()
            self._reader = None

    def count(self) -> Mapping[str, int]:
        """How many lines are stored of each venue; the last counts where the database does not answer."""
        self._counted = self._read(CentreReader.line_counts, self._counted)
        return self._counted

    def caught_up(self, since: datetime) -> int:
        """Of how many venues no line is missing, by what their tables have said since then."""
        unknown: dict[str, VenueProgress] = {}
        progress = self._read(CentreReader.progress, unknown)
        return sum(not each.missing and each.at is not None and each.at >= since for each in progress.values())

    def _read(self, read: Callable[[CentreReader], T], otherwise: T) -> T:
        """What the store says, or ``otherwise`` where it does not answer."""
        try:
            if self._reader is None:
                self._reader = CentreReader(self._address, self._event)
            return read(self._reader)
        except StoreError:
            self.close()
        return otherwise

    def check(self, venues: Iterable[ScriptedVenue]) -> StoredCheck:
        """Compare every stored line; raises StoreError where the database does not answer."""
        stored = lost = doubled = 0
        with closing(CentreReader(self._address, self._event)) as reader:
            for venue in venues:
                found: dict[str, list[bytes]] = {}
                for journal in reader.journals(venue.name):
                    found.setdefault(journal.table, []).extend(line for line, _ in journal.lines)
                for table in venue.tables:
                    lines = found.get(table.name, [])
                    kept = set(lines)
                    stored += len(kept)
                    doubled += len(lines) - len(kept)
                    lost += len(set(table.lines) - kept)
        return StoredCheck(stored, lost, doubled)
