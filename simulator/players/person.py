"""One simulated person at a table: a loop that looks, does one step, and looks again.

Every step follows from what the person sees, so another one can replace it at any moment. The seed varies its pauses
and the speed divides them; no decision depends on a pause.

At some tables turns go round evenly. There every turn is a draw or a claim and has its place in the river, so walls and melds tell how
many turns a seat has had. No tiles are chosen here.
"""

import hashlib
import threading
from collections.abc import Iterator, Mapping
from dataclasses import replace

from simulator.players.client import RefusedError, StoppedError, WorldClient
from simulator.players.player_steps import Manners, PlayerStep, declared_on_draw, next_step
from simulator.players.player_view import view_from
from simulator.players.strategies import player_of
from simulator.players.strategies.player import ClaimAnswer, Player, RiichiPlayer, taste_of
from simulator.tabletop import PLACES
from simulator.world.visible_table import VisibleTable
from twinwall.game.play_events import Claim, TileDrawn
from twinwall.game.rule_set import RuleSet
from twinwall.game.tiles import SEATS, Seat, Tile, parse_tile, place_of, seat_at
from twinwall.wire.shapes.panel import Key


def turns_begun(visible: VisibleTable, place: int, draws: int) -> int:
    """How many turns a place has begun; ``draws`` are those of a whole wall."""
    claimed = sum(meld.sideways is not None for meld in visible.melds[place])
    return draws - visible.draws_left[place] + claimed


def waiting(visible: VisibleTable, draws: int) -> Iterator[tuple[Seat, Tile, tuple[int, int]]]:
    """What the person may claim instead of drawing: by seat, the tile of its last turn that is still untaken and that did not
    declare riichi, with place and slot of the river."""
    for seat in SEATS:
        place = place_of(seat, visible.hand)
        slot = turns_begun(visible, place, draws) - 1
        river = visible.rivers[place]
        face = river[slot] if 0 <= slot < len(river) else None
        if place != visible.place and face is not None and visible.sticks[place] != slot:
            yield seat, parse_tile(face), (place, slot)


def just_claimed(visible: VisibleTable) -> tuple[Tile, tuple[Tile, ...]] | None:
    """The discard that the person has just claimed, and the meld that it made; None where it has drawn."""
    melds = visible.melds[visible.place]
    if visible.drawn is not None or not melds or melds[-1].sideways is None:
        return None
    tiles = tuple(parse_tile(face) for face in melds[-1].tiles)
    return tiles[melds[-1].sideways], tiles


def next_shared(visible: VisibleTable, rows: tuple[tuple[int, ...], ...]) -> int:
    """The number of the shared tile that comes out of the rear gate before the person next."""
    row = rows[seat_at(visible.place, visible.hand).index]
    return next(number for number in row if visible.shared[number] is None)


_LOOK_S = 5.0
"""Wall time after which a person looks up even if nothing was seen to change."""
_RETRY_S = 0.1
"""Wall time after which a step that the world refused is tried again even if nothing was seen to change."""
_HANDFUL = 4
_THINK_S, _REACH_S, _SPREAD = 1.2, 0.6, 0.4
"""Pauses at speed 1, each ± this share of itself."""
_SEARCHES = 10
"""Length of a search under the table, as a multiple of reaching out."""
_KEYS = {Claim.CHOW: Key.CHOW, Claim.PUNG: Key.PUNG, Claim.KONG: Key.KONG, Claim.WIN: Key.WIN}


def _manners_by(rules: RuleSet, player: Player) -> Manners:
    if isinstance(player, RiichiPlayer):
        return Manners.EVEN_TURNS
    face_up = rules.permissions(rules.apply(rules.start(), TileDrawn(Seat.EAST))).face_up
    return Manners.FACE_UP if face_up else Manners.PLAIN


