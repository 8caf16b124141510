"""Operations at the tables: progress, calls, the play for the referee who opens a table, rulings, joined tables, questions. A table asks a
referee about a tile that its camera cannot read, with pictures, and about a doubted record."""

import secrets
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated

import msgspec

from dashboard.access.session_progress import OpenTable
from dashboard.access.viewer_scope import TableScope
from dashboard.actions.answers import OFFLINE, SENT, give_answer, give_record_answer
from dashboard.actions.rulings import NotRuledError, OddRulingError, give_ruling, odd_in_words, past_situation, situation
from dashboard.api.operations import DIRECTORS, EVERYBODY, REFEREES, STAFF, ApiRequest, OperationList, ProblemError, ProblemKind, not_found
from dashboard.projections.open_view import OpenStage
from twinwall.event.management.changes import TableName
from twinwall.event.store.staff_calls import Call, CallKind
from twinwall.game.tiles import Seat
from twinwall.game.typed_json import Count, Number
from twinwall.values import FrozenStruct, Shape
from twinwall.wire.events.hand_events import RecordVerdict
from twinwall.wire.messages.assignment import HallStage
from twinwall.wire.messages.commands import AnswerRecord, AnswerTile
from twinwall.wire.messages.ruling import effects_json

OPERATIONS = OperationList()
DealNumber = Annotated[int, msgspec.Meta(ge=1, le=99_999)]


class TableAnswer(FrozenStruct):
    """A table as the token's viewer may know it.

    Attributes:
        stage: what it does; ``since`` when that began.
        deal: the deal in play or finished last, with its session and hand; null before the first.
        heard: when its last line or heartbeat came; ``silent`` if that is too long ago.
        calls_referee: whether the referee is called.
        faults: stable words of what needs a person; ``links_lost`` are cameras and other parts that are not reached.
    """

    table: str
    stage: OpenStage
    since: datetime | None
    deal: int | None
    session: int | None
    hand: int | None
    heard: datetime | None
    silent: bool
    calls_referee: bool
    faults: tuple[str, ...]
    links_lost: tuple[str, ...]


class TablesAnswer(FrozenStruct):
    """All tables, in the order of the hall; ``connected`` if the server reaches them."""

    connected: bool
    tables: tuple[TableAnswer, ...]


class CallAnswer(FrozenStruct):
    """An open call, named by its line in the table's ledger. ``word`` is a fault's code; ``taken_by`` answered it first.

    Attributes:
        deal: of the hand with a doubted record, at its event number ``event``; null for other calls. If the word is `violation`, a seat may
        have
         broken a rule before that event.
    """

    table: str
    journal: str
    line: int
    at: datetime
    kind: CallKind
    word: str
    deal: int | None
    event: int | None
    taken_by: str | None


class CallsAnswer(FrozenStruct):
    """The open calls, the earliest first."""

    calls: tuple[CallAnswer, ...]


class CallOrder(Shape):
    """The call to answer."""

    table: TableName
    journal: str
    line: Number


class LedgerEvent(FrozenStruct):
    """A line of a table's ledger."""

    journal: str
    line: int
    at: datetime
    type: str
    fields: dict[str, msgspec.Raw]


class PlayAnswer(FrozenStruct):
    """The play of a table, for the referee who opened it.

    Attributes:
        deal: of the hand; null if there is none.
        players: by seat.
        events: what happened, in order.
        choices: what can be ruled now; send one as ``choice``.
        earlier: deals of finished hands here, which can be ruled on too.
    """

    table: str
    deal: int | None
    hand: int | None
    players: Mapping[Seat, str]
    events: tuple[LedgerEvent, ...]
    choices: tuple[str, ...]
    earlier: tuple[int, ...]


class RulingOrder(Shape):
    """A ruling on a deal at a table, on the hand in play or a finished one.

    Attributes:
        choice: one from readPlay.
        reason: needed if the ruling changes what a hand counts for; it names no player.
        imp: of a penalty; ``points`` go to each of the others.
        scores: of an adjusted score, by seat.
        other: for the choice `exchanged`, the seat that changes players with the first one.
        sure: rule even if scores or penalty are unusual by the rules; without it the refusal `odd` says what is.
        form: the ruling's own id; repeated with the same id and content it is one ruling. Without it, each request is a new one.
    """

    deal: DealNumber
    choice: str
    seat: Seat
    reason: str = ""
    imp: int = 0
    points: int = 0
    scores: dict[Seat, int] = {}  # noqa: RUF012 - msgspec copies it
    other: Seat | None = None
    sure: bool = False
    form: str = ""


class RulingAnswer(FrozenStruct):
    """A ruling sent to its table; it takes effect with the table's events. The table announces ``texts``."""

    identity: str
    deal: int
    by: str
    texts: dict[str, str]
    effects: tuple[dict[str, msgspec.Raw], ...]


