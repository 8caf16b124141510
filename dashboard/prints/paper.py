"""PDF files of HTML templates, by WeasyPrint, with pictures of tiles and QR codes in them.

Each picture is a ``data:`` address of its own: WeasyPrint prints nothing, and says nothing, for a ``<use>`` of another ``<svg>``.
Nothing is fetched while a file is made. The fonts are named for each language, since one code point has other shapes in Japanese
and Chinese; Debian's ``fonts-noto-cjk`` has them.
"""

from __future__ import annotations

import base64
from functools import lru_cache
from pathlib import Path

import segno
from jinja2 import Environment
from markupsafe import Markup

from dashboard.i18n.words import Words
from twinwall.art.designs import CLASSIC
from twinwall.art.names import tile_name
from twinwall.art.svg import svg
from twinwall.game.tiles import Tile

STYLE = Path(__file__).parent / "prints.css"


class PrintError(RuntimeError):
    """A file that cannot be printed; the message says what is missing on this machine."""


def pdf(environment: Environment, template: str, words: Words, **values: object) -> bytes:
    """The PDF file of a template below ``prints/`` in the language of ``words``; raises PrintError."""
    html = environment.get_template(f"prints/{template}").render(words=words, tile=tile_picture, qr=qr_picture, **values)
    try:
        from weasyprint import CSS, HTML, URLFetcher  # noqa: PLC0415 - slow to import, and a dashboard starts without printing

        fetcher = URLFetcher(allowed_protocols=("data",), fail_on_errors=True)
        return HTML(string=html, url_fetcher=fetcher).write_pdf(stylesheets=[CSS(string=_style())])
    except OSError as error:
        raise PrintError(
            f"nothing can be printed here ({error}): install what Debian calls libpangoft2-1.0-0 and fonts-noto-cjk"
        ) from error


def tile_picture(tile: Tile, words: Words) -> Markup:
    """A tile as an image with its name."""
    name = tile_name(tile, words.language)
    return Markup('<img class="tile" src="{}" alt="{}">').format(_face(tile), name)


@lru_cache(maxsize=512)
def qr_picture(text: str) -> str:
    """The QR code of a text as a ``data:`` address, for an ``<img>``; it is read also where a quarter of it is stained (level Q)."""
    return segno.make(text, error="q", micro=False).svg_data_uri(border=2, light="#fff")


@lru_cache(maxsize=40)
def _face(tile: Tile) -> str:
    return "data:image/svg+xml;base64," + base64.b64encode(svg(CLASSIC, tile).encode()).decode()


@lru_cache(maxsize=1)
def _style() -> str:
    return STYLE.read_text(encoding="utf-8")
