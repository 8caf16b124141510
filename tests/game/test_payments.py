"""Payments: who pays whom for what; scores are their totals."""

from __future__ import annotations

import pytest

from twinwall.game.payments import Payment, PaymentReason, totals
from twinwall.game.play_events import HandLaidOpen, HandShown, KongDeclared, Meld, MeldType, PlayEvent, WinDeclared
from twinwall.game.play_json import from_json, to_json
from twinwall.game.rule_set import Win
from twinwall.game.rules import rule_set
from twinwall.game.rules.mcr_duplicate.scoring import payments as mcr_gains
from twinwall.game.tiles import SEATS, Tile, parse_tiles

E, S, W, N = SEATS
ADDED = Meld(MeldType.ADDED_KONG, parse_tiles("5p 5p 5p 5p"), None)


def test_a_payment_is_written_as_the_contracts_say_and_nobody_is_null() -> None:
    assert Payment(PaymentReason.NOT_READY, E, W, 8).to_json() == {"reason": "not-ready", "from": "E", "to": "W", "amount": 8}
    assert Payment(PaymentReason.WIN, None, W, 8).to_json() == {"reason": "win", "from": None, "to": "W", "amount": 8}


def test_totals_sum_what_each_seat_gets() -> None:
    paid = [Payment(PaymentReason.WIN, E, W, 8), Payment(PaymentReason.KONG, E, S, 2), Payment(PaymentReason.WIN, None, N, 1)]
    assert totals(paid) == {E: -10, S: 2, W: 8, N: 1}


@pytest.mark.parametrize("self_draw", ["sum", "rounded"])
@pytest.mark.parametrize("drawn", [True, False])
def test_the_payments_of_an_mcr_win_are_what_it_scores(self_draw: str, drawn: bool) -> None:
    rules = rule_set("mcr-duplicate", {"self_draw": self_draw})
    state = rules.apply(rules.start(), WinDeclared(E, None, None))
    win = Win((), 17, mcr_gains(E, None if drawn else W, 17, self_draw))
    assert totals(rules.payments(state, {E: win})) == dict(win.payments)
    assert {payment.reason for payment in rules.payments(state, {E: win})} == {PaymentReason.WIN}


@pytest.mark.parametrize(
    ("event", "keys"),
    [
        (KongDeclared(E, ADDED, late=True), {"type", "seat", "meld", "tiles", "late"}),
        (KongDeclared(E, ADDED), {"type", "seat", "meld", "tiles"}),
        (HandLaidOpen(N, parse_tiles("1m 2m 3m")), {"type", "seat", "concealed"}),
        (HandShown(N, parse_tiles("1m 2m 3m"), Tile.P1), {"type", "seat", "concealed", "winning"}),
    ],
)
def test_an_event_reads_back_and_says_late_only_of_a_late_kong(event: PlayEvent, keys: set[str]) -> None:
    assert to_json(event).keys() == keys
    assert from_json(to_json(event)) == event
