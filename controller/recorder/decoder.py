"""Decoder: finds the most probable path through the legal states of the rules that explains a hand, by beam search.

Observations, gate edges and key presses arrive in the order of their times. Events that are certain enough are published at once and in
order; ``finish`` weighs the whole hand again. With a deal, kinds that a seat cannot hold are impossible; without one, kinds that the rules
do not have. Nothing that players can see or hear may come from a decoder that knows the deal (docs/explanation/recording/recorder.md).
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
from controller.recorder.beam import Beam
from controller.recorder.estimate import total_of
from controller.recorder.hypothesis import BEAM, Hypothesis, Missing, SearchCache, TableContext, TileRole
from controller.recorder.margins.event_margins import decoded, laid_open, revised
from controller.recorder.margins.event_questions import questions, with_subjects
from controller.recorder.margins.violation_margins import found_violations, violation_questions
from controller.recorder.moves import ended
from controller.recorder.moves.candidates import fewest_open
from controller.recorder.places import MatPlaces
from controller.recorder.search import Search
from controller.recorder.signals import Decoded, GateEdge, KnownDeal, Question, Signal
from controller.recorder.smoothing import settled, with_kind, with_unseen
from controller.recorder.tracks import Change, Happening, Track, TrackList
from controller.recorder.violations import FoundViolation, PathViolation
from twinwall.game.play import Phase
from twinwall.game.play_events import HandEnded, PlayEvent, WinRefused
from twinwall.game.rule_set import RuleSet
from twinwall.game.tiles import Seat, Tile
from twinwall.values import frozen
from twinwall.wire.shapes.panel import Key, KeyEdge
from vision.mat import Mat
from vision.mat_observation import MatObservation

WEIGHED = 120
"""Most paths weighed per observation. The search continues with the next observation; until it ends, nothing is published."""


@frozen
class DecoderLimits:
    """When an event is believed, and how much is searched."""

    publish: float = costs.PUBLISH
    """Least margin, in nats, of an event that is published."""
    ask: float = costs.ASK
    """An event of a lower margin becomes a question when the hand is over."""
    weighed: int = WEIGHED
    """Most paths weighed per observation."""
    beam: int = BEAM
    """Paths kept from one observation to the next."""


AFTERWARDS = DecoderLimits(weighed=4 * WEIGHED, beam=4 * BEAM)
"""Limits after the hand, when nothing waits for its events. Each tile in doubt doubles the paths that differ only in its kind."""


class HandDecoder:
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
        """``places``: the place of each seat; ``deal`` None: hands are unknown; ``gates``: draws are sensed; ``mat`` None: the default."""
        self.tracks = TrackList(frozenset(rules.tiles) if deal is None else None)
        self._limits = limits = limits or DecoderLimits()
        mat_places = MatPlaces(places, mat)
        self._table = TableContext(rules, round_wind, mat_places, self.tracks, deal, gates, publish=limits.publish, beam=limits.beam)
        self.beam = Beam([Hypothesis(*self._table.beginning())], [0.0])
        """The paths after the last observation."""
        self.published: dict[int, Decoded] = {}
        """Published events by number."""
        self.questions: list[Question] = []
        self.reported_violations: dict[int, FoundViolation] = {}
        """Reported violations by mark."""
        self._heard = False
        """Whether an edge or a key waits for the next observation."""
        self._behind: frozenset[int] = frozenset()
        """Numbers of the paths that the last search had not expanded yet."""
        self._search: Search | None = None
        """The search that the next observation must continue."""
        self._known = 0
        """Number of events of the best path after the last search."""
        self._many = False
        """Whether that search found the events of more than two turns."""

    def hear(self, signal: Signal) -> None:
        match signal:
            case MatObservation():
                self.see(signal)
            case GateEdge():
                self.draw_sensed(signal)
            case KeyEdge():
                self.key_pressed(signal)

    def draw_sensed(self, edge: GateEdge) -> None:
        """A tile passed a draw gate; the next observation decides what that means."""
        self._replace_paths(structs.replace(path, edges=(*path.edges, edge)) for path in self.beam.paths)
        self._heard = True

    def key_pressed(self, key: KeyEdge) -> None:
        """A key was pressed; a held or bouncing key counts once until it has had an effect."""
        if key.key in (Key.CONFIRM, Key.REFEREE):
            return
        self._heard = True
        self._replace_paths(
            path
            if any((other.place, other.key) == (key.place, key.key) for other in path.keys)
            else structs.replace(path, keys=(*path.keys, key))
            for path in self.beam.paths
        )

    def _replace_paths(self, paths: Iterable[Hypothesis]) -> None:
        self.beam = structs.replace(self.beam, paths=[*paths])

    def see(self, observation: MatObservation) -> tuple[Decoded, ...]:
        """Join one observation; return the events published by it. Ignore an older one: a camera may send its buffer again."""
        if observation.at_ms < self._table.now_ms:
            return ()
        changes = self.tracks.see(observation)
        self._table = replace(self._table, now_ms=observation.at_ms, cache=SearchCache())
        seen = frozenset(track.id for track in self.tracks.in_sight if track.seen_ms == observation.at_ms)
        if anything := bool(changes) or any(path.moved & seen for path in self.beam.paths):
            self._replace_paths(changed(path, changes, seen) for path in self.beam.paths)
        if anything or self._heard or self.tracks.stays_since(costs.STAYS_MS, costs.STAYS_FOR_GOOD_MS):
            self._advance(Search(self._table, self.beam.paths, again=self._many, behind=self._behind), self._limits.weighed)
        elif self._search is not None:
            self._advance(self._search, self._limits.weighed)
        elif self.tracks.read_more:
            self._weigh(self.beam.paths)
        else:
            return ()
        return () if self._search is not None or self._many_at_once() else self._publish()

    def _many_at_once(self) -> bool:
        """Whether one search found the events of more than two turns. Paths that contradict them may be behind, so the next observation
        decides what is certain."""
        known, self._known = self._known, len(self.beam.best.events)
        self._many = self._known - known > costs.TWO_TURNS
        self._heard = self._heard or self._many
        return self._many

    def answered(self, question: Question, kind: Tile) -> tuple[Decoded, ...]:
        """A person names the kind of a question's tile: evidence like a look, but stronger than frames."""
        self.questions = [other for other in self.questions if other is not question]
        if question.track is not None:
            return self.tile_answered(question.track, kind)
        if question.kinds:
            answered = (with_unseen(self._table, path, question.number - 1, kind) for path in self.beam.paths)
            self._replace_paths([path for path in answered if path is not None] or self.beam.paths)
        return self._search_again()

    def tile_answered(self, track: int, kind: Tile) -> tuple[Decoded, ...]:
        self.tracks[track].evidence.answer(kind)
        self._replace_paths((*self.beam.paths, *(with_kind(self._table, path, track, kind) for path in self.beam.paths)))
        return self._search_again()

    def answer_dropped(self, track: int) -> tuple[Decoded, ...]:
        """Forget a person's answer about a tile."""
        self.tracks[track].evidence.answer(None)
        return self._search_again()

    def _search_again(self) -> tuple[Decoded, ...]:
        """Search again after an answer and return the events published by that."""
        self._advance(Search(self._table, self.beam.paths))
        return self._publish()

    def anchor(self, events: Sequence[PlayEvent], drawn_ms: int) -> bool:
        """Continue from the table's own record; False if a recorded tile is neither seen nor covered. The last draw was sensed at
        ``drawn_ms``."""
        path = anchored(self._table, events, drawn_ms)
        if path is None:
            return False
        self.beam, self._search = Beam([], []), None
        self._weigh([path])
        self.published = {number: event for number, event in self.published.items() if number <= len(events)}
        self._heard = True
        return True

    @property
    def held(self) -> tuple[PlayEvent, ...]:
        return self.beam.best.events

    def best(self) -> tuple[Decoded, ...]:
        return decoded(self._table, self.beam)

    def laid_open(self, before: Sequence[PlayEvent], seat: Seat) -> Decoded | None:
        """Return the hand or meld that a seat lays open after these events, with the margin of its tiles, whichever of them won."""
        return laid_open(self._table, self.beam, before=tuple(before), seat=seat)

    def kind_of(self, track: int) -> Tile | None:
        """Return a tile's kind on the best path that explains it."""
        return next((path.kinds[track] for path in self.beam.paths if track in path.kinds), None)

    def lying_as(self, role: TileRole) -> Track | None:
        """Return the tile with this role on the best path, if it is on the mat."""
        track = self.beam.best.track_of(role)
        return None if track is None else self.tracks[track]

    @property
    def cost(self) -> float:
        """Total of the best path, in nats."""
        return self.beam.totals[0]

    @property
    def explained(self) -> Mapping[int, Tile]:
        """The kind of each track that the best path has explained, removed tiles included."""
        return self.beam.best.kinds

    @property
    def unexplained(self) -> frozenset[int]:
        """The tracks that the best path has not explained, removed tiles included."""
        return self.beam.best.loose | self.beam.best.departed

    def unseen_kinds(self) -> tuple[Tile, ...]:
        """Return the kinds for a discard that no frame saw, those with the fewest open tiles first."""
        return tuple(fewest_open(self._table, self.beam.best))

    def suspected(self) -> Iterator[PathViolation]:
        """Yield the violations of all paths near enough to be asked about, however uncertain."""
        return (violation for path in self.beam.near(self._limits.ask) for violation in path.violations)

    def violations(self) -> tuple[FoundViolation, ...]:
        return self._violations(self.best())

    def finish(self) -> tuple[Decoded, ...]:
        """The hand is over: return the events of the best whole path. Uncertain events have become ``questions``."""
        self._table = replace(self._table, over=True, cache=SearchCache())
        self._advance(Search(self._table, self.beam.paths, behind=self._behind))
        again = [after for path in self.beam.paths if (after := settled(self._table, path)) is not path]
        self._weigh([ended(self._table, path) for path in (*self.beam.paths, *again)])
        limit = self._limits.publish
        events = tuple(revised(decoded(self._table, self.beam, smoothed_below=limit), self.published))
        doubted = [event for event in events if event.margin < self._limits.ask]
        found = self._violations(events)
        about_violations = violation_questions(self._table, self.beam, found, self._limits.ask)
        self.questions = list(with_subjects((*questions(self._table, self.beam.best, doubted), *about_violations)))
        self._report(found)
        return events

    def copied(self) -> HandDecoder:
        """Return an independent copy of a decoder that has finished; immutable parts are shared."""
        other = copy.copy(self)
        other.tracks = copy.deepcopy(self.tracks)
        other._table = replace(self._table, tracks=other.tracks, cache=SearchCache(), folds={}, allowed={})
        other.questions, other.published, other.reported_violations = [*self.questions], {**self.published}, {**self.reported_violations}
        return other

    @property
    def searching(self) -> bool:
        """Whether the search continues with the next observation; until then nothing new is certain."""
        return self._search is not None

    @property
    def weighed(self) -> int:
        """Number of paths weighed at the last observation: its cost on any computer."""
        return self._table.cache.weighed

    @property
    def complete(self) -> bool:
        """Whether the best path has reached the end of the hand."""
        return bool(self.held) and isinstance(self.held[-1], HandEnded)

    def _advance(self, search: Search, most: float = math.inf) -> None:
        """Continue a search to its end, or until ``most`` paths have been weighed."""
        before, self._heard = self._search, False
        weighed = search.weighed if search is before else 0
        search.advance(weighed + most)
        self._table.cache.weighed += search.weighed - weighed
        self._search = None if search.over else search
        self._keep(list(search.found.values()), search.left)
        if search is before and search.over:
            self._weigh(self.beam.paths)

    def _weigh(self, paths: Iterable[Hypothesis]) -> None:
        self._keep([(total_of(self._table, path), path) for path in paths])

    def _keep(self, paths: list[tuple[float, Hypothesis]], left: Iterable[Hypothesis] = ()) -> None:
        """Keep the best paths and those ``left`` to expand; while some are left, the search keeps the others."""
        ordered, also = sorted(paths, key=itemgetter(0)), {id(path) for path in left}
        most = ordered[0][0] + costs.MOST
        kept = [pair for number, pair in enumerate(ordered) if (number < self._table.beam and pair[0] < most) or id(pair[1]) in also]
        self.beam = structs.replace(self.beam, paths=[path for _, path in kept], totals=[total for total, _ in kept])
        if self._search is None:
            self.beam = self.beam.remembering(ordered[self._table.beam :], self._limits.publish)
        self._behind = frozenset(number for number, (_, path) in enumerate(kept) if id(path) in also)

    def _publish(self) -> tuple[Decoded, ...]:
        fresh = [
            replace(event, published_ms=self._table.now_ms)
            for event in decoded(self._table, self.beam, self.published)
            if event.margin >= self._limits.publish
        ]
        self.published.update({event.number: event for event in fresh})
        if self.beam.best.violations or any(isinstance(event.event, WinRefused) for event in fresh):
            self._report(self._violations(tuple(self.published.values())))
        return tuple(fresh)

    def _violations(self, events: tuple[Decoded, ...]) -> tuple[FoundViolation, ...]:
        """Return the violations of the best path; ``events`` are its events that are believed."""
        return found_violations(self._table, self.beam, events, reported=self.reported_violations)

    def _report(self, found: Iterable[FoundViolation]) -> None:
        for each in found:
            if each.margin >= self._limits.publish and each.violation.mark not in self.reported_violations:
                self.reported_violations[each.violation.mark] = replace(each, published_ms=self._table.now_ms)


def changed(path: Hypothesis, changes: tuple[Change, ...], seen: frozenset[int]) -> Hypothesis:
    """Return the path with appeared and removed tiles; ``seen`` are the tracks in sight."""
    again = path.moved & seen
    loose, departed, roles, missing, cost = set(path.loose | again), set(path.departed), dict(path.roles), dict(path.missing), path.cost
    for happening, track in changes:
        match happening:
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
                missing[role] = Missing(path.kinds.get(track.id), track.x_mm, track.y_mm, track.bare_ms, track.seen_ms)
            case _:
                pass
    moved = path.moved - again
    return structs.replace(path, loose=frozenset(loose), departed=frozenset(departed), roles=roles, missing=missing, moved=moved, cost=cost)
