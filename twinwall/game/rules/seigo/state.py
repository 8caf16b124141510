"""The public state of a hand of Seigo: also turn number, riichi, claimable discards and indicators. Discards stay claimable until the
claimant's own turn (整合麻雀 改, rule 1), so the state knows which seats' last discards are still untaken."""

from collections.abc import Iterator
from typing import TypeVar

from msgspec.structs import replace

from twinwall.game.play import Phase, PlayState, visible_tiles
from twinwall.game.rules.seigo.scoring import INDICATORS
from twinwall.game.tiles import SEATS, Seat, Tile, TileRow

_FIRST_PLACE = 10
_STACK = 2
INDICATOR_PLACES = tuple(range(_FIRST_PLACE, _FIRST_PLACE - INDICATORS * _STACK, -_STACK))
"""The indicators' places among the twelve shared tiles: the upper tile of the last stack, then of the four before it. The tile below each
has the next place. The first two tiles are unused."""

SHARED_ROWS = ((10, 11, 9), (8, 2, 3), (6, 7, 0), (4, 5, 1))
"""The shared tiles in four rows, E S W N, each in the order in which it gives its tiles: an indicator is behind earlier indicators only,
and a tile below one behind tiles that are turned up whenever it is. Unused tiles are last."""

Value = TypeVar("Value")


class SeigoState(PlayState):
    """Tuples of four are indexed by ``Seat.index``."""

    turn_number: int = 1
    """1 to 18; it grows when East's turn comes."""
    takeable: frozenset[Seat] = frozenset()
    """Seats whose last discard the seat in turn may claim: made since its own last turn, not taken, not declaring riichi."""
    riichi: tuple[int | None, ...] = (None,) * len(SEATS)
    """The turn at which each seat declared riichi."""
    declaring: Seat | None = None
    """The seat that has just declared riichi, while its discard may be won on; its stick is not yet laid."""
    let_pass: tuple[frozenset[Tile], ...] = (frozenset(),) * len(SEATS)
    """Others' discards since each seat's last turn, or since its riichi: a wait among them is furiten."""
    barred: frozenset[Tile] = frozenset()
    """What ``turn`` may not discard after its claim (喰い替え)."""
    kongs: int = 0
    """The number of kongs made."""
    turned: TileRow = ()
    """The dora indicators turned up."""
    below: TileRow = ()
    """The tiles below them, turned up after a win in riichi."""

    def riichi_turn(self, seat: Seat) -> int | None:
        return self.riichi[seat.index]

    @property
    def turn_up(self) -> int | None:
        """The place of the indicator to turn up now."""
        if self.phase is Phase.ENDED:
            return None
        due = 1 + self.kongs
        if len(self.turned) < due:
            return INDICATOR_PLACES[len(self.turned)]
        is_due = self._riichi_to_show and len(self.below) < len(self.turned)
        return INDICATOR_PLACES[len(self.below)] + 1 if is_due else None

    @property
    def _riichi_to_show(self) -> bool:
        """Whether a hand in riichi is declared won and not yet shown."""
        winner = self.winner if self.phase is Phase.SHOW else None
        return winner is not None and self.seat(winner).shown is None and self.riichi_turn(winner) is not None


def of_seigo(state: PlayState) -> SeigoState:
    """The state as a SeigoState; any other is a defect of the caller."""
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
    """Every visible tile: rivers, melds with concealed kongs (which are shown), indicators."""
    yield from visible_tiles(state, concealed_kongs=True)
    yield from state.turned
    yield from state.below
