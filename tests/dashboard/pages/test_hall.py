"""Hall and calls: what everybody sees, what staff see besides, who answers a call, and what of the hall waits for the staff."""

import html
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from dashboard.access.shown_names import NamesFile, ShownNames
from dashboard.access.staff_schema import Role
from dashboard.access.viewer_scope import ViewerScope
from dashboard.i18n.words import Words
from dashboard.pages.hall.hall_pieces import HallPage
from dashboard.pages.rendering import Fragment, Renderer
from dashboard.projections.hall_views import EVERYBODY, STAFF, HallViews, HallWait, TableSnapshot
from tests.support.dashboard.desks import MemoryDesk, teams_of_four
from tests.support.dashboard.example import SELF_DRAWN, building, closed_hand, play
from tests.support.dashboard.hall import OPEN, Hall, must_say
from tests.support.dashboard.staff import enrol, submit
from tests.support.dashboard.tables.tables_in_play import text_of
from tests.support.event.managed import PREPARED, TABLES, rows
from tests.support.wire.streams import START, Line
from twinwall.art.names import LANGUAGES, Language
from twinwall.event.field import field_of
from twinwall.event.management.changes import EventChange, ResultsHeld, SessionEnded, SessionStarted
from twinwall.event.management.managed_event import managed_event
from twinwall.event.player_names import NamesShown
from twinwall.event.results import EntrantKind
from twinwall.wire.messages.signing import Signer

CALLED: Line = ("referee-called", {"seat": "S"})


def cards(page: str) -> list[str]:
    """What each card says, and what it is called."""
    return [text_of(card) for card in re.findall(r'<a class="card table-card.*?</a>', page, re.DOTALL)]


@pytest.fixture
def hall() -> Hall:
    """Four tables with their teams, the door open to spectators and nobody logged in."""
    return Hall(desk=MemoryDesk(teams_of_four()), settings=OPEN)


def test_the_hall_tells_of_a_hand_in_play_only_that_it_is_played_and_the_next_wall(hall: Hall) -> None:
    hall.log_in()
    hall.feed([*building(), *play(SELF_DRAWN)])
    page = hall.client.get("/").text
    assert cards(page)[0].startswith("1 東 南 西 北 Playing E1 deal 1")
    assert "Win declared" not in page
    assert "turn" not in text_of(page)
    next_wall: list[Line] = [*building(2, steps=8)][1:6]
    hall.feed([*building(), *play("E2p"), *next_wall])
    card = cards(hall.new_client().get("/").text)[0]
    assert "Playing E1 deal 1" in card
    assert card.endswith("next wall 68")
    must_say(text_of(hall.client.get("/table/1").text), "East discarded; the others may call.", "next wall E2 68")


@pytest.mark.parametrize(("chosen", "shown"), [((), (*TABLES, "spare")), (PREPARED, TABLES)])
def test_a_spare_table_is_none_that_is_silent(chosen: Sequence[EventChange], shown: Sequence[str]) -> None:
    hall = Hall(HallViews("boot-1", tables=(*TABLES, "spare")), MemoryDesk(teams_of_four()), settings=OPEN)
    hall.desk.hall.manage(managed_event(chosen))
    assert [card.split()[0] for card in cards(hall.client.get("/").text)] == list(shown)


def test_a_finished_table_is_told_to_the_staff_and_to_spectators_after_release(hall: Hall) -> None:
    hall.feed(closed_hand("1"), "1")
    for table in "234":
        hall.feed([*building(), *play("E2p")], table)
    assert "Finished" not in hall.client.get("/").text
    assert "Finished" not in hall.client.get("/table/1").text
    director = hall.new_client()
    hall.log_in(client=director)
    must_say(text_of(director.get("/").text), "Finished 1", "E1: 1 of 4 tables finished")
    for table in "234":
        hall.feed(closed_hand(table), table)
    hall.release()
    assert "Finished 4" in text_of(hall.client.get("/").text)


def take_call(client: FlaskClient, call: str = "") -> TestResponse:
    """Press that one is on the way to the first call of the list, or to another."""
    key = call or html.unescape(re.findall(r'name="call" value="([^"]+)"', client.get("/calls").text)[0])
    return submit(client, "/calls/take", {"call": key})


def test_a_call_is_on_hall_and_list_at_once_and_so_is_who_comes_first_until_a_ruling_ends_it(hall: Hall) -> None:
    hall.log_in()
    hall.feed([*building(), *play("E2p")], "3")
    since = hall.stream_after("/events?", "/")
    called: list[Line] = [*building(), *play("E2p"), CALLED]
    hall.feed(called, "3")
    must_say(hall.stream(since), "The referee is called.", 'class="count-badge"')
    (call,) = hall.desk.hall.calls()
    assert take_call(hall.client).status_code == 303
    enrol(hall.staff, "Weber")
    second = hall.new_client()
    hall.log_in("Weber", client=second)
    take_call(second, f"table=3&journal={call.journal}&seq={call.seq}")
    page = hall.client.get("/calls").text
    assert "Ota is on the way" in text_of(page)
    assert ("Weber" in page, "I am on the way" in page) == (False, False)
    assert "Ota is on the way" in cards(hall.client.get("/").text)[0]
    assert "count-badge" not in hall.client.get("/").text, "it has been taken"
    hall.feed([*called, ("ruling", {"ruling": "r1", "n": 1, "by": "Ota", "texts": {"en": "Play goes on."}, "effects": []})], "3")
    assert "No calls. Longest hand: table 3," in text_of(hall.client.get("/calls").text)


