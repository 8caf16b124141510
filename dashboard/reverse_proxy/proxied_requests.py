"""Reads one whole request of a browser and writes it anew for the server behind; no input or output.

h11 reads and writes HTTP. What only the two ends of a connection may say to each other, and everything with which a browser
could pass for a proxy, is left out of what is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from ipaddress import ip_address

import h11

_NOT_PASSED_ON = frozenset(
    {
        b"connection",
        b"content-length",
        b"expect",
        b"forwarded",
        b"keep-alive",
        b"proxy-authorization",
        b"proxy-connection",
        b"te",
        b"trailer",
        b"transfer-encoding",
        b"upgrade",
    }
)
STREAMS = b"/events"


class RefusedRequestError(ValueError):
    """A request that is not passed on: the status that answers it, and why in a sentence."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


@dataclass(frozen=True, slots=True)
class WholeRequest:
    """A request that has come whole."""

    head: h11.Request
    body: bytes

    @property
    def is_stream(self) -> bool:
        """Whether it asks for a stream, which holds a thread for as long as the page is open."""
        return self.head.target.partition(b"?")[0] == STREAMS

    @property
    def forwarded_for(self) -> str:
        """The addresses that proxies have named, as they came."""
        return b",".join(value for name, value in self.head.headers if name == b"x-forwarded-for").decode("ascii", "replace")

    def passed_on(self, address: str, scheme: str) -> bytes:
        """The request as the server behind gets it, with whom it is for."""
        headers = [(name, value) for name, value in self.head.headers if _passes(name)]
        headers += [
            (b"X-Forwarded-For", address.encode()),
            (b"X-Forwarded-Proto", scheme.encode()),
            (b"Content-Length", str(len(self.body)).encode()),
            (b"Connection", b"close"),
        ]
        behind = h11.Connection(h11.CLIENT)
        parts: Sequence[h11.Event] = (
            h11.Request(method=self.head.method, target=self.head.target, headers=headers),
            h11.Data(data=self.body),
            h11.EndOfMessage(),
        )
        return b"".join(behind.send(part) or b"" for part in parts)


class RequestReader:
    """One request, piece by piece."""

    def __init__(self, header_bytes: int, body_bytes: int) -> None:
        self._connection = h11.Connection(h11.SERVER, max_incomplete_event_size=header_bytes)
        self._body_bytes = body_bytes
        self._head: h11.Request | None = None
        self._body = b""

    def take(self, piece: bytes) -> WholeRequest | None:
        """The request, once it is whole; raises RefusedRequestError."""
        try:
            self._connection.receive_data(piece)
            while True:
                match self._connection.next_event():
                    case h11.Request() as head:
                        self._head = head
                    case h11.Data(data=data):
                        self._body += data
                        if len(self._body) > self._body_bytes:
                            raise RefusedRequestError(413, f"the body is longer than {self._body_bytes} bytes")
                    case h11.EndOfMessage():
                        assert self._head is not None
                        return WholeRequest(self._head, self._body)
                    case h11.NEED_DATA:
                        return None
                    case _:
                        raise RefusedRequestError(400, "the request ended before it was whole")
        except h11.RemoteProtocolError as problem:
            raise RefusedRequestError(problem.error_status_hint, str(problem)) from problem

    @property
    def waits_for_leave(self) -> bool:
        """Whether the browser asks whether it shall send the body at all."""
        return self._connection.they_are_waiting_for_100_continue


def refusal(status: int, sentence: str) -> bytes:
    """The answer to a request that is not passed on."""
    body = f"{sentence}\n".encode()
    headers = [
        (b"Content-Type", b"text/plain; charset=utf-8"),
        (b"Content-Length", str(len(body)).encode()),
        (b"Connection", b"close"),
        (b"Cache-Control", b"no-store"),
        (b"Retry-After", b"5"),
    ]
    server = h11.Connection(h11.SERVER)
    parts = (h11.Response(status_code=status, headers=headers), h11.Data(data=body), h11.EndOfMessage())
    return b"".join(server.send(part) or b"" for part in parts)


def visitor_address(peer: str, forwarded_for: str, trusted: Iterable[str]) -> str:
    """Whose request it is: the peer's, or, where that is a trusted proxy, the last address that no trusted proxy has."""
    proxies = frozenset(map(_same, trusted))
    address = _same(peer)
    for named in reversed([part.strip() for part in forwarded_for.split(",") if part.strip()]):
        if address not in proxies:
            break
        try:
            address = str(ip_address(named.removeprefix("[").partition("]")[0]))
        except ValueError:
            break
    return address


def _same(address: str) -> str:
    """One form for an address, however it is written."""
    try:
        read = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    mapped = getattr(read, "ipv4_mapped", None)
    return str(mapped or read)


def _passes(name: bytes) -> bool:
    return name not in _NOT_PASSED_ON and not name.startswith(b"x-forwarded") and b"_" not in name
