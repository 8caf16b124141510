"""A table whose decoder is to tell calls by voice says once, in its log, where the claim window is short for them."""

import pytest

from cli.table.table_parts import LEAST_WINDOW_BY_VOICE_S, note_short_window
from tests.support.controller.rigs import set_up


def test_a_short_window_is_named_with_what_to_do(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO"):
        note_short_window(set_up(decodes=True, claim_window_s=3.0))
    (record,) = caplog.records
    assert "claim_window_s = 3 is short" in record.message
    assert "2 s more (5 or longer)" in record.message


@pytest.mark.parametrize(("decodes", "claim_window_s"), [(True, LEAST_WINDOW_BY_VOICE_S), (False, 3.0)], ids=["long enough", "no decoder"])
def test_nothing_is_said_of_a_window_that_is_long_enough_or_where_nobody_tells_calls_by_voice(
    caplog: pytest.LogCaptureFixture, decodes: bool, claim_window_s: float
) -> None:
    with caplog.at_level("INFO"):
        note_short_window(set_up(decodes=decodes, claim_window_s=claim_window_s))
    assert not caplog.records
