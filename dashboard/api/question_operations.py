"""Operations about what a table asks a referee: a tile that it cannot read, with what the camera saw of it, and a doubted record."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Struct

from dashboard.api.operations import REFEREES, ApiRequest, Declared, Nothing, Operation, offer
from dashboard.api.problems import ProblemError, ProblemKind
from dashboard.api.table_operations import OneTable, opened_table
from dashboard.pages.rulings.question_routes import OFFLINE, NotAnsweredError, give_answer
from dashboard.pages.rulings.record_routes import give_record_answer
from twinwall.event.management.changes import TableName
from twinwall.game.tiles import Seat
from twinwall.wire.events.hand_events import RecordVerdict
from twinwall.wire.messages.commands import AnswerRecord, AnswerTile


class QuestionAnswer(Struct, frozen=True):
    """Which tile lies in a slot of a place?

    Attributes:
        deal: of the hand; ``number`` are its events so far, which the answer names.
        where: the slot, which the answer names as well: physical place 0 to 3, area (`river`, `meld`, `hand`, `win`), number from 0.
        kinds: all that can be answered, in the order of what the camera alone thinks.
        before: the slot and its neighbours before the tile was laid, as a JPEG file in base64; empty where none is known or shown.
        after: the same now.
    """

    deal: int
    number: int
    where: str
    kinds: tuple[str, ...]
    before: bytes
    after: bytes


class SlotOrder(Struct, frozen=True, forbid_unknown_fields=True):
    """Which tile it is; ``deal``, ``number`` and ``where`` are those of the question."""

    deal: Annotated[int, msgspec.Meta(ge=0, le=99_999)]
    number: Annotated[int, msgspec.Meta(ge=0)]
    where: str
    tile: str


class TileNamed(Struct, frozen=True):
    """An answer that was sent to its table; it stands when the table's events have it."""

    deal: int
    tile: str
    by: str


class OneRecord(Struct, frozen=True, forbid_unknown_fields=True):
    """The record of a table's hand by its deal."""

    table: TableName
    deal: Annotated[int, msgspec.Meta(ge=1, le=99_999)]


class RecordOrder(Struct, frozen=True, forbid_unknown_fields=True):
    """What is right of event ``number`` of the record: the record, the decoder, or neither.

    Attributes:
        seat: where a call's word is `violation`, the seat that may have broken a rule before that event, as in `record-questioned`.
        violation: then, where the decoder is right, which of the `violations` of that event it was.
    """

    number: Annotated[int, msgspec.Meta(ge=1)]
    right: RecordVerdict
    seat: Seat | None = None
    violation: str | None = None


class DoubtAnswered(Struct, frozen=True, omit_defaults=True):
    """An answer that was sent to its table; it stands when the table's events have it. Record and result stay as they are."""

    deal: int
    number: int
    right: RecordVerdict
    by: str
    seat: Seat | None = None
    violation: str | None = None


def read_question(asked: ApiRequest[OneTable, Nothing]) -> QuestionAnswer:
    """Open a table and read what it asks: the look is recorded under the token's name."""
    table = asked.parameters.table
    question = opened_table(asked.hall, asked.viewer, table).question
    if question is None:
        raise ProblemError(ProblemKind.NOT_FOUND, f"Table {table} asks about no tile now.")
    kinds = tuple(tile.text for tile in question.tiles)
    return QuestionAnswer(question.n, question.number, question.where, kinds, question.before, question.after)


def answer_question(asked: ApiRequest[OneTable, SlotOrder]) -> TileNamed:
    """Say which tile it is, as the referee's page does."""
    order = asked.body
    answer = AnswerTile(order.deal, order.number, order.where, order.tile, asked.viewer.name)
    try:
        give_answer(opened_table(asked.hall, asked.viewer, asked.parameters.table), answer, asked.hall.send)
    except NotAnsweredError as problem:
        kind = ProblemKind.UNAVAILABLE if problem.word == OFFLINE else ProblemKind.REFUSED
        raise ProblemError(kind, asked.words(f"which.{problem.word}"), reason=problem.word) from None
    return TileNamed(answer.n, answer.tile, answer.referee)


def answer_record(asked: ApiRequest[OneRecord, RecordOrder]) -> DoubtAnswered:
    """Say what happened where a call says that a record is doubted, as the referee's page does."""
    order, at = asked.body, asked.parameters
    answer = AnswerRecord(at.deal, order.number, order.right, asked.viewer.name, order.seat, order.violation)
    try:
        give_record_answer(opened_table(asked.hall, asked.viewer, at.table), answer, asked.words, asked.hall.send)
    except NotAnsweredError as problem:
        if problem.word == OFFLINE:
            raise ProblemError(ProblemKind.UNAVAILABLE, asked.words("which.offline"), reason=problem.word) from None
        raise ProblemError(ProblemKind.REFUSED, asked.words(f"record.{problem.word}"), reason=problem.word) from None
    return DoubtAnswered(answer.n, answer.number, answer.right, answer.referee, answer.seat, answer.violation)


OPERATIONS: tuple[Operation, ...] = (
    offer(
        Declared("readQuestion", "GET", "/tables/{table}/question", "Read which tile a table asks about; it is recorded.", REFEREES),
        OneTable,
        Nothing,
        QuestionAnswer,
        read_question,
    ),
    offer(
        Declared(
            "answerQuestion",
            "POST",
            "/tables/{table}/question/answer",
            "Say which tile it is.",
            REFEREES,
            (ProblemKind.REFUSED,),
        ),
        OneTable,
        SlotOrder,
        TileNamed,
        answer_question,
    ),
    offer(
        Declared(
            "answerRecord",
            "POST",
            "/tables/{table}/records/{deal}/answer",
            "Say what happened where a record is doubted.",
            REFEREES,
            (ProblemKind.REFUSED,),
        ),
        OneRecord,
        RecordOrder,
        DoubtAnswered,
        answer_record,
    ),
)
