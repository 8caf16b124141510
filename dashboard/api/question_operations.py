"""Operations about what a table asks a referee: a tile that it cannot read, with what the camera saw of it, and a doubted record."""

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


class SlotOrder(Shape):
    """Which tile it is; ``deal``, ``number`` and ``where`` are those of the question."""

    deal: Annotated[int, msgspec.Meta(ge=0, le=99_999)]
    number: Count
    where: str
    tile: str


class TileNamed(FrozenStruct):
    """An answer that was sent to its table; it stands when the table's events have it."""

    deal: int
    tile: str
    by: str


class RecordOrder(Shape):
    """What is right of event ``number`` of the record: the record, the decoder, or neither.

    Attributes:
        seat: where a call's word is `violation`, the seat that may have broken a rule before that event, as in `record-questioned`.
        violation: then, where the decoder is right, which of the `violations` of that event it was.
    """

    number: Number
    right: RecordVerdict
    seat: Seat | None = None
    violation: str | None = None


class DoubtAnswered(RecordOrder, kw_only=True, omit_defaults=True, forbid_unknown_fields=False):
    """An answer that was sent to its table; it stands when the table's events have it. Record and result stay as they are."""

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
    """Raise the problem that an answer is which was not sent; ``sentences`` is how their keys begin."""
    if how == OFFLINE:
        raise asked.problem("which.offline", ProblemKind.UNAVAILABLE)
    if how != SENT:
        raise asked.problem(f"{sentences}.{how}")
