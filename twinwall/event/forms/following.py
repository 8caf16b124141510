"""Follows a sheet's moves by the rules, and makes the hand's events and record.

Forms do not write closed claim windows, shown hands, refused wins and turned tiles: these follow from the rules. An illegal move is refused
by its number. If a form lacks the undrawn tiles, they are dealt in an order made up from the sheet's moves, so that the deal can be
replayed and the record is always the same.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from twinwall.event.forms.sheet import FormTextError, HandMove, HandSheet, MoveType
from twinwall.game.deals import walls_digest
from twinwall.game.deals.deal import shuffled, words_of
from twinwall.game.deals.encoding import encode_parts
from twinwall.game.deals.uncommitted import imported_check
from twinwall.game.play import Phase, PlayState
from twinwall.game.play_events import (
    Claim,
    Claimed,
    ClaimsPassed,
    EndReason,
    HandEnded,
    HandLaidOpen,
    HandShown,
    KongDeclared,
    Meld,
    MeldType,
    PlayEvent,
    SharedTileTurned,
    TileDiscarded,
    TileDrawn,
    WinDeclared,
    WinRefused,
    totals,
)
from twinwall.game.record import HandRecord
from twinwall.game.replay import replay
from twinwall.game.rule_set import NoWin, RuleSet, Win
from twinwall.game.rules import DEFAULT_RULES, rule_set
from twinwall.game.tiles import COPIES, SEATS, Seat, Tile, TileRow, format_tiles, round_wind
from twinwall.game.walls import HAND_SIZE, SeatWall, WallLayout

_CLAIMS = {MoveType.CHOW: MeldType.CHOW, MoveType.PUNG: MeldType.PUNG, MoveType.KONG: MeldType.KONG}


class IllegalMoveError(ValueError):
    """A move that the rules or the seat's tiles do not allow, by its number in the hand, from 1."""

    def __init__(self, number: int, sentence: str) -> None:
        super().__init__(f"move {number} is not legal: {sentence}")
        self.number = number


