"""Drawings of the wiring as SVG: a page for each group of cables, one for supply and stop, one for the circuits at the sockets."""

from collections.abc import Sequence
from html import escape

from hardware.wiring.netlist import RIBBON, Cable, Netlist
from hardware.wiring.sheets import span

_STROKES = {RIBBON: "#888", "white": "#bbb", "yellow": "#d4b200", "grey": "#777"}
_ARROWS = {"in": "← ", "out": "→ "}
"""Which way a signal goes, seen from the socket."""
_COLUMN, _BOX, _LINE, _MARGIN = 600, 150, 20, 20
_CHANGEOVER = (
    "relay: set while the output is on.   half: worked in the second half of the turn.   up: worked at the two stops, 0 and 180 degrees.",
    "Between the stops the motor runs, whatever the output does. At a stop where relay and half differ it runs on to the other;",
    "where they agree both its ends are at 0VM: it brakes, and stays.",
)


class _Page:
    """Elements of one drawing; ``height`` grows with what is put there."""

    def __init__(self, title: str, width: int = 2 * _COLUMN + _MARGIN) -> None:
        self._title, self._width, self.height = title, width, 60.0
        self._elements: list[str] = []
        self.text(_MARGIN, 34, title, size=20)

    def text(self, x: float, y: float, words: str, *, size: int = 12, anchor: str = "start", colour: str = "#111") -> None:
        self._elements.append(
            f'<text x="{x:.0f}" y="{y:.0f}" font-size="{size}" text-anchor="{anchor}" fill="{colour}">{escape(words)}</text>'
        )

    def box(self, x: float, y: float, width: float, height: float, fill: str = "#f3f3ee") -> None:
        self._elements.append(f'<rect x="{x:.0f}" y="{y:.0f}" width="{width:.0f}" height="{height:.0f}" fill="{fill}" stroke="#444"/>')

    def line(self, *points: tuple[float, float], colour: str = "#111", width: float = 1.5) -> None:
        path = " ".join(f"{x:.0f},{y:.0f}" for x, y in points)
        self._elements.append(f'<polyline points="{path}" fill="none" stroke="{_STROKES.get(colour, colour)}" stroke-width="{width}"/>')

    def svg(self) -> str:
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self._width} {self.height:.0f}" role="img"'
            f' aria-label="{escape(self._title)}" font-family="sans-serif"><rect width="100%" height="100%" fill="#fff"/>\n'
            + "\n".join(self._elements)
            + "\n</svg>\n"
        )


def pages(netlist: Netlist) -> dict[str, str]:
    """Every drawing by its file's name."""
    all_pages = netlist.pages
    found = {"stop.svg": _paths(netlist, all_pages.pop("stop"))}
    found |= {f"{name}.svg": _cables(f"Cables: {name}", all_cables) for name, all_cables in all_pages.items()}
    found["circuits.svg"] = _circuits(netlist)
    for kind in netlist.document["changeovers"]:
        found[f"{kind}.svg"] = _changeover(netlist, next(cable for cable in netlist.cables if cable.source["kind"] == kind))
    return found


def _cables(title: str, all_cables: Sequence[list[Cable]]) -> str:
    page = _Page(title)
    _blocks(page, all_cables)
    return page.svg()


def _blocks(page: _Page, all_cables: Sequence[list[Cable]]) -> None:
    """Blocks in two columns, each where there is more room."""
    bottoms = [page.height, page.height]
    for cables in all_cables:
        column = bottoms.index(min(bottoms))
        bottoms[column] = _block(page, _MARGIN + column * _COLUMN, bottoms[column], cables)
    page.height = max(bottoms) + _MARGIN


