"""Cameras at the reading gates: each answers one request at a time, from one frame or several that agree."""

from collections.abc import Callable, Mapping, Sequence

from controller.adapters.cameras.camera_thread import CameraThread, Post
from controller.ledger.journal_events import TileRead
from controller.state.messages import GateLook, GateSeen
from vision.cameras.port import Camera, CameraFault, CameraFrame
from vision.model.judge import agreed
from vision.reading import Read, ReadRefusal, Reason

GATE = "gate-camera"
UNLIT_LOOKS = 6
"""Dark or overexposed looks in a row before the camera counts as lost: more than one tile's."""

_UNLIT = {
    Reason.DARK: (CameraFault.DARK, "tile after tile is dark: see to the gate's lamp and to the camera's exposure"),
    Reason.GLARE: (
        CameraFault.GLARE,
        "tile after tile is washed out by light: look for a reflection, and see to the lamp and the camera's exposure",
    ),
}
"""What the log says of a gate without light. A refusal's own words may name the probable tile, which no person may read. For the same
reason the log has the place and type of an error, but not its message."""


ReadGate = Callable[[CameraFrame], Read | ReadRefusal]
"""Reads the tile in the window by the profile of one set (``vision.gate.gate_reader.GateReader``)."""


class GateCameraWorker(CameraThread):
    """Reads the tile in the gate's window by its set's profile, from one frame or several that agree."""

    def __init__(self, camera: Camera, readers: Mapping[int, ReadGate], post: Post, *, frames: int = 1, gate: int = 0) -> None:
        """``readers`` are the profiles by the colour of the backs; ``post`` takes one GateSeen for each question that was not replaced.

        Of at most ``frames`` frames two must agree and none contradict; with 1 a single frame decides.
        """
        super().__init__("gate camera", camera, f"{GATE}-{gate}" if gate else GATE, post)
        self._readers, self._frames = readers, frames
        self._question: tuple[GateLook, int] | None = None
        self._unlit = 0

    def read(self, look: GateLook, after_ns: int) -> None:
        """Request a reading of the tile in the gate, from an exposure begun after ``after_ns``."""
        with self._changed:
            self._question = look, after_ns
            self._changed.notify()

    def _asked(self) -> bool:
        return self._question is not None

    def _work(self) -> None:
        question = self._question
        if question is None:
            return
        look, after_ns = question
        result = self._answer(self._readers[look.back], after_ns)
        self._judge_light(result)
        with self._changed:
            if self._question is question:
                self._question = None
        match result:
            case Read(tile, probability, others=others, second=second):
                read = TileRead(tile, probability, "", others, second, look.gate)
            case ReadRefusal(reason=reason):
                read = TileRead(None, 0.0, reason.value, gate=look.gate)
        self._post(GateSeen(look, read))

    def _judge_light(self, result: Read | ReadRefusal) -> None:
        """Report a camera that shows only dark or glare as lost, because staff must know while tiles circulate unread."""
        unlit = isinstance(result, ReadRefusal) and result.reason in _UNLIT
        self._unlit = self._unlit + 1 if unlit else 0
        if isinstance(result, ReadRefusal) and self._unlit >= UNLIT_LOOKS:
            self._tell_lost(*_UNLIT[result.reason])
        else:
            self._tell_found()

    def _answer(self, read: ReadGate, after_ns: int) -> Read | ReadRefusal:
        """The combined answer of the frames; takes no more than needed."""
        least = min(2, self._frames)
        answers: list[Read | ReadRefusal] = []
        while True:
            frame = self._take(after_ns)
            after_ns = frame.exposure_end_ns
            answers.append(read(frame))
            result = agreed(answers, least=least)
            wanting = least - sum(isinstance(answer, Read) for answer in answers)
            if isinstance(result, Read) or wanting > self._frames - len(answers) or wanting <= 0:
                return result


def ask_gate(workers: Sequence[GateCameraWorker], look: GateLook, after_ns: int) -> None:
    """Request a reading from the worker of the look's gate; ``workers`` in the order of the gates."""
    workers[look.gate].read(look, after_ns)
