"""The trial of four draws: at each place a tile is shown to the reading gate, laid on the mat, and confirmed with the place's key.

Pure: each function takes what was seen or pressed and returns the trial as it stands then. The trial needs no deal, so it can be made
before any event, with any tiles. Which kind was read stays in here; the page shows only whether gate and mat agree.
"""

from collections.abc import Sequence
from dataclasses import replace

from twinwall.game.tiles import Tile
from twinwall.values import frozen
from twinwall.wire.shapes.readiness import DrawHint, DrawStep
from vision.mat import Area, Slot
from vision.reading import Read, ReadRefusal, Reason
from vision.table.table_reader import SlotReading

PLACES = 4


@frozen
class DrawTrial:
    """``place`` is whose draw it is, ``tile`` what the gate has read; ``confirms``: whether the table has keys to press."""

    confirms: bool = True
    place: int = 0
    step: DrawStep = DrawStep.SHOW
    tile: Tile | None = None
    hint: DrawHint = DrawHint.NONE

    @property
    def slot(self) -> Slot:
        """Where the tile is to be laid."""
        return Slot(self.place % PLACES, Area.RIVER, 0)


def read_at_gate(trial: DrawTrial, answer: Read | ReadRefusal) -> DrawTrial:
    """What the gate's camera shows of a tile that lies still."""
    if trial.step is not DrawStep.SHOW:
        return trial
    if isinstance(answer, Read):
        return replace(trial, step=DrawStep.LAY, tile=answer.tile, hint=DrawHint.NONE)
    return trial if answer.reason is Reason.EMPTY else replace(trial, hint=DrawHint.UNREAD)


def seen_on_mat(trial: DrawTrial, readings: Sequence[SlotReading]) -> DrawTrial:
    """What the mat's camera shows on ``slot``; nothing at all where it does not see the mat."""
    if trial.step is not DrawStep.LAY:
        return trial
    if not readings:
        return replace(trial, hint=DrawHint.NO_MAT)
    (seen,) = readings
    if seen.tile is None or seen.reason is not None:
        return replace(trial, hint=DrawHint.NONE)
    if seen.tile is not trial.tile:
        return replace(trial, hint=DrawHint.OTHER_TILE)
    laid = replace(trial, step=DrawStep.CONFIRM, hint=DrawHint.NONE)
    return laid if trial.confirms else _next_place(laid)


def confirmed(trial: DrawTrial, place: int) -> DrawTrial:
    """The CONFIRM key of a place was pressed."""
    if trial.step is not DrawStep.CONFIRM:
        return trial
    return _next_place(trial) if place == trial.place else replace(trial, hint=DrawHint.OTHER_PLACE)


def _next_place(trial: DrawTrial) -> DrawTrial:
    place = trial.place + 1
    return DrawTrial(trial.confirms, place, DrawStep.DONE if place == PLACES else DrawStep.SHOW)
