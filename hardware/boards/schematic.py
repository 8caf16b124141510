"""Schematic of a board as ``.kicad_sch``: KiCad's own symbols with a label at each pin; and what such a file says, read back."""

from collections.abc import Iterator, Sequence
from math import cos, radians, sin
from pathlib import Path

from hardware.boards.circuit import LAYOUT, Circuit, stamp
from hardware.boards.sexpr import Node, node, nodes, numbers, one, parse, quote, word
from twinwall.values import frozen

SYMBOLS = Path("/usr/share/kicad/symbols")
SHEETS = {"A3": (420.0, 297.0), "A1": (841.0, 594.0), "A0": (1189.0, 841.0)}
"""Width and height of paper in mm."""
_LEFT, _TOP, _COLUMN, _GAP = 50.8, 30.48, 71.12, 12.7
FLAG = "power:PWR_FLAG"


@frozen
class SymbolPin:
    """A pin of a placed symbol: its part, number, name and kind, where its end is, and which way it leaves the symbol, in
    degrees, the symbol's unit, and its length."""

    ref: str
    number: str
    name: str
    kind: str
    end: tuple[float, float]
    away: float
    unit: int
    length: float


def schematic_file(circuit: Circuit) -> Node:
    """The whole ``.kicad_sch``; raises FileNotFoundError without KiCad's symbols."""
    board, kinds = LAYOUT[circuit.board], LAYOUT["parts"]
    paper = board.get("paper", "A3")
    symbols = {part.kind: kinds.get(part.kind, {"symbol": f"own:{part.kind}"})["symbol"] for part in circuit.parts}
    pins_by_symbol = {symbols[part.kind]: list(part.pins) for part in circuit.parts} | {FLAG: []}
    library = {name: _symbol(name, pins_by_symbol[name]) for name in sorted(pins_by_symbol)}
    file = parse(f'(kicad_sch (version 20211123) (generator twinwall) (uuid {stamp(circuit.board, "sheet")}) (paper "{paper}"))')
    file += [parse(f"(title_block (title {quote(board['title'])}))"), ["lib_symbols", *library.values()]]
    flagged = [rail for rail in ("0V", "3V3", "5P", "5V", "12V") if rail in circuit.nets]
    wanted = [(part.ref, part.kind, symbols[part.kind], part.pins) for part in circuit.parts]
    wanted += [(f"#FLG{number}", rail, FLAG, {"1": rail}) for number, rail in enumerate(flagged, start=1)]
    x, y, instances = _LEFT, _TOP, parse("(symbol_instances)")
    for (ref, kind, name, pins), unit in ((each, unit) for each in wanted for unit in _units(library[each[2]])):
        turn = 90 if len(pins) == 2 and name.partition(":")[2] in ("R", "C", "C_Polarized", "Polyfuse") else 0
        of_unit = [*_of_unit(library[name], unit, "pin")]
        ends = [(numbers(one(pin, "at")), pins.get(word(one(pin, "number")), "")) for pin in of_unit]
        above, below = (max(at[1] for at, _ in ends), -min(at[1] for at, _ in ends)) if not turn else (0.0, 0.0)
        upward, downward = (max((len(net) for at, net in ends if at[2] == way and not turn), default=0) for way in (270, 90))
        above += max(7.62, 1.27 * upward) if upward else 0.0
        below += max(0.0, 1.27 * (downward - 4))
        if y + above + below > SHEETS[paper][1] - 25.4:
            x, y = x + _COLUMN, _TOP
        y = round(y + above, 2)
        mark, footprint = stamp(circuit.board, ref, *[unit] * (unit > 1)), kinds.get(kind, {}).get("footprint", "")
        flags = [node(flag, "yes") for flag in ("in_bom", "on_board")]
        symbol = node("symbol", node("lib_id", quote(name)), node("at", x, y, turn), node("unit", unit), *flags, node("uuid", mark))
        texts = (("Reference", ref, above + 6.35), ("Value", kind, above + 3.81), ("Footprint", footprint, 0.0))
        for number, (key, text, up) in enumerate(texts):
            effects = parse(f"(effects (font (size 1.27 1.27)){' hide' if not up or ref.startswith('#') else ''})")
            symbol.append(node("property", quote(key), quote(text), node("id", number), node("at", x, y - up, turn), effects))
        file += [symbol, *(_label(circuit.board, pin, pins.get(pin.number, "")) for pin in _ends(symbol, library[name]))]
        said = node("reference", quote(ref)), node("unit", unit), node("value", quote(kind)), node("footprint", quote(footprint))
        instances.append(node("path", quote(f"/{mark}"), *said))
        y = round(y + below + _GAP, 2)
    return [*file, parse('(sheet_instances (path "/" (page "1")))'), instances]


