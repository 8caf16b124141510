"""Players as one kind of viewer may see them: where each sits, and what each has played of the released deals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from dashboard.access.shown_names import ShownNames
from twinwall.event.hands import HandSummary
from twinwall.event.natural_order import natural
from twinwall.event.result_rulings import verdict
from twinwall.event.store.hall import Hall
from twinwall.game.tiles import Seat


@dataclass(frozen=True, slots=True)
class SeatOfPlayer:
    """Who sits at a place of a session, 0 to 3 counter-clockwise; place 0 is East in the first hand."""

    session: int
    table: str
    place: int
    number: str
    name: str
    team: str


@dataclass(frozen=True, slots=True)
class HandOfPlayer:
    """A hand of a released deal that a player played: the score that counts, null where none does, and what it brought."""

    deal: int
    session: int
    hand: int
    table: str
    seat: Seat
    score: int | None
    points: Fraction | None


@dataclass(frozen=True, slots=True)
class Opponent:
    """Somebody whom a player met: in how many hands, how often each won on the other's tile."""

    number: str
    name: str
    hands: int
    won: int
    lost: int


@dataclass(frozen=True, slots=True)
class MetPlayers:
    """Everybody whom a player met, those met most often first, and how many hands the player won with a tile of the own wall."""

    players: tuple[Opponent, ...]
    self_drawn: int


@dataclass(frozen=True, slots=True)
class PlayerCard:
    """A player's card: seats of all sessions that are drawn, hands of released deals, and the rank in the event (a team's in a team
    event)."""

    number: str
    name: str
    team: str
    withdrawn: bool
    seats: tuple[SeatOfPlayer, ...]
    hands: tuple[HandOfPlayer, ...]
    rank: int | None
    total: Fraction | None


class ShownPlayers:
    """The players of a hall for one kind of viewer; of sessions whose results are held back (``hidden``) no hands are shown."""

    def __init__(self, hall: Hall, names: ShownNames, hidden: frozenset[int]) -> None:
        self._hall, self._names, self._hidden = hall, names, hidden

    def at_tables(self, session: int) -> dict[str, tuple[str, ...]]:
        """Who sits at the places 0 to 3 of each table in a session, in the order of the room; empty where that is not drawn."""
        seats = self._hall.event.seats(session)
        tables = [table for table in self._hall.event.tables if table in seats]
        return {table: tuple(self._names.player(player) for player in seats[table]) for table in tables}

    def name(self, number: str) -> str:
        """What stands for a player."""
        return self._names.player(number)

    def numbers(self) -> dict[str, str]:
        """The number of each player by what stands for him."""
        return {self._names.player(number): number for number in self._hall.event.players}

    def seats(self, session: int) -> tuple[SeatOfPlayer, ...]:
        """Everybody who sits in a session, in the order of the names."""
        return tuple(sorted(self._seats(session), key=lambda seat: natural(seat.name)))

    def card(self, number: str) -> PlayerCard | None:
        """A player; None for a number that is not in the event."""
        event = self._hall.event
        if number not in event.players:
            return None
        drawn = [seat for session in sorted(event.seatings) for seat in self._seats(session) if seat.number == number]
        team = event.team_of(number) or ""
        entrant = team or number
        standings = self._hall.standings(self._hidden)
        standing = next((each for each in standings.ranking if each.entrant == entrant), None)
        rank, total = (None, None) if standing is None else (standing.rank, standing.total)
        return PlayerCard(
            number,
            self._names.player(number),
            team,
            entrant in event.withdrawn,
            tuple(drawn),
            tuple(self._hands(number)),
            rank,
            total,
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
            if seat is not None and hand.closed and self._hall.session_of(hand.n) not in self._hidden:
                yield hand, seat

    def _hands(self, number: str) -> Iterator[HandOfPlayer]:
        standings = self._hall.standings(self._hidden)
        for hand, seat in self._played(number):
            counted = verdict(hand)
            score = None if counted is None else counted.scores[seat]
            session = self._hall.session_of(hand.n)
            yield HandOfPlayer(hand.n, session, hand.hand, hand.table, seat, score, standings.points_of(hand.n).get(number))

    def met(self, number: str) -> MetPlayers:
        """Everybody who sat at a table with a player, and who won on whose tile."""
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
        met = (Opponent(number, self._names.player(number), count, won[number], lost[number]) for number, count in hands.items())
        return MetPlayers(tuple(sorted(met, key=lambda each: (-each.hands, natural(each.number)))), self_drawn)
