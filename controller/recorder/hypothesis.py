"""Hypothesis: one path through legal states of the rules, and what it has not explained yet.

Moves extend a path (``controller.recorder.moves``). Its total is the cost of its moves, the camera's evidence against its kinds, and an
estimate for what is unexplained; all in nats, so differences of totals are log-odds.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from controller.recorder import costs
from controller.recorder.places import MatPlaces
from controller.recorder.signals import GateEdge, Grounds, KnownDeal
from controller.recorder.tracks import Track, TrackList
from controller.recorder.violations import PathViolation, mark_of
from twinwall.game.held import HeldTiles, NotHeldError
from twinwall.game.play import PlayState
from twinwall.game.play_events import HandEnded, PlayEvent, TileDiscarded
from twinwall.game.rule_set import NoWin, Permissions, RuleSet, Win, WinningHand
from twinwall.game.tiles import Seat, Tile
from twinwall.values import FrozenStruct, frozen
from twinwall.wire.shapes.panel import Key, KeyEdge
from vision.mat import MELD_SLOTS, Area

BEAM = 20
"""Paths kept while others wait for the events."""
_FOLDS_KEPT = 5000


class TileRole(NamedTuple):
    """What a tile on the mat is: a numbered discard of a seat, a tile of its melds (4 × meld + position), a shown or a shared tile."""

    seat: int
    area: Area
    number: int


def meld_role(seat: Seat, group: int, number: int) -> TileRole:
    """Return the role of a tile of this number in a seat's meld."""
    return TileRole(seat.index, Area.MELD, MELD_SLOTS * group + number)


class Missing(NamedTuple):
    """A tile of the path that is not seen: its kind (None: face down), its last place, and since when it is gone."""

    kind: Tile | None
    x_mm: float
    y_mm: float
    since_ms: int
    seen_ms: int = -1
    """When it was last seen; negative if never."""


class OwnTiles(NamedTuple):
    """The state of a seat that decides what a tile can still mean."""

    seat: Seat
    next_place: int
    melds: int
    """Number of its melds, and so the index of the next one."""
    takes: tuple[tuple[int, Tile | None], ...]
    """Melds to which a tile may be added: those that lack one (kind None), and pungs with their kind."""
    turns: int
    """Turns that it may have had and the path has not explained."""
    left: bool
    """Whether it has won and left play, so that it discards no more."""

    def river(self, table: TableContext, further: int, track: Track) -> float:
        """Return the cost of a tile as this seat's discard, ``further`` turns from now."""
        return costs.UNEXPLAINED if self.left else table.places.river(self.seat, self.next_place + further, track)


class SearchCache(Struct):
    """Cache of one search: it weighs many paths that differ little."""

    weighed: int = 0
    """Paths weighed (``estimate``)."""
    waiting: dict[object, dict[tuple[int, frozenset[int]], float]] = {}
    """Estimated costs of waiting tiles, by what decides them."""
    at_once: dict[int, frozenset[int]] = {}
    """By waiting tile, the tiles that appeared at once with it, itself included."""
    owns: dict[object, tuple[OwnTiles, ...]] = {}
    """``OwnTiles`` of all seats, by what decides them."""
    beside: dict[object, frozenset[int]] = {}
    """By tiles that appeared at once, seat and meld (None: shown hand), those that may belong to that meld or hand."""
    shown: dict[frozenset[int], frozenset[Seat]] = {}
    """By waiting tiles, the seats that show their hands."""
    kept: list[tuple[tuple[int, ...], int]] = []
    """Marks and number of waiting draws and tiles of each path with which a search began, and of each on which everything was explained at
    once."""
    backlog_explained: dict[object, float] = {}
    """By waiting draws and tiles, the total of the first path on which all were explained at once (``moves.unseen``)."""


