"""Botzone's log of a match of Chinese-Standard-Mahjong: JSON, by turns what the judge showed and the players answered.

Follows the published judge of Peking University's AI laboratory, with each seat's walls. Only what the judge showed is read. ``canHu``, the
judge's note of who could win, is not written.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence

import msgspec
from msgspec import Struct

from twinwall.event.forms.sheet import FormTextError, HandMove, HandSheet, MoveType, ReleasedHand, named_move, tile_codes
from twinwall.game import typed_json
from twinwall.game.record import HandRecord
from twinwall.game.replay import Replay
from twinwall.game.rules.mcr_duplicate.fans import FAN_KINDS
from twinwall.game.tiles import ALL_TILES, SEATS, Seat, Tile, TileRow, round_wind
from twinwall.game.walls import HAND_SIZE

CODES = tile_codes("WBTFJ")
_TILES = dict(zip(CODES, ALL_TILES, strict=True))
FAN_NAMES = {kind.id: kind.chinese for kind in FAN_KINDS} | {"closed-wait": "嵌张"}
"""Names of fans in the published judge, by our ids."""
RULES = {"end": "next-empty", "kong_when_next_empty": False}
"""Botzone's options: a hand ends when the seat to draw has no tile left."""


def tile_of(code: str, place: str) -> Tile:
    """The tile of a code; raises FormTextError, which names the place."""
    tile = _TILES.get(code)
    if tile is None:
        why = "a flower, which no rule set here has" if code.startswith("H") else "no tile"
        raise FormTextError(f"{place} has {code!r}, which is {why}")
    return tile


def wind_number(hand: int) -> int:
    """The prevalent wind of a hand of a session, from 0 for East."""
    return SEATS.index(round_wind(hand))


_OK = "OK"
_PASS = "PASS"  # noqa: S105 - what a player answers who does nothing
_CLAIMS = {MoveType.CHOW: "CHI", MoveType.PUNG: "PENG"}
_MOVES = ("DRAW", "PLAY", "CHI", "PENG", "GANG", "BUGANG", "HU")


class BotzoneDisplay(Struct, omit_defaults=True):
    """What the judge shows after a turn; after a chow or pung ``tile`` is what its maker discarded."""

    action: str
    player: int = -1
    tile: str = ""
    tileCHI: str = ""  # noqa: N815 - the form's own name
    quan: int = -1
    hand: list[list[str]] = []
    fan: list[dict[str, object]] = []
    fanCnt: int = 0  # noqa: N815
    score: list[int] = []


class BotzoneOutput(Struct):
    display: BotzoneDisplay


class BotzoneEntry(Struct):
    """An entry of the log: the judge's, or the players', which is not read."""

    output: BotzoneOutput | None = None


class BotzoneWalls(Struct, omit_defaults=True):
    """The match's start: the four walls in a row, each from its end."""

    walltiles: str = ""
    quan: int = 0


class BotzoneMatch(Struct):
    logs: list[BotzoneEntry]
    initdata: BotzoneWalls | str | None = None


def write(released: ReleasedHand, tags: Mapping[str, str]) -> str:  # noqa: ARG001 - the form has no place for more
    record, sheet = released.record, released.sheet
    assert sheet.walls is not None
    wind = wind_number(record.hand)
    displays = [
        BotzoneDisplay("INIT", quan=wind),
        BotzoneDisplay("DEAL", hand=[[CODES[tile] for tile in sheet.hands[seat]] for seat in SEATS]),
    ]
    displays += _displays(sheet.moves, released.played, record)
    concealed = {(move.seat.index, CODES[move.tile]) for move in sheet.moves if move.type is MoveType.CONCEALED_KONG}
    logs: list[object] = []
    for display in displays:
        if logs:
            logs.append(_answers(display, concealed))
        logs.append({"output": {"command": "request", "display": display}})
    walls = " ".join(CODES[tile] for seat in SEATS for tile in reversed(sheet.walls[seat]))
    match = {"initdata": {"walltiles": walls, "quan": wind}, "logs": logs}
    return msgspec.json.format(msgspec.json.encode(match), indent=1).decode() + "\n"


def _displays(moves: Sequence[HandMove], played: Replay, record: HandRecord) -> Iterator[BotzoneDisplay]:
    claim: HandMove | None = None
    for move in moves:
        seat, code = move.seat.index, CODES[move.tile]
        match move.type:
            case MoveType.CHOW | MoveType.PUNG:
                claim = move
            case MoveType.DISCARD if claim is not None:
                middle = CODES[claim.run[1]] if claim.run else ""
                yield BotzoneDisplay(_CLAIMS[claim.type], seat, code, middle)
                claim = None
            case MoveType.WIN:
                yield _won(move.seat, played, record)
            case _:
                action = {MoveType.DRAW: "DRAW", MoveType.DISCARD: "PLAY", MoveType.ADDED_KONG: "BUGANG"}.get(move.type, "GANG")
                yield BotzoneDisplay(action, seat, code)
    if played.state.ended is not None and not played.wins:
        yield BotzoneDisplay("HUANG", score=[record.scores[seat] for seat in SEATS])


def _won(seat: Seat, played: Replay, record: HandRecord) -> BotzoneDisplay:
    win = played.wins.get(seat)
    if win is None:
        return BotzoneDisplay("HU", seat.index)
    fans = [{"name": FAN_NAMES.get(fan.id, fan.name), "cnt": fan.count, "value": fan.value} for fan in win.fans]
    return BotzoneDisplay("HU", seat.index, fan=fans, fanCnt=win.total, score=[record.scores[of] for of in SEATS])


