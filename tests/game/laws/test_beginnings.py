"""Number of ways in which a deal can begin by each rule set, and end: golden counts that change only with the rules."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

import pytest

from tests.support.game.random_hands import MCR_OPTIONS
from tests.support.game.seigo_tables import SeigoTable, seigo_deal
from tests.support.game.sichuan_tables import SichuanTable, sichuan_walls
from tests.support.game.tables import kongs_with, melds_with, random_walls, walls_with_kongs
from tests.support.tiers import TIER, Tier
from twinwall.game import play_events
from twinwall.game.held import HeldTiles
from twinwall.game.play import Phase, PlayState
from twinwall.game.rule_set import Permissions, RuleSet, Win, WinningHand
from twinwall.game.rules import rule_set
from twinwall.game.rules.seigo.state import of_seigo
from twinwall.game.rules.sichuan.state import of_sichuan
from twinwall.game.tiles import Seat, Tile
from twinwall.game.walls import SeatWall


@dataclass(frozen=True)
class Position:
    """A hand with its tiles; kongs lie open here, so that all know what stands."""

    rules: RuleSet
    state: PlayState
    held: HeldTiles

    def after(self, event: play_events.PlayEvent) -> Position:
        held = self.held.copy()
        held.happen(event)
        return Position(self.rules, self.rules.apply(self.state, event), held)


Moves = Callable[[Position], Iterable[play_events.PlayEvent]]
"""Every legal event for the tiles that the seats hold; of several that win on one tile the nearest speaks first."""
Wins = Callable[[Position, Seat, Tile | None], bool]
"""Whether a seat wins on a tile, or with the one that it has drawn."""


def walked(counts: tuple[int, ...]) -> tuple[int, ...]:
    """All counts in ``make nightly``; otherwise without the last, which takes longer than all before it."""
    return counts if TIER is Tier.NIGHTLY else counts[:-1]


def perft(position: Position, deepest: int, moves: Moves) -> tuple[int, ...]:
    """How many sequences of one, two and up to so many legal events there are; one walk counts them all."""
    found = [0] * deepest
    for event in list(moves(position)):
        assert position.rules.illegal(position.state, event) is None, event
        found[0] += 1
        if deepest > 1:
            for depth, count in enumerate(perft(position.after(event), deepest - 1, moves), start=1):
                found[depth] += count
    return tuple(found)


def plain_moves(position: Position) -> Iterator[play_events.PlayEvent]:
    """For duplicate MCR and Yangzhou: the tile of a self-drawn win is not shown at once."""
    return _moves(position, _scores, face_up=False)


def sichuan_moves(table: SichuanTable) -> Moves:
    """For Sichuan, with a table that knows complete hands."""

    def wins(position: Position, seat: Seat, tile: Tile | None) -> bool:
        table.state, table.held = of_sichuan(position.state), position.held
        return table.complete(seat, tile)

    return lambda position: _moves(position, wins, face_up=True)


def seigo_moves(table: SeigoTable) -> Moves:
    """For Seigo, with a table that knows its claims, discards and wins."""

    def moves(position: Position) -> Iterator[play_events.PlayEvent]:
        allowed, state = position.rules.permissions(position.state), position.state
        table.state, table.held = of_seigo(state), position.held
        if allowed.turn_up is not None:
            yield play_events.SharedTileTurned(allowed.turn_up, table.rest[allowed.turn_up])
            return
        if allowed.draw is not None:
            yield play_events.TileDrawn(allowed.draw, allowed.from_end)
            yield from table.claims_of(allowed.draw, (allowed.claims or {}).get(allowed.draw, frozenset()))
        if allowed.discard is not None:
            yield from table.discards_of(allowed.discard)
            if allowed.win is not None and table.wins_with(allowed.discard, None):
                yield play_events.WinDeclared(allowed.discard, None, position.held.of[allowed.discard][-1])
            if allowed.kong is not None:
                yield from table.kongs_of(allowed.discard)
        if state.phase is Phase.CLAIMS:
            yield play_events.ClaimsPassed()
            for seat, claims in (allowed.claims or {}).items():
                if play_events.Claim.WIN in claims and table.wins_with(seat, state.last_discard):
                    yield play_events.WinDeclared(seat, state.turn, state.last_discard)

    return moves


def _scores(position: Position, seat: Seat, tile: Tile | None) -> bool:
    held, source = position.held.of[seat], None if tile is None else position.state.turn
    concealed, winning = (held[:-1], held[-1]) if tile is None else (held, tile)
    hand = WinningHand(seat, Seat.EAST, concealed, position.state.seat(seat).melds, winning, source)
    return isinstance(position.rules.score(hand), Win)


def _moves(position: Position, wins: Wins, *, face_up: bool) -> Iterator[play_events.PlayEvent]:
    allowed = position.rules.permissions(position.state)
    if allowed.draw is not None:
        yield play_events.TileDrawn(allowed.draw, allowed.from_end)
    if allowed.discard is not None:
        yield from _own_turn(position, allowed.discard, allowed, wins, face_up=face_up)
    if allowed.claims is not None:
        yield play_events.ClaimsPassed()
        for seat, claims in allowed.claims.items():
            yield from _answers(position, seat, claims, wins)


def _own_turn(position: Position, seat: Seat, allowed: Permissions, wins: Wins, *, face_up: bool) -> Iterator[play_events.PlayEvent]:
    held = position.held.of[seat]
    yield from (play_events.TileDiscarded(seat, tile) for tile in sorted(set(held)))
    if allowed.win is seat and wins(position, seat, None):
        yield play_events.WinDeclared(seat, None, held[-1] if face_up else None)
    if allowed.kong is seat:
        for kong in kongs_with(held, position.state.seat(seat).melds):
            yield play_events.KongDeclared(
                seat, kong, kong.type is play_events.MeldType.ADDED_KONG and face_up and held[-1] is not kong.tiles[0]
            )


def _answers(position: Position, seat: Seat, claims: frozenset[play_events.Claim], wins: Wins) -> Iterator[play_events.PlayEvent]:
    tile, held, source = position.state.last_discard, position.held.of[seat], position.state.turn
    assert tile is not None
    if play_events.Claim.WIN in claims and wins(position, seat, tile):
        yield play_events.WinDeclared(seat, source, tile)
    yield from (play_events.Claimed(seat, meld) for meld in melds_with(tile, held, claims, source))


pytestmark = pytest.mark.slow


@pytest.mark.parametrize(("name", "options"), [("mcr-duplicate", {"minimum": 0}), ("yangzhou", {"minimum": 0, "values": 13})])
@pytest.mark.parametrize(
    ("walls", "counts"),
    [
        (random_walls(1), (1, 12, 13, 23, 168, 213, 680, 2563)),
        (random_walls(7), (1, 11, 19, 88, 238, 554, 1962, 4262)),
        (walls_with_kongs(3), (1, 9, 12, 36, 133, 197, 566, 1767)),
    ],
    ids=["1", "7", "3, with kongs"],
)
def test_with_chows_and_any_shape_that_wins(
    name: str, options: Mapping[str, object], walls: Mapping[Seat, SeatWall], counts: tuple[int, ...]
) -> None:
    """Duplicate MCR and Yangzhou are played alike (docs/explanation/rules.md): what they differ in are values."""
    rules = rule_set(name, options)
    assert perft(Position(rules, rules.start(), HeldTiles(walls)), len(walked(counts)), plain_moves) == walked(counts)


@pytest.mark.parametrize(
    ("seed", "alike", "counts"),
    [
        (1, 0, (1, 10, 10, 10, 130, 149, 231, 1735)),
        (7, 40, (1, 10, 11, 19, 120, 140, 349, 1704)),
        (11, 20, (1, 11, 16, 36, 136, 164, 454, 1400)),
    ],
)
def test_in_sichuan(seed: int, alike: int, counts: tuple[int, ...]) -> None:
    rules = rule_set("sichuan")
    table = SichuanTable(rules, sichuan_walls(seed, alike=alike), random.Random(0), eager=True)
    start = Position(rules, rules.start(), HeldTiles(table.walls))
    assert perft(start, len(walked(counts)), sichuan_moves(table)) == walked(counts)


@pytest.mark.parametrize(
    ("seed", "alike", "counts"),
    [
        (1, 0, (1, 1, 12, 12, 14, 190, 190, 246, 2812)),
        (7, 40, (1, 1, 10, 10, 10, 110, 110, 153, 1125)),
        (11, 20, (1, 1, 9, 9, 12, 135, 137, 136, 1350)),
    ],
)
def test_in_seigo(seed: int, alike: int, counts: tuple[int, ...]) -> None:
    rules = rule_set("seigo")
    walls, rest = seigo_deal(seed, alike=alike)
    table = SeigoTable(rules, walls, random.Random(0), eager=True, rest=rest)
    assert perft(Position(rules, rules.start(), HeldTiles(walls)), len(walked(counts)), seigo_moves(table)) == walked(counts)


@pytest.mark.parametrize(
    ("options", "counts"),
    [(MCR_OPTIONS[0], (7, 10, 26, 90, 245, 747, 1086, 504, 0, 0)), (MCR_OPTIONS[1], (7, 10, 26, 90, 245, 749, 1112, 596, 160, 663))],
    ids=["lap", "next-empty"],
)
def test_a_deal_can_end_in_as_many_ways_as_ever(options: Mapping[str, object], counts: tuple[int, ...]) -> None:
    """Counted from South's last draw, when nobody has claimed anything before: in a lap three discards are left, whatever is claimed."""
    rules = rule_set("mcr-duplicate", options)
    position = Position(rules, rules.start(), HeldTiles(walls_with_kongs(4)))
    while position.state.seat(Seat.SOUTH).draws_left > 0:
        position = position.after(next(plain_moves(position)))
    assert perft(position, len(counts), plain_moves) == counts
