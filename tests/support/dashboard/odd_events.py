"""Events that have something odd, at every stage: substitutes, phantoms, sit-outs, absence, withdrawal, rulings, one table, no result."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from hypothesis import strategies as st

from dashboard.access.staff_schema import Role
from tests.support.dashboard.desks import MemoryDesk
from tests.support.dashboard.hall import OPEN, Hall, addresses
from tests.support.event.managed import at
from tests.support.event.sessions import Play, hand_lines, paid, ruling
from tests.support.wire.streams import Line
from twinwall.art.names import LANGUAGES
from twinwall.event.management.changes import (
    Announced,
    ClocksPaused,
    EnteredPlayer,
    EnteredTeam,
    EntrantAbsent,
    EntrantsEntered,
    EntrantWithdrawn,
    EventChange,
    EventDescribed,
    ResultsHeld,
    SeatedGroup,
    SessionEnded,
    SessionSeated,
    SessionStarted,
    SubstituteSeated,
    TablesChosen,
)
from twinwall.event.player_names import NamesShown
from twinwall.game.deals import SEED_SIZE, Seed, Start, StartedPlan, commit, plan_sessions
from twinwall.game.play_events import EndReason, HandEnded, Offence, PenaltyRuled, ResultExcluded, SeatsExchanged
from twinwall.game.tiles import SEATS, Seat
from twinwall.wire.messages.ruling import Effect

RULINGS: dict[str, Effect] = {
    "penalty": PenaltyRuled(Seat.SOUTH, Offence.CONDUCT, 2, 8),
    "excluded": ResultExcluded(),
    "annulled": HandEnded(EndReason.ANNULLED, dict.fromkeys(SEATS, 0)),
    "adjusted": HandEnded(EndReason.RULED, dict(zip(SEATS, (24, -8, -8, -8), strict=True))),
    "exchanged": SeatsExchanged(Seat.EAST, Seat.WEST),
}
_PLAN = plan_sessions("Autumn", "mcr-duplicate", sessions=2, hands=2, holders=["server"], public="noon")
STARTED = StartedPlan(_PLAN, Start(_PLAN.digest, commit(_PLAN, {"server": Seed(bytes(range(SEED_SIZE)))}).root, "noon"))
Stage = Literal["described", "entered", "seated", "started", "played", "released", "second session", "second released"]
STAGES: tuple[Stage, ...] = ("described", "entered", "seated", "started", "played", "released", "second session", "second released")


@dataclass(frozen=True)
class OddEvent:
    """What is odd; ``lacking`` entrants are replaced by substitutes or phantom teams, ``sitting_out`` ones have no seat."""

    team: bool = False
    points: Literal["imp", "rank", "cross-imp"] = "imp"
    names: Literal["full", "initials", "number"] = "full"
    tables: int = 4
    lacking: int = 0
    sitting_out: bool = False
    stage: Stage = "released"
    stands_in: bool = False
    withdrawn: bool = False
    absent: bool = False
    silent: int = 0
    """Tables whose hand is not over though the deal is released: they were withdrawn."""
    entered: bool = False
    rulings: tuple[str, ...] = ()
    late: bool = False
    held: bool = False
    announced: bool = False
    planned: bool = False
    """Its deals come from a plan whose start is public."""
    role: Role | None = None
    """Who asks for its pages beside a visitor; None is a director who is a referee too."""
    language: str = "en"

    def reaches(self, stage: Stage) -> bool:
        return STAGES.index(self.stage) >= STAGES.index(stage)

    @property
    def names_of_tables(self) -> tuple[str, ...]:
        return tuple(str(number) for number in range(1, self.tables + 1))

    def seating(self, session: int) -> SessionSeated:
        """Player 4t + s sits at table t, place (s + session) mod 4; of four tables, so that every group is a Latin square of teams."""
        groups = []
        for first in range(0, self.tables, 4):
            tables = range(first, min(first + 4, self.tables))
            rows = []
            for t in tables:
                places = range(4)
                if self.team:
                    rows.append([4 * (first + (place - (t - first)) % 4) + t - first + 1 for place in places])
                else:
                    rows.append([4 * t + (place + session) % 4 + 1 for place in places])
            seated = tuple(at(str(t + 1), *map(str, row)) for t, row in zip(tables, rows, strict=True))
            groups.append(SeatedGroup(str(first // 4 + 1), seated, tuple(f"T{t + 1}" for t in tables) if self.team else ()))
        return SessionSeated(session, tuple(groups), (self.outsider,) if self.sitting_out else ())

    @property
    def outsider(self) -> str:
        return f"T{self.tables + 1}" if self.team else str(4 * self.tables + 1)

    def preparation(self) -> Iterator[EventChange]:
        """The changes up to the start of the first session."""
        yield EventDescribed(
            "team" if self.team else "individual", "mcr-duplicate", sessions=2, hands=2, points=self.points, names=self.names
        )
        if self.reaches("entered"):
            seats, teams = 4 * self.tables, self.tables + self.sitting_out
            spare = range(seats - self.lacking + 1, seats + 1)
            players = [EnteredPlayer(str(n), substitute=not self.team and n in spare) for n in range(1, 4 * (self.tables + 1) + 3)]
            numbers = (tuple(str(4 * t + i) for i in range(1, 5)) for t in range(teams))
            of_teams = (
                EnteredTeam(f"T{t + 1}", (*four, *[self.stand_in] * (t == 0)), phantom=self.tables - self.lacking <= t < self.tables)
                for t, four in enumerate(numbers)
            )
            yield EntrantsEntered(tuple(players[: None if self.team else seats + 2]), tuple(of_teams) if self.team else ())
            yield TablesChosen(self.names_of_tables)
        if self.reaches("seated"):
            yield self.seating(1)
        if self.reaches("started"):
            yield SessionStarted(1)

    def evening(self) -> Iterator[EventChange]:
        """The changes after the start."""
        if self.announced and self.reaches("entered"):
            yield Announced({"en": "Lunch at noon"})
        if self.stands_in and self.reaches("played"):
            yield SubstituteSeated(1, "1", self.stand_in, "ill")
        if self.held and self.reaches("started"):
            yield ResultsHeld(1)
        if self.reaches("second session"):
            yield SessionEnded(1)
            if self.withdrawn:
                yield EntrantWithdrawn("T1" if self.team else "3", 2, "left")
            if self.absent:
                yield EntrantAbsent("T2" if self.team else "6", 2, "ill")
            if self.second_is_played:
                yield from (self.seating(2), SessionStarted(2), ClocksPaused())

    @property
    def second_is_played(self) -> bool:
        return self.reaches("second session") and not self.withdrawn and not self.absent

    def ledger(self, table: str) -> Iterator[Line]:
        """A table's lines: two hands of the first session and one of the second; deal 2 is not over at ``silent`` tables."""
        hands = [(1, 1), (1, 2)] if self.reaches("played") else []
        for session, hand in [*hands, *[(2, 1)] * self.second_is_played]:
            n = 2 * (session - 1) + hand
            if int(table) > self.tables - self.silent and n == 2:
                continue
            yield from hand_lines(self._play(n, session, hand, table))
            if table == "1" and not self.late:
                yield from (ruling(f"early {n} {kind}", n, RULINGS[kind], why=f"for {kind}") for kind in self.rulings)
            if self.reaches("released" if session == 1 else "second released"):
                yield "deal-released", {"n": n}
        if table == "1" and self.late and self.reaches("released"):
            yield from (ruling(f"late {kind}", 1, RULINGS[kind], why=f"for {kind}") for kind in self.rulings)

    def _play(self, n: int, session: int, hand: int, table: str) -> Play:
        number = int(table) - 1
        scores = paid((number + n) % 4, 8 + number, None if number % 2 else (number + n + 1) % 4) if number != 1 else (0, 0, 0, 0)
        players = next(row.players for group in self.seating(session).groups for row in group.tables if row.table == table)
        instead = {"1": self.stand_in} if self.stands_in and n == 2 else {}
        sitting = [instead.get(player, player) for player in players]
        return Play(n, session, hand, table, sitting, scores, "entered" if self.entered else "")

    @property
    def stand_in(self) -> str:
        return str(4 * (self.tables + 1) + 1) if self.team else str(4 * self.tables + 2)


