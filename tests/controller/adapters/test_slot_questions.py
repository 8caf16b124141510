"""Sender of the open question: it sends only with pictures of that very question, again until settled, and forgets them then."""

from collections.abc import Callable, Mapping

import pytest
from msgspec.structs import replace

from controller.adapters.slot_questions import MOST_RECORDS, MOST_VIOLATIONS, UNREPORTED_S, SlotQuestions
from controller.state.questions import AskedNow, DoubtedPlace, Pictures, SlotQuestion
from tests.support.controller.rigs import QUESTION, FakeBroker, doubted_place
from twinwall.game.rules import rule_set
from twinwall.game.tiles import ALL_TILES, Seat, Tile
from twinwall.wire.events.trouble_events import TableSubject
from twinwall.wire.messages.signing import Signer
from twinwall.wire.messages.tile_question import Asked, AskedRecord, AskedTile, ShownCall, ShownViolation, read_question
from vision.mat import Area, Slot

SIGNER = Signer("1", bytes(32))
FIRST = SlotQuestion(1, 20, Slot(2, Area.RIVER, 4))


def doubted(question: SlotQuestion = FIRST, tile: Tile = Tile.M5) -> DoubtedPlace:
    return doubted_place(question, tile)


def sender(kinds: tuple[Tile, ...] = ALL_TILES, now_s: Callable[[], float] = lambda: 0.0) -> tuple[SlotQuestions, FakeBroker]:
    broker = FakeBroker()
    questions = SlotQuestions("test", "1", kinds, SIGNER, now_s)
    questions.link = broker
    return questions, broker


def sent(broker: FakeBroker) -> list[AskedTile]:
    return [each for each in all_sent(broker) if isinstance(each, AskedTile)]


def all_sent(broker: FakeBroker) -> list[Asked]:
    assert {topic for topic, _ in broker.published} <= {QUESTION}
    return [read_question(payload, "test", "1", SIGNER.public) for _, payload in broker.published]


def test_it_is_sent_again_with_each_beat_and_with_the_latest_picture() -> None:
    questions, broker = sender()
    questions.show(AskedNow(FIRST))
    questions.keep(doubted(SlotQuestion(1, 24, Slot(3, Area.RIVER, 4))))  # of another discard
    questions.beat()
    for tile in (Tile.M5, Tile.M6):
        questions.keep(doubted(FIRST, tile))
        questions.beat()
    assert [each.after[-2:] for each in sent(broker)] == [b"5m", b"6m"]


def test_a_question_is_signed_when_it_is_sent_and_not_with_every_picture() -> None:
    signatures: list[str] = []

    class Counting(Signer):
        def signature(self, purpose: str, event: str, table: str, document: Mapping[str, object]) -> str:
            signatures.append(purpose)
            return super().signature(purpose, event, table, document)

    questions = SlotQuestions("test", "1", ALL_TILES, Counting("1", bytes(32)))
    questions.link = FakeBroker()
    questions.show(AskedNow(FIRST))
    for index in range(14):
        questions.keep(doubted(FIRST if index == 0 else SlotQuestion(1, 20, Slot(2, Area.HAND, index))))
    assert signatures == []
    questions.beat()
    assert len(signatures) == 1


def test_only_kinds_that_the_rules_play_with_are_offered() -> None:
    kinds = rule_set("sichuan").tiles
    questions, broker = sender(kinds)
    questions.show(AskedNow(FIRST))
    questions.keep(doubted(FIRST, Tile.S9))
    questions.beat()
    assert (set(sent(broker)[0].tiles), sent(broker)[0].tiles[0]) == (set(kinds), Tile.S9)


def test_of_several_tiles_in_doubt_the_one_that_is_asked_about_is_shown() -> None:
    of_meld = [SlotQuestion(1, 20, Slot(2, Area.MELD, index)) for index in (0, 2)]
    questions, broker = sender()
    for question, tile in zip(of_meld, (Tile.M5, Tile.M7), strict=True):
        questions.keep(doubted(question, tile))
    questions.show(AskedNow(of_meld[1]))
    (asked,) = sent(broker)
    assert (asked.where, asked.after[-2:]) == ("2 meld 2", b"7m")


JPEG = b"\xff\xd8\xff"


def test_pictures_of_a_violation_in_doubt_are_told_from_those_of_the_event_after_it_by_the_seat() -> None:
    questions, broker = sender()
    questions.keep(AskedRecord(3, 7, after=JPEG + b"event", before=JPEG))
    questions.keep(AskedRecord(3, 7, after=JPEG + b"west", before=JPEG, seat="W"))
    questions.show(AskedNow(records=((3, 7, Seat.WEST),)))
    assert all_sent(broker) == [AskedRecord(3, 7, after=JPEG + b"west", before=JPEG, seat="W")]


def test_of_too_many_doubted_records_the_oldest_pictures_are_discarded() -> None:
    questions, broker = sender()
    for n in range(MOST_RECORDS + 1):
        questions.keep(AskedRecord(n, 1, after=JPEG))
    questions.show(AskedNow(records=tuple([(n, 1, None) for n in range(MOST_RECORDS + 1)])))
    assert [each.n for each in all_sent(broker)] == list(range(1, MOST_RECORDS + 1))


TWICE = (3, Seat.WEST, "discarded-twice")


def seen(what: str = "discarded-twice", n: int = 3) -> ShownViolation:
    return ShownViolation(n, "W", what, after=JPEG + what.encode(), before=JPEG)


