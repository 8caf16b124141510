"""The judge of tiles seen from above: what an enrolled set's profile and the general model make of a face together."""

from dataclasses import dataclass

import numpy as np
import pytest

from twinwall.game.tiles import Tile
from vision.model.crop_view import CropView
from vision.model.judge import OverheadJudge
from vision.reading import Candidate, Read, ReadRefusal, Reason

VIEW = CropView(np.zeros(34), {}, False, Tile.P6, Tile.P6, np.zeros((2, 4), np.float32))


@pytest.mark.parametrize(
    ("likeliest", "reason", "general", "read"),
    [
        (Tile.P6, Reason.UNSURE, Tile.P6, True),
        pytest.param(Tile.P6, Reason.UNSURE, Tile.P7, False, id="the model is sure of another kind"),
        pytest.param(Tile.P6, Reason.UNSURE, None, False, id="the model is unsure as well"),
        pytest.param(Tile.P6, Reason.NOT_A_TILE, Tile.P6, False, id="the profile holds it for no tile"),
        pytest.param(Tile.WHITE, Reason.UNSURE, Tile.WHITE, False, id="light washes marks away"),
    ],
)
def test_from_above_what_is_unlike_the_set_is_read_where_the_model_is_sure_of_its_likeliest_kind(
    likeliest: Tile, reason: Reason, general: Tile | None, *, read: bool
) -> None:
    """Light that is reflected makes a face unlike the examples of a gate, whose light is always the same."""
    refusal = ReadRefusal(reason, "", (Candidate(likeliest, 1.0),))
    sure = ReadRefusal(Reason.UNSURE, "", ()) if general is None else Read(general, 0.99, False, ())
    answer = OverheadJudge(Answering(likeliest, refusal), Answering(likeliest, sure)).decide(VIEW)
    assert answer is (sure if read else refusal)


@dataclass(frozen=True)
class Answering:
    """A judge that says the same of everything."""

    likeliest: Tile
    answer: Read | ReadRefusal
    knows_the_set: bool = True

    def rank(self, view: CropView, most: int = 3) -> tuple[Candidate, ...]:
        """The likeliest kind."""
        del view
        return (Candidate(self.likeliest, 1.0),)[:most]

    def decide(self, view: CropView) -> Read | ReadRefusal:
        """The answer."""
        del view
        return self.answer
