"""Reads complete HTTP requests with h11 and converts them to WSGI, without I/O. Headers by which a browser could pose as a proxy are
dropped."""

import io
import sys
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from ipaddress import ip_address
from urllib.parse import unquote_to_bytes, urlsplit
from wsgiref.types import WSGIEnvironment

import h11

from twinwall.values import frozen
from twinwall.web.visitor_limits import same_address

_NOT_PASSED_ON = frozenset({b"content-length", b"forwarded", b"transfer-encoding"})


class RefusedRequestError(ValueError):
    """A refused request: the status of the answer, and the key and values of its sentence."""

    def __init__(self, status: int, key: str, **values: object) -> None:
        super().__init__(f"{status} {key}")
        self.status, self.key, self.values = status, key, values


@frozen
class WholeRequest:
    """A request, or its head while the body is not complete."""

    head: h11.Request
    path: str
    query: str
    body: bytes = b""

    def values(self, name: bytes) -> str:
        """All values of a header, joined by commas; ``name`` in lower case."""
        return b",".join(value for each, value in self.head.headers if each == name).decode("latin-1")

    def environ(self, address: str, scheme: str, server: tuple[str, int]) -> WSGIEnvironment:
        """The WSGI environment (PEP 3333), without the headers by which a browser could pose as a proxy."""
        headers: dict[str, str] = {}
        for name, value in self.head.headers:
            if name in _NOT_PASSED_ON or name.startswith(b"x-forwarded") or b"_" in name:
                continue
            key, text = f"HTTP_{name.decode().upper().replace('-', '_')}", value.decode("latin-1")
            headers[key] = f"{headers[key]}{'; ' if key == 'HTTP_COOKIE' else ','}{text}" if key in headers else text
        return {
            **headers,
            "REQUEST_METHOD": self.head.method.decode("ascii"),
            "SCRIPT_NAME": "",
            "PATH_INFO": unquote_to_bytes(self.path).decode("latin-1"),
            "QUERY_STRING": self.query,
            "CONTENT_TYPE": headers.get("HTTP_CONTENT_TYPE", ""),
            "CONTENT_LENGTH": str(len(self.body)),
            "SERVER_NAME": server[0],
            "SERVER_PORT": str(server[1]),
            "SERVER_PROTOCOL": f"HTTP/{self.head.http_version.decode('ascii')}",
            "REMOTE_ADDR": address,
            "wsgi.version": (1, 0),
            "wsgi.url_scheme": scheme,
            "wsgi.input": io.BytesIO(self.body),
            "wsgi.errors": sys.stderr,
            "wsgi.multithread": True,
            "wsgi.multiprocess": False,
            "wsgi.run_once": False,
        }


UNREAD = WholeRequest(h11.Request(method="GET", target="/", headers=[], http_version="1.0"), "/", "")
"""Stands for a request that could not be read."""


class RequestReader:
    """The requests of one connection, one after another; no I/O."""

    def __init__(self, header_bytes: int, body_bytes: int) -> None:
        self.http = h11.Connection(h11.SERVER, max_incomplete_event_size=header_bytes)
        self._body_bytes = body_bytes
        self.request: WholeRequest | None = None
        """The present request's head, once it has arrived."""
        self._body = b""

    def take(self, piece: bytes) -> WholeRequest | None:
        """Add received bytes (perhaps none); return the request once it is complete. Raises RefusedRequestError."""
        try:
            if piece:
                self.http.receive_data(piece)
            while True:
                match self.http.next_event():
                    case h11.Request() as head:
                        self.request = WholeRequest(head, *_split(head.target.decode("ascii")))
                    case h11.Data(data=data):
                        self._body += data
                        if len(self._body) > self._body_bytes:
                            raise RefusedRequestError(413, "refused.large", kib=self._body_bytes >> 10)
                    case h11.EndOfMessage():
                        assert self.request is not None
                        return replace(self.request, body=self._body)
                    case h11.NEED_DATA:
                        return None
                    case _:
                        raise RefusedRequestError(400, "refused.unread")
        except h11.RemoteProtocolError as problem:
            raise RefusedRequestError(problem.error_status_hint, "refused.unread") from problem

    def next(self) -> bool:
        """Begin the next request; return whether the connection can carry one."""
        self.request, self._body = None, b""
        with suppress(h11.LocalProtocolError):
            self.http.start_next_cycle()
            return True
        return False


def _split(target: str) -> tuple[str, str]:
    """Path and query of a request target; raises RefusedRequestError."""
    path, _, query = target.partition("#")[0].partition("?")
    if path.startswith("/"):
        return path, query
    try:
        return urlsplit(path).path or "/", query
    except ValueError:
        raise RefusedRequestError(400, "refused.unread") from None


def visitor_address(peer: str, forwarded_for: str, trusted: Iterable[str]) -> str:
    """The client's address: the peer's, or, behind trusted proxies, the last address in X-Forwarded-For that is not a trusted proxy's."""
    proxies = frozenset(map(same_address, trusted))
    address = same_address(peer)
    for named in reversed([part.strip() for part in forwarded_for.split(",") if part.strip()]):
        if address not in proxies:
            break
        try:
            address = str(ip_address(named.removeprefix("[").partition("]")[0]))
        except ValueError:
            break
    return address
