"""Record only: an ordinary hand is followed by the camera above the mat from its start to its end, and what was seen of it is kept.
Enrolment by showing tile after tile to the gate's camera."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from datetime import date
from functools import partial
from itertools import count
from pathlib import Path
from threading import Thread
from typing import NoReturn, Protocol

import numpy as np
import pytest
from numpy.typing import NDArray

from cli import main
from controller.recorder.observation_file import ObservedHand, decode_lines
from controller.state.messages import KeyPressed
from tableside.readiness.hand_recording import LONGEST_S, MOST_BYTES, HandRecording
from tableside.readiness.recorded_hands import RecordedHands, keep_document
from tableside.readiness.set_enrolment import MOST_LOOKS, SetEnrolment, ShownTiles
from tests.readiness.shown import ShownTilesCamera
from tests.support.recorder.played_hands import PlayedHand, messages_of, only, played
from tests.support.vision.pictures import empty_gate, face, gate_with
from tests.support.wire.brokers import eventually
from twinwall.game.play_events import TileDiscarded
from twinwall.game.record import HandRecord
from twinwall.game.tiles import SEATS, Tile
from twinwall.wire.shapes.panel import KeyEdge, Lamps
from twinwall.wire.shapes.readiness import CheckOutcome, EnrolmentStage, HandEnd, RecordingStage, StoredHand
from vision.cameras.port import CameraFault, CameraFrame, CameraLostError, Region
from vision.enrol.enrol import SetName
from vision.mat_observation import MatObservation
from vision.model.classifier import Classifier
from vision.model.profile import parse_profile
from vision.reading import ReadRefusal, Reason

NAME = "2026-11-22-200000"
EVENTS = 16


class ShownHand:
    """A camera whose n-th frame shows the n-th observation of a hand, and then the last one again and again; and the keys of its table,
    which are pressed between the frames. The time is the hand's."""

    def __init__(self, hand: PlayedHand, first: int | None = None) -> None:
        told_of = list(messages_of(hand.at_table(only(), first)))
        self.observations = [each for each in told_of if isinstance(each, MatObservation)]
        self.presses = [each for each in told_of if isinstance(each, KeyEdge)]
        self.frames, self.now_ns = 0, 0
        self.lost = self.covered = False
        self.keys_are_heard = False
        self.keys_in_use = ""
        self.when_stopped: Callable[[], None] = lambda: None

    def frame_after(self, moment_ns: int, region: Region | None = None) -> CameraFrame:
        assert region is None
        if self.lost:
            raise CameraLostError("no phone is connected", CameraFault.SILENT)
        seen = self.observations[min(self.frames, len(self.observations) - 1)]
        late_ms = max(0, self.frames - len(self.observations) + 1) * 250
        self.frames += 1
        while self.presses and self.presses[0].at_ms <= seen.at_ms:
            press = self.presses.pop(0)
            self.now_ns = (press.at_ms + 1) * 1_000_000
            self.pressed(KeyPressed(press.place, press.key))
        self.now_ns = (seen.at_ms + late_ms + 1) * 1_000_000
        return CameraFrame(np.zeros((1, 1, 3), np.uint8), self.now_ns - 1, self.now_ns)

    def close(self) -> None:
        """Nothing."""

    def open_keys(self, pressed: Callable[[KeyPressed], None]) -> ShownHand:
        """The keys are this table's own."""
        if self.keys_in_use:
            raise RuntimeError(self.keys_in_use)
        self.pressed, self.keys_are_heard = pressed, True
        return self

    def show(self, lamps: Lamps) -> None:
        """No lamp is looked at."""

    def stop(self) -> None:
        self.keys_are_heard = False
        self.when_stopped()

    @property
    def trouble(self) -> ReadRefusal | None:
        return ReadRefusal(Reason.COVERED, "marker 2 is not seen") if self.covered else None

    def observe(self, frame: CameraFrame, at_ms: int, back: int | None = None) -> MatObservation | None:
        assert back == 1
        seen = self.observations[min(self.frames, len(self.observations)) - 1]
        return None if self.covered else MatObservation(at_ms, seen.tiles, seen.covered)


def hand_of(rules: str, number: int) -> ObservedHand:
    """Which hand is recorded, without its deal."""
    hand = played(rules, number).to_play.hand
    return ObservedHand("try", 1, hand, 1, "1", rules, {}, dict(zip(SEATS, "1234", strict=True)), bytes(32), gates=False)


