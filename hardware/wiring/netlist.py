"""Net list: reads ``hardware/wiring.toml`` and writes out every cable of a seat, cell or place with its pins and wires."""

import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby, pairwise, product
from math import ceil
from pathlib import Path
from typing import Any

from twinwall.values import frozen

FILE = Path(__file__).parents[1] / "wiring.toml"
RIBBON = "grey ribbon"
_ENDS = {
    "power": ("supply", "load"),
    "contact": ("in", "contact"),
    "open": ("in", "open"),
    "drive": ("out", "in"),
    "read": ("in", "out"),
    "sink": ("open", "coil"),
    "to": ("out", ""),
    "of": ("in", ""),
    "on": ("", "in"),
    "by": ("", "open"),
    "phase": ("", ""),
    "tie": ("", ""),
}
"""What a role of a pin says of the wire's two ends; ``shield`` and ``spare`` have none."""

Document = Mapping[str, Any]


class _Count(int):
    """A number of ``over``: in a text ``{seat:2}`` is the seat's number plus 2."""

    def __format__(self, spec: str) -> str:
        return str(int(self) + int(spec or 0))


@frozen
class Pin:
    """A pin of a socket, plug or terminal: its net, what it does there, and the circuit behind it on its board."""

    name: str
    net: str
    role: str
    circuit: str = ""


@frozen
class Conductor:
    """One wire from a pin to another."""

    start: Pin
    end: Pin
    awg: str
    colour: str
    length_m: float
    fuse: float | None


@frozen
class Cable:
    """A cable as it is made: ``entry`` counts the lists of the source that it comes from, ``pins`` are all, wired or not."""

    entry: int
    start: str
    end: str
    source: Document
    wires: tuple[Conductor, ...]
    pins: tuple[tuple[str, str, str], ...]
    """Number, net and role of each pin."""


@frozen
class Load:
    """What draws from a rail, and in which case: cases are never at once."""

    rail: str
    amps: float
    case: str


@dataclass(frozen=True)
class Netlist:
    """Everything that ``wiring.toml`` says, written out; ``rows`` are the rows of 74HC165."""

    document: Document
    cables: tuple[Cable, ...]
    paths: tuple[tuple[Document, tuple[Conductor, ...]], ...]
    loads: tuple[Load, ...]
    rows: tuple[Document, ...]
    terminals: Counter[str] = field(default_factory=Counter)

    @property
    def wires(self) -> Iterator[Conductor]:
        """All wires, those of the cables first."""
        yield from (wire for cable in self.cables for wire in cable.wires)
        yield from (wire for _, wires in self.paths for wire in wires)

    @property
    def pages(self) -> dict[str, list[list[Cable]]]:
        """The cables by page of the drawings, those that are made alike together, in the order of the source."""
        found: dict[str, list[list[Cable]]] = {}
        for _, alike in groupby(self.cables, key=lambda cable: cable.entry):
            cables = list(alike)
            found.setdefault(cables[0].source["page"], []).append(cables)
        return found

    def bill(self) -> dict[str, Counter[str]]:
        """Parts by stage: devices, plugs, what stands at each socket, wire in metres by its gauge, and the pieces that are listed."""
        stages = {stage: Counter(pieces) for stage, pieces in self.document["pieces"].items()}
        for cable in self.cables:
            stage = stages[cable.source["stage"]]
            stage.update(cable.source.get("parts", {}))
            stage.update(self._at_sockets(cable.wires))
            if "part" in cable.source:
                stage[cable.source["part"]] += 1
            kind, wires = ("RIBBON", 1) if cable.source["colours"] == [RIBBON] else (f"WIRE-{cable.source['awg']}", len(cable.wires))
            stage[kind] += cable.source["length_m"] * wires
        for path, run in self.paths:
            stages["D"].update(self._at_sockets(run))
            stages["D"][f"WIRE-{path['awg']}"] += ceil(sum(wire.length_m for wire in run))
        for row in self.rows:
            stages["D" if row["board"] == "A1" else "E"]["R10k"] += len(self.spare_inputs(row))
        return {name: Counter({part: ceil(pieces) for part, pieces in stage.items()}) for name, stage in stages.items()}

    def spare_inputs(self, row: Document) -> list[int]:
        """The inputs of a row of chips that no cable comes to: 10 kΩ to ground and no socket."""
        used = {cable.start for cable in self.cables}
        return [bit for bit in range(8 * row["chips"]) if f"{row['board']}.{row['socket']}{bit}" not in used]

    def _at_sockets(self, wires: Iterable[Conductor]) -> Iterator[str]:
        """What stands behind the pins of wires, on their boards."""
        for circuit in (pin.circuit for wire in wires for pin in (wire.start, wire.end) if pin.circuit):
            yield from (part for part, *_ in self.document["circuits"][circuit])


