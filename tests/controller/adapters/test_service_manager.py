"""The heart of the table's service, which systemd hears while the loop that plays goes round, and the machine's condition in it."""

import os
import re
import select
import socket
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from controller.adapters.follower import nothing
from controller.adapters.hall_member import BEAT_S, HallMember
from controller.adapters.journal_keys import ASKED_EVERY_S, JournalKeyRequest
from controller.adapters.machine_condition import MEASURE_EVERY_S, MachineMeter, feeder_line
from controller.adapters.service_manager import tell_alive
from controller.ledger.assignment_folder import AssignmentFolder
from controller.state.messages import KeyPressed
from firmware_bridge.frames import LineCounts
from firmware_bridge.link.statistics import LinkStatistics
from tests.support.controller.rigs import Rig
from tests.support.custody.hall import PlayedTable
from tests.support.narrowed import present
from tests.support.patience import PATIENCE_S
from tests.support.wire.assignments import HALL_SERVER, IDENTITY
from tests.support.wire.link import FakeLink
from twinwall.wire.ledger import LedgerPosition
from twinwall.wire.messages.commands import CameraCondition, FeederLinkQuality, MachineCondition
from twinwall.wire.shapes.panel import Key

ALIVE = b"READY=1\nWATCHDOG=1"


@pytest.fixture
def systemd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(str(tmp_path / "notify"))
        listener.settimeout(PATIENCE_S)
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
        yield listener


def heard(listener: socket.socket) -> list[bytes]:
    """What has come by now."""
    came = []
    while select.select([listener], [], [], 0)[0]:
        came.append(listener.recv(99))
    return came


def test_the_heart_stops_while_the_tables_loop_hangs_and_goes_on_with_it(systemd: socket.socket, rig: Rig) -> None:
    hangs, goes_on = threading.Event(), threading.Event()

    def hang() -> None:
        hangs.set()
        assert goes_on.wait(PATIENCE_S)

    rig.settle()
    thread = threading.Thread(target=rig.table.run, args=(rig.follower, rig.publisher, nothing))
    rig.post(KeyPressed(0, Key.WIN))
    thread.start()
    assert systemd.recv(99) == ALIVE
    rig.publisher.questions = hang  # part of a beat
    assert hangs.wait(PATIENCE_S)
    heard(systemd)
    for _ in range(3):
        rig.post(KeyPressed(0, Key.WIN))
    assert heard(systemd) == []
    goes_on.set()
    assert systemd.recv(99) == ALIVE
    rig.table.stop()
    thread.join()


def test_a_table_that_waits_for_an_assignment_is_alive(systemd: socket.socket, tmp_path: Path) -> None:
    kept = AssignmentFolder(tmp_path, "1", HALL_SERVER.public)
    member = HallMember(IDENTITY, HALL_SERVER.public, "0.1.0", lambda: (), kept, now=lambda: datetime.now(UTC))
    thread = threading.Thread(target=member.next)
    thread.start()
    assert systemd.recv(99) == ALIVE
    member.stop()
    thread.join()


def test_a_table_that_waits_for_its_journals_key_is_alive(systemd: socket.socket, tmp_path: Path) -> None:
    table = PlayedTable("1", tmp_path / "played")
    request = JournalKeyRequest(table.deals, {}, LedgerPosition("unknown"))
    request.stop()
    assert request.wait(FakeLink()) is None
    assert heard(systemd) == [ALIVE]
    table.close()


def test_a_socket_with_an_abstract_name_is_heard_and_none_or_one_that_is_gone_does_no_harm(monkeypatch: pytest.MonkeyPatch) -> None:
    name = f"twinwall-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(f"\0{name}")
        monkeypatch.setenv("NOTIFY_SOCKET", f"@{name}")
        tell_alive()
        assert heard(listener) == [ALIVE]
    tell_alive()
    monkeypatch.delenv("NOTIFY_SOCKET")
    tell_alive()


def test_the_tables_unit_wants_a_heart_that_beats_often_enough() -> None:
    unit = (Path(__file__).parents[3] / "config" / "systemd" / "twinwall-table.service").read_text(encoding="utf-8")
    keys = dict(re.findall(r"^(\w+)=(.*)$", unit, re.MULTILINE))
    assert keys["Type"] == "notify"
    assert float(keys["WatchdogSec"]) >= 10 * max(BEAT_S, ASKED_EVERY_S)


