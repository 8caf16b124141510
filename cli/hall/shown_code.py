"""The QR code of an enrolment: the hall shows it at a terminal, and a table reads it with a camera.

It says where the hall answers, the code of one use, and the table, whose name is no secret. A frame with the codes of several tables,
or with a second code that cannot be read, is refused, since a table that took another one's code would use it up.
"""

from __future__ import annotations

import io
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TextIO

import segno

from twinwall.wire.enrolment import CODE_S

if TYPE_CHECKING:
    from vision.cameras.port import Camera

_SCANNED = "twinwall-join"
_RETRY_S = 1.0
_ALONE_FRAMES = 3
"""This many frames must show a code alone before it is taken: of two codes one is overlooked now and then."""
_WHITE_ON_BLACK, _AS_BEFORE = "\033[97;40m", "\033[0m"


@dataclass(frozen=True, slots=True)
class ShownCode:
    """Where the hall answers (``HOST:PORT``), the code, and the table that it is for."""

    address: str
    words: str
    table: str

    @property
    def text(self) -> str:
        """What the QR code says."""
        return f"{_SCANNED} {self.address} {self.words} {self.table}"


def show(code: ShownCode, out: TextIO) -> None:
    """Draw a code at a terminal, in colours of its own, or say why not."""
    drawn = io.StringIO()
    segno.make(code.text, error="m").terminal(out=drawn, compact=True)
    try:
        drawn.getvalue().encode(out.encoding)
    except UnicodeEncodeError:
        print(f"no QR code is shown: {out.encoding} has no blocks to draw it with; PYTHONIOENCODING=utf-8 has", file=out)
        return
    for line in drawn.getvalue().splitlines():
        print(f"{_WHITE_ON_BLACK}{line}{_AS_BEFORE}", file=out)


def codes_in(texts: Iterable[str]) -> tuple[ShownCode, ...]:
    """The enrolment codes among the texts of QR codes."""
    split = (text.split(" ", 3) for text in texts)
    return tuple(ShownCode(*said[1:]) for said in split if len(said) == 4 and said[0] == _SCANNED)


def seen_code(camera: Camera, clock: Callable[[], float] = time.monotonic, pause: Callable[[float], None] = time.sleep) -> ShownCode | None:
    """The first code that is alone before a camera; None where none was in five minutes. What is amiss meanwhile is printed."""
    from vision.cameras.port import CameraLostError  # noqa: PLC0415 - OpenCV is slow to import, and a code is mostly typed
    from vision.cameras.qr_codes import QrCodes  # noqa: PLC0415

    codes, ends_s, said = QrCodes(), clock() + CODE_S, ""
    alone: ShownCode | None = None
    frames = 0
    while clock() < ends_s:
        try:
            seen = codes.read_all(camera.frame_after(time.monotonic_ns()).image)
            found = codes_in(seen.texts)
            problem = _amiss(found, unread=seen.unread)
        except CameraLostError as lost:
            found, problem = (), f"{lost}; trying again"
            pause(_RETRY_S)
        if problem:
            alone = None
            if problem != said:
                print(problem, file=sys.stderr)
                said = problem
        elif found:
            alone, frames = found[0], frames + 1 if found[0] == alone else 1
            if frames == _ALONE_FRAMES:
                return alone
    return None


def _amiss(found: Sequence[ShownCode], *, unread: bool) -> str:
    """Why none of the codes in a frame is taken; empty where there is one alone, or none at all."""
    if len(found) > 1:
        tables = ", ".join(sorted(code.table for code in found))
        return f"codes of several tables are before the camera ({tables}): show that of this table alone"
    if not unread:
        return ""
    if not found:
        return "a QR code is before the camera and cannot be read: show it larger, hold it still, and keep lamps out of it"
    return (
        f"beside the code of table {found[0].table} the camera sees another one that it cannot read: hold that of this table alone before "
        "it, or type its code in place of --camera"
    )
