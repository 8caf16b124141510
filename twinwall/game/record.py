"""A played hand as it is kept: who sat where, which deal, every play event, and the scores.

``replay`` folds the events with the rule set and judges each of them; with the walls it also checks
that a seat held what it discarded, exposed and showed. Walls and digest are in a record only after
release.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from twinwall.game.deals import walls_digest
from twinwall.game.deals.deal import check_walls, walls_from_json, walls_to_json
from twinwall.game.deals.encoding import DIGEST_SIZE
from twinwall.game.documents import DocumentError, DocumentFields, object_of, parse_object, text_of
from twinwall.game.held import HeldTiles, NotHeldError, face_down_kongs
from twinwall.game.payments import Payment, totals
from twinwall.game.play import PlayState
from twinwall.game.play_events import (
    Claimed,
    EndReason,
    HandEnded,
    HandLaidOpen,
    HandShown,
    KongDeclared,
    PlayEvent,
    SharedTileTurned,
    TileDiscarded,
    WinDeclared,
    WinRefused,
)
from twinwall.game.play_json import from_json as event_from_json
from twinwall.game.play_json import scores_of
from twinwall.game.play_json import to_json as event_to_json
from twinwall.game.rule_set import Illegal, NoWin, RuleSet, Win
from twinwall.game.rules import rule_set
from twinwall.game.rulings import HandRuledDead
from twinwall.game.session import HANDS, round_wind
from twinwall.game.tiles import COPIES, SEATS, Seat, Tile, format_tiles
from twinwall.game.walls import SeatWall

RECORD_FORMAT = "twinwall-hand-1"


@dataclass(frozen=True, slots=True)
class HandRecord:
    """One hand of one table; ``check`` and ``digest`` are raw bytes, ``options`` those of the rule set."""

    event: str
    session: int
    hand: int
    n: int
    table: str
    rules: str
    options: Mapping[str, object]
    players: Mapping[Seat, str]
    check: bytes
    events: tuple[PlayEvent, ...]
    scores: Mapping[Seat, int]
    digest: bytes | None = None
    walls: Mapping[Seat, SeatWall] | None = None
    rest: tuple[Tile, ...] | None = None

    def to_json(self) -> dict[str, object]:
        """The record's object; ``digest``, ``walls`` and ``rest`` only where they are known."""
        released: dict[str, object] = {}
        if self.digest is not None:
            released["digest"] = self.digest.hex()
        if self.walls is not None:
            released["walls"] = walls_to_json(self.walls)
        if self.rest is not None:
            released["rest"] = format_tiles(self.rest)
        return {
            "format": RECORD_FORMAT,
            "event": self.event,
            "session": self.session,
            "hand": self.hand,
            "n": self.n,
            "table": self.table,
            "rules": self.rules,
            "options": dict(self.options),
            "players": {seat.value: self.players[seat] for seat in SEATS},
            "check": self.check.hex(),
            **released,
            "events": [event_to_json(event) for event in self.events],
            "scores": {seat.value: self.scores[seat] for seat in SEATS},
        }

    @classmethod
    def from_json(cls, text: bytes | str) -> HandRecord:
        """Read a record; refuses unknown keys, impossible walls, and a digest that is not that of the walls."""
        name = "the hand record"
        fields = DocumentFields(parse_object(text, name), name)
        fields.constant("format", RECORD_FORMAT)
        record = cls(
            event=fields.words("event"),
            session=fields.integer("session", 1),
            hand=fields.integer("hand", 1, HANDS),
            n=fields.integer("n", 1),
            table=fields.words("table"),
            rules=fields.words("rules"),
            options=dict(fields.mapping("options")),
            players={seat: text_of(player, f"the player at {seat.value}") for seat, player in fields.seats("players").items()},
            check=fields.hex("check", DIGEST_SIZE),
            events=tuple(_event(line, number) for number, line in enumerate(fields.items("events"), start=1)),
            scores=scores_of(fields, "scores"),
            digest=fields.hex("digest", DIGEST_SIZE) if "digest" in fields else None,
            walls=walls_from_json(fields, name) if "walls" in fields else None,
            rest=fields.tiles("rest") if "rest" in fields else None,
        )
        fields.done()
        record._check_release(name)
        return record

    def _check_release(self, name: str) -> None:
        if self.walls is None:
            if self.rest is not None:
                raise DocumentError(f"{name} has the key 'rest' without 'walls'")
            return
        check_walls(self.rules, self.walls, self.rest or (), name)
        if self.digest is not None and walls_digest(self.walls, self.rest or ()) != self.digest:
            raise DocumentError(f"'digest' of {name} is not that of its walls")


def _event(line: object, number: int) -> PlayEvent:
    name = f"event {number} of the hand record"
    document = object_of(line, name)
    try:
        return event_from_json(document)
    except DocumentError as error:
        raise DocumentError(f"{name}: {error}") from None


