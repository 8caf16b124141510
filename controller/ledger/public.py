"""The public ledgers: projections of the journal, as lines that anybody can check.

A public ledger depends only on the journal. At start it is computed again and compared with the file: missing lines (a torn write, a lost
file) are added, a differing line is refused by its number. There are two: what the table saw (classes P and T), and what everybody may see
(P, times to ten seconds, its own numbering); ``withheld`` decides which lines the open one holds back.
"""

import os
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from pathlib import Path

from controller.ledger.journal import JournalEntry, JournalError
from controller.ledger.withheld import Withheld, pass_on
from twinwall.game.documents import digest, read_time
from twinwall.wire.events.definitions import AT_THE_TABLE, EVERYWHERE, Secrecy
from twinwall.wire.events.seat_events import ClockPaused, ClockResumed
from twinwall.wire.ledger import LedgerPosition, envelope, next_position, project

COARSE_S = 10
OPEN_LEDGER = "public.jsonl"
"""The file of what everybody may see, in the folder of a table's ledger."""


class PublicLedger:
    """One projection of a journal, on disk and in memory; line ``n`` is ``lines[n - 1]``."""

    def __init__(
        self,
        path: Path,
        table: str,
        journal: str,
        classes: frozenset[Secrecy],
        *,
        known: Mapping[str, LedgerPosition] | None = None,
        salt: Callable[[str, int], str] | None = None,
    ) -> None:
        """``journal`` is the journal's id, ``classes`` what its readers see, ``known`` the lines that vaults have, by vault; ``salt`` makes
        the salt of a line from the journal's id and the line's number. Nothing is read before ``catch_up``."""
        self.path = path
        self.lines: list[bytes] = []
        self.journal = journal
        self._table = table
        self._classes, self._open = classes, classes == EVERYWHERE
        self._known = known or {}
        self._salt = salt
        self.position = LedgerPosition(journal)
        """The position of the ledger after its last line."""
        self._withheld = Withheld()

    def catch_up(self, entries: Iterable[JournalEntry]) -> None:
        """Compute the ledger from the whole journal, compare it with the file and complete the file.

        Raises JournalError if a complete line of the file differs, or if a line that somebody else has is missing.
        """
        computed = [line for entry in entries for line in self._project(entry)]
        written = self.path.read_bytes() if self.path.exists() else b""
        whole = written[: written.rfind(b"\n") + 1].splitlines(keepends=True)
        if len(whole) > len(computed):
            raise JournalError(
                f"{self.path} has {len(whole)} lines, but the journal tells of {len(computed)}: put the whole journal back, "
                "or keep this folder for the referee and start the table with an empty one (it then begins a new journal)"
            )
        for number, (line, due) in enumerate(zip(whole, computed, strict=False), 1):
            if line != due:
                raise JournalError(
                    f"{self.path} line {number} is not what the journal says happened; keep this folder for the referee and "
                    "put a good copy back, or start the table with an empty one (it then begins a new journal)"
                )
        self.lines = computed
        for vault, known in self._known.items():
            self._compare(vault, known)
        self._file = os.open(self.path, os.O_WRONLY | os.O_CREAT, 0o600)
        os.fchmod(self._file, 0o600)
        kept = sum(map(len, whole))
        os.ftruncate(self._file, kept)
        os.lseek(self._file, kept, os.SEEK_SET)
        self._write(b"".join(computed[len(whole) :]))

    def append(self, entries: Iterable[JournalEntry]) -> None:
        """Add the public part of the next journal entries."""
        new = [line for entry in entries for line in self._project(entry)]
        self.lines.extend(new)
        self._write(b"".join(new))

    def close(self) -> None:
        """Close the file; a second call raises OSError, because its number may be another file's."""
        os.close(self._file)
        self._file = -1

    def _compare(self, vault: str, known: LedgerPosition) -> None:
        """Find the line that a vault has received from this table: an older copy of the whole disk lacks it."""
        if known.seq == 0:
            return
        stands = f"{self.path} is not what this table has sent: the {vault} has line {known.seq} of the journal {known.journal!r}"
        advice = (
            "an older copy was put back; put the latest back, or keep this folder for the referee and start the table with an empty one"
        )
        if known.journal != self.journal:
            raise JournalError(f"{stands}, and this is the journal {self.journal!r}: {advice}")
        if known.seq > len(self.lines):
            raise JournalError(f"{stands}, and this one ends with line {len(self.lines)}: {advice}")
        if digest(self.lines[known.seq - 1]) != known.digest:
            raise JournalError(f"{stands}, and this line differs: {advice}")

    def _project(self, entry: JournalEntry) -> list[bytes]:
        if not self._open:
            return self._line(entry)
        self._withheld, passed = pass_on(self._withheld, entry)
        return [line for each in passed for line in self._line(each)]

    def _line(self, entry: JournalEntry) -> list[bytes]:
        if isinstance(entry.event, ClockPaused | ClockResumed) and not entry.event.published:
            return []
        event_type = str(entry.written["type"])
        fields = project(event_type, entry.written, self._classes)
        if fields is None:
            return []
        salt = None if self._salt is None else self._salt(self.journal, self.position.seq + 1)
        line = envelope(self._table, self.position, self._time(entry.at), event_type, fields, classes=self._classes, salt=salt)
        self.position = next_position(self.position, line)
        return [line]

    def _time(self, at: str) -> datetime:
        moment = read_time(at)
        return moment.replace(second=moment.second // COARSE_S * COARSE_S, microsecond=0) if self._open else moment

    def _write(self, content: bytes) -> None:
        while content:
            content = content[os.write(self._file, content) :]


def table_ledger(
    folder: Path,
    table: str,
    journal: str,
    *,
    known: Mapping[str, LedgerPosition] | None = None,
    salt: Callable[[str, int], str] | None = None,
) -> PublicLedger:
    """What anybody at that table could see (P and T): for the server. ``known`` are the lines that the vaults have."""
    return PublicLedger(folder / "events.jsonl", table, journal, AT_THE_TABLE, known=known, salt=salt)


def open_ledger(folder: Path, table: str, journal: str) -> PublicLedger:
    """What everybody may see at once (P)."""
    return PublicLedger(folder / OPEN_LEDGER, table, journal, EVERYWHERE)
