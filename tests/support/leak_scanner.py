"""Leak scanner: everything that a viewer is given, searched for what is secret to that viewer, in every notation."""

import base64
import binascii
import gzip
import html
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from urllib.parse import quote, unquote

from twinwall.art.names import LANGUAGES, tile_name
from twinwall.event.hands import HandSummary
from twinwall.game.deals import Plan, Slip, Start, StartedPlan, verify_slip
from twinwall.game.tiles import ALL_TILES, SEATS, NotationError, Seat, Tile, format_tiles, parse_tiles
from twinwall.game.walls import SeatWall


def joined(tiles: tuple[Tile, ...]) -> str:
    return "".join(tile.text for tile in tiles)


def grouped(tiles: tuple[Tile, ...]) -> str:
    """A hand as players write it: 123m55pEE."""
    text = ""
    for place, tile in enumerate(tiles):
        following = tiles[place + 1].text if place + 1 < len(tiles) else ""
        same = len(tile.text) == 2 and len(following) == 2 and following[1] == tile.text[1]
        text += tile.text[0] if same else tile.text
    return text


NOTATIONS: list[Callable[[tuple[Tile, ...]], str]] = [
    format_tiles,
    joined,
    grouped,
    lambda tiles: json.dumps([tile.text for tile in tiles]),
    lambda tiles: json.dumps(format_tiles(tiles)).replace("m", "\\u006d"),
    lambda tiles: "".join(f'<use href="/tiles.svg#t-{tile.text}" x="12.5" width="38"/>' for tile in tiles),
    lambda tiles: quote(format_tiles(tiles)),
    lambda tiles: "&#32;".join(tile.text for tile in tiles),
    lambda tiles: json.dumps([ALL_TILES.index(tile) for tile in tiles]),
    lambda tiles: base64.b64encode(format_tiles(tiles).encode()).decode(),
    *(
        lambda tiles, language=language: "".join(f'<svg role="img" aria-label="{tile_name(tile, language)}"></svg>' for tile in tiles)
        for language in LANGUAGES
    ),
]
WINDOW = 8
"""So many tiles in order are no accident: 34 to the power of eight."""
_GZIP = b"\x1f\x8b"
_WORD = re.compile(r"(?<![A-Za-z0-9])(?:[1-9]+[mps]|[ESWNCFP]+)+(?![A-Za-z0-9])")
_BETWEEN = 6
"""So many characters may stand between two tiles of one text, as in a JSON list."""
_DRAWING = re.compile(r"\bt-([1-9][mps]|[ESWNCFP])\b")
_NUMBER = re.compile(r"(?<![\w.#])[+−-]?\d{1,4}(?![\w.])")
_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})")
_TEXT = re.compile(rb"[ -~]{16}")
_BASE64 = re.compile(rb"[A-Za-z0-9+/_-]{24,}={0,2}")
_NAMES: Mapping[str, Mapping[str, Tile]] = {language: {tile_name(tile, language): tile for tile in ALL_TILES} for language in LANGUAGES}
_NAMED = {
    language: re.compile("|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))) for language, names in _NAMES.items()
}


@dataclass(frozen=True, slots=True)
class Secret:
    """What must not be found: sequences of tiles, rows of four scores (E S W N), and exact texts."""

    name: str
    tiles: tuple[tuple[Tile, ...], ...] = ()
    scores: tuple[tuple[int, ...], ...] = ()
    texts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Leak:
    """What was found of which secret, and in which notation."""

    secret: str
    notation: str
    found: str


def concealed(n: int, walls: Mapping[Seat, SeatWall], slip: Slip | None = None) -> Secret:
    """The walls of a deal, as dealt and as a hand is sorted; and with its slip whatever opens it."""
    sequences = [one for wall in walls.values() for one in (wall.hand + wall.draws, tuple(sorted(wall.hand)))]
    texts = () if slip is None else (slip.digest.hex(), *(key.hex() for key in slip.keys))
    return Secret(f"the walls of deal {n}", tuple(sequences), texts=texts)


def released_walls(plan_file: Path, start_file: Path, slips: Path) -> list[Secret]:
    """The walls of every deal whose slip lies in a folder: what no output may have held before each was released."""
    started = StartedPlan(Plan.from_bytes(plan_file.read_bytes()), Start.from_bytes(start_file.read_bytes()))
    read = [Slip.from_json(path.read_bytes()) for path in sorted(slips.glob("*.json"))]
    return [concealed(slip.n, verify_slip(started, slip).walls, slip) for slip in read]


def played(hand: HandSummary) -> Secret:
    """What one table did with a deal: discards as they came and backwards, the rivers, the shown hand, the scores."""
    discards = [
        (Seat(event.fields["seat"]), tile)
        for event in hand.events
        if event.type == "tile-discarded"
        for tile in _tiles_of(event.fields["tile"])
    ]
    rivers = [tuple(tile for seat, tile in discards if seat is of) for of in SEATS]
    shown = [tuple(sorted(_tiles_of(event.fields["concealed"]))) for event in hand.events if event.type == "hand-shown"]
    scores = [] if hand.scores is None or not any(hand.scores.values()) else [tuple(hand.scores[seat] for seat in SEATS)]
    history = tuple(tile for _, tile in discards)
    sequences = (history, history[::-1], *rivers, tuple(tile for river in rivers for tile in river), *shown)
    return Secret(f"deal {hand.n} at table {hand.table}", sequences, tuple(scores))


def without(secret: Secret, known: Iterable[Secret]) -> Secret:
    """The secret without the scores that are out already with other deals, so that they are not taken for it."""
    out = {scores for other in known for scores in other.scores}
    return Secret(secret.name, secret.tiles, tuple(scores for scores in secret.scores if scores not in out), secret.texts)


def find_leaks(content: bytes, secrets: Sequence[Secret]) -> list[Leak]:
    """Every secret that stands in the content, once for each notation in which it does."""
    windows = _windows_of(tuple(secrets))
    rows = {scores: secret.name for secret in secrets for scores in secret.scores}
    texts = {text: secret.name for secret in secrets for text in secret.texts}
    found: dict[tuple[str, str], Leak] = {}
    for layer, inner in _layers(content):
        text = _plain(inner)
        for notation, stream in _streams(text):
            for window in _windows(stream):
                if window in windows:
                    name, tiles = windows[window], " ".join(tile.text for tile in window)
                    found.setdefault((name, layer + notation), Leak(name, layer + notation, tiles))
        for row in zip(*(numbers[start:] for start in range(4)), strict=False) if (numbers := _numbers(text)) else ():
            if row in rows:
                found.setdefault((rows[row], layer + "scores"), Leak(rows[row], layer + "scores", str(row)))
        for exact, name in texts.items():
            if exact in text:
                found.setdefault((name, layer + "text"), Leak(name, layer + "text", exact))
    return list(found.values())


def scan(folder: Path, secrets: Sequence[Secret], leave_out: Sequence[str] = ()) -> dict[str, list[Leak]]:
    """The leaks in each file under a folder, by its path there. ``leave_out`` are patterns of files that may hold secrets."""
    leaks: dict[str, list[Leak]] = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not any(path.match(pattern) for pattern in leave_out):
            found = find_leaks(path.read_bytes(), secrets)
            if found:
                leaks[str(path.relative_to(folder))] = found
    return leaks


def _tiles_of(value: object) -> tuple[Tile, ...]:
    try:
        return parse_tiles(str(value))
    except NotationError:
        return ()


@lru_cache(maxsize=64)
def _windows_of(secrets: tuple[Secret, ...]) -> Mapping[tuple[Tile, ...], str]:
    """Every window of the secrets' sequences, with the name of the secret; kept, since many contents are searched for the same."""
    return {window: secret.name for secret in secrets for sequence in secret.tiles for window in _windows(sequence)}


def _windows(tiles: Sequence[Tile]) -> Iterator[tuple[Tile, ...]]:
    for start in range(len(tiles) - WINDOW + 1):
        yield tuple(tiles[start : start + WINDOW])


def _layers(content: bytes) -> Iterator[tuple[str, bytes]]:
    """The content itself, and what is packed into it."""
    yield "", content
    if content.startswith(_GZIP):
        yield "gzip, ", gzip.decompress(content)
    if content.startswith((b"{", b"[")):
        yield "JSON, ", _json_in_order(content)
    for match in _BASE64.finditer(content):
        packed = match[0].rstrip(b"=").replace(b"-", b"+").replace(b"_", b"/")
        for before in range(4):  # as many characters may belong to what stands before, as in a database
            rest = packed[before:]
            try:
                unpacked = base64.b64decode(rest + b"=" * (-len(rest) % 4))
            except binascii.Error:
                continue
            if not before or _TEXT.search(unpacked):
                yield "base64, ", unpacked


def _json_in_order(content: bytes) -> bytes:
    """The tiles of a JSON document's events one after the other, each type by itself, and numbers by seat in the order of the seats."""
    try:
        document = json.loads(content)
    except ValueError:
        return b""
    lines: dict[str, list[str]] = {}
    for each in _objects(document):
        fields = each.get("fields", each)
        if isinstance(fields, dict) and fields.get("tile"):
            lines.setdefault(str(each.get("type")), []).append(str(fields["tile"]))
        if set(each) == {seat.value for seat in SEATS}:
            lines[f"numbers {len(lines)}"] = [str(each[seat.value]) for seat in SEATS]
    return "\n-- of another kind --\n".join(" ".join(line) for line in lines.values()).encode()


def _objects(value: object) -> Iterator[dict[str, object]]:
    """Every object of a JSON document, from the outside to the inside."""
    if isinstance(value, dict):
        yield value
    inner: Iterable[object] = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for each in inner:
        yield from _objects(each)


def _plain(content: bytes) -> str:
    text = _ESCAPE.sub(lambda match: chr(int(match[1], 16)), content.decode(errors="replace"))
    return html.unescape(unquote(text) if "%" in text else text)


def _streams(text: str) -> Iterator[tuple[str, Sequence[Tile]]]:
    """The tiles of the text in each notation, in the order in which they stand."""
    yield "drawings", [tile for match in _DRAWING.finditer(text) for tile in parse_tiles(match[1])]
    words = list(_WORD.finditer(text))
    run: list[Tile] = list(parse_tiles(words[0][0])) if words else []
    for before, match in pairwise(words):
        if match.start() - before.end() > _BETWEEN:
            yield "notation", run
            run = []
        run += parse_tiles(match[0])
    yield "notation", run
    for language, names in _NAMES.items():
        yield f"names ({language})", [names[match[0]] for match in _NAMED[language].finditer(text)]
    numbers = _numbers(text)
    for first in (0, 1):
        for run_of in _runs(numbers, first):
            yield f"numbers from {first}", [ALL_TILES[number - first] for number in run_of]


def _numbers(text: str) -> list[int]:
    return [int(match[0].replace("−", "-")) for match in _NUMBER.finditer(text)]


def _runs(numbers: Sequence[int], first: int) -> Iterator[list[int]]:
    """Runs of numbers that could be kinds, counted from ``first``."""
    run: list[int] = []
    for number in [*numbers, -1]:
        if first <= number < first + len(ALL_TILES):
            run.append(number)
        elif run:
            yield run
            run = []
