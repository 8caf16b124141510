"""Draws docs/pictures/architecture.svg from the code: ``python -m tools.architecture``.

The upper half shows the rooms and their real imports, by the import table of tests/architecture. The lower half shows
the processes that ``twinwall demo`` starts and the wires between them; a process of the demo without a box here is an
error.
"""

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import pairwise
from textwrap import wrap

from tests.architecture.test_rooms import ROOMS, TOP, imports, modules, within
from twinwall.values import frozen

FILE = TOP / "docs" / "pictures" / "architecture.svg"
WIDTH = 1140
ROOMS_TITLE = "Rooms: an arrow leads from a room to one that it imports; where a chain of arrows leads, no second one is drawn"
PROCESSES_TITLE = "Processes of a demo and their wires; dashed: simulation, at a real table hardware stands there"

PURPOSES = {
    "twinwall.game": "tiles, deals, records, rule sets",
    "twinwall.art": "tile faces and the mat",
    "twinwall.wire": "public events, commands, MQTT",
    "twinwall.event": "seats, store, comparison",
    "twinwall.custody": "vaults: who opens a deal when",
    "centre": "many venues as one field",
    "firmware_bridge": "the serial link to the feeder",
    "vision": "cameras and readers",
    "controller": "one table",
    "dashboard": "the pages",
    "tableside.station": "a table without a feeder",
    "tableside.phones": "phones as cameras, keys, screens",
    "tableside.readiness": "whether a table is ready",
    "simulator": "feeder, cameras, panel, players",
    "twinwall.web": "HTTP server, limits",
    "config": "typed settings",
}
NOT_DRAWN = frozenset({"twinwall.catalogues", "twinwall.free_ports", "twinwall.given_files", "twinwall.values", "tableside.station_screen"})
"""What rooms share for their pages and servers: a reader of texts, the files of the station's screen, limits for each address."""
LEFT_TO_RIGHT = (
    "dashboard",
    "twinwall.event",
    "twinwall.custody",
    "twinwall.wire",
    "twinwall.game",
    "controller",
    "vision",
    "twinwall.art",
    "firmware_bridge",
)
COLOURS = ("#1f6fb2", "#b3541e", "#2e7d32", "#7b3fa0", "#a3195b", "#00737a", "#6b5d00", "#444444")


@frozen
class ProcessBox:
    """A box of the lower half: a process, the words that start it, and where it stands."""

    name: str
    words: str
    note: str
    x: int
    y: int
    simulated: bool = False


@frozen
class WireLine:
    """A line between two processes, with what travels on it; a label that stands beside the middle of the line is shifted."""

    one: str
    other: str
    label: str
    shift: tuple[int, int] = (0, -6)


PROCESSES = (
    ProcessBox("browser", "", "director, referee, spectators", 120, 0),
    ProcessBox("dashboard", "hall dashboard", "pages, event store (SQLite)", 375, 0),
    ProcessBox("broker", "hall broker", "embedded, or Mosquitto", 640, 0),
    ProcessBox("vault", "vault run", "seeds, keys, releases", 880, 0),
    ProcessBox("controller", "table run", "one a table: journal, ledger", 640, 120),
    ProcessBox("station", "table station", "feeder by hand: screen, camera", 120, 260),
    ProcessBox("phones", "table phones serve", "phones as cameras, keys, screens", 120, 120),
    ProcessBox("cameras", "table simulate cameras", "draws frames of all tables", 375, 260, simulated=True),
    ProcessBox("world", "table simulate world", "feeder, panel, tiles of all tables", 640, 260, simulated=True),
    ProcessBox("players", "table simulate players", "of all tables", 880, 260, simulated=True),
    ProcessBox("firmware board", "", "AVR in an emulator, or host build", 640, 370, simulated=True),
)
WIRES = (
    WireLine("browser", "dashboard", "HTTP, SSE"),
    WireLine("dashboard", "broker", "MQTT"),
    WireLine("broker", "vault", "MQTT"),
    WireLine("broker", "controller", "MQTT: events up, deals and commands down", (8, 0)),
    WireLine("controller", "station", "serial bytes (TWF), frames over HTTP", (-84, -14)),
    WireLine("controller", "phones", "frames and keys over HTTP"),
    WireLine("phones", "station", "screen over HTTP", (8, 0)),
    WireLine("controller", "cameras", "frames over HTTP", (56, 16)),
    WireLine("controller", "world", "serial bytes (TWF), GPIO levels, clock", (8, 0)),
    WireLine("cameras", "world", "HTTP"),
    WireLine("world", "players", "HTTP"),
    WireLine("world", "firmware board", "pins over a socket", (8, 0)),
)


