"""How often Python looks for cycles of objects that nothing holds any more, in a process that keeps a whole event in memory."""

from __future__ import annotations

import gc

NEW_OBJECTS = 50_000
"""This many new objects before the collector looks; Python's own number, 700, lets it take half of the time of a large comparison."""


def collect_seldom() -> None:
    """Never look again at what is there now, and seldom at what comes: results are some million objects in no cycle."""
    gc.unfreeze()  # another event may have been open before
    gc.collect()
    gc.freeze()
    gc.set_threshold(NEW_OBJECTS, 20, 100)
