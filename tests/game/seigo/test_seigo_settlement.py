"""Who pays what at the end of a hand of Seigo: wins and sticks, or hands not ready (rule page; Riichi Competition Rules 2016, 3.4, 4.1)."""

import json

import pytest
from msgspec.structs import replace

from tests.support.game.scripted import NOTHING
from tests.support.game.seigo_tables import SeigoTable, scripted_seigo
from tests.support.game.tables import meld_of
from twinwall.game import play_events
from twinwall.game.play import Phase
from twinwall.game.play_json import from_json, to_json
from twinwall.game.replay import replay
from twinwall.game.tiles import SEATS, Seat, Tile, parse_tiles

E, S, W, N = SEATS
READY = ("2m 3m 4m 5m 6m 7m 2p 3p 4p 8p 8p 6s 7s", "2m 3m 4m 5m 6m 7m 5p 6p 7p 2p 2p 6s 7s", "2p 3p 4p 5p 6p 7p 3m 4m 5m 8m 8m 6s 7s")
"""Three hands, each ready for 5s and 8s."""
IDLE = "1m 4m 7m 1p 4p 9p 1s 4s 9s E S W N"


def shown_at_the_end(**hands: str) -> SeigoTable:
    """A table whose last turn is over and where these hands are laid open; those not named hold nothing that goes together."""
    table = scripted_seigo()
    table.state = replace(table.state, phase=Phase.SHOW)
    for seat in SEATS:
        table.state = table.rules.apply(table.state, play_events.HandLaidOpen(seat, parse_tiles(hands.get(seat.value, IDLE))))  # type: ignore[assignment]  # a state of Seigo stays one
    return table


def paid(table: SeigoTable) -> dict[Seat, int]:
    return play_events.totals(table.rules.payments(table.state, {}))


@pytest.mark.parametrize(
    ("hands", "scores"),
    [
        ({}, (0, 0, 0, 0)),
        ({"E": READY[0]}, (3000, -1000, -1000, -1000)),
        ({"E": READY[0], "W": READY[1]}, (1500, -1500, 1500, -1500)),
        ({"E": READY[0], "W": READY[1], "N": READY[2]}, (1000, -3000, 1000, 1000)),
        ({"E": READY[0], "S": "1m 9m 1p 9p 1s 9s E S W N C F P", "W": READY[1], "N": READY[2]}, (0, 0, 0, 0)),
        ({"E": "1m 1m 1m 1m 2p 3p 4p 5p 6p 7p 2s 3s 4s"}, (0, 0, 0, 0)),
    ],
    ids=["none ready", "one", "two", "three", "all", "a wait for a fifth tile is none"],
)
def test_3000_points_go_from_those_who_are_not_ready_to_those_who_are(hands: dict[str, str], scores: tuple[int, ...]) -> None:
    """12 tenpai payments 3000 (the rule page); sticks of a drawn hand go back."""
    table = shown_at_the_end(**hands)
    assert tuple(paid(table).values()) == scores
    table.state = replace(table.state, riichi=(3, None, None, None))
    assert tuple(paid(table).values()) == scores
    assert {payment.reason for payment in table.rules.payments(table.state, {})} <= {play_events.PaymentReason.NOT_READY}


def test_a_wait_for_a_fifth_tile_beside_the_own_pung_and_a_dead_hand_are_not_ready() -> None:
    own = shown_at_the_end(E="1m 2p 3p 4p 5p 6p 7p 2s 3s 4s")
    own.state = own.state.with_seat(E, replace(own.state.seat(E), melds=(meld_of(play_events.MeldType.PUNG, "1m 1m 1m", S),)))
    dead = shown_at_the_end(E=READY[0])
    dead.state = dead.rules.apply(dead.state, play_events.HandRuledDead(E))  # type: ignore[assignment]  # a state of Seigo stays one
    assert paid(own) == paid(dead) == NOTHING
    assert dead.allowed.ended is play_events.EndReason.DRAWN


