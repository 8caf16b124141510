"""tenhou.net/6: a hand as JSON for tenhou's viewer. Players are numbered by place; the dealer of hand 1 is 0.

Follows the log converter of Kobayashi's 電脳麻将 (MIT licence). It is made for riichi: hands of other rules are not standard.
"""

import json
from collections.abc import Mapping

from twinwall.event.forms.sheet import HandMove, MoveType, ReleasedHand
from twinwall.game.play_events import SharedTileTurned
from twinwall.game.rule_set import Fan, Win
from twinwall.game.rules.seigo.settlement import STICK, sticks_laid
from twinwall.game.rules.seigo.state import INDICATOR_PLACES, SeigoState
from twinwall.game.rules.seigo.values import DOUBLE_RIICHI, YAKUMAN
from twinwall.game.tiles import SEATS, Seat, Tile, hand_name, place_of, round_wind, seat_at


def is_indicator(event: SharedTileTurned) -> bool:
    """Whether the turned tile is a dora indicator, and not one from below it."""
    return event.place in INDICATOR_PLACES


def indicators(released: ReleasedHand) -> tuple[list[Tile], list[Tile]]:
    """The dora indicators turned up, and those below them."""
    turned = [event for event in released.record.events if isinstance(event, SharedTileTurned)]
    upper, below = ([event.tile for event in turned if is_indicator(event) is wanted] for wanted in (True, False))
    return upper, below


def laid_sticks(released: ReleasedHand) -> tuple[Seat, ...]:
    state = released.played.state
    return sticks_laid(state) if isinstance(state, SeigoState) else ()


def gains(released: ReleasedHand, winner: Seat | None) -> Mapping[Seat, int]:
    """What each seat gets for a win or a drawn hand (``winner`` None), after the sticks; the first winner takes all sticks."""
    played, sticks = released.played, laid_sticks(released)
    if winner is None:
        return {seat: released.record.scores[seat] + STICK * (seat in sticks) for seat in SEATS}
    first = min(played.wins, key=played.state.turn.turns_until)
    taken = STICK * len(sticks) if winner is first else 0
    return {seat: paid + taken * (seat is winner) for seat, paid in played.wins[winner].payments.items()}


_SUITS = tuple(10 * suit + rank for suit in (1, 2, 3) for rank in range(1, 10))
CODES = (*_SUITS, 41, 42, 43, 44, 47, 46, 45)
"""Codes by tile; the form orders dragons white, green, red."""
_DRAWN = 60
"""In a row of discards: the tile that was just drawn."""
_KONG_MADE = 0
"""In a row of discards: a claimed kong instead of a discard."""
Row = list[int | str]


def write(released: ReleasedHand, tags: Mapping[str, str]) -> str:
    """A hand as a game of one hand; its date comes from ``tags``."""
    record, sheet, hand = released.record, released.sheet, released.record.hand
    by_place = [seat_at(place, hand) for place in range(len(SEATS))]
    turned, below = ([CODES[tile] for tile in tiles] for tiles in indicators(released))
    draws: dict[Seat, Row] = {seat: [] for seat in SEATS}
    discards: dict[Seat, Row] = {seat: [] for seat in SEATS}
    sources: dict[tuple[Seat, Tile], Seat] = {}
    for move in sheet.moves:
        if move.type is MoveType.PUNG and move.source is not None:
            sources[move.seat, move.tile] = move.source
        note(move, draws[move.seat], discards[move.seat], sources)
    rows: list[object] = [[hand - 1, 0, 0], [0, 0, 0, 0], turned, below]
    for seat in by_place:
        rows += [[CODES[tile] for tile in sheet.hands[seat]], draws[seat], discards[seat]]
    rows.append(_result(released, by_place))
    document = {
        "title": [record.event, f"{hand_name(hand)} {tags.get('Date', '')}".strip()],
        "name": [record.players[seat] for seat in by_place],
        "rule": {"disp": record.rules, "aka": 0},
        "log": [rows],
    }
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")) + "\n"


def note(move: HandMove, draws: Row, discards: Row, sources: Mapping[tuple[Seat, Tile], Seat]) -> None:
    """Add a move to its seat's rows; ``sources`` says from whom each pung was claimed."""
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
    """Own tiles left of the claimed one: none if it came from the player before, one from opposite, two from the next."""
    return 0 if source is None else source.turns_until(seat) - 1


def _claimed(letter: str, code: int, own: int, left: int, *, kong: bool) -> str:
    """A claimed meld; the letter precedes the claimed tile. In a kong from the next player, that tile is the last."""
    before = own if kong and left == 2 else left
    return str(code) * before + f"{letter}{code}" + str(code) * (own - before)


def _result(released: ReleasedHand, by_place: list[Seat]) -> list[object]:
    wins, hand = released.played.wins, released.record.hand
    if not wins:
        return ["流局", [gains(released, None)[seat] for seat in by_place]]
    result: list[object] = ["和了"]
    for move in released.sheet.moves:
        if move.type is MoveType.WIN and move.seat in wins:
            win, winner, gained = wins[move.seat], place_of(move.seat, hand), gains(released, move.seat)
            source = winner if move.source is None else place_of(move.source, hand)
            cell = [winner, source, winner, _value(win, move), *(_fan(fan, win, move.seat, hand) for fan in win.fans)]
            result += [[gained[seat] for seat in by_place], cell]
    return result


_LIMITS = ((4, "役満"), (3, "三倍満"), (2, "倍満"), (1.5, "跳満"), (1, "満貫"))
_MANGAN = 2000


def _value(win: Win, move: HandMove) -> str:
    """The value of a hand in the form's words: ``30符4飜11600点``, or a limit's name instead of fu and han."""
    gained = win.payments[move.seat]
    if win.fu is None:
        worth = f"{win.total}飜"
    else:
        mangans = gained / (6 if move.seat is Seat.EAST else 4) / _MANGAN
        worth = next((name for least, name in _LIMITS if mangans >= least), f"{win.fu}符{win.total}飜")
    if move.source is not None:
        return f"{worth}{gained}点"
    each = sorted({-paid for paid in win.payments.values() if paid < 0})
    return f"{worth}{'-'.join(map(str, each))}点" + ("∀" if len(each) == 1 else "")


_KANJI = dict(zip(SEATS, "東南西北", strict=True))
_NAMES = {DOUBLE_RIICHI: "両立直", "thirteen-orphans-13-waits": "国士無双１３面", "seat-wind": "自風 {own}", "round-wind": "場風 {round}"}
"""The form's names of yaku that differ from ours, by our ids."""


def _fan(fan: Fan, win: Win, seat: Seat, hand: int) -> str:
    if win.fu is None:
        return f"{fan.name}({fan.value * fan.count}飜)"
    name = _NAMES.get(fan.id, fan.name.replace("么", "幺")).format(own=_KANJI[seat], round=_KANJI[round_wind(hand)])
    return name + ("(役満)" if fan.value >= YAKUMAN else f"({fan.value * fan.count}飜)")