class Person:
    def __init__(
        self, table: str, place: int, seed: int, speed: float, rules: RuleSet, *, client: WorldClient, stop: threading.Event
    ) -> None:
        """``seed`` says how they play and how long they pause, ``client`` is theirs from now on, and ``stop`` ends the evening."""
        self._table = table
        self._place = place
        self._seed, self._speed = seed, speed
        self._client = client
        self._stop = stop
        self._strategy = player_of(rules, taste_of(seed, table, place))
        self._manners = _manners_by(rules, self._strategy)
        self._draws = rules.start().seat(Seat.EAST).draws_left
        self._rows = rules.shared_rows
        self._searched = self._began_well = False
        self._pauses = 0

    def play(self) -> None:
        try:
            visible = self._client.look()
            while not self._stop.is_set():
                self._searched &= visible.clearing
                self._began_well = visible.clearing and (self._began_well or not visible.lamps.fault)
                try:
                    self._do(self._next_step(visible), visible)
                    visible = self._client.look_up(visible.version, _LOOK_S)
                except RefusedError:
                    visible = self._client.look_up(visible.version, _RETRY_S)
        except StoppedError:
            pass
        finally:
            self._client.close()

    def _next_step(self, visible: VisibleTable) -> PlayerStep:
        return next_step(visible, searched=self._searched, manners=self._manners)

    def _do(self, step: PlayerStep, visible: VisibleTable) -> None:
        match step:
            case PlayerStep.TAKE_HAND:
                for _ in range(0, visible.hand_waiting, _HANDFUL):
                    self._reach().take_hand(_HANDFUL)
            case PlayerStep.DRAW:
                self._draw(visible)
            case PlayerStep.CLAIM_WAITING:
                self._claim_waiting(visible)
            case PlayerStep.TURN_UP:
                self._reach().turn_up(next_shared(visible, self._rows))
            case PlayerStep.PLAY:
                self._play(visible)
            case PlayerStep.DISCARD:
                self._discard(visible)
            case PlayerStep.DISCARD_IN_RIICHI:
                self._lay(self._strategy.choose_discard(view_from(visible)), visible, riichi=True)
            case PlayerStep.ANSWER:
                self._answer(visible)
            case PlayerStep.SAY_ANSWERED:
                self._client.answer(visible.discards)
            case PlayerStep.EXPOSE:
                self._expose(visible)
            case PlayerStep.SHOW:
                self._reach().show_hand(visible.drawn)
            case PlayerStep.LAY_APART:
                assert visible.drawn is not None
                self._reach().lay_apart(visible.drawn)
            case PlayerStep.LAY_KONG:
                self._lay_kong(visible)
            case PlayerStep.CONFIRM_KONG:
                self._press(Key.CONFIRM, visible)
            case PlayerStep.CONFIRM:
                self._confirm()
            case PlayerStep.PUSH_IN:
                self._reach().push_in()
            case PlayerStep.POUR_BOX:
                self._reach().pour_box()
            case PlayerStep.SEARCH:
                self._search(visible)

    def _play(self, visible: VisibleTable) -> None:
        assert visible.drawn is not None
        self._pause(_THINK_S)
        view = view_from(visible)
        wins = not declared_on_draw(visible) and self._strategy.wants_win(view, parse_tile(visible.drawn), replacement=visible.after_kong)
        if wins and self._press(Key.WIN, visible):
            return
        if self._strategy.choose_kong(view) is not None and self._press(Key.KONG, visible):
            return
        self._discard(visible)

    def _lay_kong(self, visible: VisibleTable) -> None:
        kong = self._strategy.choose_kong(view_from(visible))
        self._pause(_REACH_S)
        if kong is None:  # called by somebody else in this chair, with another seed: a discard takes it back
            self._discard(visible)
        elif kong.added:
            self._client.add_to_pung(kong.tile.text)
        else:
            self._client.lay_face_down(kong.tile.text, last_face_up=self._manners is not Manners.PLAIN)

    def _draw(self, visible: VisibleTable) -> None:
        waits = self._wanted_of_waiting(visible) if self._manners is Manners.EVEN_TURNS else None
        if waits is not None:
            self._pause(_THINK_S)
            if self._press(_KEYS[waits[0].claim], visible):
                return
        self._reach().draw()

    def _wanted_of_waiting(self, visible: VisibleTable) -> tuple[ClaimAnswer, tuple[int, int]] | None:
        """What the person claims of the discards that wait for its turn, with place and slot of the tile."""
        view = view_from(visible)
        for giver, tile, lies in waiting(visible, self._draws):
            answer = self._strategy.answer_discard(view, tile, giver)
            if answer is not None and answer.claim is not Claim.WIN:
                return answer, lies
        return None

    def _claim_waiting(self, visible: VisibleTable) -> None:
        """Make the meld that was called, unless it lies there."""
        wanted = self._wanted_of_waiting(visible)
        if wanted is None or visible.pressed is None or _KEYS[wanted[0].claim] is not visible.pressed.key:
            return
        self._make(*wanted)

    def _discard(self, visible: VisibleTable) -> None:
        view = view_from(visible)
        if not isinstance(self._strategy, RiichiPlayer):
            self._lay(self._strategy.choose_discard(view), visible)
            return
        claim = just_claimed(visible)
        view = replace(view, barred=frozenset() if claim is None else self._strategy.barred_after(*claim))
        in_riichi = view.seats[view.seat.index].riichi
        tile = parse_tile(visible.drawn) if in_riichi and visible.drawn is not None else self._strategy.choose_discard(view)
        once = visible.drawn is not None and visible.sticks[self._place] is None
        may_declare = once and turns_begun(visible, self._place, self._draws) < self._draws  # not at the last turn
        declares = may_declare and self._strategy.declares_riichi(view, tile)
        self._lay(tile, visible, riichi=declares and self._press(Key.RIICHI, visible))

    def _lay(self, tile: Tile, visible: VisibleTable, *, riichi: bool = False) -> None:
        """Lay a discard: where turns go round evenly, into the place of this turn."""
        slot = turns_begun(visible, self._place, self._draws) - 1 if self._manners is Manners.EVEN_TURNS else None
        self._reach().discard(tile.text, slot, stick=riichi)

    def _answer(self, visible: VisibleTable) -> None:
        """Press what is wanted, then be done with the window; a press that is not bound was no claim."""
        place, _ = visible.latest
        if place != self._place:
            answer = self._wanted(visible)
            self._pause(_THINK_S)
            if answer is not None:
                self._press(_KEYS[answer.claim], visible)
        self._client.answer(visible.discards)

    def _wanted(self, visible: VisibleTable) -> ClaimAnswer | None:
        """What the person wants of the latest tile to claim; the same at every look until something is claimed."""
        place, face = visible.latest
        if face is None:
            return None
        view, giver = view_from(visible), seat_at(place, visible.hand)
        ask = self._strategy.answer_discard if visible.added is None else self._strategy.answer_added
        answer = ask(view, parse_tile(face), giver)
        waits = self._manners is Manners.EVEN_TURNS and answer is not None and answer.claim is not Claim.WIN
        return None if waits else answer

    def _expose(self, visible: VisibleTable) -> None:
        answer = self._wanted(visible)
        if answer is None or visible.last_discard is None:
            return
        self._make(answer, visible.last_discard)

    def _make(self, answer: ClaimAnswer, claimed: tuple[int, int]) -> None:
        self._reach().expose(tuple(tile.text for tile in answer.tiles), claimed)

    def _search(self, visible: VisibleTable) -> None:
        """Look under the table; what is found is pushed in like all else, and if there is nothing the table is to go on.

        A fault lamp that was lit before is about something else, which is not for players to confirm.
        """
        self._pause(_SEARCHES * _REACH_S)
        if not self._client.search() and self._began_well:
            self._press(Key.CONFIRM, visible)
        self._searched = True

    def _confirm(self) -> None:
        """Think, look again, and press CONFIRM if that is still what is wanted."""
        self._pause(_THINK_S)
        visible = self._client.look()
        if self._next_step(visible) is PlayerStep.CONFIRM:
            self._press(Key.CONFIRM, visible)

    def _press(self, key: Key, visible: VisibleTable) -> bool:
        """Press a key for what the visible table asks; whether one's call lamp is lit afterwards."""
        return self._client.press(key, visible.hand, visible.discards)

    def _reach(self) -> WorldClient:
        """The person's hands, after the time that reaching out takes."""
        self._pause(_REACH_S)
        return self._client

    def _pause(self, seconds: float) -> None:
        """Wait ``seconds`` ± spread, divided by the speed."""
        drawn = hashlib.blake2b(f"{self._seed} {self._table} {self._place} {self._pauses}".encode(), digest_size=4).digest()
        self._pauses += 1
        varied = 1 + _SPREAD * (int.from_bytes(drawn, "big") / 2**31 - 1)
        if self._stop.wait(seconds * varied / self._speed):
            raise StoppedError


def serve(worlds: Mapping[str, str], rules: RuleSet, seed: int, speed: float, stop: threading.Event) -> None:
    """Let four people play at each table until ``stop`` is set; an error in one of them ends all and is raised.

    ``worlds`` has the addresses of the tables' worlds by the tables' names.
    """
    failures: list[BaseException] = []

    def run(person: Person) -> None:
        try:
            person.play()
        except BaseException as problem:  # a person's thread must not die unheard
            failures.append(problem)
            stop.set()

    threads = [
        threading.Thread(
            target=run,
            args=(Person(table, place, seed, speed, rules, client=WorldClient(world, place, stop), stop=stop),),
            name=f"table {table} place {place}",
        )
        for table, world in worlds.items()
        for place in PLACES
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
