"""One table's readiness: its cameras' views, its enrolled sets, and the present enrolment, trial or recording. Each of these holds the
feeder's port, which only one program can have: none runs while the controller plays, and no play begins meanwhile. A picture of the mat and
a reading of its tiles hold it too, so that they show no tiles of a hand in play."""

import threading
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack
from datetime import UTC, datetime
from functools import partial

from numpy import uint8
from numpy.typing import NDArray

from tableside.readiness.camera_checks import check_camera, check_gate, check_mat, read_rivers
from tableside.readiness.hand_recording import HandRecording
from tableside.readiness.recorded_hands import GivenAnswers, RecordedHands
from tableside.readiness.set_enrolment import SetEnrolment
from tableside.readiness.trial_run import OpenKeys, TrialCameras, TrialRun
from twinwall.values import frozen
from twinwall.wire.shapes.readiness import (
    CameraCheck,
    CheckOutcome,
    EnrolledSet,
    HandEnd,
    MatFaultSeen,
    MatLook,
    Readiness,
    RecordingNow,
    RiverTiles,
    WantedAnswer,
    WantedRecording,
)
from vision.calibration.mat_check import MatCheck
from vision.cameras.port import Camera

CheckMat = Callable[[NDArray[uint8]], tuple[MatCheck, bytes]]
"""Checks a picture of a bare mat (h × w × 3 BGR); returns the check, and the picture with the check drawn in, a JPEG file's bytes."""


def mat_look(number: int, check: MatCheck) -> MatLook:
    """One look at a bare mat in words, the worst first: the figures of the check, and the problems."""
    seen = check.pieces
    return MatLook(
        number,
        len({one.number for one in seen.seen}),
        sum(len(piece.markers) for piece in seen.pieces),
        len(check.slots),
        len(check.slots_bare),
        round(check.px_per_mm, 2),
        round(check.edge_mm, 1),
        [MatFaultSeen(one.fault.value, one.numbers, one.advice) for one in check.findings],
    )


class TableBusyError(Exception):
    """The request cannot begin now; the message says why, and what to do."""


@frozen
class CheckedParts:
    """The parts that check a table's readiness.

    Attributes:
        gate, table: the cameras; several threads use them.
        cameras: makes the readers for the presently enrolled sets.
        check_mat: checks the mat in a picture of the camera above it.
        sets: what is known of each set, by ``first`` and ``second``.
        enrolment: makes a new enrolment of a set; raises KeyError for another name.
        recording: makes a new recording of a hand; raises KeyError for another set, RuleSetError for unknown rules,
         DocumentError for a set that lacks tiles of them, and OSError.
        recorded: the recorded hands.
        reserve: holds the feeder's port while it is entered; raises OSError if another program has it.
        keys: the table's keys, or None.
    """

    gate: Camera
    table: Camera
    cameras: Callable[[], TrialCameras]
    check_mat: CheckMat
    sets: Callable[[], Mapping[str, EnrolledSet]]
    enrolment: Callable[[str], SetEnrolment]
    recording: Callable[[WantedRecording], HandRecording]
    recorded: RecordedHands
    reserve: Callable[[], AbstractContextManager[object]]
    keys: OpenKeys | None


