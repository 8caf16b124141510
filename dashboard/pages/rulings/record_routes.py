"""The page on which a referee says what happened where the decoder doubts the record of a hand, and the route that takes the answer.

The table asks after the release of the deal. The answer stands when the table has written it into its ledger; record and result stay as
they are, and the referee rules on the hand where the result is wrong. Where a violation is in doubt the record has none, and only a yes
makes it one.
"""

from collections.abc import Iterator, Mapping
from dataclasses import field, replace

from flask import Flask, abort, render_template, request
from werkzeug.wrappers import Response as AnyResponse

from dashboard.access.login import viewer
from dashboard.access.viewer_scope import TableScope
from dashboard.actions.answers import OFFLINE, OVER, SENT, doubts, give_record_answer
from dashboard.actions.rulings import Send
from dashboard.i18n.words import Words
from dashboard.pages.page_routes import Pages
from dashboard.pages.table.log_rows import LogRow, broken_rule, log_row
from dashboard.projections.fold import UNLOGGED
from dashboard.web_app import see_other
from twinwall.event.hands import HandSummary
from twinwall.game.documents import parse_object, write_time
from twinwall.game.play_events import PlayEvent
from twinwall.game.play_json import from_json
from twinwall.game.tiles import Seat
from twinwall.values import frozen
from twinwall.wire.events.hand_events import RecordQuestioned, RecordVerdict
from twinwall.wire.ledger import PublicEvent
from twinwall.wire.messages.commands import AnswerRecord
from twinwall.wire.names import plain_number

BEFORE = 4
"""This many events of the record are shown before the one in doubt."""
AT_GATES = frozenset({"drew-early", "drew-out-of-turn", "drew-twice", "put-back"})
"""The violations of which a draw gate alone tells, by stable word."""
_HOW = (SENT, OVER, OFFLINE)


@frozen
class DoubtedEvent:
    """Event ``number`` of a hand's record, and what came ``before`` it; ``held`` is None where the record ends before, ``read`` where the
    decoder holds that the hand was over. Or what ``seat`` may have done before that event: ``violations`` are the rules that it would have
    broken, in words, by stable word. ``answered`` is what the referee said, in words."""

    number: int
    before: tuple[LogRow, ...]
    held: LogRow | None
    read: LogRow | None
    answered: str | None
    seat: Seat | None = None
    violations: Mapping[str, str] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """What tells it from the other doubts of its hand."""
        return str(self.number) if self.seat is None else f"{self.number}-{self.seat.value}"

    @property
    def at_gate(self) -> bool:
        """Whether a draw gate alone tells of it: whose hand took the tile is not known."""
        return not AT_GATES.isdisjoint(self.violations)


def add_record_questions(app: Flask, pages: Pages, send: Send) -> None:
    """Add ``/table/<name>/record/<n>``."""

    def opened_hand(name: str, n: int) -> tuple[TableScope, HandSummary]:
        opened = pages.opened_table(name)
        hand = opened.hand(n)
        if hand is None or not any(isinstance(event.body, RecordQuestioned) for event in hand.events):
            abort(404)
        return opened, hand

    @app.get("/table/<path:name>/record/<int:n>")
    def record_question(name: str, n: int) -> str:
        opened, hand = opened_hand(name, n)
        asked = request.args.get("answered", "")
        doubted = tuple((event, opened.pictures_of(n, event.number, event.seat)) for event in doubted_events(hand, pages.words()))
        return render_template(
            "rulings/which_record.html",
            name=name,
            n=n,
            doubted=doubted,
            verdicts=RecordVerdict,
            answered=asked if asked in _HOW else "",
            earlier=opened.earlier_hand(n) is not None,
        )

    @app.post("/table/<path:name>/record/<int:n>")
    def answer_record(name: str, n: int) -> AnyResponse:
        opened, _hand = opened_hand(name, n)
        answer = _answer(n, request.form, viewer().name)
        how = OVER if answer is None else give_record_answer(opened, answer, send)
        return see_other("record_question", name=name, n=n, answered=how)


def _answer(n: int, form: Mapping[str, str], name: str) -> AnswerRecord | None:
    """What a referee of that name has chosen: who was right, or which violation it was; None where nothing that can be chosen was."""
    number, seat, right = plain_number(form.get("number")), form.get("seat", ""), form.get("right", "")
    of = next((each for each in Seat if each.value == seat), None)
    if number is None or not right or (seat and of is None):
        return None
    if right in set(RecordVerdict):
        return AnswerRecord(n, number, RecordVerdict(right), name, of)
    return AnswerRecord(n, number, RecordVerdict.DECODER, name, of, right)


def doubted_events(hand: HandSummary, words: Words) -> Iterator[DoubtedEvent]:
    """The events of a hand's record that the table asks, or asked, about."""
    played = [event for event in hand.events if isinstance(event.body, PlayEvent)]
    for event, asked, answer in doubts(hand):
        number, seat = asked.number, asked.seat
        before = tuple(_in_words(earlier, words) for earlier in played[max(0, number - 1 - BEFORE) : number - 1])
        said = None if answer is None else log_row(answer, words).text
        may_be = {what: broken_rule(what, rule, words) for what, rule in (asked.violations or {}).items()}
        yield DoubtedEvent(number, before, _row(event, asked.held, words), _row(event, asked.read, words), said, seat, may_be)


def _row(asked: PublicEvent, text: str, words: Words) -> LogRow | None:
    """What record or decoder hold, in the words of a history; None where they hold nothing there."""
    if not text:
        return None
    fields = parse_object(text)
    body = from_json(fields)
    return _in_words(replace(asked, type=str(fields.pop("type")), fields=fields, body=body), words)


def _in_words(event: PublicEvent, words: Words) -> LogRow:
    """An event of play as a history has it, those included that are too small for a table's."""
    if type(event.body) not in UNLOGGED:
        return log_row(event, words)
    seat = event.fields.get("seat")
    text = words(f"record.{event.type}", seat="" if seat is None else words.seat(Seat(seat)))
    return LogRow(write_time(event.at), text, (), important=False)
