"""Roles of the staff."""

from enum import Enum


class Role(Enum):
    """What somebody who has logged in is at this event; all see what is for the staff, referees may open tables and rule."""

    DIRECTOR = "director"
    REFEREE = "referee"
    SCORER = "scorer"
