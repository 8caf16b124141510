"""Check of a board's files against ``hardware/wiring.toml``: nets, parts, copper, holes, and pins of symbols. Needs no KiCad."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from math import hypot

from hardware.boards.circuit import LAYOUT, Circuit
from hardware.boards.layout import MIDDLE, corners, pads_of
from hardware.boards.router import Pad
from hardware.boards.schematic import nets_of, pins_of
from hardware.boards.sexpr import Node, nodes, numbers, one, word
from hardware.wiring.netlist import Netlist

_COPPER = ("F.Cu", "B.Cu")
Shape = tuple[float, float, float, float, frozenset[str]]
"""Ends of a track, or twice the middle of a via or pad, and its layers."""


def board_faults(netlist: Netlist, circuit: Circuit, schematic: Node, board: Node) -> Iterator[str]:
    """What is wrong with a schematic and its board, which is empty without a layout: a sentence for each fault."""
    yield from _differences("the schematic", circuit, {net: pins for net, pins in nets_of(schematic).items() if net})
    yield from _pins(netlist, circuit, schematic)
    if not board:
        return
    pads = {word(one(each, "fp_text"), 2): list(pads_of(each)) for each in nodes(board, "footprint")}
    found = defaultdict[str, set[str]](set)
    for ref, own in pads.items():
        for pad in own:
            if pad.net:
                found[pad.net].add(f"{ref}.{pad.number}")
    yield from _differences("the board", circuit, found)
    yield from _parts(circuit, board)
    for net in sorted(found):
        if count := _pieces(net, board, [pad for own in pads.values() for pad in own if pad.net == net]):
            yield f"{net} is in {count} pieces of copper"
    holes = sorted((round(pad.x - MIDDLE[0], 3), round(MIDDLE[1] - pad.y, 3)) for own in pads.values() for pad in own if not pad.number)
    if holes != sorted(corners(circuit.board)):
        yield f"screws are at {holes}, the box has them at {sorted(corners(circuit.board))}"


def _differences(where: str, circuit: Circuit, found: Mapping[str, set[str]]) -> Iterator[str]:
    for net in sorted(circuit.nets.keys() | found.keys()):
        meant, has = circuit.nets.get(net, set()), found.get(net, set())
        if meant != has:
            yield f"{where} has {', '.join(sorted(has)) or 'nothing'} on {net}, the wiring {', '.join(sorted(meant)) or 'nothing'}"


def _parts(circuit: Circuit, board: Node) -> Iterator[str]:
    """Each part has its footprint on the board, with its kind, on the front."""
    found = {}
    for footprint in nodes(board, "footprint"):
        texts = {word(text): word(text, 2) for text in nodes(footprint, "fp_text")}
        if "value" in texts:
            found[texts["reference"]] = (texts["value"], word(footprint), word(one(footprint, "layer")))
    meant = {part.ref: (part.kind, LAYOUT["parts"][part.kind]["footprint"], "F.Cu") for part in circuit.parts}
    for ref in sorted(found.keys() | meant.keys()):
        if found.get(ref) != meant.get(ref):
            yield f"{ref} is {found.get(ref)} on the board, and should be {meant.get(ref)}"


def _pieces(net: str, board: Node, pads: list[Pad]) -> int:
    """How many pieces the copper of a net is in, without pours; 0 where it is one."""
    number = next(word(each) for each in nodes(board, "net") if word(each, 2) == net)
    shapes: list[Shape] = []
    for track in (each for each in nodes(board, "segment") if word(one(each, "net")) == number):
        shapes.append((*numbers(one(track, "start")), *numbers(one(track, "end")), frozenset({word(one(track, "layer"))})))  # type: ignore[arg-type]
    for via in (each for each in nodes(board, "via") if word(one(each, "net")) == number):
        shapes.append((*numbers(one(via, "at")), *numbers(one(via, "at")), frozenset(_COPPER)))  # type: ignore[arg-type]
    shapes += [(pad.x, pad.y, pad.x, pad.y, frozenset(_COPPER if pad.through else _COPPER[:1])) for pad in pads]
    left, count = list(shapes), 0
    while left:
        reached, count = [left.pop()], count + 1
        for shape in reached:
            near = [each for each in left if each[4] & shape[4] and (_touch(shape, each) or _touch(each, shape))]
            left = [each for each in left if each not in near]
            reached += near
    return count if count > 1 else 0


def _touch(line: Shape, other: Shape) -> bool:
    """Whether an end of the other is on a line."""
    ax, ay, bx, by, _ = line
    square = (bx - ax) ** 2 + (by - ay) ** 2
    for x, y in (other[:2], other[2:4]):
        share = min(max(((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / square, 0), 1) if square else 0
        if hypot(x - ax - share * (bx - ax), y - ay - share * (by - ay)) < 0.01:
            return True
    return False


def _pins(netlist: Netlist, circuit: Circuit, schematic: Node) -> Iterator[str]:
    """Symbols' pins are named as the wiring takes them and its gates are theirs; no net has one pin or two outputs."""
    kinds, pins = {part.ref: part.kind for part in circuit.parts}, list(pins_of(schematic))
    at = {f"{pin.ref}.{pin.number}": pin for pin in pins}
    for pin in pins:
        if pin.name in "KA" and LAYOUT["parts"][kinds[pin.ref]].get("order") != "21":
            yield f"{pin.ref} has its cathode at the wrong node"
    for ref, kind in kinds.items():
        pinout = netlist.document["pinout"].get(kind, {})
        rails = {name: number for name, (number, _) in pinout.get("rails", {}).items()}
        for name, number in (pinout.get("inputs", {}) | pinout.get("outputs", {}) | pinout.get("chain", {}) | rails).items():
            if at[f"{ref}.{number}"].name not in (name, "~"):
                yield f"{ref}: pin {number} is {at[f'{ref}.{number}'].name}, the wiring has {name} there"
        for inward, outward in zip(pinout.get("inputs", {}).values(), pinout.get("outputs", {}).values(), strict=False):
            one_way, other = at[f"{ref}.{inward}"], at[f"{ref}.{outward}"]
            if one_way.unit != other.unit or one_way.kind != "input" or other.kind not in ("output", "tri_state", "open_collector"):
                yield f"{ref}: pins {inward} and {outward} are no gate"
    for net, own in nets_of(schematic).items():
        if net and len(own) < 2:
            yield f"{net} has the pin {min(own)} alone"
        if sum(at[pin].kind in ("output", "tri_state", "open_collector") for pin in own) > 1 and net:
            yield f"{net} has two outputs"
