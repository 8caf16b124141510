"""The serial port itself: a real pty, really closed, opened again, and answered by strangers."""

import itertools
import os
import select
import threading
import time
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from firmware_bridge.feeder_connection import FeederConnection
from firmware_bridge.frames import Decoder, Frame, encode_frame
from firmware_bridge.link.events import Done, FeederStatus, LinkDown, LinkUp, NotAFeeder
from firmware_bridge.link.session import KnownBoot
from firmware_bridge.messages import PLACE_EDGES, Feed, Hello, HelloAck, Place, TileAtGate, decode_message, encode_message
from firmware_bridge.serial_port import LastingPort, devices
from simulator.feeder_simulator import FeederSimulator
from simulator.mechanics import FaultPlan, MechanicsSettings
from tests.support.link.desk import SILENCE_S, Desk
from tests.support.link.pair import places_in_order
from tests.support.patience import PATIENCE_S
from tests.support.wire.brokers import eventually

UID = b"TWSIM001"
FAST, READABLE = MechanicsSettings(speed=100.0), FaultPlan(unread=0.0)


@contextmanager
def running(link: Path | None = None) -> Iterator[FeederSimulator]:
    feeder = FeederSimulator(FAST, 3, READABLE, link=link)
    feeder.start()
    try:
        yield feeder
    finally:
        feeder.stop()


@contextmanager
def meanwhile(act: Callable[[], object]) -> Iterator[None]:
    """Somebody does this all the time."""
    over = threading.Event()

    def go_on() -> None:
        while not over.wait(0.02):
            with suppress(OSError):
                act()

    thread = threading.Thread(target=go_on)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


@pytest.fixture
def simulator(tmp_path: Path) -> Iterator[FeederSimulator]:
    with running(tmp_path / "feeder") as feeder:
        yield feeder


@pytest.fixture
def desk(simulator: FeederSimulator) -> Iterator[Desk]:
    with Desk(simulator.path) as desk:
        yield desk


@pytest.fixture
def pty() -> Iterator[tuple[int, int]]:
    ends = os.openpty()
    tty.setraw(ends[1])
    yield ends
    for end in ends:
        os.close(end)


@pytest.mark.slow
def test_a_whole_wall_is_built_through_a_real_port(desk: Desk, simulator: FeederSimulator) -> None:
    desk.wait(LinkUp)
    desk.submit(1, Feed())
    open_places = [place for place in zip(*(places_in_order(seat) for seat in range(4)), strict=True) for place in place]
    for operation, (seat, position) in enumerate(open_places, start=2):
        desk.wait(TileAtGate)
        desk.submit(operation, Place(seat, position))
    placed = set(range(2, 2 + len(open_places)))
    desk.wait(Done, lambda _last: desk.done >= placed)
    assert len(simulator.census()["trays"]) == len(open_places)
    desk.port.request_status()
    assert all(places == frozenset(range(34)) for places in desk.wait(FeederStatus).trays)


def goes_on_after(desk: Desk, simulator: FeederSimulator, plug: Callable[[], object]) -> None:
    """The port goes away with a tile at the gate, comes back, and an operation given in between is carried out once."""
    boot = desk.wait(LinkUp).hello.boot_id
    desk.submit(1, Feed())
    desk.wait(TileAtGate)
    simulator.unplug()
    desk.wait(LinkDown)
    desk.submit(2, Place(0, 33))
    plug()
    up = desk.wait(LinkUp)
    assert (up.same_boot, up.hello.boot_id) == (True, boot)
    assert desk.wait(Done, lambda done: done.operation == 2).sensors == PLACE_EDGES
    assert len(simulator.census()["trays"]) == 1


def test_a_port_that_is_unplugged_and_plugged_in_again_goes_on_where_it_was(desk: Desk, simulator: FeederSimulator) -> None:
    goes_on_after(desk, simulator, simulator.plug)


