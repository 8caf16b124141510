"""Gate reader: finds the tile in a gate frame, cuts it out straight, classifies it both ways up, and lets ``judge`` accept or refuse it.
Ready-cut crops (photographs, tests) go through the same classification and acceptance.

While service is switched on, refused frames are kept in a folder, never in an event. They show a tile of a wall, so only the files' owner
may read them.
"""

import json
import logging
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vision.cameras.port import CameraFrame, encode_picture
from vision.gate.rectify import cut, find_tile
from vision.model.bare_crop import misshapen, unless_blank, washed
from vision.model.classifier import Classifier
from vision.model.crop_view import fit_crop
from vision.model.judge import GeneralJudge, Judge
from vision.reading import Read, ReadRefusal, Reason


class GateReader:
    """Reads gate frames and ready-cut crops with one classifier."""

    def __init__(
        self,
        classifier: Classifier,
        judge: Judge | None = None,
        *,
        second: Classifier | None = None,
    ) -> None:
        """``judge`` decides by an enrolled set's profile; without it the model decides alone, by the limits in its file. ``second`` is a
        model with other errors: its look is added to each read and decides nothing."""
        self._classifier = classifier
        self._judge = judge or GeneralJudge(classifier.limits)
        self._second = second

    def read(self, frame: CameraFrame) -> Read | ReadRefusal:
        """Read the tile in the window of a gate camera's frame."""
        return self.read_picture(frame.image)

    def read_picture(self, image: NDArray[np.uint8]) -> Read | ReadRefusal:
        """Read a picture without times (h × w × 3 BGR), for example from a file."""
        found = self.locate(image)
        return found if isinstance(found, ReadRefusal) else self._decided(found)

    def locate(self, image: NDArray[np.uint8]) -> NDArray[np.uint8] | ReadRefusal:
        """Return the tile's crop from a gate picture (h × w × 3 BGR), or EMPTY, DARK, SHAPE or GLARE."""
        corners = find_tile(image)
        return corners if isinstance(corners, ReadRefusal) else cut(image, corners)

    def read_crop(self, image: NDArray[np.uint8]) -> Read | ReadRefusal:
        """Read the tile on a crop tight to it (h × w × 3 BGR, upright or upside down) of unknown origin. A form unlike a whole tile's is
        refused as SHAPE, and a blank white dragon as EMPTY, unless a profile says that this set's are blank."""
        if (refusal := misshapen(image)) is not None:
            return refusal
        crop = fit_crop(image)
        answer = self._decided(crop)
        return answer if self._judge.knows_the_set else unless_blank(crop, answer)

    def _decided(self, crop: NDArray[np.uint8]) -> Read | ReadRefusal:
        answer = self._judge.decide(self._classifier.look(crop[None])[0])
        if isinstance(answer, ReadRefusal) and washed(crop):
            return ReadRefusal(Reason.GLARE, f"light has washed the marks away; {answer.detail}", answer.candidates)
        return (
            answer
            if self._second is None or isinstance(answer, ReadRefusal)
            else replace(answer, second=self._second.look(crop[None])[0].best())
        )


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
