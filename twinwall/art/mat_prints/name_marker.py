"""Name marker: the ArUco marker by which a mat tells its table, and its place beside corner marker 1.

The marker is of the dictionary ARUCO_ORIGINAL, whose ids are 0 to 1023, and its id is the table's number. A table whose name is no
such number has a mat without a name marker. Its paper touches the inner corner of the paper of corner marker 1, where no slot is.
"""

from functools import lru_cache

from twinwall.art.mat import Mat, Spot
from twinwall.art.mat_prints.markers import corner_markers

CELLS = 7
"""The marker is seven cells wide with its black rim."""
CELL_MM = 4.0
PAPER_MM = CELL_MM * (CELLS + 2)
"""The side with the white border, which is one cell wide."""
BESIDE = 1
"""The corner marker that it lies beside."""
MOST = 1023
_MOST_DIGITS = len(str(MOST))
_WORDS = (0b10000, 0b10111, 0b01001, 0b01110)
"""The white cells of a row, by the two bits that the row holds (S. Garrido-Jurado et al., Pattern Recognition 47, 2014)."""
_ROWS = 5
_BITS = 2
_TO_SLOT_MM = 5.0


@lru_cache(maxsize=64)
def name_place(mat: Mat) -> Spot | None:
    """The middle of a mat's name marker, named or not, upright as seen from place 0; None where a mat's slots leave no room."""
    beside = corner_markers(mat)[BESIDE]
    off = (beside.bordered_mm + PAPER_MM) / 2
    place = Spot(beside.x_mm - off, beside.y_mm - off, 0.0)
    reach = (PAPER_MM + max(mat.tile_width_mm, mat.tile_height_mm)) / 2 + _TO_SLOT_MM
    spots = map(mat.spot, mat.all_slots())
    return None if any(max(abs(spot.x_mm - place.x_mm), abs(spot.y_mm - place.y_mm)) < reach for spot in spots) else place


def printed_number(mat: Mat) -> int | None:
    """The number that a mat's name marker tells; None for a mat that has none."""
    name = mat.table
    digits = len(name) <= _MOST_DIGITS and name.isascii() and name.isdecimal() and name[0] != "0"
    return int(name) if digits and int(name) <= MOST and name_place(mat) is not None else None


def why_unnamed(mat: Mat) -> str:
    """Why a mat cannot be printed with the name of its table; empty where it can."""
    if printed_number(mat) is not None:
        return ""
    if name_place(mat) is None:
        return "a mat of these sizes has no room for the name marker beside corner marker 1"
    return f"a mat can tell the tables 1 to {MOST} alone, and this one is called {mat.table}: print it without a name"


def white_cells(number: int) -> tuple[tuple[int, int], ...]:
    """Row and column of each white cell of a name marker, 0 to 6 with its rim; raises ValueError for a number that does not exist."""
    if not 0 <= number <= MOST:
        raise ValueError(f"there is no name marker {number}: they have the numbers 0 to {MOST}")
    rows = [_WORDS[number >> _BITS * (_ROWS - 1 - row) & 0b11] for row in range(_ROWS)]
    return tuple((1 + row, 1 + at) for row, word in enumerate(rows) for at in range(_ROWS) if word >> (_ROWS - 1 - at) & 1)


def number_of(rows: tuple[int, ...]) -> int | None:
    """The number whose rows of cells these are, each five bits with a white cell as 1; None where a row is none of a marker."""
    number = 0
    for row in rows:
        if row not in _WORDS:
            return None
        number = number << _BITS | _WORDS.index(row)
    return number
