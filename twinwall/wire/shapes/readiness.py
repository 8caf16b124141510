"""Readiness of a table as its server on the same computer and the dashboard exchange it: cameras, sets, enrolment, trial, recording.

``tableside.readiness`` makes what is known and takes what is wanted; ``dashboard.readiness`` decodes and asks.
"""

from enum import StrEnum
from typing import Annotated

from msgspec import Meta

from twinwall.game.session import HANDS
from twinwall.game.typed_json import Count
from twinwall.values import FrozenStruct, Shape
from twinwall.wire.messages.tile_reading import UnreadRiverSlot


class CheckOutcome(StrEnum):
    """What a camera shows."""

    AWAY = "away"
    """No frame comes."""
    DARK = "dark"
    GLARE = "glare"
    EMPTY = "empty"
    """The gate is empty, and seen well."""
    UNREAD = "unread"
    """Something lies at the gate and cannot be read."""
    READ = "read"
    """The tile at the gate is read."""
    NO_MARKERS = "no-markers"
    """The mat's four markers are not all seen."""
    OTHER_MAT = "other-mat"
    """The mat names another table."""
    TOO_FAR = "too-far"
    """The mat is seen, but too small to read tiles on it."""
    MAT = "mat"
    """The mat is seen whole."""


class CameraCheck(FrozenStruct):
    """What one camera shows, with the vision's own sentence where something is amiss."""

    outcome: CheckOutcome
    detail: str = ""


class EnrolledSet(FrozenStruct):
    """A tile set of the table: its name, the day of its enrolment, or why its profile cannot be used."""

    name: str
    enrolled: str = ""
    trouble: str = ""


class EnrolmentStage(StrEnum):
    """How far an enrolment is."""

    SHOWING = "showing"
    """The tiles are shown."""
    NAMING = "naming"
    """The reader names them."""
    ASKING = "asking"
    """A person names those that it doubts."""
    MAKING = "making"
    """The profile is made."""
    ENROLLED = "enrolled"
    LACKING = "lacking"
    """Kinds are left without an example: nothing was written."""
    FAILED = "failed"
    STOPPED = "stopped"

    @property
    def is_running(self) -> bool:
        """Whether the enrolment has not ended."""
        return self in (EnrolmentStage.SHOWING, EnrolmentStage.NAMING, EnrolmentStage.ASKING, EnrolmentStage.MAKING)


class EnrolmentQuestion(FrozenStruct):
    """A picture whose kind the reader doubts: its number, and the likeliest kinds, best first."""

    number: int
    count: int
    candidates: list[str]


class EnrolmentNow(FrozenStruct):
    """How far it is. ``taken`` of ``wanted`` tiles are pictured; ``missing`` names kinds without an example, ``left_out`` those of which
    an example was doubtful and is not in the profile."""

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
        """Whether it has not ended."""
        return self.stage.is_running


class DrawStep(StrEnum):
    """What is to be done next."""

    SHOW = "show"
    """Show a tile to the gate's camera."""
    LAY = "lay"
    """Lay it on the first place of the river."""
    CONFIRM = "confirm"
    """Press CONFIRM at the place."""
    DONE = "done"


class DrawHint(StrEnum):
    """Why the trial does not go on."""

    NONE = ""
    UNREAD = "unread"
    """A tile lies at the gate and cannot be read."""
    NO_MAT = "no-mat"
    OTHER_TILE = "other-tile"
    """The mat's camera reads another kind than the gate's did."""
    OTHER_PLACE = "other-place"
    """The key of another place was pressed."""


class TrialNow(FrozenStruct):
    """How far a trial is; ``place`` is whose draw it is."""

    place: int
    step: DrawStep
    hint: DrawHint
    running: bool
    trouble: str = ""

    @property
    def is_done(self) -> bool:
        """Whether all four draws were made."""
        return self.step is DrawStep.DONE


class RecordingStage(StrEnum):
    """How far a recording is."""

    RECORDING = "recording"
    ENDING = "ending"
    """A person said that the hand is over, and what was seen is decoded as a whole."""
    RECORDED = "recorded"
    STOPPED = "stopped"
    """It was thrown away."""
    CUT_OFF = "cut-off"
    """It reached the longest time, or the program ended: what was observed is kept, without a record."""
    FULL = "full"
    """The same, since the observations take as much room as they may."""
    FAILED = "failed"


