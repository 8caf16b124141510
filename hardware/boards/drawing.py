"""Drawings of a board, without the program that wrote its files: of a ``.kicad_sch`` as PDF, with its symbols' lines, names, numbers and
labels; of a ``.kicad_pcb`` both sides as SVG, what is behind seen from behind."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from html import escape

from hardware.boards.layout import MIDDLE, pads_of
from hardware.boards.schematic import SHEETS, drawn, pins_of, turned
from hardware.boards.sexpr import Node, every, nodes, numbers, one, word

_PT = 72 / 25.4
Line = Sequence[tuple[float, float]]
Text = tuple[float, float, str, str, float]
"""Place in mm, words, "start", "middle" or "end", and turn in degrees."""


def pdf(schematic: Node) -> bytes:
    """The sheet as a PDF page, in Helvetica."""
    wide, high = SHEETS[word(one(schematic, "paper"))]
    content = [f"{_PT} 0 0 {-_PT} 0 {high * _PT} cm 0.2 w"]
    content += [" ".join(f"{x:g} {y:g} {'l' if n else 'm'}" for n, (x, y) in enumerate(line)) + " S" for line in _lines(schematic)]
    for x, y, words, anchor, turn in _texts(schematic):
        back = {"start": 0.0, "middle": 0.5, "end": 1.0}[anchor] * 1.1 * len(words)
        matrix = f"0 -1 -1 0 {x + 0.6:g} {y + back:g}" if turn % 180 else f"1 0 0 -1 {x - back:g} {y + 0.6:g}"
        escaped = words.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
        content.append(f"BT /F 1.7 Tf {matrix} Tm ({escaped}) Tj ET")
    stream = "\n".join(content).encode("latin-1", "replace")
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 %d %d]" % (wide * _PT, high * _PT) + b"/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(stream), stream),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    file, starts = b"%PDF-1.4\n", []
    for number, each in enumerate(objects, start=1):
        starts.append(len(file))
        file += b"%d 0 obj\n%s\nendobj\n" % (number, each)
    table = b"".join(b"%010d 00000 n \n" % start for start in starts)
    return file + b"xref\n0 6\n0000000000 65535 f \n%strailer<</Size 6/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (table, len(file))


def _lines(schematic: Node) -> Iterator[Line]:
    library = {word(symbol): symbol for symbol in nodes(one(schematic, "lib_symbols"), "symbol")}
    for symbol in nodes(schematic, "symbol"):
        own = library[word(one(symbol, "lib_id"))]
        for box in drawn(symbol, own, "rectangle"):
            (ax, ay), (bx, by) = numbers(one(box, "start")), numbers(one(box, "end"))
            yield [turned(symbol, x, y) for x, y in ((ax, ay), (bx, ay), (bx, by), (ax, by), (ax, ay))]
        for line in drawn(symbol, own, "polyline"):
            yield [turned(symbol, *numbers(point)) for point in nodes(one(line, "pts"), "xy")]
        for pin in drawn(symbol, own, "pin"):
            x, y, angle = numbers(one(pin, "at"))
            length = numbers(one(pin, "length"))[0]
            dx, dy = {0: (1, 0), 90: (0, 1), 180: (-1, 0), 270: (0, -1)}[int(angle)]
            yield [turned(symbol, x, y), turned(symbol, x + dx * length, y + dy * length)]
    for sign in nodes(schematic, "no_connect"):
        x, y = numbers(one(sign, "at"))
        yield from (((x - 0.6, y - 0.6 * way), (x + 0.6, y + 0.6 * way)) for way in (1, -1))


def _texts(schematic: Node) -> Iterator[Text]:
    for symbol in nodes(schematic, "symbol"):
        for each in nodes(symbol, "property"):
            if word(each) in ("Reference", "Value") and "hide" not in one(each, "effects"):
                yield *numbers(one(each, "at"))[:2], word(each, 2), "middle", 0.0  # type: ignore[misc]
    for label in nodes(schematic, "global_label"):
        x, y, away = numbers(one(label, "at"))
        yield x, y, f" {word(label)} ", "start" if away in (0, 90) else "end", away % 180
    for pin in pins_of(schematic):
        if pin.name[:4] not in ("~", "Pin_", "K", "A", "1", "2", "A1", "A2", "pwr"):
            x, y = pin.end
            inward = {0: -1, 180: 1}.get(int(pin.away), 0) * (pin.length + 0.7)
            words, side = pin.name.replace("~{", "/").rstrip("}"), "end" if inward < 0 else "start" if inward else "middle"
            yield x + inward, y + (0 if inward else {90: 1, 270: -1}[int(pin.away)] * (pin.length + 1.3)), words, side, 0.0
        if pin.ref[0] not in "RSFD#" and not pin.ref.startswith("CAP"):
            x, y = pin.end
            yield x + {0: -1.3, 180: 1.3}.get(int(pin.away), 0), y - 0.9, pin.number, "middle", 0.0
    wide, high = SHEETS[word(one(schematic, "paper"))]
    yield wide - 20, high - 15, word(one(one(schematic, "title_block"), "title")), "end", 0.0


_BOARD, _COPPER, _GOLD, _HOLE, _SILK = "#14532d", "#1d7a43", "#d4af37", "#fff", "#fff"


def picture(board: Node, wide: float, deep: float) -> str:
    """Front above, back below; pours are not drawn. Sizes in mm."""
    sides = "".join(
        f'<g transform="translate({wide / 2 + 3} {deep / 2 + 3 + (deep + 6) * layer}) scale({-1 if layer else 1} 1)'
        f' translate({-MIDDLE[0]} {-MIDDLE[1]})">\n{"".join(_side(board, wide, deep, layer))}</g>\n'
        for layer in (0, 1)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide + 6:g} {2 * deep + 12:g}"'
        f' font-family="sans-serif" stroke-linecap="round"><rect width="100%" height="100%" fill="#fff"/>\n{sides}</svg>\n'
    )


def _side(board: Node, wide: float, deep: float, layer: int) -> Iterator[str]:
    yield f'<rect x="{MIDDLE[0] - wide / 2:g}" y="{MIDDLE[1] - deep / 2:g}" width="{wide:g}" height="{deep:g}" fill="{_BOARD}"/>\n'
    copper, silk = (("F.Cu", "B.Cu")[layer], ("F.SilkS", "B.SilkS")[layer])
    paths = defaultdict[float, list[str]](list)
    for track in nodes(board, "segment"):
        if word(one(track, "layer")) == copper:
            (ax, ay), (bx, by) = numbers(one(track, "start")), numbers(one(track, "end"))
            paths[numbers(one(track, "width"))[0]].append(f"M{ax:.2f} {ay:.2f}L{bx:.2f} {by:.2f}")
    for width, tracks in paths.items():
        yield f'<path d="{"".join(tracks)}" stroke="{_COPPER}" stroke-width="{width:g}"/>\n'
    for via in nodes(board, "via"):
        x, y = numbers(one(via, "at"))
        yield f'<circle cx="{x:.6g}" cy="{y:.6g}" r="0.4" fill="{_COPPER}"/><circle cx="{x:.6g}" cy="{y:.6g}" r="0.2" fill="#333"/>\n'
    for footprint in nodes(board, "footprint"):
        for pad, source in zip(pads_of(footprint), nodes(footprint, "pad"), strict=True):
            if pad.through or not layer:
                yield _pad(pad.x, pad.y, pad.half_wide, pad.half_high, word(source, 3) == "rect" or not pad.through)
            for drill in nodes(source, "drill"):
                yield f'<circle cx="{pad.x:.6g}" cy="{pad.y:.6g}" r="{numbers(drill)[0] / 2:g}" fill="{_HOLE}"/>\n'
        x, y, turn = (*numbers(one(footprint, "at")), 0.0)[:3]
        lines = [
            [*numbers(one(line, "start")), *numbers(one(line, "end"))]
            for line in nodes(footprint, "fp_line")
            if word(one(line, "layer")) == silk
        ]
        path = "".join("M{:g} {:g}L{:g} {:g}".format(*line) for line in lines)
        if lines:
            yield f'<path transform="translate({x:.6g} {y:.6g}) rotate({-turn:g})" d="{path}" stroke="{_SILK}" stroke-width="0.12"/>\n'
    for text in nodes(board, "gr_text"):
        if word(one(text, "layer")) == silk:
            x, y, turn = (*numbers(one(text, "at")), 0.0)[:3]
            side = next((word(found) for found in every(text, "justify")), "")
            anchor = {"left": "start", "right": "end"}.get(side, "middle")
            yield (
                f'<text transform="translate({x:.6g} {y:.6g}) rotate({-turn:g})" y="0.35" font-size="1.05" text-anchor="{anchor}"'
                f' fill="{_SILK}">{escape(word(text))}</text>\n'
            )


def _pad(x: float, y: float, half_wide: float, half_high: float, square: bool) -> str:
    round_by = 0 if square else min(half_wide, half_high)
    box = f'x="{x - half_wide:.6g}" y="{y - half_high:.6g}" width="{2 * half_wide:g}" height="{2 * half_high:g}"'
    return f'<rect {box} rx="{round_by:g}" fill="{_GOLD}"/>'
