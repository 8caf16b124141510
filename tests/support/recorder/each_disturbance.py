"""Hands in which people disturb in each way: every kind of disturbance for which the hand has an occasion, one at a time.

What has few occasions happens beside another kind: a second claim, a kong whose tiles lie apart, and what people do to shown hands.
"""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks.played_tables.hand_on_table import USUAL_SETUP, HandOnTable
from benchmarks.played_tables.people_at_table import PeopleAtTable
from simulator.disturbances.draws import NONE
from simulator.disturbances.kinds import RATES, Disturbance, Occasion
from tests.support.recorder.played_hands import PlayedHand, only
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
