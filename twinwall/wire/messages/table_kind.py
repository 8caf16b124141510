"""Kind of a table: how its walls are built and its play is recorded. An event may mix them; results are compared all the same."""

from enum import StrEnum


class TableKind(StrEnum):
    """How walls come about at a table, and who records its hands."""

    FEEDER = "feeder"
    """A machine builds the walls, and a camera above the mat records play."""
    GUIDED = "guided"
    """People build the walls as a screen says, with cameras that read each tile; a camera above the mat records play."""
    SIMULATED = "simulated"
    """No people play: a program plays in the table's place, for a rehearsal. No event takes it."""
    PAPER = "paper"
    """People build the walls from printed sheets and enter the scores; no camera, no deal in any computer, no record of play."""
