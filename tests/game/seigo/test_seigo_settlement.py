"""Who pays what at the end of a hand of Seigo: wins and sticks, or hands that are not ready (the rule page; Riichi Competition
Rules 2016, 3.4 and 4.1)."""

from __future__ import annotations

import json
import random

import pytest
from msgspec.structs import replace

from tests.support.game.seigo_tables import SeigoTable, deal_of
from tests.support.game.tables import meld_of
from twinwall.game.payments import Payment, PaymentReason, totals
from twinwall.game.play import Phase
from twinwall.game.play_events import (
    Claim,
    ClaimsPassed,
    EndReason,
    HandEnded,
    HandLaidOpen,
    HandShown,
    MeldType,
    SharedTileTurned,
    TileDiscarded,
    TileDrawn,
    WinDeclared,
    WinRefused,
)
from twinwall.game.play_json import from_json, to_json
from twinwall.game.replay import replay
from twinwall.game.rules import rule_set
from twinwall.game.rulings import HandRuledDead, Offence, PenaltyRuled
from twinwall.game.tiles import SEATS, Seat, Tile, parse_tile, parse_tiles

E, S, W, N = SEATS
WIN, NOT_READY = PaymentReason.WIN, PaymentReason.NOT_READY
READY = ("2m 3m 4m 5m 6m 7m 2p 3p 4p 8p 8p 6s 7s", "2m 3m 4m 5m 6m 7m 5p 6p 7p 2p 2p 6s 7s", "2p 3p 4p 5p 6p 7p 3m 4m 5m 8m 8m 6s 7s")
"""Three hands, each ready for 5s and 8s."""
IDLE = "1m 4m 7m 1p 4p 9p 1s 4s 9s E S W N"


def table_of(rest: str = "", **begun: str) -> SeigoTable:
    walls, shared = deal_of(rest, **begun)
    return SeigoTable(rule_set("seigo"), walls, shared, random.Random(0), eager=False)


def shown_at_the_end(**hands: str) -> SeigoTable:
    """A table whose last turn is over and where these hands are laid open; those not named hold nothing that goes together."""
    table = table_of()
    table.state = replace(table.state, phase=Phase.SHOW)
    for seat in SEATS:
        table.state = table.rules.apply(table.state, HandLaidOpen(seat, parse_tiles(hands.get(seat.value, IDLE))))  # type: ignore[assignment]  # a state of Seigo stays one
    return table


def not_ready(table: SeigoTable) -> dict[Seat, int]:
    assert {payment.reason for payment in table.rules.payments(table.state, {})} <= {NOT_READY}
    return dict(totals(table.rules.payments(table.state, {})))


@pytest.mark.parametrize(
    ("hands", "scores"),
    [
        ({}, (0, 0, 0, 0)),
        ({"E": READY[0]}, (3000, -1000, -1000, -1000)),
        ({"E": READY[0], "W": READY[1]}, (1500, -1500, 1500, -1500)),
        ({"E": READY[0], "W": READY[1], "N": READY[2]}, (1000, -3000, 1000, 1000)),
        ({"E": READY[0], "S": "1m 9m 1p 9p 1s 9s E S W N C F P", "W": READY[1], "N": READY[2]}, (0, 0, 0, 0)),
    ],
)
def test_3000_points_go_from_those_who_are_not_ready_to_those_who_are(hands: dict[str, str], scores: tuple[int, ...]) -> None:
    """12 tenpai payments 3000 (the rule page)."""
    assert tuple(not_ready(shown_at_the_end(**hands)).values()) == scores


def test_a_wait_for_a_fifth_tile_and_a_dead_hand_are_not_ready() -> None:
    fifth = shown_at_the_end(E="1m 1m 1m 1m 2p 3p 4p 5p 6p 7p 2s 3s 4s")
    assert not_ready(fifth)[E] == 0
    own = shown_at_the_end(E="1m 2p 3p 4p 5p 6p 7p 2s 3s 4s")
    pung = replace(own.state.seat(E), melds=(meld_of(MeldType.PUNG, "1m 1m 1m", S),))
    own.state = own.state.with_seat(E, pung)
    assert not_ready(own)[E] == 0
    dead = shown_at_the_end(E=READY[0])
    dead.state = dead.rules.apply(dead.state, HandRuledDead(E))  # type: ignore[assignment]  # a state of Seigo stays one
    assert not_ready(dead)[E] == 0
    assert dead.rules.permissions(dead.state).ended is EndReason.DRAWN


def discard(table: SeigoTable, seat: Seat, tile: str | None = None, *, riichi: bool = False) -> None:
    table.happen(TileDrawn(seat))
    table.happen(TileDiscarded(seat, table.held.of[seat][-1] if tile is None else parse_tile(tile), riichi))


