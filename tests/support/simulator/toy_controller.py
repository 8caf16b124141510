"""Toy controller: follows the lamp language and plays hands with whoever sits at the table."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Callable, Mapping
from urllib.parse import urlsplit

from simulator.scene import LaidTile
from simulator.world.service import WorldService
from tests.support.patience import PATIENCE_S
from tests.support.simulator.world_fakes import FakeFeeder, Pins, Walls
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
from twinwall.game.rule_set import RuleSet, Win
from twinwall.game.session import place_of, round_wind, seat_at
from twinwall.game.tiles import Seat, Tile, parse_tile
from twinwall.wire.shapes.panel import Key

CLAIM_WINDOW_S = 3.0
_CLAIMS = {Key.CHOW: Claim.CHOW, Key.PUNG: Claim.PUNG, Key.KONG: Claim.KONG, Key.WIN: Claim.WIN}


class ToyController:
    """Plays one hand, or hands in sequence with two sets. With ``faints`` it forgets the first claim pressed, as if it had
    been killed and started again. ``disturb`` is called every millisecond that it waits."""

    def __init__(
        self,
        rules: RuleSet,
        service: WorldService,
        feeder: FakeFeeder,
        pins: Pins,
        *,
        faints: bool = False,
        disturb: Callable[[], None] = lambda: None,
    ) -> None:
        self._rules, self._world, self._url, self._feeder, self._pins = rules, service.world, service.url, feeder, pins
        self._faints, self._disturb = faints, disturb
        self._hand = 1
        self._state = rules.start()
        self.events: list[PlayEvent] = []
        self.score: Win | None = None
        self.confirmed_by: list[int] = []

    def play(self, hand: int = 1, walls: Walls | None = None) -> None:
        """One hand, from the raised walls (by place) to agreed payments."""
        self._hand, self._state, self.events, self.score = hand, self._rules.start(), [], None
        self._feeder.raise_walls(walls)
        self._until(lambda: not any(self._feeder.view().waiting))
        while True:
            allowed = self._rules.permissions(self._state)
            if allowed.ended is not None:
                return self._settle(Seat.EAST)
            if allowed.draw is not None:
                self._turn(allowed.draw)
            elif allowed.discard is not None:
                self._await_discard(allowed.discard)
            elif allowed.claims is not None:
                self._window(allowed.claims)
            if self.score is not None:
                return self._settle(next(event.seat for event in self.events if isinstance(event, HandShown)))

    def clear(self, wanted: int, *, fault_after: int | None = None) -> bool:
        """Between two hands: open the well until so many tiles have fallen in. With ``fault_after`` tiles, or fewer, the
        fault lamp is lit once they lie in the well, until the rest has come or CONFIRM was pressed; returns whether it was."""
        self._feeder.clear()
        confirmed = False
        if fault_after is not None:
            self._until(lambda: len(self._feeder.well) == fault_after)
            self._pins.fault(True)

            def settled() -> bool:
                nonlocal confirmed
                confirmed |= any(key is Key.CONFIRM for _, key in self._pins.pressed())
                return confirmed or len(self._feeder.well) == wanted

            self._until(settled)
            self._pins.fault(False)
        else:
            self._until(lambda: len(self._feeder.well) == wanted)
        self._until(lambda: not self._pins.pressed())
        self._feeder.close_well()
        return confirmed

    def _place(self, seat: Seat) -> int:
        return place_of(seat, self._hand)

    def _at(self, place: int) -> Seat:
        return seat_at(place, self._hand)

    def _turn(self, seat: Seat) -> None:
        place = self._place(seat)
        left = self._feeder.view().draws_left[place]
        self._feeder.unlock(place)
        self._pins.turn(place)
        self._until(lambda: self._feeder.view().draws_left[place] < left)
        self._happen(TileDrawn(seat))

    def _await_discard(self, seat: Seat) -> None:
        """A discard, a self-drawn win, or a kong."""
        laid = len(self._state.seat(seat).river)

        def discarded() -> Tile | None:
            found = self._lying(self._place(seat), "river").get(laid)
            return None if found is None else parse_tile(found.face)

        tile: Tile | None = None
        while tile is None:
            tile = discarded()
            if (self._place(seat), Key.WIN) in self._pins.pressed():
                self._pins.call(self._place(seat))
                self._happen(WinDeclared(seat, None, None))
                self._judge_hand(seat, None)
                return
            if (self._place(seat), Key.KONG) in self._pins.pressed():
                self._pins.call(self._place(seat))
                self._await_kong(seat)
                return
            self._pause()
        self._pins.turn()
        self._happen(TileDiscarded(seat, tile))

    def _await_kong(self, seat: Seat) -> None:
        """The fourth tile on a pung, or CONFIRM when four lie face down."""
        melds = self._state.seat(seat).melds
        while True:
            lying = self._lying(self._place(seat), "meld")
            for group, meld in enumerate(melds):
                if meld.type is MeldType.PUNG and 4 * group + 3 in lying:
                    tile = parse_tile(lying[4 * group + 3].face)
                    self._pins.call()
                    self._pins.turn()
                    return self._happen(KongDeclared(seat, Meld(MeldType.ADDED_KONG, (tile,) * 4, None)))
            if (self._place(seat), Key.CONFIRM) in self._pins.pressed():
                assert [lying[4 * len(melds) + index].face for index in range(4)] == ["back"] * 4
                self._pins.call()
                self._pins.turn()
                return self._happen(KongDeclared(seat, Meld(MeldType.CONCEALED_KONG, (), None)))
            self._pause()

    def _window(self, allowed: Mapping[Seat, frozenset[Claim]]) -> None:
        bound: dict[Seat, Claim] = {}
        closed = threading.Event()
        timer = threading.Thread(target=self._run_timer, args=(closed,))
        self._pins.window(True)
        timer.start()
        while not closed.is_set():
            pressed = self._pins.pressed()
            if pressed and self._faints:
                self._faint()
                continue
            for place, key in pressed:
                claim = _CLAIMS.get(key)
                if claim in allowed.get(self._at(place), ()) and self._at(place) not in bound:
                    assert claim is not None
                    bound[self._at(place)] = claim
                    self._pins.call(*(self._place(seat) for seat in bound))
            self._pause()
        timer.join()
        if not bound:
            self._pins.window(False)
            self._happen(ClaimsPassed())
            return
        first = self._rules.priority(self._state, bound)[0]
        self._pins.call(self._place(first))
        self._pins.turn(self._place(first))
        self._pins.window(False)
        source, tile = self._state.turn, self._state.last_discard
        assert tile is not None
        if bound[first] is Claim.WIN:
            self._happen(WinDeclared(first, source, tile))
            self._judge_hand(first, tile)
        else:
            self._judge_meld(first, source, tile, bound[first])

    def _judge_meld(self, seat: Seat, source: Seat, tile: Tile, claim: Claim) -> None:
        before = len(self._state.seat(seat).melds)

        def group() -> list[LaidTile]:
            return [lying for index, lying in sorted(self._lying(self._place(seat), "meld").items()) if index // 4 == before]

        self._until(lambda: len(group()) == (4 if claim is Claim.KONG else 3))
        tiles = tuple(sorted(parse_tile(lying.face) for lying in group()))
        sideways = next(lying for lying in group() if lying.sideways)
        assert parse_tile(sideways.face) is tile
        assert sideways.index % 4 == {3: 0, 2: 1, 1: 2}[seat.turns_until(source)]
        self._happen(Claimed(seat, Meld(MeldType(claim.value), tiles, source)))
        self._pins.call()

    def _judge_hand(self, seat: Seat, claimed: Tile | None) -> None:
        wanted = 13 - 3 * len(self._state.seat(seat).melds)
        self._until(lambda: len(self._lying(self._place(seat), "hand")) == wanted)
        concealed = tuple(parse_tile(lying.face) for _, lying in sorted(self._lying(self._place(seat), "hand").items()))
        lying = self._lying(self._place(seat), "meld")
        kongs = tuple(parse_tile(lying[4 * group].face) for group, meld in enumerate(self._state.seat(seat).melds) if meld.face_down)
        shown = HandShown(seat, concealed, claimed or parse_tile(self._lying(self._place(seat), "win")[0].face), kongs)
        score = self._rules.score(self._rules.winning_hand(self._state, shown, round_wind(self._hand)))
        assert isinstance(score, Win), score
        self._happen(shown)
        self._pins.call()
        self.score = score

    def _settle(self, proposer: Seat) -> None:
        self._pins.turn(self._place(proposer))
        self._until(lambda: (self._place(proposer), Key.CONFIRM) in self._pins.pressed())
        others = [place for place in range(4) if place != self._place(proposer)]
        self._pins.turn(*others)
        agreed: set[int] = set()

        def somebody_agreed() -> bool:
            agreed.update(place for place, key in self._pins.pressed() if key is Key.CONFIRM and place in others)
            return bool(agreed)

        self._until(somebody_agreed)
        self._pins.turn()
        self.confirmed_by = [self._place(proposer), *agreed]

    def _faint(self) -> None:
        """All lamps dark for long enough that every held key is let go, then the window is lit again."""
        self._faints = False
        self._pins.window(False)
        self._until(lambda: not self._pins.pressed())
        self._pins.window(True)

    def _run_timer(self, closed: threading.Event) -> None:
        connection = http.client.HTTPConnection(urlsplit(self._url).netloc, timeout=PATIENCE_S)
        body = json.dumps({"id": f"claim-window-{len(self.events)}", "seconds": CLAIM_WINDOW_S})
        try:
            connection.request("POST", "/timers", body)
            assert connection.getresponse().status == 200
        finally:
            connection.close()
            closed.set()

    def _lying(self, place: int, area: str) -> dict[int, LaidTile]:
        return {lying.index: lying for lying in self._world.table_scene().tiles if lying.place == place and lying.area == area}

    def _until(self, reached: Callable[[], bool]) -> None:
        """Wait, scanning the keys as a controller always does."""
        deadline = time.monotonic() + PATIENCE_S
        while not reached():
            assert time.monotonic() < deadline, f"nothing came of {self.events[-3:]}"
            self._pins.pressed()
            self._pause()

    def _pause(self) -> None:
        self._disturb()
        time.sleep(0.001)

    def _happen(self, event: PlayEvent) -> None:
        illegal = self._rules.illegal(self._state, event)
        assert illegal is None, f"{event}: {illegal}"
        self._state = self._rules.apply(self._state, event)
        self.events.append(event)
