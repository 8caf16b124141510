"""Views: what everybody may know of a table, the range of a forecast; and one made from stored lines equals the one that grew."""

import math
import random
from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.projections.fold import fold, restored
from dashboard.projections.forecast import LEAST_DEALS, TablePace, forecast
from dashboard.projections.hall_views import EVERYBODY, HallViews
from dashboard.projections.open_view import HeldView, OpenStage, OpenStep, OpenView, fold_open, open_step
from dashboard.projections.table_view import TableView
from tests.support.dashboard.example import BY_DISCARD, BY_SELF_DRAW, ON_A_DISCARD, SELF_DRAWN, building, closed_hand, ending, play
from tests.support.narrowed import present
from tests.support.tiers import law
from tests.support.wire.streams import START, Line, ledger_lines, public_events
from twinwall.game.tiles import SEATS, Seat, Tile
from twinwall.wire.events.catalogue import PublishedEvent
from twinwall.wire.events.hand_events import HandClosed, HandStarted
from twinwall.wire.events.trouble_events import LinkLost, LinkRestored, RefereeCalled
from twinwall.wire.events.wall_events import Building, DealOpened, HandsTaken, WallRaised, WallReady
from twinwall.wire.ledger import PublicEvent, parse

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


@pytest.mark.parametrize(
    ("after", "answered"),
    [((("hands-taken", {"n": 2}), *play(SELF_DRAWN, 2)), False), ((ruling(1),), False), ((ruling(2),), True)],
    ids=["the hand starts", "a ruling on the hand before", "a ruling on this hand"],
)
def test_a_call_while_tiles_are_taken_stands_until_a_ruling_on_that_hand(after: tuple[Line, ...], answered: bool) -> None:
    assert (called_while_taking(*after).call is None) is answered


def test_an_open_view_holds_no_tile() -> None:
    view = OpenView("1")
    for event in evening("1"):
        step = open_step(event)
        view = view if step is None else fold_open(view, step)
        assert not any(isinstance(value, Tile) for value in told(view))


def test_a_restarted_dashboard_shows_everybody_what_it_showed_before() -> None:
    events = evening("2")
    for released in ((), (1,)):
        grown, restored = HallViews("a"), HallViews("b")
        for event in events:
            grown.add(event, event.at)
        for n in released:
            grown.release(n)
        restored.restore({"1": events}, released)
        before, after = present(grown.table("1")), present(restored.table("1"))
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
    assert present(held.view.wall).n == 3
    assert held.waiting == ()


HANDS = 16
CYCLES = ((400.0,), (420.0,), (440.0,))


def pace(table: str, hand: int, gone_s: float | None = 0.0) -> TablePace:
    return (table, hand, None if gone_s is None else START - timedelta(seconds=gone_s))


def test_the_end_is_that_of_the_slowest_table_and_what_it_costs_is_said() -> None:
    found = present(forecast([pace("1", 4, 200), pace("3", 3, 350), pace("2", 4, 130)], CYCLES, HANDS, START))
    assert (found.slowest, found.end) == ("3", START + timedelta(seconds=70 + 13 * 420))
    assert found.costs_s == pytest.approx((70 + 13 * 420) - (290 + 12 * 420))
    assert found.earliest < found.end < found.latest
    ends = [present(forecast([pace("1", 16, gone_s)], CYCLES, HANDS, START)).end - START for gone_s in (0, 600)]
    assert ends == [timedelta(seconds=420), timedelta(seconds=42)], "a hand that takes longer than usual moves it"
    assert forecast([pace("1", 2)], CYCLES[: LEAST_DEALS - 1], HANDS, START) is None, "from too few deals nothing is forecast"
    assert forecast([pace("1", HANDS + 1, None)], CYCLES, HANDS, START) is None, "nothing is left"


deals = st.lists(st.lists(st.floats(60, 1200), min_size=1, max_size=5), min_size=LEAST_DEALS, max_size=16)


@given(deals, st.integers(1, HANDS), st.floats(0, 2000))
def test_the_end_lies_within_its_range_and_never_in_the_past(cycles: list[list[float]], hand: int, gone_s: float) -> None:
    found = present(forecast([pace("1", hand, gone_s)], cycles, HANDS, START))
    assert START <= found.earliest <= found.end <= found.latest


