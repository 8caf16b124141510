"""The live stream of a page (server-sent events): the fragments that changed, numbered without gaps.

The ``id`` of a message is a number of its viewer's channel. Changes of one moment travel together under the last
of their numbers; the others are sent as numbers alone. A browser that reconnects names its last number.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from functools import lru_cache

from flask import Request

from dashboard.access.viewer_scope import TableScope, ViewerScope
from dashboard.pages.rendering import Fragment, LivePage
from twinwall.game.documents import write_time
from twinwall.wire.padding import padded_length

BEAT_S = 1.0
"""How often a quiet stream shows that it lives, so that a page notices a dead connection within three seconds."""
MOST_NUMBERED = 256
"""A longer gap is sent as one full set of fragments instead."""
PADDED_TO = 32 << 10
"""Bytes, and doubled beyond, of what is sent to who watches a table's play; nearly every change fits."""
_MAKING = threading.Lock()
"""Streams make their messages one after the other. Python runs one thread at a time, so this takes no longer, and a page that is asked for
after a change shares the processor with one stream and not with some hundred."""


def known_sequence(request: Request, scope: ViewerScope) -> int | None:
    """The number that the browser has; None when it has none of this run, and needs everything."""
    if request.args.get("boot") != scope.boot:
        return None
    text = request.headers.get("Last-Event-ID") or request.args.get("since") or ""
    if not (text.isascii() and text.isdigit() and len(text) < 16):
        return None
    number = int(text)
    newest = scope.sequence
    return number if newest - MOST_NUMBERED <= number <= newest else None


def stream(
    page: LivePage, since: int | None, now: Callable[[], datetime], alive: Callable[[], bool], rest: Callable[[float], None] = time.sleep
) -> Iterator[str]:
    """The stream's text from ``since`` on, until ``alive`` says no or the browser goes; ``rest`` waits for a number of seconds."""
    yield f"retry: 500\nevent: boot\ndata: {page.scope.boot}\n\n"
    sent = since
    while alive():
        if sent is None or page.scope.wait_beyond(sent, BEAT_S) != sent:
            rest(page.rest_s)
            with _MAKING:
                at, text = _changes(page, sent)
            yield _padded(text, PADDED_TO) if isinstance(page.scope, TableScope) else text
            sent = at
        yield f": here\nevent: beat\ndata: {write_time(now())}\n\n"


def _padded(text: str, least: int) -> str:
    """With a comment behind it that gives it one of few lengths: a discard's own would tell who listens which tile it is."""
    length = len(text.encode()) + len(":\n")
    return f"{text}:{' ' * (padded_length(length, least) - length)}\n"


def _changes(page: LivePage, since: int | None) -> tuple[int, str]:
    """The number of the last change, and the messages of all changes after ``since``: earlier ones are numbers alone."""
    at, fragments = page.changed_since(since)
    numbers = "".join(f"id: {number}\n\n" for number in range(at if since is None else since + 1, at))
    return at, numbers + message(at, fragments)


def message(number: int, fragments: Iterable[Fragment]) -> str:
    """One message: its number, and the fragments' markup line by line. Without fragments it is the number alone."""
    return _message(number, tuple(map(_markup, fragments)))


@lru_cache(maxsize=16)
def _message(number: int, markup: tuple[str, ...]) -> str:
    """The message; the last ones are kept, since all streams of a page tell the same."""
    lines = [line for each in markup for line in each.splitlines()]
    return "".join([f"id: {number}\n", *(f"data: {line}\n" for line in lines), "\n"])


def _markup(fragment: Fragment) -> str:
    return f"<svg>{fragment.html}</svg>" if fragment.inside_svg else str(fragment.html)
