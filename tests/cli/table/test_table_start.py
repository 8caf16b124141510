"""What a table's program finds and says at its start: rules that it can play, short claim windows, pins, and the phones' server."""

import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from cli.table.phones_server import not_of_event
from cli.table.table_panels import open_panels
from cli.table.table_parts import LEAST_WINDOW_BY_VOICE_S, led_rules, note_short_window
from cli.usage import UsageError
from config import SettingsError
from simulator.cameras import CameraServer, HttpScenes, TableScenes
from tableside.phones.local_server import PhoneServers, phone_parts
from tests.support.controller.rigs import set_up
from tests.support.narrowed import present
from tools.default_settings import TABLE
from twinwall.free_ports import free_ports
from twinwall.game.rules import RuleSetError, rule_set_names


@pytest.mark.parametrize("name", rule_set_names())
def test_every_rule_set_can_be_played_at_a_table(name: str) -> None:
    assert led_rules(name, {}).name == name


def test_kongs_replaced_from_the_end_of_the_wall_are_refused_with_what_can_be_done_instead() -> None:
    with pytest.raises(SettingsError, match=r"never the last one.*command line"):
        led_rules("mcr-duplicate", {"kong_replacement": "end"})


def test_an_option_that_does_not_exist_is_named() -> None:
    with pytest.raises(RuleSetError, match="'aces'"):
        led_rules("mcr-duplicate", {"aces": True})


def test_a_short_window_is_named_with_what_to_do(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO"):
        note_short_window(set_up(decodes=True, claim_window_s=3.0))
    (record,) = caplog.records
    assert "claim_window_s = 3 is short" in record.message
    assert "2 s more (5 or longer)" in record.message


@pytest.mark.parametrize(("decodes", "claim_window_s"), [(True, LEAST_WINDOW_BY_VOICE_S), (False, 3.0)], ids=["long enough", "no decoder"])
def test_nothing_is_said_of_a_window_that_is_long_enough_or_where_nobody_tells_calls_by_voice(
    caplog: pytest.LogCaptureFixture, decodes: bool, claim_window_s: float
) -> None:
    with caplog.at_level("INFO"):
        note_short_window(set_up(decodes=decodes, claim_window_s=claim_window_s))
    assert not caplog.records


class Broken(ModuleType):
    """A library that is there and cannot be loaded."""

    def __getattr__(self, name: str) -> object:
        raise PermissionError(13, "Permission denied", ".lgd-nfy-3")


@pytest.mark.parametrize(("library", "said"), [(None, "lgpio"), (Broken("lgpio"), "lgd-nfy")])
def test_pins_whose_library_cannot_be_loaded_are_refused_with_what_to_do(
    monkeypatch: pytest.MonkeyPatch, library: ModuleType | None, said: str
) -> None:
    for name in ("controller.adapters.panel", "RPi.GPIO", "RPi"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setitem(sys.modules, "lgpio", library)
    with pytest.raises(UsageError, match=f"pins cannot be used: .*{said}.*enabled = false"):
        open_panels(TABLE, lambda _press: None)


LOADING = """
import os
from cli.usage import UsageError
from cli.table.table_panels import open_panels
from tools.default_settings import TABLE
try:
    open_panels(TABLE, lambda _press: None)
except UsageError as error:
    print(error)
import lgpio
print(os.getcwd(), os.listdir())
"""


def test_lgpio_leaves_no_file_behind_and_the_process_where_it_is(tmp_path: Path) -> None:
    top = Path(__file__).parents[3]
    command = [sys.executable, "-c", LOADING]
    done = subprocess.run(
        command, cwd=tmp_path, env={"PYTHONPATH": str(top), "RPI_LGPIO_REVISION": "d04170"}, capture_output=True, text=True, check=False
    )
    assert "can not open gpiochip" in done.stdout, done.stderr
    assert done.stdout.splitlines()[-1] == f"{tmp_path} []"


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
    assert "has no table '2', but 1: write one of them" in present(not_of_event(f"{server}/2"))


@pytest.mark.parametrize("server", ["rehearsal"], indirect=True)
def test_a_server_of_phones_of_a_rehearsal_is_refused(server: str) -> None:
    assert 'runs as a rehearsal: write mode = "event"' in present(not_of_event(f"{server}/1"))


def test_simulated_cameras_at_the_same_port_and_path_are_refused() -> None:
    with CameraServer({"1": TableScenes(HttpScenes(NOWHERE, 0.5).gate)}) as cameras:
        assert "/1/gate" in cameras.cameras
        wrong = not_of_event(f"{cameras.url}/1")
    assert "is no server of phones, and may be simulated cameras" in present(wrong)


@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b"\xff", b'{"phones_of": "1", "mode": "event"}', b'{"phones_of": ["1"]}'])
def test_an_answer_of_another_shape_is_refused(body: bytes) -> None:
    assert "is no server of phones" in present(not_of_event("http://127.0.0.1:8120/1", lambda _: body))


def test_a_server_that_does_not_answer_is_refused() -> None:
    wrong = not_of_event("http://127.0.0.1:8120/1", lambda _: None)
    assert wrong == "no server of phones answers at http://127.0.0.1:8120/1: start twinwall table phones serve, then this program"


def test_a_local_port_that_is_taken_is_said_and_the_phones_port_is_let_go(tmp_path: Path) -> None:
    parts = phone_parts({"1": 1}, tmp_path / "phones.json")
    (port,) = free_ports(1)
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(OSError, match=r"in use|taken"):
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
