"""A hand of the worked example at the moment when its score is entered and confirmed, for the pages of seats."""

from __future__ import annotations

import html
import re

from dashboard.access.seat_codes import seat_code
from tests.support.dashboard.example import BY_DISCARD, ON_A_DISCARD, building, ending, play
from tests.support.dashboard.hall import SETTINGS
from tests.support.wire.streams import Line

SHOWN: list[Line] = [*building(), *play(ON_A_DISCARD), next(iter(ending(BY_DISCARD)))]
"""South has won with West's discard and has shown the hand."""
ENTERED: list[Line] = [*SHOWN, list(ending(BY_DISCARD))[1]]
"""South has entered the score."""
RECORDED: list[Line] = [*building(), *play(ON_A_DISCARD), *ending(BY_DISCARD), ("hand-closed", {"n": 1})]
PAYMENTS = (-8, 48, -32, -8)


def words_of(page: str) -> str:
    """What a page says between its header and its end, in one line."""
    main = re.search(r"<main.*</main>", page, re.DOTALL)
    assert main is not None
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", main[0]))).strip()


def seat_address(place: int, table: str = "1") -> str:
    """The address that the card of a table has for a place, at the event of the tests' settings."""
    return f"/seat/{table}/{place}?code={seat_code(SETTINGS.secret, SETTINGS.event, table, place)}"