def odd_hall(odd: OddEvent, names: Path | None = None) -> Hall:
    """The event before its pages; ``names`` is its names file."""
    hall = Hall(
        settings=replace(OPEN, public_names=NamesShown(odd.names), names=names),
        desk=MemoryDesk(custody=STARTED if odd.planned else None),
        write_pdf=lambda html: html.encode(),
    )
    hall.manage(*odd.preparation(), *odd.evening())
    for table in odd.names_of_tables:
        script = list(odd.ledger(table))
        if script:
            hall.feed(script, table)
    if odd.reaches("released"):
        hall.release(1)
        hall.release(2)
    if odd.second_is_played and odd.reaches("second released"):
        hall.release(3, 2, 1)
    return hall


PARTS = {
    "standings": ("?session=1", "?session=1&group=1", "?session=2"),
    "projector": ("?session=1", "?session=2"),
    "events": ("?page=standings", "?page=standings&session=1", "?page=projector", "?page=calls", "?page=machines", "?table=1", "?deal=1"),
    "seats": ("?session=1", "?session=2"),
    "print_standings": ("?session=1",),
    "event_seating": ("?session=1", "?session=2", "?session=3"),
    "decisions": ("?player=1",),
}
"""Further addresses of a page, by its endpoint."""


def addresses_asked(hall: Hall, odd: OddEvent) -> Iterator[str]:
    """Every address that answers GET, of deals, players and teams that are there, and of some that are not."""
    for n, number in ((1, "1"), (2, str(4 * odd.tables)), (3, odd.stand_in)):
        values = {"n": str(n), "number": number, "name": "1", "kind": "record", "place": "0"}
        values |= {"event_player.name": number, "event_team.name": f"T{n}"}
        for endpoint, address in addresses(hall.app, values).items():
            yield address
            if n == 1:
                yield from (address + part for part in PARTS.get(endpoint, ()))


