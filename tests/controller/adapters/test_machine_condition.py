"""The machine's condition and its line in the heartbeat."""

from pathlib import Path

import pytest

from controller.adapters.machine_condition import MEASURE_EVERY_S, MachineFacts, MachineMeter, feeder_line
from firmware_bridge.frames import LineCounts
from firmware_bridge.link.statistics import LinkStatistics
from tests.support.narrowed import present
from twinwall.wire.messages.commands import FeederLinkQuality
from twinwall.wire.messages.machine import CameraCondition


class Gate:
    """A camera that counts how often it is asked."""

    asked = 0

    def condition(self, now_ns: int) -> CameraCondition:
        self.asked += 1
        return CameraCondition("gate-camera", now_ns // 60_000_000_000)


def test_the_condition_has_what_the_operating_system_tells_and_the_cameras_say(tmp_path: Path) -> None:
    zone = tmp_path / "temp"
    zone.write_text("61499\n")
    meter = MachineMeter(MachineFacts("0.1.0", 60.0, 4000, tmp_path, zone), [Gate().condition], lambda: 245.0)
    found = present(meter())
    assert (found.version, found.up_min, found.temperature_c, found.feeder_operations) == ("0.1.0", 3, 61, 4000)
    assert found.disk_free_mib % 100 == 0
    assert found.cameras == (CameraCondition("gate-camera", 4),)


def test_a_computer_that_tells_no_temperature_has_none(tmp_path: Path) -> None:
    found = present(MachineMeter(MachineFacts("0.1.0", 0.0, 0, tmp_path, tmp_path / "absent"), [], lambda: 0.0)())
    assert found.temperature_c is None


@pytest.mark.parametrize(
    ("folder", "told", "weak", "slowed"),
    [
        ("soc/soc:firmware", "0", False, False),
        ("soc/soc:firmware", "50005\n", True, True),
        ("soc@107c000000/soc@107c000000:firmware", "10000\n", True, False),
        ("soc/soc:firmware", "8\n", False, True),
        ("soc/soc:firmware", "80000\n", False, True),
        ("soc/soc:firmware", "what?", False, False),
        ("elsewhere", "50005", False, False),
    ],
)
def test_weak_power_and_a_slowed_processor_are_told_as_the_firmware_has_them(
    tmp_path: Path, folder: str, told: str, weak: bool, slowed: bool
) -> None:
    (tmp_path / folder).mkdir(parents=True)
    (tmp_path / folder / "get_throttled").write_text(told)
    found = present(MachineMeter(MachineFacts("0.1.0", 0.0, 0, tmp_path, platform=tmp_path), [], lambda: 0.0)())
    assert (found.weak_power, found.slowed) == (weak, slowed)


def test_it_is_measured_again_after_some_seconds_only(tmp_path: Path) -> None:
    gate, now_s = Gate(), [0.0]
    meter = MachineMeter(MachineFacts("0.1.0", 0.0, 0, tmp_path), [gate.condition], lambda: now_s[0])
    for now_s[0] in (0.0, 2.0, MEASURE_EVERY_S - 0.1, MEASURE_EVERY_S):
        meter()
    assert gate.asked == 2


def test_a_folder_that_is_gone_is_told_as_nothing(tmp_path: Path) -> None:
    assert MachineMeter(MachineFacts("0.1.0", 0.0, 0, tmp_path / "gone"), [], lambda: 0.0)() is None


FRESH = LinkStatistics(False, LineCounts(), 0, 0, 0, 0, None, None)


def test_nothing_is_said_before_anything_was_measured() -> None:
    assert feeder_line(FRESH) is None


def test_shares_and_times_are_whole_numbers_rounded_up() -> None:
    line = LineCounts(frames=29_999, bytes_received=900_000, bad_checksum=1)
    assert feeder_line(LinkStatistics(True, line, 40_000, 9, 3, 2, 1.2, 7.0)) == FeederLinkQuality(2, 7, 1, 3, 2)


def test_ten_times_as_much_traffic_of_the_same_quality_looks_the_same() -> None:
    few = LinkStatistics(True, LineCounts(frames=9_990, bad_length=10), 10_000, 20, 1, 0, 1.0, 2.0)
    many = LinkStatistics(True, LineCounts(frames=99_900, bad_length=100), 100_000, 200, 1, 0, 1.0, 2.0)
    assert feeder_line(few) == feeder_line(many)
