"""Pool of training frames, rendered by several processes; the same seed gives the same frames, however many processes there are."""

import multiprocessing

import cv2
import numpy as np
from numpy.typing import NDArray

from tools.train.frames import Material, random_frame
from twinwall.values import frozen
from vision.model.crop_view import CROP_H, CROP_W


@frozen
class Pool:
    """Frames n × CROP_H × CROP_W × 3 uint8 BGR and the outputs they should light, n int64."""

    frames: NDArray[np.uint8]
    labels: NDArray[np.int64]


@frozen
class _ChunkOrder:
    seed: int
    index: int
    count: int


def render_pool(material: Material, count: int, seed: int, processes: int, *, chunk: int = 1000) -> Pool:
    """Render ``count`` frames; each ``chunk`` of them draws from its own stream of the seed."""
    orders = [_ChunkOrder(seed, start // chunk, min(chunk, count - start)) for start in range(0, count, chunk)]
    if processes <= 1:
        parts = [_chunk(material, order) for order in orders]
    else:
        with multiprocessing.get_context("spawn").Pool(processes, _keep, (material,)) as workers:
            parts = workers.map(_kept_chunk, orders, chunksize=1)
    return Pool(np.concatenate([part.frames for part in parts]), np.concatenate([part.labels for part in parts]))


_kept: list[Material] = []
"""A worker's material, sent to it once; spawned workers share nothing with their parent."""


def _keep(material: Material) -> None:
    cv2.setNumThreads(1)
    _kept[:] = [material]


def _kept_chunk(order: _ChunkOrder) -> Pool:
    return _chunk(_kept[0], order)


def _chunk(material: Material, order: _ChunkOrder) -> Pool:
    rng = np.random.default_rng([order.seed, order.index])
    frames = np.empty((order.count, CROP_H, CROP_W, 3), np.uint8)
    labels = np.empty(order.count, np.int64)
    for index in range(order.count):
        frames[index], labels[index] = random_frame(material, rng)
    return Pool(frames, labels)