def pass_by(table: SeigoTable, seat: Seat, tile: str | None = None, *, riichi: bool = False) -> None:
    discard(table, seat, tile, riichi=riichi)
    table.happen(ClaimsPassed())


def win_on(table: SeigoTable, *seats: Seat) -> tuple[Payment, ...]:
    """The seats win on the last discard and show; what is paid."""
    tile = table.state.last_discard
    assert tile is not None
    for seat in seats:
        table.happen(WinDeclared(seat, table.state.turn, tile))
        while (place := table.rules.permissions(table.state).turn_up) is not None:
            table.happen(SharedTileTurned(place, table.rest[place]))
        table.happen(HandShown(seat, table.held.of[seat], tile))
    assert set(table.wins) == set(seats)
    paid = table.rules.payments(table.state, table.wins)
    table.happen(HandEnded(EndReason.WON, totals(table.rules.payments(table.state, table.wins))))
    played = replay(table.record())
    assert played.legal, played.verdicts
    assert played.payments == paid
    return paid


def test_the_winner_gets_the_sticks_of_the_others_and_keeps_its_own() -> None:
    """The stick of who did not win goes to the winner; riichi 1000 (the rule page)."""
    table = table_of(E=f"{READY[0]} | E", S=f"{READY[1]} | S", W="| 5s", rest="1s 1s")
    pass_by(table, E, riichi=True)
    pass_by(table, S, riichi=True)
    discard(table, W)
    paid = win_on(table, E)
    assert paid[0].source is W
    assert paid[1:] == (Payment(WIN, S, E, 1000),)


def test_who_deals_in_with_the_tile_that_declares_riichi_has_no_stick_to_pay() -> None:
    table = table_of(E=f"{READY[0]} | E", S=f"{READY[1]} | 5s", rest="1s 1s")
    pass_by(table, E, riichi=True)
    discard(table, S, riichi=True)
    assert [payment.source for payment in win_on(table, E)] == [S]


def test_several_win_on_one_tile_and_the_nearest_to_the_discarder_gets_the_sticks() -> None:
    """The discarder settles with each; sticks of others go to the closest to the discarder's right (Riichi Competition Rules, 4.1)."""
    table = table_of(E=f"{READY[0]} | E", S=f"{READY[1]} | S", W="| 5s", N=f"{READY[2]}", rest="1s 1s")
    pass_by(table, E, riichi=True)
    pass_by(table, S, riichi=True)
    discard(table, W)
    assert table.rules.priority(table.state, {S: Claim.WIN, E: Claim.WIN}) == (E, S)
    paid = win_on(table, E, S)
    assert [(payment.source, payment.to) for payment in paid] == [(W, E), (W, S), (S, E)]
    assert paid[-1].amount == 1000


def test_the_nearest_alone_wins_by_option() -> None:
    table = table_of(E=READY[0], S=f"{READY[1]}", W="| 5s", rest="1s 1s")
    nearest = rule_set("seigo", {"several_winners": "nearest"})
    pass_by(table, E)
    pass_by(table, S)
    discard(table, W)
    state = nearest.apply(table.state, WinDeclared(E, W, Tile.S5))
    state = nearest.apply(state, HandShown(E, table.held.of[E], Tile.S5))
    assert nearest.permissions(state).claims is None
    state = table.rules.apply(state, WinRefused(E, "not-a-win"))
    assert set(table.rules.permissions(state).claims or {}) == {E, S, N}
    assert not (table.rules.permissions(state).claims or {})[E]


def test_sticks_of_a_drawn_hand_go_back() -> None:
    table = shown_at_the_end(E=READY[0])
    table.state = replace(table.state, riichi=(3, None, None, None))
    assert not_ready(table)[E] == 3000


def test_penalties_are_paid_besides() -> None:
    table = shown_at_the_end()
    table.state = replace(table.state, penalties=(PenaltyRuled(N, Offence.FALSE_WIN, 0, 500),))
    assert dict(totals(table.rules.payments(table.state, {}))) == {E: 500, S: 500, W: 500, N: -1500}


@pytest.mark.parametrize(
    "event", [TileDiscarded(E, Tile.M1, riichi=True), TileDiscarded(E, Tile.M1), SharedTileTurned(10, Tile.RED), HandLaidOpen(S, ())]
)
def test_events_of_riichi_are_written_and_read(event: TileDiscarded | SharedTileTurned | HandLaidOpen) -> None:
    assert from_json(json.loads(json.dumps(to_json(event)))) == event


def test_a_discard_without_riichi_is_written_as_in_every_rule_set() -> None:
    assert to_json(TileDiscarded(E, Tile.M1)) == {"type": "tile-discarded", "seat": "E", "tile": "1m"}
    assert to_json(TileDiscarded(E, Tile.M1, riichi=True))["riichi"] is True
