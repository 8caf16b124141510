"""A stream of training frames: processes draw them all the time, and a store of the latest ones is sampled from."""

from __future__ import annotations

import json
import multiprocessing
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.random import Generator
from numpy.typing import NDArray

from tools.train.finder.faces import FaceBank
from tools.train.finder.frames import LABEL_FIELDS, MOST_LABELS, SIDE_PX, TabletopFrame, drawn_frame, traced_frame
from tools.train.finder.surroundings import seen
from tools.train.finder.tabletop import Form, Picture
from twinwall.values import frozen, frozen_identity

_WHOLLY_LABELLED = frozenset({"indexed"})
"""Sets of ``photographs.json`` in whose pictures every face has its box."""


@frozen_identity
class BoxedPhotograph:
    """A picture (h × w × 3 BGR) with its boxes (n × 4: x, y, width, height in px).

    ``whole``: no face is without a box. ``upright`` (n): whether a tile stands upright or on its head.
    """

    image: Picture
    boxes: NDArray[np.float64]
    whole: bool
    upright: NDArray[np.bool_]


def read_photographs(folder: Path, notes: Path) -> tuple[list[BoxedPhotograph], list[BoxedPhotograph]]:
    """The photographs to train on, and those held back, by ``tools/train/photographs.json``."""
    known = json.loads(notes.read_text(encoding="utf-8"))
    set_of = {name: label for label, names in known["sets"].items() for name in names}
    askew = {(one["file"], tuple(one["box"])) for one in known["corrections"] if one["kind"] is None}
    trained, held = list[BoxedPhotograph](), list[BoxedPhotograph]()
    for photo in json.loads((folder / "labels.json").read_text(encoding="utf-8")):
        label = set_of.get(photo["file"])
        image = cv2.imread(str(folder / photo["file"]))
        if label is None or image is None:
            continue
        boxes = np.array([tile["box"] for tile in photo["tiles"]], np.float64).reshape(-1, 4)
        straight = [photo["file"] not in known["askew"] and (photo["file"], tuple(tile["box"])) not in askew for tile in photo["tiles"]]
        away = label in known["never_trained"] or photo["file"] in known["held"]
        (held if away else trained).append(
            BoxedPhotograph(np.asarray(image, np.uint8), boxes, label in _WHOLLY_LABELLED or away, np.array(straight, bool))
        )
    return trained, held


