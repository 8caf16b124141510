"""Decoder: the hand as the most probable path through legal states of the rules, by beam search.

Observations, gate edges and key presses come in the order of their times. What is certain enough is published at once, in
order; ``finish`` smooths the whole hand. With a deal, kinds that a seat cannot hold are impossible; without one, those that the
rules do not have. Nothing that players can see or hear may follow from a decoder that was given the deal
(docs/explanation/recording/recorder.md).
"""

from __future__ import annotations

import copy
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import itemgetter

from msgspec import structs

from controller.recorder import costs
from controller.recorder.anchoring import anchored
from controller.recorder.estimate import total_of
from controller.recorder.hypothesis import BEAM, Hypothesis, Missing, TableContext, TileRole, Workings
from controller.recorder.margins.event_margins import contradicts, decoded, laid_open, revised
from controller.recorder.margins.event_questions import questions, with_subjects
from controller.recorder.margins.violation_margins import found_violations, violation_questions
from controller.recorder.moves.candidates import fewest_open
from controller.recorder.moves.ending import ended
from controller.recorder.places import MatPlaces
from controller.recorder.search import Search
from controller.recorder.signals import Decoded, GateEdge, KnownDeal, Question
from controller.recorder.smoothing import settled, with_kind, with_unseen
from controller.recorder.tracks import Happening, Track, TrackChange, TrackList
from controller.recorder.violations import FoundViolation, PathViolation
from twinwall.game.held import HeldTiles
from twinwall.game.play import Phase
from twinwall.game.play_events import HandEnded, PlayEvent, WinRefused
from twinwall.game.rule_set import RuleSet
from twinwall.game.tiles import Seat, Tile
from twinwall.values import frozen
from twinwall.wire.shapes.panel import Key, KeyEdge
from vision.mat import Mat
from vision.mat_observation import MatObservation

WEIGHED = 120
"""What is left to go on from after this many weighed paths waits for the next observation, and nothing is reported before."""


@frozen
class DecoderLimits:
    """When an event is believed."""

    publish: float = costs.PUBLISH
    """Least margin, in nats, of an event that is published."""
    ask: float = costs.ASK
    """An event of a lower margin becomes a question when the hand is over."""
    weighed: int = WEIGHED
    """No path is gone on from at an observation that has weighed this many."""
    beam: int = BEAM
    """Paths kept from one observation to the next."""


AFTERWARDS = DecoderLimits(weighed=4 * WEIGHED, beam=4 * BEAM)
"""For a hand whose events nothing waits for. Each tile in doubt doubles the paths that are alike but for its kind."""


