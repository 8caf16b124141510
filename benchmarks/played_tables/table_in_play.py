"""Table in play: the clock, the tabletop, and everything done so far while a hand is played."""

from benchmarks.played_tables.acts import Act, done
from benchmarks.played_tables.hand_on_table import HappenedDisturbance, TableSetup, TimedAct
from simulator.disturbances.camera_troubles import TimedTrouble
from simulator.disturbances.kinds import Disturbance, Disturbances, Numbers
from simulator.disturbances.rivers import ActPlan
from simulator.tabletop import Tabletop
from twinwall.wire.shapes.panel import Key, KeyEdge


class TableInPlay:
    """``occasion`` names what is being done, for the random draws of ``people``."""

    def __init__(self, name: str, people: Disturbances, setup: TableSetup) -> None:
        self.people, self.mat = people, setup.mat
        self.occasion = name
        self.now_ms = 0
        self.table = Tabletop(setup.seed)
        self.acts: list[TimedAct] = []
        self.keys: list[KeyEdge] = []
        self.troubles: list[TimedTrouble] = []
        self.happened: list[HappenedDisturbance] = []
        self._times, self._spread = Numbers(f"{setup.seed} pace {name}"), setup.pace.spread

    def wait(self, seconds: float) -> None:
        """Let about this much time pass."""
        self.now_ms += round(1000 * seconds * self._times.between(1 - self._spread, 1 + self._spread))

    def do(self, act: Act, after_ms: int = 0) -> None:
        """Do one act, after a time."""
        self.now_ms += after_ms
        self.table = done(self.table, act)
        self.acts.append(TimedAct(self.now_ms, act))

    def carry_out(self, plan: ActPlan, place: int) -> None:
        """Do all steps of a plan of the person at ``place``."""
        for kind in plan.happened:
            self.note(kind, place)
        for act, after_ms in plan.steps:
            self.do(act, after_ms)

    def press(self, place: int, key: Key, at_ms: int | None = None) -> None:
        """Press a key, now or at another time."""
        self.keys.append(KeyEdge(self.now_ms if at_ms is None else at_ms, place, key))

    def note(self, kind: Disturbance, place: int) -> None:
        """Note a disturbance."""
        self.happened.append(HappenedDisturbance(self.now_ms, kind, place))

    def numbers_if(self, kind: Disturbance, place: int) -> Numbers | None:
        """Return numbers for a disturbance if it happens on this occasion, and note it."""
        if not self.people.happens(kind, self.occasion):
            return None
        self.note(kind, place)
        return self.people.numbers(kind, self.occasion)
