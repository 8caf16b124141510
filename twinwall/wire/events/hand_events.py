"""Events of a hand at the table beside those of the rules: play begins, calls and claims, payments, rulings, release."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated

from twinwall.game.play_events import Claim
from twinwall.game.rule_set import Fan
from twinwall.game.tiles import Seat, Tile
from twinwall.values import frozen
from twinwall.wire.events.definitions import (
    COUNT,
    COUNTS,
    HEADS,
    PLAY_TEXT,
    RULES,
    Actor,
    DealNumber,
    HandNumber,
    P,
    Payments,
    RuleSetName,
    Sentence,
    SessionNumber,
    T,
    event,
    word_kind,
)
from twinwall.wire.events.trouble_events import TablePart


class RecordVerdict(StrEnum):
    """What a referee can say of an event of a record that the decoder doubts, or of a violation that the record does not have."""

    RECORD = "record"
    DECODER = "decoder"
    NEITHER = "neither"
    """Something else happened, or it is unknown."""


RIGHT = word_kind("right", RecordVerdict)


@event(P)
class HandStarted:
    """Play of the hand begins."""

    n: DealNumber
    session: SessionNumber
    hand: HandNumber
    rules: RuleSetName
    options: Annotated[Mapping[str, bool | int | str], P("options of the rule set that are not its defaults", optional=True)]
    round: Annotated[Seat, P("wind of the round")]
    seats: Annotated[Mapping[Seat, str], P("who sits where: players' numbers as text; names in ledgers of earlier versions")]
    places: Annotated[Mapping[Seat, int], P("physical place of each seat, 0 to 3 counter-clockwise", COUNTS)]
    draws: Annotated[Mapping[Seat, int], P("draws behind each seat's gate", COUNTS)]


@event(T)
class GateUnlocked:
    """A seat may take its next tile.

    The lock itself is a lease, renewed by operations.
    """

    seat: Actor


@event(T)
class ClaimsOpened:
    """The others may call the last discard, or win on a tile added to a kong."""

    seat: Annotated[Seat, T("the seat that laid the tile")]
    tile: Annotated[Tile, T("the tile")]
    window_s: Annotated[float, T("length of the window, always the same")]


@event(T)
class ClaimBound:
    """A seat called (aloud and by its key) and is bound by it."""

    seat: Actor
    call: Annotated[Claim, T("what it called")]


@event(T)
class ClaimRefused:
    """The exposed tiles do not make the claimed meld; the next claim stands."""

    seat: Actor


@event(T)
class ClaimsClosed:
    """The claim window is over.

    ``granted`` are the bound seats, the claim that stands first.
    """

    granted: tuple[Seat, ...]


@event(T)
class KongCalled:
    """A seat called a kong at its own turn (aloud and by its key) and is to lay it.

    It lays a fourth tile on its pung, or four tiles face down and presses CONFIRM. Where the rules want its kind at once,
    the last of the four lies face up and CONFIRM is not needed.
    """

    seat: Actor


@event(T)
class KongRefused:
    """What was laid does not make the kong; the seat takes it back and discards."""

    seat: Actor


@event(T)
class WinCalled:
    """A seat called a win at its own turn, where play goes on after it, and is to lay the tile that it drew face up.

    The tile lies apart from its hand.
    """

    seat: Actor


@event(T)
class RiichiCalled:
    """A seat called riichi at its own turn (aloud and by its key): its next discard declares it."""

    seat: Actor


@event(T)
class ClaimCalled:
    """A seat called a discard at its own turn, where discards wait for it, and is to expose the meld; a draw takes the call back."""

    seat: Actor
    call: Annotated[Claim, T("what it called")]


@event(T)
class SharedTileLifted:
    """A seat took the shared tile that is to be turned up out of its rear gate.

    It lays it face up in the middle of the mat.
    """

    seat: Actor


@event(T)
class TileTakenAgain:
    """The tile that a seat had put back into its draw gate was given out again, after the referee's ruling."""

    seat: Actor


@event(T)
class WinCallRefused:
    """What was laid is not the tile drawn at this turn; the seat takes it back and discards."""

    seat: Actor


@frozen
class HandWorth:
    """What a hand is worth; ``seat`` enters it."""

    seat: Actor
    fans: Annotated[tuple[Fan, ...], T("scoring elements")]
    total: Annotated[int, T("their total")]
    payments: Payments


@event(T)
class PaymentsProposed(HandWorth):
    """A seat entered what the hand is worth."""


