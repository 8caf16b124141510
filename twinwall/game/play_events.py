"""The events of play: what a hand record and the play state are made of.

Their names on the wire are the class names in kebab case (``tile-drawn`` …). Whether an event may happen is left to the rule
set (``rule_set``), what is seen after it to the play state (``play``).

A ruling is part of the recorded play, so a replay gives the same scores. What it changes is the same in every rule set
(``rules.checks``). Who ruled, and in which words, stands in the table's ledger. At the end of a hand seats pay each other; which
payments there are is left to the rule set, and to rulings for penalties.
"""

from collections.abc import Iterable
from enum import StrEnum
from typing import ClassVar

from twinwall.game.tiles import SEATS, Seat, Tile, TileRow
from twinwall.game.typed_json import BySeat, Count, Tiles, Words
from twinwall.values import frozen


class PaymentReason(StrEnum):
    """What a payment is for (contracts, "Scoring")."""

    WIN = "win"
    KONG = "kong"
    PIG = "pig"
    """A hand with all three suits where one must be lacking (査花猪)."""
    NOT_READY = "not-ready"
    LIABILITY = "liability"
    PENALTY = "penalty"


@frozen
class Payment:
    """Points that one seat pays to another; None : no seat, where the points of a hand need not sum to zero."""

    reason: PaymentReason
    source: Seat | None
    to: Seat | None
    amount: int

    def to_json(self) -> dict[str, object]:
        """The form of the contracts; no seat is null."""
        ends = {"from": self.source, "to": self.to}
        return {
            "reason": self.reason.value,
            **{key: None if seat is None else seat.value for key, seat in ends.items()},
            "amount": self.amount,
        }


def totals(payments: Iterable[Payment]) -> dict[Seat, int]:
    """What each seat gets in all."""
    gains = dict.fromkeys(SEATS, 0)
    for payment in payments:
        if payment.source is not None:
            gains[payment.source] -= payment.amount
        if payment.to is not None:
            gains[payment.to] += payment.amount
    return gains


class Offence(StrEnum):
    """What a penalty is for."""

    FALSE_WIN = "false-win"
    CONDUCT = "conduct"
    """Anything else: a false claim, a tile of a wall exposed, talk."""


@frozen
class HandRuledDead:
    """A seat's hand is dead: it goes on drawing and discarding, and may not claim, make a kong or win any more."""

    seat: Seat


@frozen
class PenaltyRuled:
    """What an offence costs: ``imp`` are taken from the entrant's comparison, ``points`` are paid to each of the others at the table."""

    seat: Seat
    offence: Offence
    imp: Count
    points: Count


@frozen
class ResultExcluded:
    """Whatever this table scores in this deal is left out of the comparison: its four players get the average."""


@frozen
class SeatsExchanged:
    """In a hand that is over the players of two seats sat in each other's: each score belongs to who sat there. Nothing happens in play."""

    seat: Seat
    other: Seat


Ruled = HandRuledDead | PenaltyRuled | ResultExcluded
"""What a ruling can do while the hand goes on; it may also end it (``HandEnded`` with the reasons ``ruled`` and ``annulled``)."""


def penalty_payments(penalties: Iterable[PenaltyRuled]) -> tuple[Payment, ...]:
    """Who pays what to whom for the penalties of a hand, in the order in which they were ruled."""
    return tuple(
        Payment(PaymentReason.PENALTY, penalty.seat, other, penalty.points)
        for penalty in penalties
        if penalty.points
        for other in SEATS
        if other is not penalty.seat
    )


class MeldType(StrEnum):
    """What a meld is and how it was made."""

    CHOW = "chow"
    PUNG = "pung"
    KONG = "kong"
    ADDED_KONG = "added_kong"
    CONCEALED_KONG = "concealed_kong"


@frozen
class Meld:
    """Tiles laid open (or a concealed kong); ``source`` is the seat whose discard was claimed, None for a concealed kong.

    A concealed kong that lies face down has no ``tiles``: only its owner knows its kind.
    """

    KEYS: ClassVar = {"source": "from"}

    type: MeldType
    tiles: TileRow
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
    ENTERED = "entered"
    """Players of a table without cameras entered its scores and confirmed them: there is no record of play."""


RULED_ENDS = (EndReason.RULED, EndReason.ANNULLED)
"""How a hand ends by a ruling."""
STATED_ENDS = (*RULED_ENDS, EndReason.ENTERED)
"""How a hand ends by what people say, whatever was recorded of its play."""


@frozen
class TileDrawn:
    """A seat took its next tile from its own wall; ``from_end``: the last one instead, as the replacement of a kong where the rules
    want it so."""

    seat: Seat
    from_end: bool = False


@frozen
class TileDiscarded:
    """A seat laid a tile into its river; ``riichi``: sideways, and so declared that its hand is ready, where the rules know that."""

    seat: Seat
    tile: Tile
    riichi: bool = False


@frozen
class Claimed:
    """A seat exposed a chow, pung or kong made with the last discard (``meld.source``)."""

    seat: Seat
    meld: Meld


@frozen
class KongDeclared:
    """A seat declared a kong at its own turn: it added the fourth tile to its pung, or laid four tiles face down (then
    ``meld.tiles`` is empty, or their kind where it is known). ``meld.source`` is None: an added kong has its pung's.

    ``late``: whether a tile was added that the seat had before this turn's draw, where the rules ask for it.
    """

    seat: Seat
    meld: Meld
    late: bool = False


@frozen
class ClaimsPassed:
    """The claim window on the last discard closed without a claim (wire name ``passed``)."""


@frozen
class WinDeclared:
    """A seat declared a win: on the last discard of ``source``, or self-drawn (None; tile then None until shown)."""

    KEYS: ClassVar = {"source": "from"}

    seat: Seat
    source: Seat | None
    tile: Tile | None


@frozen
class HandShown:
    """The declared winner laid its concealed tiles open; ``concealed`` excludes the winning tile, which is ``winning``.

    ``kongs`` names the kind of each of its concealed kongs that lay face down and was turned up, in the order made.
    """

    seat: Seat
    concealed: Tiles
    winning: Tile
    kongs: Tiles = ()


@frozen
class HandLaidOpen:
    """A seat that has not won laid its concealed tiles open at the end of a hand, where the rules ask for it."""

    seat: Seat
    concealed: Tiles


@frozen
class WinRefused:
    """The shown hand does not win (reason of ``Score``); play goes on or the referee rules."""

    seat: Seat
    reason: Words


@frozen
class SharedTileTurned:
    """A tile that belongs to no seat was turned up, such as a dora indicator; ``place`` counts from 0 in the deal's ``rest``."""

    place: Count
    tile: Tile


@frozen
class HandEnded:
    """The hand is over; ``scores`` are zero-sum where the rules say so (those that a referee adjudged need not be)."""

    reason: EndReason
    scores: BySeat[int]


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
