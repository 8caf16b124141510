"""Agreement of several frames of one tile: agreement, contradiction, and frames without a view."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twinwall.game.tiles import ALL_TILES, Tile
from vision.model.agreement import agreed
from vision.reading import Candidate, Read, ReadRefusal, Reason

SIX, SEVEN = Read(Tile.P6, 0.99, False), Read(Tile.P7, 0.999, False)
GLARE = ReadRefusal(Reason.GLARE, "light has washed the marks away")


def unsure(tile: Tile) -> ReadRefusal:
    return ReadRefusal(Reason.UNSURE, "either", (Candidate(tile, 0.6), Candidate(Tile.WHITE, 0.3)))


def test_the_least_sure_of_agreeing_frames_speaks_for_all() -> None:
    assert agreed([Read(Tile.P6, 0.999, False), SIX]) == SIX


def test_one_frame_that_reads_another_kind_is_enough_to_refuse() -> None:
    answer = agreed([SIX, SIX, SEVEN])
    assert isinstance(answer, ReadRefusal)
    assert answer.reason is Reason.UNSURE
    assert "6p, 7p" in answer.detail


def test_a_frame_that_saw_nothing_is_made_good_by_two_that_did() -> None:
    assert agreed([SIX, GLARE, SIX]) == SIX
    assert agreed([SIX, GLARE]) == GLARE
    assert agreed([GLARE, GLARE]) == GLARE


def test_an_unsure_frame_must_lean_the_same_way() -> None:
    assert agreed([SIX, SIX, unsure(Tile.P6)]) == SIX
    assert isinstance(agreed([SIX, SIX, unsure(Tile.P7)]), ReadRefusal)


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
