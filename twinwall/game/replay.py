"""Replays a hand record with its rule set (``replay``) and judges each event; with walls, also whether seats held the tiles that they
used."""

from collections import Counter
from collections.abc import Iterator, Mapping
from copy import copy

from twinwall.game.held import HeldTiles, NotHeldError
from twinwall.game.play import PlayState
from twinwall.game.play_events import (
    Claimed,
    EndReason,
    HandEnded,
    HandLaidOpen,
    HandRuledDead,
    HandShown,
    KongDeclared,
    Payment,
    PlayEvent,
    SharedTileTurned,
    TileDiscarded,
    WinDeclared,
    WinRefused,
    totals,
)
from twinwall.game.record import HandRecord
from twinwall.game.rule_set import Illegal, NoWin, RuleSet, Win, Witness
from twinwall.game.rules import rule_set
from twinwall.game.tiles import COPIES, SEATS, Seat, Tile, TileRow, format_tiles, round_wind
from twinwall.game.typed_scores import excess
from twinwall.values import frozen


@frozen
class Replay:
    """The result of a replay; ``verdicts`` has one entry per event, None when legal. An illegal event changes nothing: later events are
    judged as if it had not happened."""

    state: PlayState
    verdicts: tuple[Illegal | None, ...]
    outcome: Win | NoWin | None
    """The judgement of the last shown hand."""
    wins: Mapping[Seat, Win]
    """The wins that count."""
    payments: tuple[Payment, ...]
    """Who pays whom by the rules; empty before the end and when the referee ended the hand."""
    causes: Mapping[int, int]
    """For an illegal event (number from 1): the earlier illegal event that explains it."""
    scores: Mapping[Seat, int]
    """What the rules give each seat, also if the record ends with wrong scores; zeros before the end."""

    @property
    def legal(self) -> bool:
        return not any(self.verdicts)

    @property
    def first_illegal(self) -> tuple[int, Illegal] | None:
        """The first illegal event (number from 1) and why."""
        return next(((number, verdict) for number, verdict in enumerate(self.verdicts, 1) if verdict is not None), None)

    def illegal_sentences(self) -> Iterator[str]:
        """For each illegal event, why it is illegal and which earlier event explains it."""
        for number, verdict in enumerate(self.verdicts, 1):
            if verdict is not None:
                cause = self.causes.get(number)
                since = "" if cause is None else f" (because event {cause}, which is not legal, does not count)"
                yield f"event {number} is not legal: {verdict.sentence}{since}"

    def verdicts_json(self) -> list[dict[str, object]]:
        """The verdicts as JSON: ``seq`` from 1; ``reason`` if the event is illegal."""
        return [
            {"seq": number, "legal": verdict is None} | ({} if verdict is None else {"reason": verdict.reason})
            for number, verdict in enumerate(self.verdicts, 1)
        ]


_NOTHING_FOLLOWS = (AssertionError, LookupError, ValueError)
"""What a rule set may raise in a state that legal events never reach."""


