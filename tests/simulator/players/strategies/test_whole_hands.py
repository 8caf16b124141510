"""Whole hands of the players of each rule set: legal by their walls, mostly won, and the same from the same seed."""

from collections import Counter
from functools import cache

import pytest

from tests.support.game.scripted import record_of as scripted_record_of
from tests.support.game.tables import random_deal
from tests.support.narrowed import of_type
from tests.support.simulator.disturbed_hands import whole_hand
from tests.support.tiers import some
from twinwall.game.play_events import Claimed, HandEnded, MeldType, SharedTileTurned, TileDiscarded
from twinwall.game.record import HandRecord
from twinwall.game.replay import replay
from twinwall.game.rules import rule_set

pytestmark = pytest.mark.slow
LEAST_WON = {"mcr-duplicate": 0.75, "seigo": 0.6, "sichuan": 0.85, "yangzhou": 0.5}
SEEDS = {"mcr-duplicate": some(range(20), 4), "seigo": some(range(12), 3), "sichuan": some(range(20), 4), "yangzhou": some(range(8), 4)}


def record_of(name: str, seed: int) -> HandRecord:
    """A hand of four players, with its walls."""
    rules, (walls, rest) = rule_set(name), random_deal(name, seed)
    rest = rest if any(rules.shared_rows) else ()
    events = whole_hand(rules, walls, seed, rest=rest)
    return scripted_record_of(name, events, walls, scores=of_type(HandEnded, events[-1]).scores, rest=rest or None)


@cache
def records(name: str) -> tuple[HandRecord, ...]:
    return tuple(record_of(name, seed) for seed in SEEDS[name])


@pytest.mark.parametrize("name", LEAST_WON)
def test_hands_hold_by_their_walls_are_mostly_won_and_come_again_from_the_same_seed(name: str) -> None:
    again = [replay(record) for record in records(name)]
    assert not [verdict for each in again for verdict in each.verdicts if verdict]
    assert [each.scores for each in again] == [record.scores for record in records(name)]
    assert sum(bool(each.wins) for each in again) >= LEAST_WON[name] * len(again)
    assert record_of(name, SEEDS[name][-1]) == records(name)[-1]


def test_in_seigo_riichi_claims_and_indicators_come_about() -> None:
    events = [event for record in records("seigo") for event in record.events]
    seen = Counter(map(type, events))
    assert seen[Claimed] > 0
    assert seen[SharedTileTurned] >= len(records("seigo"))
    assert any(isinstance(event, TileDiscarded) and event.riichi for event in events)


def test_in_sichuan_most_hands_are_won_by_two_or_more() -> None:
    assert sum(len(replay(record).wins) >= 2 for record in records("sichuan")) >= len(records("sichuan")) // 2


def test_in_yangzhou_nobody_claims_a_third_chow_of_a_suit() -> None:
    for record in records("yangzhou"):
        chows = Counter(
            (event.seat, event.meld.tiles[0].suit)
            for event in record.events
            if isinstance(event, Claimed) and event.meld.type is MeldType.CHOW
        )
        assert all(count <= 2 for count in chows.values())
