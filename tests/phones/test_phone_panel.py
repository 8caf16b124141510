"""The controller's panel on phones, over the phones' real server on loopback."""

import queue
import socketserver
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from cli.hall.readiness import heard_keys
from controller.adapters.phone_panel import PhonePanel
from controller.state.messages import KeyPressed, PanelMessage, PartFound, PartLost, keys_of
from tableside.phones.local_server import PhoneServers, phone_parts
from tableside.phones.phone_server import PhoneParts
from tests.phones.conftest import TablePhones, servers_at
from tests.support.patience import PATIENCE_S
from tests.support.wire.brokers import eventually, free_port
from tools.default_settings import TABLE
from twinwall.game.rules import rule_set
from twinwall.wire.shapes.panel import KEYS, Key, KeyLamps, Lamps


@pytest.fixture
def pressed() -> queue.Queue[PanelMessage]:
    return queue.Queue()


@pytest.fixture
def panel(phones: TablePhones, pressed: queue.Queue[PanelMessage]) -> Iterator[PhonePanel]:
    made = PhonePanel(phones.local("/1"), pressed.put)
    made.start()
    yield made
    made.stop()


def test_lamps_reach_the_phones(phones: TablePhones, panel: PhonePanel) -> None:
    keys = phones.parts.keys["1"]
    panel.show(Lamps(turn=frozenset({2}), call=frozenset({0, 1}), window=True, wall=3))
    shown = KeyLamps(turn=frozenset({2}), call=frozenset({0, 1}), window=True, wall=3)
    eventually(lambda: keys.lamps(0, 0.0)[1] == shown, "lamps are shown")


@pytest.mark.parametrize(
    ("rules", "missing"), [("mcr-duplicate", {"riichi"}), ("sichuan", {"riichi", "chow"}), ("yangzhou", {"riichi"}), ("seigo", set())]
)
def test_phones_are_told_the_keys_of_the_table_s_rules_alone(phones: TablePhones, rules: str, missing: set[str]) -> None:
    made = PhonePanel(phones.local("/1"), lambda _: None, keys_of(rule_set(rules, {})))
    made.start()
    try:
        eventually(lambda: set(KEYS) - set(phones.parts.keys["1"].lamps(0, 0.0)[1].keys) == missing, "keys are shown")
    finally:
        made.stop()


@pytest.mark.parametrize("answer", [None, b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"])
def test_a_server_that_is_absent_or_another_one_is_told_as_a_lost_panel_until_it_is_there(
    tmp_path: Path, pressed: queue.Queue[PanelMessage], answer: bytes | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("controller.adapters.phone_panel.AGAIN_S", 0.05)
    port = free_port()
    panel = PhonePanel(f"http://127.0.0.1:{port}/1", pressed.put)
    with ExitStack() as stack:
        if answer is not None:
            stack.enter_context(answering(port, answer))
        panel.start()
        assert pressed.get(timeout=PATIENCE_S) == PartLost("panel")
    servers = started(tmp_path, port)
    assert pressed.get(timeout=PATIENCE_S) == PartFound("panel")
    panel.stop()
    servers[1].stop()


@contextmanager
def answering(port: int, answer: bytes) -> Iterator[None]:
    """A server that gives every request the same answer."""

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            self.request.recv(1000)
            self.request.sendall(answer)

    socketserver.ThreadingTCPServer.allow_reuse_address = True
    with socketserver.ThreadingTCPServer(("127.0.0.1", port), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield
        server.shutdown()
        thread.join()


def test_a_server_that_starts_anew_gets_the_lamps_again_and_its_presses_count(
    tmp_path: Path, pressed: queue.Queue[PanelMessage], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("controller.adapters.phone_panel.AGAIN_S", 0.05)
    servers = started(tmp_path)
    local = servers[1].local.port
    panel = PhonePanel(f"http://127.0.0.1:{local}/1", pressed.put)
    panel.start()
    panel.show(Lamps(window=True))
    eventually(lambda: servers[0].keys["1"].is_heard, "the keys are heard")
    assert servers[0].keys["1"].press("before it ends", 0, Key.PUNG)
    assert pressed.get(timeout=PATIENCE_S) == KeyPressed(0, Key.PUNG)
    servers[1].stop()
    servers = started(tmp_path, local)
    keys = servers[0].keys["1"]
    eventually(lambda: keys.is_heard, "the keys are heard")
    eventually(lambda: keys.lamps(0, 0.0)[1].window, "the window is shown")
    assert keys.press("after it began", 1, Key.WIN)
    assert pressed.get(timeout=PATIENCE_S) == KeyPressed(1, Key.WIN)
    panel.stop()
    servers[1].stop()


def test_a_recording_hears_presses_alone_of_a_panel_whose_server_was_absent(
    tmp_path: Path, pressed: queue.Queue[PanelMessage], caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("controller.adapters.phone_panel.AGAIN_S", 0.05)
    port = free_port()
    panels = heard_keys(replace(TABLE, panel=replace(TABLE.panel, enabled=False, phones=f"http://127.0.0.1:{port}/1")), pressed.put)
    eventually(lambda: "no key of a phone counts" in caplog.text, "the panel is lost")
    parts, servers = started(tmp_path, port)
    eventually(lambda: parts.keys["1"].press("in a recording", 0, Key.PUNG), "a key counts")
    assert pressed.get(timeout=PATIENCE_S) == KeyPressed(0, Key.PUNG)
    panels.stop()
    servers.stop()


def started(folder: Path, local_port: int = 0) -> tuple[PhoneParts, PhoneServers]:
    parts = phone_parts({"1": 1}, folder / "phones.json")
    servers = servers_at(parts, 0, local_port)
    servers.start()
    return parts, servers