def _block(page: _Page, x: float, y: float, cables: list[Cable]) -> float:
    first, source = cables[0], cables[0].source
    right, height = x + _COLUMN - _BOX - 2 * _MARGIN - 45, _LINE * len(first.wires) + 10
    starts = span([cable.start for cable in cables]) if first.start else "terminal strips"
    page.text(
        x,
        y + 14,
        f"{starts}  →  {span([cable.end for cable in cables])}" + (f"   ({len(cables)} times)" if len(cables) > 1 else ""),
        size=13,
    )
    page.box(x, y + 20, _BOX, height)
    page.box(right, y + 20, _BOX + 45, height)
    for index, wire in enumerate(first.wires):
        level = y + 20 + _LINE * (index + 0.75)
        ribbon = wire.colour == RIBBON
        page.line((x + _BOX, level + 2), (right, level + 2), colour=wire.colour, width=2.5)
        circuit = f"  [{wire.start.circuit}]" if wire.start.circuit else ""
        page.text(x + _BOX - 6, level + 4, f"{circuit}  {wire.start.name}".strip(), anchor="end")
        words = _ARROWS.get(wire.start.role, "") + wire.start.net + ("" if ribbon else f", {wire.colour}")
        page.text((x + _BOX + right) / 2, level - 2, words, size=11, anchor="middle")
        page.text(right + 6, level + 4, wire.end.name + (f"  [{wire.end.circuit}]" if wire.end.circuit else ""))
    made = [f"AWG {source['awg']}, {source['length_m']} m", source.get("part", ""), source.get("note", "")]
    page.text(x, y + height + 36, "; ".join(filter(None, made)), size=11, colour="#555")
    return y + height + 56


def _paths(netlist: Netlist, cables: Sequence[list[Cable]]) -> str:
    page = _Page("Supply and emergency stop; a box is an element with its two terminals")
    y = page.height
    for path, wires in netlist.paths:
        page.text(_MARGIN, y + 30, path["name"], size=13)
        page.text(_MARGIN, y + 46, f"AWG {path['awg']}, {path['colour']}", size=11, colour="#555")
        names = [wires[0].start.name, *(pin.name for wire in wires for pin in (wire.start, wire.end))][1:]
        elements = [[names[0]], *([*names[index : index + 2]] for index in range(1, len(names) - 1, 2)), [names[-1]]]
        for index, element in enumerate(elements):
            left = 200 + 200 * index
            page.box(left, y + 16, 110, 34, "#eef3f8" if len(element) > 1 else "#f3f3ee")
            part = element[0].partition(".")[0]
            page.text(left + 55, y + 38, part if len(element) > 1 else element[0], size=13, anchor="middle")
            if len(element) > 1:
                page.text(left + 4, y + 12, element[0].partition(".")[2], size=11)
                page.text(left + 106, y + 12, element[1].partition(".")[2], size=11, anchor="end")
            if index:
                page.line((left - 90, y + 33), (left, y + 33), colour=path["colour"], width=2.5)
        y += 66
    page.height = y
    _blocks(page, cables)
    return page.svg()


def _circuits(netlist: Netlist) -> str:
    """The parts at each kind of socket: between two nodes in the line, to a rail up or down."""
    page = _Page("Circuits at the sockets; chip is the input or output of the board's chip")
    rails = list(netlist.document["rails"])
    for index, (name, parts) in enumerate(netlist.document["circuits"].items()):
        x, y = _MARGIN + index % 2 * _COLUMN, 60 + index // 2 * 250
        page.text(x, y + 14, name, size=15)
        _circuit(page, x, y + 120, parts, rails)
        page.height = y + 270
    return page.svg()


