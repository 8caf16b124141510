"""Glyph outlines: cuts the characters on tiles out of free fonts into small data files.

Run it after changing a glyph set: ``python -m tools.cut_glyphs``, with the Debian packages of ``SOURCES`` and
the dependency group ``train`` (fontTools) installed. Its files are committed, so drawing a tile needs neither fonts
nor fontTools. What may be shipped, and under which licence, stands in ``glyphs/README.md``.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from twinwall.art.glyphset import FORMAT, GLYPH_FOLDER
from twinwall.values import frozen

if TYPE_CHECKING:
    from collections.abc import Mapping

    Contour = list[tuple[str, tuple[tuple[float, float], ...]]]

TILE_CHARACTERS = "一二三四五六七八九伍萬万東南西北中發発" + "梅蘭菊竹春夏秋冬"
INDEX_CHARACTERS = "123456789ESWNCFP"
FITTED_HEIGHT = 900
"""Every set is scaled so that 東南西北 are this high in the median, in units of 1/1000 em."""
OFL = "SIL Open Font License 1.1"


@frozen
class GlyphFont:
    """One font file of a Debian package: which face of it, which characters, under which licence."""

    name: str
    package: str
    path: str
    face: int
    licence: str
    copyright: str
    characters: str = TILE_CHARACTERS


_NOTO_SERIF = "© 2017-2022 Adobe"
_NOTO_SANS = "© 2014-2021 Adobe"
_KOUZAN = "Aoyagi Kouzan, who waives his copyright"
SOURCES: tuple[GlyphFont, ...] = (
    GlyphFont("serif", "fonts-noto-cjk", "opentype/noto/NotoSerifCJK-Bold.ttc", 0, OFL, _NOTO_SERIF),
    GlyphFont("serif-black", "fonts-noto-cjk-extra", "opentype/noto/NotoSerifCJK-Black.ttc", 3, OFL, _NOTO_SERIF),
    GlyphFont("serif-medium", "fonts-noto-cjk-extra", "opentype/noto/NotoSerifCJK-Medium.ttc", 3, OFL, _NOTO_SERIF),
    GlyphFont(
        "sans",
        "fonts-noto-cjk",
        "opentype/noto/NotoSansCJK-Bold.ttc",
        0,
        OFL,
        _NOTO_SANS,
        TILE_CHARACTERS + INDEX_CHARACTERS,
    ),
    GlyphFont("sans-black", "fonts-noto-cjk-extra", "opentype/noto/NotoSansCJK-Black.ttc", 3, OFL, _NOTO_SANS),
    GlyphFont("wedge", "fonts-reggae", "truetype/reggae/ReggaeOne-Regular.ttf", 0, OFL, "2020 The Reggae Project Authors"),
    GlyphFont("marker", "fonts-seto", "truetype/seto/setofont.ttf", 0, OFL, "2003-2014 Nozomi Seto"),
    GlyphFont("brush", "fonts-kouzan-mouhitsu", "truetype/kouzan-mouhitsu/kouzan-mouhitsu.ttf", 0, "public domain", _KOUZAN),
    GlyphFont("running", "fonts-kouzan-mouhitsu", "truetype/kouzan-mouhitsu/kouzan-mouhitsu-gyosho.ttf", 0, "public domain", _KOUZAN),
    GlyphFont(
        "kai",
        "fonts-lxgw-wenkai",
        "truetype/lxgw-wenkai/LXGWWenKai-Bold.ttf",
        0,
        OFL,
        "2021-2023 lxgw; 2020 The Klee Project Authors",
    ),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Cut every set; answers 2 with one sentence when fontTools or a font is missing."""
    parser = argparse.ArgumentParser(prog="python -m tools.cut_glyphs", description="Cut the outlines of tile characters from free fonts.")
    parser.add_argument(
        "--fonts", type=Path, default=Path("/usr/share/fonts"), help="where the packages put their fonts (default: %(default)s)"
    )
    parser.add_argument("--out", type=Path, default=GLYPH_FOLDER, help="folder for the JSON files (default: the package's own)")
    options = parser.parse_args(arguments)
    for source in SOURCES:
        font_file = options.fonts / source.path
        if not font_file.is_file():
            sys.stderr.write(f"cut_glyphs: {font_file} is missing: apt-get install {source.package}\n")
            return 2
        try:
            contours = _read_outlines(font_file, source)
        except ModuleNotFoundError:
            sys.stderr.write("cut_glyphs: fontTools is not installed: uv sync --group train\n")
            return 2
        written = write_set(options.out, source, contours)
        sys.stderr.write(f"{written}: {len(contours)} glyphs, {written.stat().st_size} bytes\n")
    return 0


