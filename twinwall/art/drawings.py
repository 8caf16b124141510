"""Drawings that a design changes in nothing but paints: birds, flowers, dots, wheels and a joint of bamboo, from ``drawings.svg``.

Each is a group of the file, around the origin: birds and flowers in face units, a dot or wheel with a radius of 1. A paint goes by a
colour's name: black is the design's ink, white its face, currentColor that of the dot or stick. Makers' sets differ most in their birds;
those here share no part but the eye, so that a reader trained on five of them can be tested on the sixth.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib.resources import files
from xml.etree import ElementTree

from twinwall.art.shapes import Box, Circle, Drawing, Shape, Style, path_of

_SVG = "{http://www.w3.org/2000/svg}"


def drawn(name: str, paints: Mapping[str, str]) -> Drawing:
    """A drawing by its id, with ``paints`` by their names in the file; raises KeyError for an id or a paint that there is not."""
    return tuple(replace(shape, style=_painted(shape.style, paints)) for shape in _drawings()[name])


def _painted(style: Style, paints: Mapping[str, str]) -> Style:
    return replace(style, fill=style.fill and paints[style.fill], stroke=style.stroke and paints[style.stroke])


@cache
def _drawings() -> dict[str | None, Drawing]:
    root = ElementTree.fromstring(  # noqa: S314  # our own file
        files("twinwall.art").joinpath("drawings.svg").read_text(encoding="utf-8")
    )
    return {group.get("id"): tuple(map(_shape, group)) for group in root}


def _shape(element: ElementTree.Element) -> Shape:
    values = dict(element.attrib)
    fill, ends = values.pop("fill"), values.pop("stroke-linecap", "round" if "stroke" not in values else "butt")
    style = Style(None if fill == "none" else fill, values.pop("stroke", None), float(values.pop("stroke-width", 0)), ends == "round")
    if element.tag == f"{_SVG}path":
        return path_of(values["d"], style)
    numbers = {name: float(value) for name, value in values.items()}
    if element.tag == f"{_SVG}circle":
        return Circle((numbers["cx"], numbers["cy"]), numbers["r"], style)
    return Box(numbers["x"], numbers["y"], numbers["width"], numbers["height"], numbers["rx"], style)
