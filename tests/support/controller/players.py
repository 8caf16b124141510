"""Four players of a hand that is written down beforehand."""

from collections.abc import Sequence
from functools import partial
from random import Random

from controller.hand import draw_gates
from firmware_bridge.messages import REAR_GATE
from tests.support.controller.feeder import Move, face_of
from tests.support.controller.rigs import Rig
from tests.support.game.tables import Table
from twinwall.game.play_events import (
    Claimed,
    ClaimsPassed,
    HandEnded,
    HandLaidOpen,
    HandShown,
    KongDeclared,
    MeldType,
    PlayEvent,
    ResultExcluded,
    SharedTileTurned,
    TileDiscarded,
    TileDrawn,
    WinDeclared,
    WinRefused,
)
from twinwall.game.rule_set import RuleSet
from twinwall.game.tiles import Seat, Tile
from twinwall.game.walls import SeatWall
from twinwall.wire.shapes.panel import Key
from vision.mat import Area, Slot

KEYS = {MeldType.CHOW: Key.CHOW, MeldType.PUNG: Key.PUNG, MeldType.KONG: Key.KONG}


def written_hand(rules: RuleSet, walls: dict[Seat, SeatWall], seed: int, *, hand: int = 1) -> list[PlayEvent]:
    """A whole hand as four players who want to win might play it."""
    return Table(rules, walls, Random(seed), True, hand).played().script


def with_players(rig: Rig, script: Sequence[PlayEvent]) -> tuple[Rig, list[PlayEvent]]:
    """A rig with people who will play a hand, and the hand."""
    Players(rig, list(script))
    return rig, list(script)


