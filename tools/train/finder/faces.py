"""The pictures on tiles for training the finder: faces of drawn sets, and tiles cut from photographs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.random import Generator

from tools.train.faces.sheets import art_sheet
from tools.train.finder.surroundings import bgr
from tools.train.finder.tabletop import Colour, DrawnSet, Picture
from tools.train.photographs import photographs_of
from tools.varied_designs import random_design
from twinwall.values import frozen_identity

FACE_W, FACE_H = 48, 64
_PHOTOGRAPHED = 0.4
"""Share of sets that show photographed tiles."""


@frozen_identity
class FaceBank:
    """``drawn``: sets of faces as ink, white where there is none; ``photographed``: sets of tiles as they were seen.

    Each is n × FACE_H × FACE_W × 3.
    """

    drawn: Sequence[Picture]
    photographed: Sequence[Picture]

    def save(self, path: Path) -> None:
        """Keep the bank as one file."""
        parts = {
            f"{name}{number}": faces for name, sets in (("d", self.drawn), ("p", self.photographed)) for number, faces in enumerate(sets)
        }
        np.savez_compressed(path, allow_pickle=False, **parts)

    @classmethod
    def load(cls, path: Path) -> FaceBank:
        """A bank from its file."""
        with np.load(path) as parts:
            return cls(*([parts[name] for name in sorted(parts.files) if name[0] == letter] for letter in "dp"))

    def random_set(self, rng: Generator) -> tuple[DrawnSet, list[Picture]]:
        """A set of tiles and its faces."""
        width = 26.0
        height, thick = width * rng.uniform(1.25, 1.48), width * rng.uniform(0.58, 0.85)
        if self.photographed and rng.random() < _PHOTOGRAPHED:
            shown = self.photographed[int(rng.integers(len(self.photographed)))]
            body = np.percentile(shown[:, 4:-4, 4:-4].reshape(-1, 3), 80, axis=0)
            faces = [np.asarray(face, np.uint8) for face in shown[rng.permutation(len(shown))[:40]]]
        else:
            body = _body(rng)
            ink = self.drawn[int(rng.integers(len(self.drawn)))]
            share = rng.uniform(0.78, 1.0)
            faces = [_inked(face, body, share) for face in ink]
        if rng.random() < 0.15:
            faces = [_inked(np.full((FACE_H, FACE_W, 3), 255, np.uint8), body, 1.0) for _ in range(3)] + faces
        back = bgr(rng.random(), rng.uniform(0.3, 1.0), rng.uniform(0.15, 0.95)) if rng.random() < 0.85 else body * rng.uniform(0.8, 1.0)
        return DrawnSet(
            width, height, thick, body, back, _back_picture(back, rng), float(rng.uniform(0.03, 0.16)), float(rng.uniform(0, 0.05))
        ), faces


def make_bank(drawn: Sequence[Sequence[Picture]], photographed: Sequence[Sequence[Picture]]) -> FaceBank:
    """A bank from faces of any size."""
    return FaceBank(*([np.stack([_sized(face) for face in faces]) for faces in sets] for sets in (drawn, photographed)))


def _sized(face: Picture) -> Picture:
    return np.asarray(cv2.resize(face, (FACE_W, FACE_H), interpolation=cv2.INTER_AREA), np.uint8)


def _body(rng: Generator) -> Colour:
    light, warmth, tint = rng.uniform(180, 255), rng.uniform(0.0, 0.22), rng.uniform(-0.03, 0.03)
    return np.asarray(np.clip(np.array([light * (1 - warmth), light * (1 - 0.3 * warmth + tint), light]), 0, 255), np.float64)


def _inked(face: Picture, body: Colour, share: float) -> Picture:
    canvas = np.full((FACE_H, FACE_W, 3), 255, np.uint8)
    width, height = int(FACE_W * share), int(FACE_H * share)
    x, y = (FACE_W - width) // 2, (FACE_H - height) // 2
    canvas[y : y + height, x : x + width] = cv2.resize(face, (width, height), interpolation=cv2.INTER_AREA)
    return np.asarray(np.clip(canvas.astype(np.float32) / 255 * body, 0, 255), np.uint8)


def _back_picture(back: Colour, rng: Generator) -> Picture:
    picture = np.asarray(np.clip(np.tile(back, (FACE_H, FACE_W, 1)), 0, 255), np.uint8)
    line = tuple(np.clip(back * rng.uniform(0.6, 1.5), 0, 255).tolist())
    form = rng.random()
    if form < 0.2:
        inset = int(rng.integers(3, 10))
        cv2.rectangle(picture, (inset, inset), (FACE_W - inset, FACE_H - inset), line, int(rng.integers(1, 3)))
    elif form < 0.35:
        for at in range(-FACE_H, FACE_W, int(rng.integers(5, 14))):
            cv2.line(picture, (at, 0), (at + FACE_H, FACE_H), line, 1)
            cv2.line(picture, (at + FACE_H, 0), (at, FACE_H), line, 1)
    return picture


def make_own_bank(photos: Path | None, sets: int, seed: int) -> FaceBank:
    """``sets`` random designs, and the photographed sets of a folder; raises ``tools.train.crops.LabelsError``."""
    rng = np.random.default_rng([seed, 5])
    sheets = [art_sheet(random_design(rng)) for _ in range(sets)]
    shown = photographs_of(photos).trained.values()
    return make_bank(
        [[*sheet.faces.values(), *sheet.foreign] for sheet in sheets],
        [[patch.box for patches in kinds.values() for patch in patches] for kinds in shown],
    )
