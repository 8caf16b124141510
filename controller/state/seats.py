"""State of the seat check: who is to sit where in this session, and who has said to sit there."""

from collections.abc import Mapping
from enum import StrEnum

from controller.state.setup import Setup
from twinwall.values import FrozenStruct

PLACES = range(4)


class SeatStage(StrEnum):
    """Where the seat check is."""

    NONE = "none"
    AWAITED = "awaited"
    CONFIRMED = "confirmed"


class Seats(FrozenStruct):
    """``players`` are to sit at the places of their order in this session; ``taken`` says who sits at which place, by the players' own
    word."""

    stage: SeatStage = SeatStage.NONE
    session: int = 0
    players: tuple[str, ...] = ()
    taken: Mapping[int, str] = {}

    @property
    def missing(self) -> frozenset[int]:
        """Places that no player has claimed."""
        return frozenset(place for place in PLACES if place not in self.taken)

    @property
    def wrong(self) -> frozenset[int]:
        """Places where somebody else sits."""
        return frozenset(place for place, player in self.taken.items() if player != self.players[place])


def may_begin(setup: Setup, seats: Seats, *, paused: bool) -> bool:
    """Whether a wall may rise and a hand start: the clock is not paused, and the players sit where they belong."""
    return not paused and not are_awaited(setup, seats)


def are_awaited(setup: Setup, seats: Seats) -> bool:
    """Whether a hand must not start yet: the players of this session have not all said to sit where they belong."""
    if not setup.seat_check:
        return False
    return seats.stage is not SeatStage.CONFIRMED or (seats.session, seats.players) != (setup.session, setup.names)
