"""Decoded table: a rig at which every discard and meld lies away from its slots, so that the decoder alone can tell of it."""

from __future__ import annotations

from collections.abc import Callable

from controller.adapters.follower import Adapters, Follower
from controller.recorder.at_table.table_decoding import TableDecoding
from controller.recorder.at_table.told_tiles import DoubtedTile, Told
from controller.recorder.signals import GateEdge, KeyEdge
from controller.state.decoding import HandToDecode
from controller.state.keys import Key
from controller.state.messages import DiscardDecoded, ExposureDecoded, LastDiscardDecoded, RecordDoubted
from controller.state.watches import AwaitedDiscard
from tests.support.controller.feeder import Move
from tests.support.controller.rigs import Rig
from twinwall.game.play_events import TileDrawn
from vision.mat import Area, Mat, Slot
from vision.mat_observation import MatObservation, ObservedTile

FRAME_MS = 300
LOOKS = 8
"""In so many frames a tile that lies there is found."""
ASTRAY_MM = 16.0
_MAT = Mat()
_Told = DiscardDecoded | ExposureDecoded | LastDiscardDecoded | RecordDoubted


class DecodedTable:
    """Decodes what lies on a rig's mat, frame by frame; gate edges come from the table's record."""

    def __init__(self, rig: Rig, disturb: Callable[[MatObservation], MatObservation] = lambda seen: seen) -> None:
        """``disturb``: what people do to what the camera sees."""
        self._disturb = disturb
        self._rig, self._decoding, self._now_ms = rig, TableDecoding(rig.setup.rules), 0
        self._hand: HandToDecode | None = None
        self.told: list[_Told] = []
        self._frames = 0
        """How many frames the decoder has seen since it began."""
        rig.mat.astray = frozenset(slot for place in range(4) for area in (Area.RIVER, Area.MELD) for slot in _MAT.slots(place, area))
        rig.decoding, rig.pressed = self, self._pressed
        self._players = rig.players
        rig.players = self._next_move
        rig.follower = Follower(Adapters(rig, rig, rig, rig, rig.time, rig.time, rig.questions, self), rig.post)

    def follow(self, hand: HandToDecode | None) -> None:
        """The table's record has come so far."""
        review = self._decoding.follow(hand)
        doubt = None if review is None else review.compare().doubt
        if doubt is not None:
            self._tell(doubt)
        known = 0 if self._hand is None else len(self._hand.events)
        for event in () if hand is None else hand.events[known:]:
            if isinstance(event, TileDrawn):
                assert hand is not None
                self._decoding.told(GateEdge(self._now_ms + 1, hand.deal.place(event.seat)))
        self._hand = hand

    def _pressed(self, place: int, key: Key) -> None:
        self._decoding.told(KeyEdge(self._now_ms + 1, place, key))

    def _next_move(self) -> Move | None:
        """A frame, where the table waits for something that has been laid, or for its last discard; else what the players do."""
        hand = self._hand
        if hand is not None and hand.last_discard is not None and self._frames < LOOKS:
            return self._show
        if hand is not None and hand.awaited is not None:
            awaited, slots = hand.awaited.awaited, hand.awaited.slots
            if isinstance(awaited, AwaitedDiscard):
                slots = (Slot(hand.deal.place(awaited.seat), Area.RIVER, awaited.river_place),)
            if set(slots) <= self._rig.mat.tiles.keys():
                return self._show
        return self._players()

    def _show(self) -> None:
        self._now_ms += FRAME_MS
        self._frames += 1
        tiles = tuple(self._observed(slot) for slot in self._rig.mat.tiles)
        self._answer(self._decoding.see(self._disturb(MatObservation(self._now_ms, tiles))))
        lies = self._decoding.last_discard()
        if lies is not None:
            self._tell(lies)

    def _observed(self, slot: Slot) -> ObservedTile:
        mat, spot = self._rig.mat, _MAT.spot(slot)
        x_mm, y_mm, turn_deg = spot.x_mm, spot.y_mm, spot.turn_deg % 180
        if slot in mat.astray:
            x_mm, y_mm = (x_mm + ASTRAY_MM, y_mm) if slot.place % 2 == 0 else (x_mm, y_mm + ASTRAY_MM)
        if slot in mat.blurred:
            return ObservedTile(x_mm, y_mm, turn_deg, face_up=False)
        return ObservedTile(x_mm, y_mm, turn_deg, True, {mat.tiles[slot]: 0.99}, sure=True)

    def _answer(self, found: Told | None) -> None:
        assert not isinstance(found, DoubtedTile), "the tiles of this table are read surely"
        if found is not None:
            self._tell(found)

    def restarted(self) -> None:
        """The controller was away: the decoder begins anew."""
        self._decoding, self._frames = TableDecoding(self._rig.setup.rules), 0
        self._decoding.follow(self._hand)

    def _tell(self, found: _Told) -> None:
        self.told.append(found)
        self._rig.post(found)