def test_a_feeder_that_is_plugged_in_under_another_name_is_found_by_its_uid() -> None:
    with running() as simulator, Desk(first := simulator.path, uid=UID, search=lambda: [simulator.path], silence_s=SILENCE_S) as desk:
        occupied: list[int] = []

        def plug() -> None:
            while not Path(first).exists():  # other programs of this computer take and leave names meanwhile
                occupied.extend(os.openpty())
            simulator.plug()

        try:
            goes_on_after(desk, simulator, plug)
        finally:
            for end in occupied:
                os.close(end)
        assert simulator.path != first


def test_a_program_that_closes_the_port_and_opens_it_again_finds_the_feeder_as_it_was(simulator: FeederSimulator) -> None:
    with Desk(simulator.path, auto_acknowledge=False) as first:
        up = first.wait(LinkUp)
        first.submit(1, Feed())
        tile = first.wait(TileAtGate)
    with Desk(simulator.path, known=KnownBoot(up.hello.boot_id, last_event=0)) as second:
        again = second.wait(LinkUp)
        assert (again.same_boot, again.last_operation) == (True, 1)
        assert second.wait(TileAtGate) == tile


def test_a_port_that_does_not_exist_is_told_by_name_and_taken_when_it_appears(tmp_path: Path) -> None:
    path = tmp_path / "feeder"
    with Desk(str(path)) as desk:
        assert str(path) in desk.wait(LinkDown).reason
        with running(path):
            desk.wait(LinkUp)


def test_a_port_that_talks_about_something_else_is_told_as_no_feeder(pty: tuple[int, int]) -> None:
    """The port's clock stands until the other end has talked: a busy machine is no silent port."""
    (master, slave), began_s, talked_s = pty, time.monotonic(), list[float]()

    def talk() -> None:
        os.read(master, 4096)
        os.write(master, b"temperature 21.5\r\n")
        talked_s.append(time.monotonic())

    def clock() -> float:
        return began_s + (time.monotonic() - talked_s[0] if talked_s else 0.0)

    with Desk(os.ttyname(slave), clock=clock, silence_s=SILENCE_S) as desk, meanwhile(talk):
        assert "this port answers, but not as a Twinwall feeder" in desk.wait(NotAFeeder).reason


def test_an_idle_port_wakes_only_for_its_heartbeats(simulator: FeederSimulator) -> None:
    """Each round of the port's loop asks the clock a few times."""
    asked = itertools.count()

    def clock() -> float:
        next(asked)
        return time.monotonic()

    with Desk(simulator.path, clock=clock) as desk:
        desk.wait(LinkUp)
        eventually(lambda: desk.port.statistics().frames_sent >= 8, "it has sent heartbeats")
        times, sent = next(asked), desk.port.statistics().frames_sent
        eventually(lambda: desk.port.statistics().frames_sent > sent, "what it has sent is counted again")
        assert times < 25 * desk.port.statistics().frames_sent


def test_another_feeder_at_the_port_is_told_and_the_right_one_looked_for_elsewhere(simulator: FeederSimulator) -> None:
    with Desk(simulator.path, uid=b"TWOTHER1", search=tuple) as desk:
        assert "not as 54574f5448455231" in desk.wait(NotAFeeder).reason


def test_a_board_with_the_same_number_at_another_port_is_taken_for_another_boot(simulator: FeederSimulator, tmp_path: Path) -> None:
    with running(tmp_path / "twin") as twin, Desk(simulator.path, uid=UID, search=lambda: [twin.path]) as desk:
        first = desk.wait(LinkUp)
        desk.submit(1, Feed())
        desk.wait(TileAtGate)
        simulator.unplug()
        second = desk.wait(LinkUp)
        assert (second.hello.uid, second.same_boot) == (first.hello.uid, False)


def test_a_strange_port_that_is_searched_on_the_way_is_passed_by(simulator: FeederSimulator, pty: tuple[int, int]) -> None:
    strange = os.ttyname(pty[1])
    with Desk("/dev/no-such-feeder", uid=UID, search=lambda: [strange, simulator.path], silence_s=SILENCE_S) as desk:
        assert desk.wait(LinkUp).hello.uid == UID


