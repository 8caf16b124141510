"""Deal page from its seal to its comparison: the worked example at four tables."""

import gzip
import re
from dataclasses import replace
from functools import partial

import pytest

from cli.event.publish import public_scope
from dashboard.i18n.words import Words
from dashboard.pages.deals.deal_pieces import DealPage
from dashboard.pages.rendering import Fragment, Renderer
from tests.support.dashboard.desks import MemoryDesk, teams_of_four
from tests.support.dashboard.example import building, closed_hand, play
from tests.support.dashboard.hall import OPEN, SETTINGS, Hall, must_say
from tests.support.dashboard.tables.tables_in_play import text_of
from tests.support.event.stored_event import PLAN, STARTED
from tests.support.wire.streams import public_events
from twinwall.event.field import field_of
from twinwall.event.player_names import NamesShown
from twinwall.event.points import Points
from twinwall.event.results import EntrantKind
from twinwall.game.deals.start import Start
from twinwall.game.play_events import EndReason, HandEnded, Offence, PenaltyRuled, ResultExcluded
from twinwall.game.play_json import PLAY_TYPES
from twinwall.game.tiles import Seat
from twinwall.wire.messages.ruling import Effect, Ruling, ruling_fields

TABLES = "1234"


def hall_of(desk: MemoryDesk, closed: str = TABLES, *, spectators: bool = False) -> Hall:
    """Tables that have closed deal 1, of those that play it, with the director inside unless everybody may look; none is released."""
    hall = Hall(desk=desk, settings=OPEN if spectators else SETTINGS)
    if not spectators:
        hall.log_in()
    for table in TABLES:
        hall.feed(closed_hand(table) if table in closed else [*building(), *play("E2p")], table)
    return hall


def part(page: str, start: str, end: str) -> str:
    return page[page.index(start) : page.index(end, page.index(start))]


def ranks(page: str) -> list[tuple[str, ...]]:
    return re.findall(r'<td class="number rank">(\d)</td><th scope="row">([^<]+)</th><td class="number total[^"]*">([^<]+)', page)


@pytest.fixture
def played() -> Hall:
    return hall_of(MemoryDesk(teams_of_four()))


@pytest.fixture
def open_deal(played: Hall) -> Hall:
    played.release()
    return played


def test_before_release_the_page_says_how_many_tables_are_missing_and_which_and_nothing_else() -> None:
    page = text_of(hall_of(MemoryDesk(teams_of_four(), custody=STARTED), "13").client.get("/deal/1").text)
    must_say(page, "Opens when 2 more tables have finished.", "Still to finish: Table 2 Table 4")
    assert "+75" not in page
    assert "Plum" not in page


def test_without_a_plan_the_page_says_that_no_slip_will_ever_open_it_and_where_results_are() -> None:
    page = text_of(hall_of(MemoryDesk(teams_of_four()), spectators=True).client.get("/deal/1").text)
    assert "this event has no plan, so no slip can release its deals" in page
    assert "twinwall results export --format html makes a replay of the tables' records" in page
    assert "Opens when" not in page
    assert "+75" not in page


def test_the_four_tables_stand_side_by_side_with_where_they_parted_and_how_it_came_about_to_the_fraction(open_deal: Hall) -> None:
    page = open_deal.client.get("/deal/1").text
    outcomes = [text_of(title) for title in re.findall(r'<h2><span class="badge small">.*?</h2>', page)]
    assert outcomes == ["1 East self-drawn, 17 fan", "2 South off West, 24 fan", "3 North off East, 8 fan", "4 South off West, 24 fan"]
    paid = re.findall(r'<td class="(?:plus|minus)">([+−]\d+)</td>', page)
    assert paid == ["+75", "−25", "−25", "−25", "−8", "+48", "−32", "−8", "−16", "−8", "−8", "+32", "−8", "+48", "−32", "−8"]
    assert "East was played differently first, on turn 1: 1, 2, 4: discards · 3: discards" in text_of(page)
    steps = text_of(part(page, '<details class="derivation"', "</details>"))
    must_say(steps, "Plum +75 (1 東) +48 (2 南) −8 (3 西) −8 (4 北) = +107", "+107 − (0) = +107", "99 ≤ 107 < 114 → +16 IMP")


def test_players_are_compared_with_the_mean_of_their_seat_to_the_fraction() -> None:
    hall = Hall(desk=MemoryDesk(field_of(EntrantKind.INDIVIDUAL, TABLES)))
    hall.log_in()
    for table in TABLES:
        names = {seat: f"{table}{seat}" for seat in "ESWN"}
        hall.feed([(name, {**fields, "seats": names} if name == "hand-started" else fields) for name, fields in closed_hand(table)], table)
    hall.release()
    steps = text_of(hall.client.get("/deal/1").text)
    assert "Mean of East: (+75 −8 −16 −8) / 4 = 10.75 +75 − (10.75) = +64.25 57 ≤ 64.25 < 69 → +13 IMP" in steps


