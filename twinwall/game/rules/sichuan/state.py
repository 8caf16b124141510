"""What anybody sees of a hand of Sichuan beyond rivers and melds: who has won and left, and which kongs were made.

Wins are judged when the hands are shown at its end, so a win is kept as it was declared, with all that the table knew of it then.
"""

from collections.abc import Iterator

from twinwall.game.melds import visible_tiles
from twinwall.game.play import PlayState
from twinwall.game.play_events import Meld, MeldType
from twinwall.game.tiles import SEATS, Seat, Tile
from twinwall.values import FrozenStruct

MOST_WINNERS = 3


class DeclaredWin(FrozenStruct):
    """A win whose seat has left play."""

    seat: Seat
    source: Seat | None
    """Whose discard (or robbed kong) it was; None when self-drawn."""
    tile: Tile
    melds: tuple[Meld, ...]
    """The seat's melds in the order in which they last changed."""
    flags: frozenset[str]
    finished: frozenset[Seat]
    """Who had left before the tile came."""
    has_tile: bool
    """Whether the winning tile lies here: of several winners on one tile, at the first."""
    stands: bool = True
    """False once the shown hand did not win, or its seat was ruled dead."""


class KongMade(FrozenStruct):
    """A kong that earns a bonus at the end of the hand (下雨, 刮風)."""

    seat: Seat
    type: MeldType
    source: Seat | None
    """Who fed it (直槓); None for the other kinds."""
    finished: frozenset[Seat]
    """Who had left when it was made."""
    late: bool
    """Whether the tile was added later than it was drawn."""
    handed_to: tuple[Seat, ...] = ()
    """Who won on the discard after it, in the order of declaration."""


class SichuanState(PlayState):
    """The public state of a hand of Sichuan."""

    wins: tuple[DeclaredWin, ...] = ()
    """In the order of declaration."""
    kongs: tuple[KongMade, ...] = ()
    """In the order made; one that was robbed was none."""
    chain: int = 0
    """How many of the last kongs ``turn`` has made since the turn came to it: its discard follows them."""
    won_here: int = 0
    """How many have won on the tile now in question."""

    @property
    def gone(self) -> frozenset[Seat]:
        """The seats that have declared a win and left play."""
        return frozenset(win.seat for win in self.wins)

    @property
    def gone_before(self) -> frozenset[Seat]:
        """The seats that had left before the tile now in question."""
        return frozenset(win.seat for win in self.wins[: len(self.wins) - self.won_here])

    @property
    def standing(self) -> tuple[DeclaredWin, ...]:
        """The wins that have not turned out false."""
        return tuple(win for win in self.wins if win.stands)

    @property
    def live_draws(self) -> int:
        """How many tiles the seats in play have left to draw (those that win on the tile in question are still counted)."""
        gone = self.gone_before
        return sum(self.seat(seat).draws_left for seat in SEATS if seat not in gone)

    def win_of(self, seat: Seat) -> DeclaredWin | None:
        """The seat's declared win."""
        return next((win for win in self.wins if win.seat is seat), None)

    def next_in_play(self, seat: Seat) -> Seat:
        """The next seat counter-clockwise that is still in play."""
        gone, following = self.gone, seat.next
        while following in gone:
            following = following.next
        return following

    def to_show(self) -> Seat | None:
        """Who lays its hand open next once play is over: winners in the order of their wins, then the others from East."""
        order = [*(win.seat for win in self.wins), *(seat for seat in SEATS if seat not in self.gone)]
        return next((seat for seat in order if self.seat(seat).shown is None), None)


def of_sichuan(state: PlayState) -> SichuanState:
    """The state as these rules made it; any other is a defect of the caller."""
    assert isinstance(state, SichuanState), f"a state of {state.rules} was given to the rules of Sichuan"
    return state


def seen_tiles(state: SichuanState) -> Iterator[Tile]:
    """Every tile whose kind all know: rivers, melds with concealed kongs (one of whose tiles lies face up), winning tiles."""
    yield from visible_tiles(state, concealed_kongs=True)
    yield from (win.tile for win in state.wins if win.has_tile)
