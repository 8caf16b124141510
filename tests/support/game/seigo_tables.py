"""Four players of Seigo for tests: they hold real walls and play legal moves at random, or towards a win."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from MahjongGB import RegularShanten

from tests.support.game.scripted import Dealt, begun_deal
from tests.support.game.tables import LIBRARY_CODES, RandomTable, kongs_with, melds_with, random_deal
from twinwall.game.play import Phase, own_tiles
from twinwall.game.play_events import (
    Claim,
    Claimed,
    ClaimsPassed,
    EndReason,
    HandEnded,
    HandLaidOpen,
    HandShown,
    KongDeclared,
    MeldType,
    PlayEvent,
    SharedTileTurned,
    TileDiscarded,
    TileDrawn,
    WinDeclared,
    totals,
)
from twinwall.game.rule_set import Permissions, RuleSet, Win
from twinwall.game.rules import rule_set
from twinwall.game.rules.divisions import counts_of
from twinwall.game.rules.seigo.options import SeigoOptions
from twinwall.game.rules.seigo.shapes import is_complete, waits
from twinwall.game.rules.seigo.state import SeigoState
from twinwall.game.rules.seigo.turns import barred_after, may_declare_riichi, waiting_discard
from twinwall.game.tiles import SEATS, Seat, Tile

DRAWS = 18


def seigo_deal(seed: int, *, alike: int = 0) -> Dealt:
    """Four walls of 31 tiles and the twelve shared ones."""
    return random_deal("seigo", seed, alike=alike)


def deal_of(rest: str = "", **begun: str) -> Dealt:
    """A deal that begins and ends as given."""
    return begun_deal(rule_set("seigo"), rest, True, **begun)


def scripted_seigo(options: Mapping[str, object] | None = None, /, rest: str = "", **begun: str) -> SeigoTable:
    """A table at a deal that begins and ends as given, to follow scripts."""
    walls, shared = deal_of(rest, **begun)
    return SeigoTable(rule_set("seigo", options or {}), walls, random.Random(0), eager=False, rest=shared)


@dataclass
class SeigoTable(RandomTable):
    """One hand being played; ``eager`` players build towards a win, declare riichi and take every win."""

    state: SeigoState = field(init=False)
    false: set[Seat] = field(default_factory=set)

    def happen(self, event: PlayEvent) -> None:
        super().happen(event)
        if isinstance(event, HandShown):
            outcome = self.judged(event)
            if isinstance(outcome, Win):
                self.wins[event.seat] = outcome
            else:
                self.false.add(event.seat)

    def next_event(self) -> PlayEvent:
        allowed = self.rules.permissions(self.state)
        if allowed.turn_up is not None:
            return SharedTileTurned(allowed.turn_up, self.rest[allowed.turn_up])
        if allowed.draw is not None:
            return self._claim_instead(allowed) or TileDrawn(allowed.draw)
        if allowed.discard is not None:
            return self._own_turn(allowed.discard, allowed)
        if self.state.phase is Phase.CLAIMS:
            return self._answer(allowed) or ClaimsPassed()
        if allowed.show is not None:
            return self._show(allowed.show)
        if self.state.winner in self.false:
            self.false.discard(self.state.winner)
            return self.refusal(self.state.winner)
        if allowed.ended is not None:
            return HandEnded(allowed.ended, totals(self.rules.payments(self.state, self.wins)))
        return self._answer(allowed) or HandEnded(EndReason.WON, totals(self.rules.payments(self.state, self.wins)))

    def wins_with(self, seat: Seat, tile: Tile | None) -> bool:
        """Whether a declared win of a seat would stand, on ``tile`` or self-drawn."""
        held = self.held.of[seat]
        if not is_complete(counts_of(held if tile is None else (*held, tile)), len(self.state.seat(seat).melds)):
            return False
        shown = HandShown(seat, held[:-1], held[-1]) if tile is None else HandShown(seat, held, tile)
        return isinstance(self.judged(shown), Win)

    def claims_of(self, seat: Seat, allowed: frozenset[Claim]) -> Iterator[Claimed]:
        """Every meld that a seat can lay at its turn instead of drawing, and still discard afterwards."""
        held = self.held.of[seat]
        for source in SEATS:
            if source not in self.state.takeable:
                continue
            tile = waiting_discard(self.state, source)
            for meld in melds_with(tile, held, allowed if source.next is seat else allowed - {Claim.CHOW}, source):
                left = Counter(held) - Counter(own_tiles(meld, tile))
                if meld.type is MeldType.KONG or left.keys() - barred_after(tile, meld.tiles, _options(self.rules)):
                    yield Claimed(seat, meld)

    def kongs_of(self, seat: Seat) -> Iterator[KongDeclared]:
        """Every kong that a seat can declare with what it holds; in riichi only one of the drawn tile that keeps its waits."""
        held, melds = self.held.of[seat], self.state.seat(seat).melds
        in_riichi = self.state.riichi_turn(seat) is not None
        for kong in kongs_with(held, melds):
            after = tuple(other for other in held if other is not kong.tiles[0])
            if not in_riichi or (kong.tiles[0] is held[-1] and waits(held[:-1], len(melds)) == waits(after, len(melds) + 1)):
                yield KongDeclared(seat, kong)

    def discards_of(self, seat: Seat) -> Iterator[TileDiscarded]:
        """Every discard by kind, with riichi and without; in riichi only what was drawn."""
        held = self.held.of[seat]
        if self.state.riichi_turn(seat) is not None:
            yield TileDiscarded(seat, held[-1])
            return
        may_riichi = may_declare_riichi(self.state) is None
        for tile in sorted(set(held) - self.state.barred):
            yield TileDiscarded(seat, tile)
            if may_riichi and waits(_without(held, tile), len(self.state.seat(seat).melds)):
                yield TileDiscarded(seat, tile, riichi=True)

    def _claim_instead(self, allowed: Permissions) -> PlayEvent | None:
        assert allowed.draw is not None
        claims = (allowed.claims or {}).get(allowed.draw, frozenset())
        possible = list(self.claims_of(allowed.draw, claims)) if claims else []
        if self.eager:
            possible = [claim for claim in possible if claim.meld.type is not MeldType.CHOW and claim.meld.tiles[0].is_honour]
        return self.choice.choice(possible) if possible and self.choice.random() < 0.5 else None

    def _own_turn(self, seat: Seat, allowed: Permissions) -> PlayEvent:
        if allowed.win is seat and (self.wins_with(seat, None) or self.choice.random() < 0.001):
            return WinDeclared(seat, None, self.held.of[seat][-1])
        kongs = list(self.kongs_of(seat)) if allowed.kong is seat else []
        if kongs and self.choice.random() < 0.7:
            return self.choice.choice(kongs)
        held = self.held.of[seat]
        if self.state.riichi_turn(seat) is not None:
            return TileDiscarded(seat, held[-1])
        tiles = sorted(set(held) - self.state.barred)
        if not self.eager:
            return TileDiscarded(seat, self.choice.choice(tiles))
        distances = {tile: RegularShanten(tuple(LIBRARY_CODES[each] for each in _without(held, tile)))[0] for tile in tiles}
        tile = min(tiles, key=lambda tile: (distances[tile], self.choice.random()))
        # A hand that lacks only a fifth copy is near by its shape, and not ready.
        is_ready = distances[tile] == 0 and waits(_without(held, tile), len(self.state.seat(seat).melds))
        return TileDiscarded(seat, tile, bool(is_ready) and may_declare_riichi(self.state) is None)

    def _answer(self, allowed: Permissions) -> PlayEvent | None:
        tile = self.state.last_discard
        if tile is None or not allowed.claims:
            return None
        pressed = {
            seat: Claim.WIN
            for seat, claims in allowed.claims.items()
            if Claim.WIN in claims and (self.wins_with(seat, tile) or self.choice.random() < 0.0005)
        }
        order = self.rules.priority(self.state, pressed)
        return WinDeclared(order[0], self.state.turn, tile) if order else None

    def _show(self, seat: Seat) -> PlayEvent:
        held = self.held.of[seat]
        if self.state.winner is None:
            return HandLaidOpen(seat, held)
        if seat is self.state.turn:
            return HandShown(seat, held[:-1], held[-1])
        assert self.state.last_discard is not None
        return HandShown(seat, held, self.state.last_discard)


def _options(rules: RuleSet) -> SeigoOptions:
    assert isinstance(rules.options, SeigoOptions)
    return rules.options


def _without(held: tuple[Tile, ...], discard: Tile) -> tuple[Tile, ...]:
    place = held.index(discard)
    return (*held[:place], *held[place + 1 :])
