"""The files of the station's screen for a browser. No text can name a kind, because nothing here knows one."""

import json
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

from twinwall.catalogues import page_texts

SCRIPT, STYLE = "text/javascript", "text/css"
_SCRIPTS = ("screen", "sentences", "wall", "voice")


def screen_texts() -> dict[str, dict[str, str]]:
    """Every text of the screen by language and key; raises OSError for a missing catalogue."""
    return page_texts(Path(__file__).parent / "translations")


def screen_files() -> Mapping[str, tuple[str, str]]:
    """Each file by its path in an address: text and media type. ``/screen-texts.js`` is a script with the texts."""
    texts = f"export const texts = {json.dumps(screen_texts(), ensure_ascii=False)};\n"
    scripts = {f"/{name}.js": (page_file("tableside.station_screen", f"{name}.js"), SCRIPT) for name in _SCRIPTS}
    return {**scripts, "/screen-texts.js": (texts, SCRIPT), "/screen.css": (page_file("tableside.station_screen", "screen.css"), STYLE)}


def page_file(package: str, name: str) -> str:
    return files(package).joinpath("pages", name).read_text(encoding="utf-8")
