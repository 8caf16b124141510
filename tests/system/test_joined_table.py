"""A table whose settings name no event, with a real broker: it waits, is assigned, is killed, and goes on by itself."""

import json
import secrets
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

import config
from cli.demo.custody import memory_folder
from cli.ledger_tables.joined_tables import JoinedLedgerTable, played_on_paper
from cli.ledger_tables.ledger_table import LedgerTable, NoAdapters
from cli.table.joined_table import assigned_settings
from cli.table.table import assembled
from controller.adapters.journal_keys import JournalKeyFiles, JournalKeyRequest
from controller.adapters.memory_folder import MOUNTS
from controller.device_settings import CameraSection, FeederSection, GateCameraSection, PanelSection, TableCameraSection
from controller.ledger.assignment_folder import event_folder
from controller.settings import CustodySection, DealsSection, TableSettings
from dashboard.assignments import HallTable, HallTables
from dashboard.custody.tile_draw import TileDraw
from simulator.cameras.server import CameraServer, TableScenes
from simulator.scene import GateScene, LaidTile, TableScene
from tests.support.children import ends_with_parent
from tests.support.custody.ordered import PASSPHRASE, plan_of
from tests.support.dashboard.custody.vaults import HallOfVaults
from tests.support.tiers import some
from tests.support.wire.assignments import HALL_SERVER, IDENTITY, a_plan, a_start, an_assignment
from tests.support.wire.brokers import KINDS, PASSWORDS, Ear, RunningBroker, eventually, free_port, link_of, new_broker
from tools.default_settings import TABLE
from twinwall.art.mat import Area
from twinwall.event.deal_state import tile_readings
from twinwall.event.drawn_tiles import TableTiles
from twinwall.event.store.store_check import problems
from twinwall.event.store.store_rows import read_store
from twinwall.wire.messages.assignment import HallStage
from twinwall.wire.messages.signing import Counter, sign_document, write_signing_key
from twinwall.wire.messages.tile_reading import open_tile_reading
from twinwall.wire.mqtt.access import SERVER_USER, VAULT_USER
from twinwall.wire.mqtt.topics import FROM_JOINED, all_joined

pytestmark = pytest.mark.slow
STARTED = "controller-started"


def joined_settings(folder: Path, port: int, table_camera: str = "", memory: Path | None = None) -> TableSettings:
    """The file of a table that names broker, identity and server's key. Its deals lie in the folder, or vaults seal them for a table with
    a folder in ``memory``."""
    (folder / "password").write_text(PASSWORDS["1"])
    write_signing_key(folder / "identity.key", IDENTITY.secret)
    nowhere = f"http://127.0.0.1:{free_port()}"
    return replace(
        TABLE,
        table=replace(TABLE.table, event=""),
        feeder=FeederSection(str(folder / "no-feeder")),
        camera=CameraSection(GateCameraSection(f"{nowhere}/gate"), TableCameraSection(table_camera or f"{nowhere}/table")),
        mqtt=config.MqttSettings(f"mqtt://127.0.0.1:{port}", "table-1", folder / "password"),
        deals=DealsSection(folder=folder if memory is None else None),
        custody=CustodySection(folder / "identity.key", server_key=HALL_SERVER.public.hex(), memory=(memory or folder) / "memory"),
        ledger=replace(TABLE.ledger, folder=folder / "ledger"),
        panel=PanelSection(enabled=False),
    )


def lose_power(memory: Path, ledger: Path, event: str) -> None:
    """Take the keys from the memory of a table whose vault has been heard, so that the journal's key is kept for it."""
    JournalKeyFiles(memory, ledger).keep_for(VAULT_USER, X25519PrivateKey.generate().public_key().public_bytes_raw(), event, "1")
    shutil.rmtree(memory)


