"""Which request does what in the world: the whole of its HTTP interface, as docs/reference/simulator.md lists it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

from twinwall.art.mat import Area, Slot
from twinwall.simulator.panel.panel_file import KEYS, PanelKey
from twinwall.simulator.scene_json import write_scene
from twinwall.simulator.tabletop import SHARED_SLOTS
from twinwall.simulator.world.http import Fields, JsonText, Route, Values
from twinwall.simulator.world.world import World

_LONGEST_POLL_S = 60.0
_LONGEST_TIMER_S = 3600.0
_MOST = 2**53


def routes_of(world: World) -> Mapping[tuple[str, str], Route]:
    """The routes of a world, by method and path."""
    written = _WrittenScene(world)
    other_gates = {("GET", f"/scene/gate-{gate}"): _gate_scene(world, gate) for gate in range(1, world.gates)}
    return other_gates | {
        ("GET", "/scene/gate"): _gate_scene(world, 0),
        ("GET", "/scene/table"): lambda values: _none(values, written.table()),
        ("GET", "/stats"): lambda values: _none(values, world.stats()),
        ("GET", "/truth"): lambda values: _none(values, world.truth()),
        ("GET", "/view"): lambda values: _view(world, values),
        ("POST", "/take_hand"): lambda values: _take_hand(world, values),
        ("POST", "/draw"): lambda values: _draw(world, values),
        ("POST", "/discard"): lambda values: _discard(world, values),
        ("POST", "/turn_up"): lambda values: _turn_up(world, values),
        ("POST", "/expose"): lambda values: _expose(world, values),
        ("POST", "/add_to_pung"): lambda values: _add_to_pung(world, values),
        ("POST", "/lay_face_down"): lambda values: _lay_face_down(world, values),
        ("POST", "/show_hand"): lambda values: _show_hand(world, values),
        ("POST", "/lay"): lambda values: _lay(world, values),
        ("POST", "/pick_up"): lambda values: _pick_up(world, values),
        ("POST", "/push_in"): lambda values: _push_in(world, values),
        ("POST", "/pour_box"): lambda values: _pour_box(world, values),
        ("POST", "/search"): lambda values: _search(world, values),
        ("POST", "/press"): lambda values: _press(world, values),
        ("POST", "/answer"): lambda values: _answer(world, values),
        ("POST", "/timers"): lambda values: _timers(world, values),
    }


def _gate_scene(world: World, gate: int) -> Route:
    return lambda values: _none(values, JsonText(write_scene(world.gate_scene(gate))))


class _WrittenScene:
    """The table's scene as JSON, written once for each change of it: cameras ask far more often than tiles move."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._written: tuple[int, JsonText] = (-1, JsonText())

    def table(self) -> JsonText:
        """What ``GET /scene/table`` answers."""
        version, text = self._written
        if version != self._world.scene_version:
            scene = self._world.table_scene()
            self._written = scene.version, JsonText(write_scene(scene))
            return self._written[1]
        return text


def _none(values: Values, answer: object) -> object:
    Fields(values).end()
    return answer


def _place(fields: Fields, name: str = "place") -> int:
    return fields.whole(name, 0, 3)


def _slot(fields: Fields) -> Slot:
    """Where on the mat: ``at`` is the place whose side it is."""
    place = _place(fields, "at")
    area = Area(fields.choice("area", tuple(area.value for area in Area)))
    return Slot(place, area, fields.whole("slot", 0, 23))


def _view(world: World, values: Values) -> object:
    fields = Fields(values)
    place, after = _place(fields), fields.whole("after", -1, _MOST, -1)
    timeout_s = fields.number("timeout", 0.0, _LONGEST_POLL_S, 0.0)
    asked = fields.whole("asked", 0, 1, 0) == 1
    fields.end()
    return world.sight(place, after, timeout_s, asked=asked).to_json()


