"""Four people at a table: each looks, does the one thing that is wanted, and looks again.

Each person is a thread with a connection of its own to the world and nothing else in common with
the others. Pauses are a person's thinking and reaching, spread by the seed and divided by the
speed; no decision depends on them.
"""

from __future__ import annotations

import hashlib
import threading
from dataclasses import dataclass

from twinwall.game.play import Claim
from twinwall.game.rules import rule_set
from twinwall.game.tiles import parse_tile
from twinwall.simulator.panel.file import Key
from twinwall.simulator.players.client import RefusedError, StoppedError, WorldClient
from twinwall.simulator.players.reading import east_place, seat_at, view_from
from twinwall.simulator.players.steps import Memory, Step, next_step
from twinwall.simulator.players.strategy import Scorer, Strategy, taste_of
from twinwall.simulator.tabletop import PLACES
from twinwall.simulator.world.sight import Sight

_LOOK_S = 1.0
_RETRY_S = 0.1
"""Wall time after which a step that the world refused is tried again even if nothing was seen to change."""
_HANDFUL = 4
_KEYS = {Claim.CHOW: Key.CHOW, Claim.PUNG: Key.PUNG, Claim.KONG: Key.KONG, Claim.WIN: Key.WIN}


@dataclass(frozen=True, slots=True)
class PlayersSettings:
    """``world`` is its address; ``hand`` (1–16) says who is East and which wind prevails; pauses are seconds at speed 1,
    each ± ``spread`` of itself."""

    world: str
    table: str = "1"
    rules: str = "mcr-duplicate"
    seed: int = 1
    hand: int = 1
    speed: float = 1.0
    think_s: float = 1.2
    reach_s: float = 0.6
    spread: float = 0.4


class Person:
    """Whoever sits at one place."""

    def __init__(self, settings: PlayersSettings, place: int, scorer: Scorer, stop: threading.Event) -> None:
        self._settings = settings
        self._place = place
        self._stop = stop
        self._client = WorldClient(settings.world, place, stop)
        self._strategy = Strategy(scorer, taste_of(settings.seed, settings.table, place))
        self._east = east_place(settings.hand)
        self._memory = Memory()
        self._pauses = 0

    def play(self) -> None:
        """Play until told to stop."""
        try:
            sight = self._client.look()
            while not self._stop.is_set():
                step = next_step(sight, self._memory, self._east)
                done = step is Step.WAIT or self._do(step, sight)
                sight = self._client.look(sight.version, _LOOK_S if done else _RETRY_S)
        except StoppedError:
            pass
        finally:
            self._client.close()

    def _do(self, step: Step, sight: Sight) -> bool:
        """Do a step; False when the world refused it, so that it is tried again even if nothing changes."""
        try:
            match step:
                case Step.TAKE_HAND:
                    self._take_hand(sight.hand_waiting)
                case Step.DRAW:
                    self._pause(self._settings.reach_s)
                    self._client.draw()
                case Step.PLAY:
                    self._play(sight)
                case Step.DISCARD:
                    self._discard(sight)
                case Step.ANSWER:
                    self._answer(sight)
                case Step.EXPOSE:
                    self._expose(sight)
                case Step.SHOW:
                    self._pause(self._settings.reach_s)
                    self._client.show_hand(sight.drawn)
                case Step.ADD_TO_PUNG | Step.LAY_FACE_DOWN:
                    self._lay_kong()
                case Step.CONFIRM_KONG:
                    self._client.press(Key.CONFIRM)
                case Step.CONFIRM:
                    self._confirm()
                case Step.WAIT:
                    pass
        except RefusedError:
            return False
        return True

    def _take_hand(self, waiting: int) -> None:
        while waiting > 0:
            self._pause(self._settings.reach_s)
            self._client.take_hand(_HANDFUL)
            waiting -= _HANDFUL

    def _play(self, sight: Sight) -> None:
        assert sight.drawn is not None
        self._pause(self._settings.think_s)
        if self._memory.declared_after != sight.discards and self._wins(sight, sight.drawn) and self._client.press(Key.WIN):
            self._memory = self._memory.with_declaration(sight.discards)
            return
        kong = self._strategy.choose_kong(view_from(sight, self._settings.hand))
        if kong is not None and self._client.press(Key.KONG):
            self._memory = self._memory.with_kong(kong)
            return
        self._discard(sight)

    def _wins(self, sight: Sight, drawn: str) -> bool:
        view = view_from(sight, self._settings.hand)
        return self._strategy.wants_win(view, parse_tile(drawn), replacement=self._memory.replacing)

    def _lay_kong(self) -> None:
        kong = self._memory.kong
        assert kong is not None
        self._pause(self._settings.reach_s)
        if kong.added:
            self._client.add_to_pung(kong.tile.text)
        else:
            self._client.lay_face_down(kong.tile.text)

    def _discard(self, sight: Sight) -> None:
        tile = self._strategy.choose_discard(view_from(sight, self._settings.hand))
        self._pause(self._settings.reach_s)
        self._client.discard(tile.text)
        self._memory = self._memory.with_discard()

    def _answer(self, sight: Sight) -> None:
        """Press what is wanted, then be done with the window; a press that is not bound was no claim."""
        place, face = sight.latest
        answer = None
        if place != self._place and face is not None:
            view, giver = view_from(sight, self._settings.hand), seat_at(place, self._settings.hand)
            ask = self._strategy.answer_discard if sight.added is None else self._strategy.answer_added
            answer = ask(view, parse_tile(face), giver)
            self._pause(self._settings.think_s)
            if answer is not None and not self._client.press(_KEYS[answer.claim]):
                answer = None
        self._memory = self._memory.with_answer(answer, sight.discards)
        self._client.answer(sight.discards)

    def _expose(self, sight: Sight) -> None:
        assert sight.last_discard is not None
        assert self._memory.answer is not None
        self._pause(self._settings.reach_s)
        self._client.expose(tuple(tile.text for tile in self._memory.answer.tiles), sight.last_discard)
        if self._memory.answer.claim is Claim.KONG:
            self._memory = self._memory.with_kong(None)

    def _confirm(self) -> None:
        """Think, look again, and press CONFIRM if that is still what is wanted."""
        self._pause(self._settings.think_s)
        if next_step(self._client.look(), self._memory, self._east) is Step.CONFIRM:
            self._client.press(Key.CONFIRM)

    def _pause(self, seconds: float) -> None:
        """Wait ``seconds`` ± spread, divided by the speed."""
        settings = self._settings
        drawn = hashlib.blake2b(f"{settings.seed} {settings.table} {self._place} {self._pauses}".encode(), digest_size=4).digest()
        self._pauses += 1
        varied = 1 + settings.spread * (int.from_bytes(drawn, "big") / 2**31 - 1)
        if self._stop.wait(seconds * varied / settings.speed):
            raise StoppedError


def serve(settings: PlayersSettings, stop: threading.Event) -> None:
    """Let four people play until ``stop`` is set; an error in one of them ends all and is raised."""
    scorer = rule_set(settings.rules)
    failures: list[BaseException] = []

    def run(person: Person) -> None:
        try:
            person.play()
        except BaseException as problem:  # a person's thread must not die unheard
            failures.append(problem)
            stop.set()

    threads = [threading.Thread(target=run, args=(Person(settings, place, scorer, stop),), name=f"place {place}") for place in PLACES]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