@event(T)
class ResultEntered:
    """A player of a table without cameras says how the hand ended; another one confirms it, and nothing else is known of its play."""

    seat: Actor
    winner: Annotated[Seat | None, T("who won; null for a drawn hand, or scores alone")]
    source: Annotated[Seat | None, T("who discarded the winning tile; null where no seat did")]
    total: Annotated[int, T("what the hand is worth; 0 where the scores alone were entered")]
    payments: Payments


@event(T)
class PaymentsConfirmed:
    """Another seat confirmed the payments."""

    seat: Actor


@event(T)
class Settled:
    """The payments stand."""

    payments: Payments


@event(T)
class HandClosed:
    """The hand is recorded and the table goes on."""

    n: DealNumber


@event(P)
class DealReleased:
    """Every table has finished the deal, and its slip is out.

    The vault has published what opens it: what this table saw of it is no secret now.
    """

    n: DealNumber


@event(T)
class HeadsNoted:
    """Signed heads of other tables' ledgers were heard: where each closed a hand whose deal is released.

    Who later changes another table's ledger, at that table and in the server's store, is found by what stands here.
    """

    heads: Annotated[tuple[str, ...], T("the heads", HEADS)]


@event(T)
class TurnNoticed:
    """The time in which a seat is to draw or to discard runs out: its lamp and the buzzer say so."""

    seat: Actor
    left_s: Annotated[float, T("seconds until the referee is called")]


@event(T)
class HandNoticed:
    """The time of the whole hand runs out: lamp and buzzer say so."""

    spent_s: Annotated[float, T("seconds of it that have passed")]
    left_s: Annotated[float, T("seconds until the referee is called")]


@event(T)
class HandOverdue:
    """Slow play of the hand: it is not over within the limit of its table.

    The rule is the event's own, the setting `hand_limit_s`. The referee is called to the seat whose turn it is; no seat is accused.
    """

    limit_s: Annotated[float, T("the limit, in seconds of play")]


@event(T)
class PlayHalted:
    """No seat draws, no claims close and nothing is settled until the referee has ruled."""

    reason: Annotated[str, T("stable word: `referee` (a seat called), or that of the violation")]


@event(T)
class TileAnswered:
    """The referee said which tile it is that the camera could not read; what follows stands in the events after it."""

    seat: Annotated[Seat, T("the seat that laid the tile")]
    tile: Annotated[Tile, T("the tile")]
    by: Annotated[str, T("the referee's name")]
    part: Annotated[TablePart, T("where it lies: `river`, `meld`, `hand` or `win`", word_kind("part", TablePart))] = TablePart.RIVER
    number: Annotated[int | None, T("which place of it, from 0; nothing in older ledgers", COUNT)] = None


@frozen
class RecordDoubt:
    """The decoder that knows the deal doubts the record of a hand that is over: what the controller hears, and what the event has that
    follows in the journal and the one after the release."""

    n: DealNumber
    number: Annotated[int, T("which event of the hand's record, from 1; of a violation, before which one", COUNT)]
    held: Annotated[str, T("that event; nothing where the record ends before", PLAY_TEXT)]
    read: Annotated[str, T("what the decoder holds instead; nothing: the hand was over", PLAY_TEXT)]
    margin: Annotated[float, T("log-odds (nats) by which the decoder prefers that, the record's where it is not certain, or a violation")]
    seat: Annotated[Seat | None, T("the seat of a possible violation")] = None
    violations: Annotated[
        Mapping[str, str] | None, T("what the act may have been: the rule it breaks, by the stable word of `violation`", RULES)
    ] = None


@event(T)
class RecordQuestioned(RecordDoubt):
    """The decoder that knows the deal reads an event otherwise than the record of a hand, or is not certain of it; or, where
    `violations` is there, whether a seat did what the rules do not allow, which the table has not reported.

    Published after the deal is released, because it follows from concealed tiles. The record stays as it is, and no seat is accused.
    """


@event(T)
class RecordAnswered:
    """The referee said what happened where the decoder doubts the record of a hand; record and result stay as they are.

    A violation that happened stands in the event `violation` after it.
    """

    n: DealNumber
    number: Annotated[int, T("as in `record-questioned`", COUNT)]
    right: Annotated[RecordVerdict, T("what was right; `decoder`: the violation happened", RIGHT)]
    by: Annotated[str, T("the referee's name")]
    seat: Annotated[Seat | None, T("as in `record-questioned`")] = None
    violation: Annotated[str | None, T("which violation it was, by its stable word; left out where there was none")] = None


@event(T)
class RulingRefused:
    """A ruling reached the table and has no effect.

    Its referee sees why.
    """

    ruling: Annotated[str, T("the ruling's id")]
    reason: Annotated[str, T("stable word")]
    sentence: Sentence