class JoinedTableAnswer(FrozenStruct):
    """A table that has joined the hall: ``lacks`` is what it needs to play, ``refused`` why it refused its assignment."""

    table: str
    stage: HallStage
    heard: datetime
    version: str
    lacks: tuple[str, ...]
    refused: str
    session: int | None


class JoinedTablesAnswer(FrozenStruct):
    """The tables that have joined the hall."""

    tables: tuple[JoinedTableAnswer, ...]


@OPERATIONS.offer("GET", "/tables", EVERYBODY)
def read_tables(asked: ApiRequest) -> TablesAnswer:
    """Read where each table is."""
    scope = asked.hall.policy.scope(asked.viewer)
    return TablesAnswer(scope.connected, tuple(map(_table, scope.tables())))


@OPERATIONS.offer("GET", "/calls", STAFF)
def read_calls(asked: ApiRequest) -> CallsAnswer:
    """Read what asks for a person."""
    return CallsAnswer(tuple(map(_call, asked.hall.policy.scope(asked.viewer).calls())))


@OPERATIONS.offer("POST", "/calls/taken", STAFF)
def take_call(asked: ApiRequest, body: CallOrder) -> CallsAnswer:
    """Take up a call."""
    if not asked.hall.policy.acknowledge(asked.viewer, body.table, body.journal, body.line):
        raise not_found(f"Line {body.line} of table {body.table} is no call; GET /calls lists the open ones.")
    return read_calls(asked)


@OPERATIONS.offer("GET", "/tables/{table}/play", REFEREES)
def read_play(asked: ApiRequest, table: TableName, deal: DealNumber | None = None) -> PlayAnswer:
    """Open a table; the look is recorded."""
    opened = opened_table(asked, table)
    view = opened.play().view
    here = view.deal_at_table
    latest = None if view.hand is None else view.hand.n
    earlier = tuple(past.n for past in opened.closed_hands() if past.n != here)
    hand = opened.hand(deal or latest or 0)
    if hand is None and deal not in (None, here):
        raise not_found(f"Table {table} has no hand of deal {deal}.")
    now = situation(view) if hand is None or hand.n == here else past_situation(hand)
    choices = () if now is None else tuple(offer.value for offer in now.offers)
    if hand is None:
        return PlayAnswer(table, here, None, {}, (), choices, earlier)
    return PlayAnswer(
        table,
        hand.n,
        hand.hand,
        hand.names,
        tuple(LedgerEvent(each.journal, each.seq, each.at, each.type, _raw(each.fields)) for each in hand.events),
        choices,
        earlier,
    )


@OPERATIONS.offer("POST", "/tables/{table}/rulings", REFEREES, ProblemKind.REFUSED)
def rule(asked: ApiRequest, table: TableName, body: RulingOrder) -> RulingAnswer:
    """Rule on a hand, also on one that is over."""
    opened = opened_table(asked, table)
    form = {
        "n": body.deal,
        "choice": body.choice,
        "seat": body.seat.value,
        "reason": body.reason,
        "other": "" if body.other is None else body.other.value,
        "sure": "sure" if body.sure else "",
        "form": body.form or secrets.token_hex(8),
    }
    form |= {"imp": body.imp, "points": body.points} | {f"score-{seat.value}": score for seat, score in body.scores.items()}
    try:
        ruling = give_ruling(asked.hall.policy, asked.viewer, opened, {key: str(value) for key, value in form.items()}, asked.hall.send)
    except OddRulingError as problem:
        raise ProblemError(ProblemKind.REFUSED, " ".join(odd_in_words(problem.odd, asked.words)), reason="odd") from None
    except NotRuledError as problem:
        kind = ProblemKind.UNAVAILABLE if problem.key.endswith(".offline") else ProblemKind.REFUSED
        raise asked.problem(problem.key, kind) from None
    return RulingAnswer(ruling.identity, ruling.n, ruling.by, dict(ruling.texts), tuple(map(_raw, effects_json(ruling.effects))))


@OPERATIONS.offer("GET", "/joined-tables", DIRECTORS)
def read_joined_tables(asked: ApiRequest) -> JoinedTablesAnswer:
    """Read the tables that have joined the hall."""
    return JoinedTablesAnswer(
        tuple(
            JoinedTableAnswer(
                each.name,
                each.heartbeat.stage,
                each.heard,
                each.heartbeat.version,
                tuple(each.heartbeat.lacks),
                each.heartbeat.refused,
                None if each.assigned is None else each.assigned.session,
            )
            for each in asked.hall.joined()
        )
    )


