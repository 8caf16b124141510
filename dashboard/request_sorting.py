"""Sorts each request before it is answered (visitor, lane, stream or not), and limits the number of answers at a time. The page table and
the application's cookies decide. Each lane has its own limit, so that a hall full of phones and spectators blocks neither the login nor the
staff. A page of the application tells the reader, in his language, why a request is refused."""

from collections.abc import Callable
from enum import StrEnum
from functools import lru_cache
from wsgiref.types import WSGIApplication, WSGIEnvironment

from flask import Flask, Response, render_template, request, session

from dashboard.access.login import SESSION, reader_words
from dashboard.access.page_table import PAGES, Audience
from dashboard.access.seat_codes import SEAT
from dashboard.web_app import SECURITY_HEADERS
from twinwall.web.visitor_limits import VisitLimits
from twinwall.web.web_requests import RefusedRequestError
from twinwall.web.web_server import RETRY_AFTER_S, LaneLimits, RequestSorter, ServerLimits, SortedRequest


class RequestLane(StrEnum):
    """Requests that share a limit."""

    PUBLIC = "public"
    """Everybody's."""
    ENTRANCE = "entrance"
    """The login and the invitations."""
    STAFF = "staff"
    """From a browser with a staff login, whatever page it is."""


DEFAULT_LIMITS = ServerLimits(
    VisitLimits(connections=2048, connections_each=512, half_open_each=256, holding_each=96),
    {RequestLane.PUBLIC: LaneLimits(48, 320), RequestLane.ENTRANCE: LaneLimits(8), RequestLane.STAFF: LaneLimits(16, 64)},
)
"""A hall behind one router is one visitor, except for its scanned seats and its staff, which are visitors of their own. A list of entrants,
or the file of an event, comes whole; the application decides which page accepts how much."""


class PageSorter(RequestSorter):
    """Sorts the requests of the dashboard's application."""

    def __init__(self, app: Flask, is_open: Callable[[str], bool]) -> None:
        """``is_open`` says whether a staff session is still open."""
        self._app, self._is_open = app, is_open
        self._page = lru_cache(maxsize=64)(self._made)

    def sort(self, environ: WSGIEnvironment) -> SortedRequest:
        """The visitor, the lane, and whether it asks for a stream."""
        with self._app.request_context(environ):
            page, token, seat = PAGES.get(request.endpoint or ""), session.get(SESSION), session.get(SEAT)
            is_stream = page is not None and page.live
            if isinstance(token, str) and self._is_open(token):
                return SortedRequest(RequestLane.STAFF, is_stream, f"staff {token}")
            lane = RequestLane.ENTRANCE if page is not None and page.audience is Audience.ANYBODY else RequestLane.PUBLIC
            return SortedRequest(lane, is_stream, None if seat is None else f"seat {seat}")

    def refusal(self, environ: WSGIEnvironment, refused: RefusedRequestError) -> WSGIApplication:
        """A page that says why a request is refused, or a line of text for a program."""
        headers = {**SECURITY_HEADERS, "Cache-Control": "no-store", "Retry-After": str(RETRY_AFTER_S)}
        with self._app.request_context(environ):
            words = reader_words()
            sentence = words(refused.key, **refused.values)
            if "text/html" not in request.headers.get("Accept", ""):
                return Response(f"{sentence}\n", refused.status, headers, mimetype="text/plain")
            return Response(self._page(words.language, sentence), refused.status, headers)

    def _made(self, _language: str, sentence: str) -> str:
        """A public page, made once for each sentence, so that a flood of requests does not cost a page each."""
        return render_template("missing.html", sentence=sentence)
