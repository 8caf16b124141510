"""Drawing of a ``.kicad_sch`` as PDF: its symbols' lines, names, numbers and labels, without the program that wrote them."""

from collections.abc import Iterator, Sequence

from hardware.boards.schematic import SHEETS, drawn, pins_of, turned
from hardware.boards.sexpr import Node, nodes, numbers, one, word

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
