"""One hand as anybody at the table sees it: events, public state, and what a rule set must answer.

Nothing here is concealed. ``PlayState`` is the fold of the play events and holds rivers, melds,
draws left and whose turn it is; concealed tiles are known only through the deal (``concealed`` in
``record``). A rule set is a value with the methods of ``RuleSet``; the controller obeys its
``permissions`` and contains no rule of play itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol, Self

from twinwall.game.documents import Fields
from twinwall.game.payments import Payment
from twinwall.game.rulings import HandRuledDead, PenaltyRuled, ResultExcluded
from twinwall.game.tiles import Seat, Tile

if TYPE_CHECKING:
    from twinwall.game.witness import Witness


class MeldType(StrEnum):
    """What a meld is and how it was made."""

    CHOW = "chow"
    PUNG = "pung"
    KONG = "kong"
    ADDED_KONG = "added_kong"
    CONCEALED_KONG = "concealed_kong"


@dataclass(frozen=True, slots=True)
class Meld:
    """Tiles laid open (or a concealed kong); ``source`` is the seat whose discard was claimed, None for a concealed kong.

    A concealed kong that lies face down has no ``tiles``: nobody but its owner knows its kind.
    """

    type: MeldType
    tiles: tuple[Tile, ...]
    source: Seat | None

    @property
    def face_down(self) -> bool:
        """Whether it is a concealed kong whose tiles have not been turned up."""
        return self.type is MeldType.CONCEALED_KONG and not self.tiles


class Claim(StrEnum):
    """What a seat may call on another seat's discard (or on an added kong)."""

    CHOW = "chow"
    PUNG = "pung"
    KONG = "kong"
    WIN = "win"


class EndReason(StrEnum):
    """Why a hand is over."""

    WON = "won"
    DRAWN = "drawn"
    RULED = "ruled"
    """The referee ended it with the scores that he adjudged, which then are whole: no penalty is added to them."""
    ANNULLED = "annulled"
    """The referee ended it without a result: all scores are 0, and it does not count in the comparison."""


RULED_ENDS = (EndReason.RULED, EndReason.ANNULLED)
"""How a hand ends by a ruling."""


# Play events: their names on the wire are the kebab-case class names (``tile-drawn`` …).


@dataclass(frozen=True, slots=True)
class TileDrawn:
    """A seat took its next tile from its own wall; ``from_end``: the last one instead, as the replacement of a kong where the rules
    want it so."""

    seat: Seat
    from_end: bool = False


@dataclass(frozen=True, slots=True)
class TileDiscarded:
    """A seat laid a tile into its river; ``riichi``: sideways, and so declared that its hand is ready, where the rules know that."""

    seat: Seat
    tile: Tile
    riichi: bool = False


@dataclass(frozen=True, slots=True)
class Claimed:
    """A seat exposed a chow, pung or kong made with the last discard (``meld.source``)."""

    seat: Seat
    meld: Meld


@dataclass(frozen=True, slots=True)
class KongDeclared:
    """A seat declared a kong at its own turn: it added the fourth tile to its pung, or laid four tiles face down (then
    ``meld.tiles`` is empty, or their kind where it is known). ``meld.source`` is None: an added kong has its pung's.

    ``late``: whether a tile was added that the seat had before this turn's draw, where the rules ask for it.
    """

    seat: Seat
    meld: Meld
    late: bool = False


@dataclass(frozen=True, slots=True)
class ClaimsPassed:
    """The claim window on the last discard closed and nobody claimed (wire name ``passed``)."""


@dataclass(frozen=True, slots=True)
class WinDeclared:
    """A seat declared a win: on the last discard of ``source``, or self-drawn (None; tile then None until shown)."""

    seat: Seat
    source: Seat | None
    tile: Tile | None


