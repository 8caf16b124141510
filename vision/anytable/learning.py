"""Learning pass over a whole video before it is recorded: learns the faces of its tile set, the size of its tiles, and the table's
middle."""

from collections.abc import Iterable
from itertools import islice

import numpy as np

from vision.anytable.flattening import flattening
from vision.anytable.plane import TablePlane
from vision.anytable.sources import TimedFrame
from vision.anytable.watcher import TableWatcher
from vision.finder.found import Finder
from vision.table.lens import project

_LEARN_EVERY_MS = 6000
"""Time between the pictures of the learning pass."""
_OTHER_SIZE, _FAR_MM = 0.16, 60.0
"""The plane is corrected only if the faces' area (logarithm) is off by more than the first, since the finder's boxes may be 7 % too small
along each side. The origin is moved only if the middle of all faces is further away than the second."""
_MANY = 20
"""The origin is moved only with at least this many faces: in a few, one meld weighs too much."""


def learn(frames: Iterable[TimedFrame], every_ms: int, finder: Finder, watcher: TableWatcher) -> TablePlane:
    """Show the watcher's judge pictures of the whole video, ``every_ms`` apart: a tile in doubt early is read by what later ones show.
    Return the watcher's plane, corrected by all faces; the watcher itself cannot be used afterwards."""
    plane = watcher.plane
    for frame in islice(frames, 0, None, max(1, _LEARN_EVERY_MS // every_ms)):
        watcher.observe(frame.image, finder.look(frame.image), frame.at_ms)
    outlines = watcher.outlines_mm()
    level = flattening(outlines)
    level = level if abs(np.log(np.linalg.det(level[:2, :2]))) > _OTHER_SIZE else np.eye(3)
    middles = project(level, np.array([(0.0, 0.0), *(outline.mean(axis=0) for outline in outlines)]))
    middle = np.percentile(middles, (25, 75), axis=0).mean(axis=0)
    far = np.hypot(*middle) > _FAR_MM and len(outlines) >= _MANY
    return plane.after(level).moved(middle, 0.0) if far else plane.after(level)
