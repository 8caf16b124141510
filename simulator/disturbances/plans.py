"""Plans: the timed acts that people really do in place of one act that they mean, and the disturbances in them."""

from simulator.disturbances.acts import Act, Askew, LieAskew
from simulator.disturbances.kinds import Disturbance
from simulator.disturbances.poses import pose_of
from simulator.tabletop import Lying
from twinwall.art.mat import Mat, Spot
from twinwall.values import frozen


@frozen
class PlannedAct:
    """An act, so long after the step before it; the first one is done at once."""

    act: Act
    after_ms: int = 0


@frozen
class ActPlan:
    """What is done, one step after the other."""

    steps: tuple[PlannedAct, ...] = ()
    happened: tuple[Disturbance, ...] = ()
    seen_after_ms: int = 0
    """How long after the first step a discard lies face up."""


NOTHING = ActPlan()


def moved_to(mat: Mat, lying: Lying, pose: Spot, *, level: int | None = None) -> Askew:
    """How a tile that lies somewhere comes to lie at a pose, either way up as before."""
    at = pose_of(mat, lying)
    level = lying.level if level is None else level
    return Askew(pose.x_mm - at.x_mm, pose.y_mm - at.y_mm, pose.turn_deg - at.turn_deg, lying.face_down, level)


def moves(mat: Mat, poses: list[tuple[Lying, Spot]]) -> tuple[PlannedAct, ...]:
    """One step that takes tiles to their poses, or none where all lie there."""
    changed = tuple((lying.slot, moved_to(mat, lying, pose)) for lying, pose in poses if pose != pose_of(mat, lying))
    return (PlannedAct(LieAskew(changed)),) if changed else ()
