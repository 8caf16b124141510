"""Events of a hand beside those of the rules: its start, calls and claims, payments, rulings, release."""

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
    """A referee's answer about a doubted event of a record, or a possible violation."""

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

    The lock is leased, and operations renew the lease.
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

    ``granted`` are the bound seats, the one with priority first.
    """

    granted: tuple[Seat, ...]


@event(T)
class KongCalled:
    """A seat called a kong at its own turn (aloud and by its key) and must lay it.

    It adds a fourth tile to its pung, or lays four tiles face down and presses CONFIRM. If the rules want the kind at once, the last of the
    four is face up and CONFIRM is not needed.
    """

    seat: Actor


@event(T)
class KongRefused:
    """What was laid does not make the kong; the seat takes it back and discards."""

    seat: Actor


@event(T)
class WinCalled:
    """A seat called a win at its own turn, in rules where play goes on, and must lay the drawn tile face up.

    The tile is apart from its hand.
    """

    seat: Actor


@event(T)
class RiichiCalled:
    """A seat called riichi at its own turn (aloud and by its key): its next discard declares it."""

    seat: Actor


@event(T)
class ClaimCalled:
    """A seat called a discard at its own turn, in rules where discards wait, and must expose the meld; a draw cancels the call."""

    seat: Actor
    call: Annotated[Claim, T("what it called")]


@event(T)
class SharedTileLifted:
    """A seat took the next shared tile to turn up from its rear gate.

    It lays the tile face up in the middle of the mat.
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
    """The value of a hand; ``seat`` enters it."""

    seat: Actor
    fans: Annotated[tuple[Fan, ...], T("scoring elements")]
    total: Annotated[int, T("their total")]
    payments: Payments


@event(T)
class PaymentsProposed(HandWorth):
    """A seat entered what the hand is worth."""


@event(T)
class ResultEntered:
    """A player of a table without cameras says how the hand ended; another one confirms it. Its play is not recorded."""

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
    """Every table has finished the deal, and its slip is published.

    What this table saw of the deal is no longer secret.
    """

    n: DealNumber


@event(T)
class HeadsNoted:
    """The table received signed heads of other tables' ledgers, at lines that closed hands of released deals.

    They reveal a later change of another ledger, even if it is made both at that table and in the server's store.
    """

    heads: Annotated[tuple[str, ...], T("the heads", HEADS)]


@event(T)
class TurnNoticed:
    """A seat's time to draw or discard runs out: its lamp and the buzzer say so."""

    seat: Actor
    left_s: Annotated[float, T("seconds until the referee is called")]


@event(T)
class HandNoticed:
    """The time of the whole hand runs out: lamp and buzzer say so."""

    spent_s: Annotated[float, T("seconds of it that have passed")]
    left_s: Annotated[float, T("seconds until the referee is called")]


@event(T)
class HandOverdue:
    """Slow play: the hand is not over within the table's limit.

    The limit is the event's setting `hand_limit_s`. The referee is called to the seat whose turn it is; no seat is accused.
    """

    limit_s: Annotated[float, T("the limit, in seconds of play")]


@event(T)
class PlayHalted:
    """No seat draws, no claims close and nothing is settled until the referee has ruled."""

    reason: Annotated[str, T("stable word: `referee` (a seat called), or that of the violation")]


@event(T)
class TileAnswered:
    """The referee named the tile that the camera could not read; the consequences are in the events after it."""

    seat: Annotated[Seat, T("the seat that laid the tile")]
    tile: Annotated[Tile, T("the tile")]
    by: Annotated[str, T("the referee's name")]
    part: Annotated[TablePart, T("where it is: `river`, `meld`, `hand` or `win`", word_kind("part", TablePart))] = TablePart.RIVER
    number: Annotated[int | None, T("which place of it, from 0; nothing in older ledgers", COUNT)] = None


@frozen
class RecordDoubt:
    """The decoder, which knows the deal, doubts the record of a finished hand. The controller gets this; the journal's event and the event
    after the release have these fields."""

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
    """The decoder, which knows the deal, reads an event otherwise than the record of a hand, or is not certain of it. With `violations`: it
    asks whether a seat broke a rule, which the table has not reported.

    Published after the release, because it follows from concealed tiles. The record stays unchanged, and no seat is accused.
    """


@event(T)
class RecordAnswered:
    """The referee said what happened where the decoder doubts the record of a hand; record and result stay unchanged.

    If he confirms a violation, the event `violation` follows.
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
