"""Threads that read documents of a type for the first time, at once: while one thread has msgspec 0.22 describe a type to itself, another
that reads one segfaults, so they are a process of its own, ``python -m tests.house.test_first_use http|document``."""

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping

import msgspec
import pytest
from flask import Flask

from tests.support.patience import PATIENCE_S
from twinwall.game.typed_json import read_as
from twinwall.web.http_server import json_body

APP = Flask("first use")
TYPES, READERS, FIELDS = 60, 6, 6
DOCUMENT = {f"field_{number}": {"x": 1, "y": "t"} for number in range(FIELDS)}


def over_http(shape: type[msgspec.Struct]) -> None:
    with APP.test_request_context(method="POST", data=json.dumps(DOCUMENT)):
        json_body(shape)


WAYS: Mapping[str, Callable[[type[msgspec.Struct]], object]] = {"http": over_http, "document": lambda shape: read_as(DOCUMENT, shape)}


def read_each_in_all_threads_at_once(read: Callable[[type[msgspec.Struct]], object]) -> None:
    sys.setswitchinterval(1e-6)
    for _ in range(TYPES):
        inner = msgspec.defstruct("Inner", [("x", int), ("y", str)])
        shape = msgspec.defstruct("Outer", [(name, inner) for name in DOCUMENT])
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


@pytest.mark.parametrize("way", WAYS)
def test_a_type_may_be_read_for_the_first_time_by_several_threads_at_once(way: str) -> None:
    words = [sys.executable, "-m", "tests.house.test_first_use", way]
    done = subprocess.run(words, check=False, capture_output=True, text=True, timeout=PATIENCE_S)
    assert (done.returncode, done.stderr) == (0, "")


if __name__ == "__main__":
    read_each_in_all_threads_at_once(WAYS[sys.argv[1]])
