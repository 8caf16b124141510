"""Standings of an event of two sessions, results that are held back, and corrections with old and new values."""

import re
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

import pytest

from dashboard.i18n.words import exact
from tests.support.dashboard.desks import MemoryDesk
from tests.support.dashboard.hall import OPEN, Hall, must_say
from tests.support.dashboard.tables.tables_in_play import text_of
from tests.support.dashboard.two_sessions import DEALS, FIELD, TABLES, play_two_sessions, rule_late, script
from tests.support.event.sessions import Play, left_out, paid, release, take
from twinwall.event.field import field_of
from twinwall.event.results import EntrantKind


def played(held: tuple[int, ...] = (), withdrawn: Mapping[str, int] | None = None) -> Hall:
    """Two sessions of one deal each, both released; anybody may look."""
    hall = Hall(desk=MemoryDesk(FIELD), settings=OPEN)
    hall.desk.hall.set_programme(replace(hall.desk.hall.programme, held_sessions=held, withdrawn=withdrawn or {}))
    play_two_sessions(hall)
    return hall


def _written(points: Fraction) -> str:
    return exact(points, plus=True)


def totals(page: str) -> Mapping[str, str]:
    rows = re.findall(r'<tr><td class="number rank">.*?</tr>', page, re.DOTALL)
    return {
        cells[1].split(" withdrawn")[0]: cells[2] for cells in ([text_of(c) for c in re.findall(r"<t[dh].*?</t[dh]>", row)] for row in rows)
    }


def test_the_event_has_each_session_s_points_and_their_sum_and_a_session_has_its_groups() -> None:
    hall = played()
    whole = hall.client.get("/standings").text
    assert re.findall(
        r'<a href="(/standings[^"]*)"[^>]*>([^<]+)</a>',
        whole[whole.index('class="tabs"') : whole.index("</nav>", whole.index('class="tabs"'))],
    ) == [("/standings", "Whole event"), ("/standings?session=1", "Session 1"), ("/standings?session=2", "Session 2")]
    assert "2 of 32 deals released" in text_of(whole)
    found = hall.desk.hall.standings()
    assert totals(whole) == {at.entrant: _written(at.total) for at in found.ranking}
    first = hall.client.get("/standings?session=1").text
    assert 'href="/standings?session=1" aria-current="page"' in first
    assert "1 of 16 deals released" in text_of(first)
    assert 'href="/deal/1"' in first
    assert 'href="/deal/2"' not in first


@pytest.mark.parametrize(
    "address", ["/standings?session=3", "/standings?session=x", "/standings?session=1&group=9", "/projector?session=7"]
)
def test_a_session_or_group_without_results_has_no_page_and_no_stream(address: str) -> None:
    hall = played()
    answer = hall.client.get(address)
    assert answer.status_code == 404
    assert "no such session or group" in answer.text
    page, _, asked = address[1:].partition("?")
    assert hall.client.get(f"/events?page={page}&{asked}").status_code == 404


def test_a_deals_page_names_its_session_and_leads_to_the_other_and_the_projector_shows_what_is_asked_for() -> None:
    client = played().client
    must_say(text_of(client.get("/deal/2").text), "Session 2 · E1 Deal 2", "← Session 1 E1")
    for n in (1, 2):
        for address in (f"/deal/{n}/replay", f"/deal/{n}/replay.html"):
            assert f"<title>Replay · Session {n} · E1 · " in client.get(address).text
    assert "Standings · Session 2" in text_of(client.get("/projector?session=2").text)
    whole = text_of(client.get("/projector").text)
    assert ("Standings · Session" in whole, "Plum" in whole) == (False, True)


HIDDEN = re.compile(r"[+−]72|[+−]24|self-drawn")
"""What tells a result of the example: what a win pays, and who won."""


def test_the_director_sees_held_results_and_that_they_are_held_and_the_whole_event_counts_their_deals() -> None:
    for held in ((2,), (1, 2)):
        hall = played(held=held)
        assert "2 of 32 deals released" in text_of(hall.client.get("/standings").text)
    hall.log_in()
    page = text_of(hall.client.get("/standings?session=2").text)
    must_say(page, "Results of session 2 are held back: only directors see them.", "Plum")
    assert HIDDEN.search(text_of(hall.client.get("/deal/2").text))
    guest = hall.new_client()
    assert "Plum" not in guest.get("/standings?session=2").text, "the director's page is not kept for others"


