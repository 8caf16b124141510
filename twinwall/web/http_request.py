"""One HTTP request on a connection of its own, for programs of one machine."""

from http.client import HTTPConnection, HTTPException

import msgspec

_MOST_BYTES = 64 << 20
"""Bytes that are read of an answer. A picture, or a hand's observations, has a few MiB."""


def ask(host: str, method: str, path: str, document: object = None, *, patience_s: float) -> tuple[int, bytes]:
    """Send a JSON document to ``host`` (``127.0.0.1:PORT``); return the answer's status and body. Raises OSError when no server answers in
    time."""
    connection = HTTPConnection(host, timeout=patience_s)
    body = None if document is None else msgspec.json.encode(document)
    try:
        connection.request(method, path, body, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        return answer.status, answer.read(_MOST_BYTES)
    except HTTPException as problem:
        raise OSError(str(problem)) from problem
    finally:
        connection.close()
