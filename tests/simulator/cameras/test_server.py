"""Simulated cameras over HTTP: capture times around the scene, refusals in a sentence, and a world that comes and goes."""

import http.client
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import cv2
import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray

from simulator.cameras import CameraServer, HttpScenes, TableScenes, WorldSilentError
from simulator.scene import GateScene, LaidTile, TableScene, WindowTile
from tests.support.answering import Answering, answering
from tests.support.narrowed import present
from tests.support.patience import PATIENCE_S
from tests.support.wire.brokers import free_port

pytestmark = pytest.mark.slow

GATE = GateScene(WindowTile("5p", False, (0.5, 0.0), 1.0, False, 3))
TABLE = TableScene(4, (LaidTile("E", 0, "river", 0, False, (0.0, 0.0), 0.0),))
SEED = 2


def written(scene: GateScene | TableScene) -> str:
    return msgspec.json.encode(scene).decode()


@dataclass
class FakeScenes:
    """A world in this process that notes when it was asked."""

    gate_scene: GateScene = GATE
    table_scene: TableScene = TABLE
    silent: bool = False
    asked_ns: list[int] = field(default_factory=list)

    def gate(self) -> GateScene:
        self._ask()
        return self.gate_scene

    def table(self) -> TableScene:
        self._ask()
        return self.table_scene

    def _ask(self) -> None:
        self.asked_ns.append(time.monotonic_ns())
        if self.silent:
            raise WorldSilentError("the world does not answer at the test's address")


@pytest.fixture(scope="module")
def served() -> Iterator[tuple[FakeScenes, http.client.HTTPConnection]]:
    scenes = FakeScenes()
    with CameraServer({"1": TableScenes(scenes.gate, scenes.table)}, SEED) as server:
        address = urlsplit(server.url)
        assert address.hostname == "127.0.0.1"
        with closing(http.client.HTTPConnection("127.0.0.1", address.port or 0, timeout=PATIENCE_S)) as connection:
            yield scenes, connection


def get(connection: http.client.HTTPConnection, path: str) -> tuple[http.client.HTTPResponse, bytes]:
    connection.request("GET", path)
    response = connection.getresponse()
    return response, response.read()


def picture_of(body: bytes) -> NDArray[np.uint8]:
    return np.asarray(present(cv2.imdecode(np.frombuffer(body, np.uint8), cv2.IMREAD_COLOR)), np.uint8)


@pytest.mark.parametrize(
    ("path", "kind", "shape"),
    [
        ("/1/gate.jpg", "image/jpeg", (360, 480, 3)),
        ("/1/gate.png", "image/png", (360, 480, 3)),
        ("/1/table.jpg", "image/jpeg", (1280, 1280, 3)),
        ("/1/table.png", "image/png", (1280, 1280, 3)),
    ],
)
def test_a_frame_is_a_picture_of_its_camera(
    served: tuple[FakeScenes, http.client.HTTPConnection], path: str, kind: str, shape: tuple[int, int, int]
) -> None:
    response, body = get(served[1], path)
    assert (response.status, response.getheader("Content-Type")) == (200, kind)
    assert picture_of(body).shape == shape


def test_the_scene_is_asked_for_between_the_capture_times_of_its_request(served: tuple[FakeScenes, http.client.HTTPConnection]) -> None:
    scenes, connection = served
    before = time.monotonic_ns()
    response, _ = get(connection, "/1/gate.jpg")
    start, end = (int(response.getheader(name) or "0") for name in ("X-Exposure-Start-Ns", "X-Exposure-End-Ns"))
    assert before <= start <= scenes.asked_ns[-1] <= end <= time.monotonic_ns()


def test_a_part_of_the_table_shows_what_lies_there_and_names_its_pixels(served: tuple[FakeScenes, http.client.HTTPConnection]) -> None:
    whole = picture_of(get(served[1], "/1/table.png")[1])
    response, body = get(served[1], "/1/table.png?region=448,800,160,9999")
    assert response.getheader("X-Region") == "448,800,160,480"
    apart = np.abs(whole[800:, 448:608].astype(int) - picture_of(body))
    assert apart.max() < 30  # the same tile on the same felt, under other noise
    assert 0 < apart.mean() < 6


