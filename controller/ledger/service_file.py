"""The part of a table's journal that may be given to remote help (``service_lines``): faults, links and restarts, and nothing that names a
tile.

Only what this list names is published. A fault's own sentence may name tiles ("one 3p is missing"): it is published only with the settings'
service switch on.
"""

import logging
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path

from firmware_bridge.link.statistics import LinkStatistics
from twinwall.game.documents import canonical_json, parse_object

_PUBLISHED: Mapping[str, tuple[str, ...]] = {
    "controller-started": ("version", "resumed", "first_operation", "custody"),
    "feeder-booted": ("uid", "boot"),
    "link-lost": ("what",),
    "camera-trouble": ("what", "why"),
    "link-restored": ("what",),
    "operation-done": ("operation", "result"),
    "tiles-worn": ("set", "looks"),
    "fault": ("code", "where", "part", "place", "number"),
    "fault-cleared": ("code",),
}
"""Types of published journal lines, and their published keys."""
_NAMES_TILES = {"fault": ("sentence", "tiles"), "tiles-worn": ("tiles",)}
"""What is also published with the service switch on."""
_ORDINARY_RESULT = "ok"

LINK_NOTES = "feeder-link.json"
_NOTE_EVERY_S = 60.0
log = logging.getLogger(__name__)


def service_lines(journal: Iterable[bytes], *, switched_on: bool) -> Iterator[bytes]:
    """Yield the publishable lines of a journal with their publishable keys; unreadable lines are left out."""
    for line in journal:
        try:
            read = parse_object(line)
        except ValueError:
            continue
        kind = str(read.get("type"))
        if kind not in _PUBLISHED:
            continue
        if kind == "operation-done" and read.get("result") == _ORDINARY_RESULT:
            continue
        keys = ("seq", "at", "type", *_PUBLISHED[kind], *(_NAMES_TILES.get(kind, ()) if switched_on else ()))
        yield canonical_json({key: read[key] for key in keys if key in read})


class LinkNotes:
    """Stores the counts of the line to the feeder in a file beside the journal, for the service file; at most once a minute."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / LINK_NOTES
        self._due_s = 0.0

    def note(self, statistics: LinkStatistics, now_s: float) -> None:
        """Write them if it is time; errors of the disk are ignored."""
        if now_s < self._due_s:
            return
        self._due_s = now_s + _NOTE_EVERY_S
        temporary = self._path.with_suffix(".new")
        try:
            temporary.write_bytes(canonical_json(asdict(statistics)))
            temporary.replace(self._path)
        except OSError as error:
            log.warning("the counts of the feeder's line cannot be kept: %s", error)
