"""What anybody sees of a hand of Seigo beyond rivers and melds: the turn, riichi, which discards may yet be claimed, indicators.

Discards wait in the rivers to be claimed at the claimant's own turn (整合麻雀 改, rule 1), so the state
says of each seat whether its last turn left a tile there that is still untaken.
"""

from collections.abc import Iterator
from typing import TypeVar

from msgspec.structs import replace

from twinwall.game.melds import visible_tiles
from twinwall.game.play import Phase, PlayState
from twinwall.game.rules.seigo.scoring import INDICATORS
from twinwall.game.tiles import SEATS, Seat, Tile, TileRow

_FIRST_PLACE = 10
_STACK = 2
INDICATOR_PLACES = tuple(range(_FIRST_PLACE, _FIRST_PLACE - INDICATORS * _STACK, -_STACK))
"""Where the indicators lie among the twelve shared tiles: the upper tile of the last stack, then of the four before it; the
tile after each is the one below it. The first two tiles are unused."""

SHARED_ROWS = ((10, 11, 9), (8, 2, 3), (6, 7, 0), (4, 5, 1))
"""The shared tiles as they stand in four rows, E S W N, that give their tiles one after the other: an indicator stands behind
indicators turned up before it, a tile below one behind what is turned up whenever it is. The unused ones stand last."""

Value = TypeVar("Value")


class SeigoState(PlayState):
    """The public state of a hand of Seigo; tuples of four are indexed by ``Seat.index``."""

    turn_number: int = 1
    """The turn, 1 to 18, that ``turn`` has; it grows when East's turn comes."""
    takeable: frozenset[Seat] = frozenset()
    """The seats whose last discard may be claimed by whose turn it is: made since its own last turn, not taken, not for riichi."""
    riichi: tuple[int | None, ...] = (None,) * len(SEATS)
    """The turn at which each seat declared riichi."""
    declaring: Seat | None = None
    """Who has just declared riichi, as long as its discard may be won on: it has not yet laid its stick."""
    let_pass: tuple[frozenset[Tile], ...] = (frozenset(),) * len(SEATS)
    """What others discarded since each seat's last turn; in riichi, since then: a wait among them is furiten."""
    barred: frozenset[Tile] = frozenset()
    """What ``turn`` may not discard, since it would undo the claim just made (喰い替え)."""
    kongs: int = 0
    """How many kongs stand."""
    turned: TileRow = ()
    """The dora indicators turned up."""
    below: TileRow = ()
    """The tiles below them, turned up when a hand in riichi has won."""

    def riichi_turn(self, seat: Seat) -> int | None:
        """The turn at which a seat declared riichi; None where it has not."""
        return self.riichi[seat.index]

    @property
    def turn_up(self) -> int | None:
        """The place of the indicator that is to be turned up now."""
        if self.phase is Phase.ENDED:
            return None
        due = 1 + self.kongs
        if len(self.turned) < due:
            return INDICATOR_PLACES[len(self.turned)]
        is_due = self._riichi_to_show and len(self.below) < len(self.turned)
        return INDICATOR_PLACES[len(self.below)] + 1 if is_due else None

    @property
    def _riichi_to_show(self) -> bool:
        """Whether a hand in riichi has been declared won and does not yet lie open."""
        winner = self.winner if self.phase is Phase.SHOW else None
        return winner is not None and self.seat(winner).shown is None and self.riichi_turn(winner) is not None


def of_seigo(state: PlayState) -> SeigoState:
    """The state as these rules made it; any other is a defect of the caller."""
    assert isinstance(state, SeigoState), f"a state of {state.rules} was given to the rules of Seigo"
    return state


def changed(values: tuple[Value, ...], seat: Seat, value: Value) -> tuple[Value, ...]:
    """A tuple by seat with one seat's value changed."""
    return tuple(value if index == seat.index else old for index, old in enumerate(values))


def with_let_pass(state: SeigoState, tile: Tile) -> SeigoState:
    """The others have let a discard (or a tile added to a kong) of ``turn`` pass."""
    let_pass = tuple(tiles if index == state.turn.index else tiles | {tile} for index, tiles in enumerate(state.let_pass))
    return replace(state, let_pass=let_pass)


def seen_tiles(state: SeigoState) -> Iterator[Tile]:
    """Every tile whose kind all know: rivers, melds with concealed kongs (which are shown), indicators."""
    yield from visible_tiles(state, concealed_kongs=True)
    yield from state.turned
    yield from state.below