class PlayedSession:
    """A session whose hands take 450 s, times a log-normal factor each; ``spread`` deals lie between its tables at most."""

    def __init__(self, chance: random.Random, tables: int, spread: int | None) -> None:
        slow = [math.exp(chance.gauss(0, 0.1)) for _ in range(tables)]
        self.starts = [[0.0] * (HANDS + 1) for _ in range(tables)]
        self.ends = [[0.0] * (HANDS + 1) for _ in range(tables)]
        for hand in range(1, HANDS + 1):
            for table in range(tables):
                ready = self.ends[table][hand - 1]
                if spread is not None and hand - 1 - spread >= 1:
                    ready = max(ready, *(ends[hand - 1 - spread] for ends in self.ends))
                self.starts[table][hand] = ready
                self.ends[table][hand] = ready + 450 * slow[table] * math.exp(chance.gauss(-0.06, 0.35))

    def released(self, hand: int) -> float:
        """When the last table finished the hand."""
        return max(ends[hand] for ends in self.ends)

    def paces(self, now_s: float) -> list[TablePace]:
        """How far the tables are then."""
        found = []
        for table, (starts, ends) in enumerate(zip(self.starts, self.ends, strict=True)):
            hand = max(number for number in range(1, HANDS + 1) if starts[number] <= now_s)
            playing = ends[hand] > now_s
            found.append((str(table), hand + (not playing), START + timedelta(seconds=starts[hand]) if playing else None))
        return found

    def cycles_s(self, hand: int, now_s: float) -> Sequence[Sequence[float]]:
        """The cycles of the hands up to this one, as far as the next has begun."""
        found = ([starts[n + 1] - starts[n] for starts in self.starts if starts[n + 1] <= now_s] for n in range(1, hand + 1))
        return [of_hand for of_hand in found if of_hand]


@pytest.mark.parametrize(("tables", "spread"), [(4, 0), (4, 1), (16, None)], ids=["barometer", "one deal apart", "each for itself"])
@pytest.mark.parametrize("hand", [5, 8, 12])
def test_some_four_of_five_sessions_end_within_the_range(tables: int, spread: int | None, hand: int) -> None:
    """Of 150 sessions 0.65 to 0.97 may: the random error of a share of 0.8 is 0.03, and the model is an approximation."""
    chance = random.Random(f"{tables} {spread} {hand}")
    within = []
    for _ in range(150):
        played = PlayedSession(chance, tables, spread)
        now_s = played.released(hand) + 1
        found = present(forecast(played.paces(now_s), played.cycles_s(hand, now_s), HANDS, START + timedelta(seconds=now_s)))
        within.append(found.earliest <= START + timedelta(seconds=played.released(HANDS)) <= found.latest)
    assert 0.65 <= sum(within) / len(within) <= 0.97


TROUBLE: list[Line] = [
    ("fault", {"code": "jam", "where": "tray 3", "sentence": "A tile is stuck."}),
    ("link-lost", {"what": "panel"}),
    ("referee-called", {"seat": "W"}),
    ("referee-called", {"about": "hand-overdue"}),
    ("violation", {"seat": "W", "what": "put-back", "sentence": "West put a drawn tile back."}),
]


def troubled_evening() -> list[PublicEvent]:
    """Three hands with trouble between, and a fourth wall."""
    script: list[Line] = [*building(1, 3), *play(SELF_DRAWN, 1), *ending(BY_SELF_DRAW), ("hand-closed", {"n": 1}), *TROUBLE]
    script += [*building(2, 3), *play(ON_A_DISCARD, 2), *ending(BY_DISCARD), ("hand-closed", {"n": 2}), TROUBLE[2]]
    script += [*building(3, 3), *play(SELF_DRAWN, 3), *ending(BY_SELF_DRAW), ("hand-closed", {"n": 3}), *building(4, 3)]
    return [parse(line) for line in ledger_lines(script)]


EVENING = troubled_evening()


def grown(events: list[PublicEvent]) -> TableView:
    view = TableView("1")
    for event in events:
        view = fold(view, event)
    return view


@given(st.integers(1, len(EVENING)))
def test_a_restored_view_is_the_one_that_grew(length: int) -> None:
    assert restored("1", EVENING[:length]) == grown(EVENING[:length])


def test_the_later_of_two_journals_is_shown() -> None:
    later = [parse(line) for line in ledger_lines([*building(2, 4)], journal="j2")]
    assert restored("1", [*EVENING, *later]) == grown(later)


def test_a_restored_table_is_shown_and_silent_until_it_is_heard() -> None:
    views = HallViews("boot", ["1", "2"])
    views.restore({"1": EVENING})
    status = present(views.table("1"))
    assert (status.view, status.silent, status.heard) == (grown(EVENING), True, None)
    assert [table.name for table in views.tables()] == ["1", "2"]
