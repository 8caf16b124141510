"""What a read needs: probability, a margin, one opinion of networks and frames; bare crops; and the judge of profile and general model."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.random import Generator
from numpy.typing import NDArray

from tests.support.narrowed import of_type, present
from tests.support.vision.pictures import face
from twinwall.art.designs import CLASSIC
from twinwall.game.tiles import ALL_TILES, Tile
from vision.model.bare_crop import misshapen, stretched, unless_blank
from vision.model.crop_view import CROP_H, CROP_W, CropView, Foreign, Limits, decide
from vision.model.judge import OverheadJudge, agreed
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
        del view
        return self.answer


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


SIX, SEVEN = Read(Tile.P6, 0.99, False), Read(Tile.P7, 0.999, False)
GLARE = ReadRefusal(Reason.GLARE, "light has washed the marks away")


def unsure(tile: Tile) -> ReadRefusal:
    return ReadRefusal(Reason.UNSURE, "either", (Candidate(tile, 0.6), Candidate(Tile.WHITE, 0.3)))


@pytest.mark.parametrize(
    ("frames", "answer"),
    [
        pytest.param(*case, id=why)
        for *case, why in (
            ([Read(Tile.P6, 0.999, False), SIX], SIX, "the least sure speaks for all"),
            ([SIX, GLARE, SIX], SIX, "one that saw nothing is made good by two that did"),
            ([SIX, GLARE], GLARE, "and not by one"),
            ([GLARE, GLARE], GLARE, "none saw anything"),
            ([SIX, SIX, unsure(Tile.P6)], SIX, "an unsure one leans the same way"),
            ([SIX, SIX, unsure(Tile.P7)], None, "an unsure one leans another way"),
            ([SIX, SIX, SEVEN], None, "one reads another kind"),
        )
    ],
)
def test_frames_agree_or_are_refused(frames: list[Read | ReadRefusal], answer: Read | ReadRefusal | None) -> None:
    found = agreed(frames)
    assert found == answer or (answer is None and isinstance(found, ReadRefusal) and found.reason is Reason.UNSURE)
    assert SEVEN not in frames or "6p, 7p" in getattr(found, "detail", "")


def test_one_read_alone_is_too_few_unless_one_is_asked_for() -> None:
    assert isinstance(agreed([SIX]), ReadRefusal)
    assert agreed([SIX], least=1) == SIX
    with pytest.raises(ValueError, match="no frame"):
        agreed([])


@given(st.lists(st.tuples(st.sampled_from(ALL_TILES[:3]), st.floats(0.5, 1.0)), min_size=1, max_size=4))
def test_a_read_is_never_one_that_some_frame_contradicts(frames: list[tuple[Tile, float]]) -> None:
    answer = agreed([Read(tile, probability, False) for tile, probability in frames])
    if isinstance(answer, Read):
        assert {tile for tile, _ in frames} == {answer.tile}
        assert answer.probability == min(probability for _, probability in frames)


WHITE = Read(Tile.WHITE, 0.999, False)


def floor(rng: Generator, *, level: float = 215, slope: float = 20) -> NDArray[np.uint8]:
    """An even light surface under slanting light, with the noise of a camera."""
    ramp = np.linspace(-slope, slope, CROP_H)[:, None, None] + rng.normal(0, 1.5, (CROP_H, CROP_W, 3)) + level
    return np.clip(ramp, 0, 255).astype(np.uint8)


@pytest.mark.parametrize(("width", "height"), [(64, 48), (60, 50), (24, 64)])
def test_a_form_that_is_no_whole_standing_tiles_is_refused(width: int, height: int) -> None:
    refusal = present(misshapen(np.zeros((height, width, 3), np.uint8)))
    assert refusal.reason is Reason.SHAPE


@pytest.mark.parametrize(("width", "height"), [(48, 64), (64, 64), (34, 80)])
def test_a_tile_in_a_photograph_that_was_stretched_may_still_be_whole(width: int, height: int) -> None:
    assert misshapen(np.zeros((height, width, 3), np.uint8)) is None


def test_a_light_floor_is_no_white_dragon_whatever_the_model_says(rng: Generator) -> None:
    answer = of_type(ReadRefusal, unless_blank(floor(rng), WHITE))
    assert answer.reason is Reason.EMPTY


def test_a_white_dragon_with_a_frame_stays_one(rng: Generator) -> None:
    framed = floor(rng)
    framed[6:-6, 6:10] = framed[6:-6, -10:-6] = 90
    assert unless_blank(framed, WHITE) == WHITE


def test_other_reads_and_refusals_pass_unchanged(rng: Generator) -> None:
    six = Read(Tile.P6, 0.99, False)
    assert unless_blank(np.ascontiguousarray(face(Tile.P6, 64, CLASSIC)[:, :, :3]), six) == six
    refusal = ReadRefusal(Reason.UNSURE, "either")
    assert unless_blank(floor(rng), refusal) is refusal


def test_stretching_makes_pale_marks_dark_and_leaves_strong_ones_and_the_face_as_they_are() -> None:
    crops = np.full((2, 64, 48, 3), 240, np.uint8)
    crops[0, 20:30, 10:30], crops[1, 20:30, 10:30] = 210, 40
    pale, strong = stretched(crops)
    assert pale[25, 20].max() < 120
    assert (pale[0] == 240).all()
    assert (strong == crops[1]).all()
    assert len(stretched(crops[:0])) == 0
