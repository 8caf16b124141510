"""The whole world as its process runs it, with the real mechanics behind a real pseudo-terminal."""

from __future__ import annotations

import threading
from pathlib import Path
from urllib.request import urlopen

import pytest

from twinwall.simulator.world.service import WorldSettings, serve


def test_the_world_opens_its_port_its_pins_and_its_door_and_closes_them(tmp_path: Path) -> None:
    settings = WorldSettings(tmp_path / "panel", tmp_path / "feeder")
    stop, ready = threading.Event(), threading.Event()
    urls: list[str] = []

    def opened(url: str) -> None:
        urls.append(url)
        ready.set()

    thread = threading.Thread(target=serve, args=(settings, stop, opened))
    thread.start()
    try:
        assert ready.wait(10.0)
        assert (tmp_path / "feeder").resolve().is_char_device()
        assert (tmp_path / "panel").stat().st_size == 320
        with urlopen(f"{urls[0]}/scene/gate", timeout=5) as answer:
            assert answer.read() == b'{"tile":null}'
    finally:
        stop.set()
        thread.join()
    assert not (tmp_path / "feeder").exists()


def test_a_port_that_is_taken_ends_the_world_at_once(tmp_path: Path) -> None:
    stop, ready = threading.Event(), threading.Event()
    urls: list[str] = []

    def opened(url: str) -> None:
        urls.append(url)
        ready.set()

    thread = threading.Thread(target=serve, args=(WorldSettings(tmp_path / "panel", tmp_path / "feeder"), stop, opened))
    thread.start()
    try:
        assert ready.wait(10.0)
        port = int(urls[0].rsplit(":", 1)[1])
        with pytest.raises(OSError, match="in use"):
            serve(WorldSettings(tmp_path / "other-panel", tmp_path / "other-feeder", port=port), stop)
    finally:
        stop.set()
        thread.join()
    assert not (tmp_path / "other-feeder").exists()
