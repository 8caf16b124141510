"""After the hand: its deal is released and journalled; a doubted record or violation is asked about after that, and the answer decides."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce

import pytest
from msgspec.structs import replace as altered

from controller.core.apply import apply
from controller.core.decide import decide
from controller.core.outputs import outputs_of
from controller.hand.decoding import hand_to_decode
from controller.hand.referee import confirmed
from controller.ledger.journal_events import JournalEvent, RecordDisputed
from controller.recorder.violations import RULES, ViolationKind
from controller.state.messages import Message, Refused, SlipHeard
from controller.state.sides import KnownViolation, OpenDeal, Playing, PlayStage
from controller.state.table_state import Setup, TableState
from controller.state.table_state import replace as replace_state
from tests.controller.hand.test_draw_gates import put_back
from tests.support.controller.players import Players, written_hand
from tests.support.controller.rigs import MakeRig, Rig, opened, set_up
from tests.support.game.tables import random_walls
from tests.support.narrowed import of_type, present
from twinwall.game.deals.uncommitted import imported_check
from twinwall.game.play_events import Offence, PenaltyRuled
from twinwall.game.replay import replay
from twinwall.game.tiles import Seat
from twinwall.wire.events.hand_events import DealReleased, RecordAnswered, RecordDoubt, RecordQuestioned, RecordVerdict
from twinwall.wire.events.trouble_events import Violation
from twinwall.wire.messages.commands import AnswerRecord
from twinwall.wire.messages.ruling import Ruling

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
    of_a_vault.tell(DOUBT, DOUBT)
    assert of_a_vault.events == [RecordDisputed(1, 2, ASKED.held, ASKED.read, 12.0)], "a hand that is compared again is doubted once"
    assert outputs_of(of_a_vault.setup, of_a_vault.tell(VERDICT).state).asked.records == (), "an answer would tell that there is a doubt"
    of_a_vault.tell(SlipHeard(1))
    assert of_a_vault.events[1:] == [DealReleased(1), ASKED]
    assert outputs_of(of_a_vault.setup, of_a_vault.state).asked.records == ((1, 2, None),), "pictures of the event"


@pytest.mark.parametrize(("custody", "told"), [(True, (SlipHeard(1), DOUBT)), (False, (DOUBT,))], ids=["released", "by no vault"])
def test_a_doubt_of_a_deal_that_is_open_is_asked_about_at_once(custody: bool, told: tuple[Message, ...]) -> None:
    assert PlayedHand(set_up(custody=custody)).tell(*told).events[-1] == ASKED


def test_an_answer_stands_once_and_leaves_nothing_open(of_a_vault: PlayedHand) -> None:
    of_a_vault.tell(DOUBT, SlipHeard(1), VERDICT, VERDICT)
    assert [each for each in of_a_vault.events if isinstance(each, RecordAnswered)] == [RecordAnswered(1, 2, RecordVerdict.DECODER, "Abe")]
    assert (of_a_vault.state.disputes, outputs_of(of_a_vault.setup, of_a_vault.state).asked.records) == ((), ())


def test_nothing_follows_from_a_doubt_of_a_hand_that_was_not_played_here(of_a_vault: PlayedHand) -> None:
    """No refusal either: the log would tell of it."""
    assert decide(of_a_vault.setup, TableState(), DOUBT) == ()


MAY_BE = {kind.value: RULES[kind] for kind in (ViolationKind.DREW_EARLY, ViolationKind.PUT_BACK)}
SUSPECTED = RecordDoubt(1, 2, "", "", 3.0, Seat.SOUTH, MAY_BE)
YES = AnswerRecord(1, 2, RecordVerdict.DECODER, "Abe", Seat.SOUTH, "drew-early")
NO = AnswerRecord(1, 2, RecordVerdict.RECORD, "Abe", Seat.SOUTH)
NOBODY_KNOWS = altered(NO, right=RecordVerdict.NEITHER)
CONFIRMED = Violation(
    Seat.SOUTH, "drew-early", "South drew before the discard before its turn lay there and was free", MAY_BE["drew-early"], 1, 2, "Abe"
)


@pytest.fixture
def asked(of_a_vault: PlayedHand) -> PlayedHand:
    """The referee is asked; what followed until then is forgotten."""
    of_a_vault.tell(SUSPECTED, SlipHeard(1)).events.clear()
    return of_a_vault


def refusal(hand: PlayedHand, told: AnswerRecord) -> str:
    return of_type(Refused, decide(hand.setup, hand.state, told)).sentence


def test_the_referee_is_asked_about_one_act_as_all_that_it_can_have_been_and_not_before_the_release(of_a_vault: PlayedHand) -> None:
    of_a_vault.tell(SUSPECTED)
    assert of_a_vault.events == [RecordDisputed(1, 2, "", "", 3.0, Seat.SOUTH, MAY_BE)]
    assert outputs_of(of_a_vault.setup, of_a_vault.state).asked.records == ()
    of_a_vault.tell(SlipHeard(1))
    assert of_a_vault.events[-1] == RecordQuestioned(1, 2, "", "", 3.0, Seat.SOUTH, MAY_BE)
    assert outputs_of(of_a_vault.setup, of_a_vault.state).asked.records == ((1, 2, Seat.SOUTH),)


def test_a_yes_makes_it_a_violation_of_that_hand_with_its_rule_and_the_referees_name(asked: PlayedHand) -> None:
    assert asked.tell(YES).events == [RecordAnswered(1, 2, RecordVerdict.DECODER, "Abe", Seat.SOUTH, "drew-early"), CONFIRMED]
    assert asked.state.disputes == ()


@pytest.mark.parametrize("no", [NO, NOBODY_KNOWS], ids=["no", "nobody-knows"])
def test_a_no_closes_the_doubt_and_accuses_nobody(asked: PlayedHand, no: AnswerRecord) -> None:
    assert asked.tell(no).events == [RecordAnswered(1, 2, no.right, "Abe", Seat.SOUTH)]
    assert asked.state.disputes == ()


@pytest.mark.parametrize("other", [altered(YES, number=3), altered(YES, n=2), altered(YES, seat=Seat.WEST), altered(NO, seat=None)])
def test_an_answer_to_what_was_not_asked_is_refused(asked: PlayedHand, other: AnswerRecord) -> None:
    assert "not open" in refusal(asked, other)
    assert len(asked.state.disputes) == 1


@pytest.mark.parametrize(
    ("doubt", "wrong"),
    [
        pytest.param(SUSPECTED, altered(YES, violation="false-win"), id="another violation"),
        pytest.param(SUSPECTED, altered(YES, violation=None), id="none"),
        pytest.param(SUSPECTED, altered(NO, violation="drew-early"), id="one and no"),
        pytest.param(DOUBT, altered(VERDICT, violation="drew-early"), id="one where an event is asked about"),
    ],
)
def test_an_answer_that_contradicts_question_or_itself_is_refused(of_a_vault: PlayedHand, doubt: RecordDoubt, wrong: AnswerRecord) -> None:
    of_a_vault.tell(doubt, SlipHeard(1))
    assert ("false-win" if wrong.violation == "false-win" else "violation") in refusal(of_a_vault, wrong)
    assert len(of_a_vault.state.disputes) == 1


def test_doubts_of_an_event_and_of_two_seats_before_it_are_three_questions(of_a_vault: PlayedHand) -> None:
    of_a_vault.tell(DOUBT, SUSPECTED, replace(SUSPECTED, seat=Seat.WEST), SUSPECTED, SlipHeard(1), NO)
    assert [dispute.seat for dispute in of_a_vault.state.disputes] == [None, Seat.WEST]


def test_a_confirmed_violation_changes_nothing_of_the_hand_that_is_played_by_then(asked: PlayedHand) -> None:
    in_play = replace_state(asked.state, playing=Playing(PlayStage.PLAYING))
    decision = decide(asked.setup, in_play, YES)
    assert not isinstance(decision, Refused)
    after = reduce(lambda state, event: apply(asked.setup, state, event), decision, in_play)
    assert after.playing == in_play.playing
    assert replace_state(after, disputes=in_play.disputes) == in_play


def test_a_question_that_nobody_answers_holds_nothing_up(asked: PlayedHand) -> None:
    without = PlayedHand(asked.setup).tell(SlipHeard(1))
    assert replace_state(asked.state, disputes=()) == without.state
    mine, theirs = outputs_of(asked.setup, asked.state), outputs_of(asked.setup, without.state)
    assert replace(mine, asked=replace(mine.asked, records=())) == theirs


def test_the_referee_can_rule_on_the_hand_of_a_confirmed_violation(asked: PlayedHand) -> None:
    penalty = Ruling("r1", 1, "Abe", {"en": "South drew early"}, (PenaltyRuled(Seat.SOUTH, Offence.CONDUCT, 2, 0),))
    assert asked.tell(YES, penalty).events[-1] == penalty


@pytest.mark.parametrize("kind", ViolationKind)
def test_what_each_kind_of_violation_was_can_be_said(kind: ViolationKind) -> None:
    assert confirmed(Seat.EAST, kind, RULES[kind], n=1, number=2, by="Abe").sentence.startswith("East ")


def test_what_has_been_told_of_a_hand_is_known_after_a_ruling_and_a_restart(make_rig: MakeRig) -> None:
    game = put_back(make_rig)
    game.rig.rule()
    game.rig.die(power_cut=False)
    assert game.rig.state.playing.violations == ()
    decoded = present(hand_to_decode(replace(game.rig.setup, decodes=True), game.rig.state, None))
    assert decoded.violations == (KnownViolation(1, Seat.EAST, "put-back"),)


def test_a_table_that_is_killed_between_doubt_and_answer_and_after_it_stands_where_it_stood(make_rig: MakeRig) -> None:
    """No vault gave the deal, so the referee is asked at once, while the next hand may begin."""
    walls = random_walls(1)
    rig = make_rig(opened(walls), seed=1, raised=True)
    Players(rig, written_hand(rig.setup.rules, walls, 1))
    rig.run(lambda: rig.state.playing.stage is PlayStage.CLOSED)
    rig.tell(SUSPECTED)
    rig.die(power_cut=False)
    (asked,) = rig.happened(RecordQuestioned)
    assert (asked.seat, asked.violations) == (Seat.SOUTH, MAY_BE)
    assert outputs_of(rig.setup, rig.state).asked.records == ((1, 2, Seat.SOUTH),)
    rig.post(SUSPECTED)
    rig.tell(YES)
    rig.die(power_cut=False)
    rig.tell(YES)
    assert [told for told in rig.happened(Violation) if told.by is not None] == [CONFIRMED]
    assert len(rig.happened(RecordQuestioned)) == len(rig.happened(RecordAnswered)) == 1
    assert (rig.state.disputes, rig.state.playing.stage) == ((), PlayStage.CLOSED)
    assert not rig.lamps.fault


SEED = 4
HAND = SEED % 16 + 1
WALLS = random_walls(SEED)


def after_the_hand(make_rig: MakeRig, deal: OpenDeal) -> Rig:
    """A rig that has played and closed one hand."""
    rig = make_rig(deal, seed=SEED, raised=True)
    Players(rig, written_hand(rig.setup.rules, WALLS, SEED, hand=HAND))
    rig.run(lambda: bool(rig.state.closed))
    return rig


@pytest.fixture
def played(make_rig: MakeRig) -> Rig:
    return after_the_hand(make_rig, opened(WALLS, hand=HAND))


def release(rig: Rig) -> None:
    rig.tell(SlipHeard(rig.deal.n))


def test_the_record_has_no_walls_before_the_release_and_those_of_the_deal_after_it(played: Rig) -> None:
    assert played.record(HAND).walls is None
    release(played)
    record = played.record(HAND)
    assert record.walls == played.deal.walls
    assert record.digest is not None
    assert record.digest.hex() == played.deal.digest
    assert replay(record).legal


def test_the_record_of_an_imported_deal_has_its_walls_at_once(make_rig: MakeRig) -> None:
    deal = opened(WALLS, hand=HAND)
    imported = replace(deal, check=imported_check(deal.n, bytes.fromhex(deal.digest)).hex())
    assert after_the_hand(make_rig, imported).record(HAND).walls == deal.walls


def test_the_release_is_told_once_however_often_the_slip_comes(played: Rig) -> None:
    release(played)
    assert played.state.released == {played.deal.n}
    assert isinstance(decide(played.setup, played.state, SlipHeard(played.deal.n)), Refused)


def test_a_slip_of_a_deal_that_this_table_has_not_played_is_not_its_release(played: Rig) -> None:
    assert isinstance(decide(played.setup, played.state, SlipHeard(played.deal.n + 1)), Refused)
    assert decide(played.setup, played.state, SlipHeard(played.deal.n)) == (DealReleased(played.deal.n),)


@pytest.mark.parametrize("power_cut", [False, True])
def test_a_controller_that_dies_after_the_release_finds_or_makes_the_whole_record(played: Rig, power_cut: bool) -> None:
    release(played)
    (played.folder / "records" / f"session-01-hand-{HAND:02d}.json").unlink()
    played.die(power_cut=power_cut)
    played.settle()
    assert played.record(HAND).walls == played.deal.walls
