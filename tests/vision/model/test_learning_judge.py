"""A judge that learns the faces of a set from what is read surely."""

import numpy as np
import pytest

from twinwall.game.tiles import Tile
from vision.model.acceptance import Limits
from vision.model.classes import Foreign
from vision.model.crop_view import CropView
from vision.model.judge import GeneralJudge
from vision.model.learning_judge import LearningJudge
from vision.reading import Read

SURE, DOUBT = {Tile.M2: 0.995}, {Tile.M2: 0.8, Tile.M3: 0.2}


def view(face: Tile, shares: dict[Tile, float], likeness: float = 1.0) -> CropView:
    """A look at a face of one's own, so like others of its kind, with what the general model makes of it."""
    kinds, best = np.full(len(Tile), 1e-6), max(shares, key=lambda kind: shares[kind])
    for kind, share in shares.items():
        kinds[kind] = share
    embedding = np.zeros(2 * len(Tile), np.float32)
    embedding[2 * face : 2 * face + 2] = likeness, np.sqrt(1 - likeness**2)
    foreign = dict.fromkeys(Foreign, 0.0) | {Foreign.PART: max(0.0, 1 - kinds.sum())}
    return CropView(kinds, foreign, False, best, best, np.stack([embedding, embedding]))


def learning(*looks: tuple[Tile, CropView]) -> LearningJudge:
    """A judge that has read these kinds surely, each tile 30 mm from the one before."""
    judge = LearningJudge(GeneralJudge(Limits(0.9, 0.5, 0.2)))
    for number, (kind, look) in enumerate(looks):
        judge.learn(kind, look, 30.0 * number, 0.0)
    return judge


TWO = 2 * [(Tile.M2, view(Tile.M2, SURE))]


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
def test_a_face_in_doubt_is_read_where_it_is_like_two_tiles_that_were_read_surely(
    face: Tile, shares: dict[Tile, float], likeness: float, read: Tile | None
) -> None:
    look = view(face, shares, likeness)
    answer = learning(*TWO).decide(look)
    assert (answer.tile if isinstance(answer, Read) else None) is read
    assert not isinstance(learning(*TWO[:1]).decide(look), Read)


def test_one_tile_alone_teaches_nothing_however_often_it_is_read() -> None:
    judge = learning()
    for x_mm in (100.0, 101.5, 99.0):
        judge.learn(Tile.M2, view(Tile.M2, SURE), x_mm, -40.0)
    assert not judge.learnt
    judge.learn(Tile.M2, view(Tile.M2, SURE), 100.0, 40.0)
    assert judge.learnt == {Tile.M2}


def test_no_white_dragon_is_read_by_its_likeness() -> None:
    judge = learning(*2 * [(Tile.WHITE, view(Tile.WHITE, {Tile.WHITE: 0.995}))])
    assert not isinstance(judge.decide(view(Tile.WHITE, {Tile.WHITE: 0.8, Tile.P1: 0.2})), Read)


def test_a_kind_that_was_learnt_is_no_longer_likely_for_a_face_that_is_unlike_it() -> None:
    best, second = learning(*TWO).rank(view(Tile.M3, DOUBT), 2)
    assert (best.tile, second.tile) == (Tile.M3, Tile.M2)
    assert best.probability + second.probability == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize(("learnt", "read"), [([Tile.M2, Tile.M3], False), ([Tile.M3], True), ([], True)])
def test_a_sure_read_is_in_doubt_where_it_looks_like_another_kind_that_was_learnt(learnt: list[Tile], read: bool) -> None:
    judge = learning(*(each for kind in learnt for each in 2 * [(kind, view(kind, {kind: 0.995}))]))
    assert isinstance(judge.decide(view(Tile.M2, {Tile.M3: 0.95, Tile.M2: 0.05})), Read) is read


def test_two_sure_reads_of_unlike_faces_teach_nothing() -> None:
    assert not learning((Tile.M2, view(Tile.M2, SURE)), (Tile.M2, view(Tile.P5, SURE))).learnt
