"""Tiles as SVG: complete, small, free of styles and references, with a name where asked for."""

import re
import xml.etree.ElementTree as ET

import pytest

from tools.training_designs import DESIGNS
from twinwall.art.designs import Design
from twinwall.art.faces import Face
from twinwall.art.names import LANGUAGES, tile_name
from twinwall.art.svg import row, sprite, symbol_id
from twinwall.game.tiles import ALL_TILES, Tile

FACES: tuple[Face, ...] = (*ALL_TILES, "back")
SVG = "{http://www.w3.org/2000/svg}"


def test_the_sprite_holds_every_face_and_the_back_once_in_the_pages_view_box() -> None:
    symbols = ET.fromstring(sprite()).findall(f"{SVG}symbol")
    assert [symbol.get("id") for symbol in symbols] == [symbol_id(face) for face in FACES]
    assert {symbol.get("viewBox") for symbol in symbols} == {"0 0 60 84"}
    assert symbol_id(Tile.P5) == "t-5p" and symbol_id(Tile.GREEN) == "t-F" and symbol_id("back") == "t-back"


def test_the_sprite_stays_within_its_share_of_a_page() -> None:
    assert len(sprite().encode()) <= 60_000


@pytest.mark.parametrize("design", DESIGNS.values(), ids=list(DESIGNS))
def test_every_tile_is_well_formed_and_needs_nothing_outside_itself(design: Design) -> None:
    text = sprite(design)
    ET.fromstring(text)
    assert not re.search(r"style|href|class|script|url\(|nan|inf|\de-", text)


def test_drawings_are_written_in_the_model_order_so_that_later_shapes_cover_earlier_ones() -> None:
    symbols = {symbol.get("id"): symbol for symbol in ET.fromstring(sprite()).findall(f"{SVG}symbol")}
    widths = [float(rect.get("stroke-width", "0")) for rect in symbols[symbol_id(Tile.WHITE)].findall(f"{SVG}rect")]
    assert widths == [0, 1, 4.2, 1.9]


def test_a_row_is_an_image_of_its_name() -> None:
    labelled = ET.fromstring(row([[Tile.EAST]], 'East "wind"'))
    assert (labelled.get("role"), labelled.get("aria-label")) == ("img", 'East "wind"')


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_face_has_its_own_name_in_every_language(language: str) -> None:
    spoken = next(known for known in LANGUAGES if known == language)
    names = [tile_name(face, spoken) for face in FACES]
    assert all(names)
    assert len(set(names)) == len(FACES)


def test_names_are_those_that_players_use() -> None:
    assert tile_name(Tile.P5, "en") == "5 of dots"
    assert tile_name(Tile.S1, "ja") == "一索"
    assert tile_name(Tile.GREEN, "zh-Hans") == "发财"
