"""The public ledgers: projections of the journal, as lines that anybody can check.

A public ledger depends only on the journal. At start it is computed again and compared with the file: missing lines (a torn write, a lost
file) are added, a differing line is refused by its number. There are two: what the table saw (classes P and T), and what everybody may see
(P, times to ten seconds, its own numbering); ``Withheld`` are the lines that the open one holds back.

The open ledger holds back lines that would reveal that a hand is over before every table has played its deal.

Everybody may see that a table builds and plays; the end of a hand is secret until its deal is released. The walls of the next hand rise,
its sheets are opened, and other players are asked who they are only after the hand before. So from then on each line of the table's
progress waits, and is published at the release, in order and with that time. Lines unrelated to play, such as a lost link or a call for the
referee, never wait. Deals that no vault gave are never released, and nothing of theirs waits. A fold of the journal without I/O, like the
ledger itself.
"""

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from controller.ledger.journal import JournalEntry, JournalError
from twinwall.game.documents import digest, read_time
from twinwall.values import frozen
from twinwall.wire.events.definitions import AT_THE_TABLE, EVERYWHERE, Secrecy
from twinwall.wire.events.hand_events import DealReleased, HandStarted
from twinwall.wire.events.seat_events import ClockPaused, ClockResumed, SeatsAwaited
from twinwall.wire.events.trouble_events import CameraTrouble, LinkLost, LinkRestored, RefereeCalled
from twinwall.wire.events.wall_events import ControllerStarted, DealOpened, SheetsDue, WallRaised
from twinwall.wire.ledger import LedgerPosition, envelope, next_position, project

NEVER_WAITS = (ControllerStarted, ClockPaused, ClockResumed, LinkLost, CameraTrouble, LinkRestored, RefereeCalled)
"""Events that happen to a table whether its hand is over or not."""


@frozen
class Withheld:
    """``custody``: deals opened now are in custody; ``kept`` are the unreleased ones of these.

    ``standing`` is the deal with the last raised walls, ``begun`` that of the last begun hand; ``over`` are the deals in custody that the
    table is known to have finished. ``waiting`` are entries that would reveal it, each with the deals whose release it waits for.
    """

    custody: bool = False
    kept: frozenset[int] = frozenset()
    standing: int | None = None
    begun: int | None = None
    over: frozenset[int] = frozenset()
    waiting: tuple[tuple[frozenset[int], JournalEntry], ...] = ()


def pass_on(withheld: Withheld, entry: JournalEntry) -> tuple[Withheld, tuple[JournalEntry, ...]]:
    """Take the next journal entry: return what is held back, and the entries to publish with their times."""
    event, freed = entry.event, list[JournalEntry]()
    if isinstance(event, DealOpened | SheetsDue) and withheld.standing is not None and withheld.standing != withheld.begun:
        withheld, (_, *freed) = _release(withheld, withheld.standing, entry)  # left for another session: no release will come
    match event:
        case ControllerStarted():
            return replace(withheld, custody=event.custody), (entry,)
        case DealReleased():
            return _release(withheld, event.n, entry)
        case DealOpened() if withheld.custody:
            withheld = replace(withheld, kept=withheld.kept | {event.n})
        case WallRaised():
            withheld = replace(_hand_over(withheld), standing=event.n)
        case HandStarted():
            withheld = replace(withheld, begun=event.n)
        case SheetsDue():
            withheld = _hand_over(withheld)
            kept = withheld.kept | {event.n} if withheld.custody else withheld.kept
            withheld = replace(withheld, standing=event.n, kept=kept)
        case SeatsAwaited():
            withheld = _hand_over(withheld)
    if not withheld.over or isinstance(event, NEVER_WAITS):
        return withheld, (*freed, entry)
    return replace(withheld, waiting=(*withheld.waiting, (withheld.over, entry))), tuple(freed)


def _hand_over(withheld: Withheld) -> Withheld:
    """What comes now reveals that the hand of the present deal is over."""
    ended = {withheld.standing} & withheld.kept
    return replace(withheld, over=withheld.over | frozenset(n for n in ended if n is not None))


def _release(withheld: Withheld, n: int, entry: JournalEntry) -> tuple[Withheld, tuple[JournalEntry, ...]]:
    """Publish the release of a deal at once, with all that waited for nothing else."""
    waiting = tuple((deals - {n}, held) for deals, held in withheld.waiting)
    published = tuple(replace(held, at=entry.at) for deals, held in waiting if not deals)
    left = tuple((deals, held) for deals, held in waiting if deals)
    return replace(withheld, kept=withheld.kept - {n}, over=withheld.over - {n}, waiting=left), (entry, *published)


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