@pytest.mark.parametrize("told_at_once", [True, False])
def test_of_too_many_violations_the_oldest_pictures_are_discarded(*, told_at_once: bool) -> None:
    questions, broker = sender()
    told = [(n, Seat.WEST, "discarded-twice") for n in range(MOST_VIOLATIONS + 1)]
    for n in range(MOST_VIOLATIONS + 1):
        questions.keep(seen(n=n))
        if told_at_once:
            questions.show(AskedNow(violations=tuple(told[: n + 1])))
    broker.published.clear()
    if told_at_once:
        questions.beat()
    else:
        questions.show(AskedNow(violations=tuple(told)))
    assert [each.n for each in all_sent(broker)] == list(range(1, MOST_VIOLATIONS + 1))


def test_a_picture_of_which_the_table_did_not_tell_is_discarded_at_a_ruling() -> None:
    questions, broker = sender()
    questions.keep(seen("false-claim"))
    questions.show(AskedNow(violations=(TWICE,)))
    questions.show(AskedNow(violations=()))
    questions.show(AskedNow(violations=((3, Seat.WEST, "false-claim"),)))
    assert all_sent(broker) == []


def test_a_picture_is_no_evidence_of_a_violation_that_the_table_tells_long_after_it() -> None:
    now_s = 0.0
    questions, broker = sender(now_s=lambda: now_s)
    questions.keep(seen())
    questions.keep(seen("false-claim"))
    questions.show(AskedNow(violations=(TWICE,)))
    assert len(all_sent(broker)) == 1
    now_s = UNREPORTED_S + 1
    broker.published.clear()
    questions.show(AskedNow(violations=(TWICE, (3, Seat.WEST, "false-claim"))))
    assert [each.what for each in all_sent(broker) if isinstance(each, ShownViolation)] == ["discarded-twice"]


def test_pictures_of_which_the_table_does_not_tell_push_out_none_of_those_of_which_it_told() -> None:
    questions, broker = sender()
    questions.keep(seen())
    questions.show(AskedNow(violations=(TWICE,)))
    for n in range(4, 5 + MOST_VIOLATIONS):
        questions.keep(seen("false-claim", n))
    broker.published.clear()
    questions.beat()
    assert all_sent(broker) == [ShownViolation(3, "W", "discarded-twice", after=JPEG + b"discarded-twice", before=JPEG)]


def test_a_violation_that_is_committed_again_is_shown_with_its_own_picture_or_none() -> None:
    now_s = 0.0
    questions, broker = sender(now_s=lambda: now_s)
    questions.keep(seen())
    questions.show(AskedNow(violations=(TWICE,)))
    now_s = UNREPORTED_S + 1
    broker.published.clear()
    questions.show(AskedNow(violations=(TWICE, TWICE)))
    assert all_sent(broker) == [], "the picture of the first one is none of the second"
    questions.keep(seen())
    questions.beat()
    assert len(all_sent(broker)) == 1
    questions.keep(replace(seen(), after=JPEG + b"third"))
    broker.published.clear()
    questions.show(AskedNow(violations=(TWICE, TWICE, TWICE)))
    assert all_sent(broker) == [ShownViolation(3, "W", "discarded-twice", after=JPEG + b"third", before=JPEG)]


def test_a_picture_long_after_the_violation_was_told_is_of_another_one() -> None:
    now_s = 0.0
    questions, broker = sender(now_s=lambda: now_s)
    questions.show(AskedNow(violations=(TWICE,)))
    now_s = UNREPORTED_S + 1
    questions.keep(seen())
    questions.beat()
    assert all_sent(broker) == []


DIFFERS = (3, TableSubject.MAT_DIFFERS)


def looked(picture: bytes, n: int = 3) -> ShownCall:
    return ShownCall(n, TableSubject.MAT_DIFFERS, JPEG + picture)


def test_the_picture_of_what_the_table_calls_about_is_the_last_from_before_it_called() -> None:
    questions, broker = sender()
    questions.keep(looked(b"first"))
    questions.keep(looked(b"second"))
    questions.beat()
    assert all_sent(broker) == [], "the table has not called"
    questions.show(AskedNow(calls=(DIFFERS,)))
    questions.keep(looked(b"third"))
    questions.beat()
    assert all_sent(broker) == [ShownCall(3, "mat-differs", JPEG + b"second")] * 2


def picture_of_deal(what: str, n: int) -> Pictures:
    """A picture of a deal, of each kind that the table asks about."""
    match what:
        case "a tile":
            return doubted(SlotQuestion(n, FIRST.number, FIRST.slot))
        case "a record":
            return AskedRecord(n, 7, after=JPEG + b"after", before=JPEG)
        case "a violation":
            return seen(n=n)
        case _:
            return looked(b"first", n)


ASKED = {
    "a tile": AskedNow(SlotQuestion(3, FIRST.number, FIRST.slot)),
    "a record": AskedNow(records=((3, 7, None),)),
    "a violation": AskedNow(violations=(TWICE,)),
    "a call": AskedNow(calls=(DIFFERS,)),
}


@pytest.mark.parametrize("what", ASKED)
@pytest.mark.parametrize("comes_late", [False, True])
def test_pictures_are_sent_with_each_beat_once_the_table_asks_and_are_gone_when_it_asks_no_more(what: str, comes_late: bool) -> None:
    questions, broker = sender()
    questions.keep(picture_of_deal(what, 4))
    if comes_late:
        questions.show(ASKED[what])
    else:
        questions.keep(picture_of_deal(what, 3))
    questions.beat()
    assert all_sent(broker) == [], "nothing of this deal was seen, or the table has not asked"
    questions.keep(picture_of_deal(what, 3))
    questions.show(ASKED[what])
    questions.beat()
    questions.beat()
    assert {each.n for each in all_sent(broker)} == {3}
    assert len(all_sent(broker)) >= 2
    broker.published.clear()
    questions.show(AskedNow())
    questions.show(ASKED[what])
    questions.beat()
    assert all_sent(broker) == []
