"""Lists for who orders parts and crimps wires: cables by page and bill of materials (Markdown), every wire (CSV)."""

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import StringIO

from hardware.wiring.firmware import inputs_at, outputs_at
from hardware.wiring.netlist import RIBBON, Cable, Conductor, Netlist
from hardware.wiring.rules import peak_amps

STAGES = {
    "A": "overhead arm",
    "B": "reading gate",
    "C": "panel",
    "D": "gate, diverter, chutes, controller and supply",
    "E": "trays, shuttles, magazines",
}
NOTE = (
    "Written by `python -m hardware.wiring` from `hardware/wiring.toml`. "
    "**This table has not been built yet**: lengths, currents and prices are a designer's.\n"
)


def span(names: Sequence[str]) -> str:
    """The first name and the last."""
    return names[0] if len(names) == 1 else f"{names[0]} … {names[-1]}"


def wire_table(netlist: Netlist) -> str:
    """Every cable with its wires, and what ``feeder pins`` shows for its signal."""
    lines = [
        "# Cables and wires",
        "",
        NOTE,
        "The pin of a socket is its number behind the last point. `--csv` writes a line for each wire.",
        "",
    ]
    lines += _table(("name", "what"), netlist.document["names"].items())
    columns = ("from", "to", "cables", "wires", "AWG", "m each", "on the board", "device", "note", "`feeder pins` shows")
    pages, shown = netlist.pages, inputs_at(netlist)
    stop = pages.pop("stop")
    for page, all_cables in pages.items():
        lines += [
            f"\n## {page.capitalize()}\n\n![drawing]({page}.svg)\n",
            *_table(columns, (_cable_row(cables, shown) for cables in all_cables)),
        ]
    lines += [
        "",
        "## Supply and stop",
        "",
        "![drawing](stop.svg)",
        "",
        *_table(columns, (_cable_row(cables, shown) for cables in stop)),
        "",
    ]
    lines += _table(
        ("path", "AWG", "colour", "wires"),
        (
            (path["name"], path["awg"], path["colour"], ", ".join(f"{wire.start.name} → {wire.end.name}" for wire in wires))
            for path, wires in netlist.paths
        ),
    )
    lines += ["", "## Rails", "", *_table(("rail", "from", "fuse A", "gives A", "drawn at most A"), _rails(netlist))]
    lines += ["", "## On the carrier", ""]
    lines += _table(("signal", "port", "Mega pin", "leads to"), ((name, *places) for name, places in netlist.document["carrier"].items()))
    lines += ["", "## Inside the boards", "", "![circuits at the sockets](circuits.svg)", ""]
    lines += _table(("what", "how"), netlist.document["inside"].items())
    lines += [f"\n![changeover of {kind}]({kind}.svg)" for kind in netlist.document["changeovers"]]
    lines += ["", "## Inputs without a wire", "", "10 kΩ from the chip's input to 0 V, no socket.", ""]
    spare = ((row["name"], ", ".join(map(str, netlist.spare_inputs(row))) or "none") for row in netlist.rows)
    return "\n".join([*lines, *_table(("row", "numbers of sockets left out"), spare)]) + "\n"


def bill_table(netlist: Netlist) -> str:
    """Parts to order by stage, with the sums of their price classes in euros and the known masses."""
    document, bill = netlist.document, netlist.bill()
    lines = [
        "# Bill of materials",
        "",
        NOTE,
        "Prices are classes, 2026-11, an estimate; a stage's sum adds their least and their most. Order a tenth more contacts and wire.",
        "",
    ]
    lines += _table(("stage", "pieces", "least €", "most €", "known mass g"), (_sum_row(netlist, stage) for stage in STAGES))
    for stage, name in STAGES.items():
        rows = []
        for key, count in sorted(bill[stage].items()):
            part = document["parts"][key]
            choice = part.get("number") or f"choose: {part['choose']}"
            rows.append((count, key, part["is"], choice, part.get("second", ""), part["price"]))
        lines += ["", f"## {stage}: {name}", "", *_table(("pieces", "key", "what", "number, or what decides", "else", "€ each"), rows)]
    return "\n".join(lines) + "\n"


def stage_sum(netlist: Netlist, stage: str) -> tuple[int, float, float, int]:
    """Pieces of a stage, the least and the most that they cost in euros, and the mass in grams of those whose mass is known."""
    parts, prices = netlist.document["parts"], netlist.document["prices"]
    counts = netlist.bill()[stage].items()
    least, most = (sum(count * prices[parts[key]["price"]][side] for key, count in counts) for side in (0, 1))
    return sum(count for _, count in counts), least, most, sum(count * parts[key].get("grams", 0) for key, count in counts)


def wire_lines(netlist: Netlist) -> str:
    """Every wire as CSV, with what ``feeder pins`` shows for a signal."""
    shown, text = inputs_at(netlist) | outputs_at(netlist), StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(("from", "to", "net", "awg", "colour", "length_m", "feeder pins"))
    for wire in netlist.wires:
        net = wire.start.net
        lines.writerow((wire.start.name, wire.end.name, net, wire.awg, wire.colour, wire.length_m, shown.get(net, "")))
    return text.getvalue()


def _table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    heads = f"| {' | '.join(columns)} |", "|" + "---|" * len(columns)
    return [*heads, *(f"| {' | '.join(map(str, row))} |" for row in rows)]


def _cable_row(cables: list[Cable], shown: Mapping[str, str]) -> tuple[object, ...]:
    first = cables[0]
    wires = ", ".join(
        f"{_pin(wire, first)} {'signal' if wire.start.net == first.end else wire.start.net} {wire.colour.removeprefix(RIBBON)}".strip()
        for wire in first.wires
    )
    circuits = dict.fromkeys(pin.circuit for wire in first.wires for pin in (wire.start, wire.end) if pin.circuit)
    start = span([cable.start for cable in cables]) if first.start else "strip"
    source = first.source
    ends = f"{span([cable.end for cable in cables])}{' at ' + ', '.join(source['ends']) if 'ends' in source else ''}"
    return (
        start,
        ends,
        len(cables),
        wires,
        source["awg"],
        source["length_m"],
        ", ".join(circuits),
        source.get("part", ""),
        source.get("note", ""),
        span([shown[cable.end] for cable in cables]) if first.end in shown else "",
    )


def _pin(wire: Conductor, cable: Cable) -> str:
    """The socket's pin that a wire begins at, or its strip."""
    socket, _, pin = wire.start.name.rpartition(".")
    return pin if socket == cable.start else socket


def _rails(netlist: Netlist) -> Iterator[tuple[object, ...]]:
    for name, rail in netlist.document["rails"].items():
        if rail["volts"]:
            route = next((path["route"] for path, _ in netlist.paths if path["route"][-1] == f"X{name}.*"), ())
            fuse = next(
                (f"{element.partition('.')[0]} {rail['fuse']}" for element in route if element.startswith("F")), rail.get("fuse", "")
            )
            yield name, rail["supply"], fuse, rail.get("amps", ""), f"{peak_amps(netlist, name):.2f}"


def _sum_row(netlist: Netlist, stage: str) -> tuple[object, ...]:
    pieces, least, most, grams = stage_sum(netlist, stage)
    return f"{stage} {STAGES[stage]}", f"{pieces:,}", f"{least:,.0f}", f"{most:,.0f}", f"{grams:,}"
