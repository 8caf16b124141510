"""A lasting connection to a world: one request, one answer, and no more of HTTP/1.1 than that takes."""

from __future__ import annotations

import json
import socket
from collections.abc import Mapping
from typing import BinaryIO, cast

_LONGEST_LINE = 65536


class WorldConnectionError(OSError):
    """What came is no answer, or the connection has ended; the next request opens a new one."""


class WorldConnection:
    """Opened by the first request, and again after an error; not for use by several threads at once."""

    def __init__(self, host: str, port: int, timeout_s: float) -> None:
        """``timeout_s`` is how long an answer may take."""
        self._address = (host, port)
        self._timeout_s = timeout_s
        self._socket: socket.socket | None = None
        self._answers: BinaryIO | None = None

    def close(self) -> None:
        """Hang up."""
        for part in (self._answers, self._socket):
            if part is not None:
                part.close()
        self._answers = self._socket = None

    def ask(self, method: str, target: str, body: Mapping[str, object] | None = None) -> tuple[int, Mapping[str, object]]:
        """Status and document of an answer; raises OSError when the connection fails, ``WorldConnectionError`` when it ends."""
        text = b"" if body is None else json.dumps(body, separators=(",", ":")).encode()
        request = f"{method} {target} HTTP/1.1\r\nHost: {self._address[0]}\r\nContent-Length: {len(text)}\r\n\r\n"
        try:
            sender, answers = self._opened()
            sender.sendall(request.encode() + text)
            return _read_answer(answers)
        except OSError:
            self.close()
            raise

    def _opened(self) -> tuple[socket.socket, BinaryIO]:
        if self._socket is None or self._answers is None:
            self._socket = socket.create_connection(self._address, self._timeout_s)
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._answers = self._socket.makefile("rb")
        return self._socket, self._answers


def _read_answer(stream: BinaryIO) -> tuple[int, Mapping[str, object]]:
    words = stream.readline(_LONGEST_LINE).split(None, 2)
    if len(words) < 2 or not words[1].isdigit():
        raise WorldConnectionError("the connection ended before an answer")
    length = -1
    while name := stream.readline(_LONGEST_LINE).strip():
        key, _, value = name.partition(b":")
        if key.lower() == b"content-length":
            length = int(value)
    text = stream.read(length) if length >= 0 else b""
    if len(text) != length:
        raise WorldConnectionError("the connection ended within an answer")
    try:
        return int(words[1]), cast(Mapping[str, object], json.loads(text))
    except ValueError as problem:
        raise WorldConnectionError(f"an answer was not JSON: {problem}") from None