class HandEnd(StrEnum):
    """How a person ends a recording."""

    END = "end"
    """The hand is over, and goes on where its end was not seen."""
    KEEP = "keep"
    """The hand is over, also where its end was not seen."""
    STOP = "stop"
    """It is thrown away."""


class RecordingNow(FrozenStruct):
    """How far a recording is: ``frames`` looked at, ``discards`` that are certain, what the last frame shows, with a sentence where it
    shows no mat, and for how long no frame showed the mat. ``early``: a person said that the hand was over, and its end was not seen."""

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
        """Whether it has not ended."""
        return self.stage in (RecordingStage.RECORDING, RecordingStage.ENDING)


class KeptHand(FrozenStruct):
    """A hand by its name; ``ended``: there is a record that can be read; ``complete``: the camera saw its end; ``doubts``: the number of
    questions are open."""

    name: str
    ended: bool = False
    complete: bool = False
    doubts: int = 0


class Readiness(FrozenStruct):
    """Everything that is known of a table. ``gate_reads``: the gate's camera has read a tile since the start. A camera of which nothing
    is known yet has no check."""

    gate: CameraCheck | None
    mat: CameraCheck | None
    gate_reads: bool
    sets: dict[str, EnrolledSet]
    enrolment: EnrolmentNow | None = None
    trial: TrialNow | None = None
    recording: RecordingNow | None = None
    recorded: tuple[KeptHand, ...] = ()

    @property
    def is_busy(self) -> bool:
        """Whether an enrolment or a trial is under way."""
        return (self.enrolment is not None and self.enrolment.is_running) or (self.trial is not None and self.trial.running)

    @property
    def is_recording(self) -> bool:
        """Whether a hand is recorded."""
        return self.recording is not None and self.recording.is_running


class MatFaultSeen(FrozenStruct):
    """One fault (a value of ``MatFault``): the numbers of the sheets, cards or markers, and an English sentence that says what to do."""

    fault: str
    numbers: tuple[int, ...]
    advice: str

    @property
    def key(self) -> str:
        """Its part of a text's key."""
        return self.fault.replace(" ", "-")


class MatLook(FrozenStruct):
    """What one picture shows: markers found of those expected, bare slots, pixels a millimetre, width of a marker's edge (mm).

    ``number`` is that of the picture; ``faults`` has the worst first, and none is a mat that may be played on.
    """

    number: int
    markers: int
    markers_expected: int
    slots: int
    slots_bare: int
    px_per_mm: float
    edge_mm: float
    faults: list[MatFaultSeen]


class RiverTiles(FrozenStruct):
    """The kinds that lie in the rivers, in their order, and what was not read."""

    tiles: list[str]
    unread: tuple[UnreadRiverSlot, ...]


class WantedEnrolment(Shape):
    """Which set is enrolled: ``first`` or ``second``."""

    set: str


class NamedPicture(Shape):
    """What a doubtful picture shows; an empty ``tile`` leaves it out."""

    number: Count
    tile: str = ""


class WantedRecording(Shape):
    """A hand to be recorded: its rule set, its number in a session (which says who is East, and the round), and the set in play."""

    rules: str
    hand: Annotated[int, Meta(ge=1, le=HANDS)] = 1
    set: str = "first"


class EndedHand(Shape):
    """The recording of the hand ``name`` is ended."""

    name: str
    end: HandEnd = HandEnd.END


class WantedAnswer(Shape):
    """What ``by`` says of the event ``number``; ``seen``: the number of answers to this question that the page showed. ``place`` is that of
    the question, x and y in mm and its time in ms, as far as the page knows it: another answer may have given the number to another event
    meanwhile."""

    number: Count
    about: Annotated[str, Meta(max_length=40)]
    said: Annotated[str, Meta(min_length=1, max_length=10)]
    by: Annotated[str, Meta(min_length=1, max_length=200)]
    seen: Count = 0
    place: tuple[float | None, float | None, int | None] = (None, None, None)