@dataclass(frozen=True, slots=True)
class Replay:
    """What replaying a record gives; ``verdicts`` has one entry per event, None where it was legal.

    An illegal event changes nothing: those after it are judged as if it had not happened.
    """

    state: PlayState
    verdicts: tuple[Illegal | None, ...]
    outcome: Win | NoWin | None
    """The judgement of the last shown hand."""
    wins: Mapping[Seat, Win]
    """The wins that stand."""
    payments: tuple[Payment, ...]
    """Who pays what to whom by the rules; none before the hand is to end, nor where the referee ended it."""
    scores: Mapping[Seat, int]
    """What the rules give each seat, whatever the record says; zeros while the hand is not to end."""

    @property
    def legal(self) -> bool:
        """Whether every event was."""
        return not any(self.verdicts)

    def verdicts_json(self) -> list[dict[str, object]]:
        """The verdicts as the contracts write them: ``seq`` counts from 1, ``reason`` stands where an event is illegal."""
        return [
            {"seq": number, "legal": verdict is None} | ({} if verdict is None else {"reason": verdict.reason})
            for number, verdict in enumerate(self.verdicts, 1)
        ]


class _Replayer:
    """The fold behind ``replay``: public state, what is held where the walls are known, and the judgement of shown hands."""

    def __init__(self, rules: RuleSet, record: HandRecord) -> None:
        self.rules = rules
        self.round = round_wind(record.hand)
        self.held = None if record.walls is None else HeldTiles(record.walls)
        self.rest = record.rest
        self.witness = rules.witness(self.round)
        self.state = rules.start()
        self.happened: list[PlayEvent] = []
        self.outcome: Win | NoWin | None = None
        self.wins: dict[Seat, Win] = {}
        self.false_wins: set[Seat] = set()
        self.payments: tuple[Payment, ...] = ()

    def judge(self, event: PlayEvent) -> Illegal | None:
        """Why the event may not stand; when it may, the state has moved on."""
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
            case _:
                pass
        return None

    def _score_again(self) -> None:
        """What the wins that stand are worth now: a hand that is dead has not won, and may owe where a winner does not."""
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
                    return Illegal("wrong-scores", f"the hand pays {_gains_text(gains)}")
            case _:
                pass
        return None

    def _against_walls(self, event: PlayEvent) -> Illegal | None:
        """Why the event cannot be, now that the walls are known; when it can, it has been followed. In a deal that was left out
        of the comparison the walls prove nothing."""
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
        """Why what lies open, or face down, cannot be what the seat has."""
        assert self.held is not None
        match event:
            case TileDiscarded(seat) | Claimed(seat) | KongDeclared(seat):
                held = self.held.of[seat]
                fours = sum(count == COPIES for count in Counter(held).values())
                if fours < face_down_kongs([*self.happened, event], seat):
                    return Illegal("not-held", f"{seat.value} does not hold the four equal tiles of a kong that lies face down")
            case WinDeclared(seat, None, Tile() as tile):
                return self._not_drawn(seat, tile)
            case HandShown(seat, concealed, winning, kongs):
                return self._not_shown(seat, concealed, winning, kongs)
            case HandLaidOpen(seat, concealed):
                return self._other_tiles(seat, concealed)
            case SharedTileTurned(place, tile) if self.rest is not None:
                return self._not_shared(place, tile)
            case _:
                pass
        return None

    def _not_shown(self, seat: Seat, concealed: tuple[Tile, ...], winning: Tile, kongs: tuple[Tile, ...]) -> Illegal | None:
        declared = [event for event in self.happened if isinstance(event, WinDeclared) and event.seat is seat]
        self_drawn = declared[-1].source is None
        turned_up = [tile for tile in kongs for _ in range(COPIES)]
        problem = self._other_tiles(seat, (*concealed, *turned_up, *([winning] if self_drawn else [])))
        return problem or (self._not_drawn(seat, winning) if self_drawn else None)

    def _other_tiles(self, seat: Seat, shown: tuple[Tile, ...]) -> Illegal | None:
        assert self.held is not None
        held = sorted(self.held.of[seat])
        return None if sorted(shown) == held else Illegal("not-held", f"{seat.value} holds {format_tiles(held)}, not what was shown")

    def _not_shared(self, place: int, tile: Tile) -> Illegal | None:
        assert self.rest is not None
        if place >= len(self.rest):
            return Illegal("not-held", f"the deal has {len(self.rest)} shared tiles, none at place {place}")
        lies = self.rest[place]
        return None if lies is tile else Illegal("not-held", f"at place {place} of the shared tiles lies {lies.text}, not {tile.text}")

    def _not_drawn(self, seat: Seat, tile: Tile) -> Illegal | None:
        assert self.held is not None
        drawn = self.held.of[seat][-1]
        return None if drawn is tile else Illegal("not-held", f"{seat.value} drew {drawn.text}, not {tile.text}")


def _gains_text(gains: Mapping[Seat, int]) -> str:
    return " ".join(f"{seat.value} {gains[seat]:+d}" for seat in SEATS)


def replay(record: HandRecord) -> Replay:
    """Play a record again by the rules; raises RuleSetError for rules or options that do not exist."""
    replayer = _Replayer(rule_set(record.rules, record.options), record)
    verdicts = tuple(replayer.judge(event) for event in record.events)
    ended = replayer.state.ended
    scores = totals(replayer.payments) if ended is None else dict(ended.scores)
    return Replay(replayer.state, verdicts, replayer.outcome, replayer.wins, replayer.payments, scores)