def test_the_slip_can_be_fetched_once_it_is_out_and_the_page_says_how_to_check_it(played: Hall) -> None:
    assert played.ask("/deal/1/slip.json").status_code == 404
    played.release()
    answer = played.ask("/deal/1/slip.json")
    assert (answer.status_code, answer.mimetype) == (200, "application/json")
    page = text_of(played.client.get("/deal/1").text)
    assert "Verified" in page
    assert "twinwall deals verify plan.json --start … slip-0001.json" in page, "a rehearsal without a plan has no start"


def test_plan_and_start_can_be_fetched_beside_the_slip_and_verify_takes_them() -> None:
    hall = Hall()
    hall.desk.hall.programme = replace(hall.desk.hall.programme, event=PLAN.event, custody=STARTED)
    assert hall.ask("/plan.json").status_code == 302, "nobody has entered"
    hall.log_in()
    hall.feed(closed_hand("1"))
    hall.release()
    page = hall.client.get("/deal/1").text
    assert f"--start {STARTED.start.words}" in page
    assert {'<a href="/plan.json" download>', '<a href="/start.json" download>'} <= set(re.findall(r"<a [^>]*download>", page))
    assert hall.client.get("/plan.json").data == PLAN.canonical
    assert Start.from_bytes(hall.client.get("/start.json").data) == STARTED.start


def test_a_large_answer_is_compressed_for_a_browser_that_takes_gzip_and_a_stream_is_not(played: Hall) -> None:
    plain = played.client.get("/deal/1")
    packed = played.client.get("/deal/1", headers={"Accept-Encoding": "gzip, br"})
    assert plain.content_encoding is None
    assert packed.content_encoding == "gzip"
    assert "Accept-Encoding" in packed.headers["Vary"]
    assert len(packed.data) < len(plain.data) / 2
    assert b"</html>" in gzip.decompress(packed.data)
    played.turns_left = 1
    stream = played.client.get("/events", headers={"Accept-Encoding": "gzip"})
    assert stream.content_encoding is None
    stream.close()


def test_static_files_are_kept_by_the_browser_under_an_address_that_changes_with_them(played: Hall) -> None:
    (icons,) = set(re.findall(r'"(/static/[0-9a-f]+/icons.svg)#', played.client.get("/").text))
    answer = played.client.get(icons, headers={"Accept-Encoding": "gzip"})
    answer.close()
    assert (answer.content_encoding, answer.cache_control.max_age) == ("gzip", 365 * 86_400)
    assert played.ask("/static/0/icons.svg").status_code == 404


def test_the_page_opens_by_itself_when_the_slip_comes(played: Hall) -> None:
    played.desk.hall.programme = replace(played.desk.hall.programme, event=PLAN.event, custody=STARTED)
    since = played.stream_after("/events?deal=1&", "/deal/1")
    assert "It opens when the vault releases the slip." in played.client.get("/deal/1").text
    played.release()
    text = played.stream(since)
    assert "+75" in text
    assert "All tables have finished" not in text


def test_the_standings_show_rank_imp_and_swings(open_deal: Hall) -> None:
    page = open_deal.client.get("/standings").text
    assert ranks(page) == [("1", "Plum", "+16"), ("2", "Bamboo", "0"), ("3", "Orchid", "−10"), ("4", "Chrysanthemum", "−14")]
    assert page.count('<rect class="up"') == 1
    assert page.count('<rect class="down"') == 2
    assert "1 of 16 deals released" in page


def test_an_event_by_rank_points_shows_them_on_the_standings_and_in_the_hall_and_names_no_scale() -> None:
    hall = hall_of(MemoryDesk(teams_of_four(), Points.RANK))
    hall.release()
    page = hall.client.get("/standings").text
    assert ranks(page) == [("1", "Plum", "4"), ("2", "Bamboo", "3"), ("3", "Orchid", "2"), ("4", "Chrysanthemum", "1")]
    assert (page.count('<rect class="up"'), page.count('<rect class="down"')) == (2, 2)
    leaders = text_of(hall.client.get("/").text)
    assert "rank points 4, 3, 2, 1 Standings 1 Plum 4 2 Bamboo 3 3 Orchid 2 4 Chrysanthemum 1" in leaders
    assert "three times the hands" in text_of(hall.client.get("/standings").text)
    assert "provisional" not in text_of(page)
    assert "provisional" not in leaders


def ruled(hall: Hall, table: str, *effects: Effect) -> None:
    script = [*closed_hand(table), ("ruling", ruling_fields(Ruling(f"r{table}", 1, "Ota", {"en": "So ruled.", "ja": "裁定。"}, effects)))]
    hall.add(public_events(script, table)[-1:])


def test_an_adjusted_score_shows_the_old_value_the_new_one_who_why_and_when(open_deal: Hall) -> None:
    assert "So ruled." not in open_deal.client.get("/deal/1").text
    ruled(open_deal, "1", HandEnded(EndReason.RULED, {Seat.EAST: 30, Seat.SOUTH: -10, Seat.WEST: -10, Seat.NORTH: -10}))
    page = open_deal.client.get("/deal/1").text
    assert "<del>+75</del> +30" in page
    must_say(text_of(page), "adjusted score", "Ota So ruled.")
    assert re.search(r'<ol class="given"><li><time datetime="2026-11-20T', page)


