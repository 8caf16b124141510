"""Circuit of a board: its parts with the net at each pin, from the cables, circuits and chips of ``hardware/wiring.toml``, and where they
and its screws stand, from ``boards.toml``: parts by name, rows of alike ones, columns behind sockets."""

import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from re import fullmatch
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from hardware.dimensions import nominal
from hardware.wiring.firmware import pin_at
from hardware.wiring.netlist import Cable, Conductor, Netlist, Pin
from twinwall.values import frozen

LAYOUT: Mapping[str, Any] = tomllib.loads(Path(__file__).with_name("boards.toml").read_text(encoding="utf-8"))
"""Symbols and footprints of parts, and where they stand on each board."""


@frozen
class BoardPart:
    """A part: its name on the board, its key in ``[parts]`` of the wiring, and the net at each connected pin."""

    ref: str
    kind: str
    pins: Mapping[str, str]


@frozen
class Circuit:
    """All parts of a board."""

    board: str
    parts: tuple[BoardPart, ...]

    @property
    def nets(self) -> dict[str, set[str]]:
        """Every net with its pins, such as ``R1.2``."""
        found = defaultdict[str, set[str]](set)
        for part in self.parts:
            for pin, net in part.pins.items():
                found[net].add(f"{part.ref}.{pin}")
        return dict(found)


def circuit(netlist: Netlist, board: str) -> Circuit:
    """The circuit of a board of ``boards.toml``; raises KeyError for a part that it does not name.

    KiCad wants a number in each name: a socket without one gets a 1.
    """
    if board == "MACHINE":
        return _machine(netlist)
    layout, circuits = LAYOUT.get(board, {}).get("sockets", {}), netlist.document["circuits"]
    sockets = defaultdict[str, dict[str, str]](dict)
    rails, parts = netlist.document["rails"], _Parts([], Counter())
    for chip in netlist.document["chips"].get(board, ()):
        parts.chip(netlist, chip["part"], [*chip["nets"]], [net + chip["to"] for net in chip["nets"]])
    bits = {number: net for cable in netlist.cables if cable.end == f"{board}.X1" for number, net, _ in cable.pins}
    for wire, pin, cable in _pins(netlist, board):
        socket, _, number = pin.name.removeprefix(f"{board}.").rpartition(".")
        own, channel = circuits.get(pin.circuit, ()), fullmatch(r"K(\d)", socket)
        at_chip = pin is wire.end and not channel and any("chip" in ends for _, *ends in own)
        chip_net = pin.net + ("_PI" if wire.start.name.startswith("PI.") else "_IN")
        sockets[socket or "J1"][number] = _net(board, chip_net if at_chip else pin.net)
        if pin is wire.start:
            sockets[socket] |= {number: net for number, net, role in cable.pins if role in ("spare", "shield") and net in rails}
        row = next((each.start.net for each in cable.wires if each.end.role == "in"), "")
        nodes = {"signal": pin.net, "chip": chip_net, "row": row, **dict(zip(rails, rails, strict=True))}
        if channel:
            nodes["chip"] = bits[str(int(channel[1]) + 1)]
            if number == "1":
                sockets[socket]["1"] = f"{socket}_{pin.net}"
                parts.add(next(part for part in cable.source["parts"] if part.startswith("MF-R")), [pin.net, f"{socket}_{pin.net}"])
        for kind, *ends in own:
            nets = [_net(board, nodes.get(end, f"{pin.net}_{end}")) for end in ends]
            parts.add(kind, nets + (_poles(netlist, socket, cable) if kind == "G5V-2" else []))
    for cable in netlist.cables:
        for name in (cable.start, cable.end):
            if name.startswith(f"{board}.") and (socket := name.removeprefix(f"{board}.")) not in layout:
                layout = layout | {socket: [next(part for part in cable.source["parts"] if part in LAYOUT["parts"])]}
    _rows(netlist, board, sockets, parts)
    plugs = (BoardPart(name if name[-1].isdigit() else f"{name}1", layout[name][0], pins) for name, pins in sockets.items())
    inner = (BoardPart(ref, kind, pins) for ref, (kind, pins) in netlist.document["inner"].get(board, {}).items())
    return Circuit(board, (*plugs, *parts.found, *inner))


def _machine(netlist: Netlist) -> Circuit:
    """Boards, devices and strips as parts whose pins are their terminals, on the nets of the wires."""
    pins = defaultdict[str, dict[str, str]](dict)
    strips = {f"X{name}" if rail["volts"] else rail["supply"]: name for name, rail in netlist.document["rails"].items()}
    for wire in netlist.wires:
        ends = [pin.name.partition(".")[::2] for pin in (wire.start, wire.end)]
        net = next((strips[name] for name, _ in ends if name in strips), wire.start.net)
        for name, pin in ends:
            pins[name][pin] = net
    return Circuit("MACHINE", tuple(BoardPart(name if name[-1].isdigit() else f"{name}_1", name, own) for name, own in pins.items()))


def _poles(netlist: Netlist, socket: str, cable: Cable) -> list[str]:
    """The nets of a relay's contacts: of each pole common, at rest and worked; plus is behind the socket's fuse."""
    contacts = netlist.document["changeovers"][cable.source["kind"]]["contacts"]
    at = {"24M": f"{socket}_24M", "0VM": "0VM"}
    return [at.get(node, f"{cable.end}_{node}") for by, *pole in contacts if by == "relay" for node in pole]


