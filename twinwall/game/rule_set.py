"""The interface of a rule set: what is allowed next, what an event changes, what a hand is worth and who pays.

The controller obeys ``RuleSet.permissions`` and contains no rule of play itself. The rule sets stand in ``twinwall.game.rules``.

The form of a hand that is to be scored, its flags and its tiles are checked in the same way in every rule set. A hand that is written
wrongly (a meld that fits no type, flags that contradict each other) is the caller's error. That a hand does not win is an answer, and left
to the rule set.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import ClassVar, Protocol

from twinwall.game.documents import DocumentError
from twinwall.game.melds import form_error
from twinwall.game.play import PlayState
from twinwall.game.play_events import Claim, EndReason, HandShown, Meld, MeldType, Payment, PlayEvent
from twinwall.game.tiles import Seat, Tile, TileRow
from twinwall.game.typed_json import Count
from twinwall.game.walls import HAND_SIZE, WallLayout
from twinwall.values import FrozenStruct, frozen


class Permissions(FrozenStruct):
    """What the rules allow next. It depends on the public state alone: it reveals nothing concealed.

    It is made for every event that is judged, and a struct is made in a quarter of a dataclass's time.
    """

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
    """Whether these rules want at once what others leave to be shown: the tile of a self-drawn win, and the kind of a concealed kong."""
    late_kongs: bool = False
    """Whether it counts that a tile is added to a pung later than in the turn it was drawn. Where it does not, it is not announced."""
    left: frozenset[Seat] = frozenset()
    """Who has won and left play, where the others play on."""
    turn_up: int | None = None
    """The place of the deal's shared tiles that is to be turned up now; play does not wait for it."""
    ended: EndReason | None = None
    """Set when no further play is possible (the hand is drawn or won) though ``HandEnded`` is still to come."""

    def following(self, seat: Seat) -> Seat:
        """Who draws after a seat: those who have left play are passed over."""
        after = seat.next
        while after in self.left and after is not seat:
            after = after.next
        return after


@frozen
class Illegal:
    """Why an event is not allowed by the rules: one sentence for people, a stable word for programs."""

    reason: str
    sentence: str


@frozen
class Fan:
    """One scoring element of a won hand."""

    id: str
    name: str
    value: Count
    count: Count


@frozen
class Win:
    """A hand that wins: its fans, their total, and what each seat gets (all four named)."""

    fans: tuple[Fan, ...]
    total: int
    payments: Mapping[Seat, int]
    fu: int | None = None
    """The points of the hand's form, where the rules count them beside the fans."""


@frozen
class NoWin:
    """A hand that does not win, and the first reason that holds (``Scoring`` in the contracts)."""

    reason: str
    total: int = 0
    fans: tuple[Fan, ...] = ()


@frozen
class WinningHand:
    """What scoring needs to know about a declared hand. ``concealed`` excludes the winning tile; ``source`` is None when self-drawn."""

    KEYS: ClassVar = {"source": "from"}

    seat: Seat
    round: Seat
    concealed: TileRow
    melds: tuple[Meld, ...]
    winning: Tile
    source: Seat | None
    flags: frozenset[str] = frozenset()

    def known_tiles(self) -> TileRow:
        """All tiles that are known to be different ones of the set."""
        return (*self.concealed, self.winning, *(tile for meld in self.melds for tile in meld.tiles))


@frozen
class SlipField:
    """What a score slip asks of each winner beside the tile's source and the score: a short word in each language of the pages."""

    english: str
    chinese: str
    japanese: str


Hands = Mapping[Seat, TileRow]
"""What each seat conceals, in the order of its wall: a tile drawn last stands last."""


class Witness:
    """Looks on while one hand is replayed with its walls, and sees what at the table may not matter: duties and wins that depend on
    concealed tiles. This one is that of rules whose every duty lies open."""

    def objection(self, state: PlayState, event: PlayEvent, hands: Hands) -> Illegal | None:
        """Why an event that all can see to be legal breaks a duty; ``state`` and ``hands`` are those before it."""

    def see(self, state: PlayState, event: PlayEvent, hands: Hands) -> None:
        """Take note of an event that stands; ``state`` and ``hands`` are those before it."""