def pins_of(schematic: Node) -> Iterator[SymbolPin]:
    """Every pin of every symbol in a ``.kicad_sch``."""
    library = {word(symbol): symbol for symbol in nodes(one(schematic, "lib_symbols"), "symbol")}
    for symbol in nodes(schematic, "symbol"):
        yield from _ends(symbol, library[word(one(symbol, "lib_id"))])


def nets_of(schematic: Node) -> dict[str, set[str]]:
    """The nets by the labels at the pins' ends, and under the empty name the pins without one; symbols of no part are left out."""
    labels = {tuple(numbers(one(label, "at"))[:2]): word(label) for label in nodes(schematic, "global_label")}
    found: dict[str, set[str]] = {}
    for pin in pins_of(schematic):
        if not pin.ref.startswith("#"):
            found.setdefault(labels.get(pin.end, ""), set()).add(f"{pin.ref}.{pin.number}")
    return found


def turned(symbol: Node, x: float, y: float) -> tuple[float, float]:
    """Where a point of a library's symbol, whose y points up, is on the sheet."""
    left, top, turn = numbers(one(symbol, "at"))
    cosine, sine = round(cos(radians(turn))), round(sin(radians(turn)))
    return round(left + x * cosine - y * sine, 2), round(top - x * sine - y * cosine, 2)


def drawn(symbol: Node, library: Node, name: str) -> Iterator[Node]:
    """What a placed symbol shows of its library's symbol: expressions of a name in its unit, and in what all units share."""
    yield from _of_unit(library, int(numbers(one(symbol, "unit"))[0]), name)


def _of_unit(library: Node, unit: int, name: str) -> Iterator[Node]:
    for part in nodes(library, "symbol"):
        if int(word(part).split("_")[-2]) in (0, unit):
            yield from nodes(part, name)


def _units(library: Node) -> list[int]:
    return sorted({int(word(part).split("_")[-2]) for part in nodes(library, "symbol")} - {0}) or [1]


def _ends(symbol: Node, library: Node) -> Iterator[SymbolPin]:
    ref = word(next(each for each in nodes(symbol, "property") if word(each) == "Reference"), 2)
    turn, unit = numbers(one(symbol, "at"))[2], int(numbers(one(symbol, "unit"))[0])
    for pin in drawn(symbol, library, "pin"):
        x, y, angle = numbers(one(pin, "at"))
        named = word(one(pin, "number")), word(one(pin, "name")), word(pin)
        yield SymbolPin(ref, *named, turned(symbol, x, y), (angle + turn + 180) % 360, unit, numbers(one(pin, "length"))[0])


def _symbol(name: str, pins: Sequence[str]) -> Node:
    """KiCad's symbol, or a box of our own with pins."""
    library, _, own = name.partition(":")
    if library != "own":
        source = parse((SYMBOLS / f"{library}.kicad_sym").read_text(encoding="utf-8"))
        found = next(symbol for symbol in nodes(source, "symbol") if word(symbol) == own)
        return ["symbol", quote(name), *found[2:]]
    effects, body = "(effects (font (size 1.27 1.27)))", parse(f'(symbol "{own}_1_1")')
    for index, pin in enumerate(pins):
        x, angle = (-15.24, 0) if index % 2 else (15.24, 180)
        at = f"(at {x:g} {-2.54 * (index // 2):g} {angle})"
        body.append(parse(f'(pin passive line {at} (length 2.54) (name "{pin}" {effects}) (number "{pin}" {effects}))'))
    high = 2.54 * ((len(pins) + 1) // 2)
    body.append(
        parse(f"(rectangle (start -12.7 2.54) (end 12.7 {-high:g}) (stroke (width 0.254) (type default)) (fill (type background)))")
    )
    return ["symbol", quote(name), *parse("(x (in_bom yes) (on_board yes))")[1:], body]


def _label(board: str, pin: SymbolPin, net: str) -> Node:
    """A label at a pin's end, or the sign that nothing is connected there."""
    at, mark = node("at", *pin.end), node("uuid", stamp(board, pin.ref, pin.number, "label"))
    if not net:
        return node("no_connect", at, mark)
    side = "left" if pin.away in (0, 90) else "right"
    effects = parse(f"(effects (font (size 1.27 1.27)) (justify {side}))")
    return node("global_label", quote(net), parse("(shape passive)"), [*at, f"{pin.away:g}"], effects, mark)
