"""``twinwall centre publish``: keep the ranking pages of all venues as files for a web server."""

import argparse
import os
from pathlib import Path

from centre.commands.consume import centre_programme, centre_store, centre_venues
from centre.comparison.following import FollowedComparison
from centre.pages.publishing import keep_published
from centre.pages.world_pages import WorldEvent
from centre.store.centre_reading import CentreReader
from centre.viewers.page_publisher import PublishedPages
from cli import logs
from cli.run_settings import load_to_run
from cli.usage import EXIT_GOOD, LOG, argument, settings_file, takes, until_stopped
from config import CentreSettings
from dashboard.serving import collect_seldom
from twinwall.wire.line_traces import open_traces


@takes(
    settings_file("a consumer's"),
    argument("--out", type=Path, required=True, metavar="FOLDER", help="the folder that the web server serves"),
    argument("--nginx", type=Path, required=True, metavar="SOCKET", help="where nginx takes changes for open pages: publish.sock"),
    LOG,
    about=__doc__,
)
def publish(arguments: argparse.Namespace) -> int:
    collect_seldom()
    os.umask(0o022)  # pages are for everybody, also where a service's files are its own
    settings = load_to_run(arguments.settings, CentreSettings)
    section = settings.centre
    logs.begin(arguments, {"event": section.name})
    programme, venues, store = centre_programme(section), centre_venues(section), centre_store(settings)
    terms = None if programme.custody is None else programme.custody.plan.field
    event = WorldEvent(section.name, {venue.name: venue.region for venue in venues}, section.points, terms)
    ended = until_stopped()
    keep_published(
        lambda: CentreReader(store, section.name),
        lambda reader: FollowedComparison(reader, programme, venues, section.persons),
        event,
        PublishedPages(arguments.out, arguments.nginx),
        ended,
        traces=open_traces("twinwall-publisher", section.name),
    )
    return EXIT_GOOD
