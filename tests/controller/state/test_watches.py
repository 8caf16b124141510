"""Watches and timers: their forms in the journal, in the log and for a remote clock."""

from controller.state.timers import ClaimWindowTimer, timer_id
from controller.state.watches import Awaited, Awaits, Watch, WatchVersion
from twinwall.game.tiles import Seat


def test_a_watch_is_labelled_by_tile_moment_and_ruling() -> None:
    before = Watch(Awaited(Awaits.DISCARD, Seat.SOUTH, 4), (), version=WatchVersion(7, 12, 1, 0))
    after = Watch(Awaited(Awaits.DISCARD, Seat.SOUTH, 4), (), version=WatchVersion(7, 12, 2, 1))
    assert before.label == "discard S 4 at 7.12 look 1"
    assert after.label == "discard S 4 at 7.12 look 2 ruled 1"


def test_a_remote_clock_knows_a_claim_window_by_deal_and_number() -> None:
    assert timer_id(ClaimWindowTimer(7, 3)) == "claim-window:7.3"
