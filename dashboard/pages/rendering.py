"""Fragments, the parts of a page, rendered from templates and numbered by their last change, and the live stream of a page (server-sent
events); failures are stored for the staff. A browser gets the fragments that changed after its number, so a resumed stream is complete.
Templates escape, so the result is markup. The ``id`` of a message is a number of its viewer's channel, without gaps. Changes at one moment
travel together under the last number; the others are sent as numbers only. A browser that reconnects names its last number."""

import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field
from datetime import datetime
from functools import lru_cache

from flask import Request
from jinja2 import Environment
from markupsafe import Markup

from dashboard.access.viewer_scope import TableScope, ViewerScope
from dashboard.i18n.words import Words
from twinwall.game.documents import write_time
from twinwall.values import frozen
from twinwall.wire.names import plain_number
from twinwall.wire.padding import padded_length

_LOG = logging.getLogger(__name__)
MOST_NAMED = 8
"""Most failures shown to staff; the log has all."""
BEAT_S = 1.0
"""How often a quiet stream sends a sign of life, so that a page notices a dead connection within three seconds."""
MOST_NUMBERED = 256
"""After a longer gap, all fragments are sent."""
PADDED_TO = 32 << 10
"""Least bytes sent to viewers of a table's play, doubled if needed; nearly every change fits."""
PageKey = tuple[object, ...]
"""Identifies a page, its language and its audience."""
Now = Callable[[], datetime]
_MAKING = threading.Lock()
"""Streams make their messages one by one. Python runs one thread at a time, so this takes no longer, and a page requested after a change
shares the processor with one stream instead of hundreds."""


@frozen
class FailedParts:
    """The pages and parts that could not be made at the last request, with the kind of the error. The error's message may have secrets:
    only the log has it."""

    kinds: dict[tuple[str, PageKey], str] = field(default_factory=dict)

    def note(self, what: str, page: PageKey, problem: BaseException) -> None:
        """Note that a page (by route) or a part (by id) could not be made at the address of ``page``."""
        self.kinds[what, page] = type(problem).__name__
        if len(self.kinds) > MOST_NAMED:
            self.kinds.pop(next(iter(self.kinds)), None)

    def made(self, what: str, page: PageKey) -> None:
        self.kinds.pop((what, page), None)

    def named(self) -> tuple[str, ...]:
        """The staff's messages: each failure with its error, once."""
        return tuple(dict.fromkeys(f"{what}: {kind}" for (what, _), kind in self.kinds.copy().items()))


@frozen
class Renderer:
    """The pieces' templates in one environment and language; without ``failed`` an error ends the page, as in a published site. ``page``
    identifies their page, ``may_open`` says whether its reader may open an address."""

    environment: Environment
    words: Words
    failed: FailedParts | None = None
    page: PageKey = ()
    may_open: Callable[[str], bool] = lambda _address: True

    def __call__(self, template: str, **values: object) -> Markup:
        """The markup of ``pieces/<template>`` with these values."""
        return Markup(self.environment.get_template(f"pieces/{template}").render(words=self.words, **values).strip())  # noqa: S704 - the templates escape

    def part(self, name: str, make: Callable[[], Markup], *, inside_svg: bool = False, version: object = None) -> "Fragment":
        """A fragment of a page; if ``make`` fails, a sentence replaces it, and the rest of the page is still shown."""
        if self.failed is None:
            return Fragment(name, make(), inside_svg, version)
        try:
            made = Fragment(name, make(), inside_svg, version)
        except Exception as problem:
            _LOG.exception("%s cannot be shown", name)
            self.failed.note(name, self.page, problem)
            return Fragment(name, self("common/failed_part.html", id=name, inside_svg=inside_svg), inside_svg)
        self.failed.made(name, self.page)
        return made


REST_S = 0.1
"""A page is made at most this often for its streams: lines at one moment are shown together."""
RenderPage = Callable[[], Iterable["Fragment"]]


@frozen
class Fragment:
    """One element of a page by its id. ``inside_svg`` pieces travel in an ``svg`` wrapper. ``version`` decides whether it changed; with
    None, its text does: a list of other fragments changes only when its members do, not their contents."""

    id: str
    html: Markup
    inside_svg: bool = False
    version: object = None

    def is_as(self, fresh: "Fragment") -> bool:
        """Whether ``fresh`` shows the same."""
        return self.html == fresh.html if fresh.version is None else self.version == fresh.version


