"""A server on this computer's loopback that the dashboard asks: one request, one answer, and a sentence where there is none."""

from __future__ import annotations

from http.client import HTTPConnection, HTTPException
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct

PATIENCE_S = 10.0
"""A camera may take some seconds to say that it gives no frame."""


class LocalServerError(Exception):
    """The server does not answer, or refuses; the message is its sentence."""


class _Refusal(Struct):
    error: str


# Made before there are threads: the first use of a type in two threads at once ends the process.
_REFUSAL = msgspec.json.Decoder(_Refusal)


class LocalServer:
    """A server by its address ``http://127.0.0.1:PORT``; ``name`` is what people call it, ``command`` what starts it."""

    def __init__(self, address: str, name: str, command: str) -> None:
        self._host, self._name, self._command = urlsplit(address).netloc, name, command

    def ask(self, method: str, path: str, document: object = None, patience_s: float = PATIENCE_S) -> bytes:
        """The body of the answer to a request with a JSON document; raises LocalServerError."""
        connection = HTTPConnection(self._host, timeout=patience_s)
        try:
            connection.request(method, path, msgspec.json.encode(document), {"Content-Type": "application/json"})
            answer = connection.getresponse()
            body = answer.read()
        except (OSError, HTTPException) as problem:
            raise LocalServerError(f"{self._name} at {self._host} does not answer: start {self._command}") from problem
        finally:
            connection.close()
        if answer.status != 200:
            raise LocalServerError(_REFUSAL.decode(body).error)
        return body
