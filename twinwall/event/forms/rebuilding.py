"""A record made of a sheet: the rules turn moves into events, and what no form writes (windows that closed, hands shown) is added.

An illegal move is refused by its number. Undrawn tiles, where the form does not have them, are dealt in an order made up
from the sheet's own moves, so that the deal can be played again; the record is the same every time.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from twinwall.event.forms.following import HandFollower, IllegalMoveError
from twinwall.event.forms.sheet import FormTextError, HandSheet
from twinwall.game.deals import walls_digest
from twinwall.game.deals.encoding import encode_parts
from twinwall.game.deals.shuffle import shuffled, words_of
from twinwall.game.deals.uncommitted import imported_check
from twinwall.game.play_events import HandEnded
from twinwall.game.record import HandRecord
from twinwall.game.replay import replay
from twinwall.game.rules import DEFAULT_RULES, rule_set
from twinwall.game.session import round_wind
from twinwall.game.tiles import SEATS, Seat, Tile, format_tiles
from twinwall.game.walls import HAND_SIZE, SeatWall, WallLayout


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """A record, and in sentences what was made up for it or left out."""

    record: HandRecord
    notes: tuple[str, ...] = ()


def record_of(sheet: HandSheet, *, lenient: bool = False) -> Rebuilt:
    """The record of a sheet.

    ``lenient`` ends it before the first illegal move, or where the text breaks off, instead of raising.

    Raises:
        IllegalMoveError: for a move that the rules or the seat's tiles do not allow.
        FormTextError: for tiles that are not those of a set, and a text that breaks off.
        RuleSetError: for rules or options that do not exist.
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
    """Follow the sheet's moves to the end, or to the first illegal one; what is to be said of that and of a text that breaks off."""
    if sheet.broken_off and not lenient:
        raise FormTextError(f"{sheet.broken_off}; --lenient reads the hand up to there")
    try:
        for move in sheet.moves:
            follower.follow(move)
        follower.finish(sheet.scores)
    except IllegalMoveError as error:
        if not lenient:
            raise
        return [f"{error}; the record ends before it"]
    return [f"{sheet.broken_off}; the record ends before it"] if sheet.broken_off else []


def _judged(record: HandRecord, follower: HandFollower, notes: list[str], lenient: bool) -> Rebuilt:
    """The record once it has been replayed with its walls: duties and payments are judged there."""
    found = replay(record).first_illegal
    if found is None:
        return Rebuilt(record, tuple(notes))
    number, verdict = found
    error = IllegalMoveError(follower.caused_by[number - 1], verdict.sentence)
    if not lenient:
        raise error
    cut = replace(record, events=record.events[: number - 1])
    return Rebuilt(cut, (*notes, f"{error}; the record ends before it"))


def _walls(sheet: HandSheet, follower: HandFollower, layout: WallLayout) -> tuple[dict[Seat, SeatWall], tuple[Tile, ...], int]:
    """The walls and shared tiles of a sheet, and how many of them were made up."""
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
