"""Wall audit: the assignment, what is certain, read again or fouled, and how often a swapped pair survives."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from benchmarks.vision.audit import misread_bound, most_swaps, survival
from tests.support.narrowed import of_type
from twinwall.game.tiles import ALL_TILES, Tile
from vision import wall_audit
from vision.reading import Candidate
from vision.wall_audit import Certain, Fouled, ReadAgain, Unlikely, Verdict, assign, audit, joined_looks, look_of

COPIES = dict.fromkeys(ALL_TILES, 4)
WALL = tuple(tile for tile in ALL_TILES for _ in range(4))


def looks_like(kinds: dict[Tile, float]) -> NDArray[np.float64]:
    return look_of([Candidate(tile, probability) for tile, probability in kinds.items()])


def audited(seen: dict[int, dict[Tile, float]] | None = None, again: dict[int, dict[Tile, float]] | None = None) -> Verdict:
    """On a wall in which every tile was read with certainty, but for the positions given; ``again`` adds second looks."""
    filled, wall = [], []
    for index, tile in enumerate(WALL):
        first = (seen or {}).get(index, {tile: 0.9999})
        looks = {"first": looks_like(first)}
        if again and index in again:
            looks["second"] = looks_like(again[index])
        filled.append(max(first, key=lambda kind: first[kind]))
        wall.append(looks)
    return audit(filled, wall, COPIES)


def test_a_wall_read_with_certainty_is_certain() -> None:
    verdict = of_type(Certain, audited())
    assert verdict.doubt < 1e-4


def test_two_positions_that_may_have_changed_places_are_read_again_and_nothing_else() -> None:
    six, seven = WALL.index(Tile.P6), WALL.index(Tile.P7)
    doubtful = {six: {Tile.P6: 0.8, Tile.P7: 0.19}, seven: {Tile.P7: 0.75, Tile.P6: 0.24}}
    verdict = of_type(ReadAgain, audited(doubtful))
    assert set(verdict.positions) == {six, seven}
    confirmed = {six: {Tile.P6: 0.9999}, seven: {Tile.P7: 0.9999}}
    assert isinstance(audited(doubtful, confirmed), Certain)


def test_a_wall_of_many_even_doubts_is_likelier_another_one_though_no_single_exchange_is(monkeypatch: pytest.MonkeyPatch) -> None:
    sixes, sevens = ([index for index, tile in enumerate(WALL) if tile is kind] for kind in (Tile.P6, Tile.P7))
    even = {index: {Tile.P6: 0.5, Tile.P7: 0.49} for index in sixes} | {index: {Tile.P7: 0.5, Tile.P6: 0.49} for index in sevens}
    verdict = of_type(Unlikely, audited(even))
    assert set(verdict.positions) == {*sixes, *sevens}
    monkeypatch.setattr(wall_audit, "UNLIKELY_DOUBT", 1e6)
    assert isinstance(audited(even), ReadAgain)


def test_a_doubt_about_one_position_alone_is_answered_by_the_count_of_four() -> None:
    six = WALL.index(Tile.P6)
    assert isinstance(audited({six: {Tile.P6: 0.8, Tile.P7: 0.19}}), Certain)


def test_a_fifth_copy_sends_every_position_of_that_kind_back() -> None:
    six = WALL.index(Tile.P6)
    verdict = of_type(Unlikely, audited({six: {Tile.P7: 0.98, Tile.P6: 0.015}}))
    assert verdict.positions[0] == six
    assert set(verdict.positions) == {six, *(index for index, tile in enumerate(WALL) if tile is Tile.P7)}


def test_a_swap_that_a_second_look_shows_fouls_the_wall_and_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    six, seven = WALL.index(Tile.P6), WALL.index(Tile.P7)
    first = {six: {Tile.P7: 0.95, Tile.P6: 0.045}, seven: {Tile.P6: 0.95, Tile.P7: 0.045}}
    assert isinstance(audited(first), ReadAgain)
    second = {six: {Tile.P6: 0.9999}, seven: {Tile.P7: 0.9999}}
    monkeypatch.setattr(wall_audit, "INDEPENDENCE", 1.0)
    assert audited(first, second) == Fouled((six, seven), (Tile.P6, Tile.P7))


def test_a_wall_of_another_size_than_its_set_is_refused() -> None:
    with pytest.raises(ValueError, match="135 positions"):
        audit(WALL[:-1], [{}] * 135, COPIES)
    with pytest.raises(ValueError, match="cannot fill"):
        assign(np.zeros((3, 2)), [1, 1])


def test_a_set_without_honours_is_audited_over_its_own_kinds() -> None:
    suits = {tile: 4 for tile in ALL_TILES if not tile.is_honour}
    wall = [tile for tile in suits for _ in range(4)]
    assert isinstance(audit(wall, [{"first": looks_like({tile: 0.9999})} for tile in wall], suits), Certain)


@given(st.lists(st.integers(0, 2), min_size=6, max_size=6), st.integers(0, 2**32 - 1))
def test_no_other_assignment_of_the_same_kinds_is_cheaper(kinds: list[int], seed: int) -> None:
    costs = np.random.default_rng(seed).uniform(0, 5, (6, 3))
    copies = [kinds.count(kind) for kind in range(3)]
    chosen = assign(costs, copies)
    assert np.bincount(chosen, minlength=3).tolist() == copies
    cheapest = min(float(costs[np.arange(6), list(order)].sum()) for order in set(permutations(kinds)))
    assert float(costs[np.arange(6), chosen].sum()) == pytest.approx(cheapest)


def test_frames_of_one_model_are_one_look() -> None:
    one, other = looks_like({Tile.P6: 0.9}), looks_like({Tile.P6: 0.7, Tile.P7: 0.3})
    joined = joined_looks([one, other])
    assert joined[int(Tile.P6)] == pytest.approx(0.8)
    assert joined.sum() == pytest.approx(1.0)


def test_reading_everything_again_by_a_model_that_errs_alone_leaves_no_pair() -> None:
    assert survival(0.0, 0.0, positions=136, re_read=136) == 0
    assert survival(1.0, 1.0, positions=136, re_read=136) == pytest.approx(1.0)


def test_a_rate_is_bounded_by_three_over_n_when_nothing_went_wrong() -> None:
    assert misread_bound(0, 30_000) == pytest.approx(1e-4, rel=0.01)
    assert misread_bound(5, 1000) == pytest.approx(0.01049, rel=0.01)
    assert misread_bound(4, 4) == 1.0
    assert most_swaps(1e-4) == pytest.approx((4 * 1e-4 * 17) ** 2)
    with pytest.raises(ValueError, match="no rate"):
        misread_bound(3, 2)
