"""A judge that learns the faces of a set from the tiles of a recording."""

from dataclasses import replace

import numpy as np
import pytest

from tests.support.narrowed import of_type
from twinwall.game.tiles import Tile
from vision.model.crop_view import CropView, Foreign, Limits
from vision.model.judge import GeneralJudge
from vision.model.learning_judge import LearningJudge
from vision.reading import Read

rng = np.random.default_rng(1)
SURE, DOUBT = {Tile.M2: 0.995}, {Tile.M2: 0.8, Tile.M3: 0.2}
SURE_9M = {Tile.M9: 0.995}


def view(face: Tile, shares: dict[Tile, float], likeness: float = 1.0) -> CropView:
    """A look at a face of one's own, so like others of its kind, with what the general model makes of it."""
    kinds, best = np.full(len(Tile), 1e-6), max(shares, key=lambda kind: shares[kind])
    for kind, share in shares.items():
        kinds[kind] = share
    embedding = np.zeros(2 * len(Tile), np.float32)
    embedding[2 * face : 2 * face + 2] = likeness, np.sqrt(1 - likeness**2)
    foreign = dict.fromkeys(Foreign, 0.0) | {Foreign.PART: max(0.0, 1 - kinds.sum())}
    return CropView(kinds, foreign, False, best, best, np.stack([embedding, embedding]))


def learning(*looks: CropView) -> LearningJudge:
    """A judge that has seen these tiles, each 30 mm from the one before."""
    judge = LearningJudge(GeneralJudge(Limits(0.9, 0.5, 0.2)))
    for number, look in enumerate(looks):
        judge.learn(look, 30.0 * number, 0.0)
    return judge


TWO = 2 * [view(Tile.M2, SURE)]


@pytest.mark.parametrize(
    ("face", "shares", "likeness", "read"),
    [
        pytest.param(Tile.M2, DOUBT, 1.0, Tile.M2, id="like the kind that was read surely"),
        pytest.param(Tile.M2, {Tile.M2: 0.4, Tile.M3: 0.6}, 1.0, Tile.M2, id="like it, and not the general model's first kind"),
        pytest.param(Tile.M3, DOUBT, 1.0, None, id="unlike it"),
        pytest.param(Tile.M2, DOUBT, 0.86, None, id="as a kind that looks much like it"),
        pytest.param(Tile.M2, {Tile.M2: 0.6}, 1.0, None, id="perhaps a piece of a tile"),
        pytest.param(Tile.M2, {Tile.M2: 0.2, Tile.M3: 0.8}, 1.0, None, id="the general model is nearly sure of another"),
    ],
)
def test_a_face_in_doubt_is_read_where_it_is_like_tiles_that_were_read_surely(
    face: Tile, shares: dict[Tile, float], likeness: float, read: Tile | None
) -> None:
    look = view(face, shares, likeness)
    answer = learning(*TWO).decide(look)
    assert (answer.tile if isinstance(answer, Read) else None) is read
    assert not isinstance(learning().decide(look), Read)


def test_a_tile_that_is_misread_teaches_no_face_of_a_kind_of_which_there_are_more() -> None:
    judge = learning(view(Tile.P5, SURE), *TWO)
    assert not isinstance(judge.decide(view(Tile.P5, DOUBT)), Read)
    assert isinstance(judge.decide(view(Tile.M2, DOUBT)), Read)


def test_no_white_dragon_is_read_by_its_likeness() -> None:
    judge = learning(*2 * [view(Tile.WHITE, {Tile.WHITE: 0.995})])
    assert not isinstance(judge.decide(view(Tile.WHITE, {Tile.WHITE: 0.8, Tile.P1: 0.2})), Read)


def test_a_kind_that_was_learnt_is_no_longer_likely_for_a_face_that_is_unlike_it() -> None:
    best, second = learning(*TWO).rank(view(Tile.M3, DOUBT), 2)
    assert (best.tile, second.tile) == (Tile.M3, Tile.M2)
    assert best.probability + second.probability == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize("likeness", [0.99, 0.7])
def test_a_sure_read_is_the_likeliest_kind_though_it_is_drawn_unlike_the_others_of_its_kind(likeness: float) -> None:
    judge, look = learning(*TWO), view(Tile.M2, {Tile.M2: 0.95, Tile.M3: 0.05}, likeness)
    answer = of_type(Read, judge.decide(look))
    assert answer.tile is judge.rank(look)[0].tile is Tile.M2


@pytest.mark.parametrize(("learnt", "read"), [([Tile.M2, Tile.M3], False), ([Tile.M3], True), ([], True)])
def test_a_sure_read_is_in_doubt_where_it_looks_like_another_kind_that_was_learnt(learnt: list[Tile], read: bool) -> None:
    judge = learning(*(each for kind in learnt for each in 2 * [view(kind, {kind: 0.995})]))
    assert isinstance(judge.decide(view(Tile.M2, {Tile.M3: 0.95, Tile.M2: 0.05})), Read) is read


@pytest.mark.parametrize(
    ("tiles", "kinds"),
    [
        pytest.param(
            [(Tile.M2, {Tile.M2: 0.8, Tile.M3: 0.2}, 3), (Tile.M3, {Tile.M3: 0.6, Tile.M2: 0.4}, 2)], {Tile.M2, Tile.M3}, id="3m is left"
        ),
        pytest.param(
            [(Tile.M6, {Tile.M6: 0.6, Tile.M9: 0.4}, 3), (Tile.M9, SURE_9M, 1)], {Tile.M6, Tile.M9}, id="9m is one that was read surely"
        ),
        pytest.param([(Tile.M6, {Tile.M6: 0.5, Tile.M9: 0.5}, 3)], set(), id="in doubt, and nothing else seen"),
        pytest.param(
            [(Tile.M6, {Tile.M6: 0.5, Tile.M9: 0.5}, 3), (Tile.M9, {Tile.M6: 0.5, Tile.M9: 0.5}, 3)], set(), id="either way round"
        ),
    ],
)
def test_a_kind_in_doubt_is_learnt_where_the_others_it_may_be_are_taken(
    tiles: list[tuple[Tile, dict[Tile, float], int]], kinds: set[Tile]
) -> None:
    assert set(learning(*(view(face, shares) for face, shares, count in tiles for _ in range(count))).learnt) == kinds


def test_a_red_five_is_no_six_because_the_fives_are_known() -> None:
    fives, red = 4 * [view(Tile.M5, {Tile.M5: 0.995})], view(Tile.S8, {Tile.M5: 0.55, Tile.M6: 0.445})
    judge = learning(*fives, red, red)
    assert set(judge.learnt) == {Tile.M5}
    assert not isinstance(judge.decide(red), Read)


@pytest.mark.parametrize(("likeness", "read"), [(0.85, {Tile.M9}), (0.5, {Tile.M6, Tile.M9})])
def test_a_face_that_is_much_like_a_learnt_kind_may_be_that_kind_in_another_light(likeness: float, read: set[Tile]) -> None:
    nines, others = 3 * [view(Tile.M9, SURE_9M)], 3 * [view(Tile.M9, {Tile.M9: 0.45, Tile.M6: 0.55}, likeness)]
    assert set(learning(*nines, *others).learnt) == read


def test_what_an_evening_shows_of_hands_and_pieces_takes_no_face_away() -> None:
    pieces = [
        replace(look, embeddings=rng.normal(size=look.embeddings.shape).astype(np.float32))
        for look in 300 * [view(Tile.P5, {Tile.P5: 0.5})]
    ]
    assert set(learning(*TWO, *pieces).learnt) == {Tile.M2}