def test_statement_05_a_correction_shows_old_and_new_points_and_ranks_who_why_and_when() -> None:
    hall = played()
    before = hall.desk.hall.standings()
    assert "Corrections" not in hall.client.get("/standings").text
    rule_late(hall, "4", left_out("r1", 1, by="Sato", why="A wrong tile in the wall."))
    after = hall.desk.hall.standings()
    assert before.points_of(1) != after.points_of(1)
    for address in ("/standings", "/standings?session=1", "/deal/1"):
        page = hall.client.get(address).text
        assert "Corrections" in page
        part = page[page.index('class="card corrections"') :]
        shown = text_of(part)
        assert "Sato E1, table 4 A wrong tile in the wall." in shown
        assert re.search(r'<time datetime="2026-11-20T10:\d\d:\d\d', part)
        for entrant, old in before.points_of(1).items():
            new = after.points_of(1)[entrant]
            if old == new:
                continue
            row = re.search(rf'<th scope="row">{entrant}</th>(.*?)</tr>', part)
            assert row is not None
            points, rank = (text_of(cell) for cell in re.findall(r"<td.*?</td>", row[1]))
            assert points == f"{_written(old)} → {_written(new)}"
            ranks = before.ranks()[entrant], after.ranks()[entrant]
            assert rank == (str(ranks[1]) if ranks[0] == ranks[1] else f"{ranks[0]} → {ranks[1]}")
    assert "Corrections" not in hall.client.get("/standings?session=2").text
    assert "Corrections" not in hall.client.get("/deal/2").text


def test_a_ruling_before_the_release_or_without_effect_is_no_correction() -> None:
    hall = Hall(desk=MemoryDesk(FIELD), settings=OPEN)
    for table in TABLES:
        of_table = [line for line in script(table) if line[0] != "deal-released"]
        after = [left_out("r1", 1)] if table == "4" else []
        hall.feed([*of_table, *after], table)
    hall.seconds = 3600
    for n, (session, hand) in DEALS.items():
        hall.release(n, session, hand)
    assert "Corrections" not in hall.client.get("/standings").text


def test_whoever_withdrew_is_marked_and_the_page_says_who_gets_the_average() -> None:
    page = text_of(played(withdrawn={"Plum": 2}).client.get("/standings").text)
    must_say(page, "Plum withdrawn", "E1 : Plum has withdrawn: in group A Chrysanthemum, Bamboo, Orchid get the average.")


@pytest.mark.parametrize(("announced", "rows"), [({}, 8), ({"en": "Tea at four"}, 5)])
def test_an_announcement_on_the_projector_covers_no_row_of_the_standings(announced: dict[str, str], rows: int) -> None:
    names = "1234"
    hall = Hall(desk=MemoryDesk(field_of(EntrantKind.INDIVIDUAL, names)), settings=OPEN)
    plays = [Play(1, 1, 1, name, [f"{name}{place}" for place in range(4)], paid(int(name) % 4, 8, None)) for name in names]
    take(hall.desk.hall, plays)
    release(hall.desk.hall, plays)
    hall.desk.hall.manage(replace(hall.desk.event, announcement=announced))
    slides = re.findall(r'<section class="slide" aria-label="Standings">.*?</section>', hall.client.get("/projector").text, re.DOTALL)
    assert max(slide.count("<tr>") for slide in slides) == rows
    assert sum(slide.count("<tr>") for slide in slides) == 16


@pytest.mark.parametrize("tables", [16, 64])
def test_the_standings_of_a_large_field_stay_below_300_kib_and_one_group_shows_its_deals(tables: int) -> None:
    names = [str(number) for number in range(1, tables + 1)]
    hall = Hall(desk=MemoryDesk(field_of(EntrantKind.INDIVIDUAL, names)), settings=OPEN)
    players = {name: [f"{name}{place}" for place in range(4)] for name in names}
    plays = [Play(n, 1, n, name, players[name], paid(int(name) % 4, 8 + n, None)) for name in names for n in range(1, 17)]
    take(hall.desk.hall, plays)
    release(hall.desk.hall, plays)
    for address in ("/standings", "/standings?session=1", "/standings?session=1&group=2", "/projector"):
        page = hall.client.get(address).text
        assert len(page.encode()) < 300 * 1024, address
        assert ('class="swings"' in page) == (address != "/projector" and (tables == 16 or "group" in address))
