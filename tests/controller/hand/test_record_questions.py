"""A record that the decoder doubts: the referee is asked once nothing of the deal is secret any more, and not before."""

from __future__ import annotations

import pytest

from controller.core.apply import apply
from controller.core.decide import decide
from controller.core.outputs import outputs_of
from controller.ledger.journal_events import JournalEvent, RecordDisputed
from controller.state.messages import Message, Refused, SlipHeard
from controller.state.setup import Setup
from controller.state.table_state import TableState
from tests.support.controller.rigs import set_up
from twinwall.wire.events.hand_events import DealReleased, RecordAnswered, RecordDoubt, RecordQuestioned, RecordVerdict
from twinwall.wire.messages.commands import AnswerRecord

DOUBT = RecordDoubt(
    1, 2, '{"type": "tile-discarded", "seat": "E", "tile": "1m"}', '{"type": "tile-discarded", "seat": "E", "tile": "2m"}', 12.0
)
ASKED = RecordQuestioned(1, 2, DOUBT.held, DOUBT.read, 12.0)
VERDICT = AnswerRecord(1, 2, RecordVerdict.DECODER, "Abe")


class PlayedHand:
    """A table that has played deal 1; ``events`` are those that followed from what it was told."""

    def __init__(self, setup: Setup) -> None:
        self.setup, self.state = setup, TableState(closed=(1,))
        self.events: list[JournalEvent] = []

    def tell(self, *messages: Message) -> PlayedHand:
        for message in messages:
            decision = decide(self.setup, self.state, message)
            for event in () if isinstance(decision, Refused) else decision:
                self.state = apply(self.setup, self.state, event)
                self.events.append(event)
        return self


@pytest.fixture
def of_a_vault() -> PlayedHand:
    return PlayedHand(set_up(custody=True))


def test_the_referee_is_asked_with_the_release_and_not_before(of_a_vault: PlayedHand) -> None:
    of_a_vault.tell(DOUBT)
    assert of_a_vault.events == [RecordDisputed(1, 2, ASKED.held, ASKED.read, 12.0)]
    of_a_vault.tell(SlipHeard(1))
    assert of_a_vault.events[1:] == [DealReleased(1), ASKED]


def test_pictures_of_the_event_are_asked_for_from_the_release_until_the_answer(of_a_vault: PlayedHand) -> None:
    doubted = [outputs_of(of_a_vault.setup, of_a_vault.tell(*told).state).asked.records for told in ([DOUBT], [SlipHeard(1)], [VERDICT])]
    assert doubted == [(), ((1, 2, None),), ()]


def test_a_doubt_that_comes_after_the_release_is_asked_about_at_once(of_a_vault: PlayedHand) -> None:
    assert of_a_vault.tell(SlipHeard(1), DOUBT).events[-1] == ASKED


def test_a_deal_that_no_vault_gave_is_released_by_nobody_and_asked_about_at_once() -> None:
    assert PlayedHand(set_up()).tell(DOUBT).events[-1] == ASKED


def test_an_answer_before_the_question_is_refused_or_it_would_tell_that_there_is_a_doubt(of_a_vault: PlayedHand) -> None:
    assert len(of_a_vault.tell(DOUBT, VERDICT).events) == 1


def test_an_answer_stands_once_and_leaves_nothing_open(of_a_vault: PlayedHand) -> None:
    of_a_vault.tell(DOUBT, SlipHeard(1), VERDICT, VERDICT)
    assert [event for event in of_a_vault.events if isinstance(event, RecordAnswered)] == [
        RecordAnswered(1, 2, RecordVerdict.DECODER, "Abe")
    ]
    assert of_a_vault.state.disputes == ()


def test_a_hand_that_is_compared_again_after_a_start_is_asked_about_once(of_a_vault: PlayedHand) -> None:
    assert len(of_a_vault.tell(DOUBT, DOUBT).events) == 1


def test_an_answer_to_another_event_or_deal_is_refused(of_a_vault: PlayedHand) -> None:
    of_a_vault.tell(DOUBT, SlipHeard(1), AnswerRecord(1, 3, RecordVerdict.RECORD, "Abe"), AnswerRecord(2, 2, RecordVerdict.RECORD, "Abe"))
    assert len(of_a_vault.state.disputes) == 1


def test_nothing_follows_from_a_doubt_of_a_hand_that_was_not_played_here(of_a_vault: PlayedHand) -> None:
    """No refusal either: the log would tell of it."""
    assert decide(of_a_vault.setup, TableState(), DOUBT) == ()
