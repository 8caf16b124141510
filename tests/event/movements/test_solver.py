"""The solver and the first fit that stands in for it: partitions hold what is given, whatever it costs."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twinwall.event.movements.solver import EFFORT, Partition, first_fit, solve, solver_is_installed


@st.composite
def partitions(draw: st.DrawFn) -> Partition:
    """Parts of four with some costs, given parts and pairs that are apart."""
    parts = draw(st.integers(1, 5))
    entrant = st.integers(0, 4 * parts - 1)
    pairs = st.lists(st.tuples(entrant, entrant).filter(lambda pair: pair[0] < pair[1]), max_size=12, unique=True)
    priced = {pair: draw(st.integers(1, 9)) for pair in draw(pairs)}
    return Partition.of([4] * parts, priced, (), draw(st.dictionaries(entrant, st.integers(0, parts - 1), max_size=3)), draw(pairs))


def holds(partition: Partition, part_of: tuple[int, ...]) -> bool:
    whole = [part_of.count(part) for part in range(len(partition.sizes))] == list(partition.sizes)
    apart = all(len({part_of[entrant] for entrant in entrants}) == len(entrants) for entrants in partition.apart)
    return whole and apart and all(part_of[entrant] == part for entrant, part in partition.fixed)


@given(partition=partitions())
def test_a_first_fit_holds_what_is_given_and_apart_or_is_none(partition: Partition) -> None:
    found = first_fit(partition)
    assert found is None or holds(partition, found)


@pytest.mark.slow
def test_the_solver_finds_the_cheapest_partition_that_holds() -> None:
    pairs = {(one, other): 1 for one in range(8) for other in range(one + 1, 8) if one % 2 == other % 2}
    partition = Partition.of([4, 4], pairs, (), {0: 1}, [(0, 1)])
    found = solve(partition, EFFORT)
    assert found is not None
    assert holds(partition, found)
    assert sum(found[one] == found[other] for one, other in pairs) == 4


@pytest.mark.slow
def test_what_no_partition_holds_has_no_answer() -> None:
    assert solve(Partition.of([4, 4], {}, (), dict.fromkeys(range(5), 0)), EFFORT) is None
    assert first_fit(Partition.of([4, 4], {}, (), dict.fromkeys(range(5), 0))) is None


def test_whether_the_solver_is_there_is_known_without_loading_it(monkeypatch: pytest.MonkeyPatch) -> None:
    assert solver_is_installed()
    monkeypatch.setattr(sys, "path", [])
    assert not solver_is_installed()
