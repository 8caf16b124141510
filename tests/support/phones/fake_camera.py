"""A browser whose camera shows pictures of ours."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from pathlib import Path

from playwright.sync_api import BrowserContext, Page

FAKE_CAMERA = (Path(__file__).parent / "fake_camera.js").read_text(encoding="utf-8")


def with_pictures(context: BrowserContext, pictures: Mapping[str, bytes], *, tells_time: bool) -> None:
    """Let the browser's camera show one of these JPEG files, as ``show_picture`` says; ``tells_time``: with the time of capture."""
    urls = {name: base64.b64encode(picture).decode() for name, picture in pictures.items()}
    context.add_init_script(f"window.fakePictures = {json.dumps(urls)}; window.tellsTime = {json.dumps(tells_time)};\n{FAKE_CAMERA}")


def show_picture(page: Page, name: str) -> None:
    """What lies before the camera from now on."""
    page.evaluate("(name) => window.showPicture(name)", name)
