"""The events of play, of which hand records and play states are made. On the wire, their names are the class names in kebab case. The rule
set decides whether an event is legal (``rule_set``) and who pays whom at the end; ``play`` holds the state after it. Rulings are events
too, so that a replay gives the same scores; their effect is the same in every rule set (``rules.checks``). Who ruled, and the words, are in
the table's ledger."""

from collections.abc import Iterable
from enum import StrEnum
from typing import ClassVar

from twinwall.game.tiles import SEATS, Seat, Tile, TileRow
from twinwall.game.typed_json import BySeat, Count, Tiles, Words
from twinwall.values import frozen


class PaymentReason(StrEnum):
    """What a payment is for."""

    WIN = "win"
    KONG = "kong"
    PIG = "pig"
    """A hand with all three suits, when the rules require that one is missing (査花猪)."""
    NOT_READY = "not-ready"
    LIABILITY = "liability"
    PENALTY = "penalty"


@frozen
class Payment:
    """Points that one seat pays another. None: no seat, if a hand's points need not sum to zero."""

    reason: PaymentReason
    source: Seat | None
    to: Seat | None
    amount: int

    def to_json(self) -> dict[str, object]:
        ends = {"from": self.source, "to": self.to}
        return {
            "reason": self.reason.value,
            **{key: None if seat is None else seat.value for key, seat in ends.items()},
            "amount": self.amount,
        }


def totals(payments: Iterable[Payment]) -> dict[Seat, int]:
    gains = dict.fromkeys(SEATS, 0)
    for payment in payments:
        if payment.source is not None:
            gains[payment.source] -= payment.amount
        if payment.to is not None:
            gains[payment.to] += payment.amount
    return gains


class Offence(StrEnum):
    FALSE_WIN = "false-win"
    CONDUCT = "conduct"
    """Any other offence: a false claim, an exposed wall tile, talk."""


@frozen
class HandRuledDead:
    """A seat's hand is dead: it draws and discards, but may not claim, make a kong or win."""

    seat: Seat


@frozen
class PenaltyRuled:
    """A penalty: ``imp`` are subtracted in the entrant's comparison, ``points`` are paid to each other seat at the table."""

    seat: Seat
    offence: Offence
    imp: Count
    points: Count


@frozen
class ResultExcluded:
    """The table's result of this deal is excluded from the comparison; its four players get the average."""


@frozen
class SeatsExchanged:
    """In a finished hand, the players of two seats sat in each other's: each gets the other's score. Play does not change."""

    seat: Seat
    other: Seat


Ruled = HandRuledDead | PenaltyRuled | ResultExcluded
"""Rulings during a hand. A ruling may also end it (``HandEnded`` with ``ruled`` or ``annulled``)."""


def penalty_payments(penalties: Iterable[PenaltyRuled]) -> tuple[Payment, ...]:
    """The payments for a hand's penalties, in the order ruled."""
    return tuple(
        Payment(PaymentReason.PENALTY, penalty.seat, other, penalty.points)
        for penalty in penalties
        if penalty.points
        for other in SEATS
        if other is not penalty.seat
    )


class MeldType(StrEnum):
    CHOW = "chow"
    PUNG = "pung"
    KONG = "kong"
    ADDED_KONG = "added_kong"
    CONCEALED_KONG = "concealed_kong"


@frozen
class Meld:
    """An exposed meld or a concealed kong; ``source`` is the seat of the claimed discard, None for a concealed kong. A face-down concealed
    kong has no ``tiles``: only its owner knows them."""

    KEYS: ClassVar = {"source": "from"}

    type: MeldType
    tiles: TileRow
    source: Seat | None

    @property
    def face_down(self) -> bool:
        """Whether it is a face-down concealed kong."""
        return self.type is MeldType.CONCEALED_KONG and not self.tiles


class Claim(StrEnum):
    """What a seat may call on another seat's discard, or on an added kong."""

    CHOW = "chow"
    PUNG = "pung"
    KONG = "kong"
    WIN = "win"


class EndReason(StrEnum):
    WON = "won"
    DRAWN = "drawn"
    RULED = "ruled"
    """The referee ended it with adjudged scores; no penalty is added to them."""
    ANNULLED = "annulled"
    """The referee ended it without a result: all scores are 0, and the comparison ignores it."""
    ENTERED = "entered"
    """Players of a table without cameras entered and confirmed the scores; play was not recorded."""


RULED_ENDS = (EndReason.RULED, EndReason.ANNULLED)
"""Reasons by a ruling."""
STATED_ENDS = (*RULED_ENDS, EndReason.ENTERED)
"""Reasons stated by people, whatever play was recorded."""


@frozen
class TileDrawn:
    """A seat took the next tile of its own wall; ``from_end``: the last one, if the rules replace a kong so."""

    seat: Seat
    from_end: bool = False


@frozen
class TileDiscarded:
    """A seat discarded a tile; ``riichi``: sideways, to declare a ready hand in rules with riichi."""

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
    """In its own turn, a seat added the fourth tile to its pung, or laid a concealed kong. ``meld.tiles`` is empty for a face-down kong of
    unknown kind; ``meld.source`` is None (an added kong has its pung's). ``late``: the added tile was drawn in an earlier turn, in rules
    where that counts."""

    seat: Seat
    meld: Meld
    late: bool = False


@frozen
class ClaimsPassed:
    """The claim window on the last discard closed without a claim (wire name ``passed``)."""


@frozen
class WinDeclared:
    """A seat declared a win on the last discard of ``source``, or self-drawn (None; then ``tile`` may be unknown until shown)."""

    KEYS: ClassVar = {"source": "from"}

    seat: Seat
    source: Seat | None
    tile: Tile | None


@frozen
class HandShown:
    """The declared winner showed its concealed tiles, without the winning tile, which is ``winning``. ``kongs``: the kinds of its face-down
    kongs, now turned up, in the order made."""

    seat: Seat
    concealed: Tiles
    winning: Tile
    kongs: Tiles = ()


@frozen
class HandLaidOpen:
    """A seat without a win showed its concealed tiles at the end, as some rules require."""

    seat: Seat
    concealed: Tiles


@frozen
class WinRefused:
    """The shown hand does not win (``NoWin.reason``); play goes on or the referee rules."""

    seat: Seat
    reason: Words


@frozen
class SharedTileTurned:
    """A shared tile, such as a dora indicator, was turned up; ``place`` is its index in the deal's ``rest``."""

    place: Count
    tile: Tile


@frozen
class HandEnded:
    """The hand is over. ``scores`` sum to zero if the rules say so; adjudged ones need not."""

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
