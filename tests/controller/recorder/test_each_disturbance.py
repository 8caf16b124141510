"""Hands with every kind of disturbance, as observations and as rendered frames: what is not recorded exactly is asked about."""

from collections import Counter
from collections.abc import Iterator, Mapping

import pytest

from benchmarks.played_tables.hand_on_table import USUAL_SETUP, HandOnTable
from benchmarks.played_tables.people_at_table import PeopleAtTable
from simulator.disturbances.kinds import NONE, RATES, Disturbance, Occasion
from tests.support.recorder.played_hands import FRAME_MS, PlayedHand, decoder_of, followed, messages_of, only, played
from tests.support.simulator.swept_tables import good_table, rendered
from twinwall.game.play_events import (
    Claimed,
    ClaimsPassed,
    HandLaidOpen,
    HandShown,
    KongDeclared,
    PlayEvent,
    TileDiscarded,
    TileDrawn,
    WinDeclared,
)
from vision.mat_observation import MatObservation


def _of(*occasions: Occasion) -> frozenset[Disturbance]:
    return frozenset(kind for kind, rate in RATES.items() if rate.occasion in occasions)


_AFTER_A_DISCARD = frozenset({Disturbance.CALL_TAKEN_BACK})
_WHEN: Mapping[type[PlayEvent], frozenset[Disturbance]] = {
    TileDrawn: _of(Occasion.TURN),
    TileDiscarded: _of(Occasion.DISCARD) - _AFTER_A_DISCARD,
    ClaimsPassed: _AFTER_A_DISCARD,
    Claimed: _of(Occasion.CALL, Occasion.MELD, Occasion.KONG),
    KongDeclared: _of(Occasion.MELD, Occasion.KONG) | {Disturbance.WRONG_KEY},
    WinDeclared: _of(Occasion.CALL),
    HandShown: _of(Occasion.SHOWN_HAND),
    HandLaidOpen: _of(Occasion.SHOWN_HAND),
}
"""What can happen with each event."""
_BESIDE_ANOTHER = frozenset({Disturbance.SECOND_CLAIM_LAID, Disturbance.KONG_APART, *_of(Occasion.SHOWN_HAND)})
"""What has few occasions, and is not put off for another kind."""


class _PeopleInEachWay(PeopleAtTable):
    """Four people who disturb in each way once, at the first event at which it is the turn of that way and it can happen."""

    def _turn(self, number: int, event: PlayEvent) -> None:
        happened = {each.kind for each in self._record.happened}
        due = [kind for kind in Disturbance if kind in _WHEN.get(type(event), frozenset()) - happened]
        others = [kind for kind in due if kind not in _BESIDE_ANOTHER]
        chosen = others[number % len(others) :][:1] if others else []
        self._record.people = only(*_BESIDE_ANOTHER.intersection(due), *chosen)
        super()._turn(number, event)


def disturbed_in_each_way(hand: PlayedHand) -> HandOnTable:
    """The hand at a table of these people."""
    return _PeopleInEachWay(hand.to_play, NONE, USUAL_SETUP).play()


pytestmark = pytest.mark.slow

HANDS = {"mcr-duplicate": 11, "yangzhou": 38, "sichuan": 23, "seigo": 37}
"""By rule set the number of a short hand; together they have an occasion for each kind of disturbance."""
SLIPS = {Disturbance.DRAW_PUT_BACK: "put-back", Disturbance.TWO_DRAWN: "drew-twice", Disturbance.DRAW_FROM_OTHER_WALL: "drew-out-of-turn"}
"""Disturbances that are violations themselves."""


def check_record(hand: PlayedHand, at_table: HandOnTable, frames: Iterator[MatObservation] | None = None) -> None:
    """The hand is recorded exactly, or something is asked; no event is published that did not happen, and nobody accused but of slips."""
    decoder = decoder_of(hand)
    published = followed(decoder, messages_of(at_table, seen=frames, backs=True))
    found = tuple(event.event for event in decoder.finish())
    assert published
    assert [(event.number, event.event) for event in published if event.event not in hand.events[event.number - 1 : event.number]] == []
    assert found == hand.events or decoder.questions
    accused = {each.violation.kind.value for each in decoder.reported_violations.values()}
    assert accused <= {what for kind, what in SLIPS.items() if at_table.counts[kind]}


def test_each_kind_of_disturbance_happens_in_four_hands() -> None:
    hands = (disturbed_in_each_way(played(rules, number)) for rules, number in HANDS.items())
    happened = sum((hand.counts for hand in hands), Counter[Disturbance]())
    assert [kind for kind in Disturbance if not happened[kind]] == []


@pytest.mark.parametrize("rules", HANDS)
def test_a_hand_with_each_disturbance_is_recorded_exactly_or_asked_about(rules: str) -> None:
    hand = played(rules, HANDS[rules])
    check_record(hand, disturbed_in_each_way(hand))


@pytest.mark.nightly
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("rules", HANDS)
def test_so_is_it_with_rendered_frames(rules: str) -> None:
    """Each frame that differs from the one before it is drawn, kept as JPEG and swept."""
    hand, table = played(rules, HANDS[rules]), good_table(HANDS[rules])
    at_table = disturbed_in_each_way(hand)
    check_record(hand, at_table, rendered(at_table, table, FRAME_MS))
    assert len(table.swept_ms) > 50


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("rules", "number"), [("yangzhou", 1), ("yangzhou", 6), ("sichuan", 7), ("sichuan", 9), ("yangzhou", 4), ("sichuan", 10)]
)
def test_of_further_hands_with_each_disturbance_nothing_is_published_wrong(rules: str, number: int) -> None:
    """In yangzhou 1 and 6 two tiles of a meld have left the picture of a camera that was bumped. In sichuan 10 a thing hides all of a
    claimed kong but the claimed tile, which lies in the row before the others; that nobody had claimed was published. In the others
    the camera is silent for 16 to 18 s, after a bump, or after a discard in a wrong place."""
    hand = played(rules, number)
    check_record(hand, disturbed_in_each_way(hand))
