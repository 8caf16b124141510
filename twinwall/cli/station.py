"""``twinwall station``: a table without a feeder."""

from __future__ import annotations

import argparse
import logging
import signal
import threading
from contextlib import closing
from pathlib import Path

from config import SettingsError, StationSettings, load
from twinwall.cli import Subparsers
from twinwall.cli.cameras import camera_lock
from twinwall.cli.errors import EXIT_GOOD, UsageError
from twinwall.station.eyes import FrameWatcher, SharedCamera
from twinwall.station.memory import MemoryDamagedError, MemoryFile
from twinwall.station.page import Page
from twinwall.station.sizes import PersonSizes
from twinwall.station.station import Station
from vision.camera import CameraLost, open_camera, use_one_thread


def register(subparsers: Subparsers) -> None:
    """Add ``twinwall station``."""
    parser = subparsers.add_parser("station", help="be the feeder of a table that has none")
    parser.add_argument("--settings", type=Path, required=True, help="the station's settings file")
    parser.set_defaults(func=_run)


def _run(arguments: argparse.Namespace) -> int:
    settings = load(arguments.settings, StationSettings)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(message)s")
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    try:
        _serve(settings, stop)
    except ValueError as error:
        if isinstance(error, MemoryDamagedError):
            raise UsageError(str(error)) from error
        raise SettingsError(f"{arguments.settings}: {error}") from error
    except (CameraLost, OSError) as error:
        raise UsageError(str(error)) from error
    return EXIT_GOOD


def _serve(settings: StationSettings, stop: threading.Event) -> None:
    """Be the station until ``stop`` is set; its parts end in the opposite order."""
    ours, eyes, sizes = settings.station, settings.camera, PersonSizes()
    use_one_thread()
    opened = open_camera(eyes.source, eyes.read_timeout_s, camera_lock(eyes.lock), local_only=True)
    with closing(SharedCamera(opened)) as camera:
        station = Station(ours.feeder_link, MemoryFile(ours.memory), ours.backs, sizes)
        page = Page(station, camera, sizes, dict(zip(ours.backs, ours.names, strict=True)), ours.port)
        watcher = FrameWatcher(camera, eyes.look_interval_s, station.saw, station.sees)
        for part in (station, page, watcher):
            part.start()
        logging.info("the station's screen is %s", page.url)
        stop.wait()
        watcher.stop()
        station.stop()
        page.stop()
