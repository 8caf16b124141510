"""A person's connection: whole answers come through however they are cut, and a broken one is an error once."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest

from twinwall.simulator.players.world_connection import WorldConnection, WorldConnectionError

ANSWER = b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\ncontent-length: 9\r\n\r\n{"a": 12}'


@contextmanager
def world_that_says(*conversations: Sequence[bytes]) -> Iterator[tuple[WorldConnection, list[bytes]]]:
    """A line to a listener that takes one connection after another and says these pieces in each, a request apart."""
    heard: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            for pieces in conversations:
                connection, _ = listener.accept()
                with connection:
                    heard.append(connection.recv(65536))
                    for piece in pieces:
                        connection.sendall(piece)

        thread = threading.Thread(target=serve)
        thread.start()
        line = WorldConnection("127.0.0.1", listener.getsockname()[1], 5.0)
        yield line, heard
        line.close()
        thread.join()


def test_a_request_is_said_and_its_answer_heard_in_pieces_of_any_size() -> None:
    with world_that_says([bytes([byte]) for byte in ANSWER]) as (line, heard):
        assert line.ask("POST", "/draw", {"place": 0}) == (200, {"a": 12})
    head, _, body = heard[0].partition(b"\r\n\r\n")
    assert head.startswith(b"POST /draw HTTP/1.1\r\n")
    assert b"Content-Length: 11" in head
    assert body == b'{"place":0}'


@pytest.mark.parametrize(
    "said", [b"", ANSWER[:-3], b"HTTP/1.1 200 OK\r\n\r\n", b"good evening\r\n\r\n", ANSWER.replace(b'"a"', b"'a'")],
    ids=["nothing", "half", "no length", "something else", "no JSON"],
)  # fmt: skip
def test_what_is_no_answer_is_an_error_and_the_next_request_begins_anew(said: bytes) -> None:
    with world_that_says([said], [ANSWER]) as (line, _):
        with pytest.raises(WorldConnectionError):
            line.ask("GET", "/view")
        assert line.ask("GET", "/view") == (200, {"a": 12})


def test_nobody_there_is_an_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(OSError, match="refused"):
        WorldConnection("127.0.0.1", port, 1.0).ask("GET", "/view")
