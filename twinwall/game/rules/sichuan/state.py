"""The public state of a hand of Sichuan: also who has won and left, and which kongs were made. Wins are judged when hands are shown at the
end, so a declared win keeps what the table knew at the declaration."""

from collections.abc import Iterator

from twinwall.game.play import PlayState, visible_tiles
from twinwall.game.play_events import Meld, MeldType
from twinwall.game.tiles import SEATS, Seat, Tile
from twinwall.values import FrozenStruct

MOST_WINNERS = 3


class DeclaredWin(FrozenStruct):
    """A win whose seat has left play."""

    seat: Seat
    source: Seat | None
    """The seat of the discard or robbed kong; None when self-drawn."""
    tile: Tile
    melds: tuple[Meld, ...]
    """The seat's melds in the order of their last change."""
    flags: frozenset[str]
    finished: frozenset[Seat]
    """Seats that had left before this tile."""
    has_tile: bool
    """Whether the winning tile is here: the first of several winners on one tile has it."""
    stands: bool = True
    """False if the shown hand did not win, or its seat was ruled dead."""


class KongMade(FrozenStruct):
    """A kong that earns a bonus at the end of the hand (下雨, 刮風)."""

    seat: Seat
    type: MeldType
    source: Seat | None
    """The discarder (直槓); None for other kongs."""
    finished: frozenset[Seat]
    """Seats that had left when it was made."""
    late: bool
    """Whether the tile was added in a later turn than drawn."""
    handed_to: tuple[Seat, ...] = ()
    """Winners on the discard after it, in the order of declaration."""


class SichuanState(PlayState):
    wins: tuple[DeclaredWin, ...] = ()
    """In the order of declaration."""
    kongs: tuple[KongMade, ...] = ()
    """In the order made, without robbed ones."""
    chain: int = 0
    """How many of the last kongs ``turn`` made in this turn, before its discard."""
    won_here: int = 0
    """The number of wins on the current tile."""

    @property
    def gone(self) -> frozenset[Seat]:
        """Seats that have declared a win and left."""
        return frozenset(win.seat for win in self.wins)

    @property
    def gone_before(self) -> frozenset[Seat]:
        """Seats that had left before the current tile."""
        return frozenset(win.seat for win in self.wins[: len(self.wins) - self.won_here])

    @property
    def standing(self) -> tuple[DeclaredWin, ...]:
        """Wins that have not turned out false."""
        return tuple(win for win in self.wins if win.stands)

    @property
    def live_draws(self) -> int:
        """Draws left to the seats in play, including winners on the current tile."""
        gone = self.gone_before
        return sum(self.seat(seat).draws_left for seat in SEATS if seat not in gone)

    def win_of(self, seat: Seat) -> DeclaredWin | None:
        return next((win for win in self.wins if win.seat is seat), None)

    def next_in_play(self, seat: Seat) -> Seat:
        """The next seat counter-clockwise that is still in play."""
        gone, following = self.gone, seat.next
        while following in gone:
            following = following.next
        return following

    def to_show(self) -> Seat | None:
        """The next seat to show after play: winners in the order of their wins, then the others from East."""
        order = [*(win.seat for win in self.wins), *(seat for seat in SEATS if seat not in self.gone)]
        return next((seat for seat in order if self.seat(seat).shown is None), None)


def of_sichuan(state: PlayState) -> SichuanState:
    """The state as a SichuanState; any other is a defect of the caller."""
    assert isinstance(state, SichuanState), f"a state of {state.rules} was given to the rules of Sichuan"
    return state


def seen_tiles(state: SichuanState) -> Iterator[Tile]:
    """Every visible tile: rivers, melds with concealed kongs (which show one tile), and winning tiles."""
    yield from visible_tiles(state, concealed_kongs=True)
    yield from (win.tile for win in state.wins if win.has_tile)
