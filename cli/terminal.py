"""Keys pressed in the terminal, one by one and without Enter; QR codes there; the user's browser."""

import io
import os
import select
import sys
import termios
import tty
import webbrowser
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from html import escape
from pathlib import Path
from typing import TextIO

import segno

from cli.usage import tell

_NAMES = {
    b"\x1b[C": "right",
    b"\x1b[D": "left",
    b"\x1b[A": "up",
    b"\x1b[B": "down",
    b"\x1b[H": "home",
    b"\x1b[F": "end",
    b"\x1b[1~": "home",
    b"\x1b[4~": "end",
    b"\x1bOH": "home",
    b"\x1bOF": "end",
}
_LONGEST = 8


def key_of(pressed: bytes) -> str:
    """The name of a key: of an arrow, ``home`` or ``end``, and of a letter itself, in lower case."""
    return _NAMES.get(pressed, pressed.decode("utf-8", "replace").lower())


def pressed_keys() -> Iterator[str]:
    """The keys as they are pressed, until Ctrl-C or the end of the input; the terminal is afterwards as it was before."""
    with _one_by_one() as terminal:
        while pressed := os.read(terminal, _LONGEST):
            yield key_of(pressed)


@contextmanager
def letters_pressed(at_end: str) -> Iterator[Callable[[], str]]:
    """What gives the next letter that has been pressed, nothing while there is none, and ``at_end`` once the input has ended."""

    def letter() -> str:
        ready, _, _ = select.select([terminal], [], [], 0)
        return key_of(os.read(terminal, 1)) or at_end if ready else ""

    with _one_by_one() as terminal:
        yield letter


@contextmanager
def _one_by_one() -> Iterator[int]:
    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    try:
        tty.setcbreak(terminal)
        yield terminal
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)


_WHITE_ON_BLACK, _AS_BEFORE = "\033[97;40m", "\033[0m"


def draw_qr(text: str, out: TextIO) -> None:
    """Draw a code at a terminal, in colours of its own, or say why not."""
    drawn = io.StringIO()
    segno.make(text, error="m").terminal(out=drawn, compact=True)
    try:
        drawn.getvalue().encode(out.encoding)
    except UnicodeEncodeError:
        print(f"no QR code is shown: {out.encoding} has no blocks to draw it with; PYTHONIOENCODING=utf-8 has", file=out)
        return
    for line in drawn.getvalue().splitlines():
        print(f"{_WHITE_ON_BLACK}{line}{_AS_BEFORE}", file=out)


DESKTOPS = ("DISPLAY", "WAYLAND_DISPLAY")
"""Either variable is there where programs with windows can be shown."""


def show_in_browser(address: str, environment: Mapping[str, str], memory: Path, opened: Callable[[str], bool] = webbrowser.open) -> None:
    """Open an address in the browser of this computer's desktop, where there is one; without it a browser would take the terminal. The
    browser is given a page in ``memory`` that leads to the address, which may be the first director's link: everybody with an account on
    this computer reads the words with which a program is started."""
    if not any(environment.get(name) for name in DESKTOPS):
        return
    page = memory / "open.html"
    page.touch(mode=0o600)
    page.write_text(
        f'<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url={escape(address)}">', encoding="utf-8"
    )
    if not opened(page.as_uri()):
        tell("no browser could be opened here: open the address yourself")
