"""Operations about a table's questions to a referee: a tile that it cannot read, with pictures, and a doubted record."""

from typing import Annotated

import msgspec

from dashboard.actions.answers import OFFLINE, SENT, give_answer, give_record_answer
from dashboard.api.operations import REFEREES, ApiRequest, OperationList, ProblemKind, not_found
from dashboard.api.table_operations import DealNumber, opened_table
from twinwall.event.management.changes import TableName
from twinwall.game.tiles import Seat
from twinwall.game.typed_json import Count, Number
from twinwall.values import FrozenStruct, Shape
from twinwall.wire.events.hand_events import RecordVerdict
from twinwall.wire.messages.commands import AnswerRecord, AnswerTile

OPERATIONS = OperationList()


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
