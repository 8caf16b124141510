"""Layout of a board: footprints of KiCad's library at their places, copper by the router, names on the silk, as ``.kicad_pcb``."""

from collections.abc import Iterator
from itertools import pairwise
from math import cos, radians, sin
from pathlib import Path
from re import fullmatch

from hardware.boards.circuit import LAYOUT, BoardPart, Circuit, Place, column_of, places, screws, size, stamp
from hardware.boards.router import BOTH, NARROW, VIA, Pad, route
from hardware.boards.sexpr import Node, node, nodes, numbers, one, parse, quote, word
from hardware.dimensions import nominal

FOOTPRINTS = Path("/usr/share/kicad/footprints")
MIDDLE = (101.6, 101.6)
"""Of the board on KiCad's sheet, in mm; there y points down."""
UNUSED = "unconnected-"
"""Begins the name that KiCad gives the net of a pad that nothing is connected to."""
_DRILL, _HEADER = 0.4, 1.27
"""In mm: drill of a via, and half a header's width."""
_FILE = (
    '(kicad_pcb (version 20211014) (generator twinwall) (general (thickness 1.6)) (paper "A4") (layers (0 "F.Cu" signal) (31 "B.Cu" signal)'
    ' (34 "B.Paste" user) (35 "F.Paste" user) (36 "B.SilkS" user "B.Silkscreen") (37 "F.SilkS" user "F.Silkscreen") (38 "B.Mask" user)'
    ' (39 "F.Mask" user) (44 "Edge.Cuts" user) (46 "B.CrtYd" user "B.Courtyard") (47 "F.CrtYd" user "F.Courtyard") (48 "B.Fab" user)'
    ' (49 "F.Fab" user)) (setup (pad_to_mask_clearance 0)) (net 0 ""))'
)
_FONT = "(font (size 0.8 0.8) (thickness 0.15))"
_LEFT_OUT = ("version", "generator", "layer", "tedit", "fp_text", "descr", "tags", "model")
"""What a footprint on a board has elsewhere or does not need."""


def board_file(circuit: Circuit) -> Node:
    """The whole ``.kicad_pcb``; raises RuntimeError for a net that finds no way, FileNotFoundError without KiCad's footprints."""
    board, where = circuit.board, places(circuit)
    widths = {net: wide for net in circuit.nets for name, wide in LAYOUT[board]["widths"].items() if fullmatch(name, net)}
    nets = {net: number for number, net in enumerate(sorted(circuit.nets), start=1)}
    parts = [_footprint(board, part, where[part.ref], nets) for part in circuit.parts]
    parts += [_hole(number, at) for number, at in enumerate(screws(board), start=1)]
    file = [*parse(_FILE), *(node("net", number, quote(net)) for net, number in nets.items()), *parts, *_texts(circuit, where)]
    wide, deep = size(board)
    outline = [_sheet(x * wide / 2, y * deep / 2) for x, y in ((-1, 1), (1, 1), (1, -1), (-1, -1), (-1, 1))]
    for start, end in pairwise(outline):
        file.append(node("gr_line", node("start", *start), node("end", *end), parse('(layer "Edge.Cuts")'), node("width", 0.1)))
    for piece in route([pad for part in parts for pad in pads_of(part)], widths, (*outline[0], *outline[2])):
        net = node("net", nets[piece.net])
        if piece.layer == BOTH:
            via = node("size", 2 * VIA), node("drill", _DRILL), parse('(layers "F.Cu" "B.Cu")')
            file.append(node("via", node("at", *piece.start), *via, net))
        else:
            track = node("width", widths.get(piece.net, NARROW)), node("layer", ('"F.Cu"', '"B.Cu"')[piece.layer])
            file.append(node("segment", node("start", *piece.start), node("end", *piece.end), *track, net))
    if ground := LAYOUT[board]["ground"]:
        file += [_pour(nets[ground], ground, layer, wide / 2 - 0.5, deep / 2 - 0.5) for layer in ("F.Cu", "B.Cu")]
    return file