class HandDecoder:
    """Follows one hand at one table."""

    def __init__(
        self,
        rules: RuleSet,
        places: Mapping[Seat, int],
        round_wind: Seat,
        deal: KnownDeal | None,
        *,
        gates: bool = True,
        limits: DecoderLimits | None = None,
        mat: Mat | None = None,
    ) -> None:
        """``places`` are those of the seats; ``deal`` None: the seats' hands are unknown; ``gates``: draws are sensed; ``mat``
        None: the default one."""
        self.tracks = TrackList(frozenset(rules.tiles) if deal is None else None)
        self._limits = limits = limits or DecoderLimits()
        mat_places = MatPlaces(places, mat)
        self._table = TableContext(rules, round_wind, mat_places, self.tracks, deal, gates, publish=limits.publish, beam=limits.beam)
        self._beam = [Hypothesis(rules.start(), None if deal is None else HeldTiles(deal.walls))]
        self._totals: list[float] = [0.0]
        self.published: dict[int, Decoded] = {}
        """By number the events that have been published."""
        self.questions: list[Question] = []
        self._dropped: dict[tuple[int, int], float] = {}
        """By event (its index and mark) the least distance of a path that was dropped and contradicted it."""
        self._dropped_without: dict[int, float] = {}
        """By violation (its mark) the least distance of a path that was dropped and did not hold it."""
        self.reported_violations: dict[int, FoundViolation] = {}
        """By mark the violations that were reported."""
        self._heard = False
        """Whether an edge or a key waits to be joined."""
        self._behind: frozenset[int] = frozenset()
        """The numbers of the paths that the last search was to go on from."""
        self._search: Search | None = None
        """What an observation has left to be gone on with."""
        self._known = 0
        """How many events the best path had when the last search was over."""
        self._many = False
        """Whether that search had found the events of more than two turns."""

    def draw_sensed(self, edge: GateEdge) -> None:
        """A tile passed a draw gate; what follows from it is decided at the next observation."""
        self._beam = [structs.replace(path, edges=(*path.edges, edge)) for path in self._beam]
        self._heard = True

    def key_pressed(self, key: KeyEdge) -> None:
        """A key was pressed; a key held or bouncing counts once until it has had an effect."""
        if key.key in (Key.CONFIRM, Key.REFEREE):
            return
        self._heard = True
        for number, path in enumerate(self._beam):
            if not any((other.place, other.key) == (key.place, key.key) for other in path.keys):
                self._beam[number] = structs.replace(path, keys=(*path.keys, key))

    def see(self, observation: MatObservation) -> tuple[Decoded, ...]:
        """Join one observation; the events that are published by it. One from before the last one shows what may be gone, and is left out:
        a camera may serve its buffer again."""
        if observation.at_ms < self._table.now_ms:
            return ()
        changes = self.tracks.see(observation)
        self._table = replace(self._table, now_ms=observation.at_ms, workings=Workings())
        seen = frozenset(track.id for track in self.tracks.in_sight if track.seen_ms == observation.at_ms)
        if anything := bool(changes) or any(path.moved & seen for path in self._beam):
            self._beam = [changed(path, changes, seen) for path in self._beam]
        if anything or self._heard or self.tracks.stays_since(costs.STAYS_MS, costs.STAYS_FOR_GOOD_MS):
            self._go_on(Search(self._table, self._beam, again=self._many, behind=self._behind), self._limits.weighed)
        elif self._search is not None:
            self._go_on(self._search, self._limits.weighed)
        elif self.tracks.read_more:
            self._weigh(self._beam)
        else:
            return ()
        return () if self._search is not None or self._many_at_once() else self._publish()

    def _many_at_once(self) -> bool:
        """Whether one search has found the events of more than two turns: paths that contradict them may not have gone so far yet, so
        what is certain the next observation says."""
        known, self._known = self._known, len(self._beam[0].events)
        self._many = self._known - known > costs.TWO_TURNS
        self._heard = self._heard or self._many
        return self._many

    def answered(self, question: Question, kind: Tile) -> tuple[Decoded, ...]:
        """A person says which kind the tile of a question is: evidence like a look, weightier than frames."""
        self.questions = [other for other in self.questions if other is not question]
        if question.track is not None:
            return self.tile_answered(question.track, kind)
        if question.kinds:
            answered = (with_unseen(self._table, path, question.number - 1, kind) for path in self._beam)
            self._beam = [path for path in answered if path is not None] or self._beam
        return self._gone_on_again()

    def tile_answered(self, track: int, kind: Tile) -> tuple[Decoded, ...]:
        """A person says which kind a tile is."""
        self.tracks[track].evidence.answer(kind)
        self._beam.extend([with_kind(self._table, path, track, kind) for path in self._beam])
        return self._gone_on_again()

    def answer_dropped(self, track: int) -> tuple[Decoded, ...]:
        """What a person has said of a tile counts no more."""
        self.tracks[track].evidence.answer(None)
        return self._gone_on_again()

    def _gone_on_again(self) -> tuple[Decoded, ...]:
        """The events that are published by a search with what a person has said."""
        self._go_on(Search(self._table, self._beam))
        return self._publish()

    def anchor(self, events: Sequence[PlayEvent], drawn_ms: int) -> bool:
        """Go on from the table's own record, if all that lies by it is seen; the last draw was sensed at ``drawn_ms``."""
        path = anchored(self._table, events, drawn_ms)
        if path is None:
            return False
        self._dropped, self._dropped_without, self._search = {}, {}, None
        self._weigh([path])
        self.published = {number: event for number, event in self.published.items() if number <= len(events)}
        self._heard = True
        return True

    @property
    def held(self) -> tuple[PlayEvent, ...]:
        """The events of the best path so far."""
        return tuple(self._beam[0].events)

    def best(self) -> tuple[Decoded, ...]:
        """The events of the best path so far, each with its margin."""
        return decoded(self._table, self._beam, self._totals, self._dropped)

    def two_paths(self, number: int) -> tuple[Hypothesis, Hypothesis | None, float]:
        """The best path, the nearest one that holds something else as the event of this number (None: none is near), and how far it is."""
        best, index = self._beam[0], number - 1
        for path, total in zip(self._beam[1:], self._totals[1:], strict=True):
            if path.marks[index : index + 1] != best.marks[index : index + 1]:
                return best, path, total - self._totals[0]
        return best, None, costs.MOST

    def laid_open(self, before: Sequence[PlayEvent], seat: Seat) -> Decoded | None:
        """The hand or the meld that a seat lays open after these events, as certain as its tiles are: which of a hand's won does not
        matter."""
        return laid_open(self._table, self._beam, self._totals, self._dropped, before=tuple(before), seat=seat)

    def kind_of(self, track: int) -> Tile | None:
        """What a tile is by the best path that has explained it."""
        return next((path.kinds[track] for path in self._beam if track in path.kinds), None)

    def lying_as(self, role: TileRole) -> Track | None:
        """The tile that lies somewhere with this role, by the best path."""
        track = self._beam[0].track_of(role)
        return None if track is None else self.tracks[track]

    @property
    def cost(self) -> float:
        """How unlikely the best path is, in nats."""
        return self._totals[0]

    @property
    def explained(self) -> Mapping[int, Tile]:
        """By track the kind of each tile that the best path has explained, also of those that are gone."""
        return self._beam[0].kinds

    @property
    def unexplained(self) -> frozenset[int]:
        """The tracks that the best path has not explained, also those that were taken up."""
        return self._beam[0].loose | self._beam[0].departed

    def unseen_kinds(self) -> tuple[Tile, ...]:
        """The kinds of a discard that no frame saw, those first of which fewest lie open."""
        return tuple(fewest_open(self._table, self._beam[0]))

    def suspected(self) -> Iterator[PathViolation]:
        """The violations that a path holds which is near enough to be asked about, how uncertain they may be."""
        near = (path for path, total in zip(self._beam, self._totals, strict=True) if total - self._totals[0] < self._limits.ask)
        return (violation for path in near for violation in path.violations)

    def violations(self) -> tuple[FoundViolation, ...]:
        """The violations of the best path so far, each with its margin."""
        return self._violations(self.best())

    def finish(self) -> tuple[Decoded, ...]:
        """The hand is over: the best whole path, after everything seen; what is unclear has become a question."""
        self._table = replace(self._table, over=True, workings=Workings())
        self._go_on(Search(self._table, self._beam, behind=self._behind))
        again = [after for path in self._beam if (after := settled(self._table, path)) is not path]
        self._weigh([ended(self._table, path) for path in (*self._beam, *again)])
        limit = self._limits.publish
        events = tuple(revised(decoded(self._table, self._beam, self._totals, self._dropped, smoothed_below=limit), self.published))
        doubted = [event for event in events if event.margin < self._limits.ask]
        found = self._violations(events)
        about_violations = violation_questions(self._table, self._beam, self._totals, found, self._limits.ask)
        self.questions = list(with_subjects((*questions(self._table, self._beam[0], doubted), *about_violations)))
        self._tell(found)
        return events

    def copied(self) -> HandDecoder:
        """A decoder that goes on by itself from here, where a hand is over; what nothing changes, such as rules and paths, is shared."""
        other = copy.copy(self)
        other.tracks = copy.deepcopy(self.tracks)
        other._table = replace(self._table, tracks=other.tracks, workings=Workings(), folds={}, allowed={})
        other._beam, other._totals, other.questions = list(self._beam), list(self._totals), list(self.questions)
        other.published, other.reported_violations = dict(self.published), dict(self.reported_violations)
        other._dropped, other._dropped_without = dict(self._dropped), dict(self._dropped_without)
        return other

    @property
    def searching(self) -> bool:
        """Whether the next observation has to go on with what the last one has left: nothing is certain that was not before."""
        return self._search is not None

    @property
    def weighed(self) -> int:
        """How many paths the last observation has weighed: what it took, whatever else the computer does."""
        return self._table.workings.weighed

    @property
    def complete(self) -> bool:
        """Whether the best path has come to the end of the hand and has explained every tile that lies."""
        return bool(self._beam[0].events) and isinstance(self._beam[0].events[-1], HandEnded)

    def _go_on(self, search: Search, most: float = math.inf) -> None:
        """Go on with a search: to its end, or until ``most`` paths have been weighed."""
        before, self._heard = self._search, False
        weighed = search.weighed if search is before else 0
        search.go_on(weighed + most)
        self._table.workings.weighed += search.weighed - weighed
        self._search = None if search.over else search
        self._keep(list(search.found.values()), search.left)
        if search is before and search.over:
            self._weigh(self._beam)

    def _weigh(self, paths: list[Hypothesis]) -> None:
        self._keep([(total_of(self._table, path), path) for path in paths])

    def _keep(self, paths: list[tuple[float, Hypothesis]], left: Iterable[Hypothesis] = ()) -> None:
        """Keep the best paths, and those that are ``left`` to be gone on from; while there are such, the search keeps the others."""
        ordered, also = sorted(paths, key=itemgetter(0)), {id(path) for path in left}
        most = ordered[0][0] + costs.MOST
        kept = [pair for number, pair in enumerate(ordered) if (number < self._table.beam and pair[0] < most) or id(pair[1]) in also]
        if self._search is None:
            self._remember(ordered[0], ordered[self._table.beam :])
        self._beam, self._totals = [path for _, path in kept], [total for total, _ in kept]
        self._behind = frozenset(number for number, path in enumerate(self._beam) if id(path) in also)

    def _remember(self, best: tuple[float, Hypothesis], dropped: Iterable[tuple[float, Hypothesis]]) -> None:
        """Near paths are dropped for want of room: what one contradicts is no more certain than its distance."""
        near = ((total - best[0], path) for total, path in dropped if total - best[0] < self._limits.publish)
        for gap, path in near:
            for index, mark in enumerate(best[1].marks):
                if contradicts(path, best[1], index):
                    self._dropped[index, mark] = min(gap, self._dropped.get((index, mark), gap))
            held = {violation.mark for violation in path.violations}
            for violation in best[1].violations:
                if violation.mark not in held:
                    self._dropped_without[violation.mark] = min(gap, self._dropped_without.get(violation.mark, gap))

    def _publish(self) -> tuple[Decoded, ...]:
        """Publish what has become certain."""
        fresh = [
            replace(event, published_ms=self._table.now_ms)
            for event in decoded(self._table, self._beam, self._totals, self._dropped, self.published)
            if event.margin >= self._limits.publish
        ]
        self.published.update({event.number: event for event in fresh})
        if self._beam[0].violations or any(isinstance(event.event, WinRefused) for event in fresh):
            self._tell(self._violations(tuple(self.published.values())))
        return tuple(fresh)

    def _violations(self, events: tuple[Decoded, ...]) -> tuple[FoundViolation, ...]:
        """The violations of the best path, of which these events are believed."""
        return found_violations(self._table, self._beam, self._totals, self._dropped_without, events, reported=self.reported_violations)

    def _tell(self, found: Iterable[FoundViolation]) -> None:
        """Tell of the violations that have become certain, each once."""
        for each in found:
            if each.margin >= self._limits.publish and each.violation.mark not in self.reported_violations:
                self.reported_violations[each.violation.mark] = replace(each, published_ms=self._table.now_ms)


def changed(path: Hypothesis, changes: tuple[TrackChange, ...], seen: frozenset[int]) -> Hypothesis:
    """The path with new and gone tiles, and of the numbers of those that are seen."""
    again = path.moved & seen
    loose, departed, roles, missing, cost = set(path.loose | again), set(path.departed), dict(path.roles), dict(path.missing), path.cost
    for change in changes:
        track = change.track
        match change.change:
            case Happening.APPEARED:
                loose.add(track.id)
            case Happening.GONE if track.id in loose:
                loose.discard(track.id)
                if track.face_up and path.play.phase not in (Phase.SHOW, Phase.ENDED):
                    departed.add(track.id)
                else:
                    cost += costs.SOMETIMES + (costs.UNEXPLAINED / 2 if track.face_up else 0.0)
            case Happening.GONE if track.id in roles:
                role = roles.pop(track.id)
                missing[role] = Missing(path.kinds.get(track.id), track.x_mm, track.y_mm, change.at_ms, track.seen_ms)
            case _:
                pass
    moved = path.moved - again
    return structs.replace(path, loose=frozenset(loose), departed=frozenset(departed), roles=roles, missing=missing, moved=moved, cost=cost)