@dataclass(frozen=True, slots=True)
class HandShown:
    """The declared winner laid its concealed tiles open; ``concealed`` excludes the winning tile, which is ``winning``.

    ``kongs`` names the kind of each of its concealed kongs that lay face down and was turned up, in the order made.
    """

    seat: Seat
    concealed: tuple[Tile, ...]
    winning: Tile
    kongs: tuple[Tile, ...] = ()


@dataclass(frozen=True, slots=True)
class HandLaidOpen:
    """A seat that has not won laid its concealed tiles open at the end of a hand, where the rules ask for it."""

    seat: Seat
    concealed: tuple[Tile, ...]


@dataclass(frozen=True, slots=True)
class WinRefused:
    """The shown hand does not win (reason of ``Score``); play goes on or the referee rules."""

    seat: Seat
    reason: str


@dataclass(frozen=True, slots=True)
class SharedTileTurned:
    """A tile that belongs to no seat was turned up, such as a dora indicator; ``place`` counts from 0 in the deal's ``rest``."""

    place: int
    tile: Tile


@dataclass(frozen=True, slots=True)
class HandEnded:
    """The hand is over; ``scores`` are zero-sum where the rules say so (those that a referee adjudged need not be)."""

    reason: EndReason
    scores: Mapping[Seat, int]


PlayEvent = (
    TileDrawn
    | TileDiscarded
    | Claimed
    | KongDeclared
    | ClaimsPassed
    | WinDeclared
    | HandShown
    | HandLaidOpen
    | WinRefused
    | HandRuledDead
    | PenaltyRuled
    | ResultExcluded
    | SharedTileTurned
    | HandEnded
)


@dataclass(frozen=True, slots=True)
class RiverTile:
    """A discard where it was laid; ``claimed_by`` is set when another seat took it (its place stays empty)."""

    tile: Tile
    claimed_by: Seat | None = None
    riichi: bool = False
    """Whether it lies sideways, since it declared riichi."""


@dataclass(frozen=True, slots=True)
class SeatState:
    """What anybody sees of one seat."""

    draws_left: int
    river: tuple[RiverTile, ...] = ()
    melds: tuple[Meld, ...] = ()
    shown: tuple[Tile, ...] | None = None
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


@dataclass(frozen=True, slots=True)
class PlayState:
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

    def seat(self, seat: Seat) -> SeatState:
        """What is seen of one seat."""
        return self.seats[seat.index]

    def with_seat(self, seat: Seat, changed: SeatState) -> Self:
        """The same state with what is seen of one seat changed."""
        east, south, west, north = (changed if index == seat.index else own for index, own in enumerate(self.seats))
        return replace(self, seats=(east, south, west, north))


@dataclass(frozen=True, slots=True)
class Permissions:
    """What the rules allow next. It depends on the public state alone: nothing concealed can be told from it."""

    draw: Seat | None = None
    from_end: bool = False
    """Whether ``draw`` takes the last tile of its wall."""
    discard: Seat | None = None
    win: Seat | None = None
    """Who may declare a self-drawn win now."""
    kong: Seat | None = None
    """Who may declare a kong at its own turn now."""
    riichi: Seat | None = None
    """Who may declare with its discard that its hand is ready, where the rules know that."""
    claims: Mapping[Seat, frozenset[Claim]] | None = None
    """In a claim window: what each other seat may press. While a hand that was won on a discard lies open, who may yet win on it too.
    Beside ``draw``: what the seat whose turn it is may claim instead of drawing, where the rules let claims wait for the own turn."""
    show: Seat | None = None
    face_up: bool = False
    """Whether these rules want at once what others leave to be shown: the tile of a self-drawn win, the kind of a concealed
    kong, and whether a kong is late."""
    left: frozenset[Seat] = frozenset()
    """Who has won and left play, where the others play on."""
    turn_up: int | None = None
    """The place of the deal's shared tiles that is to be turned up now; play does not wait for it."""
    ended: EndReason | None = None
    """Set when no further play is possible (the hand is drawn or won) though ``HandEnded`` is still to come."""


