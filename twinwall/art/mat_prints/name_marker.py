"""The name marker, an ArUco marker that names a mat's table, and its place beside corner marker 1. Its dictionary is ARUCO_ORIGINAL (ids 0
to 1023), and its id is the table's number; a table with another name has no name marker. Its paper touches the inner corner of corner
marker 1's paper, where no slot is."""

from functools import lru_cache

from twinwall.art.mat import Mat, Spot
from twinwall.art.mat_prints.markers import corner_markers

CELLS = 7
"""The marker is seven cells wide with its black rim."""
CELL_MM = 4.0
PAPER_MM = CELL_MM * (CELLS + 2)
"""The side with the white border, which is one cell wide."""
BESIDE = 1
"""The corner marker beside it."""
MOST = 1023
_MOST_DIGITS = len(str(MOST))
_WORDS = (0b10000, 0b10111, 0b01001, 0b01110)
"""The white cells of a row, by its two bits (S. Garrido-Jurado et al., Pattern Recognition 47, 2014)."""
_ROWS = 5
_BITS = 2
_TO_SLOT_MM = 5.0


@lru_cache(maxsize=64)
def name_place(mat: Mat) -> Spot | None:
    """The middle of a mat's name marker, upright as seen from place 0; None if the slots leave no room."""
    beside = corner_markers(mat)[BESIDE]
    off = (beside.bordered_mm + PAPER_MM) / 2
    place = Spot(beside.x_mm - off, beside.y_mm - off, 0.0)
    reach = (PAPER_MM + max(mat.tile_width_mm, mat.tile_height_mm)) / 2 + _TO_SLOT_MM
    spots = map(mat.spot, mat.all_slots())
    return None if any(max(abs(spot.x_mm - place.x_mm), abs(spot.y_mm - place.y_mm)) < reach for spot in spots) else place


def printed_number(mat: Mat) -> int | None:
    """The number in a mat's name marker, or None."""
    name = mat.table
    digits = len(name) <= _MOST_DIGITS and name.isascii() and name.isdecimal() and name[0] != "0"
    return int(name) if digits and int(name) <= MOST and name_place(mat) is not None else None


def why_unnamed(mat: Mat) -> str:
    """Why a mat cannot be printed with its table's name; empty if it can."""
    if printed_number(mat) is not None:
        return ""
    if name_place(mat) is None:
        return "a mat of these sizes has no room for the name marker beside corner marker 1"
    return f"a mat can tell the tables 1 to {MOST} alone, and this one is called {mat.table}: print it without a name"


def white_cells(number: int) -> tuple[tuple[int, int], ...]:
    """Row and column (0 to 6, with the rim) of each white cell; raises ValueError for an unknown number."""
    if not 0 <= number <= MOST:
        raise ValueError(f"there is no name marker {number}: they have the numbers 0 to {MOST}")
    rows = [_WORDS[number >> _BITS * (_ROWS - 1 - row) & 0b11] for row in range(_ROWS)]
    return tuple((1 + row, 1 + at) for row, word in enumerate(rows) for at in range(_ROWS) if word >> (_ROWS - 1 - at) & 1)


def number_of(rows: tuple[int, ...]) -> int | None:
    """The number of these rows of cells, five bits each with white as 1; None for a row that no marker has."""
    number = 0
    for row in rows:
        if row not in _WORDS:
            return None
        number = number << _BITS | _WORDS.index(row)
    return number
