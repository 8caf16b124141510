"""Held-back ends: what everybody sees does not tell that a hand is over, until every table has played the deal."""

from __future__ import annotations

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from dashboard.projections.open_view import HeldView, OpenStage, OpenStep, OpenView
from tests.support.tiers import law
from tests.support.wire.streams import START
from twinwall.game.tiles import SEATS, Seat
from twinwall.wire.events.catalogue import PublishedEvent
from twinwall.wire.events.hand_events import HandClosed, HandStarted
from twinwall.wire.events.trouble_events import LinkLost, LinkRestored, RefereeCalled
from twinwall.wire.events.wall_events import Building, DealOpened, HandsTaken, WallRaised, WallReady


def steps(*bodies: PublishedEvent) -> list[OpenStep]:
    return [OpenStep(body, START + timedelta(seconds=seq), "j", seq) for seq, body in enumerate(bodies, 1)]


def wall(n: int) -> list[PublishedEvent]:
    progress = [Building(placed, 136) for placed in (40, 80, 136)]
    return [DealOpened(n, 1, n, "", "", {}, ""), *progress, WallReady(n, "", "")]


def rise(n: int) -> list[PublishedEvent]:
    return [WallRaised(n), HandsTaken(n), HandStarted(n, 1, n, "", {}, Seat.EAST, dict.fromkeys(SEATS, "Ann"), {}, {})]


MEANWHILE = [LinkLost("panel"), *wall(2), RefereeCalled(), LinkRestored("panel")]
FIRST = steps(*wall(1), *rise(1))
DURING = steps(*MEANWHILE)
AFTER = steps(*rise(2), *wall(3))
END = OpenStep(HandClosed(1), START, "j", 99)


def seen(ended_after: int) -> list[OpenView]:
    """What everybody sees after each step during the hand, which ends after so many of them, and once the next has begun."""
    held = HeldView(OpenView("1"))
    for step in FIRST:
        held = held.take(step, ())
    views = []
    for number, step in enumerate([*DURING, *AFTER]):
        if number == ended_after:
            held = held.take(END, ())
        held = held.take(step, ())
        views.append(held.view)
    return views


@law
@given(st.integers(0, len(DURING)), st.integers(0, len(DURING)))
def test_when_a_hand_ended_cannot_be_seen(first: int, second: int) -> None:
    assert seen(first) == seen(second)


def test_it_is_told_with_the_deal_and_the_next_hand_with_it() -> None:
    held = HeldView(OpenView("1"))
    for step in [*FIRST, *DURING, END, *AFTER]:
        held = held.take(step, ())
    assert (held.view.stage, held.view.hand_number) == (OpenStage.PLAYING, 1)
    held = held.reopen({1})
    assert (held.view.stage, held.view.hand_number) == (OpenStage.PLAYING, 2)
    assert held.view.wall is not None
    assert held.view.wall.n == 3
    assert held.waiting == ()