class HandFollower:
    """A hand in progress: its state, each seat's tiles, and the events so far."""

    def __init__(self, rules: RuleSet, sheet: HandSheet, round_wind: Seat) -> None:
        self.rules = rules
        self.sheet = sheet
        self.round_wind = round_wind
        self.state: PlayState = rules.start()
        self.events: list[PlayEvent] = []
        self.caused_by: list[int] = []
        """For each event, the number of its move."""
        self.number = 0
        self.held: dict[Seat, list[Tile]] = {seat: list(sheet.hands[seat]) for seat in SEATS}
        self.fronts: dict[Seat, list[Tile]] = {seat: [] for seat in SEATS}
        """Tiles drawn from the front of each wall, in order."""
        self.ends: dict[Seat, list[Tile]] = {seat: [] for seat in SEATS}
        """Tiles drawn from the end of each wall, in order."""
        self.last: dict[Seat, Tile] = {}
        """Each seat's last discard, or tile added to a pung; the latest is the last key."""
        self.face_down: dict[Seat, list[Tile]] = {seat: [] for seat in SEATS}
        self.declared: dict[Seat, WinDeclared] = {}
        self.won_with: dict[Seat, Tile] = {}
        self.wins: dict[Seat, Win] = {}
        self.refused: tuple[Seat, str] | None = None
        """A shown hand that does not win, and why."""

    def apply(self, move: HandMove) -> None:
        """Apply a move; raises IllegalMoveError."""
        self.number += 1
        self._until_due(move)
        match move.type:
            case MoveType.DRAW:
                self._draw(move)
            case MoveType.DISCARD:
                self._give(move.seat, (move.tile,))
                self._happen(TileDiscarded(move.seat, move.tile, move.riichi))
                self._laid(move)
            case MoveType.CHOW | MoveType.PUNG | MoveType.KONG:
                self._claim(move)
            case MoveType.ADDED_KONG | MoveType.CONCEALED_KONG:
                self._kong(move)
            case MoveType.WIN:
                self._win(move)

    def finish(self, scores: Mapping[Seat, int] | None) -> None:
        """Apply what follows the last move: if the hand is over, its end with these scores (None: those by the rules)."""
        self.number += 1
        while self._step():
            pass
        allowed = self.rules.permissions(self.state)
        if self.state.phase is Phase.CLAIMS and self._over_when_passed():
            self._happen(ClaimsPassed())
            self.finish(scores)
        elif allowed.ended is not None or (self.state.phase is Phase.SHOW and self.wins):
            gains = totals(self.rules.payments(self.state, self.wins))
            self._happen(HandEnded(allowed.ended or EndReason.WON, dict(scores if scores is not None else gains)))

    def _over_when_passed(self) -> bool:
        after = self.rules.permissions(self.rules.apply(self.state, ClaimsPassed()))
        return after.draw is None and after.discard is None

    def _until_due(self, move: HandMove) -> None:
        """Apply what must happen before a move."""
        while self._step():
            pass
        if self.state.phase is Phase.CLAIMS and not self._answers(move):
            self._happen(ClaimsPassed())
            self._until_due(move)

    def _answers(self, move: HandMove) -> bool:
        if move.type is MoveType.WIN:
            return True
        allowed = (self.rules.permissions(self.state).claims or {}).get(move.seat, frozenset())
        return move.type in _CLAIMS and Claim(_CLAIMS[move.type].value) in allowed

    def _step(self) -> bool:
        """Apply the next event that no seat decides (a tile turned up, a hand shown, a win refused); return whether there was one."""
        allowed = self.rules.permissions(self.state)
        if self.refused is not None:
            seat, reason = self.refused
            self.refused = None
            self.declared.pop(seat)
            self._happen(WinRefused(seat, reason))
        elif allowed.turn_up is not None:
            if allowed.turn_up >= len(self.sheet.rest):
                raise IllegalMoveError(self.number, "a shared tile is to be turned up, and the file has no shared tiles")
            self._happen(SharedTileTurned(allowed.turn_up, self.sheet.rest[allowed.turn_up]))
        elif allowed.show is not None:
            self._show(allowed.show)
        else:
            return False
        return True

    def _draw(self, move: HandMove) -> None:
        seat = move.seat
        allowed = self.rules.permissions(self.state)
        self._happen(TileDrawn(seat, allowed.from_end))
        (self.ends if allowed.from_end else self.fronts)[seat].append(move.tile)
        self._compare_with_wall(move, allowed.from_end)
        self.held[seat].append(move.tile)

    def _compare_with_wall(self, move: HandMove, from_end: bool) -> None:
        if self.sheet.walls is None:
            return
        draws = self.sheet.walls[move.seat][len(self.sheet.hands[move.seat]) :]
        due = draws[-len(self.ends[move.seat])] if from_end else draws[len(self.fronts[move.seat]) - 1]
        if due is not move.tile:
            raise IllegalMoveError(self.number, f"the wall of {move.seat.value} has {due.text} there, not {move.tile.text}")

    def _laid(self, move: HandMove) -> None:
        self.last.pop(move.seat, None)
        self.last[move.seat] = move.tile

    def _claim(self, move: HandMove) -> None:
        sources = [move.source] if move.source is not None else list(reversed(self.last))
        tiles = move.run or (move.tile,) * (4 if move.type is MoveType.KONG else 3)
        events = [Claimed(move.seat, Meld(_CLAIMS[move.type], tiles, source)) for source in sources if self.last.get(source) in tiles]
        if not events:
            raise IllegalMoveError(self.number, f"{move.seat.value} claims {move.tile.text}, which was not just discarded")
        event = next((event for event in events if self.rules.illegal(self.state, event) is None), events[0])
        assert event.meld.source is not None
        own = list(tiles)
        own.remove(self.last[event.meld.source])
        self._give(move.seat, own)
        self._happen(event)

    def _kong(self, move: HandMove) -> None:
        allowed, held = self.rules.permissions(self.state), self.held[move.seat]
        if move.type is MoveType.ADDED_KONG:
            late = allowed.late_kongs and held[-1] is not move.tile
            self._give(move.seat, (move.tile,))
            self._happen(KongDeclared(move.seat, Meld(MeldType.ADDED_KONG, (move.tile,) * COPIES, None), late))
            self._laid(move)
            return
        self._give(move.seat, (move.tile,) * COPIES)
        self._happen(KongDeclared(move.seat, Meld(MeldType.CONCEALED_KONG, (move.tile,) * COPIES if allowed.face_up else (), None)))
        if not allowed.face_up:
            self.face_down[move.seat].append(move.tile)

    def _win(self, move: HandMove) -> None:
        seat, state = move.seat, self.state
        if state.phase is Phase.DISCARD and state.turn is seat and self.held[seat]:
            drawn = self.held[seat][-1]
            event = WinDeclared(seat, None, drawn if self.rules.permissions(state).face_up else None)
        else:
            drawn = None
            event = WinDeclared(seat, state.turn, state.last_discard)
        self._happen(event)
        self.declared[seat] = event
        won_with = drawn if drawn is not None else state.last_discard
        assert won_with is not None, "the rules allow no win before a discard but on a draw"
        self.won_with[seat] = won_with

    def _show(self, seat: Seat) -> None:
        held, declared = tuple(self.held[seat]), self.declared.get(seat)
        if declared is None:
            self._happen(HandLaidOpen(seat, held))
            return
        concealed = held[:-1] if declared.source is None else held
        event = HandShown(seat, concealed, self.won_with[seat], tuple(self.face_down[seat]))
        self._happen(event)
        outcome = self.rules.score(self.rules.winning_hand(self.state, event, self.round_wind))
        if isinstance(outcome, NoWin):
            self.refused = seat, outcome.reason
        else:
            self.wins[seat] = outcome

    def _give(self, seat: Seat, tiles: TileRow | list[Tile]) -> None:
        for tile in tiles:
            if tile not in self.held[seat]:
                raise IllegalMoveError(self.number, f"{seat.value} does not hold {tile.text}")
            self.held[seat].remove(tile)

    def _happen(self, event: PlayEvent) -> None:
        problem = self.rules.illegal(self.state, event)
        if problem is not None:
            raise IllegalMoveError(self.number, problem.sentence)
        self.state = self.rules.apply(self.state, event)
        self.events.append(event)
        self.caused_by.append(self.number)


