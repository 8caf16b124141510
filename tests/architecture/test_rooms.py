"""Import arrows between rooms, and the one place of each library that touches the outside."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

TOP = Path(__file__).parents[2]

# A room, what it may import besides itself, and only that; the longest matching name of a module is its room.
ROOMS: dict[str, frozenset[str]] = {
    "twinwall.game": frozenset(),
    "twinwall.values": frozenset(),
    "twinwall.art": frozenset({"config", "twinwall.game"}),
    "twinwall.wire": frozenset({"twinwall.game"}),
    "twinwall.event": frozenset({"twinwall.game", "twinwall.wire"}),
    "twinwall.custody": frozenset({"twinwall.game", "twinwall.wire"}),
    "twinwall.free_ports": frozenset(),
    "centre": frozenset(
        {"twinwall.catalogues", "twinwall.free_ports", "twinwall.game", "twinwall.wire", "twinwall.event", "twinwall.custody"}
    ),
    "firmware_bridge": frozenset(),
    "twinwall.given_files": frozenset(),
    "vision": frozenset({"config", "twinwall.given_files", "twinwall.game", "twinwall.art"}),
    "controller": frozenset({"config", "twinwall.game", "twinwall.wire", "firmware_bridge", "vision"}),
    "dashboard": frozenset(
        {"config", "twinwall.catalogues", "twinwall.game", "twinwall.art", "twinwall.wire", "twinwall.event", "twinwall.web"}
    ),
    "twinwall.web": frozenset(),
    "twinwall.catalogues": frozenset(),
    "tableside.station_screen": frozenset({"twinwall.catalogues"}),
    "tableside.phones": frozenset({"twinwall.catalogues", "tableside.station_screen", "twinwall.web", "twinwall.wire"}),
    "tableside.station": frozenset(
        {
            "config",
            "twinwall.web",
            "tableside.station_screen",
            "firmware_bridge.messages",
            "firmware_bridge.electrics",
            "firmware_bridge.board",
            "firmware_bridge.feeder_connection",
            "firmware_bridge.link",
            "firmware_bridge.pty",
            "twinwall.wire.durable_file",
            "vision",
        }
    ),
    "tableside.readiness": frozenset(
        {
            "twinwall.game",
            "twinwall.web",
            "twinwall.wire",
            "tableside.station",
            "vision",
            "controller.recorder",
            "controller.state.messages",
        }
    ),
    "simulator": frozenset(
        {
            "config",
            "twinwall.game",
            "twinwall.wire.shapes.panel",
            "twinwall.art",
            "twinwall.web",
            "firmware_bridge.frames",
            "firmware_bridge.messages",
            "firmware_bridge.electrics",
            "firmware_bridge.board",
            "firmware_bridge.pty",
            "firmware_bridge.wakeup",
        }
    ),
    "config": frozenset(),
}
ANYWHERE = ("cli", "centre.commands")
BARE = ("twinwall", "tableside")
VALUES = "twinwall.values"
"""What values are made of, in every room."""
TOP_ROOMS = ("twinwall", "firmware_bridge", "vision", "controller", "dashboard", "config", "tableside", "simulator", "cli", "centre")

# A library that touches the outside, and the only rooms or modules that may import it.
PLACES: dict[str, tuple[str, ...]] = {
    "serial": ("firmware_bridge.serial_port",),
    "cryptography": (
        "twinwall.wire.messages.signing",
        "twinwall.wire.line_cipher",
        "twinwall.custody.vault_home",
        "twinwall.wire.certificates",
        "dashboard.access.passwords",
    ),
    "paho": ("twinwall.wire.mqtt.link",),
    "amqtt": ("twinwall.wire",),
    "opentelemetry": ("twinwall.wire.line_spans",),
    "flask": (
        "cli.hall.enrol",
        "dashboard",
        "twinwall.web",
        "simulator.cameras.server",
        "simulator.world.requests",
        "tableside.station",
        "tableside.phones",
        "tableside.readiness",
    ),
    "websockets": ("tableside.phones.phone_server",),
    "h11": ("twinwall.web",),
    "prometheus_client": ("dashboard.metrics",),
    "weasyprint": ("dashboard.prints.pdf_writer",),
    "segno": (
        "dashboard.prints.paper",
        "dashboard.pages.people",
        "cli.event.start_sheet",
        "cli.terminal",
        "cli.table.key_slip",
    ),
    "RPi": ("controller.adapters.panel",),
    "ortools": ("twinwall.event.movements.solver",),
    "psycopg": ("twinwall.event.store.databases.postgres",),
    "cv2": ("vision", "simulator.cameras"),
    "onnxruntime": ("vision",),
    "picamera2": ("vision.cameras.pi_camera",),
}

IMPORT = re.compile(r"^[ \t]*(from [\w.]+ import (?:\([^)]*\)|[^(\n]+)|import [^\n]+)", re.MULTILINE)
CLASS = re.compile(r"^[ \t]*class (\w+)[(:\[]", re.MULTILINE)


def modules() -> Iterator[tuple[str, Path]]:
    """Every module of ours by name, with its file; tests are not a room."""
    for top in TOP_ROOMS:
        for path in sorted((TOP / top).rglob("*.py")):
            if "tests" in path.parts[len(TOP.parts) :]:
                continue
            yield ".".join(path.relative_to(TOP).with_suffix("").parts).removesuffix(".__init__"), path


def imports(path: Path, module: str) -> Iterator[str]:
    """Every name that a file imports, wherever in the file: ``from a import b`` is ``a.b``."""
    package = module if path.stem == "__init__" else module.rpartition(".")[0]
    for node in statements(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            yield from (".".join([*above, *([node.module] if node.module else []), alias.name]) for alias in node.names)


@cache
def statements(path: Path) -> tuple[ast.AST, ...]:
    """The imports of a file, wherever in it. Its import statements alone are parsed, which takes a tenth of the time of the whole file;
    the whole is where they cannot be told apart by their lines."""
    text = path.read_text(encoding="utf-8")
    try:
        return tuple(ast.parse("\n".join(IMPORT.findall(text))).body)
    except SyntaxError:
        return tuple(ast.walk(ast.parse(text)))


def within(name: str, room: str) -> bool:
    """Whether a module, or a name of it, belongs to a room."""
    return name == room or name.startswith(f"{room}.")


def trespasses() -> Iterator[str]:
    """Each import that no arrow allows, in words."""
    for module, path in modules():
        room = next((room for room in (*ANYWHERE, *ROOMS) if within(module, room)), None)
        for name in imports(path, module):
            ours = any(within(name, top) for top in TOP_ROOMS) and name not in {"twinwall.__version__"}
            if room in ROOMS and ours and not any(within(name, other) for other in (room, VALUES, *ROOMS[room])):
                yield f"{module} imports {name}"
            yield from (
                f"{module} imports {name}"
                for library, rooms in PLACES.items()
                if within(name, library) and not any(within(module, place) for place in rooms)
            )


def test_every_import_follows_an_arrow_of_the_design() -> None:
    assert list(trespasses()) == []


@pytest.mark.parametrize("library", ["serial", "paho", "RPi", "opentelemetry", "ortools", "picamera2", "psycopg"])
def test_a_wire_to_the_outside_is_held_by_one_module(library: str) -> None:
    assert [(module,) for module, path in modules() if any(within(name, library) for name in imports(path, module))] == [PLACES[library]]


def test_every_module_belongs_to_a_room() -> None:
    homes = (*ROOMS, *ANYWHERE)
    assert [module for module, _ in modules() if module not in BARE and not any(within(module, home) for home in homes)] == []


def test_the_centre_is_imported_by_itself_alone() -> None:
    """It is a distribution of its own, which a hall does not install."""
    assert not [module for module, path in modules() for name in imports(path, module) if within(name, "centre") > within(module, "centre")]


@pytest.mark.parametrize(("one", "other"), [("controller", "simulator"), ("simulator", "controller")])
def test_simulator_and_controller_never_import_each_other(one: str, other: str) -> None:
    assert not [module for module, path in modules() if within(module, one) for name in imports(path, module) if within(name, other)]


def test_a_class_name_belongs_to_one_room() -> None:
    """Who searches for a class finds one; docs/reference/glossary.md lists the names that may have two."""
    homes: dict[str, set[str]] = {}
    beside = [(folder, path) for folder in ("benchmarks", "hardware", "tools") for path in sorted((TOP / folder).rglob("*.py"))]
    for module, path in (*modules(), *beside):
        room = next(room for room in (*ANYWHERE, *ROOMS, *BARE, "benchmarks", "hardware", "tools") if within(module, room))
        for name in CLASS.findall(path.read_text(encoding="utf-8")):
            if not name.startswith("_"):
                homes.setdefault(name, set()).add(room)
    assert {name: sorted(rooms) for name, rooms in homes.items() if len(rooms) > 1} == {}


def test_no_import_is_made_by_a_text() -> None:
    """Only the front door, the registry of rule sets and that of strategies look modules up by name: the arrows see all others."""
    by_text = {
        module
        for module, path in modules()
        for name in imports(path, module)
        if within(name, "importlib.import_module") or within(name, "importlib.util") or name == "importlib"
    }
    assert by_text <= {"cli", "twinwall.game.rules", "simulator.players.strategies"}
