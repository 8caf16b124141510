"""Readiness of a table, for its server and the dashboard: cameras, sets, enrolment, trial, recording. ``tableside.readiness`` writes states
and reads wishes; ``dashboard.readiness`` does the reverse."""

from enum import StrEnum
from typing import Annotated

from msgspec import Meta

from twinwall.game.tiles import HANDS
from twinwall.game.typed_json import Count
from twinwall.values import FrozenStruct, Shape
from twinwall.wire.messages.tile_reading import UnreadRiverSlot


class CheckOutcome(StrEnum):
    AWAY = "away"
    """No frame arrives."""
    DARK = "dark"
    GLARE = "glare"
    EMPTY = "empty"
    """The gate is empty and clearly seen."""
    UNREAD = "unread"
    """Something is at the gate and cannot be read."""
    READ = "read"
    """The tile at the gate is read."""
    NO_MARKERS = "no-markers"
    """Not all four markers of the mat are seen."""
    OTHER_MAT = "other-mat"
    """The mat names another table."""
    TOO_FAR = "too-far"
    """The mat is too small in the picture for reading tiles."""
    MAT = "mat"
    """The whole mat is seen."""


class CameraCheck(FrozenStruct):
    """What one camera shows, with the vision's sentence if something is wrong."""

    outcome: CheckOutcome
    detail: str = ""


class EnrolledSet(FrozenStruct):
    """A tile set of the table: its name, the day of its enrolment, or why its profile cannot be used."""

    name: str
    enrolled: str = ""
    trouble: str = ""


class EnrolmentStage(StrEnum):
    SHOWING = "showing"
    """The tiles are shown."""
    NAMING = "naming"
    """The reader names them."""
    ASKING = "asking"
    """A person names those that the reader doubts."""
    MAKING = "making"
    """The profile is made."""
    ENROLLED = "enrolled"
    LACKING = "lacking"
    """Kinds have no example: nothing was written."""
    FAILED = "failed"
    STOPPED = "stopped"

    @property
    def is_running(self) -> bool:
        return self in (EnrolmentStage.SHOWING, EnrolmentStage.NAMING, EnrolmentStage.ASKING, EnrolmentStage.MAKING)


class EnrolmentQuestion(FrozenStruct):
    """A picture whose kind the reader doubts: its number, and the likeliest kinds, best first."""

    number: int
    count: int
    candidates: list[str]


class EnrolmentNow(FrozenStruct):
    """The state of an enrolment: ``taken`` of ``wanted`` tiles have a picture; ``missing`` kinds have no example; of ``left_out`` kinds a
    doubtful example was dropped."""

    set: str
    stage: EnrolmentStage
    taken: int
    wanted: int
    running_s: float
    trouble: str = ""
    question: EnrolmentQuestion | None = None
    missing: list[str] = []  # noqa: RUF012 - msgspec copies it
    left_out: list[str] = []  # noqa: RUF012 - msgspec copies it

    @property
    def is_running(self) -> bool:
        return self.stage.is_running


class DrawStep(StrEnum):
    SHOW = "show"
    """Show a tile to the gate's camera."""
    LAY = "lay"
    """Lay it on the first place of the river."""
    CONFIRM = "confirm"
    """Press CONFIRM at the place."""
    DONE = "done"


class DrawHint(StrEnum):
    NONE = ""
    UNREAD = "unread"
    """A tile is at the gate and cannot be read."""
    NO_MAT = "no-mat"
    OTHER_TILE = "other-tile"
    """The mat's camera reads another kind than the gate's camera did."""
    OTHER_PLACE = "other-place"
    """The key of another place was pressed."""


class TrialNow(FrozenStruct):
    """The state of a trial; ``place`` draws."""

    place: int
    step: DrawStep
    hint: DrawHint
    running: bool
    trouble: str = ""

    @property
    def is_done(self) -> bool:
        return self.step is DrawStep.DONE


class RecordingStage(StrEnum):
    RECORDING = "recording"
    ENDING = "ending"
    """A person said that the hand is over, and the whole hand is decoded."""
    RECORDED = "recorded"
    STOPPED = "stopped"
    """It was discarded."""
    CUT_OFF = "cut-off"
    """It reached its longest time, or the program ended: observations are kept without a record."""
    FULL = "full"
    """As CUT_OFF, because the observations reached their largest size."""
    FAILED = "failed"


