"""Circuit of a board: its parts with the net at each pin, from the cables, circuits and chips of ``hardware/wiring.toml``."""

from __future__ import annotations

import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from hardware.wiring.netlist import Conductor, Netlist, Pin

LAYOUT: Mapping[str, Any] = tomllib.loads(Path(__file__).with_name("boards.toml").read_text(encoding="utf-8"))
"""Symbols and footprints of parts, and where they stand on each board."""


@dataclass(frozen=True, slots=True)
class BoardPart:
    """A part: its name on the board, its key in ``[parts]`` of the wiring, and the net at each connected pin."""

    ref: str
    kind: str
    pins: Mapping[str, str]


@dataclass(frozen=True, slots=True)
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
    """The circuit of a board of ``boards.toml``; raises KeyError for a part or socket that it does not name."""
    numbers: Counter[str] = Counter()
    sockets = defaultdict[str, dict[str, str]](dict)
    found = []
    for wire, pin in _pins(netlist, board):
        socket, _, number = pin.name.removeprefix(f"{board}.").rpartition(".")
        parts = netlist.document["circuits"].get(pin.circuit, ())
        at_chip = any("chip" in ends for _, *ends in parts)
        sockets[socket or "J1"][number] = _net(board, f"{pin.net}_PI" if at_chip else pin.net)
        row = next((each.start.net for each in _cable(netlist, wire) if each.end.role == "in"), "")
        nodes = {"signal": pin.net, "chip": f"{pin.net}_PI", "row": row, **{rail: rail for rail in netlist.document["rails"]}}
        for kind, *ends in parts:
            part = LAYOUT["parts"][kind]
            numbers[part["ref"]] += 1
            pins = dict(zip(part.get("order", "12"), (_net(board, nodes.get(end, f"{pin.net}_{end}")) for end in ends), strict=True))
            found.append(BoardPart(f"{part['ref']}{numbers[part['ref']]}", kind, pins))
    chips = (_chip(netlist, ref, chip) for ref, chip in netlist.document["chips"].get(board, {}).items())
    plugs = (BoardPart(name, LAYOUT[board]["sockets"][name][0], pins) for name, pins in sockets.items())
    return Circuit(board, (*plugs, *chips, *found))


def _pins(netlist: Netlist, board: str) -> Iterator[tuple[Conductor, Pin]]:
    """The pins of wires at a board's sockets."""
    for wire in netlist.wires:
        yield from ((wire, pin) for pin in (wire.start, wire.end) if pin.name.startswith(f"{board}."))


def _cable(netlist: Netlist, wire: Conductor) -> tuple[Conductor, ...]:
    return next(cable.wires for cable in netlist.cables if wire in cable.wires)


def _net(board: str, net: str) -> str:
    """The name of a net on a board; boards that are alike for all seats do not name the seat."""
    seat = board.partition("_")[2]
    return "_".join(each for each in net.split("_") if not seat or each != seat)


def _chip(netlist: Netlist, ref: str, chip: Mapping[str, Any]) -> BoardPart:
    pinout = netlist.document["pinout"][chip["part"]]
    pins = {str(pin): "0V" for pin in pinout["inputs"]} | dict(pinout["rails"])
    for net, inside, outside in zip(chip["nets"], pinout["inputs"], pinout["outputs"], strict=False):
        pins |= {str(inside): net, str(outside): net + chip["to"]}
    return BoardPart(ref, chip["part"], pins)


def stamp(*names: object) -> str:
    """KiCad's identifier of a thing, the same for the same names, so that a board made again is the same file."""
    return str(uuid5(NAMESPACE_URL, "/".join(map(str, names))))