class CheckedTable:
    """One table; any thread may call."""

    def __init__(self, parts: CheckedParts) -> None:
        self._parts = parts
        self._lock = threading.Lock()
        self._looking = threading.Lock()
        self._cameras: TrialCameras | None = None
        self._gate_reads = False
        self._seen: tuple[CameraCheck | None, CameraCheck | None] = (None, None)
        self.enrolment: SetEnrolment | None = None
        """The last enrolment since the start."""
        self._trial: TrialRun | None = None
        self._recording: HandRecording | None = None
        self._thread: threading.Thread | None = None
        self._mat_pictures: tuple[int, bytes] = (0, b"")
        self._answers = GivenAnswers(parts.recorded, partial(datetime.now, UTC))

    def now(self) -> Readiness:
        """The present facts; during an enrolment or a trial, what the cameras showed before."""
        if not self._is_busy:
            self._seen = self._looked()
        gate, mat = self._seen
        with self._lock:
            enrolment, trial, recording = self.enrolment, self._trial, self._recording
            return Readiness(
                gate,
                mat,
                self._gate_reads,
                dict(self._parts.sets()),
                None if enrolment is None else enrolment.now(),
                None if trial is None else trial.now(),
                None if recording is None else recording.now(),
                self._parts.recorded.listed(),
            )

    def enrol(self, which: str) -> None:
        """Begin the enrolment of a set; raises TableBusyError, and KeyError for an unknown set."""
        wanted = self._parts.enrolment(which)
        with self._lock:
            held = self._held()
            self.enrolment, self._cameras = wanted, None
            self._start("enrolment", wanted.run, held)

    def try_draws(self) -> None:
        """Begin a trial of four draws; raises TableBusyError."""
        wanted = TrialRun(self._parts.cameras(), self._parts.keys)
        with self._lock:
            held = self._held()
            self._trial = wanted
            self._start("trial", wanted.run, held)

    def record(self, wanted: WantedRecording) -> None:
        """Begin to record a hand. Raises TableBusyError, also if the mat is not seen; KeyError for an unknown set, RuleSetError for unknown
        rules, DocumentError for a set that lacks tiles of them, and OSError."""
        if not self._is_busy and (check := self._looked_at_mat()).outcome is not CheckOutcome.MAT:
            raise TableBusyError(f"the camera above the table does not see the mat ({check.detail}): no hand can be recorded")
        with self._lock, ExitStack() as unless_begun:
            held = unless_begun.enter_context(self._held())
            self._recording = self._parts.recording(wanted)
            self._start("recording", self._recording.run, held)
            unless_begun.pop_all()

    def recording(self) -> RecordingNow | None:
        """The last recording since the start; uses no camera."""
        with self._lock:
            return None if self._recording is None else self._recording.now()

    def end_hand(self, name: str, end: HandEnd) -> None:
        """End the recording of the hand ``name``; raises TableBusyError if that hand is not being recorded."""
        with self._lock:
            if self._recording is None or not self._recording.is_running:
                raise TableBusyError("no hand is being recorded at this table")
            if name != (under_way := self._recording.now().name):
                raise TableBusyError(
                    f"the hand {name} is not recorded any more, and {under_way} has begun since: end that one if it is over"
                )
            self._recording.end(end)

    def recorded(self, name: str, suffix: str) -> bytes | None:
        """A file of a recorded hand; None for an unknown name."""
        return self._parts.recorded.content(name, suffix)

    def answer(self, name: str, wanted: WantedAnswer) -> None:
        """Answer a question about a recorded hand, at any time; raises AnswerRefusedError and OSError."""
        self._answers.answer(name, wanted)

    def look_at_mat(self) -> MatLook:
        """Check the mat in a new picture; raises TableBusyError while a hand may be there, and CameraLostError."""
        with self._lock, self._held():
            frame = self._parts.table.frame_after(time.monotonic_ns())
        check, picture = self._parts.check_mat(frame.image)
        with self._lock:
            number = self._mat_pictures[0] + 1
            self._mat_pictures = number, picture
        return mat_look(number, check)

    def read_rivers(self) -> RiverTiles:
        """Read the tiles in the rivers; raises TableBusyError while a hand may be there, CameraLostError and MatUnseenError."""
        with self._lock, self._held(), self._looking:
            cameras = self._cameras = self._cameras or self._parts.cameras()
            return read_rivers(self._parts.table, cameras.table_reader, cameras.back)

    def mat_picture(self, number: int) -> bytes | None:
        """The picture of the last look at the mat, a JPEG file's bytes; None if ``number`` is another one's."""
        last, picture = self._mat_pictures
        return picture if number == last and picture else None

    def stop(self) -> None:
        with self._lock:
            for each in (self.enrolment, self._trial):
                if each is not None:
                    each.stop()

    def close(self) -> None:
        """End what is running, wait for it, and close the cameras. A hand being recorded is cut off, and stored."""
        with self._lock:
            if self._recording is not None:
                self._recording.cut_off()
        self.stop()
        if self._thread is not None:
            self._thread.join()
        self._parts.gate.close()
        self._parts.table.close()

    @property
    def _is_busy(self) -> bool:
        return any(each is not None and each.is_running for each in (self.enrolment, self._trial, self._recording))

    def _held(self) -> ExitStack:
        """The feeder's port, held until it is closed."""
        if self._is_busy:
            raise TableBusyError("an enrolment, a trial or a recording is under way at this table: end it first")
        held = ExitStack()
        try:
            held.enter_context(self._parts.reserve())
        except OSError as taken:
            raise TableBusyError(f"this table plays, or its station is not there ({taken}): wait until its hands are over") from None
        return held

    def _start(self, name: str, run: Callable[[], None], held: ExitStack) -> None:
        def whole() -> None:
            with held:
                run()

        self._thread = threading.Thread(target=whole, name=name, daemon=True)
        self._thread.start()

    def _looked(self) -> tuple[CameraCheck, CameraCheck]:
        with self._looking:
            cameras = self._cameras = self._cameras or self._parts.cameras()
            gate = check_camera(self._parts.gate, partial(check_gate, cameras.gate_reader))
            mat = check_camera(self._parts.table, partial(check_mat, cameras.table_reader))
            self._gate_reads = self._gate_reads or gate.outcome is CheckOutcome.READ
            return gate, mat

    def _looked_at_mat(self) -> CameraCheck:
        with self._looking:
            cameras = self._cameras = self._cameras or self._parts.cameras()
            return check_camera(self._parts.table, partial(check_mat, cameras.table_reader))
