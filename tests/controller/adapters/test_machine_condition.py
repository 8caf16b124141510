"""The machine's condition: disk, temperature and cameras, in figures so coarse that they tell nothing of the play."""

from pathlib import Path

import pytest

from controller.adapters.machine_condition import MEASURE_EVERY_S, MachineFacts, MachineMeter
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
    found = meter()
    assert found is not None
    assert (found.version, found.up_min, found.temperature_c, found.feeder_operations) == ("0.1.0", 3, 61, 4000)
    assert found.disk_free_mib % 100 == 0
    assert found.cameras == (CameraCondition("gate-camera", 4),)


def test_a_computer_that_tells_no_temperature_has_none(tmp_path: Path) -> None:
    found = MachineMeter(MachineFacts("0.1.0", 0.0, 0, tmp_path, tmp_path / "absent"), [], lambda: 0.0)()
    assert found is not None
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
    found = MachineMeter(MachineFacts("0.1.0", 0.0, 0, tmp_path, platform=tmp_path), [], lambda: 0.0)()
    assert found is not None
    assert (found.weak_power, found.slowed) == (weak, slowed)


def test_it_is_measured_again_after_some_seconds_only(tmp_path: Path) -> None:
    gate, now_s = Gate(), [0.0]
    meter = MachineMeter(MachineFacts("0.1.0", 0.0, 0, tmp_path), [gate.condition], lambda: now_s[0])
    for now_s[0] in (0.0, 2.0, MEASURE_EVERY_S - 0.1, MEASURE_EVERY_S):
        meter()
    assert gate.asked == 2


def test_a_folder_that_is_gone_is_told_as_nothing(tmp_path: Path) -> None:
    assert MachineMeter(MachineFacts("0.1.0", 0.0, 0, tmp_path / "gone"), [], lambda: 0.0)() is None