def read() -> Document:
    """The source."""
    return tomllib.loads(FILE.read_text(encoding="utf-8"))


def expand(document: Document) -> Netlist:
    """Write out a document of ``wiring.toml``'s form; raises KeyError for a kind, role or circuit that is not there."""
    terminals: Counter[str] = Counter()
    cables, loads = [], []
    for entry, each in enumerate(document["cables"]):
        source = {**document["kinds"][each["kind"]], **each}
        for values in _values(source):
            cable = _cable(entry, source, values, terminals)
            cables.append(cable)
            if "amps" in source:
                rail = source.get("rail") or next(net for _, net, role in cable.pins if role == "power")
                loads.append(Load(rail, source["amps"], source.get("case", "")))
    paths = [(path, _path(path, terminals)) for path in document["paths"]]
    loads += [Load(path["rail"], path["amps"], "") for path, _ in paths if "amps" in path]
    rows = [
        {key: text.format_map(values) if isinstance(text, str) else text for key, text in row.items() if key != "over"}
        for row in document["rows"]
        for values in _values(row)
    ]
    return Netlist(document, tuple(cables), tuple(paths), tuple(loads), tuple(rows), terminals)


def _values(source: Document) -> Iterator[dict[str, _Count]]:
    over = source.get("over", {})
    ranges = [range(numbers) if isinstance(numbers, int) else numbers for numbers in over.values()]
    for chosen in product(*ranges):
        yield dict(zip(over, map(_Count, chosen), strict=True))


def _next(terminal: str, terminals: Counter[str]) -> str:
    """A terminal with its number; that of a strip is the next free one."""
    strip, _, number = terminal.partition(".")
    if number != "*":
        return terminal
    terminals[strip] += 1
    return f"{strip}.{terminals[strip]}"


def _cable(entry: int, source: Document, values: Mapping[str, _Count], terminals: Counter[str]) -> Cable:
    start, end = source["from"].format_map(values), source["to"].format_map(values)
    wires, pins = [], []
    ends, colours = iter(source.get("ends", ())), source["colours"]
    for index, spec in enumerate(source["pins"]):
        text, _, strip = spec.partition(" @")
        numbered, _, role = text.rpartition(" ")
        number, _, net = numbered.rpartition(":")
        number, net = number or str(index + 1), net.format_map({**values, "to": end})
        pins.append((number, net, role))
        if role not in _ENDS:
            continue
        roles = _ENDS[role]
        circuit = source.get("circuit", "") if roles[0] in ("in", "open") or (role == "drive" and source["kind"] == "servo") else ""
        first = Pin(_next(f"{strip}.*", terminals) if strip else f"{start}.{number}", net, roles[0], circuit)
        at = next(ends, f"{end}.{number}")
        far = source.get("far", {})
        last = Pin(at, net, roles[1], far.get(at, far.get(number, far.get(role, ""))))
        colour = colours[min(index, len(colours) - 1)]
        wires.append(Conductor(first, last, str(source["awg"]), colour, source["length_m"], source.get("fuse")))
    return Cable(entry, start, end, source, tuple(wires), tuple(pins))


def _path(path: Document, terminals: Counter[str]) -> tuple[Conductor, ...]:
    """The wires of a path; its pieces of net have the path's name and a number."""
    elements = [[_next(terminal, terminals) for terminal in element.split("/")] for element in path["route"]]
    found = []
    for number, (before, after) in enumerate(pairwise(elements), start=1):
        circuit = path.get("circuit", "") if number == len(elements) - 1 else ""
        net = f"{path['name']} {number}"
        first, last = Pin(before[-1], net, ""), Pin(after[0], net, "", circuit)
        found.append(Conductor(first, last, str(path["awg"]), path["colour"], path.get("length_m", 1.0), None))
    return tuple(found)
