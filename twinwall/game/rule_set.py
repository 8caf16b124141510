"""The interface of a rule set: which events are allowed, what they change, what a hand is worth, and who pays. The controller follows
``RuleSet.permissions`` and has no rules of play itself. ``twinwall.game.rules`` holds the rule sets. The form of a hand to score is checked
alike in all of them: a hand written wrongly (an impossible meld, contradicting flags) is the caller's error; a hand that does not win is an
answer."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import ClassVar, Protocol

from twinwall.game.documents import DocumentError
from twinwall.game.play import PlayState, form_error
from twinwall.game.play_events import Claim, EndReason, HandShown, Meld, MeldType, Payment, PlayEvent
from twinwall.game.tiles import Seat, Tile, TileRow
from twinwall.game.typed_json import Count
from twinwall.game.walls import HAND_SIZE, WallLayout
from twinwall.values import FrozenStruct, frozen


class Permissions(FrozenStruct):
    """What the rules allow next; it depends on the public state only, so it reveals nothing concealed. A msgspec struct, because one is
    made for each judged event, in a quarter of a dataclass's time."""

    draw: Seat | None = None
    from_end: bool = False
    """Whether ``draw`` takes the last tile of its wall."""
    discard: Seat | None = None
    win: Seat | None = None
    """The seat that may declare a self-drawn win."""
    kong: Seat | None = None
    """The seat that may declare a kong in its own turn."""
    riichi: Seat | None = None
    """The seat that may declare riichi with its discard."""
    claims: Mapping[Seat, frozenset[Claim]] | None = None
    """The calls that each seat may make.

    - In a claim window: on the discard. After a shown win on a discard: further wins on it.
    - Beside ``draw``: instead of drawing, in rules where claims wait for the seat's own turn.
    """
    show: Seat | None = None
    face_up: bool = False
    """Whether the tile of a self-drawn win and the kind of a concealed kong must be face up at once."""
    late_kongs: bool = False
    """Whether it counts that a tile is added to a pung in a later turn than drawn. If not, it is not announced."""
    left: frozenset[Seat] = frozenset()
    """Seats that have won and left play while others play on."""
    turn_up: int | None = None
    """The place of the shared tile to turn up now; play does not wait for it."""
    ended: EndReason | None = None
    """Set when no further play is possible (drawn or won) and ``HandEnded`` has not happened yet."""

    def following(self, seat: Seat) -> Seat:
        """The next seat to draw after this one, without those that have left play."""
        after = seat.next
        while after in self.left and after is not seat:
            after = after.next
        return after


@frozen
class Illegal:
    """Why the rules forbid an event: a sentence for people, a stable word for programs."""

    reason: str
    sentence: str


@frozen
class Fan:
    """One scoring element of a winning hand."""

    id: str
    name: str
    value: Count
    count: Count


@frozen
class Win:
    """A winning hand: its fans, their total, and what each of the four seats gets."""

    fans: tuple[Fan, ...]
    total: int
    payments: Mapping[Seat, int]
    fu: int | None = None
    """The points of the hand's form, in rules with fu."""


@frozen
class NoWin:
    """A hand that does not win, and the first reason."""

    reason: str
    total: int = 0
    fans: tuple[Fan, ...] = ()


@frozen
class WinningHand:
    """A declared hand to score. ``concealed`` excludes the winning tile; ``source`` is None when self-drawn."""

    KEYS: ClassVar = {"source": "from"}

    seat: Seat
    round: Seat
    concealed: TileRow
    melds: tuple[Meld, ...]
    winning: Tile
    source: Seat | None
    flags: frozenset[str] = frozenset()

    def known_tiles(self) -> TileRow:
        """All tiles that are known to be different tiles of the set."""
        return (*self.concealed, self.winning, *(tile for meld in self.melds for tile in meld.tiles))


@frozen
class SlipField:
    """A field of each winner on a score slip, beside source and score: a short word in each language of the pages."""

    english: str
    chinese: str
    japanese: str


Hands = Mapping[Seat, TileRow]
"""Each seat's concealed tiles in the order of its wall: the tile drawn last is last."""


class Witness:
    """Follows a hand with its walls and judges duties that depend on concealed tiles. This one is for rules without such duties."""

    def objection(self, state: PlayState, event: PlayEvent, hands: Hands) -> Illegal | None:
        """Why a publicly legal event breaks a duty; ``state`` and ``hands`` are before the event."""

    def see(self, state: PlayState, event: PlayEvent, hands: Hands) -> None:
        """Follow an event that counts; ``state`` and ``hands`` are before the event."""


NO_SHARED_TILES: tuple[tuple[int, ...], ...] = ((), (), (), ())
"""``RuleSet.shared_rows`` without shared tiles."""

_CLAIM_RANK = {Claim.WIN: 0, Claim.KONG: 1, Claim.PUNG: 1, Claim.CHOW: 2}


