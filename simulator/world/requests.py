"""HTTP requests of the world: one function for each address.

A function's parameters after the world are the fields of its request, and their types what a field may hold; a field
with a default may be left out. ``world`` says what people can do at the moment.
"""

import inspect
from collections.abc import Callable, Mapping
from typing import Annotated, get_type_hints

from flask import Flask, Response
from msgspec import Meta, Struct, defstruct, structs
from werkzeug.exceptions import Conflict, ServiceUnavailable

from simulator.disturbances.acts import AddToPung, Expose, LayFaceDown, Show
from simulator.physical_tiles import NotPossibleError
from simulator.scene import GateScene
from simulator.tabletop import HAND_SLOTS, RIVER_SLOTS, SHARED_SLOTS
from simulator.world.world import World, WorldStoppedError
from twinwall.art.mat import Area, Slot
from twinwall.web.http_server import json_answer, json_app, json_body, query
from twinwall.wire.shapes.panel import Key

_MOST_BYTES = 65536

Place = Annotated[int, Meta(ge=0, le=3)]
YesNo = Annotated[int, Meta(ge=0, le=1)]
Text = Annotated[str, Meta(min_length=1)]
RiverSlot = Annotated[int, Meta(ge=0, lt=RIVER_SLOTS)]
NumberOrNone = Annotated[int, Meta(ge=-1)]
"""A number, or −1 for none."""
Millimetres = Annotated[float, Meta(ge=-500.0, le=500.0)]
LookSeconds = Annotated[float, Meta(ge=0.0, le=60.0)]
TimerSeconds = Annotated[float, Meta(ge=0.0, le=3600.0)]

Asked = Callable[..., object]


def view(world: World, place: Place, after: NumberOrNone = -1, timeout: LookSeconds = 0.0, asked: YesNo = 0) -> object:
    """What a person sees, once newer than version ``after`` (with ``asked`` 1: and something is asked), or after ``timeout`` seconds."""
    return world.look(place, after, timeout, asked=asked == 1)


def take_hand(world: World, place: Place, count: Annotated[int, Meta(ge=1, le=HAND_SLOTS)] = HAND_SLOTS) -> object:
    """Take tiles from the hand places to the rack."""
    return {"taken": world.take_hand(place, count)}


def draw(world: World, place: Place) -> object:
    """Lift the tile behind the draw gate."""
    return {"tile": world.draw(place)}


def discard(world: World, place: Place, tile: Text, slot: Annotated[int, Meta(ge=-1, lt=RIVER_SLOTS)] = -1, stick: YesNo = 0) -> object:
    """Lay a tile into the next slot of the river, or a later one (``slot``); with ``stick`` 1 a riichi stick by it."""
    return {"window": world.discard(place, tile, None if slot < 0 else slot, stick=stick == 1)}


def turn_up(world: World, place: Place, slot: Annotated[int, Meta(ge=0, lt=SHARED_SLOTS)]) -> object:
    """Lay the tile behind the rear gate face up into a slot of the middle."""
    return {"tile": world.turn_up(place, slot)}


def expose(world: World, place: Place, tiles: tuple[str, ...], river: Place, slot: RiverSlot) -> None:
    """Lay a meld with a river's tile."""
    world.lay_open(Expose(place, tiles, Slot(river, Area.RIVER, slot)))


def add_to_pung(world: World, place: Place, tile: Text) -> object:
    """Lay the fourth tile on an own pung."""
    return {"window": world.lay_open(AddToPung(place, tile))}


def lay_face_down(world: World, place: Place, tile: Text, last_face_up: YesNo = 0) -> None:
    """Lay four of a tile as a concealed kong, with ``last_face_up`` 1 the last one open."""
    world.lay_open(LayFaceDown(place, tile, last_face_up == 1))


def show_hand(world: World, place: Place, winning: str | None = None) -> None:
    """Show the hand; ``winning`` is None where that tile lies in a river."""
    world.lay_open(Show(place, winning))


