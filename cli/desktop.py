"""The browser of this computer's desktop."""

import webbrowser
from collections.abc import Callable, Mapping
from html import escape
from pathlib import Path

from cli.usage import tell

DESKTOPS = ("DISPLAY", "WAYLAND_DISPLAY")
"""Either variable is there where programs with windows can be shown."""


def show_in_browser(address: str, environment: Mapping[str, str], memory: Path, opened: Callable[[str], bool] = webbrowser.open) -> None:
    """Open an address in the browser of this computer's desktop, where there is one; without it a browser would take the terminal.

    The browser is given a page in ``memory`` that leads to the address, which may be the first director's link: everybody with an account
    on this computer reads the words with which a program is started.
    """
    if not any(environment.get(name) for name in DESKTOPS):
        return
    page = memory / "open.html"
    page.touch(mode=0o600)
    page.write_text(
        f'<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url={escape(address)}">', encoding="utf-8"
    )
    if not opened(page.as_uri()):
        tell("no browser could be opened here: open the address yourself")