def pads_of(footprint: Node) -> Iterator[Pad]:
    """The pads of a placed footprint where they are on the sheet, with their size in x and y."""
    x, y, turn = (*numbers(one(footprint, "at")), 0.0)[:3]
    cosine, sine = cos(radians(turn)), sin(radians(turn))
    for pad in nodes(footprint, "pad"):
        px, py, angle = (*numbers(one(pad, "at")), 0.0)[:3]
        wide, high = numbers(one(pad, "size"))[:: -1 if round(angle) % 180 else 1]
        net = next((word(net, 2) for net in nodes(pad, "net") if not word(net, 2).startswith(UNUSED)), "")
        yield Pad(net, x + px * cosine + py * sine, y - px * sine + py * cosine, wide / 2, high / 2, pad[2] != "smd", word(pad))


def _footprint(board: str, part: BoardPart, place: Place, nets: dict[str, int]) -> Node:
    """KiCad's footprint with the middle of its pads at a place, the front's lines that do not run over pads, and its nets."""
    name = LAYOUT["parts"][part.kind]["footprint"]
    source = _source(name)
    own = [numbers(one(pad, "at"))[:2] for pad in nodes(source, "pad")]
    px, py = ((min(ends) + max(ends)) / 2 for ends in zip(*own, strict=True))
    (x, y), turn = _sheet(*place[:2]), place[2]
    cosine, sine = cos(radians(turn)), sin(radians(turn))
    at = node("at", round(x - px * cosine - py * sine, 4), round(y + px * sine - py * cosine, 4), turn)
    found = node("footprint", quote(name), parse('(layer "F.Cu")'), at, node("path", quote(f"/{stamp(board, part.ref)}")))
    for kind, words in (("reference", part.ref), ("value", part.kind)):
        found.append(node("fp_text", kind, quote(words), node("at", px, py), parse('(layer "F.Fab")')))
    for each in nodes(source):
        if each[0] in _LEFT_OUT or nodes(each, "layer") == [["layer", '"F.Fab"']] or _over_pads(each, source):
            continue
        if each[0] == "pad":
            where = one(each, "at")
            where[3:] = [f"{((*numbers(where), 0.0)[2] + turn) % 360:g}"]
            net = part.pins.get(word(each), f"{UNUSED}({part.ref}-Pad{word(each)})")
            each.append(node("net", nets.setdefault(net, len(nets) + 1), quote(net)))
        found.append([inside for inside in each if inside[:1] != ["tstamp"]])
    return found


def _source(name: str) -> Node:
    """A footprint of KiCad's library; our own are rows of pins for a bought board, with lines around them on the back."""
    library, _, file = name.partition(":")
    if library != "own":
        return parse((FOOTPRINTS / f"{library}.pretty" / f"{file}.kicad_mod").read_text(encoding="utf-8"))
    found = parse(f"(footprint {quote(file)} (attr through_hole))")
    for row in LAYOUT["headers"][file]:
        (x, y), (right, up), pins = row["at"], row["step"], row["pins"].split()
        for index, pin in enumerate(pins):
            at = f"{x + index * right:g} {-y - index * up:g}"
            found.append(parse(f'(pad "{pin}" thru_hole circle (at {at}) (size 1.7 1.7) (drill 1) (layers *.Cu *.Mask))'))
        ends = [(at - _HEADER, at + (len(pins) - 1) * step + _HEADER) for at, step in ((x, abs(right)), (-y, abs(up)))]
        (west, east), (north, south) = ends
        for start, end in pairwise(((west, north), (east, north), (east, south), (west, south), (west, north))):
            line = node("start", *start), node("end", *end), parse('(layer "B.SilkS")'), node("width", 0.12)
            found.append(node("fp_line", *line))
    return found


