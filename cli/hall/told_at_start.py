"""What ``twinwall hall serve`` says in the terminal: each step before it is done, and at the end where the hall is.

The first director's link is also shown as a QR code and in this computer's browser, where there is a terminal and a desktop.
"""

from __future__ import annotations

import os
import sys
import webbrowser
from collections.abc import Callable, Mapping
from html import escape
from pathlib import Path

import segno

from cli.hall.certificate_files import AUTHORITY
from cli.hall.hall_folder import HallFolder

DESKTOPS = ("DISPLAY", "WAYLAND_DISPLAY")
"""Either variable is there where programs with windows can be shown."""


def say(sentence: str) -> None:
    """A sentence for the person who started the hall."""
    print(f"twinwall hall: {sentence}", file=sys.stderr)


def tell(hall: HallFolder, link: str | None, *, shows: bool) -> None:
    """Where the hall is, which answers now; ``link`` is the first director's, who has no password yet. ``shows``: in a browser too."""
    at_terminal = sys.stderr.isatty()
    say(hall.page_url)
    if link is not None:
        say(f"you are the director; choose your password at {link}")
        if at_terminal and hall.over_tls:
            segno.make(link, error="l").terminal(out=sys.stderr, compact=True)
    if hall.over_tls:
        say(f"browsers and tables trust {hall.certificates.certificate(AUTHORITY)}: give it to them by another way than this network")
    else:
        say("phones and other computers do not reach it: table cards, seats and invitations work on this computer alone")
        say("to let them in, end it and add --host with this computer's address in the network, for example --host 192.168.1.20")
    say("Ctrl-C ends it; the same command goes on")
    if shows and at_terminal:
        show_in_browser(link or hall.page_url, os.environ, hall.memory)


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
        say("no browser could be opened here: open the address yourself")