def write_set(folder: Path, source: GlyphFont, contours: Mapping[str, Sequence[Contour]]) -> Path:
    """Fit the outlines of one set and write them as one JSON file; answers its path."""
    scale, middle_x, middle_y = _fit(contours)
    glyphs = {character: _path_text(outline, scale, middle_x, middle_y) for character, outline in contours.items()}
    document = {
        "format": FORMAT,
        "name": source.name,
        "cut_from": f"{Path(source.path).name}, face {source.face}, Debian package {source.package}",
        "copyright": source.copyright,
        "licence": source.licence,
        "glyphs": glyphs,
    }
    path = folder / f"{source.name}.json"
    path.write_text(json.dumps(document, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")
    return path


def _read_outlines(font_file: Path, source: GlyphFont) -> dict[str, list[Contour]]:
    """The contours of each wanted character in font units, y up; raises KeyError naming a character that the font lacks."""
    from fontTools.pens.recordingPen import DecomposingRecordingPen  # noqa: PLC0415  (dependency group "train")
    from fontTools.ttLib import TTFont  # noqa: PLC0415

    font = TTFont(font_file, fontNumber=source.face, lazy=True)
    names = font.getBestCmap()
    outlines = font.getGlyphSet()
    found: dict[str, list[Contour]] = {}
    for character in source.characters:
        if ord(character) not in names:
            raise KeyError(f"{font_file.name} has no {character}")
        pen = DecomposingRecordingPen(outlines)
        outlines[names[ord(character)]].draw(pen)
        found[character] = list(_contours(pen.value))
    return found


def _contours(recorded: Sequence[tuple[str, tuple[tuple[float, float], ...]]]) -> Iterator[Contour]:
    """Split a recorded glyph into contours of ``M``, ``L``, ``Q`` and ``C`` steps with absolute points."""
    contour: Contour = []
    for verb, points in recorded:
        match verb:
            case "moveTo":
                contour = [("M", points)]
            case "lineTo":
                contour.append(("L", points))
            case "curveTo":
                contour.append(("C", points))
            case "qCurveTo":
                contour.extend(("Q", step) for step in _quadratic_steps(points))
            case _:
                yield contour


def _quadratic_steps(points: Sequence[tuple[float, float]]) -> Iterator[tuple[tuple[float, float], ...]]:
    """A TrueType run of off-curve points as single quadratic curves, with the implied on-curve points between them."""
    *controls, end = points
    for control, following in pairwise(controls):
        yield control, ((control[0] + following[0]) / 2, (control[1] + following[1]) / 2)
    yield controls[-1], end


def _fit(contours: Mapping[str, Sequence[Contour]]) -> tuple[float, float, float]:
    """Scale and middle (font units) that put the four winds of a set at the common size around the origin."""
    boxes = [_box(contours[wind]) for wind in "東南西北"]
    scale = FITTED_HEIGHT / statistics.median(bottom - top for _, top, _, bottom in boxes)
    middle_x = statistics.mean((left + right) / 2 for left, _, right, _ in boxes)
    middle_y = statistics.mean((top + bottom) / 2 for _, top, _, bottom in boxes)
    return scale, middle_x, middle_y


def _box(outline: Sequence[Contour]) -> tuple[float, float, float, float]:
    points = [point for contour in outline for _, step in contour for point in step]
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return min(xs), min(ys), max(xs), max(ys)


def _path_text(outline: Sequence[Contour], scale: float, middle_x: float, middle_y: float) -> str:
    """One glyph as path text: whole units, y down, each contour from an absolute ``M`` by relative steps."""
    parts: list[str] = []
    for contour in outline:
        at = (0, 0)
        for verb, points in contour:
            whole = [(round((x - middle_x) * scale), round((middle_y - y) * scale)) for x, y in points]
            if verb == "M":
                parts.append(f"M{whole[0][0]} {whole[0][1]}")
            elif whole[-1] != at or verb != "L":
                parts.append(verb.lower() + " ".join(f"{x - at[0]} {y - at[1]}" for x, y in whole))
            at = whole[-1]
        parts.append("z")
    return "".join(parts)


if __name__ == "__main__":
    sys.exit(main())