class RuleSet(Protocol):
    """One rule set with chosen options (``twinwall.game.rules.rule_set(name, options)``). The defaults are what most rule sets share."""

    name: ClassVar[str]
    """Also the name of its folder (there with ``_`` for ``-``)."""
    options: object
    """The chosen options: a dataclass whose fields explain them (``twinwall.game.rules.option_form``)."""
    hand_form: ClassVar[type[WinningHand]] = WinningHand
    """The type of a scoring request's hand; further fields are what only these rules need."""
    walls: ClassVar[WallLayout] = WallLayout()
    """Its tiles and the size of a wall, the same with all options."""
    chows: ClassVar[bool] = True
    """Whether a discard can be claimed for a chow."""
    declares_riichi: ClassVar[bool] = False
    """Whether a seat can declare a ready hand."""
    shared_rows: ClassVar[tuple[tuple[int, ...], ...]] = NO_SHARED_TILES
    """Four rows (E S W N) of places of shared tiles; tiles can only be taken from a row in its order. No tile is behind one that may be
    turned up later. Empty rows without shared tiles."""

    slip: ClassVar[tuple[SlipField, ...]] = (SlipField("Points", "分", "点"),)
    """The fields of each winner on a printed score slip."""

    @property
    def tiles(self) -> TileRow:
        """The whole set in canonical order, four of a kind together."""
        return self.walls.tiles

    @property
    def zero_sum(self) -> bool:
        """Whether the scores of every hand sum to zero."""
        return True

    @property
    def usual_most(self) -> int:
        """The most that a seat usually gains or pays in a hand; a larger number needs a second confirmation."""
        return 1000

    @property
    def replaces_from_end(self) -> bool:
        """Whether a kong is replaced from the end of the wall, which no table can do."""
        return False

    def start(self) -> PlayState:
        """The state before East's first draw."""
        return PlayState.beginning(self.name, self.walls.draws)

    def permissions(self, state: PlayState) -> Permissions:
        """What may happen next."""

    def illegal(self, state: PlayState, event: PlayEvent) -> Illegal | None:
        """Why the event is not allowed in this public state; None when it is."""

    def apply(self, state: PlayState, event: PlayEvent) -> PlayState:
        """The state after a legal event."""

    def priority(self, state: PlayState, claims: Mapping[Seat, Claim]) -> tuple[Seat, ...]:
        """The seats whose claims are allowed, the one that has priority first (the next one counts if a win is false). A win goes before a
        pung or kong, these before a chow; among equals, the nearest in turn order."""
        allowed = self.permissions(state).claims or {}
        heard = [seat for seat, claim in claims.items() if claim in allowed.get(seat, frozenset())]
        return tuple(sorted(heard, key=lambda seat: (_CLAIM_RANK[claims[seat]], state.turn.turns_until(seat))))

    def winning_hand(self, state: PlayState, shown: HandShown, round_wind: Seat) -> WinningHand:
        """The hand to score after ``shown``, with the flags that the public state implies."""

    def score(self, hand: WinningHand) -> Win | NoWin:
        """Judge a hand and compute its payments; raises DocumentError when it is written wrongly."""

    def worth(self, fan: Fan) -> int:
        """A fan's contribution to the total: its value, as often as it counts."""
        return fan.value * fan.count

    def payments(self, state: PlayState, wins: Mapping[Seat, Win]) -> tuple[Payment, ...]:
        """Who pays whom when the hand ends in ``state`` with ``wins`` (none if drawn), with penalties; scores are the totals."""

    def entered_payments(
        self,
        winner: Seat,  # noqa: ARG002 - most rules need more than this
        source: Seat | None,  # noqa: ARG002
        total: int,  # noqa: ARG002
    ) -> Mapping[Seat, int] | Illegal | None:
        """What a win pays if only winner, discarder (None: self-drawn) and value are known, or why it is impossible. None if these do not
        determine the payments; then people enter the four scores."""
        return None

    def witness(self, round_wind: Seat) -> Witness:  # noqa: ARG002 - most rules have no such duty
        """The witness for a replay with walls of a hand of that round."""
        return Witness()


LAST_DRAW = "last_draw"
LAST_DISCARD = "last_discard"
KONG_REPLACEMENT = "kong_replacement"
ROBBING_KONG = "robbing_kong"
LAST_OF_KIND = "last_of_kind"
AFTER_KONG_DISCARD = "after_kong_discard"

FLAGS = frozenset({LAST_DRAW, LAST_DISCARD, KONG_REPLACEMENT, ROBBING_KONG, LAST_OF_KIND, AFTER_KONG_DISCARD})
"""Flags of every rule set; its page says what they are worth."""

_DRAW_FLAGS = frozenset({LAST_DRAW, KONG_REPLACEMENT})
_DISCARD_FLAGS = frozenset({LAST_DISCARD, ROBBING_KONG, AFTER_KONG_DISCARD})

IMPOSSIBLE_TILES, NOT_ALLOWED, NOT_A_WIN, BELOW_MINIMUM = "impossible-tiles", "not-allowed", "not-a-win", "below-minimum"
"""Why a hand does not win, in the order of checking."""


def check_hand(hand: WinningHand, known_flags: frozenset[str] = FLAGS) -> None:
    """Raise DocumentError for a hand that is written wrongly."""
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
    """Which tile or count is impossible with the set ``tiles``; None when all are possible."""
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
