"""Where a board's parts and screws stand, from ``boards.toml``: parts by name, rows of alike ones, columns behind sockets."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hardware.boards.circuit import LAYOUT, Circuit
from hardware.dimensions import nominal

Place = tuple[float, float, float]
"""From the board's middle in mm, and the turn to the left in degrees."""


def size(board: str) -> tuple[float, float]:
    """Width and depth of a board in mm."""
    wide, deep = map(_length, LAYOUT[board]["size"])
    return wide, deep


def screws(board: str) -> list[tuple[float, float]]:
    """The middles of its screws' holes, from the board's middle: in the corners, and where the layout has more."""
    x, y = (side / 2 - nominal("panel.screw_inset") for side in size(board))
    return [(-x, -y), (x, -y), (-x, y), (x, y), *((right, up) for right, up in LAYOUT[board].get("screws", ()))]


def column_of(board: str, ref: str) -> Mapping[str, Any] | None:
    """The columns that a socket, or an input without one, belongs to, or None."""
    for column in LAYOUT[board].get("columns", ()):
        first, last = column.get("numbers", (0, 99))
        if (number := re.fullmatch(column["socket"] + r"(\d+)", ref)) and first <= int(number[1]) <= last:
            found: Mapping[str, Any] = column
            return found
    return None


def places(circuit: Circuit) -> dict[str, Place]:
    """Where the middle of each part's pads is; raises KeyError for a part without a place."""
    layout = LAYOUT[circuit.board]
    found: dict[str, Place] = dict(_columns(circuit)) | {name: (*at,) for name, (_, *at) in layout.get("sockets", {}).items()}
    found |= layout.get("at", {})
    named = [row for row in layout["rows"] if "refs" in row]
    for row in named:
        found |= _row(row["refs"], row)
    alike = defaultdict[str, list[str]](list)
    for part in circuit.parts:
        if part.ref not in found:
            alike[part.kind].append(part.ref)
    rows = {row["kind"]: row for row in layout["rows"] if row not in named}
    for kind, refs in alike.items():
        found |= _row(refs, rows[kind])
    return found


def _row(refs: Sequence[str], row: Mapping[str, Any]) -> Iterator[tuple[str, Place]]:
    (x, y), (right, up) = (map(_length, row[name]) for name in ("at", "step"))
    for index, ref in enumerate(refs):
        behind = index - (len(refs) - 1) / 2
        yield ref, (x + behind * right, y + behind * up, row["turn"])


def _columns(circuit: Circuit) -> Iterator[tuple[str, Place]]:
    """Sockets in the order of their numbers with the parts at their pin 2; an input without a socket has its part alone."""
    signals = {part.pins["2"]: part.ref for part in circuit.parts if column_of(circuit.board, part.ref)}
    behind = defaultdict[str, list[str]](list)
    for part in circuit.parts:
        signal = part.pins.get("1", "").removesuffix("_IN")
        if column_of(circuit.board, socket := signals.get(signal, signal)):
            behind[socket].append(part.ref)
        elif column_of(circuit.board, part.ref):
            behind.setdefault(part.ref, [])
    for column in LAYOUT[circuit.board].get("columns", ()):
        own = [socket for socket in behind if column_of(circuit.board, socket) is column]
        for socket, (x, y, turn) in _row(sorted(own, key=lambda name: (len(name), name)), column):
            yield socket, (x, y, turn)
            for ref, (right, up, turned) in zip(behind[socket], column["parts"], strict=False):
                yield ref, (x + right, y + up, turned)


def _length(value: float | str) -> float:
    """A length, or the dimension of that name."""
    return nominal(value) if isinstance(value, str) else value