@frozen
class TableContext:
    """What all paths share: the rules, the mat, the tracks and the time."""

    rules: RuleSet
    round: Seat
    places: MatPlaces
    tracks: TrackList
    deal: KnownDeal | None
    gates: bool
    """Whether draws are sensed; otherwise a draw is assumed when a discard follows."""
    now_ms: int = 0
    over: bool = False
    """Whether the hand is over: no further signal arrives."""
    publish: float = costs.PUBLISH
    """Least margin of a published event."""
    beam: int = BEAM
    """Paths kept from one observation to the next."""
    cache: SearchCache = field(default_factory=SearchCache, compare=False)
    folds: dict[tuple[int, bool], tuple[PlayState, HeldTiles | None] | None] = field(default_factory=dict, compare=False)
    """Cache of play and held tiles, by trail and whether the deal is known; None for impossible events."""
    allowed: dict[int, Permissions] = field(default_factory=dict, compare=False)
    """Cache of what the rules allow next, by trail."""
    scores: dict[WinningHand, Win | NoWin] = field(default_factory=dict, compare=False)
    """Cache of scores: many paths show the same hand at many observations."""

    def beginning(self) -> tuple[PlayState, HeldTiles | None]:
        """Return the play before its first event, and what seats conceal then; None without a deal."""
        return self.rules.start(), None if self.deal is None else HeldTiles(self.deal.walls)

    def after(self, play: PlayState, held: HeldTiles | None, event: PlayEvent, trail: int) -> tuple[PlayState, HeldTiles | None] | None:
        """Return the play and what seats conceal after one more event, which makes this trail; None if the rules do not allow it or a seat
        lacks the tiles. Cached: paths share most of their events."""
        if isinstance(event, HandEnded):  # ends with different payments share a trail
            return self.step(play, held, event)
        key = trail, held is not None
        if key not in self.folds:
            if len(self.folds) > _FOLDS_KEPT:
                self.folds.clear()
                self.allowed.clear()
            self.folds[key] = self.step(play, held, event)
        return self.folds[key]

    def step(self, play: PlayState, held: HeldTiles | None, event: PlayEvent) -> tuple[PlayState, HeldTiles | None] | None:
        """As ``after``, of an event that need not be one of a path."""
        if self.rules.illegal(play, event) is not None:
            return None
        if held is not None:
            held = held.copy()
            try:
                held.happen(event)
            except NotHeldError:
                return None
        return self.rules.apply(play, event), held

    def permissions(self, play: PlayState, trail: int) -> Permissions:
        if trail not in self.allowed:
            self.allowed[trail] = self.rules.permissions(play)
        return self.allowed[trail]

    def breaks_duty(self, play: PlayState, held: HeldTiles | None, event: PlayEvent) -> bool:
        """Whether an event would break a duty that depends on concealed tiles; False if those are unknown. Duties that end when a seat lets
        a win pass are assumed to continue."""
        return held is not None and self.rules.witness(self.round).objection(play, event, held.of) is not None

    def against(self, kinds: Iterable[tuple[int, Tile]]) -> float:
        """Return the camera's evidence against these kinds of these tracks."""
        tracks = self.tracks.all
        return -sum(tracks[track].evidence.logs[kind] for track, kind in kinds)

    def track(self, track: int) -> Track:
        return self.tracks.all[track]

    def face_up(self, tracks: Iterable[int]) -> list[Track]:
        return [track for track in map(self.track, tracks) if track.face_up]

    def guessed(self, grounds: Grounds) -> bool:
        """Whether the kind of a discard is a guess: no frame saw it, or none could read it."""
        return grounds.never_seen or (bool(grounds.tracks) and not self.track(grounds.tracks[0]).evidence.frames)


