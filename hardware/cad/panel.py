"""Solids of the panel, in mm: a seat's unit with its keys and lamps, and behind it the box of the board that joins four of them.

Both are a box with a plate on it; the plate is cut from the DXF, or printed. The origin is the seat's middle, on its plate; x runs along
the table's edge, y away from the player, z up. Screws, wires and what else is on the boards are not modelled.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from build123d import Box, Cylinder, Part, Pos

from hardware.cad.stage import Stage
from hardware.dimensions import least, nominal
from twinwall.wire.shapes.panel import KEYS

PLATE, WALL, BOARD = 3.0, 2.4, 1.6
BELOW = 10.0
"""From a box's floor to its board: solder and wires."""
PILLAR, POST, PILOT, THROUGH = nominal("panel.screw_inset"), 3.5, 1.25, nominal("panel.screw_hole") / 2
"""Radii of what the plate is screwed to, of what the board is screwed to, of an M3 screw's own thread, and of a hole that it passes."""
ROOM = (20.0, 8.0)
"""Of a box beside its board, along x for the pillars, along y."""
SEAT_BOARD, SEAT_ABOVE = (nominal("panel.seat_wide"), nominal("panel.seat_deep")), 6.0
"""And from there to the plate."""
JOINING_BOARD, JOINING_ABOVE = (nominal("panel.board_wide"), nominal("panel.board_deep")), 16.0
KEY_ROW, LAMP_ROW, LAMP, BUZZER = nominal("panel.key_row"), nominal("panel.lamp_row"), 2.5, 6.0
NOTCH = 6.0
"""For cables, at a box's upper edge."""
_SEAT_LAMPS = tuple((side * nominal("panel.lamps_apart") / 2, LAMP_ROW) for side in (-1, 1))
_AWAY = 110.0
"""From the seat's middle to that of the board's box; they are drawn side by side."""


def stage() -> Stage:
    """The panel with all that is checked."""
    return Stage(
        "panel",
        parts(),
        first=("seat box", "board box"),
        look=((330.0, -700.0, 520.0), (0.0, 50.0, -10.0)),
        scale=1.0,
        apart=2.0,
        printed=printed(),
        cut={"seat plate": seat_plate(), "board plate": joining_plate()},
        wrong=tuple(wrong()),
    )


def parts() -> dict[str, Part]:
    """Every part where it belongs, by name."""
    found = _assembled("seat", SEAT_BOARD, SEAT_ABOVE, seat_plate(), 30.0)
    on_board, high = -PLATE - SEAT_ABOVE, nominal("panel.key_high")
    for key, x in zip(KEYS, _keys_at(), strict=True):
        body, cap = Box(12, 12, nominal("panel.body_high")), Cylinder(nominal("panel.cap") / 2, high - nominal("panel.body_high"))
        at = Pos(x, KEY_ROW, on_board)
        found[f"key {key}"] = at * (
            Pos(0, 0, nominal("panel.body_high") / 2) * body + Pos(0, 0, (high + nominal("panel.body_high")) / 2) * cap
        )
    for name, (x, y) in zip(("turn", "call"), _SEAT_LAMPS, strict=True):
        found[f"lamp {name}"] = Pos(x, y, on_board / 2) * Cylinder(LAMP, -on_board)
    joining = _assembled("board", JOINING_BOARD, JOINING_ABOVE, joining_plate(), 120.0)
    return found | {name: Pos(0, _AWAY, 0) * solid for name, solid in joining.items()}


def printed() -> dict[str, Part]:
    """What a printer makes, as it lies on the bed; seat box and plate four times."""
    return {
        "seat box": box(SEAT_BOARD, SEAT_ABOVE, 30.0),
        "seat plate": seat_plate(),
        "board box": box(JOINING_BOARD, JOINING_ABOVE, 120.0),
        "board plate": joining_plate(),
    }


