"""What players see of their own table on a seat's page: who must enter or confirm a score, and the score. All of it is visible at the table
(class P and T). Names are as everybody sees them."""

from enum import StrEnum

from msgspec import structs

from dashboard.access.seats_shown import SeatsShown
from dashboard.access.shown_names import ShownNames
from dashboard.access.viewer_scope import ViewerScope
from dashboard.projections.hall_views import HallViews, Level, ViewerChannel
from dashboard.projections.table_view import HandView, Preparation, TableView, shown_hand
from twinwall.event.store.hall import Hall
from twinwall.event.store.staff_calls import CallKind
from twinwall.game.play import Phase
from twinwall.game.play_events import EndReason
from twinwall.game.tiles import Seat, seat_at
from twinwall.values import frozen
from twinwall.wire.messages.ruling import Ruling


class SeatTask(StrEnum):
    """What the seat's page asks for now."""

    WAITING = "waiting"
    """No hand is at the table."""
    SHEETS = "sheets"
    """At a table without cameras walls are built from sheets; any of the four reports when they stand."""
    PLAYING = "playing"
    RESULT = "result"
    """At a table without cameras the hand is in play, and any of the four enters its result."""
    ENTER = "enter"
    """This player enters the score."""
    AWAITED = "awaited"
    """Another player enters it."""
    CONFIRM = "confirm"
    """Another player has entered it, and this one may confirm it."""
    ENTERED = "entered"
    """This player has entered it, and another one must confirm it."""
    HALTED = "halted"
    """Play waits for the referee."""
    RECORDED = "recorded"


@frozen
class TableAtSeat:
    """A table as its player sees it. ``hand`` is the one in play, with names; the seat ``by`` enters its score.

    - ruling: the texts of the last ruling on this hand, by language.
    - on_the_way: a person has answered the call.
    - called, called_by_table: who has called the referee, this seat or the table itself.
    - deal: the number of the deal at the table.
    - halted: why play waits for the referee.
    """

    table: str
    place: int
    wind: Seat
    number: int
    player: str
    task: SeatTask
    hand: HandView | None
    by: Seat | None
    may_call: bool
    called: bool
    on_the_way: bool
    ruling: dict[str, str] | None
    check: SeatsShown | None
    silent: bool
    deal: int | None = None
    halted: str | None = None
    called_by_table: bool = False


class SeatScope(ViewerScope):
    """What a player sees at a seat. It changes with every event at that table."""

    def __init__(self, views: HallViews, results: Hall, table: str, place: int, names: ShownNames) -> None:
        super().__init__(views, results, ViewerChannel(Level.TABLE, table), names)
        self.place = place

    @property
    def staff(self) -> bool:
        return False

    def at_seat(self) -> TableAtSeat | None:
        """The table now; None if it no longer exists."""
        status = self._views.table(self.channel.table)
        if status is None:
            return None
        view, check = status.view, self.seat_check(status.name)
        number = view.deal.hand if view.deal is not None and view.raised else 1 if view.hand is None else view.hand.number
        wind = seat_at(self.place, number)
        hand, by = shown_hand(view), None
        if hand is not None:
            by = hand.proposal.seat if hand.proposal is not None else _enters(hand)
            hand = structs.replace(hand, names={seat: self._names.player(player) for seat, player in hand.names.items()})
        player = "" if check is None else check.seats[self.place].player
        if not player and view.hand is not None:
            player = view.hand.names.get(seat_at(self.place, view.hand.number), "")
        return TableAtSeat(
            status.name,
            self.place,
            wind,
            number,
            player,
            _task(view, hand, wind, by),
            hand,
            by,
            view.deal_at_table is not None,
            wind in view.called,
            self._taken_up(),
            _ruling(view),
            check,
            status.silent,
            view.deal_at_table,
            view.halted,
            bool(view.called_by_table),
        )

    def at_seat_after(self, before: TableAtSeat | None) -> TableAtSeat | None:
        """The table once it differs from ``before``, or after about two seconds."""
        return self._once_changed(self.channel, self.at_seat, before)

    def name(self, player: str) -> str:
        """A player's name as everybody sees it."""
        return self._names.player(player)

    def _taken_up(self) -> bool:
        """Whether somebody has answered this table's call for the referee."""
        calls = (call for call in self._hall.calls() if call.table == self.channel.table and call.is_open)
        return any(call.kind is CallKind.REFEREE and call.acknowledged is not None for call in calls)


def _task(view: TableView, hand: HandView | None, wind: Seat, by: Seat | None) -> SeatTask:
    if hand is None:
        sheets = view.deal is not None and view.deal.preparation is Preparation.SHEETS
        return SeatTask.SHEETS if sheets else SeatTask.WAITING
    if hand.ended is not None or hand.payments is not None:
        return SeatTask.RECORDED
    if view.halted is not None or view.fouled is not None:
        return SeatTask.HALTED
    if by is None:
        return SeatTask.RESULT if hand.paper else SeatTask.PLAYING
    if hand.proposal is not None:
        return SeatTask.ENTERED if by is wind else SeatTask.CONFIRM
    return SeatTask.ENTER if by is wind else SeatTask.AWAITED


def _enters(hand: HandView) -> Seat | None:
    """Who enters the score of a finished hand: the first valid winner, or East if there is none; None during play."""
    if hand.play is None or hand.rules is None:
        return None
    permissions = hand.rules.permissions(hand.play)
    if permissions.turn_up is not None:
        return None
    if permissions.ended is EndReason.DRAWN:
        return Seat.EAST
    if hand.play.phase is not Phase.SHOW or permissions.show is not None:
        return None
    return next((shown.seat for shown in hand.shown if hand.play.seat(shown.seat).shown is not None), None)


def _ruling(view: TableView) -> dict[str, str] | None:
    ruling = next((event.body for event in reversed(view.rulings) if isinstance(event.body, Ruling)), None)
    return None if ruling is None or ruling.n != view.deal_at_table else dict(ruling.texts)
