"""tenhou.net/6: a hand as the JSON that tenhou's viewer takes. Players are numbered by their places; the dealer of hand 1 is 0.

As the log converter of Kobayashi's 電脳麻将 (MIT licence) writes it. It was made for riichi: hands of other rules are not standard.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from twinwall.event.forms.moves import ReleasedHand
from twinwall.event.forms.sheet import HandMove, MoveType
from twinwall.game.play_events import SharedTileTurned
from twinwall.game.record import HandRecord
from twinwall.game.replay import Replay
from twinwall.game.session import hand_name, place_of, seat_at
from twinwall.game.tiles import SEATS, Seat, Tile

_SUITS = tuple(10 * suit + rank for suit in (1, 2, 3) for rank in range(1, 10))
CODES = (*_SUITS, 41, 42, 43, 44, 47, 46, 45)
"""By tile; the form's dragons go white, green, red."""
_DRAWN = 60
"""The tile that was just drawn, as a discard."""
_KONG_MADE = 0
"""In the row of discards, where a kong of a discard took the place of one."""
Row = list[int | str]


def write(released: ReleasedHand, tags: Mapping[str, str]) -> str:
    """A hand as one game of one hand; its date is that of ``tags``."""
    record, sheet, played, hand = released.record, released.sheet, released.played, released.record.hand
    by_place = [seat_at(place, hand) for place in range(len(SEATS))]
    turned = [CODES[event.tile] for event in record.events if isinstance(event, SharedTileTurned)]
    draws: dict[Seat, Row] = {seat: [] for seat in SEATS}
    discards: dict[Seat, Row] = {seat: [] for seat in SEATS}
    sources: dict[tuple[Seat, Tile], Seat] = {}
    for move in sheet.moves:
        if move.type is MoveType.PUNG and move.source is not None:
            sources[move.seat, move.tile] = move.source
        note(move, draws[move.seat], discards[move.seat], sources)
    rows: list[object] = [[hand - 1, 0, 0], [0, 0, 0, 0], turned, []]
    for seat in by_place:
        rows += [[CODES[tile] for tile in sheet.hands[seat]], draws[seat], discards[seat]]
    rows.append(_result(record, played, sheet.moves, by_place))
    document = {
        "title": [record.event, f"{hand_name(hand)} {tags.get('Date', '')}".strip()],
        "name": [record.players[seat] for seat in by_place],
        "rule": {"disp": record.rules, "aka": 0},
        "log": [rows],
    }
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")) + "\n"


def note(move: HandMove, draws: Row, discards: Row, sources: Mapping[tuple[Seat, Tile], Seat]) -> None:
    """Put a move into its seat's rows; ``sources`` says from whom each pung was claimed."""
    code = CODES[move.tile]
    match move.type:
        case MoveType.DRAW:
            draws.append(code)
        case MoveType.DISCARD:
            laid = _DRAWN if move.drawn else code
            discards.append(f"r{laid}" if move.riichi else laid)
        case MoveType.CHOW:
            others = list(move.run)
            others.remove(move.tile)
            draws.append(f"c{code}" + "".join(str(CODES[tile]) for tile in others))
        case MoveType.PUNG | MoveType.KONG:
            kong = move.type is MoveType.KONG
            draws.append(_claimed("m" if kong else "p", code, 3 if kong else 2, _left_of(move.seat, move.source), kong=kong))
            if kong:
                discards.append(_KONG_MADE)
        case MoveType.ADDED_KONG:
            discards.append(_claimed("k", code, 3, _left_of(move.seat, sources.get((move.seat, move.tile))), kong=False))
        case MoveType.CONCEALED_KONG:
            discards.append(f"{code}{code}{code}a{code}")
        case MoveType.WIN:
            pass


def _left_of(seat: Seat, source: Seat | None) -> int:
    """How many own tiles lie left of the claimed one: none from the player before, one from opposite, two from the next."""
    return 0 if source is None else source.turns_until(seat) - 1


def _claimed(letter: str, code: int, own: int, left: int, *, kong: bool) -> str:
    """A claimed meld: the letter stands before the claimed tile; that of a kong from the next player is the last."""
    before = own if kong and left == 2 else left
    return str(code) * before + f"{letter}{code}" + str(code) * (own - before)


def _result(record: HandRecord, played: Replay, moves: tuple[HandMove, ...], by_place: list[Seat]) -> list[object]:
    if not played.wins:
        return ["流局", [record.scores[seat] for seat in by_place]]
    result: list[object] = ["和了"]
    for move in moves:
        if move.type is MoveType.WIN and move.seat in played.wins:
            win, winner = played.wins[move.seat], place_of(move.seat, record.hand)
            source = winner if move.source is None else place_of(move.source, record.hand)
            fans = [f"{fan.name}({fan.value * fan.count}飜)" for fan in win.fans]
            result += [[win.payments[seat] for seat in by_place], [winner, source, winner, f"{win.total}", *fans]]
    return result