def test_a_silent_world_gives_a_sentence_and_frames_again_when_it_is_back(served: tuple[FakeScenes, http.client.HTTPConnection]) -> None:
    scenes, connection = served
    scenes.silent = True
    response, body = get(connection, "/1/gate.jpg")
    scenes.silent = False
    assert (response.status, response.getheader("X-Exposure-Start-Ns")) == (503, None)
    assert body.decode() == "no frame of /1/gate: the world does not answer at the test's address\n"
    assert get(connection, "/1/gate.jpg")[0].status == 200


@pytest.mark.parametrize("region", ["0,0,8", "0,0,-8,8", "0,0,0,8", "9" * 5000 + ",0,8,8"], ids=["three", "below 0", "empty", "huge"])
def test_a_part_that_cannot_be_is_refused_in_a_sentence(served: tuple[FakeScenes, http.client.HTTPConnection], region: str) -> None:
    response, body = get(served[1], f"/1/table.jpg?region={region}")
    assert (response.status, response.getheader("Content-Type")) == (400, "text/plain; charset=utf-8")
    assert "part" in body.decode()


def test_a_scene_that_no_camera_can_show_is_a_sentence_too(served: tuple[FakeScenes, http.client.HTTPConnection]) -> None:
    scenes, connection = served
    scenes.table_scene = TableScene(5, (LaidTile("E", 0, "river", 77, False, (0.0, 0.0), 0.0),))
    response, body = get(connection, "/1/table.jpg")
    scenes.table_scene = TABLE
    assert response.status == 503
    assert "no slot" in body.decode()


@contextmanager
def world(answers: dict[str, tuple[int, str]], *, hang_up: bool = False) -> Iterator[str]:
    """A world of its own over HTTP; with ``hang_up`` it drops every connection after one answer, unannounced."""

    class World(Answering):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            status, text = answers.get(self.path, (404, ""))
            self.answer(status, text.encode())
            self.close_connection = hang_up

    with answering(World) as url:
        yield url


def test_scenes_come_from_the_worlds_http() -> None:
    answers = {"/scene/gate": (200, written(GATE)), "/scene/table": (200, written(TABLE))}
    with world(answers) as url, closing(HttpScenes(url, timeout_s=PATIENCE_S)) as scenes:
        assert (scenes.gate(), scenes.table()) == (GATE, TABLE)


def test_a_world_that_is_not_there_is_named_by_its_address() -> None:
    gone = f"http://127.0.0.1:{free_port()}"
    with closing(HttpScenes(gone, timeout_s=0.5)) as scenes, pytest.raises(WorldSilentError, match=gone):
        scenes.table()


@pytest.mark.parametrize("address", ["http://192.0.2.7:80", "https://127.0.0.1:80", "http://127.0.0.1", "127.0.0.1:80"])
def test_scenes_are_never_fetched_from_another_machine(address: str) -> None:
    with pytest.raises(ValueError, match="this machine"):
        HttpScenes(address, timeout_s=1.0)


def test_every_gate_of_a_table_has_a_camera_that_hangs_otherwise() -> None:
    scenes = FakeScenes()
    with CameraServer({"1": TableScenes(scenes.gate, scenes.table, (scenes.gate, scenes.gate))}, SEED) as server:
        assert list(server.cameras) == ["/1/gate", "/1/gate-1", "/1/gate-2", "/1/table"]
        pictures = [expose(None)[0] for expose in list(server.cameras.values())[:3]]
    assert not np.array_equal(pictures[0], pictures[1])
    assert not np.array_equal(pictures[1], pictures[2])


def test_a_further_gates_scene_is_asked_for_by_its_number() -> None:
    other = GateScene(msgspec.structs.replace(GATE.tile, face="C") if GATE.tile else None)
    answers = {"/scene/gate": (200, written(GATE)), "/scene/gate-1": (200, written(other))}
    with world(answers) as url, closing(HttpScenes(url, 2.0)) as first, closing(HttpScenes(url, 2.0, 1)) as second:
        assert (first.gate(), second.gate()) == (GATE, other)
