"""What one kind of viewer may see: the only source of pages, streams and downloads. ``dashboard.access.access_policy`` decides which scope
a viewer gets. A scope reads the views at the level of its channel, and only released results. It has no secrets of unreleased deals, so no
template can show them."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import TypeVar

from msgspec import structs

from dashboard.access.seats_shown import SeatsShown, seats_shown
from dashboard.access.session_progress import OpenTable, SessionProgress
from dashboard.access.shown_names import ShownNames, ShownPlayers
from dashboard.access.shown_results import ReleasedDeal, ShownResults
from dashboard.projections.hall_views import STAFF, HallViews, HallWait, Level, TableSnapshot, ViewerChannel
from dashboard.projections.table_view import SHOWN_CALLS
from twinwall.event.hands import HandSummary
from twinwall.event.management.changes import EntrantsEntered
from twinwall.event.management.managed_event import ManagedEvent, apply
from twinwall.event.store.hall import Hall
from twinwall.event.store.staff_calls import Call, DealProgress
from twinwall.event.store.store_contents import ManagementStep
from twinwall.game.deals.start import StartedPlan
from twinwall.game.tiles import Seat, seat_at
from twinwall.values import frozen
from twinwall.wire.messages.tile_question import AskedRecord, AskedTile, ShownCall, ShownViolation


@frozen
class EnteredAgain:
    """A change of entrants who had already sat; players appear by number and shown name."""

    at: datetime
    by: str
    entrants: tuple[str, ...]


def entered_again(steps: Iterable[ManagementStep], shown: Callable[[str], str]) -> Iterator[EnteredAgain]:
    """Yield the changes that entered somebody again who had already sat; ``shown`` is the shown name of a player."""
    event = ManagedEvent()
    for step in steps:
        if isinstance(step.change, EntrantsEntered):
            sat = {player for session in event.sessions for player in event.sat(session.number)}
            players = (_named(player.number, shown(player.number)) for player in step.change.players if player.number in sat)
            teams = (team.name for team in step.change.teams if sat & {*team.players})
            if named := (*teams, *players):
                yield EnteredAgain(step.at, step.by, named)
        event = apply(event, step.change)


def _named(number: str, name: str) -> str:
    return name if number in name.split() else f"{number} {name}"


_Seen = TypeVar("_Seen")
_LOOKS, LOOK_S = 20, 0.1
"""How often, and how far apart, a seat's page checks for a table's answer."""


@frozen
class UnreleasedDeal:
    """An unreleased deal: how many tables must finish it, and for staff which still have to. Without a plan (``planned`` False), as with
    imported walls, no slip can ever release it. In a field of many venues (``of_field``) the centre sends its slip."""

    n: int
    hand: int
    tables: int
    unfinished: tuple[str, ...] | None
    planned: bool = True
    of_field: bool = False


class ViewerScope:
    """What one kind of viewer may see of the hall. Equal channels see the same, so their pages are made once."""

    def __init__(
        self,
        views: HallViews,
        results: Hall,
        channel: ViewerChannel,
        names: ShownNames,
        *,
        sees_held: bool = False,
        steps: Callable[[], Sequence[ManagementStep]] = tuple,
    ) -> None:
        """``steps`` are the event's changes."""
        self._views = views
        self._steps = steps
        self._hall = results
        self._names = names
        self.channel = channel
        self.results = ShownResults(results, names, sees_held=sees_held)

    @property
    def boot(self) -> str:
        """The name of the dashboard's run and the level, for which sequence numbers are valid."""
        return f"{self._views.boot}.{self.channel.level.value}"

    @property
    def sequence(self) -> int:
        """The number of the last change that this viewer could notice."""
        self._names.look()
        return self._views.sequence(self.channel)

    @property
    def event(self) -> ManagedEvent:
        """The event as its directors have described it, with players as numbers."""
        return self._hall.event

    @property
    def players(self) -> ShownPlayers:
        """The event's players, their seats and hands."""
        return ShownPlayers(self._hall, self._names, self.results.hidden())

    def entered_again(self) -> tuple[EnteredAgain, ...]:
        """Who was entered again after having sat in a session."""
        return tuple(entered_again(self._steps(), self._names.player))

    @property
    def event_name(self) -> str:
        return self._hall.programme.event

    def seat_check(self, name: str) -> SeatsShown | None:
        """The seat check of a table, for a person there; None if the table has none."""
        status = self._views.table(name)
        seats = None if status is None else status.staff.seats
        return None if status is None or seats is None else seats_shown(status, self._hall.event.seats(seats.session), self._names)

    def seat_check_after(self, name: str, before: SeatsShown) -> SeatsShown | None:
        """The seat check once it differs from ``before``, or after about two seconds."""
        return self._once_changed(STAFF, partial(self.seat_check, name), before)

    def _once_changed(self, channel: ViewerChannel, look: Callable[[], _Seen | None], before: _Seen | None) -> _Seen | None:
        """What ``look`` sees once it differs from ``before``, or after about two seconds."""
        for _ in range(_LOOKS):
            sequence = self._views.sequence(channel)
            if look() != before:
                break
            self._views.wait_beyond(channel, sequence, LOOK_S)
        return look()

    @property
    def progress(self) -> SessionProgress:
        """The progress of the session in play, or the last one."""
        return SessionProgress(self._hall, self.tables, staff=self.staff)

    @property
    def connected(self) -> bool:
        return self._views.connected

    @property
    def staff(self) -> bool:
        return self.channel.level is not Level.EVERYBODY

    def wait_beyond(self, sequence: int, timeout_s: float) -> int:
        """Wait for a change after ``sequence`` that this viewer could notice, or for the timeout."""
        self._names.look()
        return self._views.wait_beyond(self.channel, sequence, timeout_s)

    def tables(self) -> tuple[OpenTable, ...]:
        shown = self._names.shown()
        return tuple(self._open(status, shown) for status in self._views.tables())

    def table(self, name: str) -> OpenTable | None:
        """One table; None for an unknown name."""
        status = self._views.table(name)
        return None if status is None else self._open(status, self._names.shown())

    def calls(self) -> tuple[Call, ...]:
        """The open calls, for staff; only the table's own page shows which seat called."""
        return tuple(replace(call, seat=None) for call in self._hall.calls() if call.is_open) if self.staff else ()

    def calls_with_pictures(self) -> tuple[Call, ...]:
        """For referees only: the open calls with pictures: of violations that await a ruling, or of the table's own calls. What was
        violated is on the table's own page."""
        if not self.staff:
            return ()
        views = [(status.name, status.view) for status in self._views.tables()]
        shown: set[tuple[str, Seat | None]] = {(table, violation.seat) for table, view in views for violation in view.violated}
        shown |= {(table, None) for table, view in views if SHOWN_CALLS.intersection(view.called_by_table)}
        calls = (call for call in self._hall.calls() if call.is_open)
        return tuple(replace(call, seat=None) for call in calls if (call.table, call.seat) in shown)

    def notices(self) -> Mapping[str, datetime]:
        """Messages from a centre of many venues to the staff."""
        return self._views.notices if self.staff else {}

    def waits(self) -> tuple[HallWait, ...]:
        """What waits for a person of the staff, besides the tables' calls."""
        return self._views.waits if self.staff else ()

    def started(self) -> StartedPlan | None:
        """The plan with its start, for checking deals; None in a rehearsal."""
        return self._hall.programme.custody

    def released(self) -> tuple[int, ...]:
        """The deals that every table has finished, in order."""
        return self._hall.released_deals()

    def deal(self, n: int) -> ReleasedDeal | UnreleasedDeal | None:
        """A deal, complete once it is released; None if it has not begun."""
        released = self.results.deal(n)
        if released is not None:
            return released
        state = self._hall.deal(n, for_officials=self.staff)
        hand = next((number for table in self.tables() for m, number in _deals(table) if m == n), None)
        if hand is None:
            return None
        unfinished = tuple(table.table for table in state.tables if table.progress is not DealProgress.FINISHED)
        started = self.started()
        of_field = started is not None and started.plan.field is not None
        return UnreleasedDeal(n, hand, len(state.tables), unfinished if self.staff else None, started is not None, of_field)

    def _open(self, status: TableSnapshot, shown: Callable[[str], str]) -> OpenTable:
        view = status.staff if self.staff else status.public.view
        if view.hand is not None:
            names = {seat: shown(player) for seat, player in view.hand.names.items()}
            released = view.hand.released or self._hall.released(view.hand.n) is not None
            view = replace(view, hand=replace(view.hand, names=names, released=released))
        if not self.staff:
            return OpenTable(status.name, view, status.heard, status.silent)
        return OpenTable(
            status.name, view, status.heard, status.silent, status.complained, status.feeder_line, status.machine, status.clock_off
        )