class RecordingRig:
    def __init__(self, folder: Path, camera: ShownHand, hand: ObservedHand, most_bytes: int = MOST_BYTES) -> None:
        self.hands, self.camera = RecordedHands(folder), camera
        new = partial(self.hands.new, NAME)
        self.decoding_s = 0.0
        self.recording = HandRecording(
            hand, camera, camera, 1, new, open_keys=camera.open_keys, clock_ns=self.clock_ns, most_bytes=most_bytes, frame_s=0.001
        )
        self.thread = Thread(target=self.recording.run)
        self.thread.start()

    def clock_ns(self) -> int:
        """The hand's time; while the whole hand is decoded, ``decoding_s`` pass."""
        if self.recording.now().stage is RecordingStage.ENDING:
            self.camera.now_ns += round(self.decoding_s * 1e9)
        return self.camera.now_ns

    def until(self, stage: RecordingStage) -> None:
        eventually(lambda: self.recording.now().stage in (stage, RecordingStage.FAILED), f"the recording is {stage}")
        assert self.recording.now().stage is stage, self.recording.now()

    def saw_all(self) -> None:
        eventually(lambda: not self.recording.is_running or self.recording.now().frames > len(self.camera.observations) + 2, "all was seen")

    def record(self) -> HandRecord:
        content = self.hands.content(NAME, ".json")
        assert content is not None
        return HandRecord.from_json(json.dumps(json.loads(content)["record"]))


class Begin(Protocol):
    def __call__(self, camera: ShownHand, hand: ObservedHand, most_bytes: int = MOST_BYTES) -> RecordingRig: ...


@pytest.fixture
def begin(tmp_path: Path) -> Iterator[Begin]:
    rigs = list[RecordingRig]()

    def begun(camera: ShownHand, hand: ObservedHand, most_bytes: int = MOST_BYTES) -> RecordingRig:
        rigs.append(RecordingRig(tmp_path / "recorded", camera, hand, most_bytes))
        return rigs[-1]

    yield begun
    for rig in rigs:
        rig.recording.end(HandEnd.STOP)
        rig.thread.join()


def part_of_a_hand() -> ShownHand:
    return ShownHand(played("sichuan", 0), EVENTS)


@pytest.mark.nightly
def test_a_whole_hand_is_recorded_without_its_deal(begin: Begin, capsys: pytest.CaptureFixture[str]) -> None:
    hand = played("sichuan", 1)
    rig = begin(ShownHand(hand), hand_of("sichuan", 1))
    rig.saw_all()
    rig.recording.end(HandEnd.END)
    rig.until(RecordingStage.RECORDED)
    rig.thread.join()
    assert rig.record().events == hand.events, "two seats won by a key, with what they laid open"
    assert not rig.camera.keys_are_heard
    assert rig.hands.listed() == (StoredHand(NAME, ended=True, complete=True),)
    file = rig.hands.folder / f"{NAME}.jsonl"
    assert main(["record", "decode", str(file)]) == 0, "the command makes the same of the observations"
    record = json.loads(capsys.readouterr().out)
    assert record == rig.record().to_json()
    file.with_name("record.json").write_text(json.dumps(record))
    assert main(["replay", str(file.with_name("record.json"))]) == 0
    assert "the record holds, without walls (the hand was recorded without its deal)" in capsys.readouterr().out


def test_a_hand_that_is_ended_too_early_goes_on_or_is_kept_as_far_as_it_was_seen(begin: Begin) -> None:
    rig = begin(part_of_a_hand(), hand_of("sichuan", 0))
    rig.saw_all()
    rig.decoding_s = 5.0
    rig.recording.end(HandEnd.END)
    eventually(lambda: rig.recording.now().early or not rig.recording.is_running, "the person is told")
    frames = rig.recording.now().frames
    eventually(lambda: rig.recording.now().frames > frames, "it goes on")
    assert rig.hands.listed() == (StoredHand(NAME),)
    assert rig.recording.now().unseen_s == 5.0, "no frame was looked at while the hand was decoded"
    rig.recording.end(HandEnd.KEEP)
    rig.until(RecordingStage.RECORDED)
    discards = [event for event in played("sichuan", 0).events[:EVENTS] if isinstance(event, TileDiscarded)]
    assert [event for event in rig.record().events if isinstance(event, TileDiscarded)] == discards
    assert not rig.hands.listed()[0].complete
    assert not re.search(rb"\d\.\d{7}", rig.hands.content(NAME, ".jsonl") or b""), "no more digits than a camera tells"


