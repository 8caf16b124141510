"""Every page, print, export, stream and answer of the API, of events that have something odd: no error, nothing blank."""

import html
import json
import re
from collections.abc import Iterator
from urllib.parse import unquote, urljoin, urlsplit

import pytest
from hypothesis import given, settings
from werkzeug.routing import Rule

from dashboard.access.page_table import PAGES
from dashboard.access.staff_schema import Role
from dashboard.api.api_routes import OPERATIONS
from tests.support.dashboard.api import PREFIX, Program
from tests.support.dashboard.hall import Hall
from tests.support.dashboard.odd_events import ODD_EVENTS, RULINGS, OddEvent, addresses_asked, odd_hall
from tests.support.dashboard.setup import says
from tests.support.dashboard.staff import EVERYTHING, enrol
from tests.support.tiers import examples, pairs, some
from twinwall.art.names import LANGUAGES
from twinwall.event.bundle.bundle_files import STANDINGS, derived_files

LINK = re.compile(r'<a [^>]*?href="([^"]+)"')
MAIN, TAG = re.compile(rb"<main.*?</main>", re.DOTALL), re.compile(rb"<[^>]*>")


MACHINES = {"ready_table", "ready_tables", "ready_mat", "mat_picture", "mat_print", "tile_question", "table_phones"}
RECORDS = {"record_only", "recorded_hand", "recorded_file", "record_question"}
NOT_REACHED = {*MACHINES, *RECORDS, "key_slip", "key_slip_form", "invitation", "seat_events", "commitments", "api.openapi", "static"}
"""Pages that need a table's machines, a link, a code or a vault, and what programs ask: tests beside them look at them."""


def asked(hall: Hall, odd: OddEvent) -> Iterator[tuple[str, str, int, bytes]]:
    """Who asks, for what, and the answer's status and text: a person of the staff, and a visitor."""
    visitor = hall.new_client()
    enrol(hall.staff, "Abe", roles=EVERYTHING if odd.role is None else {odd.role})
    assert hall.log_in("Abe").status_code == 303
    for address in sorted(set(addresses_asked(hall, odd))):
        for who, client in (("staff", hall.client), ("visitor", visitor)):
            if not address.startswith("/api/"):
                hall.turns_left = 1
                answer = client.get(address, headers={"Accept-Language": odd.language})
                yield who, address, answer.status_code, answer.data
                answer.close()


def failures(hall: Hall, odd: OddEvent) -> Iterator[str]:
    """What is an error or blank, for somebody of the staff, for everybody, and for programs."""
    for who, address, status, text in asked(hall, odd):
        content = TAG.sub(b"", main[0]) if (main := MAIN.findall(text)) else text
        if status >= 500 or (status == 200 and not content.strip()) or b"failed-part" in text:
            yield f"{who} {address}: {status}"
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


@pytest.mark.parametrize(("role", "language"), pairs(Role, LANGUAGES))
def test_an_odd_event_reaches_every_page_that_a_role_may_see_and_every_link_leads_to_one(role: Role, language: str) -> None:
    team = role is Role.DIRECTOR  # a team has a page for directors
    odd = OddEvent(team, tables=4 if team else 2, planned=True, rulings=("adjusted", "annulled"), late=True, role=role, language=language)
    hall = odd_hall(odd)
    routes = hall.app.url_map.bind("localhost")
    reached, links = set[tuple[str, str]](), dict[str, str]()
    for who, address, status, text in asked(hall, odd):
        assert status < 500, address
        assert b"failed-part" not in text, address
        if status < 400:
            reached.add((who, routes.match(unquote(urlsplit(address).path))[0]))
        if role is Role.DIRECTOR and who == "staff":
            links |= dict.fromkeys(LINK.findall(text.decode("utf-8", "replace")), address)
    pages = {rule.endpoint: PAGES[rule.endpoint].audience.roles for rule in hall.app.url_map.iter_rules() if is_page(rule)}
    seen = {("staff", page) for page, roles in pages.items() if roles is None or role in roles}
    seen |= {("visitor", page) for page, roles in pages.items() if roles is None}
    assert seen <= reached, sorted(seen - reached)
    for link, address in links.items():
        hall.turns_left = 1
        answer = hall.client.get(urljoin(address, html.unescape(link)))
        assert answer.status_code < 400, (address, link)
        answer.close()


def is_page(rule: Rule) -> bool:
    """Whether it is one of the pages and files that an odd event has."""
    return "GET" in (rule.methods or ()) and rule.endpoint in PAGES.keys() - NOT_REACHED


ONCE_BROKEN = (
    OddEvent(team=True, lacking=1, stage="second released", rulings=("penalty",), late=True),
    OddEvent(points="cross-imp", lacking=1, stands_in=True, late=True, rulings=tuple(RULINGS)),
    OddEvent(team=True, points="rank", stage="second session", withdrawn=True, sitting_out=True),
    OddEvent(tables=1, silent=1),
    OddEvent(lacking=1),
    OddEvent(team=True, lacking=1),
)


@pytest.mark.parametrize("odd", some(ONCE_BROKEN, 4), ids=str)
def test_every_answer_of_an_event_that_once_broke_one_is_whole(odd: OddEvent) -> None:
    assert list(failures(odd_hall(odd), odd)) == []


@settings(max_examples=examples(12))
@given(ODD_EVENTS)
def test_every_answer_of_an_odd_event_is_whole(odd: OddEvent) -> None:
    assert list(failures(odd_hall(odd), odd)) == []
