"""Pages for paper: HTML from templates, with style, fonts, and pictures of tiles and QR codes inside. Each picture is a ``data:`` address:
WeasyPrint silently omits a ``<use>`` of another ``<svg>``. Tiles are pixel pictures, because a PDF file stores a repeated picture once, and
drawn shapes each time. The fonts are named for each language, because one code point has different shapes in Japanese and Chinese; Debian's
``fonts-noto-cjk`` has them."""

import base64
import io
from functools import lru_cache
from pathlib import Path

import segno
from jinja2 import Environment
from markupsafe import Markup

from dashboard.i18n.words import Words
from twinwall.art.designs import CLASSIC
from twinwall.art.faces import Face
from twinwall.art.names import tile_name
from twinwall.game.tiles import Tile

STYLE = Path(__file__).parent / "prints.css"
TILE_HEIGHT_PX = 128
"""Sharp on paper up to 8 mm: 400 pixels per inch."""
_LINE = (70, 70, 70, 255)


def paper(environment: Environment, template: str, words: Words, **values: object) -> str:
    """The page of a template below ``prints/`` in the language of ``words``."""
    style = Markup(_style())  # noqa: S704 - a file of ours
    return environment.get_template(f"prints/{template}").render(words=words, style=style, tile=tile_picture, qr=qr_picture, **values)


def tile_picture(tile: Tile | None, words: Words, kind: str = "") -> Markup:
    """A tile (None for a back) as an image with its name; ``kind`` adds classes to the image."""
    face: Face = "back" if tile is None else tile
    picture = Markup('<img class="tile {}" src="{}" alt="{}">')
    return picture.format(kind, _face(face), tile_name(face, words.language))


@lru_cache(maxsize=512)
def qr_picture(text: str) -> str:
    """The QR code of a text as a ``data:`` address, for an ``<img>``; readable with a quarter of it stained (level Q)."""
    return segno.make(text, error="q", micro=False).svg_data_uri(border=2, light="#fff")


@lru_cache(maxsize=40)
def _face(face: Face) -> str:
    """A face with a line around it, which white paper needs."""
    from PIL import Image, ImageDraw  # noqa: PLC0415 - Pillow and NumPy are a fifth of what a dashboard imports to start

    from twinwall.art.raster import raster  # noqa: PLC0415

    picture = Image.fromarray(raster(CLASSIC, face, TILE_HEIGHT_PX))
    ground = Image.new("RGBA", picture.size, (255, 255, 255, 255))
    ground.alpha_composite(picture)
    width, height = picture.size
    ImageDraw.Draw(ground).rounded_rectangle((0, 0, width - 1, height - 1), radius=width // 8, outline=_LINE, width=3)
    content = io.BytesIO()
    ground.convert("RGB").quantize(64).save(content, "png", optimize=True)
    return "data:image/png;base64," + base64.b64encode(content.getvalue()).decode()


@lru_cache(maxsize=1)
def _style() -> str:
    return STYLE.read_text(encoding="utf-8")
