"""Makes the verify page, one HTML file without network, with which anybody checks deals and a bundle. Scripts, style and texts are included
unchanged; tile sets and walls come from the rule sets. The page's policy allows only this script, by its hash, and no network."""

import base64
import hashlib
import json
from pathlib import Path

from twinwall.catalogues import page_texts
from twinwall.game.rules import rule_set_names, wall_layout

FOLDER = Path(__file__).parent
SCRIPTS = ("hashes.js", "documents.js", "deals.js", "bundle.js", "page.js")
LARGEST = 80_000
"""Most bytes of the page, because people pass it on by message and on cards."""


def layouts() -> dict[str, dict[str, object]]:
    """By rule set, the kinds in canonical order, and the number of tiles in a seat's wall."""
    found = {name: wall_layout(name) for name in rule_set_names()}
    return {name: {"kinds": " ".join(kind.text for kind in layout.kinds), "wall": layout.wall_size} for name, layout in found.items()}


def script() -> str:
    """The page's one script."""
    data = {"TEXTS": page_texts(FOLDER / "translations"), "LAYOUTS": layouts()}
    constants = [f"const {name} = {json.dumps(value, ensure_ascii=False)};" for name, value in data.items()]
    written = "\n".join(['"use strict";', *constants, *((FOLDER / name).read_text(encoding="utf-8") for name in SCRIPTS)])
    return written.replace("</", "<\\/")


def page() -> str:
    content = script()
    digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
    template = (FOLDER / "page.html").read_text(encoding="utf-8")
    style = (FOLDER / "page.css").read_text(encoding="utf-8")
    return template.replace("{script_hash}", digest).replace("{style}", style).replace("{script}", content)
