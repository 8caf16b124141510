"""Four players of Sichuan for tests: they hold real walls and play legal moves at random, or towards a win."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from twinwall.game.deals.shuffle import deal_tiles
from twinwall.game.held import HeldTiles
from twinwall.game.payments import totals
from twinwall.game.play import Phase, PlayState
from twinwall.game.play_events import (
    Claim,
    Claimed,
    ClaimsPassed,
    HandEnded,
    HandLaidOpen,
    HandShown,
    KongDeclared,
    Meld,
    MeldType,
    PlayEvent,
    TileDiscarded,
    TileDrawn,
    WinDeclared,
    WinRefused,
)
from twinwall.game.record import HandRecord
from twinwall.game.rule_set import NoWin, RuleSet, Win
from twinwall.game.rules import rule_set
from twinwall.game.rules.sichuan.options import SichuanOptions
from twinwall.game.rules.sichuan.scoring import counts_of, shape_of, with_melds
from twinwall.game.rules.sichuan.state import SichuanState, of_sichuan
from twinwall.game.session import round_wind
from twinwall.game.tiles import SEATS, Seat, Tile, parse_tiles
from twinwall.game.walls import SeatWall

WALL = 27
OPTIONS = SichuanOptions()


def sichuan_walls(seed: int, *, alike: int = 0) -> dict[Seat, SeatWall]:
    """Four walls of 27 tiles; with ``alike``, equal tiles lie together before so many pairs of tiles are exchanged."""
    chance = random.Random(seed)
    tiles = list(rule_set("sichuan").tiles)
    if not alike:
        chance.shuffle(tiles)
        return deal_tiles(tuple(tiles), WALL)[0]
    for _ in range(alike):
        one, other = chance.randrange(len(tiles)), chance.randrange(len(tiles))
        tiles[one], tiles[other] = tiles[other], tiles[one]
    walls = {}
    for index, seat in enumerate(SEATS):
        own = tiles[WALL * index : WALL * index + WALL]
        chance.shuffle(own)
        walls[seat] = SeatWall(tuple(own[:13]), tuple(own[13:]))
    return walls


def walls_of(**begun: str) -> dict[Seat, SeatWall]:
    """Walls whose hand tiles and draws begin as given ("hand | draws" by seat letter); the rest of the set fills them."""
    left = Counter(rule_set("sichuan").tiles)
    given = {}
    for seat in SEATS:
        first, _, then = begun.get(seat.value, "").partition("|")
        given[seat] = parse_tiles(first), parse_tiles(then)
        left.subtract([*given[seat][0], *given[seat][1]])
    assert min(left.values()) >= 0, "five of a kind are asked for"
    rest = list(left.elements())
    walls = {}
    for seat, (hand, draws) in given.items():
        filled = [(*part, *(rest.pop() for _ in range(size - len(part)))) for part, size in ((hand, 13), (draws, WALL - 13))]
        walls[seat] = SeatWall(filled[0], filled[1])
    return walls


@dataclass
class SichuanTable:
    """One hand being played; ``eager`` players build towards a win and take every win, the others do as chance has it."""

    rules: RuleSet
    walls: Mapping[Seat, SeatWall]
    choice: random.Random
    eager: bool
    hand: int = 1
    options: Mapping[str, object] = field(default_factory=dict)
    state: SichuanState = field(init=False)
    held: HeldTiles = field(init=False)
    rest: tuple[Tile, ...] = ()
    events: list[PlayEvent] = field(default_factory=list)
    wins: dict[Seat, Win] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.state = of_sichuan(self.rules.start())
        self.held = HeldTiles(self.walls)

    @property
    def end(self) -> PlayState:
        """How it stands."""
        return self.state

    @property
    def tiles(self) -> HeldTiles:
        """What the seats conceal."""
        return self.held

    def happen(self, event: PlayEvent) -> None:
        """Let an event happen that the rules allow."""
        problem = self.rules.illegal(self.state, event)
        assert problem is None, f"{event} was offered and is refused: {problem}"
        self.state = of_sichuan(self.rules.apply(self.state, event))
        self.held.happen(event)
        self.events.append(event)
        if isinstance(event, HandShown):
            outcome = self.rules.score(self.rules.winning_hand(self.state, event, round_wind(self.hand)))
            if isinstance(outcome, Win):
                self.wins[event.seat] = outcome

    def play(self) -> Iterator[PlayEvent]:
        """Play the hand to its end, event by event; each is yielded before it happens."""
        while self.state.phase is not Phase.ENDED:
            event = self.next_event()
            yield event
            self.happen(event)

    def next_event(self) -> PlayEvent:
        """What happens next."""
        allowed = self.rules.permissions(self.state)
        if allowed.draw is not None:
            return TileDrawn(allowed.draw)
        if allowed.discard is not None:
            return self._own_turn(allowed.discard, may_win=allowed.win is not None, may_kong=allowed.kong is not None)
        if allowed.claims is not None:
            return self._answer(allowed.claims)
        shown = self.state.winner
        if shown not in self.wins and shown in {win.seat for win in self.state.standing}:
            return WinRefused(shown, self._refusal(shown))
        if allowed.show is not None:
            return self._show(allowed.show)
        assert allowed.ended is not None
        return HandEnded(allowed.ended, totals(self.rules.payments(self.state, self.wins)))

    def complete(self, seat: Seat, tile: Tile | None) -> bool:
        """Whether a seat's hand is complete, with ``tile`` added where there is one."""
        melds = self.state.seat(seat).melds
        counts = counts_of(self.held.of[seat], tile)
        assert counts is not None
        held = with_melds(counts, melds)
        return held is not None and shape_of(counts, held, melds, OPTIONS) is not None

    def _own_turn(self, seat: Seat, *, may_win: bool, may_kong: bool) -> PlayEvent:
        held, melds = self.held.of[seat], self.state.seat(seat).melds
        if may_win and (self.complete(seat, None) or self.choice.random() < 0.003):
            return WinDeclared(seat, None, held[-1])
        kongs = [(tile, MeldType.CONCEALED_KONG) for tile in sorted(set(held)) if held.count(tile) == 4]
        kongs += [(meld.tiles[0], MeldType.ADDED_KONG) for meld in melds if meld.type is MeldType.PUNG and meld.tiles[0] in held]
        if may_kong and kongs and self.choice.random() < 0.7:
            tile, kind = self.choice.choice(kongs)
            late = kind is MeldType.ADDED_KONG and held[-1] is not tile
            return KongDeclared(seat, Meld(kind, (tile,) * 4, None), late)
        return TileDiscarded(seat, self._discard(seat))

    def _discard(self, seat: Seat) -> Tile:
        held = self.held.of[seat]
        if not self.eager:
            return self.choice.choice(held)
        suits = Counter(tile // 9 for tile in [*held, *(tile for meld in self.state.seat(seat).melds for tile in meld.tiles)])
        shortest = min((suits[suit], suit) for suit in range(3))[1]
        return min(held, key=lambda tile: (tile // 9 != shortest, _neighbours(held, tile), self.choice.random()))

    def _answer(self, claims: Mapping[Seat, frozenset[Claim]]) -> PlayEvent:
        tile = self.state.last_discard
        assert tile is not None
        pressed: dict[Seat, Claim] = {}
        for seat, allowed in claims.items():
            held = self.held.of[seat].count(tile)
            if Claim.WIN in allowed and (self.complete(seat, tile) or self.choice.random() < 0.001):
                pressed[seat] = Claim.WIN
            elif Claim.KONG in allowed and held == 3 and self.choice.random() < 0.8:
                pressed[seat] = Claim.KONG
            elif Claim.PUNG in allowed and held >= 2 and self.choice.random() < 0.5:
                pressed[seat] = Claim.PUNG
        order = self.rules.priority(self.state, pressed)
        if not order:
            return ClaimsPassed()
        seat, claim = order[0], pressed[order[0]]
        if claim is Claim.WIN:
            return WinDeclared(seat, self.state.turn, tile)
        kind, size = (MeldType.KONG, 4) if claim is Claim.KONG else (MeldType.PUNG, 3)
        return Claimed(seat, Meld(kind, (tile,) * size, self.state.turn))

    def _show(self, seat: Seat) -> PlayEvent:
        held, win = self.held.of[seat], self.state.win_of(seat)
        if win is None:
            return HandLaidOpen(seat, held)
        return HandShown(seat, held[:-1] if win.source is None else held, win.tile)

    def _refusal(self, seat: Seat) -> str:
        shown = next(event for event in reversed(self.events) if isinstance(event, HandShown) and event.seat is seat)
        outcome = self.rules.score(self.rules.winning_hand(self.state, shown, round_wind(self.hand)))
        assert isinstance(outcome, NoWin)
        return outcome.reason

    def record(self) -> HandRecord:
        """The finished hand with its walls."""
        assert self.state.ended is not None
        return HandRecord(
            event="test",
            session=1,
            hand=self.hand,
            n=1,
            table="1",
            rules="sichuan",
            options=self.options,
            players={seat: f"player {seat.value}" for seat in SEATS},
            check=bytes(32),
            events=tuple(self.events),
            scores=dict(self.state.ended.scores),
            walls=self.walls,
        )


def _neighbours(held: tuple[Tile, ...], tile: Tile) -> int:
    """How well a tile goes with the others: equal ones count most, then those beside it."""
    return sum(3 if other is tile else 1 for other in held if other // 9 == tile // 9 and abs(other - tile) <= 2) - 3