def test_a_hand_that_is_ended_before_the_camera_has_seen_anything_goes_on_or_is_kept(begin: Begin) -> None:
    camera = part_of_a_hand()
    camera.lost = True
    rig = begin(camera, hand_of("sichuan", 0))
    eventually(lambda: rig.recording.now().last_frame is CheckOutcome.AWAY, "the camera is away")
    rig.recording.end(HandEnd.END)
    eventually(lambda: rig.recording.now().early or not rig.recording.is_running, "the person is told")
    assert rig.recording.now().early, rig.recording.now()
    rig.recording.end(HandEnd.KEEP)
    rig.until(RecordingStage.RECORDED)
    assert not any(isinstance(event, TileDiscarded) for event in rig.record().events)


def test_a_camera_that_is_lost_or_sees_no_mat_is_said_and_the_hand_goes_on(begin: Begin) -> None:
    camera = part_of_a_hand()
    rig = begin(camera, hand_of("sichuan", 0))
    eventually(lambda: rig.recording.now().frames > 3, "frames come")
    camera.lost = True
    eventually(lambda: rig.recording.now().last_frame is CheckOutcome.AWAY, "the camera is away")
    assert rig.recording.now().detail == "no phone is connected"
    camera.lost, camera.covered = False, True
    eventually(lambda: rig.recording.now().detail == "marker 2 is not seen", "a marker is covered")
    assert rig.recording.now().last_frame is CheckOutcome.NO_MARKERS
    camera.covered = False
    eventually(lambda: rig.recording.now().last_frame is CheckOutcome.MAT, "the mat is seen again")
    assert rig.recording.now().unseen_s > 0
    assert rig.recording.is_running


def test_a_recording_that_is_thrown_away_leaves_nothing(begin: Begin) -> None:
    rig = begin(part_of_a_hand(), hand_of("sichuan", 0))
    at_the_end = list[tuple[RecordingStage, tuple[StoredHand, ...]]]()
    rig.camera.when_stopped = lambda: at_the_end.append((rig.recording.now().stage, rig.hands.listed()))
    rig.recording.end(HandEnd.STOP)
    rig.thread.join()
    assert at_the_end == [(RecordingStage.STOPPED, ())], "who reads that it was thrown away finds no file of it"


def test_keys_that_cannot_be_used_end_the_recording_with_the_reason(begin: Begin) -> None:
    camera = part_of_a_hand()
    camera.keys_in_use = "the panel's pins cannot be used"
    rig = begin(camera, hand_of("sichuan", 0))
    rig.thread.join()
    assert rig.recording.now().stage is RecordingStage.FAILED
    assert rig.recording.now().detail == "the panel's pins cannot be used"
    assert rig.hands.listed() == (), "nothing was observed, so nothing is listed"


def test_a_recording_whose_observations_have_grown_too_large_is_cut_off_and_they_are_kept(begin: Begin) -> None:
    rig = begin(part_of_a_hand(), hand_of("sichuan", 0), most_bytes=10_000)
    rig.until(RecordingStage.FULL)
    rig.thread.join()
    assert rig.hands.listed() == (StoredHand(NAME),)
    with (rig.hands.folder / f"{NAME}.jsonl").open("rb") as lines:
        *before, last = lines
    assert sum(map(len, before)) < 10_000 <= sum(map(len, before)) + len(last)
    _, decoded = decode_lines([*before, last])
    assert not decoded.decoder.complete, "twinwall record decode makes of them what was seen"


def test_a_recording_that_nobody_ends_is_cut_off_and_its_observations_kept(begin: Begin) -> None:
    camera = part_of_a_hand()
    rig = begin(camera, hand_of("sichuan", 0))
    rig.saw_all()
    assert rig.recording.is_running
    camera.lost = True
    eventually(lambda: rig.recording.now().last_frame is CheckOutcome.AWAY, "the time stands still")
    camera.now_ns += round(LONGEST_S * 1e9)
    rig.until(RecordingStage.CUT_OFF)
    rig.thread.join()
    assert rig.hands.listed() == (StoredHand(NAME),)


