"""Open view: what everybody may know of a table; no play, and the end of a hand only with its release."""

from __future__ import annotations

from dataclasses import fields, is_dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.projections.open_view import HeldView, OpenView, fold_open, open_step
from dashboard.projections.store import EVERYBODY, Store
from tests.support.dashboard.example import SELF_DRAWN, building, closed_hand, play
from tests.support.tiers import law
from tests.support.wire.streams import Line, public_events
from twinwall.game.tiles import Tile
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
