"""``python -m tests.support.first_use http|document``: six threads read types that nobody has used before; a wrong reader ends the process.

While one thread has msgspec 0.22 describe a type to itself, another that reads one segfaults, so this is a process of its own.
"""

import json
import sys
import threading
from collections.abc import Callable, Mapping

import msgspec
from flask import Flask

from twinwall.game.typed_json import read_as
from twinwall.web.http_server import json_body

_APP = Flask("first use")
TYPES, READERS, FIELDS = 60, 6, 6
_DOCUMENT = {f"field_{number}": {"x": 1, "y": "t"} for number in range(FIELDS)}


def _over_http(shape: type[msgspec.Struct]) -> None:
    with _APP.test_request_context(method="POST", data=json.dumps(_DOCUMENT)):
        json_body(shape)


WAYS: Mapping[str, Callable[[type[msgspec.Struct]], object]] = {"http": _over_http, "document": lambda shape: read_as(_DOCUMENT, shape)}


def main() -> None:
    """Read each type in all threads at once."""
    read = WAYS[sys.argv[1]]
    sys.setswitchinterval(1e-6)
    for _ in range(TYPES):
        inner = msgspec.defstruct("Inner", [("x", int), ("y", str)])
        shape = msgspec.defstruct("Outer", [(name, inner) for name in _DOCUMENT])
        begin = threading.Barrier(READERS)
        read_by: list[object] = []

        def once(shape: type[msgspec.Struct] = shape, begin: threading.Barrier = begin, read_by: list[object] = read_by) -> None:
            begin.wait()
            read_by.append(read(shape))

        threads = [threading.Thread(target=once) for _ in range(READERS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(read_by) == READERS


if __name__ == "__main__":
    main()
