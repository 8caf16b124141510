"""Faulty records: events missing, doubled, exchanged or of another seat are judged to the end."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.game.random_hands import HAND_BY_NUMBER
from tests.support.tiers import examples
from twinwall.game.play_events import HandEnded, HandShown, PlayEvent, TileDiscarded, WinDeclared
from twinwall.game.record import HandRecord
from twinwall.game.replay import replay
from twinwall.game.rules import rule_set_names
from twinwall.game.tiles import SEATS, Seat, Tile

SEEDS = range(1, 7)


@cache
def hand_of(name: str, seed: int) -> HandRecord:
    return HAND_BY_NUMBER[name](seed).record()


def spoilt(events: Sequence[PlayEvent], chance: random.Random) -> tuple[PlayEvent, ...]:
    """The events with one thing wrong."""
    wrong, at = list(events), chance.randrange(len(events))
    match chance.randrange(5):
        case 0:
            del wrong[at]
        case 1:
            wrong.insert(chance.randrange(len(wrong)), wrong[at])
        case 2:
            other = chance.randrange(len(wrong))
            wrong[at], wrong[other] = wrong[other], wrong[at]
        case 3:
            wrong[at] = _of_another(wrong[at], chance)
        case _:
            del wrong[at:]
    return tuple(wrong)


def _of_another(event: PlayEvent, chance: random.Random) -> PlayEvent:
    seat, tile = chance.choice(SEATS), chance.choice(list(Tile))
    match event:
        case TileDiscarded():
            return replace(event, seat=seat, tile=tile, riichi=chance.random() < 0.5)
        case WinDeclared():
            return WinDeclared(seat, chance.choice([None, *SEATS]), chance.choice([None, tile]))
        case HandShown():
            return replace(event, seat=seat, winning=tile)
        case HandEnded():
            return replace(event, scores=dict.fromkeys(SEATS, 1))
        case _ if isinstance(getattr(event, "seat", None), Seat):
            return replace(event, seat=seat)  # type: ignore[arg-type]  # it has one
        case _:
            return event


@pytest.mark.slow
@pytest.mark.parametrize("name", rule_set_names())
@given(seed=st.sampled_from(SEEDS), mistakes=st.integers(1, 4), with_walls=st.booleans(), chance=st.randoms(use_true_random=False))
@settings(max_examples=examples(60))
def test_every_event_of_a_record_gone_wrong_is_judged(name: str, seed: int, mistakes: int, with_walls: bool, chance: random.Random) -> None:
    record = hand_of(name, seed)
    events: tuple[PlayEvent, ...] = record.events
    for _ in range(mistakes):
        events = spoilt(events, chance) if events else events
    if not with_walls:
        record = replace(record, walls=None, rest=None)
    judged = replay(replace(record, events=events))
    assert len(judged.verdicts) == len(events)
    assert all(verdict is None or (verdict.reason and verdict.sentence) for verdict in judged.verdicts)
    assert set(judged.scores) == set(SEATS)
    assert judged.legal is not any(judged.verdicts)
