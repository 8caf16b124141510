"""Decoded table: a rig at which every tile lies away from its slots, so that the decoder alone can tell of it.

What the decoder is unsure of is asked about as at a running table, and a referee answers. Pictures are stand-ins that name their place.
"""

from collections import Counter
from collections.abc import Callable

from controller.adapters.follower import Adapters, Follower
from controller.core.outputs import outputs_of
from controller.recorder.at_table.reported_tiles import DoubtedTile, Report
from controller.recorder.at_table.table_decoding import LocatedViolation, TableDecoding
from controller.recorder.signals import GateEdge
from controller.state.messages import CallDecoded, ViolationDecoded
from controller.state.questions import DoubtedPlace, SlotQuestion
from controller.state.watches import Awaits, HandToDecode, Watch
from tests.support.controller.feeder import Move
from tests.support.controller.rigs import Rig
from tests.support.narrowed import present
from twinwall.game.play_events import TileDrawn
from twinwall.game.tiles import Tile
from twinwall.wire.messages.commands import AnswerTile
from twinwall.wire.messages.tile_question import ShownViolation
from twinwall.wire.shapes.panel import Key, KeyEdge
from vision.mat import Area, Mat, Slot
from vision.mat_observation import MatObservation, ObservedTile

FRAME_MS = 300
LOOKS = 8
"""In so many frames a tile that lies there is found."""
_MOST_FRAMES = 60
"""So many frames are taken of one thing that the table waits for; then time goes on."""
ASTRAY_MM = 16.0
_MAT = Mat()
_JPEG = b"\xff\xd8\xff "


class DecodedTable:
    """Decodes what lies on a rig's mat, frame by frame; gate edges come from the table's record."""

    def __init__(
        self, rig: Rig, disturb: Callable[[MatObservation], MatObservation] = lambda seen: seen, *, frames_after_a_change: int = 0
    ) -> None:
        """``disturb``: what people do to what the camera sees. A frame is taken where the table waits for something that has been laid,
        and so many after each change of what lies on the mat."""
        self._disturb, self._frames_after_a_change = disturb, frames_after_a_change
        self._rig, self._decoding, self._now_ms = rig, TableDecoding(rig.setup.rules), 0
        self._hand: HandToDecode | None = None
        self._shown: dict[Slot, Tile] = {}
        self._frames_to_come = 0
        self._frames_of = Counter[Watch]()
        self._frames = 0
        """How many frames the decoder has seen since it began."""
        self.reported: list[Report | CallDecoded | LocatedViolation] = []
        """What the decoder has said before the hand was over."""
        laid = ((place, area) for place in range(4) for area in (Area.RIVER, Area.MELD, Area.HAND, Area.WIN))
        rig.mat.astray = frozenset(slot for place, area in laid for slot in _MAT.slots(place, area))
        rig.decoding, rig.pressed = self.take_record, self._pressed
        self._players = rig.players
        rig.players = self._next_move
        rig.follower = Follower(
            Adapters(rig, rig.show, rig.read, rig.watch, rig.time, rig.time, rig.questions.show, self.take_record), rig.post
        )

    def take_record(self, hand: HandToDecode | None) -> None:
        """The table's record has come so far."""
        self._decoding.take_record(hand)  # what it doubts once it knows the deal follows from concealed tiles, and waits for the release
        known = 0 if self._hand is None else len(self._hand.events)
        for event in () if hand is None else hand.events[known:]:
            if isinstance(event, TileDrawn):
                self._decoding.hear(GateEdge(self._now_ms + 1, present(hand).deal.place(event.seat)))
        self._hand = hand

    def _pressed(self, place: int, key: Key) -> None:
        self._decoding.hear(KeyEdge(self._now_ms + 1, place, key))

    def _next_move(self) -> Move | None:
        """The referee answers what he is asked; else a frame, where the table waits for something that has been laid or something has
        changed on the mat; else what the players do."""
        asked = outputs_of(self._rig.setup, self._rig.state).asked.question
        if asked is not None:
            return lambda: self._rig.post(AnswerTile(asked.n, asked.number, asked.where, self._rig.mat.tiles[asked.slot].text, "Ota"))
        if self._rig.mat.tiles != self._shown:
            self._shown, self._frames_to_come = dict(self._rig.mat.tiles), self._frames_after_a_change
        looks_for_last = self._hand is not None and self._hand.last_discard is not None and self._frames < LOOKS
        if self._frames_to_come or looks_for_last or self._waits_for_what_lies():
            return self._show
        return self._players()

    def _waits_for_what_lies(self) -> bool:
        """Whether something has been laid where the table waits for it."""
        if self._hand is None or self._hand.awaited is None or self._frames_of[self._hand.awaited] >= _MOST_FRAMES:
            return False
        awaited, slots = self._hand.awaited.awaited, set(self._hand.awaited.slots)
        if awaited.kind is Awaits.DISCARD:
            slots = {Slot(self._hand.deal.place(awaited.seat), Area.RIVER, awaited.number)}
        lying = self._rig.mat.tiles.keys()
        return not slots.isdisjoint(lying) if awaited.kind is Awaits.HAND else slots <= lying

    def _show(self) -> None:
        self._frames_to_come = max(0, self._frames_to_come - 1)
        self._now_ms += FRAME_MS
        self._frames += 1
        if self._hand is not None and self._hand.awaited is not None:
            self._frames_of[self._hand.awaited] += 1
        tiles = tuple(self._observed(slot) for slot in self._rig.mat.tiles)
        self._decode(self._disturb(MatObservation(self._now_ms, tiles)))

    def _decode(self, observation: MatObservation) -> None:
        """The decoder sees a frame; what it says is told."""
        found = self._decoding.see(observation)
        if found is not None:
            self._tell(found)
        for report in (self._decoding.call(), self._decoding.last_discard()):
            if report is not None:
                self.reported.append(report)
                self._rig.post(report)
        for violation in self._decoding.violations():
            self._accuse(violation)

    def _observed(self, slot: Slot) -> ObservedTile:
        mat, spot = self._rig.mat, _MAT.spot(slot)
        x_mm, y_mm, turn_deg = spot.x_mm, spot.y_mm, spot.turn_deg % 180
        if slot in mat.astray:
            x_mm, y_mm = (x_mm + ASTRAY_MM, y_mm) if slot.place % 2 == 0 else (x_mm, y_mm + ASTRAY_MM)
        if slot in mat.blurred:
            return ObservedTile(x_mm, y_mm, turn_deg, face_up=False)
        return ObservedTile(x_mm, y_mm, turn_deg, True, {mat.tiles[slot]: 0.99}, sure=True)

    def restarted(self) -> None:
        """The controller was away: the decoder begins anew."""
        self._decoding, self._frames = TableDecoding(self._rig.setup.rules), 0
        self._decoding.take_record(self._hand)

    def _tell(self, found: Report) -> None:
        self.reported.append(found)
        if not isinstance(found, DoubtedTile):
            self._rig.post(found)
            return
        version = present(found.report.watch.version)
        question = SlotQuestion(version.deal, version.events, present(found.report.asked))
        self._rig.questions.keep(DoubtedPlace(question, found.kinds, b"", _JPEG + f"{found.place}".encode()))
        self._rig.post(found.report)

    def _accuse(self, seen: LocatedViolation) -> None:
        self.reported.append(seen)
        picture = _JPEG + f"{seen.place}".encode()
        report = seen.report
        self._rig.questions.keep(ShownViolation(report.n, report.seat.value, report.what, after=picture))
        self._rig.post(ViolationDecoded(report.n, report.seat, report.what, report.rule))
