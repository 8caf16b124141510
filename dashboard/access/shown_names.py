"""Names of players as a viewer may see them: staff in full, others as the event's settings say."""

import logging
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path

from twinwall.event.comparison import ComparedDeal, Entry, Standing
from twinwall.event.event_standings import EventStandings
from twinwall.event.hands import HandSummary
from twinwall.event.natural_order import natural
from twinwall.event.player_names import NamesShown, PlayerNames, read_names
from twinwall.event.points import RankedGroup
from twinwall.event.results import result_after_rulings
from twinwall.event.store.event_comparison import Correction
from twinwall.event.store.hall import Hall
from twinwall.game.documents import DocumentError
from twinwall.game.tiles import Seat
from twinwall.values import frozen
from twinwall.wire.durable_file import in_turn, write_durably

_LOG = logging.getLogger(__name__)
_Stamp = tuple[int, int, int]


class NamesFile:
    """The names file, read again after each change, so that a forgotten person also disappears from open pages."""

    def __init__(self, path: Path | None, changed: Callable[[], None]) -> None:
        """``changed`` is called when names have changed; without a path players have no names."""
        self._path, self._changed = path, changed
        self._lock = threading.Lock()
        self._stamp = _stamp(path)
        self._names = self._read()

    def names(self) -> PlayerNames:
        stamp = _stamp(self._path)
        with self._lock:
            if stamp == self._stamp:
                return self._names
            self._stamp, self._names = stamp, self._read()
            names = self._names
        self._changed()
        return names

    def in_turn(self) -> AbstractContextManager[None]:
        """Hold the lock with which commands change the file: a name that they enter meanwhile is kept."""
        return in_turn(self._path) if self._path is not None and self._path.parent.is_dir() else nullcontext()

    def write(self, names: PlayerNames) -> None:
        """Replace the file with these names; raises DocumentError for invalid names, and OSError."""
        content = names.document
        read_names(content)
        if self._path is None:
            raise FileNotFoundError("the settings name no file of players")
        if self._path.exists():
            read_names(self._path.read_bytes())
        write_durably(self._path, content, 0o600)
        self.names()

    def _read(self) -> PlayerNames:
        """The names in the file; if it cannot be read, logs a warning, and numbers are shown."""
        try:
            if self._path is not None:
                return read_names(self._path.read_bytes())
        except FileNotFoundError:
            pass
        except (OSError, DocumentError) as error:
            _LOG.error("%s: %s: players are shown by number until it is corrected", self._path, error)
        return PlayerNames()


@frozen
class ShownNames:
    """Shows results with the names that one viewer may see. ``rule`` is asked at each use, since a director may change it while pages are
    open: how names are shown, and whether entrants are players."""

    file: NamesFile
    rule: Callable[[], tuple[NamesShown, bool]]

    @property
    def how(self) -> NamesShown:
        """How much of a name is shown now."""
        return self.rule()[0]

    @property
    def players(self) -> bool:
        return self.rule()[1]

    def player(self, player: str) -> str:
        return self.shown()(player)

    def shown(self) -> Callable[[str], str]:
        """A function from player to shown text by the present names and rule, for pages that show many."""
        return partial(self.file.names().shown, how=self.how)

    def named_in(self, text: str) -> bool:
        return self.file.names().named_in(text)

    def look(self) -> None:
        """Check whether the names have changed."""
        self.file.names()

    def entrant(self, entrant: str) -> str:
        """The shown text for an entrant; teams keep their names."""
        return self.player(entrant) if self.players else entrant

    def hand(self, hand: HandSummary) -> HandSummary:
        shown = self.shown()
        return replace(hand, names={seat: shown(player) for seat, player in hand.names.items()})

    def compared(self, deal: ComparedDeal) -> ComparedDeal:
        if not self.players:
            return deal
        shown = self.shown()
        results = tuple(replace(result, entrant=shown(result.entrant)) for result in deal.results)
        entries = tuple(replace(entry, entrant=shown(entry.entrant)) for entry in deal.entries if isinstance(entry, Entry))
        return replace(deal, results=results, entries=entries)

    def ranked(self, group: RankedGroup) -> RankedGroup:
        if not self.players:
            return group
        shown = self.shown()
        ranking = tuple(Standing(shown(at.entrant), at.rank, at.total) for at in group.ranking)
        deals = tuple((n, tuple(replace(gain, entrant=shown(gain.entrant)) for gain in gains)) for n, gains in group.deals)
        return replace(group, ranking=ranking, deals=deals)

    def standings(self, found: EventStandings) -> EventStandings:
        if not self.players:
            return found
        shown = self.shown()
        points = {number: {shown(entrant): won for entrant, won in of.items()} for number, of in found.points.items()}
        ranking, before = (tuple(replace(at, entrant=shown(at.entrant)) for at in of) for of in (found.ranking, found.before))
        return EventStandings(found.sessions, ranking, before, points, tuple(self.ranked(group) for group in found.groups))

    def correction(self, correction: Correction) -> Correction:
        return replace(correction, changes=tuple(replace(each, entrant=self.entrant(each.entrant)) for each in correction.changes))

    def reason(self, reason: str, recorded: frozenset[str]) -> str:
        """A sentence about results with shown names in place of the ``recorded`` players."""
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


