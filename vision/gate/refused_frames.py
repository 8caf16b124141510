"""Refused frames of a gate reader, kept in a folder for a service file: only while service is switched on, never in an event. A gate frame
shows a tile of a wall, so only the files' owner may read them."""

import json
import logging
import os
from collections.abc import Callable
from pathlib import Path

from vision.cameras.pictures import encode_picture
from vision.cameras.port import CameraFrame
from vision.gate.gate_reader import GateReader
from vision.reading import Read, ReadRefusal, Reason

_PRIVATE = 0o600
log = logging.getLogger(__name__)


class KeepingReader:
    """A gate reader that keeps refused frames: ``<time>.png`` with the reason in ``<time>.json``; the oldest are deleted."""

    def __init__(self, reader: GateReader, folder: Path, most: int, stamp: Callable[[], str]) -> None:
        """``stamp`` names a frame so that names sort by time; raises OSError if the folder cannot be made."""
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._reader, self._folder, self._most, self._stamp = reader, folder, most, stamp

    def read(self, frame: CameraFrame) -> Read | ReadRefusal:
        """Return the reader's answer, and keep the frame if it is a refusal."""
        answer = self._reader.read(frame)
        if isinstance(answer, ReadRefusal):
            self.keep(frame, answer)
        return answer

    def keep(self, frame: CameraFrame, refusal: ReadRefusal) -> None:
        """Write a frame and why it was refused, unless the gate was empty."""
        if refusal.reason is Reason.EMPTY:
            return
        name = self._stamp()
        likely = [[candidate.tile.text, round(candidate.probability, 4)] for candidate in refusal.candidates]
        note = {"reason": str(refusal.reason), "detail": refusal.detail, "candidates": likely}
        try:
            self._write_both(name, encode_picture(frame.image, ".png"), json.dumps(note, ensure_ascii=False).encode())
        except OSError as error:  # a full disk must not stop the reading of tiles
            log.warning("a refused frame could not be kept: %s", error)

    def _write_both(self, name: str, picture: bytes, note: bytes) -> None:
        self._write(self._folder / f"{name}.png", picture)
        self._write(self._folder / f"{name}.json", note)
        for old in sorted(self._folder.glob("*.png"))[: -self._most]:
            old.unlink(missing_ok=True)
            old.with_suffix(".json").unlink(missing_ok=True)

    def _write(self, path: Path, content: bytes) -> None:
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, _PRIVATE), "wb") as file:  # noqa: PTH123  # made with its mode
            file.write(content)
