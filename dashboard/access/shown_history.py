"""History of a table or a player, for the staff. It has rulings, calls, substitutions, absences and withdrawals, the newest first. Rulings
on an unreleased deal are class T: a referee who has opened that table sees them, others after release. Results that a director holds back
are left out."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from msgspec import structs

from dashboard.access.shown_names import ShownNames
from twinwall.event.hands import HandSummary
from twinwall.event.management.changes import EntrantAbsent, EntrantPresent, EntrantWithdrawn, SubstituteSeated
from twinwall.event.results import GivenRuling, revoked_among, rulings_of
from twinwall.event.store.hall import Hall
from twinwall.event.store.staff_calls import Call
from twinwall.event.store.store_contents import ManagementStep
from twinwall.values import frozen


@frozen
class RulingInHistory:
    """A ruling on a hand of a table; ``revoked`` if a later one revokes it."""

    at: datetime
    table: str
    session: int
    hand: int
    given: GivenRuling
    revoked: bool


HistoryEntry = RulingInHistory | Call | ManagementStep
"""A director's change has the shown names of players and entrants."""


@frozen
class ShownHistory:
    """What has happened at tables and to players, for one member of staff, without results of ``hidden`` sessions."""

    _hall: Hall
    _names: ShownNames
    _steps: Sequence[ManagementStep]
    _hidden: frozenset[int]

    def of_table(self, table: str, *, opened: bool) -> tuple[HistoryEntry, ...]:
        """What has happened at a table; ``opened`` if the viewer is a referee who has opened it."""
        hands = self._hall.hands(as_referee_of=table if opened else None)
        rulings = self._rulings(hand for hand in hands if hand.table == table)
        calls = (call for call in self._hall.calls() if call.table == table)
        here = {player for session in self._hall.event.seatings for player in self._hall.event.seats(session).get(table, ())}
        return _newest_first([*rulings, *calls, *self._substitutions(here)])

    def of_player(self, number: str) -> tuple[HistoryEntry, ...]:
        """What has happened to a player: rulings on his hands, substitutions, and his entrant's absences and withdrawals."""
        rulings = self._rulings(hand for hand in self._hall.hands() if number in hand.names.values())
        entrant = self._hall.event.team_of(number) or number
        return _newest_first([*rulings, *self._substitutions({number}), *self._leavings(entrant)])

    def _rulings(self, hands: Iterable[HandSummary]) -> Iterator[RulingInHistory]:
        for hand in hands:
            session = self._hall.session_of(hand.n)
            if session in self._hidden:
                continue
            given = rulings_of(hand)
            revoked = revoked_among(given)
            for each in given:
                yield RulingInHistory(each.at, hand.table, session, hand.hand, each, each.ruling.identity in revoked)

    def _substitutions(self, players: set[str]) -> Iterator[ManagementStep]:
        for step in self._steps:
            match step.change:
                case SubstituteSeated(_, player, substitute) if {player, substitute} & players:
                    shown = {"player": self._names.player(player), "substitute": self._names.player(substitute)}
                    yield structs.replace(step, change=structs.replace(step.change, **shown))

    def _leavings(self, entrant: str) -> Iterator[ManagementStep]:
        for step in self._steps:
            match step.change:
                case EntrantWithdrawn(who) | EntrantAbsent(who) | EntrantPresent(who) if who == entrant:
                    yield structs.replace(step, change=structs.replace(step.change, entrant=self._names.entrant(entrant)))


def _newest_first(entries: Sequence[HistoryEntry]) -> tuple[HistoryEntry, ...]:
    return tuple(sorted(entries, key=lambda entry: entry.at, reverse=True))
