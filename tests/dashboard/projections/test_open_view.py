"""Open view: what everybody may know of a table; no play, and the end of a hand only with its release."""

from dataclasses import fields, is_dataclass
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.projections.open_view import HeldView, OpenStage, OpenStep, OpenView, fold_open, open_step
from dashboard.projections.store import EVERYBODY, Store
from tests.support.dashboard.example import SELF_DRAWN, building, closed_hand, play
from tests.support.tiers import law
from tests.support.wire.streams import START, Line, public_events
from twinwall.game.tiles import SEATS, Seat, Tile
from twinwall.wire.events.catalogue import PublishedEvent
from twinwall.wire.events.hand_events import HandClosed, HandStarted
from twinwall.wire.events.trouble_events import LinkLost, LinkRestored, RefereeCalled
from twinwall.wire.events.wall_events import Building, DealOpened, HandsTaken, WallRaised, WallReady
from twinwall.wire.ledger import PublicEvent

CALLED: Line = ("referee-called", {"seat": "W"})


def evening(first: str) -> list[PublicEvent]:
    """A first hand as one of the four tables plays it, then a second one in play."""
    return public_events([*closed_hand(first, 1), *[*building(2, 4)][1:], *play(SELF_DRAWN, 2), CALLED])


def shown(events: list[PublicEvent], released: frozenset[int] = frozenset()) -> OpenView:
    """What everybody may know after these events."""
    held = HeldView(OpenView("1"))
    for event in events:
        step = open_step(event)
        if step is not None and not step.staff:
            held = held.take(step, released)
    return held.view


def told(view: object) -> list[object]:
    """Every value in a view, however deep."""
    if is_dataclass(view) and not isinstance(view, type):
        return [value for field in fields(view) for value in told(getattr(view, field.name))]
    if isinstance(view, tuple):
        return [value for item in view for value in told(item)]
    return [view]


@law
@given(st.sampled_from("1234"), st.integers(0, 400))
def test_until_release_nobody_can_tell_how_or_whether_a_hand_ended(table: str, length: int) -> None:
    events = evening(table)
    started = next(index for index, event in enumerate(events) if event.type == "hand-started")
    seen, expected = shown(events[: started + 1 + length]), shown(events[: started + 1])
    assert (seen.hand, seen.stage, seen.since) == (expected.hand, expected.stage, expected.since)


@law
@given(st.sampled_from("1234"))
def test_after_release_everything_kept_back_is_told_as_if_it_had_never_been(table: str) -> None:
    events = evening(table)
    held = HeldView(OpenView("1"))
    for event in events:
        step = open_step(event)
        held = held if step is None else held.take(step, frozenset())
    assert held.reopen(frozenset({1})).view == shown(events, frozenset({1}))


def ruling(n: int) -> Line:
    return "ruling", {"ruling": f"r{n}", "n": n, "by": "Ota", "texts": {"en": "Play goes on."}, "effects": []}


def called_while_taking(*after: Line) -> OpenView:
    """The first hand is over and released; in the second, a seat calls while the tiles are taken, and then this happens."""
    raised = [*building(2, 4)][1:-1]
    return shown(public_events([*closed_hand("1", 1), *raised, CALLED, *after]), frozenset({1}))


def test_who_calls_while_the_tiles_of_a_hand_are_taken_is_not_forgotten_when_it_starts() -> None:
    assert called_while_taking(("hands-taken", {"n": 2}), *play(SELF_DRAWN, 2)).call is not None


@pytest.mark.parametrize(("n", "answered"), [(1, False), (2, True)])
def test_a_ruling_on_a_hand_that_is_over_answers_no_call_of_the_next(n: int, answered: bool) -> None:
    assert (called_while_taking(ruling(n)).call is None) is answered


def test_an_open_view_holds_no_tile() -> None:
    view = OpenView("1")
    for event in evening("1"):
        step = open_step(event)
        view = view if step is None else fold_open(view, step)
        assert not any(isinstance(value, Tile) for value in told(view))


def test_a_restarted_dashboard_shows_everybody_what_it_showed_before() -> None:
    events = evening("2")
    for released in ((), (1,)):
        grown, restored = Store("a"), Store("b")
        for event in events:
            grown.add(event, event.at)
        for n in released:
            grown.release(n)
        restored.restore({"1": events}, released)
        before, after = grown.table("1"), restored.table("1")
        assert before is not None
        assert after is not None
        assert (after.staff, after.public.view) == (before.staff, before.public.view)
        assert restored.sequence(EVERYBODY) > 0


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
