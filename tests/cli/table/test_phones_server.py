"""At an event a program asks what the phones' server is: a simulated camera that answers at its address is refused."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.table.phones_server import not_of_event
from simulator.cameras import CameraServer, HttpScenes, TableScenes
from tableside.phones.server_parts import PhoneServers, phone_parts

NOWHERE = "http://127.0.0.1:9"


@pytest.fixture(params=["event"])
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of a server of phones for table 1, in a mode."""
    servers = PhoneServers(phone_parts({"1": 1}, tmp_path / "phones.json"), ("127.0.0.1", 0), 0, mode=request.param)
    servers.start()
    yield servers.local.url
    servers.stop()


def test_the_server_of_phones_of_an_event_is_taken_with_its_tables_alone(server: str) -> None:
    assert not_of_event(f"{server}/1") is None
    wrong = not_of_event(f"{server}/2")
    assert wrong is not None
    assert "has no table '2', but 1: write one of them" in wrong


@pytest.mark.parametrize("server", ["rehearsal"], indirect=True)
def test_a_server_of_phones_of_a_rehearsal_is_refused(server: str) -> None:
    wrong = not_of_event(f"{server}/1")
    assert wrong is not None
    assert 'runs as a rehearsal: write mode = "event"' in wrong


def test_simulated_cameras_at_the_same_port_and_path_are_refused() -> None:
    with HttpScenes(NOWHERE, 0.5) as scenes, CameraServer({"1": TableScenes(scenes, scenes)}) as cameras:
        assert "/1/gate" in cameras.names
        wrong = not_of_event(f"{cameras.url}/1")
    assert wrong is not None
    assert "is no server of phones, and may be simulated cameras" in wrong


@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b"\xff", b'{"phones_of": "1", "mode": "event"}', b'{"phones_of": ["1"]}'])
def test_an_answer_of_another_shape_is_refused(body: bytes) -> None:
    wrong = not_of_event("http://127.0.0.1:8120/1", lambda _: body)
    assert wrong is not None
    assert "is no server of phones" in wrong


def test_a_server_that_does_not_answer_is_refused() -> None:
    wrong = not_of_event("http://127.0.0.1:8120/1", lambda _: None)
    assert wrong == "no server of phones answers at http://127.0.0.1:8120/1: start twinwall table phones serve, then this program"


def test_a_local_port_that_is_taken_is_said_and_the_phones_port_is_let_go(tmp_path: Path) -> None:
    parts = phone_parts({"1": 1}, tmp_path / "phones.json")
    with socket.create_server(("127.0.0.1", 0)) as taken, socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        other.close()
        with pytest.raises(OSError, match=r"in use|taken"):
            PhoneServers(parts, ("127.0.0.1", port), taken.getsockname()[1])
    socket.create_server(("127.0.0.1", port)).close()


def test_a_phone_that_asks_after_the_end_is_answered_no_more(tmp_path: Path) -> None:
    """Its connection was accepted before, and nothing had been asked over it yet."""
    servers = PhoneServers(phone_parts({"1": 1}, tmp_path / "phones.json"), ("127.0.0.1", 0), 0)
    servers.start()
    asked = "GET /phone HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    asked += "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    with socket.create_connection(("127.0.0.1", servers.phones.port)) as late:
        with socket.create_connection(("127.0.0.1", servers.phones.port)) as known:
            known.sendall(asked.encode())
            assert b" 101 " in known.recv(4096), "connections are taken in their order: the other one is accepted too"
            servers.stop()
        late.sendall(asked.encode())
        assert b" 101 " not in late.recv(4096)