def opened_table(asked: ApiRequest, table: str) -> TableScope:
    """The table that a referee's token opens; the look is recorded. Raises ProblemError if it cannot be opened."""
    opened = asked.hall.policy.open_table(asked.viewer, table)
    if opened is None:
        raise not_found(f"Table {table} cannot be opened: there is none of that name, or the look cannot be written down now.")
    return opened


def _call(call: Call) -> CallAnswer:
    deal, event = call.doubted or (None, None)
    taken_by = None if call.acknowledged is None else call.acknowledged.by
    return CallAnswer(call.table, call.journal, call.seq, call.at, call.kind, call.word, deal, event, taken_by)


def _table(table: OpenTable) -> TableAnswer:
    view = table.view
    hand = view.hand
    return TableAnswer(
        table.name,
        view.stage,
        view.since,
        None if hand is None else hand.n,
        None if hand is None else hand.session,
        None if hand is None else hand.number,
        table.heard,
        table.silent,
        view.call is not None,
        tuple(fault.code for fault in view.faults),
        view.links_lost,
    )


def _raw(fields: object) -> dict[str, msgspec.Raw]:
    return msgspec.json.decode(msgspec.json.encode(fields), type=dict[str, msgspec.Raw])


class QuestionAnswer(FrozenStruct):
    """Which tile is in this slot?

    Attributes:
        deal: of the hand; ``number`` is that of its events so far, which the answer names.
        where: the slot, which the answer names too: physical place 0 to 3, area (`river`, `meld`, `hand`, `win`), number from 0.
        kinds: all possible answers, in the camera's order of likelihood.
        before: the slot and its neighbours before the tile was there, as a JPEG file in base64; empty if unknown or not shown.
        after: the same now.
    """

    deal: int
    number: int
    where: str
    kinds: tuple[str, ...]
    before: bytes
    after: bytes


class SlotOrder(Shape):
    """Which tile it is; ``deal``, ``number`` and ``where`` are those of the question."""

    deal: Annotated[int, msgspec.Meta(ge=0, le=99_999)]
    number: Count
    where: str
    tile: str


class TileNamed(FrozenStruct):
    """An answer sent to its table; it takes effect with the table's events."""

    deal: int
    tile: str
    by: str


class RecordOrder(Shape):
    """Who is right about event ``number`` of the record: the record, the decoder, or neither.

    Attributes:
        seat: if a call's word is `violation`, the seat that may have broken a rule before that event, as in `record-questioned`.
        violation: if the decoder is then right, which of the event's `violations` it was.
    """

    number: Number
    right: RecordVerdict
    seat: Seat | None = None
    violation: str | None = None


class DoubtAnswered(RecordOrder, kw_only=True, omit_defaults=True, forbid_unknown_fields=False):
    """An answer sent to its table; it takes effect with the table's events. Record and result do not change."""

    deal: int
    by: str


@OPERATIONS.offer("GET", "/tables/{table}/question", REFEREES)
def read_question(asked: ApiRequest, table: TableName) -> QuestionAnswer:
    """Read which tile a table asks about; it is recorded."""
    question = opened_table(asked, table).question
    if question is None:
        raise not_found(f"Table {table} asks about no tile now.")
    kinds = tuple(tile.text for tile in question.tiles)
    return QuestionAnswer(question.n, question.number, question.where, kinds, question.before, question.after)


@OPERATIONS.offer("POST", "/tables/{table}/question/answer", REFEREES, ProblemKind.REFUSED)
def answer_question(asked: ApiRequest, table: TableName, body: SlotOrder) -> TileNamed:
    """Say which tile it is."""
    answer = AnswerTile(body.deal, body.number, body.where, body.tile, asked.viewer.name)
    _check_sent(asked, give_answer(opened_table(asked, table), answer, asked.hall.send), "which")
    return TileNamed(answer.n, answer.tile, answer.referee)


@OPERATIONS.offer("POST", "/tables/{table}/records/{deal}/answer", REFEREES, ProblemKind.REFUSED)
def answer_record(asked: ApiRequest, table: TableName, deal: DealNumber, body: RecordOrder) -> DoubtAnswered:
    """Say what happened where a record is doubted."""
    answer = AnswerRecord(deal, body.number, body.right, asked.viewer.name, body.seat, body.violation)
    _check_sent(asked, give_record_answer(opened_table(asked, table), answer, asked.hall.send), "record")
    return DoubtAnswered(answer.number, answer.right, answer.seat, answer.violation, deal=answer.n, by=answer.referee)


def _check_sent(asked: ApiRequest, how: str, sentences: str) -> None:
    """Raise the problem of an answer that was not sent; ``sentences`` begins their message keys."""
    if how == OFFLINE:
        raise asked.problem("which.offline", ProblemKind.UNAVAILABLE)
    if how != SENT:
        raise asked.problem(f"{sentences}.{how}")
