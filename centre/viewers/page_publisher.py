"""Publishes pages that are the same for everybody: writes each once per language, and tells viewers what changed in it.

The folder is the whole state: changes are found by comparing with the page there, so another process can continue where one was killed. A
page that was written but not announced is announced with the next, since viewers name the revision that they show; one that a killed
process has written is announced once more.
"""

import hashlib
import re
from collections.abc import Mapping
from html.parser import HTMLParser
from http.client import HTTPConnection
from pathlib import Path
from socket import AF_UNIX, socket

import msgspec

from centre.deploy.nginx_conf import CHANNEL, MOST_CHANGE_BYTES
from twinwall.values import frozen
from twinwall.wire.durable_file import write_durably

MOST_PARTS_BYTES = MOST_CHANGE_BYTES // 2
"""Parts longer than this together are fetched as a page instead."""
TIMEOUT_S = 10.0
_NO_REVISION = '<meta name="revision" content="">'
_REVISION = re.compile(r'<meta name="revision" content="([0-9a-f]*)">')


class NotPublishedError(Exception):
    """nginx did not take a message; the page itself is in the folder. The message says why."""


@frozen
class PublicPage:
    """A page in one language.

    Attributes:
        name: lower case, as in ``world`` or ``venue-kyoto``.
        text: the HTML, with ``<meta name="revision" content="">`` and each of ``parts`` in it word for word.
        parts: what changes, by the value of its ``data-part``.
    """

    name: str
    language: str
    text: str
    parts: Mapping[str, str]

    def __post_init__(self) -> None:
        """Refuse a name that is no channel, and a page that lacks its parts."""
        if re.fullmatch(CHANNEL, self.channel) is None:
            raise ValueError(f"{self.channel!r} is no name of a page: use lower-case letters, digits and '-'")
        if self.text.count(_NO_REVISION) != 1:
            raise ValueError(f"page {self.channel}: {_NO_REVISION} has to stand in it once")
        for name, part in self.parts.items():
            if part not in self.text:
                raise ValueError(f"page {self.channel}: the part {name!r} does not stand in it")

    @property
    def channel(self) -> str:
        """The name of its stream."""
        return f"{self.name}.{self.language.lower()}"

    @property
    def revision(self) -> str:
        """A digest of the text."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:16]

    @property
    def published(self) -> str:
        """The text as it is served."""
        return self.text.replace(_NO_REVISION, f'<meta name="revision" content="{self.revision}">')


class PageChange(msgspec.Struct, frozen=True):
    """A stream's message: the revision before, the one in the folder now, and the parts that differ.

    ``parts`` is None if viewers must fetch the page.
    """

    before: str
    page: str
    parts: dict[str, str] | None = None


class PublishedPages:
    """The folder of one publisher, and nginx's socket."""

    def __init__(self, folder: Path, nginx: Path) -> None:
        self._folder, self._nginx = folder, nginx
        self._begun: set[str] = set()
        """Streams that this process has sent something, or tried to."""
        (folder / "kept").mkdir(parents=True, exist_ok=True)

    def keep(self, name: str, content: bytes) -> str:
        """Write a file that pages load; returns its address, which changes with its content."""
        stem, dot, kind = name.rpartition(".")
        file = self._folder / "kept" / f"{stem}.{hashlib.sha256(content).hexdigest()[:12]}{dot}{kind}"
        if not file.exists():
            write_durably(file, content)
        return f"/kept/{file.name}"

    def publish(self, page: PublicPage) -> bool:
        """Write a page and tell its viewers; False if this process has already published the same one.

        Raises OSError if it cannot be written, and NotPublishedError if it is written and nginx took no message.
        """
        file = self._folder / f"{page.channel}.html"
        before = file.read_text(encoding="utf-8") if file.exists() else ""
        if before == page.published and page.channel in self._begun:
            return False
        self._begun.add(page.channel)
        if before != page.published:
            write_durably(file, page.published.encode())
        self._tell(page.channel, msgspec.json.encode(change(before, page)))
        return True

    def _tell(self, channel: str, message: bytes) -> None:
        connection = _UnixConnection(self._nginx)
        try:
            connection.request("POST", f"/publish/{channel}", message, {"Content-Type": "application/json"})
            status = connection.getresponse().status
        except OSError as error:
            raise NotPublishedError(f"nginx does not answer at {self._nginx}: {error}") from error
        finally:
            connection.close()
        if status not in (200, 201, 202):
            raise NotPublishedError(f"nginx refused a message for {channel} with status {status}")


def change(before: str, page: PublicPage) -> PageChange:
    """What to tell viewers of the page ``before``; only the parts, if it had all of them and they are not long."""
    found = _REVISION.search(before)
    if found is None or part_names(before) != frozenset(page.parts):
        return PageChange("", page.revision)
    parts = {name: part for name, part in page.parts.items() if part not in before}
    change = PageChange(found[1], page.revision, parts)
    return change if len(msgspec.json.encode(change)) <= MOST_PARTS_BYTES else PageChange(found[1], page.revision)


def part_names(text: str) -> frozenset[str]:
    """The parts of a page."""
    reader = _PartNames()
    reader.feed(text)
    return frozenset(reader.found)


class _PartNames(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, _tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [value or "" for name, value in attrs if name == "data-part"]


class _UnixConnection(HTTPConnection):
    def __init__(self, path: Path) -> None:
        super().__init__("localhost", timeout=TIMEOUT_S)
        self._path = path

    def connect(self) -> None:
        self.sock = socket(AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self._path))
