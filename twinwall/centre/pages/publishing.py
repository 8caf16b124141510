"""Publication of the pages: files for a web server, and the changed part to whoever has the page open.

The web server (nginx with nchan) serves the folder and carries the streams. A page that is the same as before is neither written nor
sent. A file is replaced as a whole, so a reader gets the old page or the new one.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from pathlib import Path
from urllib.error import URLError
from urllib.request import Request, urlopen

from twinwall.centre.comparison.following import FollowedComparison
from twinwall.centre.pages.world_pages import WorldEvent, WorldPage, shared_files, world_pages
from twinwall.centre.store.centre_reading import CentreReader
from twinwall.event.store.databases.port import StoreError

LOOK_S = 0.5
"""How often the store is asked for changes."""
AGAIN_S = 2.0
"""So long after a failure the store is opened again."""
SEND_TIMEOUT_S = 5.0
_LOG = logging.getLogger(__name__)


class WorldPublisher:
    """Writes pages below a folder and sends their rankings to ``stream``, an address such as ``http://127.0.0.1:8090/publish``."""

    def __init__(self, folder: Path, stream: str | None) -> None:
        """Write the files that the pages share."""
        self._folder, self._stream = folder, stream
        self._unsent: dict[str, bytes] = {}
        """The newest ranking of each page that is not sent yet."""
        self._told: set[str] = set()
        """The pages that were sent since this began: what happened before, nobody knows."""
        for name, content in shared_files().items():
            self._write(name, content)

    def publish(self, page: WorldPage) -> bool:
        """Publish a page; whether it was another one than before."""
        written = self._write(f"{page.path}.html", page.html)
        if written or page.path not in self._told:
            self._told.add(page.path)
            self._unsent[page.path] = page.ranking
        return written

    def send(self) -> bool:
        """Send what is not sent yet; whether all of it went. What did not go is sent when this is asked again."""
        for path in list(self._unsent) if self._stream is not None else ():
            address = f"{self._stream}/{path}"
            try:
                with urlopen(Request(address, self._unsent[path], method="POST"), timeout=SEND_TIMEOUT_S):  # noqa: S310 - settings name it
                    del self._unsent[path]
            except (URLError, OSError) as error:
                _LOG.warning("%s: the ranking was not sent (%s); the file is written, and it is sent again", address, error)
                return False
        self._unsent.clear()
        return True

    def _write(self, name: str, content: bytes) -> bool:
        path = self._folder / name
        if path.is_file() and path.read_bytes() == content:
            return False
        path.parent.mkdir(parents=True, exist_ok=True)
        beside = path.with_name(f".{path.name}.new")
        beside.write_bytes(content)
        beside.replace(path)
        return True


def keep_published(
    open_reader: Callable[[], CentreReader],
    follow: Callable[[CentreReader], FollowedComparison],
    event: WorldEvent,
    publisher: WorldPublisher,
    ended: threading.Event,
) -> None:
    """Publish what changes until ``ended`` is set. A store that fails is opened again, and everything is computed anew."""
    while not ended.is_set():
        try:
            reader = open_reader()
            try:
                followed, fields = follow(reader), set(event.files)
                while not ended.is_set():
                    followed.look()
                    for field in fields | followed.compared.changed():
                        for page in world_pages(event, followed.compared, field):
                            publisher.publish(page)
                    fields = set()
                    publisher.send()
                    ended.wait(LOOK_S)
            finally:
                reader.close()
        except StoreError as error:
            _LOG.error("%s", error)
            ended.wait(AGAIN_S)
