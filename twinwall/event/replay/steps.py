"""A hand record as steps (``replay_document``): each action at the table, how far the seat's hand then is, and what else was legal.

Concealed tiles come from the walls of a released deal. In a hand recorded without its deal they are ``UNSEEN`` until the player shows them.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import assert_never

from twinwall.event.replay.possible_moves import MoveFinder, TableNow, exchanges
from twinwall.event.replay.replay_form import (
    UNSEEN,
    AnyStep,
    Chance,
    FanLine,
    Ready,
    ReplayDiscard,
    ReplayDocument,
    ReplayDraw,
    ReplayedTable,
    ReplayEnd,
    ReplayMeld,
    ReplayNote,
    ReplayShow,
    ReplayWin,
    Wall,
)
from twinwall.game.held import HeldTiles, face_down_kind
from twinwall.game.play import PlayState
from twinwall.game.play_events import (
    Claimed,
    ClaimsPassed,
    HandEnded,
    HandLaidOpen,
    HandRuledDead,
    HandShown,
    KongDeclared,
    Meld,
    MeldType,
    PenaltyRuled,
    PlayEvent,
    ResultExcluded,
    SharedTileTurned,
    TileDiscarded,
    TileDrawn,
    WinDeclared,
    WinRefused,
)
from twinwall.game.record import HandRecord
from twinwall.game.replay import HandReplayer
from twinwall.game.rule_set import Win
from twinwall.game.rules import rule_set
from twinwall.game.tiles import COPIES, SEATS, Seat, Tile, TileRow, format_tiles, round_wind
from twinwall.game.walls import HAND_SIZE


class NoWallsError(ValueError):
    """A record without its deal's walls, which cannot be replayed with all hands."""


def replay_document(records: Sequence[HandRecord]) -> ReplayDocument:
    """A deal as the tables of its records played it, in order; a claim window without a claim is no step.

    Raises NoWallsError, ValueError for records of different deals, and RuleSetError for unknown rules or options.
    """
    first = records[0]
    for record in records:
        if record.walls is None:
            why = "the hand was recorded without its deal" if record.without_deal else "the deal is not released"
            raise NoWallsError(f"the record of deal {record.n} at table {record.table} has no walls: {why}")
        if (record.event, record.n, record.digest) != (first.event, first.n, first.digest):
            raise ValueError(f"the record of table {record.table} is of deal {record.n}, not the same as table {first.table} has")
    return _document(records)


def seen_document(record: HandRecord) -> ReplayDocument:
    """A hand recorded without its deal, as it was seen; raises RuleSetError for unknown rules or options."""
    return _document([replace(record, walls=None, rest=None)])


def _document(records: Sequence[HandRecord]) -> ReplayDocument:
    steppers, first = [_Stepper(record) for record in records], records[0]
    return ReplayDocument(
        first.event,
        first.session,
        first.hand,
        first.n,
        first.rules,
        first.check.hex(),
        {seat.value: steppers[0].wall(seat) for seat in SEATS},
        [
            ReplayedTable(stepper.record.table, {seat.value: name for seat, name in stepper.record.players.items()}, list(stepper.steps()))
            for stepper in steppers
        ],
    )