NO_SHARED_TILES: tuple[tuple[int, ...], ...] = ((), (), (), ())
"""The rows of shared tiles (``RuleSet.shared_rows``) where the walls are the whole set."""

_CLAIM_RANK = {Claim.WIN: 0, Claim.KONG: 1, Claim.PUNG: 1, Claim.CHOW: 2}


class RuleSet(Protocol):
    """One rule set with its options already chosen (``twinwall.game.rules.rule_set(name, options)``).

    What most rule sets have in common is the default here, so that a rule set says only what is its own.
    """

    name: ClassVar[str]
    """Its name, which is also that of its folder (there with ``_`` for ``-``)."""
    options: object
    """The chosen options: a dataclass whose fields say what they decide (``twinwall.game.rules.option_form``)."""
    hand_form: ClassVar[type[WinningHand]] = WinningHand
    """The hand that a scoring request is read into: what these rules alone ask for are its further fields."""
    walls: ClassVar[WallLayout] = WallLayout()
    """Its tiles, and how many of them make one seat's wall; the same whatever the options."""
    chows: ClassVar[bool] = True
    """Whether a discard can be claimed for a run at all."""
    declares_riichi: ClassVar[bool] = False
    """Whether a seat can declare that its hand is ready."""
    shared_rows: ClassVar[tuple[tuple[int, ...], ...]] = NO_SHARED_TILES
    """The places of the deal's shared tiles in four rows, E S W N, from each of which tiles can be taken in its order alone: a tile
    stands in its row behind none that might be turned up later. Empty rows where the walls are the whole set."""

    slip: ClassVar[tuple[SlipField, ...]] = (SlipField("Points", "分", "点"),)
    """What a printed score slip asks of each winner, in its order."""

    @property
    def tiles(self) -> TileRow:
        """The whole set in canonical order, four of a kind together."""
        return self.walls.tiles

    @property
    def zero_sum(self) -> bool:
        """Whether the four scores of every hand sum to zero."""
        return True

    @property
    def usual_most(self) -> int:
        """The most that a seat gains or pays in a hand but for the rarest: a larger number needs a second confirmation."""
        return 1000

    @property
    def replaces_from_end(self) -> bool:
        """Whether a kong is replaced from the end of the wall: no table can give that tile out."""
        return False

    def start(self) -> PlayState:
        """The state once all hands are taken and before East's first draw."""
        return PlayState.beginning(self.name, self.walls.draws)

    def permissions(self, state: PlayState) -> Permissions:
        """What may happen next."""

    def illegal(self, state: PlayState, event: PlayEvent) -> Illegal | None:
        """Why the event may not happen in this state, judged by what is public; None when it may."""

    def apply(self, state: PlayState, event: PlayEvent) -> PlayState:
        """The state after a legal event."""

    def priority(self, state: PlayState, claims: Mapping[Seat, Claim]) -> tuple[Seat, ...]:
        """The seats whose press is allowed, the one whose claim stands first (later ones follow if it turns out false).

        A win goes before a pung or kong, these before a chow; among equals the nearest in turn order.
        """
        allowed = self.permissions(state).claims or {}
        heard = [seat for seat, claim in claims.items() if claim in allowed.get(seat, frozenset())]
        return tuple(sorted(heard, key=lambda seat: (_CLAIM_RANK[claims[seat]], state.turn.turns_until(seat))))

    def winning_hand(self, state: PlayState, shown: HandShown, round_wind: Seat) -> WinningHand:
        """What is to be scored after ``shown``, with the flags that the public state implies."""

    def score(self, hand: WinningHand) -> Win | NoWin:
        """Judge a hand and pay it; raises DocumentError when it is written wrongly."""

    def worth(self, fan: Fan) -> int:
        """What a fan is worth in a total as often as it counts: fans are added up."""
        return fan.value * fan.count

    def payments(self, state: PlayState, wins: Mapping[Seat, Win]) -> tuple[Payment, ...]:
        """Who pays whom when the hand ends in ``state`` with ``wins`` (none in a drawn hand), penalties included; scores are the totals."""

    def entered_payments(
        self,
        winner: Seat,  # noqa: ARG002 - most rules need more than this
        source: Seat | None,  # noqa: ARG002
        total: int,  # noqa: ARG002
    ) -> Mapping[Seat, int] | Illegal | None:
        """What a win pays of which its winner, who discarded (None: self-drawn) and its worth alone are known, or why it cannot be.

        None where that does not tell the payments: then people enter the four scores.
        """
        return None

    def witness(self, round_wind: Seat) -> Witness:  # noqa: ARG002 - most rules have no such duty
        """Somebody to look on while a hand of that round is replayed with its walls."""
        return Witness()