def test_a_call_whose_taking_cannot_be_stored_or_that_a_form_does_not_name_stays_open(hall: Hall) -> None:
    hall.feed([*building(), CALLED])
    hall.log_in()
    for call in ("", "table=1", "table=1&journal=j1&seq=x", "table=9&journal=j1&seq=1", "a=" * 99, f"table=1&journal=j1&seq={'9' * 99}"):
        assert hall.submit("/calls/take", {"call": call}).status_code == 303, call
        assert "on the way" not in text_of(hall.client.get("/").text)
    hall.desk.full = True
    answer = take_call(hall.client)
    assert answer.status_code == 503
    assert "it was not done" in text_of(answer.text)
    assert "I am on the way" in hall.client.get("/calls").text


def test_calls_stand_by_urgency_and_then_by_age(hall: Hall) -> None:
    hall.log_in()
    fault: Line = ("fault", {"code": "feeder-jam", "where": "0x21", "part": "tray", "number": 1, "sentence": "A tile is stuck."})
    hall.feed([*building(), fault], "1")
    hall.feed([*building(), ("link-lost", {"what": "panel"}), CALLED], "2")
    hall.feed([*building(), CALLED], "3")
    page = hall.client.get("/calls").text
    rows = [text_of(row) for row in re.findall(r'<li class="notice.*?</li>', page, re.DOTALL)]
    assert [row.split()[0] for row in rows] == ["3", "2", "1", "2"]
    assert "A tile is jammed: free it, then press CONFIRM." in rows[2]
    assert "0x21" not in page
    assert "A tile is stuck" not in page


@pytest.mark.parametrize("language", LANGUAGES)
def test_sixteen_tables_in_any_language_are_one_small_page(hall: Hall, language: Language) -> None:
    for number in range(1, 17):
        hall.feed([*building(), *play("E2p")], str(number))
    page = hall.client.get(f"/?lang={language}").text
    assert len(cards(page)) == 16
    assert 'id="cards" class="dense"' in page
    assert len(page.encode()) < 100 * 1024


def test_the_table_page_of_a_spectator_says_when_it_opens_and_then_leads_to_the_deal(hall: Hall) -> None:
    sealed = "The play of this table is shown when every table has finished the deal."
    hall.feed([*building(), *play("E2p")])
    page = text_of(hall.client.get("/table/1").text)
    assert sealed in page
    assert "Moretti Ida" in page, "who sits where is public"
    assert "East discarded" not in page
    hall.feed(closed_hand("1"))
    assert sealed in hall.client.get("/table/1").text
    hall.release()
    page = hall.client.get("/table/1").text
    assert sealed not in page
    assert '<a href="/deal/1">' in page


def test_each_deal_is_a_new_look_for_a_referee_who_goes_on_watching(hall: Hall) -> None:
    hall.log_in()
    hall.feed([*building(), *play("E2p")])
    since = hall.stream_after("/events?table=1&", "/table/1")
    hall.feed([*closed_hand("1"), *building(2), *play("E2p", 2)])
    hall.stream(since)
    assert [look.n for look in hall.desk.looks] == [1, 2]


def test_a_referees_page_becomes_a_spectators_when_the_login_has_run_out(hall: Hall) -> None:
    hall.log_in()
    hall.feed([*building(), *play("E2p")])
    boots = [re.search(r'data-boot="([^"]+)"', client.get("/table/1").text) for client in (hall.client, hall.new_client())]
    assert [boot[1] for boot in boots if boot] == ["boot-1.table", "boot-1.everybody"], "by which the page loads itself again"


class CountingViews(HallViews):
    asked = 0

    def tables(self) -> tuple[TableSnapshot, ...]:
        self.asked += 1
        return super().tables()


def test_a_page_of_many_tables_asks_for_them_as_often_as_one_of_few() -> None:
    def asked(tables: int) -> list[int]:
        names, counts, views = [str(number) for number in range(1, tables + 1)], [], CountingViews("boot-1")
        hall = Hall(views=views, desk=MemoryDesk(field_of(EntrantKind.INDIVIDUAL, names)), settings=OPEN)
        for name in names:
            hall.feed([*building(), *play("E2p")], name)
        for path in ("/", "/projector"):
            before = views.asked
            assert hall.client.get(path).status_code == 200
            counts.append(views.asked - before)
        return counts

    assert asked(4) == asked(12)


