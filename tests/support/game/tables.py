"""A table for tests: four players who hold real walls and play legal moves at random or to win."""

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Self

from MahjongGB import MahjongShanten

from tests.support.game.scripted import FACE_DOWN, Dealt, Scripted, record_of
from tests.support.narrowed import of_type, present
from twinwall.game.deals.deal import deal_tiles
from twinwall.game.held import HeldTiles
from twinwall.game.play import Phase, PlayState, chows_with
from twinwall.game.play_events import (
    Claim,
    Claimed,
    ClaimsPassed,
    EndReason,
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
    totals,
)
from twinwall.game.record import HandRecord
from twinwall.game.rule_set import NoWin, RuleSet, Win, WinningHand
from twinwall.game.rules import rule_set
from twinwall.game.tiles import ALL_TILES, SEATS, Seat, Tile, parse_tiles, round_wind
from twinwall.game.walls import SeatWall

LIBRARY_CODES = [f"{letter}{rank}" for letter in "WBT" for rank in range(1, 10)] + ["F1", "F2", "F3", "F4", "J1", "J2", "J3"]


def hand_of(
    tiles: str,
    winning: str,
    *,
    melds: tuple[Meld, ...] = (),
    seat: Seat = Seat.EAST,
    source: Seat | None = None,
    wind: Seat = Seat.EAST,
    flags: frozenset[str] = frozenset(),
) -> WinningHand:
    return WinningHand(seat, wind, parse_tiles(tiles), melds, parse_tiles(winning)[0], source, flags)


def meld_of(meld_type: MeldType, tiles: str, source: Seat | None) -> Meld:
    return Meld(meld_type, parse_tiles(tiles), source)


def random_walls(seed: int) -> dict[Seat, SeatWall]:
    """Four walls of 34 tiles."""
    return random_deal("mcr-duplicate", seed)[0]


def any_walls(seed: int) -> dict[Seat, SeatWall]:
    """Four walls of 34 tiles: of every five two hold many kongs."""
    return walls_with_kongs(seed) if seed % 5 < 2 else random_walls(seed)


def random_deal(rules: str, seed: int, *, alike: int = 0) -> Dealt:
    """Four walls and the rest; with ``alike``, equal tiles lie together before this many pairs of tiles are exchanged."""
    of_rules, chance = rule_set(rules), random.Random(seed)
    tiles, size = list(of_rules.tiles), of_rules.walls.wall_size
    if not alike:
        chance.shuffle(tiles)
        return deal_tiles(tuple(tiles), size)
    return _exchanged(tiles, size, alike, chance)


def walls_with_kongs(seed: int) -> dict[Seat, SeatWall]:
    """Four walls of 34 tiles in which equal tiles have mostly gone to the same seat."""
    chance = random.Random(seed)
    kinds = list(ALL_TILES)
    chance.shuffle(kinds)
    return _exchanged([tile for tile in kinds for _ in range(4)], 34, 40, chance)[0]


def _exchanged(tiles: list[Tile], size: int, times: int, chance: random.Random) -> Dealt:
    for _ in range(times):
        one, other = chance.randrange(len(tiles)), chance.randrange(len(tiles))
        tiles[one], tiles[other] = tiles[other], tiles[one]
    walls = {}
    for index, seat in enumerate(SEATS):
        own = tiles[size * index : size * index + size]
        chance.shuffle(own)
        walls[seat] = SeatWall(tuple(own[:13]), tuple(own[13:]))
    return walls, tuple(tiles[4 * size :])


def melds_with(tile: Tile, held: tuple[Tile, ...], claims: frozenset[Claim], source: Seat) -> list[Meld]:
    """What a seat that may make these claims can make of a discard."""
    made = []
    if Claim.PUNG in claims and held.count(tile) >= 2:
        made.append(Meld(MeldType.PUNG, (tile,) * 3, source))
    if Claim.KONG in claims and held.count(tile) == 3:
        made.append(Meld(MeldType.KONG, (tile,) * 4, source))
    if Claim.CHOW in claims:
        for chow in chows_with(tile):
            if all(other in held for other in chow if other is not tile):
                made.append(Meld(MeldType.CHOW, chow, source))
    return made


