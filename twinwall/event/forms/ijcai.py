"""The text of the IJCAI 2020 mahjong competition's games: a line for each action of a player.

Follows the description that comes with its data. Overruled calls (``Ignore Player …``) are skipped.
"""

import re
from collections.abc import Iterator, Mapping

from twinwall.event.forms.botzone import CODES, FAN_NAMES, tile_of, wind_number
from twinwall.event.forms.sheet import FormTextError, HandMove, HandSheet, MoveType, ReleasedHand, named_move
from twinwall.game.tiles import SEATS, Seat, TileRow
from twinwall.game.walls import HAND_SIZE

_WORDS = {
    MoveType.DRAW: "Draw",
    MoveType.DISCARD: "Play",
    MoveType.CHOW: "Chi",
    MoveType.PUNG: "Peng",
    MoveType.KONG: "Gang",
    MoveType.CONCEALED_KONG: "AnGang",
    MoveType.ADDED_KONG: "BuGang",
    MoveType.WIN: "Hu",
}
_MOVES = {word: move for move, word in _WORDS.items()}
_LINE = re.compile(r"Player ([0-3]) (Draw|Play|Chi|Peng|Gang|AnGang|BuGang|Hu) (\w\d)(?: Ignore .*)?")
_DEAL = re.compile(r"Player ([0-3]) Deal((?: \w\d)+)")
_SCORE = re.compile(r"Score ([+-]?\d{1,9}) ([+-]?\d{1,9}) ([+-]?\d{1,9}) ([+-]?\d{1,9})")
MATCH = "Match"
"""The tag with the hand's name."""


def write(released: ReleasedHand, tags: Mapping[str, str]) -> str:
    """A hand as lines of text; the name comes from ``tags``, or from deal and table."""
    record, sheet, played = released.record, released.sheet, released.played
    name = "-".join(tags.get(MATCH, f"{record.n}-{record.table}").split())
    lines = [f"Match {name}", f"Wind {wind_number(record.hand)}"]
    lines += [f"Player {seat.index} Deal {' '.join(CODES[tile] for tile in sheet.hands[seat])}" for seat in SEATS]
    lines += [_line(move) for move in sheet.moves]
    if played.state.ended is not None:
        for win in played.wins.values():
            fans = (f"{FAN_NAMES.get(fan.id, fan.name)}*{fan.count}" for fan in win.fans)
            lines.append(f"Fan {win.total} {'+'.join(fans)}")
        lines += [] if played.wins else ["Huang"]
        lines.append("Score " + " ".join(str(record.scores[seat]) for seat in SEATS))
    return "\n".join(lines) + "\n"


def _line(move: HandMove) -> str:
    tile = move.run[1] if move.run else move.tile
    return f"Player {move.seat.index} {_WORDS[move.type]} {CODES[tile]}"


def read(text: str) -> Iterator[HandSheet]:
    """The hands of a text; raises FormTextError, which names the line."""
    reader = _Reader()
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        if line.startswith("Match ") and reader.begun:
            yield reader.sheet()
            reader = _Reader(reader.n + 1)
        if line.strip():
            reader.take(line.strip(), f"line {number}")
    if not reader.begun:
        raise FormTextError("there is no hand in it: each begins with the line Match NAME")
    yield reader.sheet()


class _Reader:
    def __init__(self, n: int = 1) -> None:
        self.n = n
        self.begun = False
        self.tags: dict[str, str] = {}
        self.wind = 0
        self.hands: dict[Seat, TileRow] = {}
        self.moves: list[HandMove] = []
        self.scores: dict[Seat, int] | None = None

    def take(self, line: str, place: str) -> None:
        """Read a line; raises FormTextError."""
        self.begun = True
        if found := _LINE.fullmatch(line):
            tile, before = tile_of(found[3], place), self.moves[-1] if self.moves else None
            self.moves.append(named_move(HandMove(_MOVES[found[2]], SEATS[int(found[1])], tile), before, place, found[3]))
        elif found := _DEAL.fullmatch(line):
            self._deal(SEATS[int(found[1])], found[2].split(), place)
        elif found := _SCORE.fullmatch(line):
            self.scores = dict(zip(SEATS, map(int, found.groups()), strict=True))
        elif line.startswith("Match "):
            self.tags[MATCH] = line.removeprefix("Match ").strip()
        elif re.fullmatch("Wind [0-3]", line):
            self.wind = int(line[-1])
        elif not line.startswith(("Fan ", "Huang")):
            raise FormTextError(
                f"{place} is {line[:40]!r}: a line is a move such as 'Player 0 Play W1', or Match, Wind, Fan, Huang or Score"
            )

    def _deal(self, seat: Seat, codes: list[str], place: str) -> None:
        if len(codes) != HAND_SIZE:
            raise FormTextError(f"{place} deals {len(codes)} tiles, not {HAND_SIZE}")
        self.hands[seat] = tuple(tile_of(code, place) for code in codes)

    def sheet(self) -> HandSheet:
        """The hand that the lines describe; raises FormTextError."""
        lacking = [str(seat.index) for seat in SEATS if seat not in self.hands]
        if lacking:
            raise FormTextError(f"the hand {self.tags.get(MATCH, '')!r} has no line 'Player {lacking[0]} Deal …'")
        return HandSheet(self.hands, tuple(self.moves), self.scores, hand=4 * self.wind + 1, n=self.n, tags=self.tags)
