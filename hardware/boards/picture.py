"""Pictures of a board from its ``.kicad_pcb``: both sides as SVG, what is behind seen from behind."""

from collections import defaultdict
from collections.abc import Iterator
from html import escape

from hardware.boards.layout import MIDDLE, pads_of
from hardware.boards.sexpr import Node, every, nodes, numbers, one, word

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
