"""The world over HTTP: views, actions, and timers that wait for answers."""

import contextlib
import http.client
import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import msgspec
import pytest

from simulator.mechanics import FaultPlan, MechanicsSettings
from simulator.panel.panel_file import PanelFile
from simulator.settings import WorldSection, WorldSettings
from simulator.tabletop import PhysicalTile, tile_set
from simulator.world import key_presses
from simulator.world.service import WorldService
from simulator.world.visible_table import VisibleTable
from tests.support.narrowed import of_type
from tests.support.patience import PATIENCE_S
from tests.support.simulator.world_fakes import Pins, ReadyWalls
from twinwall.game.tiles import parse_tiles
from twinwall.wire.shapes.panel import Key, PanelPins

SPEED = 100.0
BOX = tile_set(2)[:5]
PINS = PanelPins()
WALLS = tuple(parse_tiles(text) for text in ("123456789m1234p 5p6p", "123456789s1234s 5s6s", "EEESSSWWWNNNC CC", "FFFFPPP777888p 9p9p"))


@dataclass(frozen=True)
class Room:
    """One world with both its sides."""

    service: WorldService
    feeder: ReadyWalls
    panel: PanelFile
    pins: Pins

    def ask(self, method: str, path: str, body: object = None) -> tuple[int, dict[str, object]]:
        connection = http.client.HTTPConnection(urlsplit(self.service.url).netloc, timeout=PATIENCE_S)
        try:
            text = body if isinstance(body, str) else None if body is None else json.dumps(body)
            connection.request(method, path, text)
            response = connection.getresponse()
            answer = json.loads(response.read())
        finally:
            connection.close()
        return response.status, answer

    def do(self, path: str, **fields: object) -> dict[str, object]:
        status, answer = self.ask("POST", path, fields)
        assert status == 200, answer
        return answer

    def refused(self, path: str, **fields: object) -> str:
        status, answer = self.ask("POST", path, fields)
        assert status == 409, answer
        return str(answer["error"])

    def look(self, place: int, after: int = -1, timeout_s: float = 0.0, answered: int = -1) -> VisibleTable:
        status, answer = self.ask("GET", f"/view?place={place}&after={after}&timeout={timeout_s}&answered={answered}")
        assert status == 200, answer
        return msgspec.convert(answer, VisibleTable)

    def scan_until(self, thread: threading.Thread) -> None:
        """Look at the keys until a request has been answered."""
        while thread.is_alive():
            self.pins.pressed()
        thread.join()


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Room]:
    panel = PanelFile(tmp_path / "panel", PINS)
    feeder = ReadyWalls(WALLS)
    settings = WorldSettings(
        WorldSection("1", tmp_path / "panel", tmp_path / "feeder", port=0, hand=7),
        mechanics=MechanicsSettings(speed=SPEED),
        faults=FaultPlan(lost_in_hand=7),
    )
    monkeypatch.setattr(key_presses, "HELD_SCANS", 3)
    monkeypatch.setattr(key_presses, "MOST_HELD_S", 1.0)
    service = WorldService(settings, feeder, panel, BOX)
    service.start()
    pins = Pins(tmp_path / "panel", PINS, monkeypatch)
    yield Room(service, feeder, panel, pins)
    service.stop()
    pins.close()
    panel.close()


@pytest.fixture
def dealt(room: Room) -> Room:
    """The walls have risen, and everybody has taken a hand."""
    room.feeder.raise_walls()
    for place in range(4):
        assert room.do("/take_hand", place=place) == {"taken": 13}
    return room


def in_background(work: Callable[[], object]) -> tuple[threading.Thread, list[object]]:
    """Start something that blocks; its answer comes into the list."""
    answers: list[object] = []
    thread = threading.Thread(target=lambda: answers.append(work()))
    thread.start()
    return thread, answers


def test_a_person_sees_the_own_rack_and_nobody_elses(dealt: Room) -> None:
    visible = dealt.look(2)
    assert visible.rack == ("E", "E", "E", "S", "S", "S", "W", "W", "W", "N", "N", "N", "C")
    assert (visible.hand_waiting, visible.draws_left) == (0, (2, 2, 2, 2))
    _, raw = dealt.ask("GET", "/view?place=2")
    text = json.dumps(raw)
    assert not any(f'"{face}"' in text for face in ("1m", "9m", "1s", "F", "P", "7p"))


