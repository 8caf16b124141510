"""Readers of a table, from its settings: the gate reader of each tile set, and the table reader."""

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from config import SettingsError
from controller.device_settings import CameraSection, ServiceSection, SetSection, VisionSection
from controller.settings import TableSettings
from twinwall.game.documents import DocumentError
from twinwall.game.tiles import Tile, format_tiles
from vision.calibration.camera_day import CameraDay, EvenCamera, parse_camera_day
from vision.cameras.opening import open_camera, refuse_same_camera
from vision.cameras.port import Camera
from vision.gate.gate_reader import GateReader, KeepingReader
from vision.model.classifier import MODEL_PATH, SECOND_MODEL_PATH, Classifier
from vision.model.judge import ProfileJudge
from vision.model.profile import Profile, load_profile
from vision.table.sweeper import MatSweeper
from vision.table.table_reader import TableReader

GATE, TABLE = "gate", "table"


def open_gate_camera(camera: CameraSection, *, at_once: bool = True) -> Camera:
    """The gate camera, corrected and cut as its calibration says; raises CameraLostError, ValueError.

    With ``at_once`` False a missing camera is opened when a frame is asked for.
    """
    day = day_of(camera, GATE)
    plain = _opened(camera, GATE, day, at_once=at_once)
    return plain if day is None or (day.flat_field is None and day.region is None) else EvenCamera(plain, day.flat_field, day.region)


def open_gate_cameras(camera: CameraSection, *, at_once: bool = True) -> Iterator[Camera]:
    """The cameras of all gates in their order, each as ``open_gate_camera`` opens the first; raises as that does.

    Raises SettingsError where two of the settings' cameras are one.
    """
    try:
        refuse_same_camera((camera.gate.source, *camera.other_gates, camera.table.source))
    except ValueError as error:
        raise SettingsError(f"[camera] {error}") from None
    yield open_gate_camera(camera, at_once=at_once)
    calibrations = camera.other_calibrations or (None,) * len(camera.other_gates)
    for source, calibration in zip(camera.other_gates, calibrations, strict=True):
        gate = replace(camera.gate, source=source, calibration=calibration)
        yield open_gate_camera(replace(camera, gate=gate), at_once=at_once)


def open_table_camera(camera: CameraSection) -> Camera:
    """The camera above the table, opened when a frame is asked for; raises ValueError."""
    return _opened(camera, TABLE, day_of(camera, TABLE), at_once=False)


def open_plain_camera(camera: CameraSection, which: str) -> Camera:
    """One of the cameras as it is; the gate's must stand on this machine. Raises CameraLostError and ValueError."""
    return _opened(camera, which, None, at_once=True)


def _opened(camera: CameraSection, which: str, day: CameraDay | None, *, at_once: bool) -> Camera:
    """A camera whose pictures must have the size of its calibration, where there is one."""
    section = camera.gate if which == GATE else camera.table
    size = None if day is None else (day.width_px, day.height_px)
    return open_camera(section.source, camera.read_timeout_s, section.lock, local_only=which == GATE, size=size, at_once=at_once)


def day_of(camera: CameraSection, which: str) -> CameraDay | None:
    """How a camera saw on its day of calibration, None where the settings name none; raises DocumentError for a file of no use."""
    path = camera.gate.calibration if which == GATE else camera.table.calibration
    if path is None:
        return None
    return parse_camera_day(path.read_text(encoding="utf-8", errors="replace"), str(path), which)


log = logging.getLogger(__name__)


def gate_readers(shared: VisionSection, sets: Iterable[SetSection], kinds: Sequence[Tile]) -> Mapping[int, GateReader]:
    """The gate's reader of each set by its back: by the set's profile where it has one, else by the model alone.

    Sets read alike share a model in memory. ``kinds`` are those that the rules play with. Raises DocumentError for a model, and
    for a profile of another set or model, one that is damaged, or one that lacks a kind.
    """
    second = _second_model()
    models: dict[tuple[Path, float | None], Classifier] = {}
    readers: dict[int, GateReader] = {}
    for each in sets:
        key = each.model or shared.model or MODEL_PATH, each.accept_probability or shared.accept_probability
        if key not in models:
            models[key] = Classifier(key[0], least_probability=key[1])
        judge = None
        if each.profile is not None:
            judge = ProfileJudge(_profile(each.profile, models[key], each, kinds))
        readers[each.back] = GateReader(models[key], judge, second=second)
    return readers


def _second_model() -> Classifier | None:
    """The second model, for the wall audit; None where none is shipped, which the log says."""
    if SECOND_MODEL_PATH.exists():
        return Classifier(SECOND_MODEL_PATH)
    log.warning("no second model at %s: walls are weighed by what one model sees", SECOND_MODEL_PATH)
    return None


def _profile(path: Path, classifier: Classifier, of_set: SetSection, kinds: Sequence[Tile]) -> Profile:
    profile = load_profile(path, classifier.digest, name=of_set.name, back=of_set.back)
    if lacking := profile.lacking(kinds):
        raise DocumentError(f"the profile {path} has no example of {format_tiles(lacking)}, which these rules play with: enrol them too")
    return profile


def tile_sets(settings: TableSettings) -> tuple[SetSection, SetSection]:
    """The two tile sets."""
    return settings.sets.first, settings.sets.second


def table_reader(settings: TableSettings, kinds: Sequence[Tile]) -> TableReader:
    """The reader of the mat: each set by its profile where it has one, with the lens and the height of the camera's calibration.

    A set with a model of its own is read on the mat by the shared one, alone. Raises DocumentError as ``gate_readers``.
    """
    day, classifier = day_of(settings.camera, TABLE), Classifier(settings.vision.model or MODEL_PATH)
    calibration = None if day is None else day.mat
    return TableReader.calibrated(settings.own_mat, classifier, calibration, _mat_judges(settings, kinds, classifier))


def mat_sweeper(settings: TableSettings, kinds: Sequence[Tile]) -> MatSweeper:
    """What finds tiles anywhere on the mat, judged as by ``table_reader``. It shares nothing with a reader, so each may have a thread."""
    mat, day, classifier = settings.own_mat, day_of(settings.camera, TABLE), Classifier(settings.vision.model or MODEL_PATH)
    follower = TableReader.calibrated(mat, classifier, None if day is None else day.mat).follower
    return MatSweeper(mat, classifier, follower, _mat_judges(settings, kinds, classifier))


def _mat_judges(settings: TableSettings, kinds: Sequence[Tile], classifier: Classifier) -> dict[int, ProfileJudge]:
    return {
        each.back: ProfileJudge(_profile(each.profile, classifier, each, kinds))
        for each in tile_sets(settings)
        if each.profile is not None and each.model in (None, settings.vision.model)
    }


def with_service(readers: Mapping[int, GateReader], service: ServiceSection) -> Mapping[int, GateReader | KeepingReader]:
    """The readers, their refused frames kept where the service switch is on; raises OSError for a folder that cannot be made."""
    if service.keep_refused is None or not service.switch:
        return readers
    folder, most = service.keep_refused, service.most_kept
    return {
        back: KeepingReader(reader, folder, most, lambda: datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%f"))
        for back, reader in readers.items()
    }
