"""Follows the moves of a sheet by the rules, and writes down the events that they were.

Windows that close without a claim, hands that are shown, wins that are refused and tiles that are turned up follow from the
rules; a form does not write them.
"""

from __future__ import annotations

from collections.abc import Mapping

from twinwall.event.forms.sheet import HandMove, HandSheet, MoveType
from twinwall.game.payments import totals
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
)
from twinwall.game.rule_set import NoWin, RuleSet, Win
from twinwall.game.tiles import COPIES, SEATS, Seat, Tile

_CLAIMS = {MoveType.CHOW: MeldType.CHOW, MoveType.PUNG: MeldType.PUNG, MoveType.KONG: MeldType.KONG}


class IllegalMoveError(ValueError):
    """A move that the rules or the seat's tiles do not allow, by its number in the hand, from 1."""

    def __init__(self, number: int, sentence: str) -> None:
        super().__init__(f"move {number} is not legal: {sentence}")
        self.number = number


class HandFollower:
    """A hand on its way: its state, what each seat holds, and the events so far."""

    def __init__(self, rules: RuleSet, sheet: HandSheet, round_wind: Seat) -> None:
        self.rules = rules
        self.sheet = sheet
        self.round_wind = round_wind
        self.state: PlayState = rules.start()
        self.events: list[PlayEvent] = []
        self.caused_by: list[int] = []
        """For each event the number of the move that it belongs to."""
        self.number = 0
        self.held: dict[Seat, list[Tile]] = {seat: list(sheet.hands[seat]) for seat in SEATS}
        self.fronts: dict[Seat, list[Tile]] = {seat: [] for seat in SEATS}
        """What was drawn of each wall from its front, in order."""
        self.ends: dict[Seat, list[Tile]] = {seat: [] for seat in SEATS}
        """And from its end."""
        self.last: dict[Seat, Tile] = {}
        """What each seat discarded last, or added to a pung; the latest stands at the end."""
        self.face_down: dict[Seat, list[Tile]] = {seat: [] for seat in SEATS}
        self.declared: dict[Seat, WinDeclared] = {}
        self.won_with: dict[Seat, Tile] = {}
        self.wins: dict[Seat, Win] = {}
        self.refused: tuple[Seat, str] | None = None
        """A shown hand that does not win, and why."""

    def follow(self, move: HandMove) -> None:
        """Let a move happen; raises IllegalMoveError."""
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
        """What follows the last move: the hand's end with these scores (None: those that the rules give), if it is over."""
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
        """Let happen what must before a move."""
        while self._step():
            pass
        if self.state.phase is Phase.CLAIMS and not self._answers(move):
            self._happen(ClaimsPassed())
            self._until_due(move)

    def _answers(self, move: HandMove) -> bool:
        """Whether a move belongs into the claim window that is open."""
        if move.type is MoveType.WIN:
            return True
        allowed = (self.rules.permissions(self.state).claims or {}).get(move.seat, frozenset())
        return move.type in _CLAIMS and Claim(_CLAIMS[move.type].value) in allowed

    def _step(self) -> bool:
        """Let the next thing happen that no seat decides: a tile turned up, a hand shown, a win refused. Whether there was one."""
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
        lies = draws[-len(self.ends[move.seat])] if from_end else draws[len(self.fronts[move.seat]) - 1]
        if lies is not move.tile:
            raise IllegalMoveError(self.number, f"the wall of {move.seat.value} has {lies.text} there, not {move.tile.text}")

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

    def _give(self, seat: Seat, tiles: tuple[Tile, ...] | list[Tile]) -> None:
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
