"""mjai: JSON lines that riichi programs exchange. Players are numbered by place; the dealer of hand 1 is 0.

Follows the form's own vocabulary, with tiles written as here. mjai is made for riichi, so hands of other rules are not standard.
"""

import json
from collections.abc import Iterator, Mapping

from twinwall.event.forms.sheet import HandMove, MoveType, ReleasedHand
from twinwall.event.forms.tenhou6 import gains, indicators, is_indicator, laid_sticks
from twinwall.game.play_events import Claimed, HandEnded, KongDeclared, PlayEvent, SharedTileTurned, TileDiscarded, TileDrawn, WinDeclared
from twinwall.game.tiles import SEATS, Seat, Tile, place_of, round_wind, seat_at

_CLAIMS = {MoveType.CHOW: "chi", MoveType.PUNG: "pon", MoveType.KONG: "daiminkan"}
_NO_TILE = "?"


def write(released: ReleasedHand, tags: Mapping[str, str]) -> str:  # noqa: ARG001 - the form has no place for more
    """A hand as a game of one hand, one line per event."""
    return "".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in _lines(released))


def _lines(released: ReleasedHand) -> Iterator[dict[str, object]]:
    record, sheet, hand = released.record, released.sheet, released.record.hand
    turned, _ = indicators(released)
    by_place = [seat_at(place, hand) for place in range(len(SEATS))]
    yield {"type": "start_game", "names": [record.players[seat] for seat in by_place]}
    yield {
        "type": "start_kyoku",
        "bakaze": round_wind(hand).value,
        "dora_marker": turned[0].text if turned else _NO_TILE,
        "kyoku": (hand - 1) % 4 + 1,
        "honba": 0,
        "kyotaku": 0,
        "oya": place_of(Seat.EAST, hand),
        "scores": [0, 0, 0, 0],
        "tehais": [[tile.text for tile in sheet.hands[seat]] for seat in by_place],
    }
    moves, shown = iter(sheet.moves), 0
    for event in record.events:
        if isinstance(event, SharedTileTurned):
            shown += is_indicator(event)
            if shown > 1 and is_indicator(event):
                yield {"type": "dora", "dora_marker": event.tile.text}
        elif isinstance(event, HandEnded):
            if not released.played.wins:
                yield {"type": "ryukyoku", "deltas": _deltas(released, None)}
        elif moved(event):
            yield from _move_lines(next(moves), released)
    yield {"type": "end_kyoku"}
    yield {"type": "end_game"}


def moved(event: PlayEvent) -> bool:
    return isinstance(event, TileDrawn | TileDiscarded | Claimed | KongDeclared | WinDeclared)


def _deltas(released: ReleasedHand, winner: Seat | None) -> list[int]:
    """What a win or a drawn hand pays, by place."""
    gained = gains(released, winner)
    return [gained[seat_at(place, released.record.hand)] for place in range(len(SEATS))]


def _move_lines(move: HandMove, released: ReleasedHand) -> Iterator[dict[str, object]]:
    hand = released.record.hand
    actor, pai = place_of(move.seat, hand), move.tile.text
    target = actor if move.source is None else place_of(move.source, hand)
    match move.type:
        case MoveType.DRAW:
            yield {"type": "tsumo", "actor": actor, "pai": pai}
        case MoveType.DISCARD:
            if move.riichi:
                yield {"type": "reach", "actor": actor}
            yield {"type": "dahai", "actor": actor, "pai": pai, "tsumogiri": move.drawn}
            if move.riichi and move.seat in laid_sticks(released):
                yield {"type": "reach_accepted", "actor": actor}
        case MoveType.CHOW | MoveType.PUNG | MoveType.KONG:
            yield {"type": _CLAIMS[move.type], "actor": actor, "target": target, "pai": pai, "consumed": _own(move)}
        case MoveType.ADDED_KONG:
            yield {"type": "kakan", "actor": actor, "pai": pai, "consumed": [pai] * 3}
        case MoveType.CONCEALED_KONG:
            yield {"type": "ankan", "actor": actor, "consumed": [pai] * 4}
        case MoveType.WIN if move.seat in released.played.wins:
            below = [tile.text for tile in indicators(released)[1]]
            deltas = _deltas(released, move.seat)
            yield {"type": "hora", "actor": actor, "target": target, "pai": pai, "uradora_markers": below, "deltas": deltas}
        case MoveType.WIN:
            return


def _own(move: HandMove) -> list[str]:
    tiles: list[Tile] = list(move.run) or [move.tile] * (4 if move.type is MoveType.KONG else 3)
    tiles.remove(move.tile)
    return [tile.text for tile in tiles]
