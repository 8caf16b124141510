"""Electrical rules of a board's schematic, which KiCad 6 has in its windows alone: what meets on a net, and what is left open.

What wires join between boards is checked by ``hardware.wiring.rules``.
"""

from collections import Counter
from collections.abc import Iterator

from hardware.boards.circuit import Circuit
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