def seat_plate() -> Part:
    """Seven keys in the matrix's order, and above them the lamps turn and call."""
    holes = [(x, KEY_ROW, nominal("panel.hole") / 2) for x in _keys_at()]
    return plate(SEAT_BOARD, [*holes, *((x, y, LAMP + 0.1) for x, y in _SEAT_LAMPS)])


def joining_plate() -> Part:
    """The lamps window and fault, and the buzzer between them."""
    return plate(JOINING_BOARD, [(-40.0, 0.0, LAMP + 0.1), (40.0, 0.0, LAMP + 0.1), (0.0, 0.0, BUZZER + 0.1)])


def plate(board: tuple[float, float], holes: list[tuple[float, float, float]]) -> Part:
    """A box's plate with round holes: middle and radius of each."""
    wide, deep = _inside(board)
    solid = Pos(0, 0, -PLATE / 2) * Box(wide + 2 * WALL, deep + 2 * WALL, PLATE)
    for x, y, radius in [*holes, *((x, y, THROUGH) for x, y in _corners((wide, deep), PILLAR))]:
        solid -= Pos(x, y, -PLATE / 2) * Cylinder(radius, PLATE)
    return solid


def box(board: tuple[float, float], above: float, notch: float) -> Part:
    """A box below the plate: pillars for it, posts for the board, and a notch for cables in the edge at the back."""
    wide, deep = _inside(board)
    high = above + BOARD + BELOW
    outer = Pos(0, 0, -PLATE - (high + WALL) / 2) * Box(wide + 2 * WALL, deep + 2 * WALL, high + WALL)
    solid = outer - Pos(0, 0, -PLATE - high / 2) * Box(wide, deep, high)
    for corners, radius, top in ((_corners((wide, deep), PILLAR), PILLAR, high), (_corners(board, PILLAR), POST, BELOW)):
        for x, y in corners:
            solid += Pos(x, y, -PLATE - high + top / 2) * Cylinder(radius, top)
            solid -= Pos(x, y, -PLATE - high + top - 4) * Cylinder(PILOT, 8)
    return solid - Pos(0, (deep + WALL) / 2, -PLATE - NOTCH / 2) * Box(notch, 2 * WALL, NOTCH)


def wrong() -> Iterator[str]:
    """What the dimensions do not keep: room for caps, fingers and the keys' bodies."""
    hole, pitch = nominal("panel.hole"), nominal("panel.pitch")
    if hole - nominal("panel.cap") < 0.5:
        yield f"a cap of {nominal('panel.cap')} mm rubs in a hole of {hole} mm"
    out = least("panel.key_high") - SEAT_ABOVE - PLATE
    if out < 1.5:
        yield f"a key stands out {out:.1f} mm: it is pressed down before a finger has pressed it"
    if nominal("panel.body_high") > SEAT_ABOVE - 0.5:
        yield "the plate lies on the keys"
    if pitch < nominal("panel.finger"):
        yield f"keys are {pitch} mm apart, a finger is {nominal('panel.finger')} mm wide"


def _assembled(name: str, board: tuple[float, float], above: float, lid: Part, notch: float) -> dict[str, Part]:
    at = -PLATE - above - BOARD / 2
    bored = Box(*board, BOARD)
    for x, y in _corners(board, PILLAR):
        bored -= Pos(x, y, 0) * Cylinder(THROUGH, BOARD)
    return {f"{name} box": box(board, above, notch), f"{name} board": Pos(0, 0, at) * bored, f"{name} plate": lid}


def _keys_at() -> list[float]:
    return [nominal("panel.pitch") * (column - (len(KEYS) - 1) / 2) for column in range(len(KEYS))]


def _inside(board: tuple[float, float]) -> tuple[float, float]:
    return board[0] + ROOM[0], board[1] + ROOM[1]


def _corners(size: tuple[float, float], inset: float) -> list[tuple[float, float]]:
    """Points so far from both edges of a rectangle's corners."""
    return [(x * (size[0] / 2 - inset), y * (size[1] / 2 - inset)) for x, y in product((-1, 1), repeat=2)]