def record_of(sheet: HandSheet, *, lenient: bool = False) -> tuple[HandRecord, list[str]]:
    """Make the record of a sheet; return it with sentences that say what was made up or left out.

    ``lenient`` ends it before the first illegal move, or where the text breaks off, instead of raising.

    Raises IllegalMoveError for a move that the rules or the seat's tiles do not allow; FormTextError for tiles that are not those of a set,
    and a text that breaks off; RuleSetError for rules or options that do not exist.
    """
    rules = rule_set(sheet.rules or DEFAULT_RULES, sheet.options)
    follower = HandFollower(rules, sheet, round_wind(sheet.hand))
    notes = _followed(follower, sheet, lenient)
    walls, rest, made_up = _walls(sheet, follower, rules.walls)
    if made_up:
        notes.append(f"{made_up} undrawn tiles are not in the file: their order in the walls is made up")
    ended = follower.events[-1] if follower.events and isinstance(follower.events[-1], HandEnded) else None
    if ended is None and not notes:
        notes.append("the hand is not over: the record ends with its last move")
    digest = walls_digest(walls, rest)
    record = HandRecord(
        event=sheet.event,
        session=sheet.session,
        hand=sheet.hand,
        n=sheet.n,
        table=sheet.table,
        rules=rules.name,
        options=dict(sheet.options),
        players=dict(sheet.players),
        check=sheet.check or imported_check(sheet.n, digest),
        events=tuple(follower.events),
        scores=dict(ended.scores) if ended is not None else dict(sheet.scores or dict.fromkeys(SEATS, 0)),
        digest=digest,
        walls=walls,
        rest=rest or None,
    )
    return _judged(record, follower, notes, lenient)


def _followed(follower: HandFollower, sheet: HandSheet, lenient: bool) -> list[str]:
    """Follow the sheet's moves to the end, or to the first illegal one; return notes about that, and about a text that breaks off."""
    if sheet.broken_off and not lenient:
        raise FormTextError(f"{sheet.broken_off}; --lenient reads the hand up to there")
    try:
        for move in sheet.moves:
            follower.apply(move)
        follower.finish(sheet.scores)
    except IllegalMoveError as error:
        if not lenient:
            raise
        return [f"{error}; the record ends before it"]
    return [f"{sheet.broken_off}; the record ends before it"] if sheet.broken_off else []


def _judged(record: HandRecord, follower: HandFollower, notes: list[str], lenient: bool) -> tuple[HandRecord, list[str]]:
    """The record after a replay with its walls, which checks duties and payments."""
    found = replay(record).first_illegal
    if found is None:
        return record, notes
    number, verdict = found
    error = IllegalMoveError(follower.caused_by[number - 1], verdict.sentence)
    if not lenient:
        raise error
    cut = replace(record, events=record.events[: number - 1])
    return cut, [*notes, f"{error}; the record ends before it"]


def _walls(sheet: HandSheet, follower: HandFollower, layout: WallLayout) -> tuple[dict[Seat, SeatWall], TileRow, int]:
    """The walls and shared tiles of a sheet, and the number of tiles that were made up."""
    if sheet.walls is not None:
        walls = {seat: SeatWall(tiles[:HAND_SIZE], tiles[HAND_SIZE:]) for seat, tiles in sheet.walls.items()}
        return walls, sheet.rest, 0
    known = [tile for seat in SEATS for tile in (*sheet.hands[seat], *follower.fronts[seat], *follower.ends[seat])] + list(sheet.rest)
    left = Counter(layout.tiles)
    left.subtract(known)
    wrong = [tile for tile in sorted(left) if left[tile] < 0]
    if wrong:
        raise FormTextError(f"there are more {format_tiles(wrong)} than the set has: four of each kind, in hands and draws together")
    pool = list(shuffled(tuple(sorted(left.elements())), words_of(encode_parts("twinwall-imported-1", format_tiles(known)))))
    made_up = len(pool)
    walls = {}
    for seat in SEATS:
        front, end = follower.fronts[seat], follower.ends[seat]
        lacking = layout.draws - len(front) - len(end)
        fill = [pool.pop() for _ in range(lacking)]
        walls[seat] = SeatWall(tuple(sheet.hands[seat]), (*front, *fill, *reversed(end)))
    return walls, sheet.rest or tuple(pool), made_up
