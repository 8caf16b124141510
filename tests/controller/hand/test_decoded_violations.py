"""Violations that the decoder tells of: the referee is called, lamp and buzzer tell it, and play goes on."""

from __future__ import annotations

import pytest

from controller.hand.referee import LAID_WRONGLY
from controller.state.messages import ViolationDecoded
from tests.support.controller.game import E, Game, S, walls_of
from tests.support.controller.rigs import MakeRig
from twinwall.wire.events.trouble_events import RefereeCalled, Violation


@pytest.fixture
def game(make_rig: MakeRig) -> Game:
    return Game(make_rig, walls_of({E: "123456789p 123s 5s 9m"})).take_hands().draw(E)


def decode(game: Game, what: str, n: int | None = None) -> None:
    deal = game.rig.state.playing.deal
    assert deal is not None
    game.rig.post(ViolationDecoded(deal.n if n is None else n, S, what))
    game.rig.settle()


@pytest.mark.parametrize("what", LAID_WRONGLY)
def test_the_referee_is_called_with_the_seat_and_play_goes_on(game: Game, what: str) -> None:
    decode(game, what)
    (violation,) = game.rig.happened(Violation)
    assert (violation.seat, violation.what) == (S, what)
    assert game.rig.happened(RefereeCalled) == [RefereeCalled(S)]
    assert game.rig.lamps.fault
    assert game.rig.lamps.buzzer
    assert not game.rig.state.playing.halted


def test_what_a_gate_shows_is_told_by_the_table_alone(game: Game) -> None:
    decode(game, "drew-twice")
    assert not game.rig.happened(Violation)


def test_a_violation_of_another_deal_is_not_told(game: Game) -> None:
    decode(game, "exposed-tiles", n=99)
    assert not game.rig.happened(Violation)
