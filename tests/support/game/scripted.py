"""Hands of every rule set as scripts: in ``E 5p, S pung, S 9s, W`` draws and passes come by themselves."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace as replace_fields
from typing import Self

from msgspec.structs import replace

from twinwall.game.held import HeldTiles
from twinwall.game.play import Phase, PlayState
from twinwall.game.play_events import (
    Claim,
    Claimed,
    ClaimsPassed,
    HandShown,
    KongDeclared,
    Meld,
    MeldType,
    PlayEvent,
    TileDiscarded,
    TileDrawn,
    WinDeclared,
)
from twinwall.game.record import HandRecord
from twinwall.game.replay import replay
from twinwall.game.rule_set import Permissions, RuleSet
from twinwall.game.tiles import SEATS, Seat, Tile, parse_tile, parse_tiles
from twinwall.game.walls import HAND_SIZE, SeatWall

FACE_DOWN = Meld(MeldType.CONCEALED_KONG, (), None)
NOTHING = dict.fromkeys(SEATS, 0)
_CLAIMS = {"chow": MeldType.CHOW, "pung": MeldType.PUNG, "kong": MeldType.KONG}


class Scripted:
    """A hand at which events happen that are legal by what all can see; with walls, what is drawn is known.

    A script is a list of steps with commas between, each a seat and what it does: ``draws``; a tile, which it discards (none: the tile
    drawn), after ``riichi`` with that; ``pung``, ``kong`` or ``chow 345p`` of the last discard, or of a seat's earlier one (``pung 5p
    E``); ``adds 5p``, ``late 5p``, ``conceals 5p`` (``conceals`` face down); ``wins`` (``wins 5p`` names a self-drawn tile);
    ``shows``, a hand of no tiles where no walls say it. ``passed`` closes the claims, as the next draw does.
    """

    rules: RuleSet
    state: PlayState
    events: list[PlayEvent]
    held: HeldTiles | None

    def happen(self, event: PlayEvent) -> None:
        """Let an event happen that the rules allow."""
        problem = self.rules.illegal(self.state, event)
        assert problem is None, f"{event} is refused: {problem}"
        self.state = self.rules.apply(self.state, event)
        if self.held is not None:
            self.held.happen(event)
        self.events.append(event)

    def after(self, *steps: str | PlayEvent) -> Self:
        """Follow scripts and single events."""
        for part in steps:
            for step in part.split(",") if isinstance(part, str) else [part]:
                if isinstance(step, str):
                    self._follow(step.split())
                else:
                    self.happen(step)
        return self

    def with_draws(self, *left: int, **of_seat: int) -> Self:
        """The same with this many draws left, for E, S, W, N or by letter."""
        for seat, draws in {**dict(zip("ESWN", left, strict=False)), **of_seat}.items():
            self.state = self.state.with_seat(Seat(seat), replace(self.state.seat(Seat(seat)), draws_left=draws))
        return self

    @property
    def allowed(self) -> Permissions:
        return self.rules.permissions(self.state)

    @property
    def claims(self) -> dict[Seat, set[Claim]]:
        return {seat: set(claims) for seat, claims in (self.allowed.claims or {}).items()}

    def reason(self, step: str | PlayEvent) -> str | None:
        """Why the next event is refused, in the rules' word; None for a legal one."""
        problem = self.rules.illegal(self.state, self.event(step) if isinstance(step, str) else step)
        assert problem is None or problem.sentence
        return None if problem is None else problem.reason

    def shown(self, seat: Seat) -> HandShown:
        """The hand of a winner as it would show it."""
        tile = Tile.M5 if self.state.last_discard is None else self.state.last_discard
        if self.held is None:
            return HandShown(seat, (), tile)
        held = self.held.of[seat]
        return HandShown(seat, held[:-1], held[-1]) if seat is self.state.turn else HandShown(seat, held, tile)

    def _follow(self, words: list[str]) -> None:
        if words == ["passed"]:
            self.happen(ClaimsPassed())
            return
        seat, (what, *more) = Seat(words[0]), words[1:] or [""]
        is_open = self.state.phase is Phase.CLAIMS
        if (what in _CLAIMS and len(more) < 2) or what == "shows" or (is_open and words[1:] == ["wins"]):
            self.happen(self.event(" ".join(words)))
            return
        if is_open:
            self.happen(ClaimsPassed())
        if what not in (*_CLAIMS, "draws") and self.allowed.draw is seat:
            self.happen(TileDrawn(seat, self.allowed.from_end))
        self.happen(self.event(" ".join(words)))

    def event(self, step: str) -> PlayEvent:
        """The event of a step, drawn and passed for already."""
        words = step.split()
        seat, (what, *more) = Seat(words[0]), words[1:] or [""]
        match what:
            case "draws":
                return TileDrawn(seat, self.allowed.from_end)
            case "chow" | "pung" | "kong":
                named = parse_tiles(more[0]) if more else (self.state.last_discard or Tile.M1,)
                tiles = named if what == "chow" else named * (3 if what == "pung" else 4)
                return Claimed(seat, Meld(_CLAIMS[what], tiles, Seat(more[1]) if len(more) == 2 else self.state.turn))
            case "adds" | "late":
                return KongDeclared(seat, Meld(MeldType.ADDED_KONG, (parse_tile(more[0]),) * 4, None), late=what == "late")
            case "conceals":
                return KongDeclared(seat, Meld(MeldType.CONCEALED_KONG, (parse_tile(more[0]),) * 4, None) if more else FACE_DOWN)
            case "wins" if more:
                return WinDeclared(seat, None, parse_tile(more[0]))
            case "wins" if seat is not self.state.turn:
                return WinDeclared(seat, self.state.turn, self.state.last_discard)
            case "wins":
                return WinDeclared(seat, None, None if self.held is None else self._drawn(seat))
            case "shows":
                return HandShown(seat, (), parse_tile(more[0])) if more else self.shown(seat)
            case _:
                named_tile = "".join(more) if what == "riichi" else what
                return TileDiscarded(seat, parse_tile(named_tile) if named_tile else self._drawn(seat), what == "riichi")

    def _drawn(self, seat: Seat) -> Tile:
        assert self.held is not None, "without walls a tile is named"
        return self.held.of[seat][-1]