def test_penalties_are_paid_besides() -> None:
    table = shown_at_the_end()
    table.state = replace(table.state, penalties=(play_events.PenaltyRuled(N, play_events.Offence.FALSE_WIN, 0, 500),))
    assert paid(table) == {E: 500, S: 500, W: 500, N: -1500}


def win_on(table: SeigoTable, *seats: Seat) -> tuple[play_events.Payment, ...]:
    """The seats win on the last discard and show; what is paid."""
    for seat in seats:
        table.after(f"{seat.value} wins")
        while (place := table.allowed.turn_up) is not None:
            table.after(play_events.SharedTileTurned(place, table.rest[place]))
        table.after(f"{seat.value} shows")
    assert set(table.wins) == set(seats)
    payments = table.rules.payments(table.state, table.wins)
    played = replay(table.after(play_events.HandEnded(play_events.EndReason.WON, play_events.totals(payments))).record())
    assert played.legal, played.verdicts
    assert played.payments == payments
    return payments


@pytest.mark.parametrize(
    ("hands", "script", "winners", "sides"),
    [
        ({"E": f"{READY[0]} | E", "S": f"{READY[1]} | S", "W": "| 5s"}, "E riichi, S riichi, W", (E,), [(W, E), (S, E)]),
        ({"E": f"{READY[0]} | E", "S": f"{READY[1]} | 5s"}, "E riichi, S riichi", (E,), [(S, E)]),
        (
            {"E": f"{READY[0]} | E", "S": f"{READY[1]} | S", "W": "| 5s", "N": READY[2]},
            "E riichi, S riichi, W",
            (E, S),
            [(W, E), (W, S), (S, E)],
        ),
    ],
    ids=["of the others and not its own", "not of who deals in with the tile that declares", "the nearest to the discarder of several"],
)
def test_a_winner_gets_the_sticks(hands: dict[str, str], script: str, winners: tuple[Seat, ...], sides: list[tuple[Seat, Seat]]) -> None:
    """Riichi 1000 (the rule page); the discarder settles with each, sticks go to the closest to the discarder's right (4.1)."""
    table = scripted_seigo(rest="1s 1s", **hands).after(script)
    assert table.rules.priority(table.state, dict.fromkeys(reversed(winners), play_events.Claim.WIN)) == winners
    payments = win_on(table, *winners)
    assert [(payment.source, payment.to) for payment in payments] == sides
    assert [
        payment for payment in payments[len(winners) :] if payment != play_events.Payment(play_events.PaymentReason.WIN, S, E, 1000)
    ] == []


def test_the_nearest_alone_wins_by_option() -> None:
    hands = {"E": READY[0], "S": READY[1], "W": "| 5s"}
    assert scripted_seigo({"several_winners": "nearest"}, **hands).after("E, S, W, E wins, E shows").allowed.claims is None
    refused = scripted_seigo(**hands).after("E, S, W, E wins")
    refused.state = refused.rules.apply(refused.rules.apply(refused.state, refused.shown(E)), play_events.WinRefused(E, "not-a-win"))  # type: ignore[assignment]  # a state of Seigo stays one
    assert (set(refused.claims), refused.claims[E]) == ({E, S, N}, set())


@pytest.mark.parametrize(
    "event",
    [
        play_events.TileDiscarded(E, Tile.M1, riichi=True),
        play_events.TileDiscarded(E, Tile.M1),
        play_events.SharedTileTurned(10, Tile.RED),
        play_events.HandLaidOpen(S, ()),
    ],
)
def test_events_of_riichi_are_written_and_read_and_a_discard_without_it_as_in_every_rule_set(event: play_events.PlayEvent) -> None:
    written = to_json(event)
    assert from_json(json.loads(json.dumps(written))) == event
    assert ("riichi" in written) is (isinstance(event, play_events.TileDiscarded) and event.riichi)