def test_a_second_program_at_the_port_is_told_so_and_disturbs_nothing(desk: Desk, simulator: FeederSimulator) -> None:
    desk.wait(LinkUp)
    with Desk(simulator.path) as second:
        assert "another program has it open" in second.wait(LinkDown).reason
        desk.submit(1, Feed())
        desk.wait(TileAtGate)
        assert desk.ended(2, Place(0, 33)).sensors == PLACE_EDGES


def test_a_rude_program_that_takes_and_sends_bytes_costs_no_operation(desk: Desk, simulator: FeederSimulator) -> None:
    desk.wait(LinkUp)
    rude = os.open(simulator.path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    with meanwhile(lambda: (os.write(rude, b"AT\r\n"), os.read(rude, 16))):
        desk.submit(1, Feed())
        for operation in range(2, 8):
            desk.wait(TileAtGate)
            desk.submit(operation, Place(operation % 4, 33 - operation // 4))
        desk.wait(Done, lambda done: done.operation == 7)
    os.close(rude)
    assert len(simulator.census()["trays"]) == 6


def test_the_link_says_what_it_has_been_through(desk: Desk) -> None:
    desk.wait(LinkUp)
    eventually(lambda: desk.port.statistics().round_trip_p99_ms is not None, "a round trip is measured")
    statistics = desk.port.statistics()
    assert statistics.up
    assert statistics.round_trip_p99_ms is not None
    assert statistics.round_trip_p50_ms is not None
    assert 0 < statistics.round_trip_p50_ms <= statistics.round_trip_p99_ms
    assert (statistics.times_up, statistics.times_lost, statistics.line.errors) == (1, 0, 0)


def test_devices_are_found_by_pattern_each_once_under_its_first_name(tmp_path: Path) -> None:
    device = tmp_path / "ttyACM3"
    device.touch()
    (tmp_path / "by-id").mkdir()
    (tmp_path / "by-id" / "usb-feeder").symlink_to(device)
    found = devices([str(tmp_path / "by-id" / "*"), str(tmp_path / "ttyACM*"), str(tmp_path / "nothing*")])
    assert found == (str(tmp_path / "by-id" / "usb-feeder"),)


def test_a_lasting_port_outlives_a_device_that_goes_away_and_comes_back(simulator: FeederSimulator) -> None:
    type_, payload = encode_message(Hello(7, 1, 1))
    hello, decoder, frames = encode_frame(Frame(type_, 0, 0, 0, payload)), Decoder(), list[Frame]()
    port = LastingPort(simulator.path)
    try:
        simulator.unplug()
        assert port.read(0.05) == b""
        port.write(hello)
        simulator.plug()
        end_s = time.monotonic() + PATIENCE_S
        while not frames and time.monotonic() < end_s:
            port.write(hello)
            frames += decoder.feed(port.read(0.1))
        assert isinstance(decode_message(frames[0].type, frames[0].payload), HelloAck)
    finally:
        port.close()


def test_a_lasting_port_gives_up_on_a_device_that_stays_away(simulator: FeederSimulator) -> None:
    port = LastingPort(simulator.path, patience_s=0.2)
    simulator.unplug()
    with pytest.raises(OSError, match="feeder"):
        for _ in range(100):
            port.read(0.05)


def test_what_is_asked_of_a_connection_that_has_ended_is_written_into_no_other_file(tmp_path: Path) -> None:
    connection = FeederConnection(str(tmp_path / "none"), 115_200, lambda _event: None)
    connection.start()
    connection.stop()
    pipes = [os.pipe() for _ in range(4)]  # with the numbers that are free again
    connection.request_status()
    try:
        assert not select.select([read for read, _ in pipes], [], [], 0)[0]
    finally:
        for end in itertools.chain(*pipes):
            os.close(end)
