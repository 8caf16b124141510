"""Each decision in a hand: what the seat saw, could do and did, and its score.

Decisions are those at the own turn and on other seats' discards, but not on a tile added to a kong. Legal moves follow the rules, and the
duties that the seat's own tiles give it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from twinwall.event.replay.moments import ReplayMoment, moments
from twinwall.event.replay.replay_form import Chance, ReplayDiscard, ReplayDraw
from twinwall.event.replay.steps import replay_document
from twinwall.game.play_events import (
    Claimed,
    ClaimsPassed,
    HandEnded,
    HandShown,
    KongDeclared,
    PlayEvent,
    TileDiscarded,
    WinDeclared,
    WinRefused,
)
from twinwall.game.record import HandRecord
from twinwall.game.replay import HandReplayer
from twinwall.game.rules import rule_set
from twinwall.game.tiles import SEATS, Seat, format_tiles, parse_tile, round_wind

PASS = "pass"  # noqa: S105 - a move


class PlayedDecision(Struct, kw_only=True):
    """One decision, a line of the data set; tiles are in tile notation, lists by seat in the order E S W N."""

    event: str
    session: int
    hand: int
    deal: int
    table: str
    rules: str
    decision: int = 0
    """Number in the hand, from 1."""
    seat: str
    player: str
    round: str
    """Prevalent wind."""
    kind: str = ""
    """``turn`` (own turn) or ``claim`` (on another seat's discard)."""
    tiles: str
    """The seat's concealed tiles; at its turn after a draw, the drawn tile is last."""
    tile: str = ""
    """The tile just drawn or discarded; empty after a claim."""
    discarder: str = ""
    """Who discarded it; empty at the own turn."""
    melds: list[list[str]]
    """By seat; another seat's face-down meld is an empty text."""
    rivers: list[list[str]]
    """By seat; a claimed tile is in brackets, one that declared riichi has a star."""
    walls: list[int]
    """Draws left, by seat."""
    legal: list[str] = []
    choice: str | None = None
    """One of ``legal``, or a refused ``win``; null if another seat's call went first, so that it is unknown."""
    score: int
    """The seat's score of the hand."""
    end: str
    """How the hand ended."""


def decisions(record: HandRecord) -> Iterator[PlayedDecision]:
    """The decisions of a legal record with walls, in order; raises NoWallsError."""
    finder = _Finder(record)
    for number, decision in enumerate(finder.all(), 1):
        decision.decision = number
        yield decision


class _Finder:
    """Follows a record together with its moments."""

    def __init__(self, record: HandRecord) -> None:
        self.record = record
        self.moments = list(moments(replay_document([record])))
        self.rules = rule_set(record.rules, record.options)
        self.replayer = HandReplayer(self.rules, record)
        self.end = next((event.reason.value for event in record.events if isinstance(event, HandEnded)), "")

    def all(self) -> Iterator[PlayedDecision]:
        place = 0  # of the moment before the event
        asked: set[Seat] = set()
        for index, event in enumerate(self.record.events):
            match event:
                case TileDiscarded() | KongDeclared() | WinDeclared(_, None):
                    yield self._turn(event, self.moments[place])
                case Claimed(seat) | WinDeclared(seat) if seat not in asked:
                    yield self._unasked(event, self.moments[place])
            self.replayer.judge(event)
            if isinstance(event, ClaimsPassed):
                continue
            place += 1
            step = self.moments[place].step
            if isinstance(step, ReplayDiscard):
                claims = list(self._claims(step, self.moments[place], self.record.events[index + 1 :]))
                asked = {Seat(claim.seat) for claim in claims}
                yield from claims

    def _unasked(self, event: Claimed | WinDeclared, now: ReplayMoment) -> PlayedDecision:
        """The decision of a claim of an earlier discard, or of an invalid win; no other legal move is known."""
        source = event.meld.source if isinstance(event, Claimed) else event.source
        assert source is not None
        tile = now.seats[source].river[-1].strip("()*") if isinstance(event, Claimed) else getattr(event.tile, "text", "")
        choice = _claim(event)
        legal = [choice, PASS] if isinstance(event, Claimed) else [PASS]
        asked = self._seen_by(event.seat, now)
        return replace(asked, kind="claim", tile=tile, discarder=source.value, legal=legal, choice=choice)

    def _turn(self, event: TileDiscarded | KongDeclared | WinDeclared, before: ReplayMoment) -> PlayedDecision:
        seat, step = event.seat, before.step
        drawn = step.tile if isinstance(step, ReplayDraw) else ""
        chances = step.chances if isinstance(step, ReplayDraw) else []
        legal = [*self._discards(seat, before.seats[seat].hand), *map(_move, chances)]
        return replace(self._seen_by(seat, before), kind="turn", tile=drawn, legal=legal, choice=self._done(event))

    def _discards(self, seat: Seat, tiles: Iterable[str]) -> Iterator[str]:
        """Yield the discards, by kind, that the rules and the seat's duties allow."""
        assert self.replayer.held is not None
        state, held = self.replayer.state, self.replayer.held.of
        for kind in sorted({parse_tile(tile) for tile in tiles}):
            for riichi in (False, True):
                event = TileDiscarded(seat, kind, riichi)
                if self.rules.illegal(state, event) is None and self.replayer.witness.objection(state, event, held) is None:
                    yield self._done(event)

    def _done(self, event: TileDiscarded | KongDeclared | WinDeclared) -> str:
        match event:
            case TileDiscarded(_, tile, riichi):
                return f"{'riichi' if riichi else 'discard'} {tile.text}"
            case KongDeclared(seat, meld):
                return f"{meld.type.value} {self._kind(seat, event)}"
            case WinDeclared():
                return "win"

    def _kind(self, seat: Seat, event: KongDeclared) -> str:
        """The kind of a kong, which may be face down; the moment after it has the kind."""
        after = next(
            moment
            for moment in self.moments[self._place(event) :]
            if moment.step is not None and moment.step.seat == seat.value and hasattr(moment.step, "meld")
        )
        return after.seats[seat].melds[-1].split()[0] if event.meld.face_down else event.meld.tiles[0].text

    def _place(self, event: PlayEvent) -> int:
        place = 0
        for other in self.record.events:
            place += not isinstance(other, ClaimsPassed)
            if other is event:
                break
        return place

    def _claims(self, step: ReplayDiscard, now: ReplayMoment, following: Sequence[PlayEvent]) -> Iterator[PlayedDecision]:
        called = _called(following)
        for seat in SEATS:
            own = [chance for chance in step.chances if chance.seat == seat.value]
            if own:
                choice = called.get(seat, None if called else PASS)
                asked = replace(self._seen_by(seat, now), kind="claim", tile=step.tile, discarder=step.seat)
                yield replace(asked, legal=[*map(_move, own), PASS], choice=choice)

    def _seen_by(self, seat: Seat, now: ReplayMoment) -> PlayedDecision:
        """A decision of a seat at a moment, without what is decided."""
        record = self.record
        return PlayedDecision(
            event=record.event,
            session=record.session,
            hand=record.hand,
            deal=record.n,
            table=record.table,
            rules=record.rules,
            seat=seat.value,
            player=record.players[seat],
            round=round_wind(record.hand).value,
            tiles=" ".join(now.seats[seat].hand),
            melds=[["" if of is not seat and meld in now.seats[of].down else meld for meld in now.seats[of].melds] for of in SEATS],
            rivers=[list(now.seats[of].river) for of in SEATS],
            walls=[now.seats[of].left for of in SEATS],
            score=record.scores[seat],
            end=self.end,
        )


def _move(chance: Chance) -> str:
    return "win" if chance.act == "win" else f"{chance.act} {chance.tiles}"


def _claim(event: Claimed | WinDeclared) -> str:
    return "win" if isinstance(event, WinDeclared) else f"{event.meld.type.value} {format_tiles(sorted(event.meld.tiles))}"


def _called(following: Sequence[PlayEvent]) -> Mapping[Seat, str]:
    called: dict[Seat, str] = {}
    for event in following:
        match event:
            case WinDeclared(seat, Seat()):
                called[seat] = _claim(event)
            case Claimed(seat):
                called[seat] = _claim(event)
                break
            case ClaimsPassed() | HandShown() | WinRefused():
                continue
            case _:
                break
    return called
