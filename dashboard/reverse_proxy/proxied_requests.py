"""Reads one whole request of a browser and rewrites it for the server behind; no input or output.

h11 reads and writes HTTP. What only the two ends of a connection may say to each other, and everything with which a browser
could pass for a proxy, is left out of what is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from ipaddress import ip_address

import h11

from dashboard.web_app import SECURITY_HEADERS

RETRY_AFTER_S = 5
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


class RefusedRequestError(ValueError):
    """A request that is not passed on: the status that answers it, and the key and values of the sentence that says why."""

    def __init__(self, status: int, key: str, **values: object) -> None:
        super().__init__(f"{status} {key}")
        self.status, self.key, self.values = status, key, values


@dataclass(frozen=True, slots=True)
class WholeRequest:
    """A request that has come whole."""

    head: h11.Request
    body: bytes

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
        self.head: h11.Request | None = None
        """What came first, as soon as it is whole."""
        self._body = b""

    def take(self, piece: bytes) -> WholeRequest | None:
        """The request, once it is whole; raises RefusedRequestError."""
        try:
            self._connection.receive_data(piece)
            while True:
                match self._connection.next_event():
                    case h11.Request() as head:
                        self.head = head
                    case h11.Data(data=data):
                        self._body += data
                        if len(self._body) > self._body_bytes:
                            raise RefusedRequestError(413, "refused.large", kib=self._body_bytes >> 10)
                    case h11.EndOfMessage():
                        assert self.head is not None
                        return WholeRequest(self.head, self._body)
                    case h11.NEED_DATA:
                        return None
                    case _:
                        raise RefusedRequestError(400, "refused.unread")
        except h11.RemoteProtocolError as problem:
            raise RefusedRequestError(problem.error_status_hint, "refused.unread") from problem

    @property
    def waits_for_leave(self) -> bool:
        """Whether the browser asks whether it shall send the body at all."""
        return self._connection.they_are_waiting_for_100_continue


def refusal(status: int, media_type: str, text: str) -> bytes:
    """The answer to a request that is not passed on."""
    body = text.encode()
    headers = {
        **SECURITY_HEADERS,
        "Content-Type": f"{media_type}; charset=utf-8",
        "Content-Length": str(len(body)),
        "Connection": "close",
        "Cache-Control": "no-store",
        "Retry-After": str(RETRY_AFTER_S),
    }
    server = h11.Connection(h11.SERVER)
    parts = (h11.Response(status_code=status, headers=list(headers.items())), h11.Data(data=body), h11.EndOfMessage())
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
