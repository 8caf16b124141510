"""A variant of the firmware is made of texts that stand in its source, each exactly once."""

import pytest

from tests.support.firmware.variants import Replacement, ReplacementError, variant


@pytest.mark.parametrize("old", ["no such text", "return"])
def test_a_text_that_does_not_stand_there_once_is_named(old: str) -> None:
    with pytest.raises(ReplacementError, match=rf"feeder\.c holds '{old}'"):
        variant(Replacement("feeder.c", old, ""))