class Players:
    """Plays ``script`` at a rig; ``next_move`` is what somebody would do now."""

    def __init__(self, rig: Rig, script: list[PlayEvent]) -> None:
        self._rig = rig
        self._script = script
        self._at = 0
        self._river = [0, 0, 0, 0]
        self._melds = [0, 0, 0, 0]
        self._lasts: dict[int, Slot] = {}
        self._even_turns = rig.setup.rules.name == "seigo"
        self._hidden: list[list[int]] = [[], [], [], []]
        rig.players = self.next_move

    @property
    def finished(self) -> bool:
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
        if self._rig.state.playing.halted:
            return self._rig.rule  # the referee comes and lets play go on
        while not self.finished and isinstance(self._script[self._at], ClaimsPassed):
            self._at += 1
        return None if self.finished else self._move(self._script[self._at])

    def _move(self, event: PlayEvent) -> Move | None:
        lamps = self._rig.lamps
        place = -1 if isinstance(event, HandEnded | ClaimsPassed | ResultExcluded | SharedTileTurned) else self._place(event.seat)
        match event:
            case TileDrawn():
                return partial(self._draw, place) if self._rig.feeder.is_open(place) else None
            case TileDiscarded(_, tile, riichi):
                if riichi and not self._bound(place):
                    return partial(self._rig.press, place, Key.RIICHI) if place in lamps.turn else None
                return partial(self._discard, place, tile)
            case SharedTileTurned():
                return self._turn_up(event)
            case KongDeclared():
                return self._kong(event)
            case Claimed() if self._even_turns:
                if self._bound(place):
                    return partial(self._expose, event)
                return partial(self._rig.press, place, KEYS[event.meld.type]) if place in lamps.turn else None
            case Claimed():
                if place in lamps.call and not lamps.window:
                    return partial(self._expose, event)
                return self._press_in_window()
            case WinDeclared(_, source, tile):
                if source is None and tile is not None:
                    return self._win_apart(event)
                turning_up = any(map(self._rig.feeder.is_open, range(REAR_GATE, 2 * REAR_GATE)))
                if (place in lamps.call or turning_up) and not lamps.window:
                    return self._next
                if source is None:
                    return partial(self._rig.press, place, Key.WIN) if place in lamps.turn else None
                return self._press_in_window()
            case HandShown():
                return partial(self._show, event) if self._bound(place) else None
            case HandLaidOpen():
                return partial(self._lay_open, event) if place in lamps.turn else None
            case WinRefused():
                return None if place in lamps.call else partial(self._take_up, event)
            case HandEnded():
                return partial(self._rig.press, min(lamps.turn), Key.CONFIRM) if lamps.turn else None
            case _:
                raise AssertionError(event)

    def _place(self, seat: Seat) -> int:
        return self._rig.seats()[seat]

    def _bound(self, place: int) -> bool:
        """Whether the lamps tell a place to do what it pressed for."""
        lamps = self._rig.lamps
        return place in lamps.call and place in lamps.turn and not lamps.window

    def _turn_up(self, event: SharedTileTurned) -> Move | None:
        """Whoever sits at the open rear gate takes the tile and lays it face up."""
        gate = REAR_GATE + self._place(draw_gates.seat_of(self._rig.deal, event.place))
        return partial(self._lay_shared, gate, event) if self._rig.feeder.is_open(gate) else None

    def _lay_shared(self, gate: int, event: SharedTileTurned) -> None:
        assert face_of(self._rig.feeder.lift(gate)) is event.tile
        self._rig.mat.tiles[Slot(0, Area.SHARED, event.place)] = event.tile
        self._next()

    def _next(self) -> None:
        self._at += 1

    def _draw(self, place: int) -> None:
        self._rig.feeder.lift(place)
        self._next()

    def _discard(self, place: int, tile: Tile) -> None:
        self._lasts[place] = Slot(place, Area.RIVER, self._river[place])
        self._river[place] += 1
        self._rig.mat.tiles[self._lasts[place]] = tile
        self._next()

    def _kong(self, event: KongDeclared) -> Move | None:
        """Press KONG, lay it, and where it lies face down press CONFIRM; each again when it was not heard."""
        place = self._place(event.seat)
        face_down = event.meld.face_down
        if self._declared(event):
            return partial(self._go_on_after_kong, event)
        if place not in self._rig.lamps.call:
            return partial(self._rig.press, place, Key.KONG) if place in self._rig.lamps.turn else None
        if event.meld.type is MeldType.CONCEALED_KONG and not face_down:
            return partial(self._lay_kong, place, event)
        laid = Slot(place, Area.MELD, 4 * self._group(event) + 3)
        if laid not in self._rig.mat.tiles:
            return partial(self._lay_kong, place, event)
        return partial(self._rig.press, place, Key.CONFIRM) if face_down else None

    def _declared(self, event: KongDeclared) -> bool:
        """Whether the table has gone on after the kong was laid."""
        slot = Slot(self._place(event.seat), Area.MELD, 4 * self._group(event) + 3)
        return slot in self._rig.mat.tiles and not self._bound(slot.place)

    def _go_on_after_kong(self, event: KongDeclared) -> None:
        place = self._place(event.seat)
        self._melds[place] += event.meld.type is MeldType.CONCEALED_KONG
        self._river[place] += self._even_turns
        self._next()

    def _group(self, event: KongDeclared) -> int:
        place = self._place(event.seat)
        if event.meld.type is MeldType.CONCEALED_KONG:
            return self._melds[place]
        tile = event.meld.tiles[0]
        return next(
            slot.index // 4
            for slot, lying in sorted(self._rig.mat.tiles.items(), key=lambda item: item[0])
            if slot.place == place
            and slot.area is Area.MELD
            and slot.index % 4 == 0
            and lying is tile
            and self._rig.mat.tiles.get(Slot(place, Area.MELD, slot.index + 1)) is tile
        )

    def _lay_kong(self, place: int, event: KongDeclared) -> None:
        group = self._group(event)
        if event.meld.face_down:
            self._rig.mat.lay_face_down(place, group)
            self._hidden[place].append(group)
            return
        fourth = Slot(place, Area.MELD, 4 * group + 3)
        if event.meld.type is MeldType.CONCEALED_KONG:
            self._rig.mat.lay_face_down(place, group)
            self._rig.mat.blurred.discard(fourth)
        self._rig.mat.tiles[fourth] = event.meld.tiles[0]

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
                case HandShown() | WinRefused() | SharedTileTurned():
                    continue
                case _:
                    return None
            if self._place(seat) not in self._rig.lamps.call:
                return partial(self._rig.press, self._place(seat), pressed)
        return None

    def _win_apart(self, event: WinDeclared) -> Move | None:
        """Press WIN and lay the tile; when the table has heard it and goes on, so does the script."""
        assert event.tile is not None
        place, lamps = self._place(event.seat), self._rig.lamps
        apart = Slot(place, Area.WIN, 0)
        if apart in self._rig.mat.tiles:
            return self._next if self._rig.state.playing.hand.win is None else None
        if place in lamps.call:
            return partial(self._rig.mat.tiles.__setitem__, apart, event.tile)
        return partial(self._rig.press, place, Key.WIN) if place in lamps.turn else None

    def _expose(self, event: Claimed) -> None:
        place = self._place(event.seat)
        assert event.meld.source is not None
        del self._rig.mat.tiles[self._lasts[self._place(event.meld.source)]]
        self._river[place] += self._even_turns and event.meld.type is MeldType.KONG
        for index, tile in enumerate(event.meld.tiles):
            self._rig.mat.tiles[Slot(place, Area.MELD, 4 * self._melds[place] + index)] = tile
        self._melds[place] += 1
        self._next()

    def _show(self, event: HandShown) -> None:
        place = self._place(event.seat)
        for index, tile in enumerate(event.concealed):
            self._rig.mat.tiles[Slot(place, Area.HAND, index)] = tile
        for group, tile in zip(self._hidden[place], event.kongs, strict=True):
            self._rig.mat.turn_up(place, group, tile)
        self._rig.mat.tiles[Slot(place, Area.WIN, 0)] = event.winning
        self._next()

    def _lay_open(self, event: HandLaidOpen) -> None:
        for index, tile in enumerate(event.concealed):
            self._rig.mat.tiles[Slot(self._place(event.seat), Area.HAND, index)] = tile
        self._next()

    def _take_up(self, event: WinRefused) -> None:
        place = self._place(event.seat)
        for slot in [slot for slot in self._rig.mat.tiles if slot.place == place and slot.area in (Area.HAND, Area.WIN)]:
            del self._rig.mat.tiles[slot]
        for group in self._hidden[place]:
            self._rig.mat.lay_face_down(place, group)
        self._next()


class PlayersWhoCallAloud(Players):
    """Nobody presses a key for a claim: its meld is laid while claims are open."""

    def _move(self, event: PlayEvent) -> Move | None:
        if isinstance(event, Claimed):
            return partial(self._expose, event) if self._rig.lamps.window else None
        return super()._move(event)
