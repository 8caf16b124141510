"""Printed ArUco 4×4 markers (dictionary of 50), and the places of a mat's corner markers, for prints and cameras."""

from twinwall.art.mat import Mat
from twinwall.values import frozen

CELLS = 6
"""A marker is six cells wide with its black rim."""
_BITS = (
    "B5320F9A332D9946549E79CD9E2EC4F2FEDACF56F99111A70EB72A0F24B1263E466566006C5E76AF868BB02BCCD5DD82FE47"
    "9471ACE4A5542123346F441557B29ECFF0CB08AE0929187504FF0DF61C5A17182A28328C38B224E82EEB2D3F4B64502E5013"
)
"""The white cells within each marker's rim, row by row: four hexadecimal digits a marker."""
_DIGITS = 4
COUNT = len(_BITS) // _DIGITS


@frozen
class PrintedMarker:
    """A marker on a mat: its number, middle and side in mm; upright as seen from place 0."""

    number: int
    x_mm: float
    y_mm: float
    side_mm: float

    @property
    def bordered_mm(self) -> float:
        """The side with the white border, which is one cell wide."""
        return self.side_mm * (CELLS + 2) / CELLS


def corner_markers(mat: Mat) -> tuple[PrintedMarker, ...]:
    """Ids 0 to 3 at bottom left, bottom right, top right, top left."""
    signs = ((-1, 1), (1, 1), (1, -1), (-1, -1))
    return tuple(
        PrintedMarker(number, x_sign * mat.marker_centre_mm, y_sign * mat.marker_centre_mm, mat.marker_mm)
        for number, (x_sign, y_sign) in enumerate(signs)
    )


def white_cells(number: int) -> tuple[tuple[int, int], ...]:
    """Row and column (0 to 5, with the rim) of each white cell of a marker; raises ValueError for an unknown number."""
    if not 0 <= number < COUNT:
        raise ValueError(f"there is no marker {number}: they have the numbers 0 to {COUNT - 1}")
    bits = f"{int(_BITS[number * _DIGITS : (number + 1) * _DIGITS], 16):016b}"
    return tuple((1 + at // 4, 1 + at % 4) for at, bit in enumerate(bits) if bit == "1")
