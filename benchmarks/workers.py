"""Sharing independent runs among processes, each run known by its seed."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterable
from typing import TypeVar

T = TypeVar("T")


def in_workers(run: Callable[[int], T], seeds: Iterable[int], processes: int) -> list[T]:
    """The results of ``run`` for every seed, in order; in this process when there is to be but one."""
    if processes == 1:
        return [run(seed) for seed in seeds]
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        return pool.map(run, seeds, chunksize=8)
