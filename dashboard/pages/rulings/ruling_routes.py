"""The routes by which a referee rules and answers tables: which tile a camera cannot read, violations, and doubted records. A ruling is
given on the table's own page. Ruling and answer take effect when the table has written them into its ledger, and arrive with its other
events. If the decoder doubts a hand's record, the table asks after the deal's release. The answer changes neither record nor result; the
referee rules on the hand if the result is wrong. A doubtful violation is not in the record; only a yes makes it one."""

import logging
import secrets
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from flask import Flask, Response, abort, flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from dashboard.access.login import reader_words, viewer
from dashboard.access.viewer_scope import TableScope
from dashboard.actions.answers import BARRED, CHOOSE, NO_KONG, OFFLINE, OVER, SENT, doubts, give_answer, give_record_answer
from dashboard.actions.rulings import PROBLEMS, Form, NotRuledError, OddRulingError, Send, announced, give_ruling, odd_in_words, past_hand
from dashboard.i18n.words import Values, Words
from dashboard.pages.page_routes import Pages, show_live
from dashboard.pages.table.log_rows import LogRow, broken_rule, log_row
from dashboard.projections.fold import UNLOGGED
from dashboard.web_app import see_other
from twinwall.event.hands import HandSummary
from twinwall.event.store.databases.port import StoreError
from twinwall.game.answers import NO_MELD
from twinwall.game.documents import parse_object, write_time
from twinwall.game.play_events import PlayEvent
from twinwall.game.play_json import from_json
from twinwall.game.tiles import Seat
from twinwall.wire.events.hand_events import RecordQuestioned, RecordVerdict
from twinwall.wire.ledger import PublicEvent
from twinwall.wire.messages.commands import AnswerRecord, AnswerTile
from twinwall.wire.names import plain_number

_LOG = logging.getLogger(__name__)
NOT_STORED = "error.store"
MOST_TYPED = 200
"""Characters of a refused form's reason that the next page keeps."""


def add_rulings(app: Flask, pages: Pages, send: Send) -> None:
    """Add the route of a referee's form, and the pages of tables' questions."""
    _add_questions(app, pages, send)
    add_record_questions(app, pages, send)

    @app.context_processor
    def new_form() -> Values:
        asked = request.args.get("ruled", "")
        return {"new_form_id": secrets.token_hex(8), "ruled": asked if asked in {SENT, NOT_STORED} | PROBLEMS else ""}

    @app.post("/table/<path:name>/rule")
    def rule(name: str) -> AnyResponse:
        opened = pages.opened_table(name)
        try:
            give_ruling(pages.policy, viewer(), opened, request.form, send)
            how = SENT
        except OddRulingError as problem:
            return _asked_again(name, problem, past_hand(opened, request.form), reader_words())
        except NotRuledError as problem:
            how = problem.key
        except StoreError as problem:
            _LOG.error("a ruling is not stored: %s", problem)
            how = NOT_STORED
        if how != SENT:
            flash(request.form.get("reason", "")[:MOST_TYPED], "typed-ruling")
        return redirect(_page(name, past_hand(opened, request.form), how), 303)


def _page(name: str, past: HandSummary | None, how: str) -> str:
    return url_for("table", name=name, ruled=how) if past is None else url_for("earlier_hand", name=name, n=past.n, ruled=how)


def _asked_again(name: str, problem: OddRulingError, past: HandSummary | None, words: Words) -> AnyResponse:
    """The page that asks whether odd numbers are meant; it sends the same form again."""
    flash(problem.asked.reason, "typed-ruling")
    kept = [(key, value) for key, value in request.form.items() if key not in ("token", "sure")]
    odd, text = odd_in_words(problem.odd, words), announced(problem.asked, words)
    page = render_template("rulings/odd.html", name=name, odd=odd, text=text, kept=kept, back=_page(name, past, problem.key))
    return Response(page, 409)


HOW = (SENT, OVER, CHOOSE, BARRED, NO_KONG, NO_MELD, OFFLINE)


