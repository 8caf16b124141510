"""Disturber: lets the people of a played table disturb, in what they do with tiles and in what comes before the camera.

Acts that follow later (a tile turned up, one moved back) wait until the table is looked at. What concerns keys and
gates is not here: people press and draw as the lamps say.
"""

import contextlib
from collections import Counter
from collections.abc import Mapping

from simulator.disturbances.acts import Act, AddToPung, Discard, Draw, Expose, LayFaceDown, Show, done
from simulator.disturbances.camera_troubles import TimedTrouble, between_at, troubles_of_turn
from simulator.disturbances.kinds import Disturbance, Disturbances, only
from simulator.disturbances.open_tiles import plan_meld, plan_shown
from simulator.disturbances.rivers import ActPlan, plan_discard, plan_order, plan_river
from simulator.scene import CLEAR, Between
from simulator.tabletop import RIVER_SLOTS, NotPossibleError, Tabletop
from twinwall.art.mat import Area, Mat, Slot

_OCCASIONS: Mapping[type, tuple[Disturbance, ...]] = {
    Discard: (
        Disturbance.DISCARD_LOOSE,
        Disturbance.DISCARD_OFF,
        Disturbance.DISCARD_FAR_OFF,
        Disturbance.DISCARD_IN_WRONG_PLACE,
        Disturbance.DISCARD_TURNED,
        Disturbance.DISCARD_OVERLAPPING,
        Disturbance.DISCARD_FACE_DOWN,
        Disturbance.DISCARD_ON_OTHER_RIVER,
    ),
    Draw: (
        Disturbance.RIVER_MOVED,
        Disturbance.ARM_OVER_MAT,
        Disturbance.ARM_STAYS,
        Disturbance.THING_ON_MAT,
        Disturbance.LIGHT_STEP,
        Disturbance.CAMERA_BUMPED,
        Disturbance.CAMERA_SILENT,
        Disturbance.RIVER_REARRANGED,
        Disturbance.LIGHT_RAMP,
    ),
    Expose: (Disturbance.MELD_FAR_OFF, Disturbance.KONG_APART),
    AddToPung: (Disturbance.KONG_APART,),
    LayFaceDown: (Disturbance.MELD_FAR_OFF, Disturbance.KONG_APART),
    Show: (Disturbance.HAND_UNSORTED, Disturbance.HAND_IN_TWO_ROWS, Disturbance.WINNING_TILE_NOT_APART),
}
"""What can happen with each act at a played table."""
AT_PLAYED_TABLES = frozenset(kind for kinds in _OCCASIONS.values() for kind in kinds)
"""The kinds of disturbance that people of played tables can do; the others happen in hands in memory alone."""


class Disturber:
    """For one table; times are milliseconds of play. Not for several threads at once."""

    def __init__(self, people: Disturbances, mat: Mat, *, once: bool = False) -> None:
        """``once``: each disturbance once, at the first act at which it can happen, and of turns and discards one at a time."""
        self._people, self._mat, self._once = people, mat, once
        self._later: list[tuple[int, Act]] = []
        self._troubles: list[TimedTrouble] = []
        self.counts: Counter[str] = Counter()
        """How often each kind of disturbance has happened."""

    def done(self, table: Tabletop, act: Act, hand: int, now_ms: int) -> Tabletop:
        """The tabletop after what people make of an act that they mean; raises NotPossibleError where it is impossible."""
        if not self._people.scale:
            return done(table, act)
        occasion, people = f"{hand} {table.discards} {len(table.lying)}", self._people_for(act)
        match act:
            case Discard():
                return self._carried_out(table, plan_discard(people, occasion, self._mat, table, act), now_ms)
            case Show():
                return self._carried_out(table, plan_shown(people, occasion, self._mat, table, act), now_ms)
            case Expose() | AddToPung() | LayFaceDown():
                after = done(table, act)
                return self._carried_out(after, plan_meld(people, occasion, self._mat, table, after), now_ms)
            case Draw():
                after = self._carried_out(table, plan_river(people, occasion, self._mat, table), now_ms)
                after = self._carried_out(after, plan_order(people, occasion, self._mat, after), now_ms)
                self._trouble(people, occasion, after, act.place, now_ms)
                return done(after, act)
            case _:
                return done(table, act)

    def _people_for(self, act: Act) -> Disturbances:
        if not self._once:
            return self._people
        due = [kind for kind in _OCCASIONS.get(type(act), ()) if not self.counts[kind]]
        return only(self._people.seed, due[:1] if isinstance(act, Discard | Draw) else due)

    def since(self, table: Tabletop, now_ms: int) -> Tabletop:
        """The tabletop after the acts that have become due; those that have lost their sense (the tile was claimed) are left out."""
        due = [act for at_ms, act in self._later if at_ms <= now_ms]
        self._later = [(at_ms, act) for at_ms, act in self._later if at_ms > now_ms]
        for act in due:
            with contextlib.suppress(NotPossibleError):
                table = done(table, act)
        return table

    def between(self, now_ms: int) -> Between:
        self._troubles = [each for each in self._troubles if each.until_ms is None or each.until_ms > now_ms]
        return between_at(self._troubles, now_ms) if self._troubles else CLEAR

    def _carried_out(self, table: Tabletop, plan: ActPlan, now_ms: int) -> Tabletop:
        self.counts.update(plan.happened)
        due_ms = now_ms
        for act, after_ms in plan.steps:
            due_ms += after_ms
            if due_ms > now_ms:
                self._later.append((due_ms, act))
            else:
                table = done(table, act)
        return table

    def _trouble(self, people: Disturbances, occasion: str, table: Tabletop, place: int, now_ms: int) -> None:
        awaited = Slot(place, Area.RIVER, min(table.rivers_used[place], RIVER_SLOTS - 1))
        troubles = troubles_of_turn(people, occasion, self._mat, awaited, now_ms)
        self.counts.update(trouble.kind for trouble in troubles)
        self._troubles += troubles
