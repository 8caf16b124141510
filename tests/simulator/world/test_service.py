"""The whole world as a process, with the real mechanics behind a real pseudo-terminal."""

import threading
from pathlib import Path
from urllib.request import urlopen

import pytest

from simulator.panel.fake import lgpio
from simulator.settings import WorldSection, WorldSettings
from simulator.world.service import serve
from tests.support.patience import PATIENCE_S


def settings_of(folder: Path, name: str = "", port: int = 0) -> WorldSettings:
    return WorldSettings(WorldSection("1", folder / f"{name}panel", folder / f"{name}feeder", port=port))


def test_the_world_opens_its_port_its_pins_and_its_door_and_closes_them(tmp_path: Path) -> None:
    settings = settings_of(tmp_path)
    stop, ready = threading.Event(), threading.Event()
    urls: list[str] = []

    def opened(url: str) -> None:
        urls.append(url)
        ready.set()

    thread = threading.Thread(target=serve, args=(settings, stop, opened))
    thread.start()
    try:
        assert ready.wait(PATIENCE_S)
        assert (tmp_path / "feeder").resolve().is_char_device()
        assert (tmp_path / "panel").stat().st_size == lgpio.SIZE
        with urlopen(f"{urls[0]}/scene/gate", timeout=PATIENCE_S) as answer:
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

    thread = threading.Thread(target=serve, args=(settings_of(tmp_path), stop, opened))
    thread.start()
    try:
        assert ready.wait(PATIENCE_S)
        port = int(urls[0].rsplit(":", 1)[1])
        with pytest.raises(OSError, match="in use"):
            serve(settings_of(tmp_path, "other-", port), stop)
    finally:
        stop.set()
        thread.join()
    assert not (tmp_path / "other-feeder").exists()