def real_imports() -> dict[str, set[str]]:
    """For each room the rooms that its modules import."""
    found: dict[str, set[str]] = {room: set() for room in ROOMS}
    for module, path in modules():
        room = next((room for room in ROOMS if within(module, room)), None)
        if room is not None:
            found[room] |= {other for name in imports(path, module) for other in ROOMS if other != room and within(name, other)}
    return {room: others - NOT_DRAWN for room, others in found.items() if room not in NOT_DRAWN}


def through_others(room: str, arrows: Mapping[str, set[str]]) -> set[str]:
    """What a room imports that one of its other rooms imports too: its arrow would be a second way to the same box."""
    seen: set[str] = set()
    waiting = [further for other in arrows[room] for further in arrows[other]]
    while waiting:
        room = waiting.pop()
        if room not in seen:
            seen.add(room)
            waiting.extend(arrows[room])
    return seen


def level(room: str, arrows: Mapping[str, set[str]]) -> int:
    """How many rooms lie below a room on its longest way."""
    return 1 + max((level(other, arrows) for other in arrows[room]), default=-1)


def started_by_the_demo() -> set[str]:
    """The commands of all processes that ``twinwall demo`` starts, as its code names them."""
    words: set[str] = set()
    for path in (TOP / "cli" / "demo").glob("*.py"):
        for call in (node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)):
            name = call.func.id if isinstance(call.func, ast.Name) else call.func.attr if isinstance(call.func, ast.Attribute) else ""
            command = next((" ".join(_texts(each.elts)) for each in call.args if isinstance(each, ast.Tuple)), "")
            if name in ("Process", "process_with") and not command.startswith("--"):
                words.add(command.partition(" --")[0])
            elif name == "_process":
                words.add(" ".join(_texts(call.args[1:])))
    return words


