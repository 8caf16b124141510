"""``twinwall table station``: a table without a feeder. Its screen shows the seat check as the ledger has it that the controller writes
beside it."""

import argparse
import logging
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import replace
from functools import partial
from pathlib import Path

from cli import logs
from cli.run_settings import load_to_run, prepare_event
from cli.table.key_slip import shown_request
from cli.usage import EVENT, LOG, UsageError, settings_file, takes, until_stopped
from config import SettingsError
from controller.hand.seat_check import SeatEvent, apply_to_seats
from controller.ledger.assignment_folder import playing_folder
from controller.ledger.public import OPEN_LEDGER
from controller.state.table_state import PLACES, Seats, SeatStage
from firmware_bridge.board.library import LibraryMissingError
from firmware_bridge.electrics.wired_machine import BY_HAND
from tableside.station.camera_worker import FrameWatcher, SharedCamera, WallsWatcher
from tableside.station.confirmed_places import ConfirmedPlacesFile, PlacesFileDamagedError
from tableside.station.screen_server import ScreenPage, ScreenServer, ShownSeat
from tableside.station.settings import StationSettings
from tableside.station.station import Station
from twinwall.art.mat import WallMat
from twinwall.game.deals import words_of_code
from twinwall.game.documents import DocumentError
from twinwall.wire.events.definitions import EVERYWHERE
from twinwall.wire.events.wall_events import StartFixed
from twinwall.wire.ledger import parse
from vision.cameras.lock import CameraLock
from vision.cameras.opening import open_camera, refuse_same_camera
from vision.cameras.port import Camera, CameraLostError, use_one_thread
from vision.table.building_mat import BuildingMatCamera

LEDGER = "events.jsonl"


class LedgerSeats:
    """Who is missing and who sits wrong, as far as the table's ledger says; only lines that are new are read."""

    def __init__(self, ledger: Path) -> None:
        """``ledger`` is the folder of the settings; its files may be there later."""
        self._folder = ledger
        self._begin(ledger)

    def shown(self) -> list[ShownSeat] | None:
        """The four places while they are checked; None at other times."""
        folder = playing_folder(self._folder)
        if folder != self._read_from:
            self._begin(folder)
        self._read_on()
        seats = self._seats
        if seats.stage is not SeatStage.AWAITED:
            return None
        says = {place: seats.taken.get(place, "") for place in PLACES}
        return [{"seat": place, "player": seats.players[place], "says": says[place]} for place in PLACES]

    def _begin(self, folder: Path) -> None:
        self._read_from, self._offset, self._seats = folder, 0, Seats()

    def _read_on(self) -> None:
        try:
            with (self._read_from / LEDGER).open("rb") as file:
                file.seek(self._offset)
                fresh = file.read()
        except OSError:
            return
        whole = fresh[: fresh.rfind(b"\n") + 1]
        self._offset += len(whole)
        for line in whole.splitlines(keepends=True):
            self._take(line)

    def _take(self, line: bytes) -> None:
        try:
            event = parse(line).body
        except DocumentError:
            return
        if isinstance(event, SeatEvent):
            self._seats = apply_to_seats(self._seats, event)


@takes(settings_file("the station's"), EVENT, LOG)
def run(arguments: argparse.Namespace) -> None:
    settings = load_to_run(arguments.settings, StationSettings)
    prepare_event(settings, arguments)
    logs.begin(arguments)
    stop = until_stopped()
    try:
        _serve(settings, stop)
    except (PlacesFileDamagedError, CameraLostError, LibraryMissingError, OSError) as error:
        raise UsageError(str(error)) from error
    except ValueError as error:
        raise SettingsError(f"{arguments.settings}: {error}") from error


def _serve(settings: StationSettings, stop: threading.Event) -> None:
    """Be the station until ``stop`` is set; its parts end in the opposite order."""
    ours, gate_camera = settings.station, settings.camera
    sizes = BY_HAND if ours.machine is None else replace(BY_HAND, bypass_cells=0)
    use_one_thread()
    refuse_same_camera((gate_camera.source, settings.walls.source or ""))
    with ExitStack() as parts:
        camera = parts.enter_context(closing(SharedCamera(_camera(gate_camera.source, settings, gate_camera.lock))))
        places = ConfirmedPlacesFile(ours.memory)
        station = Station(
            ours.feeder_link, places, ours.backs, sizes, settle_s=settings.walls.settle_s, builders=ours.builders, machine=ours.machine
        )
        shown = str if ours.ledger is None else partial(start_words, ours.ledger)
        seats = (lambda: None) if ours.ledger is None else LedgerSeats(ours.ledger).shown
        names, asks = dict(zip(ours.backs, ours.names, strict=True)), partial(shown_request, ours.ledger)
        page = ScreenServer(ScreenPage(station, camera, sizes, names, start=shown, asks=asks, seats=seats), ours.port)
        for part in (page, station, *_watchers(settings, station, camera, parts)):
            part.start()
            parts.callback(part.stop)
        logging.info("the station's screen is %s", page.url)
        stop.wait()


def start_words(ledger: Path) -> str:
    """The code's eight groups of the start under which the table's controller runs, as the first line of its open ledger says; empty before
    that is begun. ``ledger`` is the folder of the settings."""
    try:
        with (playing_folder(ledger) / OPEN_LEDGER).open("rb") as file:
            event = parse(file.readline(), classes=EVERYWHERE)
    except (OSError, DocumentError):
        return ""
    return words_of_code(bytes.fromhex(event.body.code)) if isinstance(event.body, StartFixed) else ""


def _watchers(settings: StationSettings, station: Station, camera: SharedCamera, parts: ExitStack) -> Iterator[FrameWatcher | WallsWatcher]:
    """Who looks into the frame, and at the walls where a camera hangs above them; walls are built also while that one is not there."""
    interval_s = settings.camera.look_interval_s
    yield FrameWatcher(camera, interval_s, station.saw, station.sees, is_read=station.is_read, troubled=station.troubled)
    walls = settings.walls
    if walls.source is not None:
        above = parts.enter_context(closing(_camera(walls.source, settings, walls.lock, at_once=False)))
        occupancy = BuildingMatCamera(WallMat(), walls.height_mm)
        yield WallsWatcher(above, occupancy, walls.look_interval_s, station.saw_walls)


def _camera(source: str, settings: StationSettings, lock: CameraLock, *, at_once: bool = True) -> Camera:
    return open_camera(source, settings.camera.read_timeout_s, lock, local_only=True, at_once=at_once)
