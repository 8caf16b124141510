"""Moments of a replayed hand: the steps lead to what the rules and the walls say."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.support.game.random_hands import PlayedHand, mcr, seigo, sichuan
from twinwall.event.replay.moments import moments
from twinwall.event.replay.steps import replay_document
from twinwall.game.tiles import SEATS

HANDS: dict[str, Callable[[], PlayedHand]] = {
    "mcr": lambda: mcr(310, {"minimum": 0}, eager=True, with_kongs=True),
    "seigo": lambda: seigo(57),
    "sichuan": lambda: sichuan(3),
}


@pytest.mark.parametrize("name", HANDS)
def test_the_last_moment_is_how_the_hand_ended(name: str) -> None:
    hand = HANDS[name]()
    *_, last = moments(replay_document([hand.record()]))
    for seat in SEATS:
        own, state = last.seats[seat], hand.end.seat(seat)
        held = [tile.text for tile in hand.tiles.of[seat]]
        face_down = [tile for meld, laid in zip(state.melds, own.melds, strict=True) if meld.face_down for tile in laid.split()]
        assert sorted([*own.hand, *face_down]) == sorted(held)
        assert own.left == state.draws_left
        assert [laid.strip("()*") for laid in own.river] == [laid.tile.text for laid in state.river]
        assert [laid.startswith("(") for laid in own.river] == [laid.claimed_by is not None for laid in state.river]