class TableScope(ViewerScope):
    """What a referee sees of the table that he has opened: everything."""

    def __init__(self, views: HallViews, results: Hall, table: str, names: ShownNames, *, sees_held: bool = False) -> None:
        super().__init__(views, results, ViewerChannel(Level.TABLE, table), names, sees_held=sees_held)

    def play(self) -> TableSnapshot:
        status = self._views.table(self.channel.table)
        if status is None:
            raise LookupError(f"table {self.channel.table!r} was there and is gone")
        if status.view.hand is None:
            return status
        names = {seat: self._names.player(player) for seat, player in status.view.hand.names.items()}
        return replace(status, view=structs.replace(status.view, hand=structs.replace(status.view.hand, names=names)))

    def seated(self, hand: int) -> Mapping[Seat, str]:
        """The players by seat in a hand of the last session begun; empty if no seats were drawn."""
        event = self._hall.event
        players = event.seats(event.sessions[-1].number).get(self.channel.table, ()) if event.sessions else ()
        return {seat_at(place, hand): self._names.player(player) for place, player in enumerate(players)}

    @property
    def question(self) -> AskedTile | None:
        """The tile that the table asks about now, with pictures of its slot."""
        return self.play().question

    def pictures_of(self, n: int, number: int, seat: Seat | None = None) -> AskedRecord | None:
        """Pictures of an event in doubt, or of a seat's possible violation before it; None if it has sent none."""
        of = n, number, None if seat is None else seat.value
        return next((asked for asked in self.play().asked_records if (asked.n, asked.number, asked.seat) == of), None)

    def pictures_of_violation(self, n: int, seat: str, what: str) -> ShownViolation | None:
        """Pictures of the place of a violation in this hand; None if the table has sent none."""
        shown = self.play().shown_violations
        return next((each for each in shown if (each.n, each.seat, each.what) == (n, seat, what)), None)

    def picture_of_call(self, n: int, about: str) -> ShownCall | None:
        """The picture of the table's own call in this hand; None if it has sent none."""
        return next((each for each in self.play().shown_calls if (each.n, each.about) == (n, about)), None)

    def names_a_player(self, text: str) -> bool:
        """Whether a text for the ledger contains a player's name, which no ledger may have."""
        return self._names.named_in(text)

    def closed_hands(self) -> tuple[HandSummary, ...]:
        """The finished hands at this table, by deal."""
        table = self.channel.table
        hands = self._hall.hands(as_referee_of=table)
        return tuple(self._names.hand(hand) for hand in hands if hand.table == table and hand.closed)

    def session_of(self, n: int) -> int:
        return self._hall.session_of(n)

    def hand(self, n: int) -> HandSummary | None:
        """The hand of deal ``n`` here, finished or not; None if there is none."""
        hand = self._hall.hand(self.channel.table, n, as_referee_of=self.channel.table)
        return None if hand is None else self._names.hand(hand)

    def earlier_hand(self, n: int) -> HandSummary | None:
        """The hand of deal ``n``, if it is over and no longer on the table."""
        here = self.play().view.deal_at_table
        return next((hand for hand in self.closed_hands() if hand.n == n != here), None)


def _deals(table: OpenTable) -> tuple[tuple[int, int], ...]:
    """The deals that a table is known to have, each with its hand of the session."""
    wall, hand = table.view.wall, table.view.hand
    return (() if wall is None else ((wall.n, wall.hand),)) + (() if hand is None else ((hand.n, hand.number),))
