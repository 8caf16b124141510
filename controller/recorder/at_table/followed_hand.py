"""Followed hand: one hand of a running table with the decoder that does not know its deal, and what it has reported of it to the table."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import reduce

from controller.recorder.decoder import HandDecoder
from controller.recorder.signals import GateEdge, HeardHand, KnownDeal, Signal
from controller.state.watches import Awaits, HandToDecode, Watch
from twinwall.game.play import PlayState
from twinwall.game.play_events import Claim, PlayEvent
from twinwall.game.rule_set import RuleSet
from twinwall.game.tiles import SEATS, Seat
from twinwall.wire.shapes.panel import KeyEdge
from vision.mat import Area, Mat, Slot
from vision.mat_observation import MatObservation


@dataclass
class FollowedHand:
    """One hand with the decoder that does not know the deal."""

    rules: RuleSet
    mat: Mat
    hand: HandToDecode
    decoder: HandDecoder
    heard: HeardHand
    awaited: Watch | None = None
    awaited_ms: int = 0
    """Since when the table has waited for that discard."""
    reported: set[Watch] = field(default_factory=set)
    """The watches for which a certain discard was reported."""
    exposed: set[tuple[Watch, PlayEvent]] = field(default_factory=set)
    """The reports of melds, kongs and hands; the table may refuse one, and another is reported then."""
    called: set[tuple[int, int, Seat, Claim]] = field(default_factory=set)
    """The calls without a key that were reported, with how many events of the record and how many rulings there were: what the table
    refuses while it waits for the referee is reported again."""
    passed_ms: int = 0
    """When it was known that the claims of the record's last discard were over, in the decoder's time: not before they were."""
    doubted: set[Watch] = field(default_factory=set)
    """The watches for which a doubt was reported; what is certain later is reported as well."""
    anchored: Watch | None = None
    """The watch for whose discard the decoder was last set on the table's record."""
    seen_ms: int = 0
    """When the mat was last observed, in the decoder's time."""
    violations: set[int] = field(default_factory=set)
    """The marks of the violations that the decoder has reported."""
    suspected: set[int] = field(default_factory=set)
    """The marks of those of which pictures have been taken, reported or not."""
    asked: dict[Slot, int] = field(default_factory=dict)
    """The tracks of the tiles that the referee is asked about, by the slots for which they were laid."""

    named: dict[Slot, int] = field(default_factory=dict)
    """The tracks of the tiles of which the referee's answers wait to be taken, by slot."""

    @property
    def play(self) -> PlayState:
        """Where the hand stands by the table's record."""
        return reduce(self.rules.apply, self.hand.events, self.rules.start())

    def due(self, watch: Watch) -> Slot:
        """Where the awaited discard is to lie."""
        return Slot(self.hand.deal.place(watch.awaited.seat), Area.RIVER, watch.awaited.number)

    def anchor(self, watch: Watch) -> bool:
        """Set the decoder on the table's record; whether that was possible."""
        drawn_ms = self.heard.drawn_ms
        own = watch.awaited.kind is Awaits.DISCARD
        last_ms = drawn_ms.get(self.hand.deal.place(watch.awaited.seat), 0) if own else max(drawn_ms.values(), default=0)
        if not self.decoder.anchor(self.hand.events, last_ms):
            return False
        self.anchored = watch
        return True

    def go_on(self, hand: HandToDecode) -> None:
        """The table's record is so far. An answer that a ruling has dropped may be wrong: the decoder forgets it, as the table does."""
        gone = self.named.keys() - hand.answers.keys()
        settled, ruled = [self.named.pop(slot) for slot in sorted(gone)], hand.rulings > self.hand.rulings
        self.hand = hand
        if settled and ruled:
            for track in settled:
                self.decoder.answer_dropped(track)
            if hand.awaited is not None:
                self.anchor(hand.awaited)
        self.answer()

    def answer(self) -> None:
        """What the referee has said of tiles is evidence; where no path holds it, all that lies there beside the record is weighed
        again."""
        for slot in sorted(self.asked.keys() & self.hand.answers.keys()):
            track, tile = self.asked.pop(slot), self.hand.answers[slot]
            self.named[slot] = track
            self.decoder.tile_answered(track, tile)
            if self.decoder.kind_of(track) is not tile and self.hand.awaited is not None:
                self.anchor(self.hand.awaited)


def decoder_of(rules: RuleSet, mat: Mat, hand: HandToDecode, known: KnownDeal | None = None, *, gates: bool = True) -> HandDecoder:
    """A decoder for a hand; ``known`` is its deal, where the decoder may know that; ``gates``: draws are sensed."""
    return HandDecoder(rules, {seat: hand.deal.place(seat) for seat in SEATS}, hand.deal.round, known, gates=gates, mat=mat)


def join(decoder: HandDecoder, item: Signal) -> None:
    """Tell a decoder what was heard."""
    match item:
        case MatObservation():
            decoder.see(item)
        case GateEdge():
            decoder.draw_sensed(item)
        case KeyEdge():
            decoder.key_pressed(item)


def agreeing(held: Sequence[PlayEvent], events: Sequence[PlayEvent]) -> int:
    """How many events from the first one on are the same in both."""
    pairs = enumerate(zip(held, events, strict=False))
    return next((index for index, (one, event) in pairs if one != event), min(len(held), len(events)))