class Hypothesis(FrozenStruct):
    """One path (see above): what has happened, and what is unexplained."""

    play: PlayState
    held: HeldTiles | None
    events: tuple[PlayEvent, ...] = ()
    grounds: tuple[Grounds, ...] = ()
    marks: tuple[int, ...] = ()
    """A number for each event; equal events share it."""
    trail: int = 0
    """A number that two paths share when all their events are equal."""
    roles: Mapping[int, TileRole] = {}
    """The role of each explained track on the mat."""
    missing: Mapping[TileRole, Missing] = {}
    kinds: Mapping[int, Tile] = {}
    """The kind of each explained track, removed ones included: all of them are evidence."""
    loose: frozenset[int] = frozenset()
    """Unexplained tracks on the mat."""
    departed: frozenset[int] = frozenset()
    """Unexplained tracks that were face up and have been picked up."""
    aside: Mapping[int, Seat] = {}
    """Tracks laid by a violation or for a claim that does not stand, with their seat; their kind is no evidence."""
    moved: frozenset[int] = frozenset()
    """Tracks that were out of sight when the path took another track for the same tile, or when it was anchored to a record without them:
    seen again, each is a tile of its own."""
    violations: tuple[PathViolation, ...] = ()
    in_gate: int | None = None
    """The place whose drawn tile was put back into its gate, to be drawn again."""
    edges: tuple[GateEdge, ...] = ()
    keys: tuple[KeyEdge, ...] = ()
    clock_ms: int = 0
    """Time of the last sensed draw."""
    wins: Mapping[Seat, Win] = {}
    cost: float = 0.0

    @property
    def violation_marks(self) -> frozenset[int]:
        """Marks of the violations: the order in which the path found them does not matter."""
        return frozenset(violation.mark for violation in self.violations)

    @property
    def key(self) -> tuple[object, ...]:
        """Two paths with one key differ in nothing that matters later; the cheaper one is kept."""
        return (self.trail, self.violation_marks, self.loose, frozenset(self.missing), self.edges, self.keys, self.in_gate, self.departed)

    @property
    def waits(self) -> int:
        """Number of unexplained draws and tiles."""
        return len(self.edges) + len(self.loose)

    @property
    def drawn(self) -> list[GateEdge]:
        """The waiting draws, without tiles put back."""
        return [edge for edge in self.edges if not edge.back]

    def next_drawn(self, table: TableContext, seats: Container[Seat]) -> GateEdge | None:
        """Return the first waiting draw of one of these seats since the last explained one."""
        since = (edge for edge in self.drawn if edge.at_ms > self.clock_ms and table.places.seats[edge.place] in seats)
        return next(since, None)

    def melds(self, seat: Seat) -> int:
        """Return the number of a seat's melds, and so the index of its next one."""
        return len(self.play.seat(seat).melds)

    def pressed(self, table: TableContext, seat: Seat, key: Key, before_ms: float = math.inf) -> bool:
        """Whether a press of this key of the seat waits, of before that time."""
        place = table.places.places[seat]
        return any((each.place, each.key) == (place, key) and each.at_ms < before_ms for each in self.keys)

    @property
    def history(self) -> Iterator[tuple[PlayEvent, Grounds]]:
        return zip(self.events, self.grounds, strict=True)

    @property
    def latest_first(self) -> Iterator[tuple[PlayEvent, Grounds]]:
        return zip(reversed(self.events), reversed(self.grounds), strict=True)

    def marked(self, event: PlayEvent) -> tuple[int, int]:
        """Return the mark of a further event, and the trail with it."""
        mark = mark_of(event.reason if isinstance(event, HandEnded) else event)
        return mark, hash((self.trail, mark))

    def then(self, table: TableContext, event: PlayEvent) -> Permissions | None:
        """Return what the rules allow after one more event; None as ``happened``."""
        _, trail = self.marked(event)
        folded = table.after(self.play, self.held, event, trail)
        return None if folded is None else table.permissions(folded[0], trail)

    def happened(
        self, table: TableContext, event: PlayEvent, cost: float = 0.0, tracks: tuple[int, ...] = (), *, at_ms: int | None = None
    ) -> Hypothesis | None:
        """Return the path with one more event; None if the rules do not allow it or a seat lacks the tiles."""
        marked = self.marked(event)
        folded = table.after(self.play, self.held, event, marked[1])
        if folded is None:
            return None
        when = at_ms if at_ms is not None else min((table.track(track).appeared_ms for track in tracks), default=table.now_ms)
        return self._followed_by(event, marked, folded, Grounds(when, tracks, (("place", round(cost, 2)),) if cost else ()), cost)

    def _followed_by(
        self, event: PlayEvent, marked: tuple[int, int], folded: tuple[PlayState, HeldTiles | None], grounds: Grounds, cost: float = 0.0
    ) -> Hypothesis:
        return replace(
            self,
            play=folded[0],
            held=folded[1],
            events=(*self.events, event),
            grounds=(*self.grounds, grounds),
            marks=(*self.marks, marked[0]),
            trail=marked[1],
            cost=self.cost + cost,
        )

    def violated(self, violation: PathViolation, cost: float) -> Hypothesis:
        """Return the path with a violation, which explains its tracks."""
        after = self.set_aside(violation.seat, violation.tracks, cost)
        return replace(after, violations=(*self.violations, violation))

    def set_aside(self, seat: Seat, tracks: tuple[int, ...], cost: float) -> Hypothesis:
        """Return the path with tiles of a seat explained that mean nothing for play."""
        aside = {**self.aside, **dict.fromkeys(tracks, seat)}
        return replace(self, aside=aside, loose=self.loose - set(tracks), departed=self.departed - set(tracks), cost=self.cost + cost)

    def recorded(self, table: TableContext, event: PlayEvent) -> Hypothesis:
        """Return the path with one more event of the table's own record, which needs no explanation."""
        return self._followed_by(event, self.marked(event), (table.rules.apply(self.play, event), self.held), Grounds(table.now_ms))

    def explains(self, found: Mapping[int, tuple[TileRole, Tile | None]]) -> Hypothesis:
        """Return the path with loose tracks explained: role and kind of each (kind None: face down)."""
        roles, kinds, missing = dict(self.roles), dict(self.kinds), dict(self.missing)
        for track, (role, kind) in found.items():
            roles[track] = role
            missing.pop(role, None)
            if kind is not None:
                kinds[track] = kind
        return replace(self, roles=roles, kinds=kinds, missing=missing, loose=self.loose - set(found))

    def explains_taken(self, track: Track, role: TileRole, kind: Tile) -> Hypothesis:
        """Return the path with a track explained that has been picked up since: it is missing in that role."""
        assert track.gone_ms is not None
        gone = Missing(kind, track.x_mm, track.y_mm, track.gone_ms, track.seen_ms)
        missing, kinds = {**self.missing, role: gone}, {**self.kinds, track.id: kind}
        return replace(self, missing=missing, kinds=kinds, departed=self.departed - {track.id})

    def based_on(self, index: int, grounds: Grounds) -> Hypothesis:
        """Return the path with other grounds of the event of this index."""
        return replace(self, grounds=(*self.grounds[:index], grounds, *self.grounds[index + 1 :]))

    def costing(self, cost: float, why: str = "") -> Hypothesis:
        """Return the path with a further cost of its last event; the path itself if there is none."""
        if not cost:
            return self
        return self.noted(why, cost) if why and self.grounds else replace(self, cost=self.cost + cost)

    def noted(self, why: str, cost: float = 0.0) -> Hypothesis:
        """Return the path with a reason in the grounds of its last event, whatever it costs."""
        last = self.grounds[-1]
        noted = replace(last, costs=(*last.costs, (why, round(cost, 2))))
        return replace(self, cost=self.cost + cost, grounds=(*self.grounds[:-1], noted))

    def drawn_by(self, edge: GateEdge) -> Hypothesis:
        """Return the path with this edge as the grounds of its last event, a draw."""
        return replace(self, grounds=(*self.grounds[:-1], replace(self.grounds[-1], edge=edge)))

    def without(self, gone: Sequence[KeyEdge]) -> Hypothesis:
        """Return the path without these keys, which its last event, if any, has used up."""
        if not gone:
            return self
        kept = tuple(key for key in self.keys if key not in gone)
        if not self.grounds:
            return replace(self, keys=kept)
        last = self.grounds[-1]
        return replace(self, keys=kept, grounds=(*self.grounds[:-1], replace(last, keys=(*last.keys, *gone))))

    def reading(self, table: TableContext) -> float:
        """Return the camera's evidence against the kinds of the path."""
        return table.against(self.kinds.items())

    def track_of(self, role: TileRole) -> int | None:
        return next((track for track, own in self.roles.items() if own == role), None)

    def last_discard(self, seat: Seat) -> TileRole:
        return TileRole(seat.index, Area.RIVER, len(self.play.seat(seat).river) - 1)

    def event_at(self, index: int) -> PlayEvent | None:
        return self.events[index] if index < len(self.events) else None

    def discards_before(self, index: int, seat: Seat) -> int:
        return sum(isinstance(event, TileDiscarded) and event.seat is seat for event in self.events[:index])

    def permissions(self, table: TableContext) -> Permissions:
        return table.permissions(self.play, self.trail)