class HandReplayer:
    """The state behind ``replay``: public state, tiles held (if walls are known), and shown hands."""

    def __init__(self, rules: RuleSet, record: HandRecord) -> None:
        self.rules = rules
        self.round = round_wind(record.hand)
        self.held = None if record.walls is None else HeldTiles(record.walls)
        self.rest = record.rest
        self.witness: Witness = rules.witness(self.round)
        self.state = rules.start()
        self.happened: list[PlayEvent] = []
        self.outcome: Win | NoWin | None = None
        self.wins: dict[Seat, Win] = {}
        self.false_wins: set[Seat] = set()
        self.payments: tuple[Payment, ...] = ()

    def judge(self, event: PlayEvent) -> Illegal | None:
        """Why the event is illegal; a legal event changes the state."""
        problem = self.rules.illegal(self.state, event) or self._against_outcome(event) or self._against_walls(event)
        if problem is not None:
            return problem
        self.state = self.rules.apply(self.state, event)
        self.happened.append(event)
        match event:
            case HandShown(seat):
                self.outcome = self.rules.score(self.rules.winning_hand(self.state, event, self.round))
                if isinstance(self.outcome, Win):
                    self.wins[seat] = self.outcome
                else:
                    self.false_wins.add(seat)
            case WinRefused(seat):
                self.false_wins.discard(seat)
            case HandRuledDead(seat):
                self.wins.pop(seat, None)
                self.false_wins.discard(seat)
                self._score_again()
        return None

    def force(self, event: PlayEvent) -> "HandReplayer | None":
        """The hand as if an illegal event had happened; None if the rules cannot continue from it."""
        other = copy(self)
        other.happened, other.wins, other.false_wins = [*self.happened, event], dict(self.wins), set(self.false_wins)
        other.held, other.witness = None, Witness()
        try:
            other.state = self.rules.apply(self.state, event)
        except _NOTHING_FOLLOWS:
            return None
        return other

    def accepts(self, event: PlayEvent) -> bool:
        """Whether the event is legal in a forced hand; if so, it changes the state."""
        try:
            return self.judge(event) is None
        except _NOTHING_FOLLOWS:
            return False

    def _score_again(self) -> None:
        """Score the wins that count again: a dead hand has not won, and may owe what a winner does not."""
        for event in self.happened:
            if isinstance(event, HandShown) and event.seat in self.wins:
                outcome = self.rules.score(self.rules.winning_hand(self.state, event, self.round))
                if isinstance(outcome, Win):
                    self.wins[event.seat] = outcome

    def _against_outcome(self, event: PlayEvent) -> Illegal | None:
        match event:
            case WinRefused(_, reason):
                if not isinstance(self.outcome, NoWin):
                    return Illegal("wins", "the shown hand wins and cannot be refused")
                if reason != self.outcome.reason:
                    return Illegal("wrong-reason", f"the shown hand does not win by {self.outcome.reason}, not by {reason}")
            case HandEnded(EndReason.WON | EndReason.DRAWN, scores):
                if self.false_wins:
                    return Illegal("not-a-win", "the shown hand does not win")
                self.payments = self.rules.payments(self.state, self.wins)
                gains = totals(self.payments)
                if dict(scores) != gains:
                    return Illegal("wrong-scores", f"the hand pays {' '.join(f'{seat.value} {gains[seat]:+d}' for seat in SEATS)}")
            case HandEnded(EndReason.ENTERED, scores) if missed := excess(self.rules, scores):
                return Illegal("wrong-scores", f"the four scores sum to {missed:+d}, not to 0")
        return None

    def _against_walls(self, event: PlayEvent) -> Illegal | None:
        """Why the event is impossible with these walls; a possible one is followed. In an excluded deal the walls prove nothing."""
        if self.held is None or self.state.excluded:
            return None
        before = self.held.copy()
        problem = self.witness.objection(self.state, event, before.of)
        if problem is not None:
            return problem
        try:
            self.held.happen(event)
        except NotHeldError as error:
            return Illegal("not-held", str(error))
        problem = self._not_held(event)
        if problem is not None:
            self.held = before
            return problem
        self.witness.see(self.state, event, before.of)
        return None

    def _not_held(self, event: PlayEvent) -> Illegal | None:
        """Why the seat cannot hold what the event shows or lays face down."""
        assert self.held is not None
        match event:
            case TileDiscarded(seat) | Claimed(seat) | KongDeclared(seat):
                face_down = sum(meld.face_down for meld in self.state.seat(seat).melds)
                face_down += isinstance(event, KongDeclared) and event.meld.face_down
                if face_down and list(Counter(self.held.of[seat]).values()).count(COPIES) < face_down:
                    return Illegal("not-held", f"{seat.value} does not hold the four equal tiles of a kong that lies face down")
            case WinDeclared(seat, None, Tile() as tile):
                return self._not_drawn(seat, tile)
            case HandShown(seat, concealed, winning, kongs):
                return self._not_shown(seat, concealed, winning, kongs)
            case HandLaidOpen(seat, concealed):
                return self._other_tiles(seat, concealed)
            case SharedTileTurned(place, tile) if self.rest is not None:
                return self._not_shared(place, tile)
        return None

    def _not_shown(self, seat: Seat, concealed: TileRow, winning: Tile, kongs: TileRow) -> Illegal | None:
        declared = [event for event in self.happened if isinstance(event, WinDeclared) and event.seat is seat]
        self_drawn = declared[-1].source is None
        turned_up = [tile for tile in kongs for _ in range(COPIES)]
        problem = self._other_tiles(seat, (*concealed, *turned_up, *([winning] if self_drawn else [])))
        return problem or (self._not_drawn(seat, winning) if self_drawn else None)

    def _other_tiles(self, seat: Seat, shown: TileRow) -> Illegal | None:
        assert self.held is not None
        held = sorted(self.held.of[seat])
        return None if sorted(shown) == held else Illegal("not-held", f"{seat.value} holds {format_tiles(held)}, not what was shown")

    def _not_shared(self, place: int, tile: Tile) -> Illegal | None:
        assert self.rest is not None
        if place >= len(self.rest):
            return Illegal("not-held", f"the deal has {len(self.rest)} shared tiles, none at place {place}")
        dealt = self.rest[place]
        return None if dealt is tile else Illegal("not-held", f"at place {place} of the shared tiles lies {dealt.text}, not {tile.text}")

    def _not_drawn(self, seat: Seat, tile: Tile) -> Illegal | None:
        assert self.held is not None
        drawn = self.held.of[seat][-1]
        return None if drawn is tile else Illegal("not-held", f"{seat.value} drew {drawn.text}, not {tile.text}")


def replay(record: HandRecord) -> Replay:
    """Replay a record; raises RuleSetError for unknown rules or options."""
    replayer = HandReplayer(rule_set(record.rules, record.options), record)
    verdicts: list[Illegal | None] = []
    causes: dict[int, int] = {}
    cause, supposed = 0, None  # last illegal event without a cause, and the hand as if it had happened
    for number, event in enumerate(record.events, 1):
        verdict = replayer.judge(event)
        verdicts.append(verdict)
        explained = supposed is not None and supposed.accepts(event)
        if verdict is not None and explained:
            causes[number] = cause
        elif verdict is not None:
            cause, supposed = number, replayer.force(event)
        elif not explained:
            supposed = None
    ended = replayer.state.ended
    scores = totals(replayer.payments) if ended is None else dict(ended.scores)
    return Replay(replayer.state, tuple(verdicts), replayer.outcome, replayer.wins, replayer.payments, causes, scores)
