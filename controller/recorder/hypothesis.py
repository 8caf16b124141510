"""Hypothesis: one path through legal states of the rules, and what of the table it has not explained yet.

A path grows by moves (``controller.recorder.moves``). Its total is what its moves cost, what the camera says against the kinds that it
holds, and an estimate for what waits to be explained; all in nats, so differences of totals are log-odds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
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
from twinwall.wire.shapes.panel import KeyEdge
from vision.mat import Area

BEAM = 20
"""Paths kept where others wait for events."""
_FOLDS_KEPT = 5000


class TileRole(NamedTuple):
    """What a lying tile is: the discard of that number of a seat, a tile of its melds (4 × meld + position), a shown or shared tile."""

    seat: int
    area: Area
    number: int


class Missing(NamedTuple):
    """A tile that a path knows of and that is not seen: its kind (None: face down), where it lay last, and since when it is gone."""

    kind: Tile | None
    x_mm: float
    y_mm: float
    since_ms: int
    seen_ms: int = -1
    """When it was last seen; before 0 where it never was."""


class OwnTiles(NamedTuple):
    """What of a seat decides what a tile can still mean."""

    seat: Seat
    next_place: int
    melds: int
    """How many it has, which is the number of a further one."""
    takes: tuple[tuple[int, Tile | None], ...]
    """Melds to which a tile may still come, those that lack one, and pungs, with the kind of these."""
    turns: int
    """How many turns it may have had that the path has not explained."""
    left: bool
    """Whether it has won and left play, and so discards no more."""

    def river(self, table: TableContext, further: int, track: Track) -> float:
        """The cost of a tile as a discard of this seat, as many turns from now."""
        return costs.UNEXPLAINED if self.left else table.places.river(self.seat, self.next_place + further, track)


class Workings(Struct):
    """What a search has worked out: it weighs many paths, and most of them differ in little."""

    weighed: int = 0
    """How many paths have been weighed (``estimate``)."""
    waiting: dict[object, dict[tuple[int, frozenset[int]], float]] = {}
    """By what decides it the cost to come of each tile that waits."""
    at_once: dict[int, frozenset[int]] = {}
    """By tile that waits those that have come to lie at once with it, itself included."""
    owns: dict[object, tuple[OwnTiles, ...]] = {}
    """By what decides it what of each seat decides what a tile can still mean (``estimate``)."""
    beside: dict[object, frozenset[int]] = {}
    """By tiles that have come to lie at once, seat and meld those that may be of that meld, or of the shown hand."""
    shown: dict[frozenset[int], frozenset[Seat]] = {}
    """By tiles that wait the seats that show their hands."""
    kept: list[tuple[tuple[int, ...], int]] = []
    """Of each path with which a search has begun, and of each on which all was explained at once, its marks, and how many draws and tiles
    wait on it."""
    caught_up: dict[object, float] = {}
    """By draws and tiles that wait the total of the first path on which all of them were explained at once (``moves.unseen``)."""


@frozen
class TableContext:
    """What all paths share: the rules, the mat, the tracks and the time."""

    rules: RuleSet
    round: Seat
    places: MatPlaces
    tracks: TrackList
    deal: KnownDeal | None
    gates: bool
    """Whether draws are sensed; without it a draw is taken for granted when a discard follows."""
    now_ms: int = 0
    over: bool = False
    """Whether the hand is over: nothing more is to be seen or heard."""
    publish: float = costs.PUBLISH
    """Least margin of an event that is published."""
    beam: int = BEAM
    """Paths kept from one observation to the next."""
    workings: Workings = field(default_factory=Workings, compare=False)
    folds: dict[tuple[int, bool], tuple[PlayState, HeldTiles | None] | None] = field(default_factory=dict, compare=False)
    """By trail, and whether what seats conceal is known, what the events have been folded to; None where that is not possible."""
    allowed: dict[int, Permissions] = field(default_factory=dict, compare=False)
    """By trail what the rules allow next."""
    scores: dict[WinningHand, Win | NoWin] = field(default_factory=dict, compare=False)
    """What each hand that paths have shown is worth: many paths show the same one, at many observations."""

    def after(self, play: PlayState, held: HeldTiles | None, event: PlayEvent, trail: int) -> tuple[PlayState, HeldTiles | None] | None:
        """The play and what seats conceal after one more event, which makes this trail; None where the rules do not allow it or a seat
        cannot have the tiles. It is remembered: paths share most of their events, and each is tried at many observations."""
        if isinstance(event, HandEnded):  # ends that differ in their payments have one trail
            return self._after(play, held, event)
        key = trail, held is not None
        if key not in self.folds:
            if len(self.folds) > _FOLDS_KEPT:
                self.folds.clear()
                self.allowed.clear()
            self.folds[key] = self._after(play, held, event)
        return self.folds[key]

    def _after(self, play: PlayState, held: HeldTiles | None, event: PlayEvent) -> tuple[PlayState, HeldTiles | None] | None:
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
        """What the rules allow after the events of a trail."""
        if trail not in self.allowed:
            self.allowed[trail] = self.rules.permissions(play)
        return self.allowed[trail]

    def breaks_duty(self, play: PlayState, held: HeldTiles | None, event: PlayEvent) -> bool:
        """Whether an event would break a duty that depends on what seats conceal; False where that is unknown. Duties that end when a
        seat has let a win pass are taken to go on."""
        return held is not None and self.rules.witness(self.round).objection(play, event, held.of) is not None

    def against(self, kinds: Iterable[tuple[int, Tile]]) -> float:
        """What the camera says against these kinds of these tracks."""
        tracks = self.tracks.all
        return -sum(tracks[track].evidence.logs[kind] for track, kind in kinds)

    def track(self, track: int) -> Track:
        """One track."""
        return self.tracks.all[track]

    def face_up(self, tracks: Iterable[int]) -> list[Track]:
        """Those of these tracks that lie face up, or lay so."""
        return [track for track in map(self.track, tracks) if track.face_up]

    def guessed(self, grounds: Grounds) -> bool:
        """Whether the kind of a discard is a guess: no frame saw it, or none could read it."""
        return grounds.never_seen or (bool(grounds.tracks) and not self.track(grounds.tracks[0]).evidence.frames)


class Hypothesis(FrozenStruct):
    """One path."""

    play: PlayState
    held: HeldTiles | None
    events: tuple[PlayEvent, ...] = ()
    grounds: tuple[Grounds, ...] = ()
    marks: tuple[int, ...] = ()
    """For each event a number that equal events share."""
    trail: int = 0
    """A number that two paths share when all their events are equal."""
    roles: Mapping[int, TileRole] = {}
    """What each explained track that lies is."""
    missing: Mapping[TileRole, Missing] = {}
    kinds: Mapping[int, Tile] = {}
    """The kind of each track that the path has explained, gone ones included: all of them are evidence."""
    loose: frozenset[int] = frozenset()
    """Tracks that lie and are not explained."""
    departed: frozenset[int] = frozenset()
    """Tracks that lay there face up, have been taken up, and are not explained."""
    aside: Mapping[int, Seat] = {}
    """Tracks that lie, or lay, there by a violation or for a claim that does not stand, with the seat whose they are; their kind is no
    evidence."""
    moved: frozenset[int] = frozenset()
    """Tracks that were out of sight when the path took another one for the same tile, or was set on the record, which has none there: seen
    again, each is a tile of its own."""
    violations: tuple[PathViolation, ...] = ()
    violation_marks: frozenset[int] = frozenset()
    """Their marks, which ``violated`` adds: in which order the path has found them matters to nothing later."""
    in_gate: int | None = None
    """The place whose drawn tile lies in its gate again, to be drawn once more."""
    edges: tuple[GateEdge, ...] = ()
    keys: tuple[KeyEdge, ...] = ()
    clock_ms: int = 0
    """The time of the last draw that was sensed."""
    wins: Mapping[Seat, Win] = {}
    cost: float = 0.0

    @property
    def key(self) -> tuple[object, ...]:
        """Two paths with one key differ in nothing that matters later: the cheaper one stands for both."""
        return (self.trail, self.violation_marks, self.loose, frozenset(self.missing), self.edges, self.keys, self.in_gate, self.departed)

    @property
    def waits(self) -> int:
        """How many draws and tiles wait for an explanation."""
        return len(self.edges) + len(self.loose)

    @property
    def history(self) -> Iterator[tuple[PlayEvent, Grounds]]:
        """The events with their grounds."""
        return zip(self.events, self.grounds, strict=True)

    @property
    def latest_first(self) -> Iterator[tuple[PlayEvent, Grounds]]:
        """The events with their grounds, from the last one back."""
        return zip(reversed(self.events), reversed(self.grounds), strict=True)

    def marked(self, event: PlayEvent) -> tuple[int, int]:
        """The mark of a further event, and the trail with it."""
        mark = mark_of(event.reason if isinstance(event, HandEnded) else event)
        return mark, hash((self.trail, mark))

    def then(self, table: TableContext, event: PlayEvent) -> Permissions | None:
        """What the rules allow after one more event; None as ``happened``."""
        _, trail = self.marked(event)
        folded = table.after(self.play, self.held, event, trail)
        return None if folded is None else table.permissions(folded[0], trail)

    def happened(
        self, table: TableContext, event: PlayEvent, cost: float = 0.0, tracks: tuple[int, ...] = (), *, at_ms: int | None = None
    ) -> Hypothesis | None:
        """The path with one more event; None where the rules do not allow it or a seat cannot have the tiles."""
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
        """The path with a violation, which explains its tracks."""
        after = self.set_aside(violation.seat, violation.tracks, cost)
        return replace(after, violations=(*self.violations, violation), violation_marks=self.violation_marks | {violation.mark})

    def set_aside(self, seat: Seat, tracks: tuple[int, ...], cost: float) -> Hypothesis:
        """The path with tiles of a seat explained that have no meaning for play."""
        aside = {**self.aside, **dict.fromkeys(tracks, seat)}
        return replace(self, aside=aside, loose=self.loose - set(tracks), departed=self.departed - set(tracks), cost=self.cost + cost)

    def recorded(self, table: TableContext, event: PlayEvent) -> Hypothesis:
        """The path with one more event of the table's own record, whatever explains it."""
        return self._followed_by(event, self.marked(event), (table.rules.apply(self.play, event), self.held), Grounds(table.now_ms))

    def explains(self, found: Mapping[int, tuple[TileRole, Tile | None]]) -> Hypothesis:
        """The path with loose tracks explained: the role and kind of each (no kind: it lies face down)."""
        roles, kinds, missing = dict(self.roles), dict(self.kinds), dict(self.missing)
        for track, (role, kind) in found.items():
            roles[track] = role
            missing.pop(role, None)
            if kind is not None:
                kinds[track] = kind
        return replace(self, roles=roles, kinds=kinds, missing=missing, loose=self.loose - set(found))

    def explains_taken(self, track: Track, role: TileRole, kind: Tile) -> Hypothesis:
        """The path with a track explained that has been taken up since: the tile is gone from where it lay in that role."""
        assert track.gone_ms is not None
        gone = Missing(kind, track.x_mm, track.y_mm, track.gone_ms, track.seen_ms)
        missing, kinds = {**self.missing, role: gone}, {**self.kinds, track.id: kind}
        return replace(self, missing=missing, kinds=kinds, departed=self.departed - {track.id})

    def costing(self, cost: float, why: str = "") -> Hypothesis:
        """The path with a further cost of its last event."""
        if not why or not self.grounds:
            return replace(self, cost=self.cost + cost)
        last = self.grounds[-1]
        noted = replace(last, costs=(*last.costs, (why, round(cost, 2))))
        return replace(self, cost=self.cost + cost, grounds=(*self.grounds[:-1], noted))

    def drawn_by(self, edge: GateEdge) -> Hypothesis:
        """The path whose last event is the draw that was sensed so."""
        return replace(self, grounds=(*self.grounds[:-1], replace(self.grounds[-1], edge=edge)))

    def without(self, gone: Sequence[KeyEdge]) -> Hypothesis:
        """The path with keys done with by its last event, if it has any."""
        if not gone:
            return self
        kept = tuple(key for key in self.keys if key not in gone)
        if not self.grounds:
            return replace(self, keys=kept)
        last = self.grounds[-1]
        return replace(self, keys=kept, grounds=(*self.grounds[:-1], replace(last, keys=(*last.keys, *gone))))

    def reading(self, table: TableContext) -> float:
        """What the camera says against the kinds that the path holds."""
        return table.against(self.kinds.items())

    def track_of(self, role: TileRole) -> int | None:
        """The track that lies in a role."""
        return next((track for track, own in self.roles.items() if own == role), None)

    def last_discard(self, seat: Seat) -> TileRole:
        """What the last tile of a seat's river is."""
        return TileRole(seat.index, Area.RIVER, len(self.play.seat(seat).river) - 1)

    def event_at(self, index: int) -> PlayEvent | None:
        """The event of this index; None where the path has not come so far."""
        return self.events[index] if index < len(self.events) else None

    def discards_before(self, index: int, seat: Seat) -> int:
        """How many discards of a seat come before the event of this index."""
        return sum(isinstance(event, TileDiscarded) and event.seat is seat for event in self.events[:index])

    def permissions(self, table: TableContext) -> Permissions:
        """What the rules allow next."""
        return table.permissions(self.play, self.trail)
