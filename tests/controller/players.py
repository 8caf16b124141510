"""Four people at the table who play a hand that is written down beforehand.

They act by what they see: a tile in front of them, an open gate, lamps. A key that was not heard
is pressed again, so that a hand goes on whenever the controller does.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from random import Random

from controller.keys import Key
from tests.controller.feeder import Move
from tests.controller.rigs import Rig
from tests.game.tables import Table
from twinwall.game.deals import SeatWall
from twinwall.game.play import (
    Claim,
    Claimed,
    ClaimsPassed,
    HandEnded,
    HandShown,
    MeldType,
    PlayEvent,
    RuleSet,
    TileDiscarded,
    TileDrawn,
    WinDeclared,
    WinRefused,
)
from twinwall.game.tiles import Seat, Tile
from vision.mat import Area, Slot

KEYS = {Claim.CHOW: Key.CHOW, Claim.PUNG: Key.PUNG, Claim.WIN: Key.WIN, MeldType.CHOW: Key.CHOW, MeldType.PUNG: Key.PUNG}


def written_hand(rules: RuleSet, walls: dict[Seat, SeatWall], seed: int, *, hand: int = 1) -> list[PlayEvent]:
    """A whole hand as four players who want to win might play it."""
    table = Table(rules, walls, Random(seed), True, hand)
    for _ in table.play():
        pass
    return [replace(event, concealed=tuple(sorted(event.concealed))) if isinstance(event, HandShown) else event for event in table.events]


class Players:
    """Plays ``script`` at a rig; ``next_move`` is what somebody would do now."""

    def __init__(self, rig: Rig, script: list[PlayEvent]) -> None:
        self._rig = rig
        self._script = script
        self._at = 0
        self._river = [0, 0, 0, 0]
        self._melds = [0, 0, 0, 0]
        self._last: Slot | None = None
        rig.players = self.next_move

    @property
    def finished(self) -> bool:
        """Whether all has been done that the script says."""
        return self._at == len(self._script)

    def next_move(self) -> Move | None:
        """What somebody does now, None when all wait."""
        feeder, lamps = self._rig.feeder, self._rig.lamps
        hand_tiles = sorted(position for position in feeder.magazines if position[1] < 13)
        if hand_tiles:
            place, index = self._rig.random.choice(hand_tiles)
            return partial(feeder.take, place, index) if place in lamps.turn else None
        if not feeder.magazines and not self._at:
            return None
        while not self.finished and isinstance(self._script[self._at], ClaimsPassed):
            self._at += 1
        return None if self.finished else self._move(self._script[self._at])

    def _move(self, event: PlayEvent) -> Move | None:
        lamps = self._rig.lamps
        place = None if isinstance(event, HandEnded | ClaimsPassed) else self._place(event.seat)
        match event:
            case TileDrawn():
                assert place is not None
                return partial(self._draw, place) if self._rig.feeder.is_open(place) else None
            case TileDiscarded(_, tile):
                assert place is not None
                return partial(self._discard, place, tile)
            case Claimed():
                if place in lamps.call and not lamps.window:
                    return partial(self._expose, event)
                return self._press_in_window()
            case WinDeclared(_, source):
                if place in lamps.call and not lamps.window:
                    return self._next
                if source is None:
                    return partial(self._rig.press, place, Key.WIN) if place in lamps.turn else None
                return self._press_in_window()
            case HandShown():
                return partial(self._show, event)
            case WinRefused():
                return None if place in lamps.call else partial(self._take_up, event)
            case HandEnded():
                return partial(self._rig.press, min(lamps.turn), Key.CONFIRM) if lamps.turn else None
            case _:
                raise AssertionError(event)

    def _place(self, seat: Seat) -> int:
        return self._rig.seats()[seat]

    def _next(self) -> None:
        self._at += 1

    def _draw(self, place: int) -> None:
        self._rig.feeder.lift(place)
        self._next()

    def _discard(self, place: int, tile: Tile) -> None:
        self._last = Slot(place, Area.RIVER, self._river[place])
        self._river[place] += 1
        self._rig.mat.tiles[self._last] = tile
        self._next()

    def _press_in_window(self) -> Move | None:
        """Everybody who calls anything in this window presses, in any order."""
        if not self._rig.lamps.window:
            return None
        for event in self._script[self._at :]:
            match event:
                case Claimed(seat, meld):
                    pressed = KEYS[meld.type]
                case WinDeclared(seat, _, _):
                    pressed = Key.WIN
                case HandShown() | WinRefused():
                    continue
                case _:
                    return None
            if self._place(seat) not in self._rig.lamps.call:
                return partial(self._rig.press, self._place(seat), pressed)
        return None

    def _expose(self, event: Claimed) -> None:
        place = self._place(event.seat)
        assert self._last is not None
        del self._rig.mat.tiles[self._last]
        for index, tile in enumerate(event.meld.tiles):
            self._rig.mat.tiles[Slot(place, Area.MELD, 4 * self._melds[place] + index)] = tile
        self._melds[place] += 1
        self._next()

    def _show(self, event: HandShown) -> None:
        place = self._place(event.seat)
        for index, tile in enumerate(event.concealed):
            self._rig.mat.tiles[Slot(place, Area.HAND, index)] = tile
        self._rig.mat.tiles[Slot(place, Area.WIN, 0)] = event.winning
        self._next()

    def _take_up(self, event: WinRefused) -> None:
        place = self._place(event.seat)
        for slot in [slot for slot in self._rig.mat.tiles if slot.place == place and slot.area in (Area.HAND, Area.WIN)]:
            del self._rig.mat.tiles[slot]
        self._next()
