"""What a request is, found out from its head before it costs a thread: whose it is, its lane, and whether it asks for a stream.

The page table and the application's cookies decide it. What is refused is said by a page of the application, in the reader's language.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import unquote_to_bytes, urlsplit

import h11
from flask import Flask, render_template, request, session

from dashboard.access.login import SESSION
from dashboard.access.page_table import PAGES, Audience
from dashboard.access.seat_codes import SEAT
from dashboard.i18n.words import Words
from dashboard.reverse_proxy.proxy_limits import RequestLane


@dataclass(frozen=True, slots=True)
class SortedRequest:
    """A request as the limits see it; ``visitor`` is None where nothing but the address is known."""

    lane: RequestLane = RequestLane.PUBLIC
    is_stream: bool = False
    visitor: str | None = None


class RequestSorter:
    """Sorts the requests of one application; asked in one thread."""

    def __init__(self, app: Flask, words: Callable[[], Words], is_open: Callable[[str], bool]) -> None:
        """``words`` are those of the present request; ``is_open`` says whether a session of the staff is still open."""
        self._app, self._words, self._is_open = app, words, is_open
        self._page = lru_cache(maxsize=64)(self._made)

    def sort(self, head: h11.Request) -> SortedRequest:
        """What the request is."""
        with self._app.request_context(_environ(head)):
            page, token, seat = PAGES.get(request.endpoint or ""), session.get(SESSION), session.get(SEAT)
            is_stream = page is not None and page.live
            if isinstance(token, str) and self._is_open(token):
                return SortedRequest(RequestLane.STAFF, is_stream, f"staff {token}")
            lane = RequestLane.ENTRANCE if page is not None and page.audience is Audience.ANYBODY else RequestLane.PUBLIC
            return SortedRequest(lane, is_stream, None if seat is None else f"seat {seat}")

    def refusal(self, head: h11.Request | None, key: str, **values: object) -> tuple[str, str]:
        """Why a request is refused, for its sender: the media type, and the text."""
        with self._app.request_context(_environ(head)):
            words, html = self._words(), "text/html"
            if html not in request.headers.get("Accept", ""):
                return "text/plain", f"{words(key, **values)}\n"
            return html, self._page(words.language, words(key, **values))

    def _made(self, _language: str, sentence: str) -> str:
        """A page of everybody's, made once for each sentence: a flood of requests must not cost a page each."""
        return render_template("missing.html", sentence=sentence)


def _environ(head: h11.Request | None) -> dict[str, object]:
    """What WSGI calls the request, without its body."""
    headers = {} if head is None else {name.decode("latin-1"): value.decode("latin-1") for name, value in head.headers}
    try:
        parts = urlsplit("/" if head is None else head.target.decode("latin-1"))
    except ValueError:  # gunicorn refuses it
        parts = urlsplit("/")
    named = {f"HTTP_{name.upper().replace('-', '_')}": headers[name] for name in ("accept", "accept-language", "cookie") if name in headers}
    return {
        "REQUEST_METHOD": "GET" if head is None else head.method.decode("latin-1"),
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote_to_bytes(parts.path).decode("latin-1"),
        "QUERY_STRING": parts.query,
        "SERVER_NAME": "localhost",
        "SERVER_PORT": "80",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "wsgi.url_scheme": "http",
        "wsgi.input": io.BytesIO(),
        "wsgi.errors": io.StringIO(),
        **named,
    }
