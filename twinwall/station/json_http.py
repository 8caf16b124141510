"""What the station's two small servers have in common: JSON in and out, nothing kept, nothing logged, nothing framed."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar
from urllib.parse import SplitResult, parse_qs, urlsplit

_MOST_BYTES = 4096
_MOST_DIGITS = 16
"""Of a number in a request: as many as a browser counts exactly."""


class StationRequestError(ValueError):
    """The request is wrong; the message says what is allowed."""


class StationServer(ThreadingHTTPServer):
    """A server whose waiting pages keep nobody from ending."""

    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: object, client_address: object) -> None:
        """A page that is closed while it waits is nobody's fault; anything else is shown."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]  # typeshed's private socket types


class StationHandler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    timeout: ClassVar[float] = 30.0
    """A connection on which nothing comes for so many seconds is closed."""

    def fields(self) -> Mapping[str, object]:
        """The JSON object that was sent; raises RequestError for anything else, which a foreign page could send unasked."""
        length = counted(self.headers.get("Content-Length", ""))
        if self.headers.get_content_type() != "application/json" or length is None or length > _MOST_BYTES:
            self.close_connection = True
            raise StationRequestError("send a JSON object")
        try:
            fields = json.loads(self.rfile.read(length))
        except (ValueError, RecursionError) as problem:
            raise StationRequestError(f"send a JSON object: {problem}") from None
        if not isinstance(fields, dict):
            raise StationRequestError("send a JSON object")
        return fields

    def asked_after(self) -> int:
        """The version of the screen that the page has already (``?after=``), 0 when it says none."""
        return counted(parse_qs(parts_of(self.path).query).get("after", [""])[0]) or 0

    def refuse(self, status: HTTPStatus, why: str) -> None:
        """Answer nothing but why, and end the connection."""
        self.close_connection = True
        self.json(status, {"error": why})

    def json(self, status: HTTPStatus, answer: object, more: Mapping[str, str] | None = None) -> None:
        """Answer with a JSON document."""
        self.answer(status, "application/json", json.dumps(answer).encode(), more)

    def answer(self, status: HTTPStatus, kind: str, body: bytes, more: Mapping[str, str] | None = None) -> None:
        """Answer with a body of a content type, which nobody keeps and no other page shows in a frame."""
        self.send_response_only(status)
        headers = {"Content-Type": kind, "Content-Length": str(len(body)), "Cache-Control": "no-store", "X-Frame-Options": "DENY"}
        for name, value in (headers | dict(more or {})).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing of a tile in hand is logged, not even when it was shown."""


def parts_of(address: str) -> SplitResult:
    """An address in its parts, all of them empty where it is none."""
    try:
        return urlsplit(address)
    except ValueError:
        return urlsplit("")


def counted(text: str) -> int | None:
    """A number as digits alone; None for anything else, and for one that is longer than any count."""
    return int(text) if text.isdecimal() and len(text) <= _MOST_DIGITS else None


def whole(fields: Mapping[str, object], name: str, default: int | None = None, most: int | None = None) -> int:
    """A whole number from 0 to ``most`` among the fields; raises RequestError."""
    value = fields.get(name, default)
    if not isinstance(value, int) or isinstance(value, bool) or value < 0 or (most is not None and value > most):
        raise StationRequestError(f"{name} must be a whole number, not {value!r}")
    return value
