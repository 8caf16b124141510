"""World of one table: feeder, tabletop, box, keys and lamps, and the clock of play.

Every action and every view of a person is a method here; each may be called from any thread. The world knows no
rules. Play time passes ``speed`` times as fast as the wall clock, and the end of a claim window waits until all four
people have answered it: window k belongs to the k-th tile laid into a river or on a pung since the world began, so an
answer can neither be lost nor count for a later window or hand. ``visible_table`` says what a person sees of it.
"""

import threading
import time
from collections.abc import Callable

from simulator.by_hand.hand_table import HandTable
from simulator.disturbances.acts import Act, AddToPung, Discard, Draw, Expose, LayFaceDown, Show
from simulator.disturbances.kinds import NONE
from simulator.feeder_simulator import FeederSimulator
from simulator.mechanics import FeederView
from simulator.panel.panel_file import PanelFile
from simulator.scene import TableScene
from simulator.tabletop import PLACES, NotPossibleError, PhysicalTile, Tabletop
from simulator.world.disturber import Disturber
from simulator.world.history import History, PlayedHand
from simulator.world.key_presses import KeyPresses, Press
from simulator.world.visible_table import Moment, Pressed, VisibleTable, scene
from twinwall.art.mat import Mat
from twinwall.wire.shapes.panel import Key, Lamps

CLAIM_TIMER = "claim-window"


class WorldStoppedError(RuntimeError):
    """The world has ended while somebody waited for it."""


PlayedFeeder = FeederSimulator | HandTable
"""What people see and touch, and what accidents befall."""


