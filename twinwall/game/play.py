"""The public state of one hand, as anybody at the table sees it: rivers, melds, draws left and whose turn it is.

A rule set folds the play events (``play_events``) into a ``PlayState``. It holds nothing concealed: concealed tiles are known
only through the deal (``held``). States are msgspec structs: each event makes a changed copy, and a struct is copied in less than a
tenth of the time that a dataclass takes.
"""

from enum import StrEnum
from typing import Self

from msgspec.structs import replace

from twinwall.game.play_events import HandEnded, Meld, PenaltyRuled
from twinwall.game.tiles import Seat, Tile, TileRow
from twinwall.values import FrozenStruct


class RiverTile(FrozenStruct):
    """A discard where it was laid; ``claimed_by`` is set when another seat took it (its place stays empty)."""

    tile: Tile
    claimed_by: Seat | None = None
    riichi: bool = False
    """Whether it lies sideways, since it declared riichi."""


class SeatState(FrozenStruct):
    """What anybody sees of one seat."""

    draws_left: int
    river: tuple[RiverTile, ...] = ()
    melds: tuple[Meld, ...] = ()
    shown: TileRow | None = None
    dead: bool = False
    """Whether the hand was ruled dead."""
    gaps: tuple[int, ...] = ()
    """Places of the river, from 0, that stay empty because nothing was discarded at that turn, where the rules ask for it."""

    @property
    def next_place(self) -> int:
        """The place of the river, from 0, where the next discard is laid."""
        return len(self.river) + len(self.gaps)

    def place_of(self, discard: int) -> int:
        """The place of the river where a discard lies; ``discard`` is its index in ``river``."""
        place = discard
        for gap in self.gaps:
            place += gap <= place
        return place


class Phase(StrEnum):
    """What the table waits for."""

    DRAW = "draw"
    """``turn`` may draw."""
    DISCARD = "discard"
    """``turn`` has drawn or claimed and must discard (or declare a win or a kong, when it drew)."""
    CLAIMS = "claims"
    """``turn`` has discarded ``last_discard``, or added it to a pung; the others may claim until the window closes."""
    SHOW = "show"
    """``winner`` has declared and must show the hand."""
    ENDED = "ended"


class PlayState(FrozenStruct):
    """The public state of one hand; ``seats`` is indexed by ``Seat.index``."""

    rules: str
    seats: tuple[SeatState, SeatState, SeatState, SeatState]
    phase: Phase
    turn: Seat
    last_discard: Tile | None = None
    """The tile that may be claimed, or was last: a discard, or the fourth tile of an added kong (``robbing``)."""
    drew: bool = False
    """Whether ``turn`` holds a tile drawn this turn (so a self-drawn win may be declared)."""
    after_kong: bool = False
    """Whether ``turn`` has made a kong since the turn came to it: it draws, or has drawn, the replacement."""
    robbing: bool = False
    """Whether what may be claimed was added to a kong and not discarded: it can only be won on."""
    winner: Seat | None = None
    """Who declared a win last; where several may win on one tile, those before have ``shown`` their hands."""
    final_lap_from: Seat | None = None
    """The seat whose wall ran out first (end rule ``lap``)."""
    lap_turns: int = 0
    """How many seats play has moved on since ``final_lap_from`` drew its last tile; a claim counts the seats it skips."""
    refused: frozenset[Seat] = frozenset()
    """Seats whose declared win on the tile now in question was refused: they may not call on it again."""
    penalties: tuple[PenaltyRuled, ...] = ()
    """What was ruled against seats of this hand, in order."""
    excluded: bool = False
    """Whether the result was ruled to be left out of the comparison."""
    ended: HandEnded | None = None

    @classmethod
    def beginning(cls, rules: str, draws: int) -> Self:
        """All hands are taken, each wall has this many draws, East to draw."""
        seat = SeatState(draws_left=draws)
        return cls(rules=rules, seats=(seat, seat, seat, seat), phase=Phase.DRAW, turn=Seat.EAST)

    @property
    def turn_taken(self) -> bool:
        """Whether anything of play has happened: a draw, a discard or a meld."""
        return self.drew or self.phase is not Phase.DRAW or any(seat.river or seat.melds for seat in self.seats)

    def seat(self, seat: Seat) -> SeatState:
        """What is seen of one seat."""
        return self.seats[seat.index]

    def with_seat(self, seat: Seat, changed: SeatState) -> Self:
        """The same state with what is seen of one seat changed."""
        east, south, west, north = (changed if index == seat.index else own for index, own in enumerate(self.seats))
        return replace(self, seats=(east, south, west, north))