@dataclass(slots=True)
class _Parts:
    """The parts so far, and how many have each letter."""

    found: list[BoardPart]
    numbers: Counter[str]

    def add(self, kind: str, nets: Sequence[str], order: Sequence[object] = ()) -> None:
        """A part with its nets, in the order of its pins."""
        entry = LAYOUT["parts"][kind]
        self.numbers[entry["ref"]] += 1
        pins = {str(pin): net for pin, net in zip(order or entry.get("order", "12"), nets, strict=True) if net}
        self.found.append(BoardPart(f"{entry['ref']}{self.numbers[entry['ref']]}", kind, pins))

    def chip(self, netlist: Netlist, kind: str, inward: list[str], outward: list[str], chain: Sequence[str] = ()) -> None:
        """A chip with the nets of its inputs, the rest of which are at 0 V, and outputs."""
        pinout = netlist.document["pinout"][kind]
        inward = inward + ["0V"] * (len(pinout["inputs"]) - len(inward))
        out = [*pinout["outputs"].values()][: len(outward)]
        rails = dict(pinout["rails"].values())
        order = (*pinout["inputs"].values(), *out, *pinout.get("chain", {}).values(), *rails)
        self.add(kind, [*inward, *outward, *chain, *rails.values()], order)
        if "VCC" in pinout["rails"]:
            self.add("C100n", ["5V", "0V"])


def _rows(netlist: Netlist, board: str, sockets: Mapping[str, Mapping[str, str]], parts: _Parts) -> None:
    """A board's rows of 74HC165, spare inputs at 0 V, and the buffers of their clock and load, which go on to the next board."""
    gates, signals = list[tuple[str, str]](), {cable.start: cable.end for cable in netlist.cables}
    for row in (row for row in netlist.rows if row["board"] == board):
        next_clock, next_load, data = (sockets[row["in"]][pin] for pin in "246")
        if "out" in row:
            clock, load, out = (sockets[row["out"]][pin] for pin in "246")
            own = next_clock, next_load
        else:
            clock, load, out, own = "SCK", "CHAIN_LOAD", "MISO", ("ROW_SCK", "ROW_LOAD")
            gates += [(clock, own[0]), (load, own[1]), (clock, "SHIFT"), ("CHAIN_LATCH", "LATCH")]
            _carrier(netlist, sockets, parts)
        gates += [(clock, next_clock), (load, next_load)]
        bits = [signals.get(f"{board}.{row['socket']}{bit}", "") for bit in range(8 * row["chips"])]
        nets = [f"{signal}_IN" if signal else f"{row['socket']}{bit}" for bit, signal in enumerate(bits)]
        for net in (net for net, signal in zip(nets, bits, strict=True) if not signal):
            parts.add("R10k", [net, "0V"])
        chain = [out, *(f"{row['socket']}_CHAIN_{chip}" for chip in range(1, row["chips"])), data]
        for chip in range(row["chips"]):
            parts.chip(netlist, "74HC165", nets[8 * chip : 8 * chip + 8], [chain[chip]], [*own, chain[chip + 1]])
    for first in range(0, len(gates), 4):
        part = gates[first : first + 4]
        parts.chip(netlist, "74AHCT125", [gate for gate, _ in part], [f"{buffered}_Y" for _, buffered in part])
    for _, buffered in gates:
        parts.add("R100", [f"{buffered}_Y", buffered])


def _carrier(netlist: Netlist, sockets: Mapping[str, Mapping[str, str]], parts: _Parts) -> None:
    """The 74HC595 of the carrier, no. N at socket QN, and its Mega, which has its 5 V from itself."""
    chain = ["MOSI", "Q_CHAIN_1", "Q_CHAIN_2", "Q_CHAIN_3", ""]
    for number, (serial, onward) in enumerate(pairwise(chain), start=1):
        outward = [sockets[f"Q{number}"].get(str(bit), "") for bit in range(1, 9)]
        parts.chip(netlist, "74HC595", [], outward, [serial, onward, "SHIFT", "LATCH", "CHAIN_ENABLE"])
    parts.add("R10k", ["CHAIN_ENABLE", "5V"])
    mega = {pin: name for name, (_, pin, where) in netlist.document["carrier"].items() if "Mega" not in where}
    for wire, pin, cable in _pins(netlist, "A1"):
        port = pin_at(netlist, cable.start, int(pin.name.rpartition(".")[2])).partition(", Mega pin ")[2]
        if port and pin is wire.start and pin.role in ("in", "out"):
            mega[port] = f"{pin.net}_IN" if pin.circuit else pin.net
    parts.add("MEGA", [*mega.values(), "0V", "12V"], [*mega, "GND", "VIN"])


def _pins(netlist: Netlist, board: str) -> Iterator[tuple[Conductor, Pin, Cable]]:
    """The pins of wires at a board's sockets."""
    paths = (Cable(-1, "", "", {"parts": {}}, wires, ()) for _, wires in netlist.paths)
    for cable in (*netlist.cables, *paths):
        for wire in cable.wires:
            yield from ((wire, pin, cable) for pin in (wire.start, wire.end) if pin.name.startswith(f"{board}."))


def _net(board: str, net: str) -> str:
    """The name of a net on a board; boards that are alike for all seats do not name the seat."""
    seat = LAYOUT.get(board, {}).get("seat", board.partition("_")[2])
    return "_".join(each for each in net.split("_") if not seat or each != seat)


def stamp(*names: object) -> str:
    """KiCad's identifier of a thing, the same for the same names, so that a board made again is the same file."""
    return str(uuid5(NAMESPACE_URL, "/".join(map(str, names))))


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