class World:
    def __init__(
        self,
        feeder: PlayedFeeder,
        panel: PanelFile,
        *,
        seed: int,
        speed: float,
        first_hand: int = 1,
        box: tuple[PhysicalTile, ...] = (),
        lost_at: tuple[int, int] | None = None,
        finds_lost: bool = True,
        disturber: Disturber | None = None,
    ) -> None:
        """``seed`` says how tiles lie; ``first_hand`` is the number of the session's first hand, ``box`` what lies in the box
        beside the table; a tile falls under the table once, as after the hand and at the place ``lost_at`` tiles are pushed into the well,
        and a search finds it or not; people disturb as ``disturber`` says, or not at all."""
        self.feeder = feeder
        self._panel = panel
        self._speed = speed
        self._keys = KeyPresses(panel)
        self._lost_at, self._finds_lost = lost_at, finds_lost
        self._under_table: tuple[PhysicalTile, ...] = ()
        self._disturber = disturber or Disturber(NONE, Mat())
        lock = threading.RLock()
        self._changed = threading.Condition(lock)
        self._looking = [threading.Condition(lock) for _ in PLACES]
        self._tabletop = Tabletop(seed)
        self._box = box
        self._history = History(first_hand)
        self._answered = [0] * len(PLACES)
        self._pressed: list[Pressed | None] = [None] * len(PLACES)
        self._stopped = False
        self._versions = [0] * len(PLACES)
        self._moment = Moment(self._tabletop, FeederView(), Lamps())
        self._counts = {"presses": 0, "unseen_presses": 0, "answers": 0, "timers": 0}
        feeder.watch(self.look_again)
        panel.watch(self.look_again)

    # What people see ----------------------------------------------------------------------------

    def table_scene(self) -> TableScene:
        """What lies on the mat, and what is between it and the camera."""
        with self._changed:
            now_ms = self._play_ms()
            after = self._disturber.since(self._tabletop, now_ms)
            if after is not self._tabletop:
                self._set_tabletop(after)
            return scene(self._tabletop, self._disturber.between(now_ms))

    def look(self, place: int, after: int, timeout_s: float, *, asked: bool = False) -> VisibleTable:
        """What the person at ``place`` sees, as soon as it is newer than version ``after``, or after ``timeout_s`` of wall time.

        With ``asked`` the person dozes until something is asked of it as well: by its hand places, by its own lamp or the
        claim window's, or by the open well.
        """
        deadline_s = time.monotonic() + timeout_s
        with self._changed:
            self.look_again()
            while True:
                if self._stopped:
                    raise WorldStoppedError("the world stopped while somebody looked")
                left_s = deadline_s - time.monotonic()
                if left_s <= 0 or (self._versions[place] > after and not (asked and self._moment.asks_nothing_of(place))):
                    return self._moment.seen_from(place, self._versions[place])
                self._looking[place].wait(left_s)

    def stats(self) -> dict[str, int]:
        with self._changed:
            counts = {**self._counts, **self._disturber.counts}
            return {**counts, "discards": self._tabletop.discards, "version": max(self._versions)}

    def truth(self) -> dict[str, tuple[PlayedHand, ...]]:
        """What really happened, for checking what was read and how soon it was shown: hand by hand the set that was played with, the faces
        that each place has taken from its wall and laid into its river, and when each draw lifted its tile (Unix time, s)."""
        with self._changed:
            return {"hands": self._history.hands}

    # What people do -----------------------------------------------------------------------------

    def take_hand(self, place: int, count: int) -> int:
        """Take up to ``count`` of the tiles that wait in one's hand places; returns how many there were."""
        with self._changed:
            raised = self.feeder.view().walls_raised
            tiles = self.feeder.take_hand_tiles(place, count)
            self._history.took(place, tiles, raised)
            for tile in tiles:
                self._tabletop = self._tabletop.take(place, tile)
            self.look_again()
            return len(tiles)

    def draw(self, place: int) -> str:
        """Lift the tile behind one's draw gate; raises NotPossibleError when the gate is locked or the wall is empty."""
        with self._changed:
            tile = self.feeder.lift_draw(place)
            if tile is None:
                why = "its wall is empty" if self.feeder.view().draws_left[place] == 0 else "its gate is locked"
                raise NotPossibleError(f"place {place} cannot draw: {why}")
            self._history.drew(place, tile, time.time())
            self._tabletop = self._people_do(Draw(place, tile, place))
            self.look_again()
            return tile.face

    def turn_up(self, place: int, index: int) -> str:
        """Take the tile behind one's rear gate and lay it into a slot in the middle of the mat; raises NotPossibleError when the gate is
        locked."""
        with self._changed:
            tile = self.feeder.lift_at_rear(place)
            if tile is None:
                raise NotPossibleError(f"place {place} cannot take a shared tile: its rear gate is locked, or nothing lies there")
            self._set_tabletop(self._tabletop.turn_up(tile, index))
            self._history.turned_up(index, tile.face)
            return tile.face

    def discard(self, place: int, face: str, index: int | None = None, *, stick: bool = False) -> int:
        """Lay a tile into one's river, into the next slot or into that of ``index``, with a riichi stick by it or not; returns the number
        of the window that it opens."""
        with self._changed:
            slot = self._tabletop.rivers_used[place] if index is None else index
            self._set_tabletop(self._people_do(Discard(place, face, slot, stick)))
            self._history.laid(place, face)
            return self._tabletop.discards

    def lay_open(self, act: Expose | AddToPung | LayFaceDown | Show) -> int:
        """Lay a meld, or the whole hand; returns the number of the latest window, which a tile added to a pung opens."""
        with self._changed:
            self._set_tabletop(self._people_do(act))
            return self._tabletop.discards

    def move(self, change: Callable[[Tabletop], Tabletop]) -> None:
        """Do something with tiles that nothing but the tabletop knows of."""
        with self._changed:
            self._set_tabletop(change(self._tabletop))

    def push_in(self, place: int) -> int:
        """Push everything of a place into the open well; returns how many tiles fell in."""
        with self._changed:
            swept, tiles = self._tabletop.sweep(place)
            slipping = tiles[:1] if (self._history.hand, place) == self._lost_at else ()
            falling = tiles[len(slipping) :]
            self.feeder.drop_into_well(falling)
            if slipping:
                self._under_table, self._lost_at = slipping, None
            self._set_tabletop(swept)
            return len(falling)

    def pour_box(self) -> int:
        """Pour the box beside the table into the open well; returns how many tiles it held."""
        with self._changed:
            tiles = self._box
            if not tiles:
                raise NotPossibleError("the box is empty")
            self.feeder.drop_into_well(tiles)
            self._box = ()
            self.look_again()
            return len(tiles)

    def search(self, place: int) -> int:
        """Look under the table; what is found goes to the rack of the person who looks. Returns how many tiles."""
        with self._changed:
            found = self._under_table if self._finds_lost else ()
            self._under_table = self._under_table[len(found) :]
            for tile in found:
                self._tabletop = self._tabletop.take(place, tile)
            self.look_again()
            return len(found)

    def press(self, place: int, key: Key, hand: int | None = None, window: int | None = None) -> Press:
        """Press a key (``KeyPresses.press``); one that was meant for another ``hand`` or ``window`` is not pressed any more.

        Raises NotPossibleError when that is so, and WorldStoppedError when the world ends while a key is held.
        """

        def meant() -> None:
            with self._changed:
                now = self._history.hand, self._tabletop.discards
                if hand not in (None, now[0]) or window not in (None, now[1]):
                    raise NotPossibleError(f"{key.value} was meant for hand {hand}, window {window}; now is hand {now[0]}, window {now[1]}")

        press = self._keys.press(place, key, meant, lambda: self._stopped)
        if self._stopped:
            raise WorldStoppedError("the world stopped while a key was held")
        with self._changed:
            self._counts["presses"] += 1
            self._counts["unseen_presses"] += not press.seen
            if press.call:
                self._pressed[place] = Pressed(key, press.in_window, self._tabletop.discards)
            self.look_again()
        return press

    def answer(self, place: int, window: int) -> None:
        """Say that one has decided about the ``window``-th tile to claim (claims are pressed before); saying it again changes nothing."""
        with self._changed:
            if window > self._tabletop.discards:
                raise NotPossibleError(f"there has been no discard number {window}")
            self._answered[place] = max(window, self._answered[place])
            self._counts["answers"] += 1
            self.look_again()
            self._changed.notify_all()

    # Time ---------------------------------------------------------------------------------------

    def wait_timer(self, timer: str, seconds: float) -> None:
        """Return when ``seconds`` of play time have passed and, for a claim window's timer, all four have answered the last discard.

        Raises WorldStoppedError when the world ends before.
        """
        deadline_s = time.monotonic() + seconds / self._speed
        with self._changed:
            self._counts["timers"] += 1
            window = self._tabletop.discards if timer.startswith(CLAIM_TIMER) else 0
            while (left_s := deadline_s - time.monotonic()) > 0 or min(self._answered) < window:
                if self._stopped:
                    raise WorldStoppedError(f"the world stopped while timer {timer!r} ran")
                self._changed.wait(left_s if left_s > 0 else None)

    def stop(self) -> None:
        """Let everybody who waits go; their requests end with WorldStoppedError."""
        with self._changed:
            self._stopped = True
            for waiting in (self._changed, *self._looking):
                waiting.notify_all()

    # --------------------------------------------------------------------------------------------

    def _people_do(self, act: Act) -> Tabletop:
        return self._disturber.done(self._tabletop, act, self._history.hand, self._play_ms())

    def _play_ms(self) -> int:
        return round(1000 * self._speed * time.monotonic())

    def _set_tabletop(self, tabletop: Tabletop) -> None:
        self._tabletop = tabletop
        self.look_again()

    def look_again(self) -> None:
        """Something may have changed at the feeder, a lamp or the table: what a person can see then has a new version."""
        with self._changed:
            before, answered, pressed = self._moment, tuple(self._answered), tuple(self._pressed)
            now = Moment(self._tabletop, self.feeder.view(), self._panel.lamps(), self._history.hand, bool(self._box), answered, pressed)
            self._moment = now
            for place in PLACES:
                if not self._versions[place] or now.shown_to(place) != before.shown_to(place):
                    self._versions[place] += 1
                    self._looking[place].notify_all()