def test_a_card_is_made_anew_when_its_table_has_something_else_to_say() -> None:
    hall = Hall(desk=MemoryDesk(teams_of_four()), settings=OPEN)
    for table in "1234":
        hall.feed([*building()], table)
    scope = ViewerScope(hall.views, hall.desk.hall, EVERYBODY, ShownNames(NamesFile(None, lambda: None), lambda: (NamesShown.FULL, False)))
    page = partial(HallPage(hall.now), Renderer(hall.app.jinja_env, Words("en")))

    def shown() -> list[Fragment]:
        return [fragment for fragment in page(scope, Words("en")) if fragment.id.startswith("card-")]

    with hall.app.test_request_context():
        before = shown()
        hall.feed([*building(), *play("E2p")], "2")
        assert [old is new for old, new in zip(before, shown(), strict=True)] == [True, False, True, True]
        assert "Playing" in shown()[1].html


@pytest.mark.parametrize("before", [0, 1])
def test_while_players_look_for_their_seats_hall_and_projector_say_so_and_the_projector_names_the_seats(before: int) -> None:
    hall = Hall(settings=OPEN)
    played = (SessionStarted(1), SessionEnded(1), rows(2)) if before else ()
    hall.manage(*PREPARED, *played)
    for table in TABLES:
        hall.feed(closed_hand(table) if before else [("controller-started", {"version": "0.1.0", "resumed": False})], table)
    for page in ("/", "/projector"):
        assert "take your seats" not in hall.client.get(page).text
    hall.manage(SessionStarted(before + 1))
    hall.views.touch()
    for page in ("/", "/projector"):
        assert f"Session {before + 1}: please take your seats." in hall.client.get(page).text
    projector = hall.client.get("/projector").text
    for table in TABLES:
        assert f"Table {table} · Session {before + 1}" in projector
    assert "has not begun" not in projector


LOCKED = HallWait("waits.vault.locked", "/event/deals", names=(("holder", "<server>"),))


def managed(*changes: EventChange) -> Hall:
    hall = Hall(settings=replace(OPEN, signer=Signer("server", bytes(32))))
    hall.manage(*changes)
    return hall


@pytest.mark.parametrize("path", ["/", "/calls"])
@pytest.mark.parametrize(
    ("language", "said"), [("en", "waits for its passphrase"), ("ja", "合言葉を待っています"), ("zh-Hans", "等待口令")]
)
def test_a_vault_that_waits_for_its_passphrase_is_on_the_page_with_the_link(path: str, language: str, said: str) -> None:
    hall = managed()
    hall.views.wait("vaults", (LOCKED,))
    assert "passphrase" not in hall.client.get("/").text, "spectators read nothing of it"
    hall.log_in()
    must_say(hall.client.get(f"{path}?lang={language}").text, said, "&lt;server&gt;", 'href="/event/deals"', 'class="count-badge"')
    hall.views.wait("vaults", ())
    assert said not in hall.client.get(path).text


@pytest.mark.parametrize("path", ["/", "/calls"])
@pytest.mark.parametrize("role", [Role.REFEREE, Role.SCORER])
def test_who_may_not_open_that_page_reads_what_waits_without_a_link_to_it(path: str, role: Role) -> None:
    hall = managed(*PREPARED)
    enrol(hall.staff, "Abe", roles={role})
    hall.log_in("Abe")
    hall.views.wait("vaults", (LOCKED, HallWait("waits.order", "/table/1/withdraw", "1", (("by", "Ann"),))))
    page = hall.client.get(path).text
    must_say(page, "waits for its passphrase", "Next: Deals")
    assert 'href="/event/deals"' not in page
    assert ('href="/table/1/withdraw"' in page) is (role is Role.REFEREE), "a scorer may not confirm it"


@pytest.mark.parametrize(
    ("changes", "said", "path"),
    [
        (PREPARED[:1], "Next: Entrants", "/event/entrants"),
        (PREPARED, "Next: Deals", "/event/deals"),
        ((*PREPARED, SessionStarted(1), SessionEnded(1)), "Session 2 can begin", "/event/sessions"),
        ((*PREPARED, ResultsHeld(1), SessionStarted(1), SessionEnded(1)), "results of session 1 are still held back", "/event/sessions"),
    ],
)
def test_the_next_step_of_the_event_is_on_the_hall_page(changes: tuple[EventChange, ...], said: str, path: str) -> None:
    hall = managed(*changes)
    hall.log_in()
    must_say(hall.client.get("/").text, said, f'href="{path}"')


def test_what_waits_until_a_time_is_over_then_and_a_table_whose_message_was_refused_is_among_the_calls() -> None:
    hall = managed()
    hall.views.wait("order", (HallWait("waits.order", "/table/1/withdraw", "1", (("by", "Ann"),), START),))
    hall.views.tick(START)
    before = hall.views.sequence(STAFF)
    assert len(hall.views.waits) == 1
    hall.views.tick(START + timedelta(seconds=1))
    assert not hall.views.waits
    assert hall.views.sequence(STAFF) > before
    hall.log_in()
    hall.views.complain("1", "the vault: allow the boot keys", START)
    assert "its page says why" in hall.client.get("/calls").text
