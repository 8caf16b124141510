"""Every page, print, export, stream and answer of the API, of events that have something odd: no error, nothing blank."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest
from hypothesis import example, given, settings

from dashboard.api.api_routes import OPERATIONS
from tests.support.dashboard.api import PREFIX, Program
from tests.support.dashboard.hall import Hall
from tests.support.dashboard.odd_events import ODD_EVENTS, RULINGS, OddEvent, addresses_asked, odd_hall
from tests.support.dashboard.setup import says
from tests.support.tiers import examples
from twinwall.event.bundle.bundle_files import STANDINGS
from twinwall.event.bundle.derived_files import derived_files

MAIN, TAG = re.compile(rb"<main.*?</main>", re.DOTALL), re.compile(rb"<[^>]*>")


def failures(hall: Hall, odd: OddEvent) -> Iterator[str]:
    """What is an error or blank, for a director, for everybody, and for programs."""
    visitor = hall.new_client()
    hall.log_in()
    for address in sorted(set(addresses_asked(hall, odd))):
        for who, client in (("staff", hall.client), ("visitor", visitor)):
            if address.startswith("/api/"):
                continue
            hall.turns_left = 1
            answer = client.get(address)
            content = TAG.sub(b"", main[0]) if (main := MAIN.findall(answer.data)) else answer.data
            if answer.status_code >= 500 or (answer.status_code == 200 and not content.strip()) or b"failed-part" in answer.data:
                yield f"{who} {address}: {answer.status_code}"
            answer.close()
    program = Program(hall)
    for operation in OPERATIONS:
        if operation.method == "GET":
            for n, number in ((1, "1"), (2, odd.stand_in)):
                path = operation.path.format(deal=n, session=n, table="1", player=number, webhook=1)
                answer = program.ask("GET", path)
                if answer.status_code >= 500 or not answer.data.strip():
                    yield f"{PREFIX}{path}: {answer.status_code}"


@pytest.mark.parametrize("odd", [OddEvent(lacking=2, points="rank"), OddEvent(team=True, lacking=1, points="rank"), OddEvent(lacking=2)])
def test_what_leaves_the_event_ranks_whom_the_pages_rank(odd: OddEvent) -> None:
    hall = odd_hall(odd).desk.hall
    left = json.loads(derived_files(hall)[STANDINGS])
    ranked = {standing.entrant for group in hall.standings().groups for standing in group.ranking}
    assert len(ranked) == (14 if not odd.team else 3)
    for document in (left, left.get("rank_points", left)):
        assert {place["entrant"] for group in document["groups"] for place in group["ranking"]} == ranked


def test_where_nothing_can_be_compared_the_standings_say_why_and_not_that_nothing_is_released() -> None:
    page = odd_hall(OddEvent(tables=1)).client.get("/standings")
    assert says(page, "deal.alone")
    assert not says(page, "standings.none")


@example(OddEvent(lacking=1))
@example(OddEvent(team=True, lacking=1))
@example(OddEvent(points="cross-imp", lacking=1, stands_in=True, late=True, rulings=tuple(RULINGS)))
@example(OddEvent(team=True, points="rank", stage="second session", withdrawn=True, sitting_out=True))
@example(OddEvent(team=True, lacking=1, stage="second released", rulings=("penalty",), late=True))
@example(OddEvent(tables=1, silent=1))
@settings(max_examples=examples(18))
@given(ODD_EVENTS)
def test_every_answer_of_an_odd_event_is_whole(odd: OddEvent) -> None:
    assert list(failures(odd_hall(odd), odd)) == []
