"""Keys pressed in the terminal, one by one and without Enter."""

import os
import sys
import termios
import tty
from collections.abc import Iterator

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
    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    try:
        tty.setcbreak(terminal)
        while pressed := os.read(terminal, _LONGEST):
            yield key_of(pressed)
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)