def test_a_shared_tile_leaves_an_open_rear_gate_and_lies_where_everybody_sees_it(dealt: Room) -> None:
    assert "its rear gate is locked" in dealt.refused("/turn_up", place=1, slot=8)
    dealt.feeder.lay_at_rear(1, PhysicalTile(500, "C", 1))
    assert [dealt.look(place).rear_gate_open for place in range(4)] == [False, True, False, False]
    assert dealt.do("/turn_up", place=1, slot=8) == {"tile": "C"}
    assert dealt.look(3).shared[8] == "C"
    assert not dealt.look(1).rear_gate_open
    _, truth = dealt.ask("GET", "/truth")
    assert of_type(list, truth["hands"])[-1]["turned"] == [[8, "C"]]


def test_a_tile_is_drawn_only_through_an_open_gate_which_locks_itself_again(dealt: Room) -> None:
    assert dealt.refused("/draw", place=0) == "place 0 cannot draw: its gate is locked"
    dealt.feeder.unlock(0)
    assert dealt.look(0).gate_open
    assert not dealt.look(1).gate_open
    assert dealt.do("/draw", place=0) == {"tile": "5p"}
    assert dealt.look(0).drawn == "5p"
    assert dealt.refused("/draw", place=0) == "place 0 cannot draw: its gate is locked"
    dealt.feeder.unlock(0)
    dealt.do("/draw", place=0)
    dealt.feeder.unlock(0)
    assert dealt.refused("/draw", place=0) == "place 0 cannot draw: its wall is empty"


def test_rivers_melds_and_shown_hands_are_seen_by_all_and_by_the_camera(dealt: Room) -> None:
    assert dealt.do("/discard", place=1, tile="4s") == {"window": 1}
    assert dealt.do("/discard", place=1, tile="9s") == {"window": 2}
    dealt.do("/expose", place=2, tiles=["N", "N"], river=1, slot=1)
    dealt.do("/show_hand", place=3, winning=None)
    visible = dealt.look(0)
    assert (visible.rivers[1], visible.melds[2][0].tiles) == (("4s", None), ("9s", "N", "N"))
    assert (visible.melds[2][0].sideways, len(visible.shown[3]), visible.last_discard) == (0, 13, (1, 1))
    _, scene = dealt.ask("GET", "/scene/table")
    assert len(of_type(list, scene["tiles"])) == 1 + 3 + 13


def test_kongs_are_laid_and_open_a_window_only_where_they_can_be_robbed(dealt: Room) -> None:
    dealt.do("/discard", place=2, tile="C")
    dealt.do("/lay_face_down", place=3, tile="F")
    hidden, known = dealt.look(0), dealt.look(3)
    assert [meld.tiles for meld in hidden.melds[3]] == [("back",) * 4]
    assert [meld.tiles for meld in known.melds[3]] == [("F",) * 4]
    assert (hidden.discards, hidden.added) == (1, None)
    assert '"F"' not in json.dumps(dealt.ask("GET", "/scene/table")[1])
    assert "holds no F" in dealt.refused("/lay_face_down", place=3, tile="F")
    assert "no pung of 7" in dealt.refused("/add_to_pung", place=3, tile="7s")


def test_a_look_waits_until_something_changes(dealt: Room) -> None:
    version = dealt.look(0).version
    thread, answers = in_background(lambda: dealt.look(0, version, 10.0))
    dealt.do("/discard", place=1, tile="4s")
    thread.join()
    (visible,) = answers
    assert isinstance(visible, VisibleTable)
    assert visible.rivers[1] == ("4s",)
    assert visible.version > version


def test_a_look_at_an_unchanged_table_comes_back_after_its_time_with_the_same_version(room: Room) -> None:
    version = room.look(0).version
    assert room.look(0, version, 0.02).version == version


