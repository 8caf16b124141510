"""Seat check of a table as anybody there may see it: whose seats they are and who claims to sit there; nothing of the play."""

from collections.abc import Mapping
from enum import StrEnum

from dashboard.access.shown_names import ShownNames
from dashboard.projections.hall_views import TableSnapshot
from dashboard.projections.open_view import OpenView
from twinwall.game.tiles import Seat, seat_at
from twinwall.values import frozen


class Sitting(StrEnum):
    """Whether the right player has reported at a place."""

    MISSING = "missing"
    RIGHT = "right"
    WRONG = "wrong"


@frozen
class SeatPlace:
    """A place of the room: a table, and the place there with its wind."""

    table: str
    place: int
    wind: Seat


@frozen
class SeatShown:
    """A place of the table: its player, and the player who claims to sit there (empty: none). ``belongs`` is the claiming player's own
    seat, None if this one is right or none was drawn for the player."""

    here: SeatPlace
    player: str
    name: str
    sitting: Sitting
    says: str = ""
    says_name: str = ""
    belongs: SeatPlace | None = None


@frozen
class SeatsShown:
    """The four places of a table with a seat check; ``open`` until the hand starts."""

    table: str
    session: int
    seats: tuple[SeatShown, ...]
    open: bool
    confirmed: bool
    silent: bool


def seats_shown(status: TableSnapshot, drawn: Mapping[str, tuple[str, ...]], names: ShownNames) -> SeatsShown | None:
    """The seat check of a table, or None if it has none; ``drawn`` are each table's players in this session."""
    seats, view = status.staff.seats, status.staff
    if seats is None:
        return None
    own = {player: (table, place) for table, players in drawn.items() for place, player in enumerate(players)}
    own |= {player: (status.name, place) for place, player in enumerate(seats.players)}
    hand = view.hand_number or 1

    def shown(place: int) -> SeatShown:
        player, says = seats.players[place], seats.taken.get(place, "")
        here = SeatPlace(status.name, place, seat_at(place, hand))
        if not says:
            return SeatShown(here, player, names.player(player), Sitting.MISSING)
        sitting = Sitting.RIGHT if says == player else Sitting.WRONG
        table, own_place = own.get(says, (status.name, place))
        belongs = None if says not in own or sitting is Sitting.RIGHT else SeatPlace(table, own_place, seat_at(own_place, hand))
        return SeatShown(here, player, names.player(player), sitting, says, names.player(says), belongs)

    return SeatsShown(status.name, seats.session, tuple(map(shown, range(4))), _takes_answers(view), seats.confirmed, status.silent)


def _takes_answers(view: OpenView) -> bool:
    """Whether no hand has started since the players were asked."""
    seats, hand = view.seats, view.hand
    return seats is not None and not view.playing and (not seats.confirmed or hand is None or hand.started < seats.since)