Fragments = Iterator[Fragment]
"""Of a page, in order."""


class LivePage:
    """One page in one language, for all its viewers with the same scope."""

    def __init__(self, scope: ViewerScope, render: RenderPage, clock: Callable[[], float] = time.monotonic) -> None:
        """``render`` makes all fragments from what the scope shows now; ``clock`` gives seconds."""
        self.scope = scope
        self._render = render
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: dict[str, tuple[Fragment, int]] = {}
        """The fragments as last made, each with the number of its last change."""
        self._at = -1
        self._rests_until_s = clock()

    @property
    def rest_s(self) -> float:
        """How long its streams must wait before it is made again."""
        return max(0.0, self._rests_until_s - self._clock())

    def current(self) -> tuple[int, Mapping[str, Markup]]:
        """The number of the last change, and every fragment at that number, by id."""
        with self._lock:
            self._refresh()
            return self._at, {name: fragment.html for name, (fragment, _) in self._kept.items()}

    def changed_since(self, sequence: int | None) -> tuple[int, tuple[Fragment, ...]]:
        """A number, and the fragments that changed after ``sequence`` (all for None) up to that number. While the page rests, viewers who
        lack fragments of the last version get only those."""
        with self._lock:
            if sequence is None or sequence >= self._at or not self.rest_s:
                self._refresh()
            return self._at, tuple(each for each, changed in self._kept.values() if sequence is None or changed > sequence)

    def _refresh(self) -> None:
        now = self.scope.sequence
        if now == self._at:
            return
        fresh: dict[str, tuple[Fragment, int]] = {}
        for fragment in self._render():
            old = self._kept.get(fragment.id)
            fresh[fragment.id] = fragment, old[1] if old is not None and old[0].is_as(fragment) else now
        self._kept, self._at, self._rests_until_s = fresh, now, self._clock() + REST_S


def known_sequence(request: Request, scope: ViewerScope) -> int | None:
    """The browser's number; None if it has none of this run, so that it needs everything."""
    if request.args.get("boot") != scope.boot:
        return None
    number, newest = plain_number(request.headers.get("Last-Event-ID") or request.args.get("since"), 15), scope.sequence
    return number if number is not None and newest - MOST_NUMBERED <= number <= newest else None


def stream(
    page: LivePage, since: int | None, now: Now, alive: Callable[[], bool], rest: Callable[[float], None] = time.sleep
) -> Iterator[str]:
    """The stream's text after ``since``, until ``alive`` is False or the browser goes; ``rest`` waits for a number of seconds."""
    yield f"retry: 500\nevent: boot\ndata: {page.scope.boot}\n\n"
    sent = since
    while alive():
        if sent is None or page.scope.wait_beyond(sent, BEAT_S) != sent:
            rest(page.rest_s)
            with _MAKING:
                at, text = _changes(page, sent)
            yield _padded(text) if isinstance(page.scope, TableScope) else text
            sent = at
        yield f": here\nevent: beat\ndata: {write_time(now())}\n\n"


def _padded(text: str) -> str:
    """The text with a comment that pads it to one of few lengths: a discard's own length would reveal its tile to listeners."""
    length = len(text.encode()) + len(":\n")
    return f"{text}:{' ' * (padded_length(length, PADDED_TO) - length)}\n"


def _changes(page: LivePage, since: int | None) -> tuple[int, str]:
    """The number of the last change, and the messages of all changes after ``since``; earlier ones are only numbers."""
    at, fragments = page.changed_since(since)
    numbers = "".join(f"id: {number}\n\n" for number in range(at if since is None else since + 1, at))
    return at, numbers + _message(at, tuple(f"<svg>{each.html}</svg>" if each.inside_svg else str(each.html) for each in fragments))


@lru_cache(maxsize=16)
def _message(number: int, markup: tuple[str, ...]) -> str:
    """One message: its number, and the fragments' markup line by line, or only the number. The latest are cached, because all streams of a
    page send the same."""
    lines = [line for each in markup for line in each.splitlines()]
    return "".join([f"id: {number}\n", *(f"data: {line}\n" for line in lines), "\n"])