def test_a_claim_key_is_held_until_the_call_lamp_is_lit(room: Room) -> None:
    thread, answers = in_background(lambda: room.do("/press", place=1, key="pung"))
    while (1, Key.PUNG) not in room.pins.pressed():
        pass
    for _ in range(10):
        room.pins.pressed()
    assert thread.is_alive()
    room.pins.call(1)
    room.scan_until(thread)
    assert answers == [{"seen": True, "call": True, "in_window": False, "window_went_out": False}]
    assert room.pins.pressed() == set()


def test_a_claim_key_is_let_go_when_the_window_closes_without_it(room: Room) -> None:
    room.pins.window(True)
    thread, answers = in_background(lambda: room.do("/press", place=1, key="chow"))
    while (1, Key.CHOW) not in room.pins.pressed():
        pass
    room.pins.window(False)
    room.scan_until(thread)
    assert answers == [{"seen": True, "call": False, "in_window": True, "window_went_out": True}]


def test_confirm_is_held_until_it_has_been_looked_at_often_enough(room: Room) -> None:
    thread, answers = in_background(lambda: room.do("/press", place=0, key="confirm"))
    looks = 0
    while thread.is_alive():
        looks += (0, Key.CONFIRM) in room.pins.pressed()
    thread.join()
    assert answers == [{"seen": True, "call": False, "in_window": False, "window_went_out": False}]
    assert looks >= 3


def test_a_key_that_nobody_looks_at_is_reported_as_unseen(room: Room) -> None:
    assert room.do("/press", place=2, key="referee") == {"seen": False, "call": False, "in_window": False, "window_went_out": False}
    _, stats = room.ask("GET", "/stats")
    assert stats["unseen_presses"] == 1


def test_a_claim_window_lasts_until_all_four_have_answered_it(dealt: Room) -> None:
    dealt.do("/discard", place=0, tile="1m")
    thread, _ = in_background(lambda: dealt.do("/timers", id="claim-window:1.1", seconds=0.5))
    for place in (0, 1, 3):
        assert dealt.look(place, answered=1).answered
    thread.join(0.1)
    assert thread.is_alive()
    assert not dealt.look(2).answered
    dealt.look(2, answered=1)
    thread.join()


def test_an_answer_belongs_to_one_window(dealt: Room) -> None:
    dealt.do("/discard", place=0, tile="1m")
    for place in range(4):
        dealt.look(place, answered=1)
    dealt.do("/discard", place=1, tile="1s")
    assert not dealt.look(0).answered
    thread, _ = in_background(lambda: dealt.do("/timers", id="claim-window:1.2", seconds=0.0))
    for place in range(4):
        dealt.look(place, answered=1)
    thread.join(0.1)
    assert thread.is_alive()
    for place in range(4):
        dealt.look(place, answered=2)
    thread.join()
    assert dealt.ask("GET", "/view?place=0&answered=3") == (409, {"error": "there has been no discard number 3"})