class JoinedTableProcess:
    """``twinwall table run`` with such a file, and the hall's server."""

    def __init__(self, folder: Path, broker: RunningBroker, table_camera: str = "", memory: Path | None = None) -> None:
        settings = joined_settings(folder, broker.port, table_camera, memory)
        self.folder, self.broker, self._settings, self._memory = folder, broker, folder / "table.toml", settings.custody.memory
        config.write(self._settings, settings)
        counter = Counter(lambda: time.time_ns() // 1_000_000)
        self.hall = HallTables(HALL_SERVER, counter, folder / "assignments", lambda: datetime.now(UTC), time.monotonic)
        ear = Ear()
        ear.message = self.hall.hear  # type: ignore[method-assign]  # the server's end listens with it
        self.link = link_of(broker, SERVER_USER, ear, *map(all_joined, FROM_JOINED), instance=secrets.token_hex(4))
        self.hall.publish = self.link.publish
        self.start()

    def start(self) -> None:
        command = ends_with_parent([sys.executable, "-m", "cli", "table", "run", "--settings", str(self._settings)])
        with (self.folder / "table.log").open("ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def cut_power(self, event: str) -> None:
        """Kill it, and take the keys in memory from it; its vault has been heard, and the journal's key is kept for it."""
        self.kill()
        lose_power(self._memory / event_folder(event), self.folder / "ledger" / event_folder(event), event)

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(60)

    def close(self) -> None:
        if self.process.poll() is None:
            self.kill()
        self.link.close()

    def until(self, seen: Callable[[HallTable], bool], meaning: str) -> HallTable:
        def found() -> bool:
            assert self.process.poll() is None, self.log()
            return any(map(seen, self.hall.all_tables()))

        eventually(found, f"{meaning}: {self.hall.all_tables()}")
        return self.hall.all_tables()[0]

    def until_lines(self, event: str, type_: str, count: int) -> None:
        """Wait until the ledger of an event has so many lines of a type."""
        eventually(lambda: len(self.lines_of(event, type_)) == count, f"{count} lines of {type_}")

    def lines_of(self, event: str, type_: str = STARTED) -> list[dict[str, Any]]:
        """The lines of a type in the ledger of an event; none before it is there."""
        ledger = self.folder / "ledger" / event_folder(event) / "events.jsonl"
        written = ledger.read_text().rpartition("\n")[0].splitlines() if ledger.exists() else []  # whole lines
        return [line for line in map(json.loads, written) if line["type"] == type_]

    def log(self) -> str:
        """What the program has said."""
        return (self.folder / "table.log").read_text()


def running(process: JoinedTableProcess) -> Iterator[JoinedTableProcess]:
    yield process
    process.close()
    if process.broker.process is not None:
        process.broker.stop()


@pytest.fixture
def table(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[JoinedTableProcess]:
    yield from running(JoinedTableProcess(tmp_path, new_broker(getattr(request, "param", "amqtt"), tmp_path, event=None)))


@pytest.fixture
def sealed(tmp_path: Path) -> Iterator[JoinedTableProcess]:
    """A table whose deals come from vaults, of which none answers."""
    with memory_folder(MOUNTS.read_text(encoding="utf-8")) as memory:
        yield from running(JoinedTableProcess(tmp_path, new_broker("amqtt", tmp_path, event=None), memory=memory))


@pytest.mark.nightly
def test_a_table_goes_from_assignment_to_assignment_though_it_is_killed_between(table: JoinedTableProcess) -> None:
    waits = table.until(lambda found: found.heartbeat.stage is HallStage.WAITING, "it says that it waits")
    assert (waits.heartbeat.stage, waits.heartbeat.lacks) == (HallStage.WAITING, ("feeder", "gate-camera", "table-camera"))

    first = table.hall.assign("1", an_assignment(vault_keys={}))
    table.until(
        lambda found: found.heartbeat.number == first.number and found.heartbeat.stage is HallStage.PLAYING, "it plays the first assignment"
    )
    table.until_lines(first.event, STARTED, 1)
    (started,) = table.lines_of(first.event)

    table.kill()
    table.start()
    table.until_lines(first.event, STARTED, 2)
    assert {line["journal"] for line in table.lines_of(first.event)} == {started["journal"]}

    second = table.hall.assign("1", an_assignment(vault_keys={}, players=("11", "12", "13", "99")))
    table.until(lambda found: found.heartbeat.number == second.number and not found.heartbeat.between_hands, "it takes the substitute")
    table.until_lines(first.event, STARTED, 3)

    other = table.hall.assign("1", an_assignment(event="Another evening", vault_keys={}))
    table.until(lambda found: found.heartbeat.event == other.event and found.heartbeat.stage is HallStage.PLAYING, "it changes the event")
    table.until_lines(other.event, STARTED, 1)
    assert table.lines_of(other.event)[0]["journal"] != started["journal"]

    refused = table.hall.assign("1", an_assignment(public="another value", vault_keys={}))
    told = table.until(lambda found: found.heartbeat.refused != "", "it refuses another start of an event that it knows")
    assert "an event has one start" in told.heartbeat.refused
    assert told.heartbeat.number == other.number < refused.number
    assert table.stop() == 0


def test_a_table_that_lost_power_asks_the_vaults_until_it_is_stopped(tmp_path: Path) -> None:
    @contextmanager
    def stopping(request: JournalKeyRequest) -> Iterator[None]:
        request.stop()
        yield

    with memory_folder(MOUNTS.read_text(encoding="utf-8")) as memory:
        settings = assigned_settings(joined_settings(tmp_path, free_port(), memory=memory), an_assignment())
        with assembled(settings, NoAdapters(), LedgerTable, stopping) as whole:
            assert whole is not None
        (settings.ledger.folder / "table.journal").write_bytes(b"\n")
        lose_power(settings.custody.memory, settings.ledger.folder, settings.table.event)
        with assembled(settings, NoAdapters(), LedgerTable, stopping) as whole:
            assert whole is None


def test_a_table_without_a_machine_whose_ledger_is_damaged_tells_the_hall_so_and_waits(tmp_path: Path) -> None:
    own, assignment = joined_settings(tmp_path, free_port()), an_assignment()
    ledger = assigned_settings(own, assignment).ledger.folder
    (ledger / "events.jsonl").write_bytes(b"no line of this table\n")
    table = JoinedLedgerTable(own, played_on_paper)
    member = table._member
    table.start()
    member.message("twinwall-hall/1/assignment", sign_document(HALL_SERVER, assignment, table="1"))
    eventually(lambda: "events.jsonl" in member.heartbeat().refused, "the hall reads which file is damaged")
    table.stop()


@pytest.mark.nightly
def test_a_table_that_lost_power_after_an_event_whose_vaults_are_gone_takes_another_event(sealed: JoinedTableProcess) -> None:
    first = sealed.hall.assign("1", an_assignment())
    sealed.until(lambda found: found.heartbeat.stage is HallStage.PLAYING, "it plays the first event")
    sealed.cut_power(first.event)
    sealed.start()
    eventually(lambda: "the table has lost power" in sealed.log(), "it asks the vaults for its journal's key")
    sealed.hall.assign("1", an_assignment(session=2))
    told = sealed.until(lambda found: found.heartbeat.refused != "", "it refuses the next session of the event whose key it waits for")
    assert "waits for the key of its journal" in told.heartbeat.refused
    other = sealed.hall.assign("1", an_assignment(event="Another evening"))
    sealed.until(lambda found: found.heartbeat.event == other.event and found.heartbeat.stage is HallStage.PLAYING, "it changes the event")
    assert sealed.lines_of(first.event)
    assert sealed.stop() == 0


@pytest.mark.parametrize("table", some(KINDS[::-1], 1), indirect=True)
def test_what_it_plays_is_under_the_start_that_was_assigned(table: JoinedTableProcess) -> None:
    assigned = table.hall.assign("1", an_assignment(vault_keys={}))
    table.until(lambda found: found.heartbeat.stage is HallStage.PLAYING, "it plays")
    (ledger,) = table.folder.glob("ledger/event-*/public.jsonl")
    eventually(lambda: ledger.exists() and b"\n" in ledger.read_bytes(), "the open ledger has begun")
    assert json.loads(ledger.read_text().splitlines()[0])["code"] == a_start(a_plan(assigned.event)).code.hex()


class DrawnOnMat:
    """A mat in whose rivers so many drawn tiles lie, as the simulator's camera sees it."""

    def __init__(self) -> None:
        self.tiles: tuple[LaidTile, ...] = ()

    def draw(self, *faces: str) -> None:
        """Lay them two before each player."""
        places = ((place, index) for place in range(4) for index in range(2))
        self.tiles = tuple(
            LaidTile(face, place, Area.RIVER.value, index, False, (0.0, 0.0), 0.0)
            for face, (place, index) in zip(faces, places, strict=False)
        )

    def gate(self) -> GateScene:
        return GateScene(None)

    def table(self) -> TableScene:
        return TableScene(1, self.tiles)


@pytest.fixture
def mat() -> DrawnOnMat:
    return DrawnOnMat()


@pytest.fixture
def cameras(mat: DrawnOnMat) -> Iterator[CameraServer]:
    with CameraServer({"1": TableScenes(mat.gate, mat.table)}, seed=3) as server:
        yield server


@pytest.fixture
def seeing(cameras: CameraServer, tmp_path: Path) -> Iterator[JoinedTableProcess]:
    """A table with a camera, which waits for its event."""
    process = JoinedTableProcess(tmp_path, new_broker("amqtt", tmp_path, event=None), f"{cameras.url}/1/table.jpg")
    process.until(lambda found: found.heartbeat.stage is HallStage.WAITING, "it waits")
    yield from running(process)


@pytest.fixture
def vaults(tmp_path: Path) -> Iterator[HallOfVaults]:
    made = HallOfVaults(tmp_path, "server", "witness")
    made.settle()
    yield made
    made.close()


DRAWN = ("5p", "3s", "E", "7m", "C", "1s", "9p", "2m")


def test_a_table_that_waits_reads_the_drawn_tiles_by_order_and_signs_them(
    seeing: JoinedTableProcess, mat: DrawnOnMat, cameras: CameraServer, vaults: HallOfVaults
) -> None:
    draw, ordered = TileDraw(lambda: ("1",), joined=seeing.hall), list[tuple[str, bytes]]()

    def last() -> TableTiles:
        assert draw.read(vaults.deals, "Ann") is None
        return tile_readings(vaults.deals.state)[-1].tables[0]

    def publish(topic: str, payload: bytes) -> int | None:
        ordered.append((topic, payload))
        return seeing.link.publish(topic, payload)

    seeing.hall.publish = publish
    assert draw.read(vaults.deals, "Ann") is not None, "nothing is committed yet"
    assert ordered == []
    assert vaults.deals.make_deals(plan_of("server", "witness", public="tiles: 8"), PASSPHRASE, "Ann") is None
    vaults.settle()
    assert (last().tiles, last().unread, last().is_whole) == ("", (), False), "the mat is bare"
    mat.draw(*DRAWN[:5])
    assert (last().tiles, last().is_whole) == (" ".join(DRAWN[:5]), False)
    mat.draw(*DRAWN)
    seen = last()
    assert (seen.tiles, seen.unread, seen.is_whole, seen.key) == (" ".join(DRAWN), (), True, IDENTITY.public.hex())
    assert open_tile_reading(seen.signed.encode(), "1", IDENTITY.public).tiles == seen.tiles

    seeing.link.publish(*ordered[0])
    eventually(lambda: "an order to read tiles has no effect" in seeing.log(), "an old order is not carried out")
    seeing.hall.assign("1", an_assignment(vault_keys={}))
    seeing.until(lambda found: found.heartbeat.stage is HallStage.PLAYING, "it plays")
    assert last().trouble == "plays"
    seeing.kill()
    assert problems(read_store(vaults.folder / "store" / "event.sqlite")) == ()
