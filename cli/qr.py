"""QR codes at a terminal."""

import io
from typing import TextIO

import segno

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