def kongs_with(held: tuple[Tile, ...], melds: tuple[Meld, ...]) -> list[Meld]:
    """The kongs that a seat can declare with what it holds, concealed ones first."""
    concealed = [Meld(MeldType.CONCEALED_KONG, (tile,) * 4, None) for tile in sorted(set(held)) if held.count(tile) == 4]
    pungs = [meld.tiles[0] for meld in melds if meld.type is MeldType.PUNG]
    return concealed + [Meld(MeldType.ADDED_KONG, (tile,) * 4, None) for tile in pungs if tile in held]


@dataclass
class RandomTable(Scripted):
    """One hand that four players play; ``eager`` players go towards a win and take every one, the others do as chance has it."""

    rules: RuleSet
    walls: Mapping[Seat, SeatWall]
    choice: random.Random
    eager: bool
    hand: int = 1
    options: Mapping[str, object] = field(default_factory=dict)
    """The options of ``rules``, for the record."""
    rest: tuple[Tile, ...] = ()
    state: PlayState = field(init=False)
    held: HeldTiles = field(init=False)
    events: list[PlayEvent] = field(default_factory=list)
    wins: dict[Seat, Win] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.state = self.rules.start()
        self.held = HeldTiles(self.walls)

    def play(self) -> Iterator[PlayEvent]:
        """Play the hand to its end, event by event; each is yielded before it happens."""
        while self.state.phase is not Phase.ENDED:
            event = self.next_event()
            yield event
            self.happen(event)

    def played(self) -> Self:
        """The same, played to its end."""
        for _ in self.play():
            pass
        return self

    @property
    def script(self) -> list[PlayEvent]:
        """Its events, with hands shown in the order of their tiles."""
        shown = HandShown | HandLaidOpen
        return [replace(event, concealed=tuple(sorted(event.concealed))) if isinstance(event, shown) else event for event in self.events]

    def next_event(self) -> PlayEvent:
        raise NotImplementedError

    def judged(self, shown: HandShown) -> Win | NoWin:
        return self.rules.score(self.rules.winning_hand(self.state, shown, round_wind(self.hand)))

    def refusal(self, seat: Seat) -> WinRefused:
        """The word on a seat's hand, shown last, that does not win."""
        shown = next(event for event in reversed(self.events) if isinstance(event, HandShown) and event.seat is seat)
        return WinRefused(seat, of_type(NoWin, self.judged(shown)).reason)

    def record(self) -> HandRecord:
        scores = dict(present(self.state.ended).scores)
        return record_of(self.rules.name, self.events, self.walls, self.options, hand=self.hand, scores=scores, rest=self.rest or None)


