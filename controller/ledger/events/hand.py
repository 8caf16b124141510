"""Events of a hand at the table beside those of the rules: who took what, what was called, what was paid, what went wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from twinwall.game.play_events import Claim
from twinwall.game.rule_set import Fan
from twinwall.game.tiles import Seat, Tile


@dataclass(frozen=True, slots=True)
class HandTileTaken:
    """A hand tile left its place in the magazine of a seat."""

    seat: Seat
    index: int


@dataclass(frozen=True, slots=True)
class MagazinesSurveyed:
    """The sensors of the magazines were compared with the journal; what follows from it stands beside this."""


@dataclass(frozen=True, slots=True)
class HandsTaken:
    """All hand places are empty."""

    n: int


@dataclass(frozen=True, slots=True)
class HandStarted:
    """Play begins, by the rule set with these options (the others are its defaults)."""

    n: int
    session: int
    hand: int
    rules: str
    options: Mapping[str, bool | int | str]
    round: Seat
    seats: Mapping[Seat, str]
    places: Mapping[Seat, int]
    draws: Mapping[Seat, int]


@dataclass(frozen=True, slots=True)
class GateUnlocked:
    """A seat may take its next tile (the lock itself is a lease, renewed by operations)."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class ClaimsOpened:
    """The others may call the discard; the window always has this length."""

    seat: Seat
    tile: Tile
    window_s: float


@dataclass(frozen=True, slots=True)
class ClaimBound:
    """A seat pressed a key and is bound by it."""

    seat: Seat
    call: Claim


@dataclass(frozen=True, slots=True)
class ClaimsClosed:
    """The window is over; ``granted`` are the bound seats, the claim that stands first."""

    granted: tuple[Seat, ...]


@dataclass(frozen=True, slots=True)
class ClaimRefused:
    """The exposed tiles do not make the claimed meld: the claim falls and the next one stands."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class SightDoubted:
    """What the overhead camera settled on in this watch cannot lie there: it is looked at again before it is believed."""

    watch: str


@dataclass(frozen=True, slots=True)
class KongCalled:
    """A seat pressed KONG at its own turn: it lays a fourth tile on its pung, or four tiles face down and presses CONFIRM.

    Where the rules want its kind at once, the last of the four lies face up and CONFIRM is not needed.
    """

    seat: Seat


@dataclass(frozen=True, slots=True)
class WinCalled:
    """A seat pressed WIN at its own turn, where play goes on after a win: it lays the tile that it drew face up, apart from its hand."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class RiichiCalled:
    """A seat pressed RIICHI at its own turn: its next discard declares that its hand is ready."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class ClaimCalled:
    """A seat pressed CHOW, PUNG or KONG at its own turn, where discards wait for it: it takes one and exposes the meld (a draw takes
    the call back)."""

    seat: Seat
    call: Claim


@dataclass(frozen=True, slots=True)
class SharedTileLifted:
    """The shared tile that is to be turned up has left the rear gate of a seat, which lays it face up in the middle of the mat."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class TileTakenAgain:
    """The tile that a seat had put back into its draw gate has left it again."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class WinCallRefused:
    """What was laid is not the tile that the seat drew: it takes it back and discards."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class KongRefused:
    """What was laid does not make the kong: the seat takes it back and discards."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class PaymentsComputed:
    """What the shown hands are worth by the rules; the winner (in a drawn hand East) is asked to enter it.

    Where several won, ``seat`` is the one heard first and the fans are those of all.
    """

    seat: Seat
    fans: tuple[Fan, ...]
    total: int
    payments: Mapping[Seat, int]


@dataclass(frozen=True, slots=True)
class PaymentsProposed:
    """A seat entered the payments."""

    seat: Seat
    fans: tuple[Fan, ...]
    total: int
    payments: Mapping[Seat, int]


@dataclass(frozen=True, slots=True)
class PaymentsConfirmed:
    """Another seat confirmed them."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class Settled:
    """The payments stand."""

    payments: Mapping[Seat, int]


@dataclass(frozen=True, slots=True)
class HandClosed:
    """The hand is recorded."""

    n: int


@dataclass(frozen=True, slots=True)
class DealReleased:
    """Every table has finished the deal, and the vault has told everybody what opens it: what this table saw of it is no secret now."""

    n: int


@dataclass(frozen=True, slots=True)
class Violation:
    """Something the rules do not allow."""

    seat: Seat
    what: str
    sentence: str


@dataclass(frozen=True, slots=True)
class RefereeCalled:
    """A seat called the referee."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class PlayHalted:
    """Nothing irrevocable happens in play before the referee has ruled; ``reason`` is ``referee`` or the violation's word."""

    reason: str


@dataclass(frozen=True, slots=True)
class RulingRefused:
    """A ruling that cannot stand: it has no effect, and its referee is told why."""

    ruling: str
    reason: str
    sentence: str


@dataclass(frozen=True, slots=True)
class DealFouled:
    """This table's wall was not the deal."""

    reason: str


HandEvent = (
    HandTileTaken
    | MagazinesSurveyed
    | HandsTaken
    | HandStarted
    | GateUnlocked
    | ClaimsOpened
    | ClaimBound
    | ClaimsClosed
    | ClaimRefused
    | SightDoubted
    | KongCalled
    | WinCalled
    | RiichiCalled
    | ClaimCalled
    | SharedTileLifted
    | TileTakenAgain
    | WinCallRefused
    | KongRefused
    | PaymentsComputed
    | PaymentsProposed
    | PaymentsConfirmed
    | Settled
    | HandClosed
    | DealReleased
    | Violation
    | RefereeCalled
    | PlayHalted
    | RulingRefused
    | DealFouled
)
