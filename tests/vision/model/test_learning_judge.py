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


def learning(*looks: CropView) -> LearningJudge:
    """A judge that has decided about these looks."""
    judge = LearningJudge(GeneralJudge(Limits(0.9, 0.5, 0.2)))
    for look in looks:
        judge.decide(look)
    return judge


@pytest.mark.parametrize(
    ("face", "shares", "likeness", "read"),
    [
        pytest.param(Tile.M2, DOUBT, 1.0, Tile.M2, id="like the kind that was read surely"),
        pytest.param(Tile.M2, {Tile.M2: 0.2, Tile.M3: 0.8}, 1.0, None, id="like it, and the general model holds another for likelier"),
        pytest.param(Tile.M3, DOUBT, 1.0, None, id="unlike it"),
        pytest.param(Tile.M2, DOUBT, 0.86, None, id="as a kind that looks much like it"),
        pytest.param(Tile.M2, {Tile.M2: 0.6}, 1.0, None, id="perhaps a piece of a tile"),
        pytest.param(Tile.M2, {Tile.M2: 0.01, Tile.M3: 0.6, Tile.M4: 0.39}, 1.0, None, id="the general model holds it for none"),
    ],
)
def test_a_face_in_doubt_is_read_where_it_is_like_one_that_was_read_surely_twice(
    face: Tile, shares: dict[Tile, float], likeness: float, read: Tile | None
) -> None:
    look = view(face, shares, likeness)
    answer = learning(view(Tile.M2, SURE), view(Tile.M2, SURE)).decide(look)
    assert (answer.tile if isinstance(answer, Read) else None) is read
    assert not isinstance(learning(view(Tile.M2, SURE)).decide(look), Read)


def test_a_kind_that_was_learnt_is_no_longer_likely_for_a_face_that_is_unlike_it() -> None:
    judge = learning(view(Tile.M2, SURE), view(Tile.M2, SURE))
    best, second = judge.rank(view(Tile.M3, DOUBT), 2)
    assert (best.tile, second.tile) == (Tile.M3, Tile.M2)
    assert best.probability + second.probability == pytest.approx(1.0, abs=1e-3)


def test_a_sure_read_that_looks_like_another_kind_of_this_set_is_in_doubt() -> None:
    judge = learning(*2 * [view(Tile.M2, SURE)], *2 * [view(Tile.M3, {Tile.M3: 0.995})])
    assert not isinstance(judge.decide(view(Tile.M2, {Tile.M3: 0.95, Tile.M2: 0.05})), Read)


def test_two_sure_looks_at_unlike_faces_teach_nothing() -> None:
    judge = learning(view(Tile.M2, SURE), view(Tile.P5, SURE))
    assert not judge.learnt
    assert learning(view(Tile.M2, SURE), view(Tile.M2, SURE)).learnt == {Tile.M2}
