"""Learning a whole video before it is recorded: the faces of its set, the size of its tiles, and where its middle is."""

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
"""Time between two pictures from which the set of a whole video is learnt."""
_OTHER_SIZE, _FAR_MM = 0.16, 60.0
"""A finder's boxes may be up to 7 % too small along each side, so a plane on which faces have an area (logarithm) that is off by no more is
as good. Where half of all faces lie around a spot that is further from the middle, that is the middle."""
_MANY = 20
"""Fewer faces do not tell where the middle is: one meld is a quarter of them."""


def learn(frames: Iterable[TimedFrame], every_ms: int, finder: Finder, watcher: TableWatcher) -> TablePlane:
    """Let the judge of a watcher, which is of no use afterwards, see a video, whose frames are so far apart, from its beginning to its end:
    a tile that is in doubt early is read by what others of its kind show later. Gives the watcher's plane again, by all faces: the first
    pictures may show too few walls and hands to tell a tile's size, and where the middle is."""
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
