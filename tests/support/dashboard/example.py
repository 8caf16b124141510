"""One whole hand as a table would publish it, made for the tests and for looking at the pages.

The deal and its play are the project's worked example: four tables, of which East wins by its own
draw at the first (17 fan) and South on West's discard at the second (24 fan).
"""

from collections.abc import Iterator
from dataclasses import dataclass

from tests.support.wire.streams import Line, hand_started

CHECK = "deecadd2481a18710f8eadc125f5065bda2d07c3530141f798145d5c35da7f6b"
NAMES = {"E": "Moretti Ida", "S": "Petit Jean", "W": "小林 芽衣", "N": "吴敏"}
SELF_DRAWN = (
    "E2p SE WW N1m E6m SW W1m NF E4p S9s W2m N4p E9p SC WE N5p EC SF W3p N8m E:chow:7m.8m.9m "
    "EC SP W6p N2m E6m S1p WS N1p E6p SN W3m N6s E:draws-and-wins"
)
ON_A_DISCARD = "E2p S7s WW N1m E6m S5p W1m NF E4p S4m W2m N4p E9p S4m WE N7p EC S2s WS S:win"
OFF_EAST = "E4p SW WW N1m E2p SE W1m NF E9m SP W2m N7p E7m SC WE N8p E6m SF WS N:kong:S.S.S.S N8s E6m S9s W5s N:chow:5s.6s.7s N8m E6p N:win"
ON_A_LATE_DISCARD = "E2p S4m W1m N1m E4p S7s W2m NF E6m S5p WW N7p E9p S4m W3p N8p EC S2s WE N8m EC S8p WS S:win"
SEATS = "ESWN"


@dataclass(frozen=True)
class Ending:
    """How a hand ends: what the winner shows, and what it is worth."""

    winner: str
    concealed: str
    winning: str
    fans: tuple[tuple[str, str, int], ...]
    payments: dict[str, int]

    @property
    def total(self) -> int:
        return sum(value for _, _, value in self.fans)


BY_SELF_DRAW = Ending(
    "E",
    "7p 8p 9p 1s 1s 1s 2s 3s 8s 9s",
    "7s",
    (
        ("mixed-triple-chow", "三色三同顺", 8),
        ("outside-hand", "全带幺", 4),
        ("all-chows", "平和", 2),
        ("two-terminal-chows", "老少副", 1),
        ("edge-wait", "边张", 1),
        ("self-drawn", "自摸", 1),
    ),
    {"E": 75, "S": -25, "W": -25, "N": -25},
)
BY_DISCARD = Ending(
    "S",
    "2m 8m 1p 4p 3s 9s E W N C F P 6s",
    "S",
    (("greater-honors-and-knitted-tiles", "七星不靠", 24),),
    {"E": -8, "S": 48, "W": -32, "N": -8},
)
BY_KONG_AND_CHOW = Ending(
    "N",
    "3m 4m 5m 4p 5p N N",
    "6p",
    (("mixed-shifted-chows", "三色三步高", 6), ("pung-of-terminals-or-honors", "幺九刻", 1), ("melded-kong", "明杠", 1)),
    {"E": -16, "S": -8, "W": -8, "N": 32},
)


def building(n: int = 1, steps: int = 8) -> Iterator[Line]:
    """A wall being built, from an opened deal to hands taken."""
    yield "controller-started", {"version": "0.1.0", "resumed": False}
    yield "deal-opened", {"n": n, "session": 1, "hand": n, "rules": "mcr-duplicate", "check": CHECK}
    for step in range(1, steps + 1):
        yield "building", {"placed": 136 * step // steps, "of": 136}
    yield "wall-ready", {"n": n, "check": CHECK}
    yield "wall-raised", {"n": n}
    yield "hands-taken", {"n": n}


def play(moves: str, n: int = 1) -> Iterator[Line]:
    """A hand from its start to the declared win, draws and claim windows included."""
    yield hand_started(n, NAMES, dict(zip(SEATS, range(4), strict=True)))
    turn, tile, drawn, waiting = "E", "", False, False
    for move in moves.split():
        seat, rest = move[0], move[1:]
        if rest.startswith(":"):
            yield from _special(seat, rest[1:], turn, tile)
            turn, drawn, waiting = seat, not rest.startswith(":kong"), False
            continue
        if waiting:
            yield "claims-closed", {}
            yield "passed", {}
        if not drawn:
            yield "gate-unlocked", {"seat": seat}
            yield "tile-drawn", {"seat": seat}
        yield "tile-discarded", {"seat": seat, "tile": rest}
        yield "claims-opened", {"seat": seat, "tile": rest, "window_s": 3.0}
        turn, tile, drawn, waiting = seat, rest, False, True


def _special(seat: str, what: str, turn: str, tile: str) -> Iterator[Line]:
    kind, _, tiles = what.partition(":")
    if kind == "draws-and-wins":
        yield "claims-closed", {}
        yield "passed", {}
        yield "gate-unlocked", {"seat": seat}
        yield "tile-drawn", {"seat": seat}
        yield "win-declared", {"seat": seat, "from": None, "tile": None}
        return
    yield "claim-bound", {"seat": seat, "call": kind}
    yield "claims-closed", {}
    if kind == "win":
        yield "win-declared", {"seat": seat, "from": turn, "tile": tile}
    else:
        yield "claimed", {"seat": seat, "meld": kind, "tiles": tiles.replace(".", " "), "from": turn}


def ending(how: Ending) -> Iterator[Line]:
    """From the shown hand to the closed one."""
    yield "hand-shown", {"seat": how.winner, "concealed": how.concealed, "winning": how.winning}
    fans = [{"id": name, "name": shown, "value": value, "count": 1} for name, shown, value in how.fans]
    yield "payments-proposed", {"seat": how.winner, "fans": fans, "total": how.total, "payments": how.payments}
    yield "payments-confirmed", {"seat": "N"}
    yield "settled", {"payments": how.payments}
    yield "hand-ended", {"reason": "won", "scores": how.payments}


def closed_hand(table: str, n: int = 1) -> list[Line]:
    """What each of the four tables of the worked example does with the deal, from its wall to the closed hand."""
    moves, how = {
        "1": (SELF_DRAWN, BY_SELF_DRAW),
        "2": (ON_A_DISCARD, BY_DISCARD),
        "3": (OFF_EAST, BY_KONG_AND_CHOW),
        "4": (ON_A_LATE_DISCARD, BY_DISCARD),
    }[table]
    return [*building(n), *play(moves, n), *ending(how), ("hand-closed", {"n": n})]


def whole_hand() -> list[Line]:
    """Building, playing and closing of the hand that East wins by its own draw."""
    return [*building(), *play(SELF_DRAWN), *ending(BY_SELF_DRAW)]
