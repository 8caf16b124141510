"""A browser whose camera shows pictures of ours."""

import base64
import json
from collections.abc import Mapping
from pathlib import Path

from playwright.sync_api import BrowserContext, Page

FAKE_CAMERA = (Path(__file__).parent / "fake_camera.js").read_text(encoding="utf-8")


EVERY_MS = 120
"""A test's camera draws a frame so often: drawing and showing thirty a second takes most of a core."""


def with_pictures(context: BrowserContext, pictures: Mapping[str, bytes], *, tells_time: bool, every_ms: int = EVERY_MS) -> None:
    """Let the browser's camera show one of these JPEG files, as ``show_picture`` says; ``tells_time``: with the time of capture."""
    urls = {name: base64.b64encode(picture).decode() for name, picture in pictures.items()}
    given = {"fakePictures": urls, "tellsTime": tells_time, "everyMs": every_ms}
    context.add_init_script(f"Object.assign(window, {json.dumps(given)});\n{FAKE_CAMERA}")


def show_picture(page: Page, name: str) -> None:
    """What lies before the camera from now on."""
    page.evaluate("(name) => window.showPicture(name)", name)
