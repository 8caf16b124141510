"""Held-back ends: what everybody sees does not tell that a hand is over, until every table has played the deal."""

from __future__ import annotations

from datetime import timedelta
from itertools import count

from hypothesis import given
from hypothesis import strategies as st

from dashboard.projections.open_view import FINISHED, HeldView, OpenStage, OpenStep, OpenView
from tests.support.tiers import law
from tests.support.wire.streams import START

SEATS = {"E": "Ann", "S": "Ben", "W": "Cho", "N": "Dan"}


def steps(*kinds: tuple[str, dict[str, object]]) -> list[OpenStep]:
    return [OpenStep(kind, START + timedelta(seconds=seq), "j", seq, fields) for seq, (kind, fields) in zip(count(1), kinds, strict=False)]


def wall(n: int) -> list[tuple[str, dict[str, object]]]:
    progress: list[tuple[str, dict[str, object]]] = [("building", {"placed": placed, "of": 136}) for placed in (40, 80, 136)]
    return [("deal-opened", {"n": n, "hand": n}), *progress, ("wall-ready", {"n": n})]


def rise(n: int) -> list[tuple[str, dict[str, object]]]:
    started = {"n": n, "hand": n, "session": 1, "seats": SEATS}
    return [("wall-raised", {"n": n}), ("hands-taken", {"n": n}), ("hand-started", started)]


MEANWHILE: list[tuple[str, dict[str, object]]] = [
    ("link-lost", {"what": "panel"}),
    *wall(2),
    ("referee-called", {}),
    ("link-restored", {"what": "panel"}),
]
FIRST = steps(*wall(1), *rise(1))
DURING = steps(*MEANWHILE)
AFTER = steps(*rise(2), *wall(3))
END = OpenStep(FINISHED, START, "j", 99)


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