def lay(
    world: World,
    *,
    place: Place,
    tile: Text,
    at: Place,
    area: Area,
    slot: RiverSlot,
    sideways: YesNo = 0,
    beside_x_mm: Millimetres = 0.0,
    beside_y_mm: Millimetres = 0.0,
) -> None:
    """Lay a tile anywhere, as people wrongly do; a self-drawn winning tile apart, where play goes on after a win."""
    beside_mm = (beside_x_mm, beside_y_mm)
    world.move(lambda table: table.lay(place, tile, Slot(at, area, slot), sideways=sideways == 1, beside_mm=beside_mm))


def pick_up(world: World, place: Place, at: Place, area: Area, slot: RiverSlot) -> None:
    """Pick a tile up from the mat to the rack."""
    world.move(lambda table: table.pick_up(place, Slot(at, area, slot)))


def push_in(world: World, place: Place) -> object:
    """Push everything of that place into the open well."""
    return {"tiles": world.push_in(place)}


def pour_box(world: World, place: Place) -> object:  # noqa: ARG001 - the pourer says where it stands
    """Pour the second set's box into the open well."""
    return {"tiles": world.pour_box()}


def search(world: World, place: Place) -> object:
    """Look under the table; what is found goes to the rack."""
    return {"found": world.search(place)}


def press(world: World, place: Place, key: Key, hand: NumberOrNone = -1, window: NumberOrNone = -1) -> object:
    """Press a key and answer once it was read; for a ``hand`` or ``window`` that is over nothing is pressed."""
    return world.press(place, key, None if hand < 0 else hand, None if window < 0 else window)


def answer(world: World, place: Place, window: Annotated[int, Meta(ge=1)]) -> None:
    """Decide about a claim window."""
    world.answer(place, window)


def timers(world: World, id: Text, seconds: TimerSeconds) -> None:
    """Answer when this play time has passed."""
    world.wait_timer(id, seconds)


LOOKS: Mapping[str, Asked] = {"/scene/table": World.table_scene, "/stats": World.stats, "/truth": World.truth, "/view": view}
ACTIONS: tuple[Asked, ...] = (
    take_hand, draw, discard, turn_up, expose, add_to_pung, lay_face_down, show_hand, lay, pick_up, push_in, pour_box, search, press,
    answer, timers,
)  # fmt: skip


def world_app(world: World, faults: Asked) -> Flask:
    """The world's HTTP interface; ``faults`` does what ``POST /faults`` asks for."""
    app = json_app("world", _MOST_BYTES)
    for gate in range(world.feeder.gates):
        _add(app, "GET", f"/scene/gate-{gate}" if gate else "/scene/gate", _scene_of_gate(gate), world)
    for path, look in LOOKS.items():
        _add(app, "GET", path, look, world)
    for deed in (*ACTIONS, faults):
        _add(app, "POST", f"/{deed.__name__}", deed, world)

    @app.errorhandler(NotPossibleError)
    def impossible(error: ValueError) -> tuple[dict[str, str], int]:
        return {"error": str(error)}, Conflict.code

    @app.errorhandler(WorldStoppedError)
    def stopped(error: WorldStoppedError) -> tuple[dict[str, str], int]:
        return {"error": str(error)}, ServiceUnavailable.code

    return app


def _scene_of_gate(gate: int) -> Asked:
    def gate_scene(world: World) -> object:
        return GateScene(world.feeder.gate_tile(gate))

    return gate_scene


def _add(app: Flask, method: str, path: str, asked: Asked, world: World) -> None:
    fields = _fields_of(asked)
    read = query if method == "GET" else json_body

    def answered() -> Response:
        document = asked(world, **structs.asdict(read(fields)))
        return json_answer({} if document is None else document)

    app.add_url_rule(path, path, answered, methods=[method])


def _fields_of(asked: Asked) -> type[Struct]:
    """The fields of a request: the parameters of its function after the first, with their types and defaults."""
    hints = get_type_hints(asked, include_extras=True)
    _, *parameters = inspect.signature(asked).parameters.values()
    fields = [(each.name, hints[each.name], *(() if each.default is each.empty else (each.default,))) for each in parameters]
    return defstruct("Fields", fields, forbid_unknown_fields=True)
