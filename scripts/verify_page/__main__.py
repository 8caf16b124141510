"""Makes the verify page: ``python -m scripts.verify_page OUT`` writes one HTML file.

Scripts, style and texts are put into the page as they are; tile sets and walls come from the rule sets. The page's policy
allows this very script by its hash, and no network.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import sys
from pathlib import Path

from babel.messages.pofile import read_po

from twinwall.game.rules import rule_set_names, wall_layout

FOLDER = Path(__file__).parent
SCRIPTS = ("hashes.js", "documents.js", "deals.js", "bundle.js", "page.js")
LANGUAGES = ("en", "ja", "zh-Hans")
LARGEST = 80_000
"""Bytes that the page may have: it is handed on by message and on cards."""


def texts(language: str) -> dict[str, str]:
    """The texts of a language by their keys."""
    with (FOLDER / "translations" / language.replace("-", "_") / "LC_MESSAGES" / "messages.po").open("rb") as file:
        return {str(message.id): str(message.string) for message in read_po(file) if message.id}


def layouts() -> dict[str, dict[str, object]]:
    """By rule set the kinds in canonical order, and how many tiles make a seat's wall."""
    found = {name: wall_layout(name) for name in rule_set_names()}
    return {name: {"kinds": " ".join(kind.text for kind in layout.kinds), "wall": layout.wall_size} for name, layout in found.items()}


def script() -> str:
    """The page's one script."""
    data = {"TEXTS": {language: texts(language) for language in LANGUAGES}, "LAYOUTS": layouts()}
    constants = [f"const {name} = {json.dumps(value, ensure_ascii=False)};" for name, value in data.items()]
    written = "\n".join(['"use strict";', *constants, *((FOLDER / name).read_text(encoding="utf-8") for name in SCRIPTS)])
    return written.replace("</", "<\\/")


def page() -> str:
    """The whole page."""
    content = script()
    digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
    template = (FOLDER / "page.html").read_text(encoding="utf-8")
    style = (FOLDER / "page.css").read_text(encoding="utf-8")
    return template.replace("{script_hash}", digest).replace("{style}", style).replace("{script}", content)


def main() -> int:
    """Write the page; exit 1 when it is too large."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path, metavar="OUT", help="the file to write, such as verify.html")
    out: Path = parser.parse_args().out
    content = page().encode()
    if len(content) > LARGEST:
        sys.stderr.write(f"the page has {len(content)} bytes, and may have {LARGEST}: make texts or scripts shorter\n")
        return 1
    out.write_bytes(content)
    return 0


if __name__ == "__main__":
    sys.exit(main())
