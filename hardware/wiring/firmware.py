"""The net list against the firmware: ``board.h``, the pins of ``BOARD.md``, and what ``feeder pins`` shows."""

import re
from collections.abc import Iterator
from pathlib import Path

from firmware_bridge.electrics.wiring import Input, inputs_of, outputs_of
from firmware_bridge.messages import Capabilities
from hardware.wiring.netlist import Netlist

FIRMWARE = Path(__file__).parents[2] / "firmware"
_DATA = "6"
"""The pin of a chain's socket that carries the bits."""


def firmware_faults(netlist: Netlist) -> Iterator[str]:
    """Each signal that does not come to where the firmware has it."""
    table = Capabilities()
    shown = {signal.name: signal.at for signal in inputs_of(table)} | {
        signal.name.removesuffix(" out").removesuffix(" in"): signal.at for signal in outputs_of(table)
    }
    wired = inputs_at(netlist) | outputs_at(netlist)
    for name in sorted(shown.keys() | wired.keys()):
        if shown.get(name) != wired.get(name) and not name.startswith("DIR_"):
            yield f"{name}: feeder pins shows {shown.get(name, 'nothing')}, the wire ends at {wired.get(name, 'nothing')}"
    yield from _numbers(netlist)
    yield from _pins(netlist)
    yield from _channels(netlist)


def inputs_at(netlist: Netlist) -> dict[str, str]:
    """Where the wire of each input ends, in the words of ``feeder pins``."""
    return _ends(netlist, {"contact", "open"})


def outputs_at(netlist: Netlist) -> dict[str, str]:
    """Where each output comes from, in the words of ``feeder pins``."""
    return _ends(netlist, {"drive"})


def chain_offsets(netlist: Netlist) -> dict[str, int]:
    """The first byte of each row of chips, found by following the bits from the controller outwards."""
    cables = {f"{cable.start}.{_DATA}": cable.end for cable in netlist.cables if cable.source["kind"] == "chain"}
    found, offset = {}, 0
    row = next((row for row in netlist.rows if "out" not in row), None)
    while row is not None and row["name"] not in found:
        found[row["name"]] = offset
        offset += row["chips"]
        end = cables.get(f"{row['board']}.{row['in']}.{_DATA}")
        row = next((each for each in netlist.rows if end == f"{each['board']}.{each.get('out')}"), None)
    return found


def _ends(netlist: Netlist, roles: set[str]) -> dict[str, str]:
    pins = (
        (net, pin_at(netlist, cable.start, int(number))) for cable in netlist.cables for number, net, role in cable.pins if role in roles
    )
    return {net: at for net, at in pins if at}


def pin_at(netlist: Netlist, socket: str, number: int) -> str:
    """The chip and its input or output, or the port and pin, behind a socket's pin; nothing where the firmware has none."""
    for row in netlist.rows:
        found = re.fullmatch(rf"{row['board']}\.{row['socket']}(\d+)", socket)
        if found:
            chip, bit = divmod(int(found[1]), 8)
            return f"{row['name']}, 74HC165 no. {chip + 1}, {'ABCDEFGH'[bit]}"
    if re.fullmatch(r"A1\.Q[1-4]", socket) and number <= 8:
        return f"74HC595 no. {socket[-1]} from the controller, Q{'ABCDEFGH'[number - 1]}"
    mega, joined = netlist.document["mega"], netlist.document["joined"].get(socket, ())
    pin = socket.removeprefix("A1.P") if socket.startswith("A1.P") else dict(enumerate(joined, 1)).get(number, "")
    return f"{mega[pin]}, Mega pin {pin}" if pin in mega else ""


def _numbers(netlist: Netlist) -> Iterator[str]:
    """Numbers of ``board.h``: the chip's byte in the chain, and the input's bit."""
    header = (FIRMWARE / "core" / "board" / "board.h").read_text(encoding="utf-8")
    defined = {name: int(number) for name, number in re.findall(r"^#define TWF_IN_([A-Z_]+) (\d+)u", header, re.MULTILINE)}
    first_pin = 8 * int(re.findall(r"TWF_CHAIN_BYTES (\d+)u", header)[0])
    offsets, chained = chain_offsets(netlist), {}
    for net, at in inputs_at(netlist).items():
        chip = re.fullmatch(r"(.+), 74HC165 no. (\d+), (\w)", at)
        if chip and chip[1] in offsets:
            chained[net] = 8 * (offsets[chip[1]] + int(chip[2]) - 1) + "ABCDEFGH".index(chip[3])
    for first in Input:
        if defined.get(first.name) != first:
            yield f"board.h has {first.name} at {defined.get(first.name)}, feeder pins shows it as {first:d}"
    for signal in inputs_of(Capabilities()):
        if signal.number < first_pin and chained.get(signal.name) != signal.number:
            yield f"board.h has {signal.name} at {signal.number}, the chain has it at {chained.get(signal.name)}"


def _pins(netlist: Netlist) -> Iterator[str]:
    """Each pin of BOARD.md's first table."""
    page = (FIRMWARE / "BOARD.md").read_text(encoding="utf-8").split("## Pins\n")[1].split("\n## ")[0]
    wired = {name: (port, pin) for name, (port, pin, _) in netlist.document["carrier"].items()}
    for name, at in (inputs_at(netlist) | outputs_at(netlist)).items():
        if ", Mega pin " in at:
            port, _, pin = at.partition(", Mega pin ")
            wired[name] = port, pin
    written = {}
    for row in re.findall(r"^\| ([A-Z]\S.*?) \| (P.*?) \| (.*?) \|", page, re.MULTILINE):
        for name, port, pin in zip(*map(_each, row), strict=True):
            written[name] = port, pin
    for name in sorted(written.keys() | wired.keys()):
        if written.get(name) != wired.get(name):
            yield f"{name}: BOARD.md has {written.get(name, 'nothing')}, the wires {wired.get(name, 'nothing')}"


def _each(cell: str) -> list[str]:
    """The names of a cell: ``A, B`` is two of them, ``P0 … P3`` four."""
    if " … " not in cell:
        return cell.split(", ")
    ends = [re.fullmatch(r"(.*?)(\d+)", each) for each in cell.split(" … ")]
    first, last = (int(end[2]) for end in ends if end)
    step = 1 if last > first else -1
    return [f"{ends[0][1] if ends[0] else ''}{number}" for number in range(first, last + step, step)]


def _channels(netlist: Netlist) -> Iterator[str]:
    """On a board with MOSFETs the coil at socket K0 belongs to the first bit of its ribbon cable."""
    coils = {path["route"][-1].removesuffix(".2"): path["signal"] for path, _ in netlist.paths if "signal" in path}
    for cable in netlist.cables:
        board, _, channel = cable.start.partition(".K")
        if channel:
            coils[cable.start] = cable.end
            if cable.source["kind"] == "bridge":
                coils[f"{board}.K{int(channel) + 1}"] = cable.end
    for cable in netlist.cables:
        if cable.source["kind"] != "bits":
            continue
        board = cable.end.partition(".")[0]
        for number, net, role in cable.pins:
            coil = coils.pop(f"{board}.K{int(number) - 1}", "")
            if role == "drive" and (not coil or not net.startswith(coil)):
                yield f"{net} drives {board}.K{int(number) - 1}, where {coil or 'nothing'} is connected"
    yield from (f"{socket}: nothing drives {coil}" for socket, coil in coils.items())