class _Stepper:
    def __init__(self, record: HandRecord) -> None:
        self.rules = rule_set(record.rules, record.options)
        self.record = record
        self.wind = round_wind(record.hand)
        self.moves = MoveFinder(self.rules, self.wind)
        self.replayer = HandReplayer(self.rules, record)
        self.melds: dict[Seat, tuple[Meld, ...]] = dict.fromkeys(SEATS, ())
        """With the tiles of face-down kongs."""

    @property
    def state(self) -> PlayState:
        return self.replayer.state

    @property
    def held(self) -> HeldTiles | None:
        return self.replayer.held

    def steps(self) -> Iterator[AnyStep]:
        """Yield the steps. A claim window's end is no step; what it allows the next seat is added to the step before."""
        last: AnyStep | None = None
        for number, event in enumerate(self.record.events, 1):
            before, state = None if self.held is None else self.held.copy(), self.state
            verdict = self.replayer.judge(event)
            if isinstance(event, ClaimsPassed):
                if verdict is None and isinstance(last, ReplayDiscard) and self.held is not None:
                    _note_moves(last, self.moves.waiting_claims(self._now(self.held), Seat(last.seat)))
                continue
            if last is not None:
                yield last
            if verdict is not None:
                seat = getattr(event, "seat", None)
                last = ReplayNote(seat=_wind(seat), kind="illegal", text=f"event {number}: {verdict.sentence}", why=verdict.reason)
            else:
                last = self._legal(event, state, before)
        if last is not None:
            yield last

    def _legal(self, event: PlayEvent, state: PlayState, before: HeldTiles | None) -> AnyStep:
        step = self._step(event, state, before)
        if isinstance(step, ReplayWin | ReplayShow):
            step.took = self._taken_since(state)
        if self.held is None:
            return step
        if isinstance(step, ReplayDiscard | ReplayMeld):
            seat = Seat(step.seat)
            step.ready = self.ready(seat, self.concealed(seat, self.held))
        _note_moves(step, self.moves.after(event, self._now(self.held)))
        return step

    def _taken_since(self, state: PlayState) -> str:
        """The seat whose last river tile was taken since ``state``; empty if none was."""
        for seat in SEATS:
            now, then = self.state.seat(seat).river, state.seat(seat).river
            if now != then and now[-1].claimed_by is not None:
                return _wind(seat)
        return ""

    def _step(self, event: PlayEvent, state: PlayState, before: HeldTiles | None) -> AnyStep:
        match event:
            case TileDrawn(seat, from_end):
                return ReplayDraw(seat=seat.value, tile=_drawn(seat, self.held), from_end=from_end)
            case TileDiscarded(seat, tile, riichi):
                drawn = state.drew and _drawn(seat, before) == tile.text
                return ReplayDiscard(seat=seat.value, tile=tile.text, place=state.seat(seat).next_place, drawn=drawn, riichi=riichi)
            case Claimed(seat, meld) | KongDeclared(seat, meld):
                return self._meld(seat, meld, state, before)
            case WinDeclared(seat, source, tile):
                won = _drawn(seat, before) if tile is None else tile.text
                return ReplayWin(seat=seat.value, tile=won, source=_wind(source))
            case HandShown(seat, concealed, winning):
                return self._shown(seat, concealed, winning)
            case HandLaidOpen(seat, concealed):
                return ReplayShow(seat=seat.value, tiles=format_tiles(sorted(concealed)))
            case WinRefused(seat, reason):
                return ReplayNote(seat=seat.value, kind="win-refused", text=reason)
            case HandRuledDead(seat):
                return ReplayNote(seat=seat.value, kind="hand-ruled-dead")
            case PenaltyRuled(seat, offence):
                return ReplayNote(seat=seat.value, kind="penalty-ruled", text=offence.value)
            case ResultExcluded():
                return ReplayNote(kind="result-excluded")
            case SharedTileTurned(_, tile):
                return ReplayNote(kind="shared-tile-turned", tile=tile.text)
            case HandEnded(reason, scores):
                payments: list[dict[str, str | int]] = [
                    {"reason": paid.reason.value, "payer": _wind(paid.source), "to": _wind(paid.to), "amount": paid.amount}
                    for paid in self.replayer.payments
                ]
                return ReplayEnd(reason=reason.value, scores={seat.value: scores[seat] for seat in SEATS}, payments=payments)
            case ClaimsPassed():
                raise AssertionError("a window that closes is no step")
            case _:
                assert_never(event)

    def _meld(self, seat: Seat, meld: Meld, state: PlayState, before: HeldTiles | None) -> ReplayMeld:
        down = meld.face_down
        if down and before is not None:
            meld = Meld(MeldType.CONCEALED_KONG, (self._face_down_kind(seat, before),) * COPIES, None)
        own = list(meld.tiles)
        taken = None if meld.source is None else state.seat(meld.source).river[-1].tile
        if taken is not None:
            own.remove(taken)
        elif meld.type is MeldType.ADDED_KONG:
            own = own[:1]
        kept = self.melds[seat]
        if meld.type is MeldType.ADDED_KONG:
            kept = tuple(other for other in kept if other.type is not MeldType.PUNG or other.tiles[0] is not meld.tiles[0])
            pung = next(other for other in self.melds[seat] if other not in kept)
            meld = Meld(meld.type, meld.tiles, pung.source)
        self.melds[seat] = (*kept, meld)
        source = _wind(meld.source)
        return ReplayMeld(
            seat=seat.value,
            meld=meld.type.value,
            tiles=format_tiles(meld.tiles) or _unseen(COPIES),
            own=format_tiles(own) or _unseen(COPIES),
            taken="" if taken is None else taken.text,
            source=source,
            down=down,
        )

    def _shown(self, seat: Seat, concealed: TileRow, winning: Tile) -> ReplayShow:
        step = ReplayShow(seat=seat.value, tiles=format_tiles(sorted(concealed)), winning=winning.text)
        outcome = self.replayer.outcome
        if isinstance(outcome, Win):
            step.total = outcome.total
            step.fans = [FanLine(fan.id, fan.name, self.rules.worth(fan)) for fan in outcome.fans]
        return step

    def _face_down_kind(self, seat: Seat, before: HeldTiles) -> Tile:
        laid = [meld.tiles[0] for meld in self.melds[seat] if meld.type is MeldType.CONCEALED_KONG]
        return face_down_kind(seat, before.of[seat], laid, self.record.events)

    def concealed(self, seat: Seat, tiles: HeldTiles) -> TileRow:
        """A seat's tiles without its melds and face-down kongs, in canonical order."""
        held = sorted(tiles.of[seat])
        if any(meld.face_down for meld in self.state.seat(seat).melds):
            laid = {meld.tiles[0] for meld in self.melds[seat] if meld.type is MeldType.CONCEALED_KONG}
            held = [tile for tile in held if tile not in laid]
        return tuple(held)

    def _now(self, held: HeldTiles) -> TableNow:
        concealed = {seat: self.concealed(seat, held) for seat in SEATS}
        return TableNow(self.state, held.of, concealed, self.melds, self.replayer.witness)

    def wall(self, seat: Seat) -> Wall:
        if self.record.walls is None:
            return Wall(_unseen(HAND_SIZE), None, "")
        own = self.record.walls[seat]
        return Wall(format_tiles(own.hand), self.ready(seat, own.hand), format_tiles(own.draws))

    def ready(self, seat: Seat, concealed: Iterable[Tile]) -> Ready:
        """How far a seat's hand is, with these concealed tiles beside its melds."""
        held = tuple(concealed)
        found = self.moves.waits(seat, held, self.melds[seat])
        away = 0 if found.all else exchanges(held)
        return Ready(away, format_tiles(found.discards), format_tiles(found.draws), format_tiles(found.short))


def _drawn(seat: Seat, held: HeldTiles | None) -> str:
    return UNSEEN if held is None else held.of[seat][-1].text


def _unseen(count: int) -> str:
    return " ".join([UNSEEN] * count)


def _note_moves(step: AnyStep, found: Iterable[Chance]) -> None:
    """Add the possible moves after a step; a move that is found legal later is no longer barred."""
    for move in found:
        if not move.why:
            step.chances += [] if move in step.chances else [move]
            step.barred = [each for each in step.barred if (each.seat, each.act, each.tiles) != (move.seat, move.act, move.tiles)]
        else:
            step.barred += [move]


def _wind(seat: Seat | None) -> str:
    return "" if seat is None else str(seat.value)
