"""The kind of a table: how its walls are built and its play recorded. An event may mix kinds and compare their results."""

from enum import StrEnum


class TableKind(StrEnum):
    FEEDER = "feeder"
    """A machine builds the walls, and a camera above the mat records play."""
    GUIDED = "guided"
    """People build the walls as a screen says, with cameras that read each tile; a camera above the mat records play."""
    SIMULATED = "simulated"
    """A program plays, for a rehearsal; no event accepts it."""
    PAPER = "paper"
    """People build the walls from printed sheets and enter scores: no camera, no deal in a computer, no record of play."""
