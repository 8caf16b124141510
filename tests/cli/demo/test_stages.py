"""Stage times of hands, from journals."""

from collections.abc import Iterator

from cli.demo.stage_times import StageTimes, mean_stages_s


def journal(*events: tuple[int, str, int | None]) -> StageTimes:
    """A journal of (second, type, deal)."""
    times = StageTimes()
    for second, kind, n in events:
        times.take({"type": kind, "at": f"2026-11-20T10:00:{second:02d}.000Z"} | ({} if n is None else {"n": n}))
    return times


def one_hand(wait: int) -> Iterator[tuple[int, str, int | None]]:
    """Deal 2 is built while hand 1 is played, and is ready ``wait`` seconds after hand 1 was closed."""
    yield from ((0, "deal-opened", 1), (5, "wall-ready", 1), (6, "wall-raised", 1), (7, "hand-started", 1), (8, "deal-opened", 2))
    yield from ((20, "payments-computed", None), (22, "hand-closed", 1), (22 + wait, "wall-ready", 2))


def test_the_wall_of_the_next_hand_is_not_taken_for_that_of_the_present_one() -> None:
    assert mean_stages_s([journal(*one_hand(3))]) == {"build": 11.0, "wait": 3.0, "hands": 1.0, "play": 13.0, "settle": 2.0}


def test_a_wall_that_is_ready_before_the_hand_ends_costs_no_waiting() -> None:
    assert mean_stages_s([journal(*one_hand(-4))])["wait"] == 0.0


def test_a_stage_that_never_ended_is_left_out() -> None:
    assert mean_stages_s([journal((0, "deal-opened", 1))]) == {}
