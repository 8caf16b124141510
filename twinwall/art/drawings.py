"""Drawings from ``drawings.svg`` of which a design changes only paints: birds, flowers, dots, wheels and a joint of bamboo. Each is a group
around the origin: birds and flowers in face units, dots and wheels with radius 1. Colours are names of paints: black is the design's ink,
white its face, currentColor the dot's or stick's. The birds share only the eye, so a reader trained on five can be tested on the sixth."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib.resources import files
from xml.etree import ElementTree

from twinwall.art.shapes import Box, Circle, Drawing, Shape, Style, path_of

_SVG = "{http://www.w3.org/2000/svg}"


def drawn(name: str, paints: Mapping[str, str]) -> Drawing:
    """The drawing with this id, with ``paints`` by their names in the file; raises KeyError."""
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
