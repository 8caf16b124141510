"""One request over HTTP, with a connection of its own, as programs of one machine ask each other."""

from http.client import HTTPConnection, HTTPException

import msgspec


def ask(host: str, method: str, path: str, document: object = None, *, patience_s: float) -> tuple[int, bytes]:
    """Status and body of the answer of ``host`` (``127.0.0.1:PORT``) to a request with a JSON document; raises OSError where no server
    answers in time."""
    connection = HTTPConnection(host, timeout=patience_s)
    try:
        connection.request(method, path, msgspec.json.encode(document), {"Content-Type": "application/json"})
        answer = connection.getresponse()
        return answer.status, answer.read()
    except HTTPException as problem:
        raise OSError(str(problem)) from problem
    finally:
        connection.close()