_POINTS: st.SearchStrategy[Literal["imp", "rank", "cross-imp"]] = st.sampled_from(("imp", "rank", "cross-imp"))
_NAMES: st.SearchStrategy[Literal["full", "initials", "number"]] = st.sampled_from(("full", "initials", "number"))


def _odd(*, team: bool) -> st.SearchStrategy[OddEvent]:
    """Teams come in fours, are named in full and have no result that was only entered."""
    return st.builds(
        OddEvent,
        team=st.just(team),
        points=_POINTS,
        names=st.just("full") if team else _NAMES,
        tables=st.sampled_from((4, 8) if team else (1, 2, 4, 8)),
        lacking=st.integers(0, 3),
        sitting_out=st.booleans(),
        stage=st.sampled_from(STAGES),
        stands_in=st.booleans(),
        withdrawn=st.booleans(),
        absent=st.booleans(),
        silent=st.integers(0, 1),
        entered=st.just(False) if team else st.booleans(),
        rulings=st.lists(st.sampled_from(tuple(RULINGS)), max_size=3, unique=True).map(tuple),
        late=st.booleans(),
        held=st.booleans(),
        announced=st.just(False) if team else st.booleans(),
        planned=st.booleans(),
        role=st.sampled_from((None, *Role)),
        language=st.sampled_from(LANGUAGES),
    )


ODD_EVENTS: st.SearchStrategy[OddEvent] = _odd(team=False) | _odd(team=True)