def test_an_error_of_the_world_is_told_and_logged(room: Room, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr(room.service.world, "search", {}.__getitem__)
    assert room.ask("POST", "/search", {"place": 3}) == (500, {"error": "the world failed: KeyError(3)"})
    assert "KeyError: 3" in caplog.text


def test_a_side_is_pushed_into_the_open_well_and_stays_where_the_well_is_closed(dealt: Room) -> None:
    dealt.do("/discard", place=0, tile="1m")
    dealt.feeder.close_well()
    assert dealt.refused("/push_in", place=0) == "the well is closed"
    assert dealt.look(0).rivers[0] == ("1m",)
    dealt.feeder.clear()
    assert dealt.do("/push_in", place=0) == {"tiles": 13}
    assert len(dealt.feeder.pushed_in) == 13
    assert dealt.look(0).rivers[0] == ()


def test_the_box_is_poured_once_and_only_into_the_open_well(room: Room) -> None:
    room.feeder.close_well()
    assert room.refused("/pour_box", place=0) == "the well is closed"
    assert room.look(0).box
    room.feeder.clear()
    assert room.do("/pour_box", place=0) == {"tiles": len(BOX)}
    assert room.feeder.pushed_in == BOX
    assert not room.look(0).box
    assert room.refused("/pour_box", place=0) == "the box is empty"


def test_a_tile_that_slips_under_the_table_is_found_by_whoever_looks(dealt: Room) -> None:
    dealt.feeder.clear()
    assert [dealt.do("/push_in", place=place)["tiles"] for place in range(4)] == [13, 12, 13, 13], "it slips at place 1, by the seed"
    assert dealt.do("/search", place=3) == {"found": 1}
    assert len(dealt.look(3).rack) == 1
    assert dealt.do("/push_in", place=3) == {"tiles": 1}
    assert dealt.do("/search", place=3) == {"found": 0}
    assert len(dealt.feeder.pushed_in) == 52


def test_a_hand_begins_with_the_first_tile_of_walls_that_have_risen(room: Room) -> None:
    assert room.look(0).hand == 6
    room.feeder.raise_walls()
    assert room.look(0).hand == 6
    room.do("/take_hand", place=2, count=1)
    assert [room.look(place).hand for place in range(4)] == [7] * 4
    room.feeder.raise_walls()
    room.feeder.raise_walls()
    room.do("/take_hand", place=0)
    assert room.look(0).hand == 8, "walls that nobody took from were no hand"
    _, truth = room.ask("GET", "/truth")
    assert truth["hands"] == [
        {"hand": 7, "set": 1, "taken": [[], [], ["E"], []], "laid": [[]] * 4, "drawn_at_s": [], "turned": []},
        {
            "hand": 8,
            "set": 1,
            "taken": [[tile.text for tile in WALLS[0][:13]], [], [], []],
            "laid": [[]] * 4,
            "drawn_at_s": [],
            "turned": [],
        },
    ]


@pytest.mark.parametrize("meant", [{"hand": 6}, {"window": 1}, {"hand": 7, "window": 1}])
def test_a_key_that_was_meant_for_another_moment_is_not_pressed(dealt: Room, meant: dict[str, int]) -> None:
    dealt.do("/discard", place=0, tile="1m")
    dealt.do("/discard", place=1, tile="1s")
    assert "now is hand 7, window 2" in dealt.refused("/press", place=0, key="confirm", **meant)
    assert (dealt.panel.scans(0, Key.CONFIRM), dealt.ask("GET", "/stats")[1]["presses"]) == ((0, 0), 0)


def test_a_person_who_dozes_is_woken_when_something_is_asked_of_it_and_not_before(dealt: Room) -> None:
    version = dealt.look(2).version
    thread, answers = in_background(lambda: dealt.ask("GET", f"/view?place=2&after={version}&timeout=10&asked=1")[1]["discards"])
    dealt.do("/discard", place=1, tile="4s")
    dealt.pins.turn(3)
    assert dealt.look(2).version > version
    thread.join(0.05)
    assert thread.is_alive()
    dealt.pins.window(True)
    thread.join()
    assert answers == [1]
    version = dealt.look(2, answered=1).version
    _, after = dealt.ask("GET", f"/view?place=2&after={version - 1}&timeout=0.05&asked=1")
    assert after["version"] == version


def test_everybody_who_waits_is_let_go_when_the_world_ends(dealt: Room) -> None:
    dealt.do("/discard", place=0, tile="1m")
    later = dealt.look(0).version + 5
    work: list[Callable[[], object]] = [
        lambda: dealt.ask("POST", "/timers", {"id": "claim-window", "seconds": 0}),
        lambda: dealt.ask("POST", "/press", {"place": 0, "key": "win"}),
        lambda: dealt.ask("GET", f"/view?place=0&after={later}&timeout=600"),
    ]
    started = [threading.Thread(target=lambda ask=ask: _whatever_comes(ask)) for ask in work]
    for thread in started:
        thread.start()
    dealt.panel.wait(lambda: dealt.service.world.stats()["timers"] == 1, 5.0)
    dealt.service.world.stop()
    for thread in started:
        thread.join()


def _whatever_comes(ask: Callable[[], object]) -> None:
    with contextlib.suppress(OSError, http.client.HTTPException):
        ask()