@dataclass
class Table(RandomTable):
    """One hand by rules with chows and kongs face down: ``eager`` players discard towards a win, the others at random."""

    kongs: dict[Seat, list[Tile]] = field(default_factory=lambda: {seat: [] for seat in SEATS})
    """The kinds of the kongs that each seat laid face down."""
    pressed: dict[Seat, Claim] = field(default_factory=dict)
    """Who called what on the tile last laid."""

    def rack(self, seat: Seat) -> tuple[Tile, ...]:
        return tuple(tile for tile in self.held.of[seat] if tile not in self.kongs[seat])

    def next_event(self) -> PlayEvent:
        allowed = self.rules.permissions(self.state)
        if allowed.draw is not None:
            return TileDrawn(allowed.draw, allowed.from_end)
        if allowed.discard is not None:
            return self._own_turn(allowed.discard, may_win=allowed.win is not None, may_kong=allowed.kong is not None)
        if self.state.phase is Phase.SHOW and self.state.winner is not None:
            return self._show_or_judge(self.state.winner)
        if allowed.claims is not None:
            return self._answer(allowed.claims)
        assert allowed.ended is EndReason.DRAWN
        return HandEnded(EndReason.DRAWN, dict.fromkeys(SEATS, 0))

    def _own_turn(self, seat: Seat, may_win: bool, may_kong: bool) -> PlayEvent:
        held = self.rack(seat)
        if may_win and (self._wins(seat, held[:-1], held[-1], None) or self.choice.random() < 0.005):
            return WinDeclared(seat, None, None)
        kongs = kongs_with(held, self._melds(seat)) if may_kong else []
        if kongs and self.choice.random() < 0.7:
            kong = self.choice.choice(kongs)
            if kong.type is MeldType.ADDED_KONG:
                return KongDeclared(seat, kong)
            self.kongs[seat].append(kong.tiles[0])
            return KongDeclared(seat, FACE_DOWN)
        return TileDiscarded(seat, self._discard(seat, held))

    def _wins(self, seat: Seat, tiles: tuple[Tile, ...], winning: Tile, source: Seat | None) -> bool:
        hand = WinningHand(seat, round_wind(self.hand), tiles, self._melds(seat), winning, source)
        return not isinstance(self.rules.score(hand), NoWin)

    def _discard(self, seat: Seat, held: tuple[Tile, ...]) -> Tile:
        if not self.eager:
            return self.choice.choice(held)
        kinds = sorted(set(held))
        self.choice.shuffle(kinds)
        return min(kinds, key=lambda tile: self._distance(seat, held, tile))

    def _distance(self, seat: Seat, held: tuple[Tile, ...], without: Tile) -> int:
        left = list(held)
        left.remove(without)
        packs = tuple(
            ("CHI" if meld.type is MeldType.CHOW else "PENG", LIBRARY_CODES[sorted(meld.tiles)[1]], 1) for meld in self._melds(seat)
        )  # a kong is a pung to the distance
        return MahjongShanten(packs, tuple(LIBRARY_CODES[tile] for tile in left))

    def _melds(self, seat: Seat) -> tuple[Meld, ...]:
        """The melds of a seat as itself knows them."""
        kinds = iter(self.kongs[seat])
        melds = self.state.seat(seat).melds
        return tuple(Meld(meld.type, (next(kinds),) * 4, None) if meld.face_down else meld for meld in melds)

    def _answer(self, claims: Mapping[Seat, frozenset[Claim]]) -> PlayEvent:
        tile = present(self.state.last_discard)
        pressed: dict[Seat, Claim] = {}
        melds: dict[Seat, Meld] = {}
        for seat, allowed in claims.items():
            held = self.rack(seat)
            made = melds_with(tile, held, allowed, self.state.turn)
            if Claim.WIN in allowed and (self._wins(seat, held, tile, self.state.turn) or self.choice.random() < 0.002):
                pressed[seat] = Claim.WIN
            elif made and self.choice.random() < 0.3:
                melds[seat] = self.choice.choice(made)
                pressed[seat] = Claim(melds[seat].type.value)
        if isinstance(self.events[-1], WinRefused):  # the window is over: only who has pressed in it comes next
            pressed = {seat: call for seat, call in pressed.items() if self.pressed.get(seat) is call}
        self.pressed = pressed
        order = self.rules.priority(self.state, pressed)
        if not order:
            return ClaimsPassed()
        if pressed[order[0]] is Claim.WIN:
            return WinDeclared(order[0], self.state.turn, tile)
        return Claimed(order[0], melds[order[0]])

    def _show_or_judge(self, winner: Seat) -> PlayEvent:
        shown = self.state.seat(winner).shown
        held = self.rack(winner)
        self_drawn = winner is self.state.turn
        winning = present(held[-1] if self_drawn else self.state.last_discard)
        event = HandShown(winner, held[:-1] if self_drawn else held, winning, tuple(self.kongs[winner]))
        if shown is None:
            return event
        outcome = self.judged(event)
        if isinstance(outcome, NoWin):
            return WinRefused(winner, outcome.reason)
        self.wins[winner] = outcome
        also = self.rules.permissions(self.state).claims or {}
        called = [seat for seat in self.rules.priority(self.state, self.pressed) if seat in also and self.pressed[seat] is Claim.WIN]
        if called:
            return WinDeclared(called[0], self.state.turn, self.state.last_discard)
        return HandEnded(EndReason.WON, totals(self.rules.payments(self.state, self.wins)))