def test_nobody_else_reads_a_recorded_hand_and_no_other_file_is_given_out(tmp_path: Path) -> None:
    hands = RecordedHands(tmp_path / "recorded")
    observations = hands.new(NAME)
    keep_document(observations, {})
    modes = [each.stat().st_mode & 0o777 for each in (hands.folder, observations, observations.with_suffix(".json"))]
    assert modes == [0o700, 0o600, 0o600]
    observations.unlink()
    for name in ("other", "../other"):
        (hands.folder / f"{name}.json").write_text("{}")
        assert hands.content(name, ".json") is None
    assert hands.listed() == ()


@pytest.mark.parametrize("content", [b"", b'{"complete": tr', b"\xff"])
def test_a_damaged_document_is_a_hand_without_a_record(tmp_path: Path, content: bytes, caplog: pytest.LogCaptureFixture) -> None:
    hands = RecordedHands(tmp_path / "recorded")
    document = hands.new(NAME).with_suffix(".json")
    document.write_bytes(content)
    assert hands.listed() == (StoredHand(NAME),)
    assert "is damaged" in caplog.text
    keep_document(document.with_suffix(".jsonl"), {"complete": True, "questions": []})
    assert hands.listed() == (StoredHand(NAME, ended=True, complete=True),)


KINDS = (Tile.M1, Tile.P5, Tile.RED)
SHOWN = [tile for _ in range(4) for tile in KINDS]
CALLED = SetName("blue", 1, date(2026, 11, 21))


@pytest.fixture(scope="module")
def classifier() -> Classifier:
    return Classifier()


def test_every_tile_is_pictured_once_and_the_profile_is_kept(classifier: Classifier) -> None:
    kept: list[bytes] = []
    enrolment = SetEnrolment(("first", CALLED, KINDS), ShownTilesCamera(SHOWN), classifier, kept.append)
    enrolment.run()
    now = enrolment.now()
    assert (now.stage, now.taken, now.wanted, now.trouble) == (EnrolmentStage.ENROLLED, 12, 12, "")
    assert {tile: len(kind.examples) for tile, kind in parse_profile(kept[0], "p").kinds.items()} == dict.fromkeys(KINDS, 4)


@pytest.mark.parametrize(
    ("end", "stage", "missing"),
    [
        pytest.param(SetEnrolment.all_shown, EnrolmentStage.LACKING, ["1m", "5p", "C"], id="a person has no tile left"),
        pytest.param(SetEnrolment.stop, EnrolmentStage.STOPPED, [], id="stopped"),
    ],
)
def test_one_that_ends_before_every_kind_was_shown_writes_nothing(
    classifier: Classifier, end: Callable[[SetEnrolment], None], stage: EnrolmentStage, missing: list[str]
) -> None:
    kept: list[bytes] = []
    enrolment = SetEnrolment(("first", CALLED, KINDS), ShownTilesCamera(SHOWN), classifier, kept.append)
    end(enrolment)
    enrolment.run()
    assert (enrolment.now().stage, enrolment.now().missing, kept) == (stage, missing, [])


@pytest.mark.parametrize("where", ["camera", "file"])
def test_what_goes_wrong_ends_it_with_the_reason(classifier: Classifier, monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    def broken(_profile: bytes = b"") -> NoReturn:
        raise RuntimeError(where)

    camera = ShownTilesCamera([Tile.M1] * 4)
    if where == "camera":
        monkeypatch.setattr(camera, "expose", broken)
    enrolment = SetEnrolment(("first", CALLED, (Tile.M1,)), camera, classifier, broken)
    enrolment.run()
    assert (enrolment.now().stage, enrolment.now().trouble) == (EnrolmentStage.FAILED, where)


def test_a_tile_that_is_laid_while_nobody_looked_is_asked_for_again() -> None:
    rng, shown = np.random.default_rng(1), ShownTiles()
    times = count()

    def looks(picture: NDArray[np.uint8], number: int) -> list[bool]:
        return [shown.take(CameraFrame(picture, at, at + 1)) is not None for at in (next(times) for _ in range(number))]

    first, second = (gate_with(face(tile, 320), rng) for tile in (Tile.M1, Tile.P5))
    assert looks(first, 5).count(True) == 1
    assert shown.trouble == ""
    assert not any(looks(second, MOST_LOOKS + 5))
    assert "show it again" in shown.trouble
    looks(empty_gate(rng), 1)
    assert shown.trouble == ""
    assert looks(second, 5).count(True) == 1
