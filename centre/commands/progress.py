"""``twinwall centre progress``: how far the centre's store is with each venue, by the tables' signed heads and last heartbeats.

A venue has caught up when every line is stored that its tables have said they have, and they have said so lately.
"""

import argparse
import json
import math
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing
from datetime import UTC, datetime, timedelta

from centre.commands.consume import centre_store, centre_venues
from centre.store.centre_reading import CentreReader
from centre.store.venue_contents import VenueProgress
from cli.run_settings import load_to_run
from cli.usage import EXIT_GOOD, EXIT_NO, JSON, argument, one_of, settings_file, takes
from config import CentreSettings
from twinwall.event.natural_order import natural
from twinwall.event.store.databases.port import StoreError
from twinwall.game.documents import write_time

FRESH = timedelta(seconds=30)
"""An older heartbeat says nothing about now: the venue is away, or a broker still holds what it has sent since."""
LINES_ROUNDED_TO = 100
"""Metrics count lines in these steps, as a hall's do: the number must not reveal that a tile was laid."""
Progress = Mapping[str, VenueProgress | None]
"""Of every venue that takes part; None if no consumer has heard it."""


@takes(
    settings_file("a consumer's"),
    one_of(
        JSON,
        argument("--metrics", action="store_true", help="print it in the text format of Prometheus"),
    ),
    about=__doc__,
)
def run(arguments: argparse.Namespace) -> int:
    settings = load_to_run(arguments.settings, CentreSettings)
    try:
        with closing(CentreReader(centre_store(settings), settings.centre.name)) as reader:
            found = reader.progress()
    except StoreError as error:
        print(f"progress: {error}", file=sys.stderr)
        return EXIT_NO
    now = datetime.now(UTC)
    progress = {venue.name: found.get(venue.name) for venue in centre_venues(settings.centre)}
    if arguments.json:
        print(json.dumps({venue: _as_json(each, now) for venue, each in progress.items()}, indent=2))
    else:
        print("\n".join(metrics(progress) if arguments.metrics else sentences(progress, now)))
    return EXIT_GOOD if all(caught_up(each, now) for each in progress.values()) else EXIT_NO


def caught_up(progress: VenueProgress | None, now: datetime) -> bool:
    """Whether every line is stored that the venue's tables have, by what they sent lately."""
    return progress is not None and not progress.missing and _is_fresh(progress, now)


def sentences(progress: Progress, now: datetime) -> Iterator[str]:
    """How far each venue is, for people."""
    for venue, each in progress.items():
        if each is None:
            yield f"{venue}: not heard yet"
            continue
        missing = sum(each.missing.values())
        stored = f"{each.stored} lines of {each.tables} tables are stored"
        if missing:
            stored += f", {missing} are missing, of tables {', '.join(sorted(each.missing, key=natural))}"
        state = "not heard lately" if not _is_fresh(each, now) else "behind" if missing else "caught up"
        by = "no heartbeat has come," if each.at is None else f"by its heartbeat of {each.at:%H:%M:%S} UTC"
        yield f"{venue}: {state}; {by} {stored}"


def metrics(progress: Progress) -> Iterator[str]:
    """The same in the text format of Prometheus; a venue that was never heard has its lines too, with a heartbeat at time 0."""
    for name, meaning, measured in _METRICS:
        yield f"# HELP {name} {meaning}"
        yield f"# TYPE {name} gauge"
        for venue, each in progress.items():
            yield f"{name}{{venue={_label(venue)}}} {0 if each is None else measured(each)}"


def _stored(progress: VenueProgress) -> float:
    return progress.stored // LINES_ROUNDED_TO * LINES_ROUNDED_TO


def _missing(progress: VenueProgress) -> float:
    return math.ceil(sum(progress.missing.values()) / LINES_ROUNDED_TO) * LINES_ROUNDED_TO


def _heard(progress: VenueProgress) -> float:
    return 0 if progress.at is None else progress.at.timestamp()


_METRICS = (
    ("twinwall_venue_lines", f"Lines of a venue that are stored, rounded down to {LINES_ROUNDED_TO}.", _stored),
    (
        "twinwall_venue_lines_missing",
        f"Lines that a venue's tables have by their heads and heartbeats and that are not stored, rounded up to {LINES_ROUNDED_TO}.",
        _missing,
    ),
    ("twinwall_venue_heartbeat_timestamp_seconds", "When a venue said its last heartbeat, by its own clock; 0 before the first.", _heard),
)


def _is_fresh(progress: VenueProgress, now: datetime) -> bool:
    return progress.at is not None and now - progress.at <= FRESH


def _as_json(progress: VenueProgress | None, now: datetime) -> object:
    if progress is None:
        return None
    at = None if progress.at is None else write_time(progress.at)
    written = {"tables": progress.tables, "stored": progress.stored, "missing": dict(progress.missing), "heartbeat": at}
    return written | {"caught_up": caught_up(progress, now)}


def _label(text: str) -> str:
    """A label's value in quotes."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