@dataclass(frozen=True, slots=True)
class Illegal:
    """Why an event is not allowed by the rules: one sentence for people, a stable word for programs."""

    reason: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Fan:
    """One scoring element of a won hand."""

    id: str
    name: str
    value: int
    count: int


@dataclass(frozen=True, slots=True)
class Win:
    """A hand that wins: its fans, their total, and what each seat gets (all four named)."""

    fans: tuple[Fan, ...]
    total: int
    payments: Mapping[Seat, int]
    fu: int | None = None
    """The points of the hand's form, where the rules count them beside the fans."""


@dataclass(frozen=True, slots=True)
class NoWin:
    """A hand that does not win, and the first reason that holds (``Scoring`` in the contracts)."""

    reason: str
    total: int = 0
    fans: tuple[Fan, ...] = ()


@dataclass(frozen=True, slots=True)
class WinningHand:
    """What scoring needs to know about a declared hand. ``concealed`` excludes the winning tile; ``source`` is None when self-drawn."""

    seat: Seat
    round: Seat
    concealed: tuple[Tile, ...]
    melds: tuple[Meld, ...]
    winning: Tile
    source: Seat | None
    flags: frozenset[str] = frozenset()


NO_SHARED_TILES: tuple[tuple[int, ...], ...] = ((), (), (), ())
"""The rows of shared tiles (``RuleSet.shared_rows``) where the walls are the whole set."""


class RuleSet(Protocol):
    """One rule set with its options already chosen (``twinwall.game.rules.rule_set(name, options)``)."""

    @property
    def name(self) -> str: ...
    @property
    def options(self) -> object:
        """The chosen options: a dataclass whose fields say what they decide (``twinwall.game.rules.options``)."""
        ...

    @property
    def tiles(self) -> tuple[Tile, ...]:
        """The whole set in canonical order, four of a kind together."""
        ...

    @property
    def zero_sum(self) -> bool:
        """Whether the four scores of every hand sum to zero."""
        ...

    @property
    def replaces_from_end(self) -> bool:
        """Whether a kong is replaced from the end of the wall: no table can give that tile out."""
        ...

    @property
    def shared_rows(self) -> tuple[tuple[int, ...], ...]:
        """The places of the deal's shared tiles in four rows, E S W N, from each of which tiles can be taken in its order alone: a tile
        stands in its row behind none that might be turned up later. Empty rows where the walls are the whole set."""
        ...

    def start(self) -> PlayState:
        """The state once all hands are taken and before East's first draw."""
        ...

    def permissions(self, state: PlayState) -> Permissions: ...

    def illegal(self, state: PlayState, event: PlayEvent) -> Illegal | None:
        """Why the event may not happen in this state, judged by what is public; None when it may."""
        ...

    def apply(self, state: PlayState, event: PlayEvent) -> PlayState:
        """The state after a legal event."""
        ...

    def priority(self, state: PlayState, claims: Mapping[Seat, Claim]) -> tuple[Seat, ...]:
        """The seats that pressed, the one whose claim stands first (later ones follow if it turns out false)."""
        ...

    def winning_hand(self, state: PlayState, shown: HandShown, round_wind: Seat) -> WinningHand:
        """What is to be scored after ``shown``, with the flags that the public state implies."""
        ...

    def read_hand(self, hand: WinningHand, fields: Fields) -> WinningHand:
        """The hand of a scoring request with what these rules alone ask for, taken from the request's remaining keys."""
        ...

    def score(self, hand: WinningHand) -> Win | NoWin: ...

    def payments(self, state: PlayState, wins: Mapping[Seat, Win]) -> tuple[Payment, ...]:
        """Who pays whom when the hand ends in ``state`` with ``wins`` (none in a drawn hand), penalties included; scores are the totals."""
        ...

    def witness(self, round_wind: Seat) -> Witness:
        """Somebody to look on while a hand of that round is replayed with its walls."""
        ...
