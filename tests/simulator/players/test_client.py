"""Client of the world: whole answers however they are cut, and a broken one reported once."""

import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest

from simulator.players.client import RefusedError, StoppedError, WorldClient

ANSWER = b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\ncontent-length: 13\r\n\r\n{"tile":"1m"}'


@contextmanager
def world_that_says(*conversations: Sequence[bytes]) -> Iterator[tuple[WorldClient, list[bytes]]]:
    """A person at place 2 of a world that takes one connection after another and says these pieces in each."""
    heard: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            for pieces in conversations:
                connection, _ = listener.accept()
                with connection:
                    while not (said := b"".join(heard[-1:])) or b"{" not in said:
                        heard.append(said + connection.recv(65536))
                    for piece in pieces:
                        connection.sendall(piece)
                    heard.append(b"")

        thread = threading.Thread(target=serve)
        thread.start()
        client = WorldClient(f"http://127.0.0.1:{listener.getsockname()[1]}", 2, threading.Event())
        yield client, heard
        client.close()
        thread.join()


def test_a_request_is_said_and_its_answer_heard_in_pieces_of_any_size() -> None:
    with world_that_says([bytes([byte]) for byte in ANSWER]) as (client, heard):
        assert client.draw() == "1m"
    head, _, body = heard[-2].partition(b"\r\n\r\n")
    assert head.startswith(b"POST /draw HTTP/1.1\r\n")
    assert body == b'{"place":2}'


@pytest.mark.parametrize(
    "said", [b"", ANSWER[:-3], b"HTTP/1.1 200 OK\r\n\r\n", b"good evening\r\n\r\n", ANSWER.replace(b'"tile"', b"'tile'"),
             ANSWER.replace(b'"1m"', b"1234")],
    ids=["nothing", "half", "no length", "something else", "no JSON", "another document"],
)  # fmt: skip
def test_what_is_no_answer_is_told_once_and_the_next_request_begins_anew(said: bytes) -> None:
    with world_that_says([said], [ANSWER]) as (client, _):
        with pytest.raises(RefusedError, match="look again"):
            client.draw()
        assert client.draw() == "1m"


def test_what_hands_cannot_do_is_told_in_the_worlds_words() -> None:
    refusal = b'HTTP/1.1 409 CONFLICT\r\nContent-Length: 28\r\n\r\n{"error":"its gate is shut"}'
    with world_that_says([refusal]) as (client, _), pytest.raises(RefusedError, match="its gate is shut"):
        client.draw()


def test_a_player_who_is_told_to_stop_does_not_wait_for_a_world_that_is_not_there() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    stop = threading.Event()
    client = WorldClient(f"http://127.0.0.1:{port}", 0, stop)
    threading.Timer(0.05, stop.set).start()
    with pytest.raises(StoppedError):
        client.look()
