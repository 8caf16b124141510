"""Link quality in the heartbeat: shares and times, rounded up, and no amounts."""

from controller.adapters.machine_condition import feeder_line
from firmware_bridge.frames import LineCounts
from firmware_bridge.link.statistics import LinkStatistics
from twinwall.wire.messages.commands import FeederLinkQuality

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
