"""The worked example: one hand that is played at four tables, with its scores; and what a rule set says of a hand."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from tests.support.game.scripted import record_of as scripted_record_of
from twinwall.game.deals import walls_digest
from twinwall.game.held import concealed
from twinwall.game.play_events import (
    Claimed,
    ClaimsPassed,
    EndReason,
    HandEnded,
    HandShown,
    Meld,
    MeldType,
    PlayEvent,
    TileDiscarded,
    TileDrawn,
    WinDeclared,
)
from twinwall.game.record import HandRecord
from twinwall.game.rule_set import NoWin, Win, WinningHand
from twinwall.game.rules import rule_set
from twinwall.game.tiles import SEATS, Seat, parse_tile, parse_tiles
from twinwall.game.walls import SeatWall

E, S, W, N = SEATS
EXAMPLE = json.loads((Path(__file__).parent / "worked-example.json").read_text())
WALLS = {Seat(seat): SeatWall(parse_tiles(wall["hand"]), parse_tiles(wall["draws"])) for seat, wall in EXAMPLE["walls"].items()}
SCORES = {
    "1": {E: 75, S: -25, W: -25, N: -25},
    "2": {E: -8, S: 48, W: -32, N: -8},
    "3": {E: -16, S: -8, W: -8, N: 32},
    "4": {E: -8, S: 48, W: -32, N: -8},
}


def events_of(play: str) -> list[PlayEvent]:
    """One play of the worked example as events; its lines hold discards, claims and the win, draws go between."""
    events: list[PlayEvent] = []
    claimed = False
    for line in EXAMPLE["plays"][play]:
        seat = Seat(line[0])
        if line[1] == "ron":
            events[-1:] = [WinDeclared(seat, Seat(line[3]), parse_tile(line[2]))]
            events.append(HandShown(seat, concealed(WALLS, events, seat), parse_tile(line[2])))
        elif line[1] == "tsumo":
            events += [TileDrawn(seat), WinDeclared(seat, None, None)]
            events.append(HandShown(seat, concealed(WALLS, events, seat)[:-1], parse_tile(line[2])))
        elif line[1] in ("chow", "kong"):
            events[-1:] = [Claimed(seat, Meld(MeldType(line[1]), parse_tiles(line[2]), Seat(line[3])))]
            claimed = line[1] == "chow"
        else:
            events += [*([] if claimed else [TileDrawn(seat)]), TileDiscarded(seat, parse_tile(line[1])), ClaimsPassed()]
            claimed = False
    return [*events, HandEnded(EndReason.WON, SCORES[play])]


def record_of(play: str) -> HandRecord:
    record = scripted_record_of("mcr-duplicate", events_of(play), WALLS, scores=SCORES[play])
    return replace(record, event="Sanya", table=play, digest=walls_digest(WALLS, ()))


@dataclass(frozen=True)
class Judge:
    """A rule set, and its options where a test names none."""

    rules: str
    options: Mapping[str, object] = field(default_factory=dict)

    def won(self, hand: WinningHand, **options: object) -> Win:
        outcome = rule_set(self.rules, options or self.options).score(hand)
        assert isinstance(outcome, Win), outcome
        return outcome

    def refused(self, hand: WinningHand, **options: object) -> str:
        outcome = rule_set(self.rules, options or self.options).score(hand)
        assert isinstance(outcome, NoWin), outcome
        return outcome.reason

    def counts(self, hand: WinningHand, **options: object) -> dict[str, int]:
        """The ids of its fans with how often each counts."""
        return {fan.id: fan.count for fan in self.won(hand, **options).fans}