def _answers(display: BotzoneDisplay, concealed: Collection[tuple[int, str]]) -> dict[str, dict[str, str]]:
    """The players' answers, from what the judge showed next; ``concealed`` are the concealed kongs, by seat and tile."""
    answers = {str(seat.index): {"response": _PASS, "verdict": _OK} for seat in SEATS}
    response = {
        "PLAY": f"PLAY {display.tile}",
        "BUGANG": f"BUGANG {display.tile}",
        "PENG": f"PENG {display.tile}",
        "CHI": f"CHI {display.tileCHI} {display.tile}",
        "HU": "HU",
        "GANG": f"GANG {display.tile}" if (display.player, display.tile) in concealed else "GANG",
    }.get(display.action)
    if response is not None:
        answers[str(display.player)]["response"] = response
    return answers


def read(text: str) -> Iterator[HandSheet]:
    """Read one match or a list of them; raises FormTextError, which names the log's entry."""
    try:
        matches = typed_json.decode(text, list[BotzoneMatch]) if text.lstrip().startswith("[") else [typed_json.decode(text, BotzoneMatch)]
    except msgspec.MsgspecError as error:
        raise FormTextError(f"it is no match of Botzone: {error}") from None
    for n, match in enumerate(matches, 1):
        yield _sheet(match, n)


def _sheet(match: BotzoneMatch, n: int) -> HandSheet:
    wind, hands, scores, broken_off = 0, None, None, ""
    moves: list[HandMove] = []
    for number, entry in enumerate(match.logs, 1):
        if entry.output is None:
            continue
        display, place = entry.output.display, f"entry {number} of logs"
        match display.action:
            case "INIT":
                wind = display.quan if 0 <= display.quan < len(SEATS) else 0
            case "DEAL":
                hands = _hands(display.hand, place)
            case "HUANG":
                scores = _scores(display.score) or dict.fromkeys(SEATS, 0)
            case action if action not in _MOVES:
                broken_off = f"{place} is {action!r}, which is no move of this game: such a match ended by a fault of a player"
                break
            case _:
                moves += _moves(display, moves, place)
                scores = _scores(display.score) or scores
    if hands is None:
        raise FormTextError("it has no entry with the action DEAL: without the hands there is no hand to read")
    walls = _walls(match.initdata, hands)
    return HandSheet(hands, tuple(moves), scores, hand=4 * wind + 1, n=n, walls=walls, broken_off=broken_off)


def _hands(hands: Sequence[Sequence[str]], place: str) -> dict[Seat, TileRow]:
    if [len(hand) for hand in hands] != [HAND_SIZE] * len(SEATS):
        raise FormTextError(f"{place} must deal four hands of {HAND_SIZE} tiles")
    return {seat: tuple(tile_of(code, place) for code in hand) for seat, hand in zip(SEATS, hands, strict=True)}


def _scores(scores: Sequence[int]) -> dict[Seat, int] | None:
    return dict(zip(SEATS, scores, strict=True)) if len(scores) == len(SEATS) else None


def _moves(display: BotzoneDisplay, before: Sequence[HandMove], place: str) -> list[HandMove]:
    """The moves of a display: one move, or a claim and its discard."""
    if not 0 <= display.player < len(SEATS):
        raise FormTextError(f"{place} names no player from 0 to 3")
    seat, last = SEATS[display.player], before[-1] if before else None
    if last is None and display.action != "DRAW":
        raise FormTextError(f"{place} is {display.action!r}, and a hand begins with a draw")
    if display.action == "HU":
        assert last is not None
        return [HandMove(MoveType.WIN, seat, last.tile)]
    tile = tile_of(display.tile, place)
    drew = last is not None and last.type is MoveType.DRAW and last.seat is seat
    match display.action:
        case "DRAW":
            return [HandMove(MoveType.DRAW, seat, tile)]
        case "PLAY":
            return [named_move(HandMove(MoveType.DISCARD, seat, tile), last, place, display.tile)]
        case "GANG":
            return [HandMove(MoveType.CONCEALED_KONG if drew else MoveType.KONG, seat, tile)]
        case "BUGANG":
            return [HandMove(MoveType.ADDED_KONG, seat, tile)]
        case _:
            assert last is not None
            claim = HandMove(MoveType.PUNG, seat, last.tile)
            if display.action == "CHI":
                middle = tile_of(display.tileCHI, place)
                claim = named_move(HandMove(MoveType.CHOW, seat, middle), last, place, display.tileCHI)
            return [claim, HandMove(MoveType.DISCARD, seat, tile)]


def _walls(initdata: BotzoneWalls | str | None, hands: Mapping[Seat, TileRow]) -> dict[Seat, TileRow] | None:
    """The walls at the start of a match; None if it names none, or others than its hands' (as when all drew from one wall)."""
    if not isinstance(initdata, BotzoneWalls):
        return None
    codes = initdata.walltiles.split()
    size = len(codes) // len(SEATS)
    tiles = [tile_of(code, "initdata") for code in codes if code in CODES]
    walls = {seat: tuple(reversed(tiles[seat.index * size : (seat.index + 1) * size])) for seat in SEATS}
    return walls if len(tiles) == len(SEATS) * size and all(walls[seat][:HAND_SIZE] == hands[seat] for seat in SEATS) else None
