"""What the machine's switches and barriers say of the tiles of a trial, and which of them contradicts what should have come of it.

Place switches: a lever below each column's middle, and a reflective sensor beside the upper tile of a pair. Where the magazine's stand
is not drawn: behind the pair is assumed.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from hardware.physics.scene import Running

_LEVER_MM = 1.0
"""How far above the floor a lever is at rest."""
BESIDE_MM, BEHIND_MM, _REACH_MM = 30.0, 4.8, 12.0
"""A reflective sensor's height above the floor at its column's middle, its way behind the guide's face, and how far it sees."""


def differ(
    running: Running, stacks: Mapping[int, Collection[int]], pairs: Collection[int], floor_mm: float = 0.0, y_mm: float = 0.0
) -> set[int]:
    """The columns of which a sensor contradicts the tiles that should be there; only ``pairs`` have the upper one."""
    drawn, found = running.scene.drawn, set()
    behind = y_mm - (drawn("tile.length") + drawn("tray.play")) / 2 - BEHIND_MM
    for column, stack in stacks.items():
        x = column * drawn("tray.pitch")
        lower = running.finds((x, y_mm, floor_mm - 0.5), (0, 0, 1), 0.5 + _LEVER_MM)
        upper = column in pairs and running.finds((x, behind, floor_mm + BESIDE_MM), (0, 1, 0), _REACH_MM)
        if (lower, upper) != (len(stack) > 0, len(stack) > 1):
            found.add(column)
    return found
