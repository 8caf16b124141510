"""Disturber: lets the people of a played table disturb, in what they do with tiles and in what comes before the camera.

Acts that follow later (a tile turned up, one moved back) wait until the table is looked at. What concerns keys and
gates is not here: people press and draw as the lamps say.
"""

from __future__ import annotations

import contextlib
from collections import Counter

from twinwall.art.mat import Area, Mat, Slot
from twinwall.simulator.disturbances.acts import Act, AddToPung, Discard, Draw, Expose, LayFaceDown, Show, done
from twinwall.simulator.disturbances.camera_troubles import TimedTrouble, between_at, troubles_of_turn
from twinwall.simulator.disturbances.draws import Disturbances
from twinwall.simulator.disturbances.open_tiles import plan_meld, plan_shown
from twinwall.simulator.disturbances.plans import ActPlan
from twinwall.simulator.disturbances.rivers import plan_discard, plan_river
from twinwall.simulator.scene import CLEAR, Between
from twinwall.simulator.tabletop import RIVER_SLOTS, Tabletop, TabletopError


class Disturber:
    """For one table; times are milliseconds of play. Not for several threads at once."""

    def __init__(self, people: Disturbances, mat: Mat) -> None:
        self._people, self._mat = people, mat
        self._later: list[tuple[int, Act]] = []
        self._troubles: list[TimedTrouble] = []
        self.counts: Counter[str] = Counter()
        """How often each kind of disturbance has happened."""

    def done(self, table: Tabletop, act: Act, hand: int, now_ms: int) -> Tabletop:
        """The tabletop after what people make of an act that they mean; raises TabletopError where it is impossible."""
        if not self._people.scale:
            return done(table, act)
        occasion = f"{hand} {table.discards} {len(table.lying)}"
        match act:
            case Discard():
                return self._carried_out(table, plan_discard(self._people, occasion, self._mat, table, act), now_ms)
            case Show():
                return self._carried_out(table, plan_shown(self._people, occasion, self._mat, table, act), now_ms)
            case Expose() | AddToPung() | LayFaceDown():
                after = done(table, act)
                return self._carried_out(after, plan_meld(self._people, occasion, self._mat, table, after), now_ms)
            case Draw():
                after = self._carried_out(table, plan_river(self._people, occasion, self._mat, table), now_ms)
                self._trouble(occasion, after, act.place, now_ms)
                return done(after, act)
            case _:
                return done(table, act)

    def since(self, table: Tabletop, now_ms: int) -> Tabletop:
        """The tabletop after the acts that have become due; those that have lost their sense (the tile was claimed) are left out."""
        due = [act for at_ms, act in self._later if at_ms <= now_ms]
        self._later = [(at_ms, act) for at_ms, act in self._later if at_ms > now_ms]
        for act in due:
            with contextlib.suppress(TabletopError):
                table = done(table, act)
        return table

    def between(self, now_ms: int) -> Between:
        """What is between camera and tiles now."""
        self._troubles = [each for each in self._troubles if each.until_ms is None or each.until_ms > now_ms]
        return between_at(self._troubles, now_ms) if self._troubles else CLEAR

    def _carried_out(self, table: Tabletop, plan: ActPlan, now_ms: int) -> Tabletop:
        self.counts.update(plan.happened)
        due_ms = now_ms
        for step in plan.steps:
            due_ms += step.after_ms
            if due_ms > now_ms:
                self._later.append((due_ms, step.act))
            else:
                table = done(table, step.act)
        return table

    def _trouble(self, occasion: str, table: Tabletop, place: int, now_ms: int) -> None:
        awaited = Slot(place, Area.RIVER, min(table.rivers_used[place], RIVER_SLOTS - 1))
        troubles = troubles_of_turn(self._people, occasion, self._mat, awaited, now_ms)
        self.counts.update(trouble.kind for trouble in troubles)
        self._troubles += troubles