def _add_questions(app: Flask, pages: Pages, send: Send) -> None:
    app.jinja_env.filters["base64"] = lambda content: b64encode(content).decode()
    for endpoint, shown in (("question", "which-tile"), ("violations", "violations")):
        app.add_url_rule(f"/table/<path:name>/{shown}", endpoint, partial(_show, pages, shown))

    @app.post("/table/<path:name>/which-tile")
    def answer_question(name: str) -> AnyResponse:
        opened = pages.opened_table(name)
        n, number = (plain_number(request.form.get(key), 8) for key in ("n", "number"))
        where, tile = (request.form.get(key, "") for key in ("where", "tile"))
        how = OVER if n is None or number is None else give_answer(opened, AnswerTile(n, number, where, tile, viewer().name), send)
        return see_other("question", name=name, answered=how)


def _show(pages: Pages, shown: str, name: str) -> str:
    page = pages.of_play(shown, name)
    if page is None:
        abort(404)
    asked = request.args.get("answered", "")
    return show_live(page, url_for("events", table=name, page=shown), name=name, answered=asked if asked in HOW else "")


BEFORE = 4
"""Events shown before the one in doubt."""
AT_GATES = frozenset({"drew-early", "drew-out-of-turn", "drew-twice", "put-back"})
"""The violations that only a draw gate reports, by stable word."""
_HOW = (SENT, OVER, OFFLINE)


def add_record_questions(app: Flask, pages: Pages, send: Send) -> None:

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
        return render_template(
            "rulings/which_record.html",
            name=name,
            n=n,
            doubted=list(doubted_events(hand, opened, reader_words())),
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


def _answer(n: int, form: Form, name: str) -> AnswerRecord | None:
    """The choice of a referee of that name: who was right, or which violation it was; None for no valid choice."""
    number, seat, right = plain_number(form.get("number")), form.get("seat", ""), form.get("right", "")
    of = next((each for each in Seat if each.value == seat), None)
    if number is None or not right or (seat and of is None):
        return None
    if right in set(RecordVerdict):
        return AnswerRecord(n, number, RecordVerdict(right), name, of)
    return AnswerRecord(n, number, RecordVerdict.DECODER, name, of, right)


def doubted_events(hand: HandSummary, opened: TableScope, words: Words) -> Iterator[Values]:
    """The events of a hand's record that the table asks, or asked, about, each with those ``before`` it; ``held`` is None if the record
    ends there, ``read`` if the decoder thinks that the hand was over. Or what ``seat`` may have done before that event: ``violations`` are
    the possibly broken rules in words, by stable word; if only a draw gate reports it (``at_gate``), the hand that took the tile is
    unknown. ``answered`` is the referee's answer, in words."""
    played = [event for event in hand.events if isinstance(event.body, PlayEvent)]
    for event, asked, answer in doubts(hand):
        number, seat, rules = asked.number, asked.seat, asked.violations or {}
        yield {
            "key": str(number) if seat is None else f"{number}-{seat.value}",
            "number": number,
            "before": [_in_words(earlier, words) for earlier in played[max(0, number - 1 - BEFORE) : number - 1]],
            "held": _row(event, asked.held, words),
            "read": _row(event, asked.read, words),
            "answered": None if answer is None else log_row(answer, words).text,
            "seat": seat,
            "violations": {what: broken_rule(what, rule, words) for what, rule in rules.items()},
            "at_gate": not AT_GATES.isdisjoint(rules),
            "pictures": opened.pictures_of(hand.n, number, seat),
        }


def _row(asked: PublicEvent, text: str, words: Words) -> LogRow | None:
    """What record or decoder have, in a history's words; None if they have nothing there."""
    if not text:
        return None
    fields = parse_object(text)
    body = from_json(fields)
    return _in_words(replace(asked, type=str(fields.pop("type")), fields=fields, body=body), words)


def _in_words(event: PublicEvent, words: Words) -> LogRow:
    """An event of play in a history, including those left out of a table's."""
    if type(event.body) not in UNLOGGED:
        return log_row(event, words)
    seat = event.fields.get("seat")
    text = words(f"record.{event.type}", seat="" if seat is None else words.seat(Seat(seat)))
    return LogRow(write_time(event.at), text, (), important=False)
