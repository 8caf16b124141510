"""``twinwall hall readiness``: says whether tables whose controllers run on this computer are ready, enrols their sets, tries four draws.

The dashboard asks it (``[dashboard] readiness``); it listens on loopback alone.
"""

from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cli.hall.set_profiles import SETS, named_set, profile_file, with_profiles
from cli.run_settings import load_to_run, prepare_event
from cli.table.table_panels import TablePanels, open_panels
from cli.tiles.calibrate import lens_and_height
from cli.tiles.cameras import open_gate_camera, open_table_camera
from cli.tiles.readers import gate_readers, mat_sweeper, table_reader, tile_sets
from cli.usage import EVENT, PUBLISHED, UsageError, argument, port_number, takes, until_stopped, write_file
from controller.recorder.observation_file import ordinary_hand
from controller.settings import TableSettings
from controller.state.messages import KeyPressed
from firmware_bridge.serial_port import SerialPort
from tableside.readiness.checked_table import CheckedParts, CheckedTable
from tableside.readiness.hand_recording import HandRecording
from tableside.readiness.readiness_server import readiness_app
from tableside.readiness.recorded_hands import RecordedHands
from tableside.readiness.set_enrolment import SetEnrolment
from tableside.readiness.trial_run import TrialCameras
from tableside.station.camera_worker import SharedCamera
from twinwall.game.documents import DocumentError
from twinwall.game.rules import rule_set
from twinwall.game.tiles import ALL_TILES
from twinwall.web.loopback_server import HttpServer
from twinwall.wire.shapes.readiness import EnrolledSet, WantedRecording
from vision.calibration.mat_check import MatCheck, check_mat, drawn_jpeg
from vision.cameras.port import use_one_thread
from vision.enrol.enrol import SetName
from vision.model.classifier import Classifier
from vision.model.profile import load_profile


def checked_parts(settings: TableSettings) -> CheckedParts:
    """What a table's readiness is found out with, from the settings of its controller: cameras, readers, profiles, keys."""
    camera = settings.camera
    gate, table = SharedCamera(open_gate_camera(camera, at_once=False)), SharedCamera(open_table_camera(camera))
    classifier, recorded = Classifier(), RecordedHands(settings.ledger.folder.parent / "recorded")
    sets = partial(_sets, settings, classifier)

    def trial_cameras() -> TrialCameras:
        now = with_profiles(settings, lambda which: not sets()[which].trouble)
        on_mat = table_reader(now, ALL_TILES)
        back = now.sets.first.back
        return TrialCameras(gate, table, gate_readers(now.vision, tile_sets(now), ALL_TILES)[back], on_mat, back)

    def enrolment(which: str) -> SetEnrolment:
        if which not in SETS:
            raise KeyError(which)
        of_set = named_set(settings, which)
        called = SetName(of_set.name, of_set.back, datetime.now(UTC).date())
        return SetEnrolment((which, called, ALL_TILES), gate, classifier, partial(_kept, profile_file(settings, which)))

    def recording(wanted: WantedRecording) -> HandRecording:
        now = with_profiles(settings, lambda which: not sets()[which].trouble)
        sweeper = mat_sweeper(now, tuple(dict.fromkeys(rule_set(wanted.rules).tiles)))
        back = named_set(now, wanted.set).back
        new = partial(recorded.new, f"{datetime.now(UTC).astimezone():%Y-%m-%d-%H%M%S}")
        return HandRecording(ordinary_hand(settings.table.name, wanted.rules, wanted.hand), table, sweeper, back, new, open_keys=keys)

    def checked(image: NDArray[np.uint8]) -> tuple[MatCheck, bytes]:
        mat = settings.own_mat
        lens, height_mm = lens_and_height(camera, image)
        check = check_mat(image, mat, height_mm, lens)
        return check, drawn_jpeg(image, mat, check)

    keys = partial(heard_keys, settings) if settings.panel.enabled or settings.panel.phones else None
    return CheckedParts(gate, table, trial_cameras, checked, sets, enrolment, recording, recorded, partial(_port, settings), keys)


def heard_keys(settings: TableSettings, press: Callable[[KeyPressed], None]) -> TablePanels:
    """The panels, whose presses alone are heard: a trial and a recording go on while one is away, of which the log tells."""
    return open_panels(settings, lambda message: press(message) if isinstance(message, KeyPressed) else None)


def _sets(settings: TableSettings, classifier: Classifier) -> Mapping[str, EnrolledSet]:
    found = {}
    for which in SETS:
        of_set, file = named_set(settings, which), profile_file(settings, which)
        enrolled = trouble = ""
        try:
            if file.exists():
                enrolled = load_profile(file, classifier.digest, name=of_set.name, back=of_set.back).made.isoformat()
        except DocumentError as error:
            trouble = str(error)
        found[which] = EnrolledSet(of_set.name, enrolled, trouble)
    return found


def _kept(file: Path, content: bytes) -> None:
    """Write a profile; raises OSError."""
    file.parent.mkdir(parents=True, exist_ok=True)
    try:
        write_file(file, content, PUBLISHED, force=True)
    except UsageError as error:
        raise OSError(str(error)) from None


@contextmanager
def _port(settings: TableSettings) -> Iterator[None]:
    with closing(SerialPort(settings.feeder.port, settings.feeder.baud_rate)):
        yield


def _settings(path: Path, arguments: Namespace) -> TableSettings:
    """A table's settings, fit for an event where they say that it is one; raises SettingsError and UsageError."""
    settings = load_to_run(path, TableSettings)
    prepare_event(settings, Namespace(settings=path, event=arguments.event))
    return settings


@takes(
    argument("settings", "settings files of the tables' controllers", type=Path, nargs="+"),
    argument("--port", "port on loopback", type=port_number, required=True, metavar="N"),
    EVENT,
    about=__doc__,
)
def serve(arguments: Namespace) -> None:
    settings = [_settings(path, arguments) for path in arguments.settings]
    use_one_thread()
    tables = {each.table.name: CheckedTable(checked_parts(each)) for each in settings}
    stop = until_stopped()
    try:
        server = HttpServer(readiness_app(tables), arguments.port)
    except OSError as problem:
        raise UsageError(f"--port {arguments.port} cannot be listened on ({problem.strerror}): choose another one") from problem
    server.start()
    stop.wait()
    for table in tables.values():
        table.close()
    server.stop()