def _take_hand(world: World, values: Values) -> object:
    fields = Fields(values)
    place, count = _place(fields), fields.whole("count", 1, 13, 13)
    fields.end()
    return {"taken": world.take_hand(place, count)}


def _draw(world: World, values: Values) -> object:
    fields = Fields(values)
    place = _place(fields)
    fields.end()
    return {"tile": world.draw(place)}


def _discard(world: World, values: Values) -> object:
    fields = Fields(values)
    place, tile = _place(fields), fields.text("tile")
    slot, stick = fields.whole("slot", -1, 23, -1), fields.whole("stick", 0, 1, 0) == 1
    fields.end()
    return {"window": world.discard(place, tile, None if slot < 0 else slot, stick=stick)}


def _turn_up(world: World, values: Values) -> object:
    fields = Fields(values)
    place, slot = _place(fields), fields.whole("slot", 0, SHARED_SLOTS - 1)
    fields.end()
    return {"tile": world.turn_up(place, slot)}


def _expose(world: World, values: Values) -> object:
    fields = Fields(values)
    place, tiles = _place(fields), fields.texts("tiles")
    claimed = (_place(fields, "river"), fields.whole("slot", 0, 23))
    fields.end()
    world.expose(place, tiles, claimed)
    return {}


def _add_to_pung(world: World, values: Values) -> object:
    fields = Fields(values)
    place, tile = _place(fields), fields.text("tile")
    fields.end()
    return {"window": world.add_to_pung(place, tile)}


def _lay_face_down(world: World, values: Values) -> object:
    fields = Fields(values)
    place, tile = _place(fields), fields.text("tile")
    last_face_up = fields.whole("last_face_up", 0, 1, 0) == 1
    fields.end()
    world.lay_face_down(place, tile, last_face_up=last_face_up)
    return {}


def _show_hand(world: World, values: Values) -> object:
    fields = Fields(values)
    place, winning = _place(fields), fields.optional_text("winning")
    fields.end()
    world.show_hand(place, winning)
    return {}


def _lay(world: World, values: Values) -> object:
    fields = Fields(values)
    place, tile, slot = _place(fields), fields.text("tile"), _slot(fields)
    sideways = fields.whole("sideways", 0, 1, 0) == 1
    beside_mm = (fields.number("beside_x_mm", -500.0, 500.0, 0.0), fields.number("beside_y_mm", -500.0, 500.0, 0.0))
    fields.end()
    world.lay(place, tile, slot, sideways, beside_mm)
    return {}


def _pick_up(world: World, values: Values) -> object:
    fields = Fields(values)
    place, slot = _place(fields), _slot(fields)
    fields.end()
    world.pick_up(place, slot)
    return {}


def _push_in(world: World, values: Values) -> object:
    fields = Fields(values)
    place = _place(fields)
    fields.end()
    return {"tiles": world.push_in(place)}


def _pour_box(world: World, values: Values) -> object:
    fields = Fields(values)
    _place(fields)
    fields.end()
    return {"tiles": world.pour_box()}


def _search(world: World, values: Values) -> object:
    fields = Fields(values)
    place = _place(fields)
    fields.end()
    return {"found": world.search(place)}


def _press(world: World, values: Values) -> object:
    fields = Fields(values)
    place, key = _place(fields), PanelKey(fields.choice("key", tuple(key.value for key in KEYS)))
    hand, window = (fields.whole(name, -1, _MOST, -1) for name in ("hand", "window"))
    fields.end()
    return asdict(world.press(place, key, None if hand < 0 else hand, None if window < 0 else window))


def _answer(world: World, values: Values) -> object:
    fields = Fields(values)
    place, window = _place(fields), fields.whole("window", 1, _MOST)
    fields.end()
    world.answer(place, window)
    return {}


def _timers(world: World, values: Values) -> object:
    fields = Fields(values)
    timer, seconds = fields.text("id"), fields.number("seconds", 0.0, _LONGEST_TIMER_S)
    fields.end()
    world.wait_timer(timer, seconds)
    return {}
