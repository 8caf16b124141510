"""Publishes the ranking pages: renders each change in the store once.

All that it holds can be computed again from the store and the folder.
"""

import logging
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from centre.comparison.following import FollowedComparison
from centre.pages.traced_results import TracedResults
from centre.pages.world_pages import PageAssets, WorldEvent, world_pages
from centre.store.centre_reading import CentreReader
from centre.viewers import page_publisher
from centre.viewers.page_publisher import NotPublishedError, PublishedPages
from twinwall.event.store.databases.port import StoreError
from twinwall.wire.line_traces import LineTraces

LOOK_S = 0.5
"""How often the store is read for changes."""
AGAIN_S = 2.0
"""Time from a failure until the store is opened again."""
_STYLE = Path(__file__).parent / "static" / "world.css"
_SCRIPT = Path(page_publisher.__file__).parent / "viewer.js"
_LOG = logging.getLogger(__name__)


def page_assets(pages: PublishedPages) -> PageAssets:
    """Write the files that every page loads."""
    return PageAssets(*(pages.keep(file.name, file.read_bytes()) for file in (_STYLE, _SCRIPT)))


def keep_published(
    open_reader: Callable[[], CentreReader],
    follow: Callable[[CentreReader], FollowedComparison],
    event: WorldEvent,
    pages: PublishedPages,
    ended: threading.Event,
    *,
    traces: LineTraces | None = None,
) -> None:
    """Publish changes until ``ended`` is set. After a failure of store or disk everything is computed again."""
    assets = page_assets(pages)
    while not ended.is_set():
        try:
            with closing(open_reader()) as reader:
                followed, fields = follow(reader), set(event.files)
                results = TracedResults(traces, reader, followed)
                while not ended.is_set():
                    before = followed.orders
                    results.look()
                    if followed.orders != before:
                        fields = set(event.files)
                    changed = fields | followed.compared.changed()
                    for field in (each for each in event.files if each in changed):  # the page of all venues before 100 others
                        for page in world_pages(event, followed.compared, field, assets, followed.orders):
                            _publish(pages, page)
                    results.published()
                    fields = set()
                    ended.wait(LOOK_S)
        except (StoreError, OSError) as error:  # OSError: a page cannot be written
            _LOG.error("%s", error)
            ended.wait(AGAIN_S)


def _publish(pages: PublishedPages, page: page_publisher.PublicPage) -> None:
    """Publish a page; if nginx refuses the change, viewers get it with the next one."""
    try:
        pages.publish(page)
    except NotPublishedError as error:
        _LOG.warning("page %s is written, but open pages were not told: %s", page.channel, error)