LAST_DRAW = "last_draw"
LAST_DISCARD = "last_discard"
KONG_REPLACEMENT = "kong_replacement"
ROBBING_KONG = "robbing_kong"
LAST_OF_KIND = "last_of_kind"
AFTER_KONG_DISCARD = "after_kong_discard"

FLAGS = frozenset({LAST_DRAW, LAST_DISCARD, KONG_REPLACEMENT, ROBBING_KONG, LAST_OF_KIND, AFTER_KONG_DISCARD})
"""Flags that every rule set knows (contracts, "Scoring"); what they are worth is on its page."""

_DRAW_FLAGS = frozenset({LAST_DRAW, KONG_REPLACEMENT})
_DISCARD_FLAGS = frozenset({LAST_DISCARD, ROBBING_KONG, AFTER_KONG_DISCARD})

IMPOSSIBLE_TILES, NOT_ALLOWED, NOT_A_WIN, BELOW_MINIMUM = "impossible-tiles", "not-allowed", "not-a-win", "below-minimum"
"""Why a hand does not win (contracts, "Scoring"), in the order in which they are asked."""


def check_hand(hand: WinningHand, known_flags: frozenset[str] = FLAGS) -> None:
    """Refuse a hand that is written wrongly; raises DocumentError."""
    if hand.source is hand.seat:
        raise DocumentError(f"{hand.seat.value} cannot win on its own discard")
    for meld in hand.melds:
        problem = form_error(meld)
        if problem is not None:
            raise DocumentError(f"a meld is not written right: {problem}")
        if (meld.type is MeldType.CONCEALED_KONG) != (meld.source is None):
            raise DocumentError("a concealed kong has no source, any other meld has one")
        if meld.source is hand.seat:
            raise DocumentError(f"{hand.seat.value} cannot claim its own discard")
    if hand.flags:
        _check_flags(hand, known_flags)


def misfit(hand: WinningHand, tiles: Iterable[Tile]) -> str | None:
    """Which tile of a hand cannot be there, or which count is wrong, where the set is ``tiles``; None where all may be."""
    whole = Counter(tiles)
    for tile, count in sorted(Counter(hand.known_tiles()).items()):
        if count > whole[tile]:
            return f"{tile.text} is there {count} times, the set has {whole[tile] or 'none'}"
    wanted = HAND_SIZE - 3 * len(hand.melds)
    if len(hand.concealed) == wanted:
        return None
    melds = f"{len(hand.melds)} meld{'' if len(hand.melds) == 1 else 's'}"
    return f"there are {len(hand.concealed)} concealed tiles beside {melds}, there must be {wanted} without the winning one"


def _check_flags(hand: WinningHand, known_flags: frozenset[str]) -> None:
    unknown = sorted(hand.flags - known_flags)
    if unknown:
        raise DocumentError(f"the flag {unknown[0]!r} is not known; known are {', '.join(sorted(known_flags))}")
    contradicting = sorted(hand.flags & (_DISCARD_FLAGS if hand.source is None else _DRAW_FLAGS))
    if contradicting:
        raise DocumentError(
            f"the flag {contradicting[0]!r} does not go with {'a self-draw' if hand.source is None else 'a win on a discard'}"
        )
    if KONG_REPLACEMENT in hand.flags and not any(len(meld.tiles) == 4 for meld in hand.melds):
        raise DocumentError("the flag 'kong_replacement' needs a kong among the melds")