def photographed_frame(photographs: Sequence[BoxedPhotograph], rng: Generator) -> TabletopFrame:
    """A part of a photograph, at another size, with other light."""
    photo = photographs[int(rng.integers(len(photographs)))]
    usual = float(np.median(photo.boxes[:, 2])) if len(photo.boxes) else 50.0
    scale = np.exp(rng.uniform(np.log(14), np.log(80))) / usual
    ratio = np.exp(rng.normal(0, 0.12))
    goal = photo.boxes[int(rng.integers(len(photo.boxes)))] if len(photo.boxes) else np.array((0, 0, *photo.image.shape[1::-1]))
    middle = goal[:2] + goal[2:] / 2
    matrix = np.array([(scale * ratio, 0, 0), (0, scale / ratio, 0)])
    matrix[:, 2] = SIDE_PX * rng.uniform(0.15, 0.85, 2) - matrix[:, :2] @ middle
    source = photo.image if scale > 0.7 else np.asarray(cv2.GaussianBlur(photo.image, (0, 0), 0.4 / scale), np.uint8)
    fill = tuple(rng.integers(0, 255, 3).tolist())
    border = cv2.BORDER_CONSTANT
    image = cv2.warpAffine(source, matrix, (SIDE_PX, SIDE_PX), flags=cv2.INTER_LINEAR, borderMode=border, borderValue=fill)
    rows = np.zeros((MOST_LABELS, LABEL_FIELDS), np.float32)
    factors = np.array((scale * ratio, scale / ratio))
    for row, box, upright in zip(rows, photo.boxes, photo.upright, strict=False):
        size = box[2:] * factors
        x, y = matrix[:, :2] @ (box[:2] + box[2:] / 2) + matrix[:, 2]
        inside = -0.1 * size[0] < x < SIDE_PX + 0.1 * size[0] and -0.1 * size[1] < y < SIDE_PX + 0.1 * size[1]
        cut = not (size[0] * 0.35 < x < SIDE_PX - size[0] * 0.35 and size[1] * 0.35 < y < SIDE_PX - size[1] * 0.35)
        if inside:
            row[:] = x, y, *size, 0, 0, Form.FACE, 2 if cut else 4 if upright else 3
    return TabletopFrame(seen(np.asarray(image, np.uint8), rng), rows, np.zeros((SIDE_PX // 8, SIDE_PX // 8), np.float32), photo.whole)


_CHUNK = 16
_PHOTOGRAPHED, _TRACED = 0.18, 0.25
"""Shares of frames that are photographs and path-traced pictures, where there are any."""
Chunk = tuple[NDArray[np.uint8], NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_]]


@frozen
class Source:
    """Where frames come from: a bank of faces, and folders of photographs (with their notes) and of path-traced pictures, or none."""

    bank: Path
    photos: Path | None
    notes: Path
    seed: int
    traced: Path | None = None


@dataclass(slots=True)
class _Worker:
    bank: FaceBank
    photographs: list[BoxedPhotograph]
    traced: list[Path]
    seed: int


_worker: list[_Worker] = []


def _begin(source: Source) -> None:
    cv2.setNumThreads(1)
    photographs = read_photographs(source.photos, source.notes)[0] if source.photos else []
    traced = sorted(source.traced.glob("[0-9]*[0-9].npy")) if source.traced else []
    _worker[:] = [_Worker(FaceBank.load(source.bank), photographs, traced, source.seed)]


def _chunk(number: int) -> Chunk:
    """The frames of one number, always the same."""
    worker, frames = _worker[0], list[TabletopFrame]()
    for index in range(_CHUNK):
        rng = np.random.default_rng([worker.seed, number, index])
        try:
            if worker.photographs and rng.random() < _PHOTOGRAPHED:
                frames.append(photographed_frame(worker.photographs, rng))
            elif worker.traced and rng.random() < _TRACED / (1 - _PHOTOGRAPHED):
                frames.append(traced_frame(worker.traced, rng))
            else:
                frames.append(drawn_frame(worker.bank, rng))
        except cv2.error:  # a view that cannot be drawn
            frames.append(frames[-1] if frames else drawn_frame(worker.bank, np.random.default_rng(number)))
    return (
        np.stack([frame.image for frame in frames]),
        np.stack([frame.labels for frame in frames]),
        np.stack([frame.covering for frame in frames]),
        np.array([frame.whole for frame in frames]),
    )


@dataclass(slots=True)
class FrameStore:
    """The latest frames, on the device that trains: ``size`` of them, in whole chunks."""

    size: int
    device: torch.device
    drawn: int = 0
    """How many frames have come in all."""
    pictures: torch.Tensor = field(init=False)
    labels: torch.Tensor = field(init=False)
    covering: torch.Tensor = field(init=False)
    whole: torch.Tensor = field(init=False)

    def __post_init__(self) -> None:
        self.size += -self.size % _CHUNK
        self.pictures = torch.zeros((self.size, SIDE_PX, SIDE_PX, 3), dtype=torch.uint8, device=self.device)
        self.labels = torch.zeros((self.size, MOST_LABELS, LABEL_FIELDS), device=self.device)
        self.covering = torch.zeros((self.size, SIDE_PX // 8, SIDE_PX // 8), device=self.device)
        self.whole = torch.zeros(self.size, dtype=torch.bool, device=self.device)

    def take(self, chunk: Chunk) -> None:
        """Keep a chunk in the place of the oldest one."""
        start = self.drawn % self.size
        there = slice(start, start + _CHUNK)
        for kept, part in zip((self.pictures, self.labels, self.covering, self.whole), chunk, strict=True):
            kept[there] = torch.from_numpy(part).to(self.device)
        self.drawn += _CHUNK

    def batch(self, count: int, generator: torch.Generator) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
        """Pictures (n × 3 × h × w about zero), labels, covering and wholeness of random frames: turned by quarters and varied in light."""
        chosen = torch.randint(min(self.drawn, self.size), (count,), generator=generator).to(self.device)
        pictures = (self.pictures[chosen].permute(0, 3, 1, 2).float() - 127.5) / 64.0
        labels, covering = self.labels[chosen].clone(), self.covering[chosen]
        quarters = int(torch.randint(4, (1,), generator=generator))
        pictures, covering = torch.rot90(pictures, quarters, (2, 3)), torch.rot90(covering, quarters, (1, 2))
        for _ in range(quarters):  # a quarter anticlockwise
            x, y = labels[..., 0].clone(), labels[..., 1].clone()
            labels[..., 0], labels[..., 1] = y, SIDE_PX - x
            boxed = labels[..., 7] == 3
            width, height = labels[..., 2].clone(), labels[..., 3].clone()
            labels[..., 2], labels[..., 3] = torch.where(boxed, height, width), torch.where(boxed, width, height)
            labels[..., 4] = torch.where(boxed, labels[..., 4], labels[..., 4] + torch.pi / 2)
        gain = 1 + 0.12 * torch.randn((count, 3, 1, 1), generator=generator).to(self.device)
        lift = 0.12 * torch.randn((count, 1, 1, 1), generator=generator).to(self.device)
        return (pictures * gain + lift).contiguous(memory_format=torch.channels_last), labels, covering, self.whole[chosen]


@contextmanager
def chunks(source: Source, processes: int, first: int = 0) -> Iterator[Iterator[Chunk]]:
    """Chunks of frames from processes that draw without end, from the chunk of that number on."""
    context = multiprocessing.get_context("spawn")
    with context.Pool(processes, _begin, (source,)) as pool:
        yield _endless(pool, first, 4 * processes)


def _endless(pool: multiprocessing.pool.Pool, first: int, ahead: int) -> Iterator[Chunk]:
    waiting = [pool.apply_async(_chunk, (first + number,)) for number in range(ahead)]
    number = first + ahead
    while True:
        ready = waiting.pop(0)
        waiting.append(pool.apply_async(_chunk, (number,)))
        number += 1
        yield ready.get()
