"""HTTP requests of the world: one function for each address.

A function's parameters after the world are the fields of its request, and their types what a field may hold; a field
with a default may be left out. ``world`` says what people can do at the moment.
"""

import inspect
import logging
from collections.abc import Callable, Mapping
from typing import Annotated, get_type_hints
from urllib.parse import parse_qsl
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

import msgspec
from msgspec import Meta, Struct, defstruct, structs
from werkzeug.exceptions import BadRequest, Conflict, HTTPException, NotFound, ServiceUnavailable

from simulator.disturbances.acts import AddToPung, Expose, LayFaceDown, Show
from simulator.scene import GateScene
from simulator.tabletop import HAND_SLOTS, RIVER_SLOTS, SHARED_SLOTS, NotPossibleError
from simulator.world.world import World, WorldStoppedError
from twinwall.art.mat import Area, Slot
from twinwall.values import prepare
from twinwall.wire.shapes.panel import Key

log = logging.getLogger(__name__)

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


def view(
    world: World, *, place: Place, after: NumberOrNone = -1, timeout: LookSeconds = 0.0, asked: YesNo = 0, answered: NumberOrNone = -1
) -> object:
    """What a person sees, once newer than version ``after`` (with ``asked`` 1: and something is asked), or after ``timeout`` seconds.
    ``answered`` is the claim window about which the person has decided just before."""
    if answered > 0:
        world.answer(place, answered)
    return world.look(place, after, timeout, asked=asked == 1)


def take_hand(world: World, place: Place, count: Annotated[int, Meta(ge=1, le=HAND_SLOTS)] = HAND_SLOTS) -> object:
    return {"taken": world.take_hand(place, count)}


def draw(world: World, place: Place) -> object:
    return {"tile": world.draw(place)}


def discard(world: World, place: Place, tile: Text, slot: Annotated[int, Meta(ge=-1, lt=RIVER_SLOTS)] = -1, stick: YesNo = 0) -> object:
    """Lay a tile into the next slot of the river, or a later one (``slot``); with ``stick`` 1 a riichi stick by it."""
    return {"window": world.discard(place, tile, None if slot < 0 else slot, stick=stick == 1)}


def turn_up(world: World, place: Place, slot: Annotated[int, Meta(ge=0, lt=SHARED_SLOTS)]) -> object:
    """Lay the tile behind the rear gate face up into a slot of the middle."""
    return {"tile": world.turn_up(place, slot)}


def expose(world: World, place: Place, tiles: tuple[str, ...], river: Place, slot: RiverSlot) -> None:
    world.lay_open(Expose(place, tiles, Slot(river, Area.RIVER, slot)))


def add_to_pung(world: World, place: Place, tile: Text) -> object:
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
    world.move(lambda table: table.pick_up(place, Slot(at, area, slot)))


def push_in(world: World, place: Place) -> object:
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


def timers(world: World, id: Text, seconds: TimerSeconds) -> None:
    """Answer when this play time has passed."""
    world.wait_timer(id, seconds)


LOOKS: Mapping[str, Asked] = {"/scene/table": World.table_scene, "/stats": World.stats, "/truth": World.truth, "/view": view}
ACTIONS: tuple[Asked, ...] = (
    take_hand, draw, discard, turn_up, expose, add_to_pung, lay_face_down, show_hand, lay, pick_up, push_in, pour_box, search, press,
    timers,
)  # fmt: skip


def world_app(world: World, faults: Asked) -> WSGIApplication:
    """The world's HTTP interface; ``faults`` does what ``POST /faults`` asks for. What is asked for is found in a table: a framework's
    routing takes longer than most answers, and people and cameras ask hundreds of times a hand."""
    gates = {f"/scene/gate-{gate}" if gate else "/scene/gate": _scene_of_gate(gate) for gate in range(world.feeder.gates)}
    looks = {("GET", path): look for path, look in {**gates, **LOOKS}.items()}
    actions = {("POST", f"/{action.__name__}"): action for action in (*ACTIONS, faults)}
    known = {address: (asked, _fields_of(asked)) for address, asked in (looks | actions).items()}

    def done(environ: WSGIEnvironment) -> object:
        address = environ["REQUEST_METHOD"], environ["PATH_INFO"]
        if address not in known:
            raise NotFound(f"there is no {' '.join(address)} here")
        asked, fields = known[address]
        try:
            if address[0] == "GET":
                read = msgspec.convert(dict(parse_qsl(environ["QUERY_STRING"])), fields, strict=False)
            else:
                read = msgspec.json.decode(environ["wsgi.input"].read(), type=fields)
            return asked(world, **structs.asdict(read))
        except msgspec.MsgspecError as error:
            raise BadRequest(f"ask as it is described: {error}") from None
        except NotPossibleError as error:
            raise Conflict(str(error)) from None
        except WorldStoppedError as error:
            raise ServiceUnavailable(str(error)) from None

    def answer(environ: WSGIEnvironment, start: StartResponse) -> tuple[bytes]:
        status = "200 OK"
        try:
            document: object = done(environ) or {}
        except HTTPException as error:
            status, document = f"{error.code} {error.name}", {"error": error.description}
        except Exception as error:
            log.exception("%s could not be answered", environ["PATH_INFO"])
            status, document = "500 Internal Server Error", {"error": f"the world failed: {error!r}"}
        body = msgspec.json.encode(document)
        start(status, [("Content-Type", "application/json"), ("Content-Length", str(len(body)))])
        return (body,)

    return answer


def _scene_of_gate(gate: int) -> Asked:
    def gate_scene(world: World) -> object:
        return GateScene(world.feeder.gate_tile(gate))

    return gate_scene


def _fields_of(asked: Asked) -> type[Struct]:
    """The fields of a request: the parameters of its function after the first, with their types and defaults."""
    hints = get_type_hints(asked, include_extras=True)
    _, *parameters = inspect.signature(asked).parameters.values()
    fields = [(each.name, hints[each.name], *(() if each.default is each.empty else (each.default,))) for each in parameters]
    shape = defstruct("Fields", fields, forbid_unknown_fields=True)
    prepare(shape)
    return shape
