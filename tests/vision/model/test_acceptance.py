"""What a read needs: probability, a margin over the next kind, little that is foreign, and one opinion of both views and all networks."""

from collections.abc import Mapping

import numpy as np
import pytest

from twinwall.game.tiles import Tile
from vision.model.acceptance import Limits, decide
from vision.model.classes import Foreign
from vision.model.crop_view import CropView
from vision.reading import Read, Reason

LIMITS = Limits(probability=0.6, margin=0.3, foreign=0.1)
P6, P7 = Tile.P6, Tile.P7


def view(kinds: Mapping[Tile, float], *, nothing: float = 0.0, second: Tile = P6, members: tuple[Tile, ...] = (P6, P6)) -> CropView:
    shares = np.zeros(34)
    for kind, share in kinds.items():
        shares[kind] = share
    return CropView(shares, {Foreign.NOTHING: nothing}, False, P6, second, np.zeros((2, 4), np.float32), members)


@pytest.mark.parametrize(
    ("seen", "reason"),
    [
        (view({P6: 0.9, P7: 0.1}), None),
        (view({P6: 0.6, P7: 0.3, Tile.P8: 0.1}), None),
        (view({P6: 0.59, P7: 0.2}), Reason.UNSURE),
        (view({P6: 0.64, P7: 0.36}), Reason.UNSURE),
        (view({P6: 0.85}, nothing=0.15), Reason.UNSURE),
        (view({P6: 0.3}, nothing=0.7), Reason.NOT_A_TILE),
        (view({P6: 0.9, P7: 0.1}, second=P7), Reason.UNSURE),
        (view({P6: 0.9, P7: 0.1}, members=(P6, P7)), Reason.UNSURE),
    ],
)
def test_a_read_needs_all_of_it(seen: CropView, reason: Reason | None) -> None:
    answer = decide(seen, LIMITS)
    assert (answer.tile if isinstance(answer, Read) else answer.reason) == (P6 if reason is None else reason)
