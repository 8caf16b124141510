"""Readers of a table, from its settings: the gate reader of each tile set, and the table reader."""

import logging
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from cli.tiles.cameras import day_of
from controller.device_settings import ServiceSection, SetSection, VisionSection
from controller.settings import TableSettings
from twinwall.game.documents import DocumentError
from twinwall.game.tiles import Tile, format_tiles
from vision.gate.gate_reader import GateReader, KeepingReader
from vision.model.classifier import MODEL_PATH, SECOND_MODEL_PATH, Classifier
from vision.model.judge import ProfileJudge
from vision.model.profile import Profile, load_profile
from vision.table.sweeper import MatSweeper
from vision.table.table_reader import TableReader

GATE, TABLE = "gate", "table"


log = logging.getLogger(__name__)


def gate_readers(shared: VisionSection, sets: Iterable[SetSection], kinds: Sequence[Tile]) -> Mapping[int, GateReader]:
    """The gate's reader of each set by its back: by the set's profile where it has one, else by the model alone. Sets read alike share a
    model in memory. ``kinds`` are those that the rules play with. Raises DocumentError for a model, and for a profile of another set or
    model, one that is damaged, or one that lacks a kind."""
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
    return settings.sets.first, settings.sets.second


def table_reader(settings: TableSettings, kinds: Sequence[Tile]) -> TableReader:
    """The reader of the mat: each set by its profile where it has one, with the lens and the height of the camera's calibration. A set with
    a model of its own is read on the mat by the shared one, alone. Raises DocumentError as ``gate_readers``."""
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
