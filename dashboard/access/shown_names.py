"""Names of players as a viewer may see them: the staff in full, everybody else as the event's settings say."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from twinwall.event.comparison import ComparedDeal, Entry
from twinwall.event.event_standings import EventStandings
from twinwall.event.hands import HandSummary
from twinwall.event.player_names import NamesShown, PlayerNames, read_names
from twinwall.event.points import RankedGroup
from twinwall.event.standings import Standing
from twinwall.event.store.corrections import Correction
from twinwall.game.documents import DocumentError
from twinwall.wire.durable_file import write_durably

_LOG = logging.getLogger(__name__)
_Stamp = tuple[int, int, int]


class NamesFile:
    """The names file, read again whenever it has changed, so that a person who is forgotten leaves open pages too."""

    def __init__(self, path: Path | None, changed: Callable[[], None]) -> None:
        """``changed`` is called when other names are there than before; without a path players have no names."""
        self._path, self._changed = path, changed
        self._lock = threading.Lock()
        self._stamp = _stamp(path)
        self._names = self._read()

    def names(self) -> PlayerNames:
        """The names as they stand in the file now."""
        stamp = _stamp(self._path)
        with self._lock:
            if stamp == self._stamp:
                return self._names
            self._stamp, self._names = stamp, self._read()
            names = self._names
        self._changed()
        return names

    def write(self, names: PlayerNames) -> None:
        """Put a file of these names there as a whole; raises DocumentError for names that no file has, and OSError."""
        content = names.document
        read_names(content)
        if self._path is None:
            raise FileNotFoundError("the settings name no file of players")
        write_durably(self._path, content, 0o600)
        self.names()

    def _read(self) -> PlayerNames:
        """What the file holds; numbers are shown, and a warning is logged, when it cannot be read."""
        if self._path is None:
            return PlayerNames()
        try:
            return read_names(self._path.read_bytes())
        except FileNotFoundError:
            return PlayerNames()
        except (OSError, DocumentError) as error:
            _LOG.error("%s: %s: players are shown by number until it is corrected", self._path, error)
            return PlayerNames()


@dataclass(frozen=True, slots=True)
class ShownNames:
    """Puts into results what one viewer may see of the names.

    ``rule`` is asked at each use, since a director may change it while pages are open: how names are shown, and whether entrants
    are players rather than teams.
    """

    file: NamesFile
    rule: Callable[[], tuple[NamesShown, bool]]

    @property
    def how(self) -> NamesShown:
        """How much of a name is shown now."""
        return self.rule()[0]

    @property
    def players(self) -> bool:
        """Whether entrants are players."""
        return self.rule()[1]

    def player(self, player: str) -> str:
        """What stands for a player."""
        return self.shown()(player)

    def shown(self) -> Callable[[str], str]:
        """What stands for each player, as the names and the rule are now; a page that shows many asks once."""
        return partial(self.file.names().shown, how=self.how)

    def named_in(self, text: str) -> bool:
        """Whether a text names a player."""
        return self.file.names().named_in(text)

    def look(self) -> None:
        """Notice now whether the names have changed."""
        self.file.names()

    def entrant(self, entrant: str) -> str:
        """What stands for an entrant: teams keep their names."""
        return self.player(entrant) if self.players else entrant

    def hand(self, hand: HandSummary) -> HandSummary:
        """A hand with its players as they are shown."""
        shown = self.shown()
        return replace(hand, names={seat: shown(player) for seat, player in hand.names.items()})

    def compared(self, deal: ComparedDeal) -> ComparedDeal:
        """A compared deal with its entrants as they are shown."""
        if not self.players:
            return deal
        shown = self.shown()
        results = tuple(replace(result, entrant=shown(result.entrant)) for result in deal.results)
        entries = tuple(replace(entry, entrant=shown(entry.entrant)) for entry in deal.entries if isinstance(entry, Entry))
        return replace(deal, results=results, entries=entries)

    def ranked(self, group: RankedGroup) -> RankedGroup:
        """A ranking with its entrants as they are shown."""
        if not self.players:
            return group
        shown = self.shown()
        ranking = tuple(Standing(shown(at.entrant), at.rank, at.total) for at in group.ranking)
        deals = tuple((n, tuple(replace(gain, entrant=shown(gain.entrant)) for gain in gains)) for n, gains in group.deals)
        return replace(group, ranking=ranking, deals=deals)

    def standings(self, found: EventStandings) -> EventStandings:
        """Standings with their entrants as they are shown."""
        if not self.players:
            return found
        shown = self.shown()
        points = {number: {shown(entrant): won for entrant, won in of.items()} for number, of in found.points.items()}
        ranking, before = (tuple(replace(at, entrant=shown(at.entrant)) for at in of) for of in (found.ranking, found.before))
        return EventStandings(found.sessions, ranking, before, points, tuple(self.ranked(group) for group in found.groups))

    def correction(self, correction: Correction) -> Correction:
        """A correction with its entrants as they are shown."""
        return replace(correction, changes=tuple(replace(each, entrant=self.entrant(each.entrant)) for each in correction.changes))

    def reason(self, reason: str, recorded: frozenset[str]) -> str:
        """A sentence about results, in which players stand as they were ``recorded``."""
        if self.how is NamesShown.FULL:
            return reason
        for player in sorted(recorded, key=len, reverse=True):
            if not player.isdecimal():
                reason = reason.replace(player, self.player(player))
        return reason


def _stamp(path: Path | None) -> _Stamp | None:
    if path is None:
        return None
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size