def test_a_table_that_was_left_out_is_in_no_mean_and_its_place_says_so(open_deal: Hall) -> None:
    ruled(open_deal, "3", ResultExcluded())
    page = open_deal.client.get("/deal/1").text
    assert "average: left out of the comparison" in text_of(page)
    assert re.findall(r"<td>([^<]+)</td>", part(page, "<tfoot>", "</tfoot>")) == ["59/3", "71/3", "−89/3", "−41/3"]
    assert "means of these seats:" in text_of(page)
    assert '<text class="dot-text"' in page
    assert ">3</text>" not in part(page, 'class="seat-chart"', "</svg>")


def test_a_penalty_stands_beside_the_imp_and_in_the_standings(open_deal: Hall) -> None:
    ruled(open_deal, "1", PenaltyRuled(Seat.EAST, Offence.FALSE_WIN, 8, 0))
    must_say(text_of(open_deal.client.get("/deal/1").text), "+16 penalty −8", "penalty: +16 − 8 = +8 IMP")
    assert "Plum +8" in text_of(open_deal.client.get("/standings").text)


def test_a_table_whose_players_entered_the_result_parted_nowhere_since_its_play_is_not_known() -> None:
    hall = hall_of(MemoryDesk(teams_of_four()), "123")
    kept = [(name, fields) for name, fields in closed_hand("4") if name not in PLAY_TYPES or name == "hand-ended"]
    hall.feed([(name, {**fields, "reason": "entered"} if name == "hand-ended" else fields) for name, fields in kept], "4")
    hall.release()
    page = text_of(hall.client.get("/deal/1").text)
    assert "East was played differently first, on turn 1: 1, 2: discards · 3: discards" in page
    assert "table 4" not in page


def test_the_decisions_that_cost_most_are_listed_once_the_deal_is_released(played: Hall) -> None:
    assert "No released deal has tables that decided differently yet." in text_of(played.client.get("/decisions").text)
    played.release()
    page = played.client.get("/decisions").text
    assert "Won most" in text_of(page)
    gains = [int(found.replace("−", "-").split(".")[0]) for found in re.findall(r'<b class="(?:plus|minus)">([^<]+)</b>', page)]
    won, cost = [gain for gain in gains if gain > 0], [gain for gain in gains if gain < 0]
    assert (won, cost) == (sorted(won, reverse=True), sorted(cost))
    assert (won[0], cost[0]) == (83, -54), "East's chow on turn 6 at table 1, and South's East wind on turn 1 there"
    assert 'href="/deal/1/replay?table=' in page
    assert played.client.get("/decisions?player=nobody").status_code == 404


def large_field(tables: int = 64) -> Hall:
    """So many tables in groups of four, all of which have closed deal 1, and everybody may look."""
    names = [str(number) for number in range(1, tables + 1)]
    hall = Hall(desk=MemoryDesk(field_of(EntrantKind.INDIVIDUAL, names)), settings=OPEN)
    for number, name in enumerate(names):
        hall.feed(closed_hand(TABLES[number % 4]), name)
    hall.release()
    return hall


def test_a_deal_of_64_tables_lists_them_and_one_group_is_shown_in_full() -> None:
    hall = large_field()
    listed, group = hall.client.get("/deal/1").text, hall.client.get("/deal/1?group=3").text
    assert len(listed.encode()) < 300 * 1024
    assert [listed.count(f'<th scope="row">{table}</th>') for table in range(1, 65)] == [1] * 64
    assert "10 South off West, 24 fan −8 +48 −32 −8" in text_of(listed)
    assert 'href="/deal/1?group=3"' in listed
    assert [text_of(title)[:2] for title in re.findall(r'<h2><span class="badge small">.*?</h2>', group)] == ["9 ", "10", "11", "12"]
    must_say(group, 'href="/deal/1/replay?table=9"', 'data-events="/events?deal=1&amp;group=3"')
    assert hall.client.get("/deal/1?group=17").status_code == 404
    hall.desk.hall.set_programme(replace(hall.desk.hall.programme, held_sessions=(1,)))
    assert hall.client.get("/deal/1?group=3").status_code == hall.client.get("/deal/1").status_code == 200, "a page that is open goes on"
    assert 'class="tabs groups"' not in large_field(16).client.get("/deal/1").text, "so few are shown in full"


def test_a_released_deal_is_made_anew_for_a_ruling_on_it_and_not_for_what_other_tables_play() -> None:
    hall = large_field(4)
    page, scope = partial(DealPage(1), Renderer(hall.app.jinja_env, Words("en"))), public_scope(hall.desk.hall, None, NamesShown.FULL)

    def piece() -> Fragment:
        return next(fragment for fragment in page(scope, Words("en")) if fragment.id == "deal")

    with hall.app.test_request_context():
        first = piece()
        hall.feed([*building(2)], "5")
        assert piece() is first
        ruled(hall, "1", ResultExcluded())
        assert "So ruled." in piece().html