class HandEnd(StrEnum):
    """How a person ends a recording."""

    END = "end"
    """The hand is over; if its end was not seen, the recording continues."""
    KEEP = "keep"
    """The hand is over, even if its end was not seen."""
    STOP = "stop"
    """Discard the recording."""


class RecordingNow(FrozenStruct):
    """The state of a recording: ``frames`` seen, certain ``discards``, what the last frame shows (with a sentence if it shows no mat), and
    how long no frame showed the mat. ``early``: a person said that the hand was over, but its end was not seen."""

    name: str
    stage: RecordingStage = RecordingStage.RECORDING
    frames: int = 0
    discards: int = 0
    last_frame: CheckOutcome = CheckOutcome.MAT
    detail: str = ""
    unseen_s: float = 0.0
    early: bool = False

    @property
    def is_running(self) -> bool:
        return self.stage in (RecordingStage.RECORDING, RecordingStage.ENDING)


class StoredHand(FrozenStruct):
    """A recorded hand; ``ended``: its record can be read; ``complete``: the camera saw its end; ``doubts``: the number of open
    questions."""

    name: str
    ended: bool = False
    complete: bool = False
    doubts: int = 0


class Readiness(FrozenStruct):
    """The state of a table. ``gate_reads``: the gate's camera has read a tile since the start. A camera without result has no check."""

    gate: CameraCheck | None
    mat: CameraCheck | None
    gate_reads: bool
    sets: dict[str, EnrolledSet]
    enrolment: EnrolmentNow | None = None
    trial: TrialNow | None = None
    recording: RecordingNow | None = None
    recorded: tuple[StoredHand, ...] = ()

    @property
    def is_busy(self) -> bool:
        return (self.enrolment is not None and self.enrolment.is_running) or (self.trial is not None and self.trial.running)

    @property
    def is_recording(self) -> bool:
        return self.recording is not None and self.recording.is_running


class MatFaultSeen(FrozenStruct):
    """One fault (a value of ``MatFault``): the numbers of its sheets, cards or markers, and an English sentence that says what to do."""

    fault: str
    numbers: tuple[int, ...]
    advice: str

    @property
    def key(self) -> str:
        """Its part of a catalogue key."""
        return self.fault.replace(" ", "-")


class MatLook(FrozenStruct):
    """One picture of a mat: markers found and expected, bare slots, pixels per millimetre, width of a marker's edge (mm). ``faults`` has
    the worst first; a mat without faults may be played on."""

    number: int
    markers: int
    markers_expected: int
    slots: int
    slots_bare: int
    px_per_mm: float
    edge_mm: float
    faults: list[MatFaultSeen]


class RiverTiles(FrozenStruct):
    """The kinds in the rivers, in their order, and the slots that were not read."""

    tiles: list[str]
    unread: tuple[UnreadRiverSlot, ...]


class WantedEnrolment(Shape):
    """The set to enrol: ``first`` or ``second``."""

    set: str


class NamedPicture(Shape):
    """What a doubtful picture shows; an empty ``tile`` drops it."""

    number: Count
    tile: str = ""


class WantedRecording(Shape):
    """A hand to record: its rule set, its number in a session (which gives East and the round), and its tile set."""

    rules: str
    hand: Annotated[int, Meta(ge=1, le=HANDS)] = 1
    set: str = "first"


class EndedHand(Shape):
    """End the recording of the hand ``name``."""

    name: str
    end: HandEnd = HandEnd.END


class WantedAnswer(Shape):
    """The answer of ``by`` about event ``number``; ``seen``: how many answers to this question the page showed. ``place`` identifies the
    question (x and y in mm, time in ms, as far as known), because another answer may have renumbered the events."""

    number: Count
    about: Annotated[str, Meta(max_length=40)]
    said: Annotated[str, Meta(min_length=1, max_length=10)]
    by: Annotated[str, Meta(min_length=1, max_length=200)]
    seen: Count = 0
    place: tuple[float | None, float | None, int | None] = (None, None, None)
