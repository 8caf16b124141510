"""Check of a board's files against ``hardware/wiring.toml``: nets, parts, copper, holes, pins of symbols, and the electrical rules that
KiCad 6 has in its windows alone. Needs no KiCad. What wires join between boards is checked by ``hardware.wiring.rules``."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping

import numpy as np

from hardware.boards.circuit import LAYOUT, Circuit, screws
from hardware.boards.layout import MIDDLE, pads_of
from hardware.boards.router import Pad
from hardware.boards.schematic import FLAG, nets_of, pins_of
from hardware.boards.sexpr import Node, nodes, numbers, one, word
from hardware.wiring.netlist import Netlist

_DRIVES = {"output", "tri_state", "open_collector", "open_emitter", "bidirectional", "power_out"}


def electrical_faults(netlist: Netlist, circuit: Circuit, schematic: Node) -> Iterator[str]:
    """Each pin that is open or has two names; each net of one pin, with two outputs, with inputs alone, or with chips and no supply."""
    pins = {f"{pin.ref}.{pin.number}": pin for pin in pins_of(schematic)}
    labels, marks = ([(*numbers(one(each, "at"))[:2],) for each in nodes(schematic, kind)] for kind in ("global_label", "no_connect"))
    named = Counter(labels + marks)
    yield from (f"nothing is at {at}, where a name or mark is" for at in named.keys() - {pin.end for pin in pins.values()})
    for name, pin in pins.items():
        if named[pin.end] != 1:
            yield f"{name} has {named[pin.end]} names and marks"
        if pin.end in marks and pin.kind in ("input", "power_in"):
            yield f"{name} is an input and open"
    at_flags = {pin.end for pin in pins.values() if pin.ref.startswith("#")}
    flags = {word(label) for label, at in zip(nodes(schematic, "global_label"), labels, strict=True) if at in at_flags}
    supplied = _supplied(netlist, circuit)
    for net, own in nets_of(schematic).items():
        kinds = [pins[pin].kind for pin in own]
        if not net:
            continue
        if len(own) < 2:
            yield f"{net} has the pin {min(own)} alone"
        if sum(kind in _DRIVES for kind in kinds) > 1:
            yield f"{net} has two outputs"
        if set(kinds) == {"input"}:
            yield f"{net} is read at {min(own)} and never driven"
        if "power_in" in kinds and net not in supplied:
            yield f"{net} has chips and no supply"
        if "power_in" in kinds and net not in flags:
            yield f"{net} has no {FLAG}, which KiCad asks for"


def _supplied(netlist: Netlist, circuit: Circuit) -> set[str]:
    """The nets that come to a board from a supply, or back to it, and go on through its fuses."""
    ends = {wire.end.name for wire in netlist.wires if wire.end.role == "load" or wire.end.net.startswith("0V")}
    found = set[str]()
    for part in circuit.parts:
        for pin, net in part.pins.items():
            if ends & {f"{circuit.board}.{socket}.{pin}" for socket in (part.ref, part.ref.removesuffix("1"))}:
                found.add(net)
    for part in circuit.parts:
        if part.kind.startswith("MF-R") and found & {*part.pins.values()}:
            found |= {*part.pins.values()}
    return found


Shape = tuple[float, float, float, float, str]
"""Ends of a track, or twice the middle of a via or pad, and its layer; "" is both."""


def board_faults(netlist: Netlist, circuit: Circuit, schematic: Node, board: Node) -> Iterator[str]:
    """What is wrong with a schematic and its board, which is empty without a layout: a sentence for each fault."""
    yield from _differences("the schematic", circuit, {net: pins for net, pins in nets_of(schematic).items() if net})
    yield from _pins(netlist, circuit, schematic)
    yield from electrical_faults(netlist, circuit, schematic)
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
    copper = _copper(board)
    for net in sorted(found):
        if count := _pieces(copper[net], [pad for own in pads.values() for pad in own if pad.net == net]):
            yield f"{net} is in {count} pieces of copper"
    holes = sorted((round(pad.x - MIDDLE[0], 3), round(MIDDLE[1] - pad.y, 3)) for own in pads.values() for pad in own if not pad.number)
    if holes != sorted(screws(circuit.board)):
        yield f"screws are at {holes}, the box has them at {sorted(screws(circuit.board))}"


def _differences(where: str, circuit: Circuit, found: Mapping[str, set[str]]) -> Iterator[str]:
    wanted = circuit.nets
    for net in sorted(wanted.keys() | found.keys()):
        meant, has = wanted.get(net, set()), found.get(net, set())
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


def _copper(board: Node) -> dict[str, list[Shape]]:
    """The tracks and vias of each net."""
    names, found = {word(net): word(net, 2) for net in nodes(board, "net")}, defaultdict[str, list[Shape]](list)
    for track in nodes(board, "segment"):
        ends = (*numbers(one(track, "start")), *numbers(one(track, "end")))
        found[names[word(one(track, "net"))]].append((*ends, word(one(track, "layer"))))  # type: ignore[arg-type]
    for via in nodes(board, "via"):
        found[names[word(one(via, "net"))]].append((*numbers(one(via, "at")) * 2, ""))  # type: ignore[arg-type]
    return found


def _pieces(copper: list[Shape], pads: list[Pad]) -> int:
    """How many pieces the copper of a net is in, without pours; 0 where it is one. Shapes touch where an end of one is on the other."""
    shapes = [*copper, *((pad.x, pad.y, pad.x, pad.y, "" if pad.through else "F.Cu") for pad in pads)]
    layers = np.array([shape[4] for shape in shapes])
    ends = np.array([shape[:4] for shape in shapes]).reshape(-1, 2, 2)
    start, along = ends[:, None, 0], ends[:, None, 1] - ends[:, None, 0]
    square = np.maximum((along**2).sum(-1), 1e-9)
    touch = np.zeros((len(shapes), len(shapes)), dtype=np.bool_)
    for end in (0, 1):
        off = ends[None, :, end] - start
        share = np.clip((off * along).sum(-1) / square, 0, 1)
        touch |= np.hypot(*np.moveaxis(off - share[..., None] * along, -1, 0)) < 0.01
    touch &= (layers[:, None] == layers) | (layers[:, None] == "") | (layers == "")
    touch |= touch.T
    left, count = np.ones(len(shapes), dtype=np.bool_), 0
    while left.any():
        new, count = np.arange(len(shapes)) == left.argmax(), count + 1
        while new.any():
            left &= ~new
            new = touch[new].any(axis=0) & left
    return count if count > 1 else 0


def _pins(netlist: Netlist, circuit: Circuit, schematic: Node) -> Iterator[str]:
    """Symbols' pins are named as the wiring takes them and its gates are theirs."""
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