def _texts(nodes: Sequence[ast.expr]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


@dataclass(slots=True)
class Drawing:
    """The lines of an SVG, and the boxes that arrows of the upper half must go around."""

    lines: list[str] = field(default_factory=list)

    def text(self, x: float, y: float, words: str, size: int = 12, *, anchor: str = "middle", extra: str = "") -> None:
        """Write a line of text."""
        self.lines.append(f'<text x="{x:.0f}" y="{y:.0f}" font-size="{size}" text-anchor="{anchor}"{extra}>{escape(words)}</text>')

    def box(self, x: float, y: float, width: int, height: int, *, dashed: bool = False, fill: str = "#f4f6f8") -> None:
        """A box by its middle and its top."""
        dash = ' stroke-dasharray="5 4"' if dashed else ""
        self.lines.append(
            f'<rect x="{x - width / 2:.0f}" y="{y:.0f}" width="{width}" height="{height}" rx="6" fill="{fill}" stroke="#555"{dash}/>'
        )

    def arrow(self, points: Sequence[tuple[float, float]], colour: int) -> None:
        """A smooth way from the first point down to the last one, with a head."""
        way = f"M {points[0][0]:.0f} {points[0][1]:.0f}" + "".join(
            f" C {x1:.0f} {(y1 + y2) / 2:.0f} {x2:.0f} {(y1 + y2) / 2:.0f} {x2:.0f} {y2:.0f}" for (x1, y1), (x2, y2) in pairwise(points)
        )
        self.lines.append(f'<path d="{way}" fill="none" stroke="{COLOURS[colour]}" stroke-width="1.8" marker-end="url(#head{colour})"/>')


ROOM_WIDTH, ROOM_HEIGHT, ROW = 206, 76, 136
TOP_OF_ROOMS = 108


def rooms(drawing: Drawing) -> int:
    """Draw the rooms with their arrows; where they end."""
    arrows = real_imports()
    levels = {room: level(room, arrows) for room in arrows}
    highest = max(levels.values())
    order = {room: place for place, room in enumerate(LEFT_TO_RIGHT)}
    middle: dict[str, tuple[float, float]] = {}
    for height in range(highest + 1):
        row = sorted((room for room in arrows if levels[room] == height), key=lambda room: (order.get(room, len(order)), room))
        for place, room in enumerate(row):
            middle[room] = (WIDTH * (place + 0.5) / len(row), TOP_OF_ROOMS + ROW * (highest - height))
    shown = {room: sorted(arrows[room] - through_others(room, arrows), key=lambda other: middle[other]) for room in arrows}
    _draw_arrows(drawing, shown, middle)
    drawing.box(WIDTH / 2, 44, WIDTH - 30, 40, fill="#e6ebf0")
    drawing.text(WIDTH / 2, 69, "cli: commands; reads the settings, starts the processes, imports every room", 14)
    for room, (x, y) in middle.items():
        drawing.box(x, y, ROOM_WIDTH, ROOM_HEIGHT)
        drawing.text(x, y + 19, room.replace(".", "/"), 15, extra=' font-weight="bold"')
        drawing.text(x, y + 36, PURPOSES[room])
        names = ", ".join(sorted(other.removeprefix("twinwall.") for other in arrows[room]))
        for line, words in enumerate(wrap(f"imports {names or 'no other room'}", 37)):
            drawing.text(x, y + 53 + 14 * line, words, 11, extra=' fill="#555"')
    return TOP_OF_ROOMS + ROW * highest + ROOM_HEIGHT


def _draw_arrows(drawing: Drawing, shown: Mapping[str, list[str]], middle: Mapping[str, tuple[float, float]]) -> None:
    """Each arrow leaves and reaches its boxes at a place of its own, and passes other boxes in the gaps between them."""
    arriving = {room: sorted((one for one in shown if room in shown[one]), key=lambda one: middle[one]) for room in shown}
    used: dict[tuple[float, float], int] = {}
    for colour, (room, others) in enumerate((room, others) for room, others in shown.items() if others):
        for place, other in enumerate(others):
            (x1, y1), (x2, y2) = middle[room], middle[other]
            x1 += (place + 1) * ROOM_WIDTH / (len(others) + 1) - ROOM_WIDTH / 2
            x2 += (arriving[other].index(room) + 1) * ROOM_WIDTH / (len(arriving[other]) + 1) - ROOM_WIDTH / 2
            points = [(x1, y1 + ROOM_HEIGHT)]
            for y in sorted({y for _, y in middle.values() if y1 < y < y2}):
                x = x1 + (x2 - x1) * (y - y1) / (y2 - y1)
                for left in (x_box - ROOM_WIDTH / 2 for x_box, y_box in middle.values() if y_box == y):
                    if left - 14 < x < left + ROOM_WIDTH + 14:
                        side = left - 16 if x < left + ROOM_WIDTH / 2 else left + ROOM_WIDTH + 16
                        used[side, y] = used.get((side, y), -1) + 1
                        x = side + (-12 if side < left else 12) * used[side, y]
                points += [(x, y - 8), (x, y + ROOM_HEIGHT + 8)]
            drawing.arrow([*points, (x2, y2 - 6)], colour % len(COLOURS))


PROCESS_WIDTH, PROCESS_HEIGHT = 206, 54


def processes(drawing: Drawing, top: int) -> int:
    """Draw the processes of a demo and the wires between them; where they end."""
    unknown = started_by_the_demo() - {process.words for process in PROCESSES}
    if unknown:
        raise SystemExit(f"tools/architecture.py has no box for the processes that the demo starts: {', '.join(sorted(unknown))}")
    boxes = {process.name: process for process in PROCESSES}
    for wire in WIRES:
        one, other = boxes[wire.one], boxes[wire.other]
        x1, y1, x2, y2 = one.x, top + one.y + PROCESS_HEIGHT / 2, other.x, top + other.y + PROCESS_HEIGHT / 2
        drawing.lines.append(f'<line x1="{x1}" y1="{y1:.0f}" x2="{x2}" y2="{y2:.0f}" stroke="#1f6fb2" stroke-width="1.8"/>')
    for process in PROCESSES:
        drawing.box(process.x, top + process.y, PROCESS_WIDTH - 10, PROCESS_HEIGHT, dashed=process.simulated, fill="#ffffff")
        drawing.text(process.x, top + process.y + 17, process.name, 14, extra=' font-weight="bold"')
        drawing.text(process.x, top + process.y + 32, process.note, 11)
        drawing.text(
            process.x, top + process.y + 46, f"twinwall {process.words}" if process.words else "", 11, extra=' font-family="monospace"'
        )
    for wire in WIRES:
        one, other = boxes[wire.one], boxes[wire.other]
        x = (one.x + other.x) / 2 + wire.shift[0]
        y = top + (one.y + other.y + PROCESS_HEIGHT) / 2 + wire.shift[1]
        beside = one.x == other.x
        drawing.text(x, y + (4 if beside else 0), wire.label, 11, anchor="start" if beside else "middle", extra=' fill="#0b4a80"')
    return top + max(process.y for process in PROCESSES) + PROCESS_HEIGHT


def picture() -> str:
    """The whole picture, as SVG."""
    drawing = Drawing()
    drawing.text(15, 26, ROOMS_TITLE, 13, anchor="start")
    below = rooms(drawing)
    drawing.text(15, below + 40, PROCESSES_TITLE, 13, anchor="start")
    height = processes(drawing, below + 58) + 18
    heads = "".join(
        f'<marker id="head{number}" viewBox="0 0 8 8" refX="4" refY="4" markerWidth="6" markerHeight="6" orient="auto">'
        f'<path d="M 0 0 L 8 4 L 0 8 z" fill="{colour}"/></marker>'
        for number, colour in enumerate(COLOURS)
    )
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}"',
            'font-family="sans-serif">',
            f"<title>Rooms, processes and wires of Twinwall</title><defs>{heads}</defs>",
            f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
            *drawing.lines,
            "</svg>\n",
        ]
    )


if __name__ == "__main__":
    FILE.write_text(picture(), encoding="utf-8")