class Gate:
    """A camera that counts how often it is asked."""

    asked = 0

    def condition(self, now_ns: int) -> CameraCondition:
        self.asked += 1
        return CameraCondition("gate-camera", now_ns // 60_000_000_000)


def measured(folder: Path, at_s: float = 0.0, system: Path | None = None) -> MachineCondition | None:
    """The condition of a computer without cameras whose ``system`` files are in the folder, or elsewhere."""
    return MachineMeter("0.1.0", 0.0, 0, folder, cameras=[], monotonic_s=lambda: at_s, system=system or folder)()


def test_the_condition_has_what_the_operating_system_tells_and_the_cameras_say(tmp_path: Path) -> None:
    zone = tmp_path / "class/thermal/thermal_zone0"
    zone.mkdir(parents=True)
    (zone / "temp").write_text("61499\n")
    meter = MachineMeter("0.1.0", 60.0, 4000, tmp_path, cameras=[Gate().condition], monotonic_s=lambda: 245.0, system=tmp_path)
    found = present(meter())
    assert (found.version, found.up_min, found.temperature_c, found.feeder_operations) == ("0.1.0", 3, 61, 4000)
    assert found.disk_free_mib % 100 == 0
    assert found.cameras == (CameraCondition("gate-camera", 4),)


@pytest.mark.parametrize(
    ("folder", "told", "weak", "slowed"),
    [
        ("soc/soc:firmware", "0", False, False),
        ("soc/soc:firmware", "50005\n", True, True),
        ("soc@107c000000/soc@107c000000:firmware", "10000\n", True, False),
        ("soc/soc:firmware", "8\n", False, True),
        ("soc/soc:firmware", "80000\n", False, True),
        ("soc/soc:firmware", "what?", False, False),
        ("soc/soc:firmware", "", False, False),
        ("elsewhere", "50005", False, False),
    ],
)
def test_weak_power_and_a_slow_processor_are_told_by_the_firmware(tmp_path: Path, folder: str, told: str, weak: bool, slowed: bool) -> None:
    firmware = tmp_path / "devices/platform" / folder
    firmware.mkdir(parents=True)
    (firmware / "get_throttled").write_text(told)
    found = present(measured(tmp_path))
    assert (found.weak_power, found.slowed) == (weak, slowed)


def test_what_wears_a_card_is_told_coarsely_as_the_kernel_has_it(tmp_path: Path) -> None:
    card = tmp_path / "block/mmcblk0"
    files = {"stat": "9 0 9 9 9 0 90177536 9 0 9 9\n", "device/life_time": "0x02 0x08\n", "../sda/stat": "9 9 9 9 9 9 9 9"}
    for name, text in files.items():
        (card / name).parent.mkdir(parents=True, exist_ok=True)
        (card / name).write_text(text)
    found = present(measured(tmp_path, 2 * 86400.0))
    assert (found.written_gib_a_day, found.worn_percent, found.disk_fails) == (21, 80, False)
    (tmp_path / "fs/ext4/sda2").mkdir(parents=True)
    (tmp_path / "fs/ext4/sda2/errors_count").write_text("3\n")
    (card / "device/life_time").write_text("0x00 0x00\n")
    found = present(measured(tmp_path, 3600.0))
    assert (found.worn_percent, found.disk_fails) == (None, True)


def test_a_computer_that_tells_neither_temperature_nor_wear_has_none(tmp_path: Path) -> None:
    found = present(measured(tmp_path, system=tmp_path / "absent"))
    assert (found.temperature_c, found.written_gib_a_day, found.worn_percent, found.disk_fails) == (None, None, None, False)


def test_a_disk_that_has_become_read_only_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = os.statvfs(tmp_path)
    monkeypatch.setattr(os, "statvfs", lambda _path: os.statvfs_result((*now[:8], now.f_flag | os.ST_RDONLY, now.f_namemax)))
    assert present(measured(tmp_path)).disk_fails


def test_it_is_measured_again_after_some_seconds_only(tmp_path: Path) -> None:
    gate, now_s = Gate(), [0.0]
    meter = MachineMeter("0.1.0", 0.0, 0, tmp_path, cameras=[gate.condition], monotonic_s=lambda: now_s[0])
    for now_s[0] in (0.0, 2.0, MEASURE_EVERY_S - 0.1, MEASURE_EVERY_S):
        meter()
    assert gate.asked == 2


def test_a_folder_that_is_gone_is_told_as_nothing(tmp_path: Path) -> None:
    assert measured(tmp_path / "gone") is None


FRESH = LinkStatistics(False, LineCounts(), 0, 0, 0, 0, None, None)
FEW = LinkStatistics(True, LineCounts(frames=9_990, bad_length=10), 10_000, 20, 1, 0, 1.0, 2.0)
MANY = LinkStatistics(True, LineCounts(frames=99_900, bad_length=100), 100_000, 200, 1, 0, 1.0, 2.0)


def test_shares_and_times_of_a_line_are_rounded_up_whatever_its_traffic_once_it_was_measured() -> None:
    assert feeder_line(FRESH) is None
    assert feeder_line(FEW) == feeder_line(MANY)
    line = LineCounts(frames=29_999, bytes_received=900_000, bad_checksum=1)
    assert feeder_line(LinkStatistics(True, line, 40_000, 9, 3, 2, 1.2, 7.0)) == FeederLinkQuality(2, 7, 1, 3, 2)