def _circuit(page: _Page, x: float, middle: float, parts: Sequence[Sequence[str]], rails: Sequence[str]) -> None:
    nodes = sorted(
        {node for _, *ends in parts for node in ends} - set(rails), key=("signal", "5Z", "anode", "row", "coil", "gate", "chip").index
    )
    at = {node: x + 30 + 190 * index for index, node in enumerate(nodes)}
    used: dict[tuple[str, bool], int] = {}
    for part, *ends in sorted(parts, key=len):
        inner = [node for node in ends if node in at]
        if len(inner) == 2 and len(ends) == 2:
            one, other = sorted(at[node] for node in inner)
            page.line((one, middle), (other, middle))
            _part(page, (one + other) / 2 + 20, middle, part)
            continue
        node, rail = inner[0], next(end for end in ends if end in rails)
        down = rail.startswith("0V")
        place = used.get((node, down), 0)
        used[node, down] = place + 1
        over = at[node] + 80 * place
        sign = 1 if down else -1
        page.line((at[node], middle), (over, middle), (over, middle + sign * 70))
        _part(page, over, middle + sign * 38, part)
        page.line((over - 12, middle + sign * 70), (over + 12, middle + sign * 70), width=3)
        page.text(over, middle + sign * 70 + (16 if down else -6), rail, anchor="middle")
        if len(ends) == 3:
            page.line((over + 36, middle + 38), (at[ends[2]] - 45, middle + 38), (at[ends[2]] - 45, middle), (at[ends[2]], middle))
    for node, left in at.items():
        page.box(left - 3, middle - 3, 6, 6, "#111")
        page.text(left + 6, middle - 8, node, size=12, colour="#1f4f8a")


def _part(page: _Page, x: float, y: float, part: str) -> None:
    page.box(x - 36, y - 11, 72, 22, "#fff")
    page.text(x, y + 4, part, anchor="middle")


def _changeover(netlist: Netlist, cable: Cable) -> str:
    """The contacts of a motor that stops twice a turn, all at rest: those of the board one below the other, then those at the cam."""
    page = _Page(f"Changeover of a motor that stops twice a turn: {cable.end} at {cable.start}; contacts at rest")
    found: dict[str, list[tuple[float, float]]] = {}
    source, wires = netlist.document["changeovers"][cable.source["kind"]], {wire.start.net: wire for wire in cable.wires}
    page.box(_MARGIN, 60, 330, 290, "#f8f8f4")
    page.box(540, 60, 650, 290, "#f8f8f4")
    page.text(_MARGIN + 8, 78, f"board {cable.start.partition('.')[0]}")
    page.text(548, 78, "at the gripper")
    rows, columns = iter((140, 270)), iter((640, 850))
    for by, common, *throws in source["contacts"]:
        x, y = (140, next(rows)) if by == "relay" else (next(columns), 205)
        page.text(x + 30, y - 26, by, size=13, anchor="middle")
        page.line((x + 70, y), (x, y - 14))
        for node, level in zip(throws, (y - 14, y + 14), strict=True):
            if node in netlist.document["rails"]:
                far = "" if by == "relay" else f", {wires[node].start.name}"
                page.text(x - 8, level + (-6 if far else 4), node + far, anchor="end")
            else:
                found.setdefault(node, []).append((x, level))
        for at in ((x, y - 14), (x, y + 14), (x + 70, y)):
            page.box(at[0] - 3, at[1] - 3, 6, 6, "#111")
        found.setdefault(common, []).insert(0, (x + 70, y))
    found.setdefault(source["motor"][0], []).append((1040, 205))
    for node, ((left, top), (right, low)) in found.items():
        wire = wires.get(f"{cable.end}_{node}")
        bend = 590 if wire else (left + right) / 2
        page.line((left, top), (bend, top), (bend, low), (right, low), colour=wire.colour if wire else "#111", width=2.5)
        words = f"{wire.start.name}, {wire.colour}" if wire else node
        page.text(445 if wire else bend, top - 6 if wire else low + 16, words, anchor="middle")
    page.line((1040, 205), (1040, 300), width=2.5)
    page.box(1018, 230, 44, 44, "#fff")
    page.text(1040, 258, "M", size=18, anchor="middle")
    page.line((1040, 205), (1130, 205), (1130, 300), (1040, 300))
    _part(page, 1130, 252, "SB560")
    page.text(1040, 318, f"{source['motor'][1]}, {wires[source['motor'][1]].start.name}", anchor="middle")
    page.text(1136, 234, "cathode", size=11)
    for index, words in enumerate(_CHANGEOVER):
        page.text(_MARGIN, 376 + index * _LINE, words, size=13)
    page.height = 390 + len(_CHANGEOVER) * _LINE
    return page.svg()
