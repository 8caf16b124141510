"""A table's history in one language: its events, their texts, and which are important."""

from itertools import pairwise

from dashboard.i18n.words import Values, Words, signed
from dashboard.pages.table.presentation import camera_fault, link_name, place_name, table_call
from dashboard.projections.table_view import TableView, call_follows_violation
from twinwall.game.documents import write_time
from twinwall.game.play_events import Claimed, HandShown, Meld, ResultExcluded, WinDeclared
from twinwall.game.tiles import Seat, TileRow, parse_tiles
from twinwall.values import frozen
from twinwall.wire.events.hand_events import (
    ClaimBound,
    ClaimCalled,
    HandOverdue,
    HandStarted,
    RecordAnswered,
    RecordQuestioned,
    ResultEntered,
    RulingRefused,
)
from twinwall.wire.events.trouble_events import CameraTrouble, DealFouled, LinkLost, RefereeCalled, TableFault, Violation
from twinwall.wire.events.wall_events import DealRefused
from twinwall.wire.ledger import PublicEvent, UnknownEvent
from twinwall.wire.messages.ruling import Ruling


@frozen
class LogRow:
    """One line of a table's history; sentences in ``text`` that the table wrote are marked as English."""

    at: str
    text: str
    tiles: TileRow
    important: bool


_IMPORTANT = (
    *(WinDeclared, HandShown, Violation, HandOverdue, RefereeCalled, Ruling, RulingRefused, ResultExcluded),
    *(TableFault, LinkLost, CameraTrouble, DealRefused, DealFouled),
)
_TILE_FIELDS = ("tile", "tiles", "concealed", "winning")
MOST_ROWS = 40


def log_rows(view: TableView, words: Words) -> tuple[LogRow, ...]:
    """The table's history, newest first."""
    pairs = tuple(pairwise((None, *view.log)))[-MOST_ROWS:]
    return tuple(log_row(event, words, before) for before, event in reversed(pairs) if event is not None)


def log_row(event: PublicEvent, words: Words, before: PublicEvent | None = None) -> LogRow:
    """One event as a history's line; ``before`` is the event before it, if known."""
    at = write_time(event.at)
    if isinstance(event, UnknownEvent):
        return LogRow(at, words("log.unknown", type=event.type), (), important=False)
    shown = () if isinstance(event.body, TableFault) else _TILE_FIELDS  # those of a fault stand in its alarm
    tiles = tuple(tile for key in shown for tile in parse_tiles(str(event.fields.get(key) or "")))
    return LogRow(at, words.markup(_log_key(event, before), **_log_values(event, words)), tiles, isinstance(event.body, _IMPORTANT))


def _log_key(event: PublicEvent, before: PublicEvent | None) -> str:
    match event.body:
        case Violation(n=int()):
            return "log.violation.confirmed"
        case Violation(rule=str(rule)) if rule:
            return "log.violation.rule"
        case RecordQuestioned(seat=Seat()) | RecordAnswered(seat=Seat()):
            return f"log.{event.type}.violation"
        case RefereeCalled(seat=None):
            return "log.referee-called.by-table"
    if call_follows_violation(event, before):
        return "log.referee-called.violation"
    return f"log.{event.type}"


def _log_values(event: PublicEvent, words: Words) -> Values:
    values: Values = {"call": "", "did": "", **event.fields}
    for key in ("seat", "from"):
        if values.get(key) is not None:
            values["from_seat" if key == "from" else key] = words.seat(Seat(values[key]))
    if "what" in values:
        values["what"] = link_name(str(values["what"]), words)
    if "sentence" in values:
        values["sentence"] = words.english(str(values["sentence"]))
    match event.body:
        case ClaimBound(call=call) | ClaimCalled(call=call) | Claimed(meld=Meld(type=call)):
            values["call"] = words(f"call.{call}").lower()
        case HandStarted(hand=hand):
            values["hand"] = words.hand(hand)
        case RefereeCalled(about=about):
            values["about"] = table_call(about, words)
        case CameraTrouble(why=why):
            values["why"] = camera_fault(why, words, event.table) or why
        case RecordAnswered() as answered:
            values["right"] = _verdict(answered, words)
        case Violation(seat, what, sentence, rule):
            values["rule"] = broken_rule(what, rule, words) if rule else rule
            key = f"record.violation.{what}"
            values["did"] = words(key, seat=words.seat(seat)) if key in words else words.english(sentence)
        case Ruling(texts=texts):
            values["text"] = words.announced(texts)
        case ResultEntered(payments=payments):
            values["scores"] = " ".join(f"{words.seat(seat)} {signed(amount)}" for seat, amount in payments.items())
        case TableFault() as fault:
            values["where"] = place_name(fault, words)
    values.pop("from", None)
    return values


def _verdict(answered: RecordAnswered, words: Words) -> str:
    key = f"record.right.{answered.right}"
    return words(key if answered.seat is None else _VIOLATION_VERDICTS.get(key, key))


_VIOLATION_VERDICTS = {"record.right.record": "record.violation.no", "record.right.decoder": "record.violation.happened"}
"""The message key of an answer about a possible violation."""


def broken_rule(what: str, rule: str, words: Words) -> str:
    """The rule that a violation breaks, in the reader's language if ``rule`` is the usual English sentence of the stable word ``what``;
    otherwise ``rule``, marked as English."""
    key = f"violations.rule.{what}"
    english = Words("en")
    return words(key) if key in english and english(key) == rule else words.english(rule)