def _over_pads(line: Node, footprint: Node) -> bool:
    """Whether a line of the silk ends at a pad: those of the library's key do."""
    if line[0] != "fp_line" or word(one(line, "layer")) != "F.SilkS":
        return False
    ends = [numbers(one(line, end)) for end in ("start", "end")]
    pads = [(numbers(one(pad, "at")), numbers(one(pad, "size"))) for pad in nodes(footprint, "pad")]
    return any(abs(x - at[0]) < wide / 2 + 0.1 and abs(y - at[1]) < high / 2 + 0.1 for x, y in ends for at, (wide, high) in pads)


def _hole(number: int, at: tuple[float, float]) -> Node:
    wide = f"{nominal('panel.screw_hole'):g}"
    return parse(
        f'(footprint "screw M3" (layer "F.Cu") (at {" ".join(f"{each:g}" for each in _sheet(*at))}) (attr board_only exclude_from_pos_files'
        f' exclude_from_bom) (fp_text reference "H{number}" (at 0 0) (layer "F.Fab") (effects {_FONT})) (fp_circle (center 0 0) (end 3.2 0)'
        f' (layer "F.CrtYd") (width 0.05) (fill none)) (pad "" np_thru_hole circle (at 0 0) (size {wide} {wide}) (drill {wide})'
        " (layers *.Cu *.Mask) (clearance 1.5)))"
    )


def _texts(circuit: Circuit, where: dict[str, Place]) -> Iterator[Node]:
    """On the silk: the board's title, each part's name with its key or, of a key or lamp, its net, and the net at each pin of a socket."""
    layout, (wide, deep) = LAYOUT[circuit.board], size(circuit.board)
    yield _text(layout["title"], (*layout.get("title_at", (9 - wide / 2, 2 - deep / 2)), 0), "left")
    for words, x, y in layout.get("notes", ()):
        yield _text(words, (x, y, 0), "")
    for part in circuit.parts:
        (x, y, turn), entry = where[part.ref], LAYOUT["parts"][part.kind]
        own_name = layout.get("names", {}).get(part.kind)
        right, up, justify, *turned = own_name or entry.get("name", (0, 0, "", turn % 180))
        words = part.pins["1"].removesuffix("_LAMP") if part.kind in ("KEY-12", "LED-5") else f"{part.ref} {part.kind.lstrip('CR')}"
        if aside := entry.get("aside"):
            right, up, turned = aside * cos(radians(turn)), aside * sin(radians(turn)), [(turn + 90) % 180]
        if column := column_of(circuit.board, part.ref):
            (right, up), words = column["name"], part.ref
        yield _text(words, (x + right, y + up, *(turned or [0])), justify)
        if "beside" in entry and not column and not own_name:
            below, above = entry["beside"]
            for pad in pads_of(_footprint(circuit.board, part, where[part.ref], dict.fromkeys(part.pins.values(), 0))):
                behind = MIDDLE[1] - pad.y > y + 0.1
                words = f"{pad.number} {pad.net.removesuffix('_PI').removesuffix('_LAMP')}"
                if pad.net:
                    yield _text(words, (pad.x - MIDDLE[0], y + (above if behind else -below), 90), "left" if behind else "right")


def _text(words: str, place: Place, justify: str) -> Node:
    at = node("at", *_sheet(*place[:2]), place[2])
    return node(
        "gr_text", quote(words), at, parse('(layer "F.SilkS")'), parse(f"(effects {_FONT}{f' (justify {justify})' * bool(justify)})")
    )


def _pour(net: int, name: str, layer: str, x: float, y: float) -> Node:
    points = " ".join(f"(xy {left:g} {top:g})" for left, top in (_sheet(-x, y), _sheet(x, y), _sheet(x, -y), _sheet(-x, -y)))
    return parse(
        f'(zone (net {net}) (net_name "{name}") (layer "{layer}") (hatch edge 0.508) (connect_pads (clearance 0.3)) (min_thickness 0.25)'
        f" (fill yes (thermal_gap 0.4) (thermal_bridge_width 0.5)) (polygon (pts {points})))"
    )


def _sheet(x: float, y: float) -> tuple[float, float]:
    return round(MIDDLE[0] + x, 4), round(MIDDLE[1] - y, 4)