class ScriptedHand(Scripted):
    """A hand at its start, with this many draws left where they are given."""

    def __init__(self, rules: RuleSet, *left: int) -> None:
        self.rules, self.state, self.events, self.held = rules, rules.start(), [], None
        self.with_draws(*left)


Dealt = tuple[dict[Seat, SeatWall], tuple[Tile, ...]]


def begun_deal(rules: RuleSet, rest: str = "", far: bool = False, /, **begun: str) -> Dealt:
    """A deal whose hand tiles and draws begin as given ("hand | draws" by seat letter), and whose shared tiles end with ``rest``; what
    remains of the set fills it, kinds ``far`` from each other one after the other, so that what fills a hand does not make sets."""
    left = Counter(rules.tiles)
    shared = parse_tiles(rest)
    left.subtract(shared)
    given = {}
    for seat in SEATS:
        first, _, then = begun.get(seat.value, "").partition("|")
        given[seat] = parse_tiles(first), parse_tiles(then)
        left.subtract([*given[seat][0], *given[seat][1]])
    assert min(left.values()) >= 0, "five of a kind are asked for"
    pool = sorted(left.elements(), key=lambda tile: (tile.rank * 5 % 9, tile)) if far else list(left.elements())
    walls = {}
    for seat, (hand, draws) in given.items():
        sizes = ((hand, HAND_SIZE), (draws, rules.walls.draws))
        filled = [(*part, *(pool.pop() for _ in range(size - len(part)))) for part, size in sizes]
        walls[seat] = SeatWall(filled[0], filled[1])
    return walls, (*pool, *shared)


def record_of(
    rules: str,
    events: Iterable[PlayEvent],
    walls: Mapping[Seat, SeatWall] | None = None,
    options: Mapping[str, object] | None = None,
    *,
    hand: int = 1,
    scores: Mapping[Seat, int] = NOTHING,
    rest: tuple[Tile, ...] | None = None,
) -> HandRecord:
    """A record of a hand at table 1."""
    players = {seat: f"player {seat.value}" for seat in SEATS}
    of_table = ("test", 1, hand, 1, "1", rules, options or {}, players, bytes(32))
    return HandRecord(*of_table, tuple(events), scores, walls=walls, rest=rest)


def objections(
    hand: Scripted, walls: Mapping[Seat, SeatWall], options: Mapping[str, object], rest: tuple[Tile, ...] | None = None
) -> list[tuple[int, str]]:
    """What only a replay with the walls does not let stand: the events by number from 1, with their reasons."""
    record = record_of(hand.rules.name, hand.events, walls, options, rest=rest)
    assert replay(replace_fields(record, walls=None, rest=None)).legal, "what only the walls show is not seen without them"
    return [(number, verdict.reason) for number, verdict in enumerate(replay(record).verdicts, 1) if verdict]