@frozen
class SeatOfPlayer:
    """The player at a place of a session, 0 to 3 counter-clockwise; place 0 is East in the first hand."""

    session: int
    table: str
    place: int
    number: str
    name: str
    team: str


@frozen
class HandOfPlayer:
    """A player's hand of a released deal: the score that counts, null if none does, and the points."""

    deal: int
    session: int
    hand: int
    table: str
    seat: Seat
    score: int | None
    points: Fraction | None


@frozen
class PlayerCard:
    """A player's card: seats of all drawn sessions, hands of released deals, and the rank in the event (the team's in a team event)."""

    number: str
    name: str
    team: str
    withdrawn: bool
    seats: tuple[SeatOfPlayer, ...]
    hands: tuple[HandOfPlayer, ...]
    rank: int | None
    total: Fraction | None


@frozen
class ShownPlayers:
    """The players of a hall for one kind of viewer, without hands of sessions that are held back."""

    _hall: Hall
    _names: ShownNames
    _held_back: frozenset[int]

    def at_tables(self, session: int) -> dict[str, tuple[str, ...]]:
        """By table, the players at the places 0 to 3 in a session, in the order of the room; empty if it is not seated."""
        seats = self._hall.event.seats(session)
        tables = [table for table in self._hall.event.tables if table in seats]
        return {table: tuple(self._names.player(player) for player in seats[table]) for table in tables}

    def name(self, number: str) -> str:
        return self._names.player(number)

    def numbers(self) -> dict[str, str]:
        """Each player's number by the shown text."""
        return {self._names.player(number): number for number in self._hall.event.players}

    def seats(self, session: int) -> tuple[SeatOfPlayer, ...]:
        """Everybody's seat in a session, in the order of names."""
        return tuple(sorted(self._seats(session), key=lambda seat: natural(seat.name)))

    def card(self, number: str) -> PlayerCard | None:
        """A player's card; None for an unknown number."""
        event = self._hall.event
        if number not in event.players:
            return None
        drawn = [seat for session in sorted(event.seatings) for seat in self._seats(session) if seat.number == number]
        team = event.team_of(number) or ""
        entrant = team or number
        standings = self._hall.standings(self._held_back)
        standing = next((each for each in standings.ranking if each.entrant == entrant), None)
        rank, total = (None, None) if standing is None else (standing.rank, standing.total)
        return PlayerCard(
            number, self._names.player(number), team, entrant in event.withdrawn, tuple(drawn), tuple(self._hands(number)), rank, total
        )

    def _seats(self, session: int) -> Iterator[SeatOfPlayer]:
        event = self._hall.event
        for table, players in event.seats(session).items():
            for place, number in enumerate(players):
                yield SeatOfPlayer(session, table, place, number, self._names.player(number), event.team_of(number) or "")

    def _played(self, number: str) -> Iterator[tuple[HandSummary, Seat]]:
        """The player's closed hands of released deals, with the seat in each."""
        for hand in self._hall.hands():
            seat = next((seat for seat, player in hand.names.items() if player == number), None)
            if seat is not None and hand.closed and self._hall.session_of(hand.n) not in self._held_back:
                yield hand, seat

    def _hands(self, number: str) -> Iterator[HandOfPlayer]:
        standings = self._hall.standings(self._held_back)
        for hand, seat in self._played(number):
            counted = result_after_rulings(hand)
            score = None if counted is None else counted.scores[seat]
            session = self._hall.session_of(hand.n)
            yield HandOfPlayer(hand.n, session, hand.hand, hand.table, seat, score, standings.points_of(hand.n).get(number))

    def met(self, number: str) -> dict[str, object]:
        """Everybody who shared a table with a player, the most frequent first: hands together, and how often each won on the other's tile;
        and how many hands the player won by self-draw."""
        hands, won, lost = Counter[str](), Counter[str](), Counter[str]()
        self_drawn = 0
        for hand, seat in self._played(number):
            hands.update(player for other, player in hand.names.items() if other is not seat)
            for winner, source in zip(hand.winners, hand.sources, strict=True):
                self_drawn += winner is seat and source is None
                if source is not None and winner is seat:
                    won[hand.names[source]] += 1
                elif source is seat:
                    lost[hand.names[winner]] += 1
        players = [
            {"name": self._names.player(number), "hands": hands[number], "won": won[number], "lost": lost[number]}
            for number in sorted(hands, key=lambda number: (-hands[number], natural(number)))
        ]
        return {"players": players, "self_drawn": self_drawn}
