"""One request over HTTP, with a connection of its own, as programs of one machine ask each other."""

from http.client import HTTPConnection, HTTPException

import msgspec

_MOST_BYTES = 64 << 20
"""More of an answer is not read: a picture and a hand's observations take a few."""


def ask(host: str, method: str, path: str, document: object = None, *, patience_s: float) -> tuple[int, bytes]:
    """Status and body of the answer of ``host`` (``127.0.0.1:PORT``) to a request with a JSON document; raises OSError where no server
    answers in time."""
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
