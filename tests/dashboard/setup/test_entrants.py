"""Entrants: lists that are checked before anything is saved, names that stand in the names file alone, and single entrants."""

import html
import re
import threading

import pytest

from tests.support.dashboard.setup import SIXTEEN, TEAM_LIST, SetUp, listed_lines, refused, says
from tests.support.event.managed import TABLES, rows
from tests.support.narrowed import present
from twinwall.event.management.change_checks import Why, refusal
from twinwall.event.management.changes import EnteredPlayer, EventDescribed, SessionEnded, SessionStarted, SubstituteSeated, TablesChosen
from twinwall.event.management.seating_proposal import proposed_seating


def test_statement_2_a_list_with_a_doubled_and_a_missing_player_keeps_all_good_lines_and_saves_nothing_until_pressed(
    director: SetUp,
) -> None:
    director.describe()
    lines = ["no;name;club", *(f"{number};{name};Lyon" for number, name in enumerate(SIXTEEN, 1)), "17;;Lyon", "18;Player Ada;Lyon"]
    answer = director.paste("\n".join(lines))
    assert says(answer, "check.counted", good=16, bad=2)
    assert says(answer, "line.name-missing")
    assert says(answer, "line.name-twice", other="Player Ada", line=2)
    assert listed_lines(answer.text) == dict(enumerate(lines, 1))
    assert (director.event.players, director.names) == ({}, {})
    entered = director.press(answer, "enter")
    assert list(director.names.values()) == SIXTEEN
    assert list(director.event.players) == [str(number) for number in range(1, 17)]
    assert director.event.players["3"].club == "Lyon"
    assert says(entered, "entrants.entered", count=16)
    assert listed_lines(entered.text) == {18: "17;;Lyon", 19: "18;Player Ada;Lyon"}


def test_a_refused_line_is_corrected_in_its_place(director: SetUp) -> None:
    director.describe()
    answer = director.paste("Ida\n\nJun\nIda\nKei")
    assert list(listed_lines(answer.text)) == [1, 3, 4, 5]
    again = director.press(answer, "check", line4="Lev")
    assert says(again, "check.counted", good=4, bad=0)
    assert director.press(again, "enter").location == "/event/entrants"
    assert list(director.names.values()) == ["Ida", "Jun", "Lev", "Kei"]


def test_an_uploaded_file_is_read_in_its_encoding_and_of_a_doubtful_one_a_person_chooses_it(director: SetUp) -> None:
    director.describe()
    answer = director.upload("山\nIda\n".encode("cp932"))
    assert says(answer, "check.encoding")
    content = present(re.search(r'name="content" value="([^"]+)"', answer.text))
    again = director.send("/event/entrants", do="decode", content=content[1], encoding="cp932")
    assert listed_lines(again.text) == {1: "山", 2: "Ida"}
    assert director.press(again, "enter").status_code == 303
    answer = director.upload("番号,氏名,所属\r\n11,佐藤 健,東京\r\n12,鈴木 一郎,大阪\r\n13,高橋 さくら,京都\r\n".encode("cp932"))
    assert director.press(answer, "enter").status_code == 303
    assert director.names == {"1": "山", "2": "Ida", "11": "佐藤 健", "12": "鈴木 一郎", "13": "高橋 さくら"}
    assert director.event.players["12"].club == "大阪"


@pytest.mark.parametrize(
    ("content", "status", "key"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0", 409, "entrants.no-text"),
        (b"\n" * 700, 409, "entrants.too-long"),
        (b"\n\n", 409, "entrants.nothing"),
        (b"x" * 200_000, 413, "error.413"),
    ],
    ids=["a picture", "many lines", "nothing", "more than a page takes"],
)
def test_a_file_that_is_no_list_is_refused_in_a_sentence(director: SetUp, content: bytes, status: int, key: str) -> None:
    director.describe()
    answer = director.upload(content)
    assert answer.status_code == status
    assert says(answer, key)


@pytest.mark.parametrize("name", ["שרה לוי", "🀄 Ota", "👩‍🚀 Rae", "محمد علي", "<b>Ida</b>", "Ana‑María Ñuñez", "नेहा शर्मा"])
def test_a_name_of_any_script_is_kept_and_shown_as_it_is(director: SetUp, name: str) -> None:
    director.prepared(name)
    assert director.names == {"1": name}
    assert name.replace("<", "&lt;").replace(">", "&gt;") in director.page("/event/entrants")


def test_numbers_are_given_where_a_list_has_none_and_a_known_name_keeps_its_number(director: SetUp) -> None:
    director.names_file.write_text('{"format":"twinwall-names-1","players":{"2":"Ida","40":"Olga"}}')
    director.describe()
    director.enter("no,name\n,Jun\n7,Kei\n,Olga\n,Lev")
    assert director.names == {"1": "Jun", "2": "Ida", "3": "Lev", "7": "Kei", "40": "Olga"}
    assert list(director.event.players) == ["1", "7", "40", "3"]


def test_a_refused_change_leaves_no_name(director: SetUp) -> None:
    director.prepared("Ida")
    checked = director.paste("Jun")
    director.describe(EventDescribed("individual", "mcr-duplicate", sessions=3))
    answer = director.press(checked, "enter")
    refused(answer, "refusal.changed")
    assert says(answer, "change.event-described")
    assert director.names == {"1": "Ida"}


@pytest.mark.parametrize("full", ["the store", "the names file"])
def test_what_cannot_be_written_leaves_players_and_names_as_they_were(director: SetUp, full: str) -> None:
    director.prepared("Ida")
    checked = director.paste("Jun")
    director.hall.desk.full = full == "the store"
    if full == "the names file":
        director.names_file.with_name(f"{director.names_file.name}.{threading.get_native_id()}.new").mkdir()
    for answer in (director.send("/event/entrants/1", do="remove"), director.press(checked, "enter")):
        refused(answer, "error.store" if full == "the store" else "setup.names-not-kept")
    assert (list(director.event.players), director.names) == (["1"], {"1": "Ida"})
    director.hall.desk.full = False
    director.names_file.unlink()
    director.names_file.mkdir()
    assert says(director.enter("Kei"), "setup.names-not-kept")
    assert list(director.event.players) == ["1"]


@pytest.mark.parametrize(
    ("count", "sentence"),
    [(13, "1 sit out"), (15, "3 sit out"), (17, "1 sit out"), (3, "a table needs four"), (16, "every pair meets once")],
)
def test_the_page_says_what_follows_from_the_number_of_players(director: SetUp, count: int, sentence: str) -> None:
    director.prepared(*[*SIXTEEN, "Quin"][:count])
    assert sentence in director.page("/event/entrants")


def test_a_player_is_changed_on_a_page_of_his_own_where_a_name_that_cannot_be_is_refused(director: SetUp) -> None:
    director.prepared()
    for name, key in (("", "line.name-missing"), ("player ada", "line.name-alike"), ("x" * 200, "line.name-long")):
        answer = director.send("/event/entrants/3", do="save", name=name, club="", table="", place="")
        assert (answer.status_code, says(answer, key, other="Player Ada", count=200, longest=80)) == (409, True), name
    assert director.names["3"] == SIXTEEN[2]
    answer = director.send("/event/entrants/3", do="save", name="Cléo", club="Lyon", table="2", place="1")
    assert answer.location == "/event/entrants"
    assert director.names["3"] == "Cléo"
    assert director.event.players["3"] == EnteredPlayer("3", "Lyon", "2", 1)
    assert "Fixed seat" in director.page("/event/entrants")


def test_who_plays_is_not_removed_but_withdraws_with_a_reason(director: SetUp) -> None:
    director.prepared()
    seating = proposed_seating(director.event, 1)
    director.send("/event/seating", do="save", plan=director.plan())
    assert director.event.seatings[1] == seating
    director.manage(SessionStarted(1))
    assert says(director.page("/event/entrants/5"), "entrant.withdraw.follows", session=2)
    assert director.send("/event/entrants/5", do="remove").status_code == 409
    for reason, key in (("", "setup.reason-missing"), ("because of Player Ada", "setup.reason-names")):
        refused(director.send("/event/entrants/5", do="withdraw", reason=reason), key)
    answer = director.send("/event/entrants/5", do="withdraw", reason="a <wedding> " + "x" * 400)
    assert answer.status_code == 409
    form = answer.text[answer.text.rindex("<details", 0, answer.text.index('value="withdraw"')) :]
    assert form.startswith('<details class="card" open>')
    assert 'name="reason" maxlength="300" value="a &lt;wedding&gt;' in form
    assert answer.text.count("&lt;wedding&gt;") == 1, "no other form takes it"
    assert director.send("/event/entrants/5", do="withdraw", reason="ill").status_code == 303
    assert director.event.withdrawn == {"5": 2}
    assert director.event.seat_of(1, "5") is not None, "the hand in play has four players"


@pytest.mark.parametrize(
    ("entrants", "address", "absent"), [("\n".join(SIXTEEN), "/event/entrants/5", "5"), (TEAM_LIST, "/event/teams/Rose", "Rose")]
)
def test_who_is_absent_leaves_out_one_session_or_comes_after_all(director: SetUp, entrants: str, address: str, absent: str) -> None:
    director.describe(EventDescribed("team" if absent == "Rose" else "individual", "mcr-duplicate", sessions=2))
    director.enter(entrants)
    assert says(director.page(address), "entrant.absent.follows", session=1)
    assert says(director.page(address), "entrant.absent.again", next=2)
    assert not says(director.page(address), "entrant.absent.seated", session=1)
    assert director.send(address, do="absent", reason="").status_code == 409, "a reason is asked for"
    assert director.event.absent == {}
    assert director.send(address, do="absent", reason="a wedding").status_code == 303
    assert absent not in director.event.entrants(1)
    assert absent in director.event.entrants(2)
    assert says(director.page("/event/entrants"), "entrants.absent", session=1)
    assert says(director.page(address), "entrant.present.follows", session=1)
    assert director.send(address, do="present").status_code == 303
    assert absent in director.event.entrants(1)


def test_absence_is_offered_in_the_sessions_of_the_event_alone(director: SetUp) -> None:
    director.describe(EventDescribed("individual", "mcr-duplicate", sessions=2))
    director.enter("\n".join(SIXTEEN))
    director.manage(TablesChosen(TABLES))
    address = "/event/entrants/5"
    for session in (1, 2):
        assert says(director.page(address), "entrant.absent.follows", session=session)
        assert says(director.page(address), "entrant.absent.again", next=session + 1) is (session == 1)
        director.manage(rows(session), SessionStarted(session), SessionEnded(session))
    assert not says(director.page(address), "entrant.absent", session=3)


def test_a_session_does_not_start_with_somebody_absent_in_a_saved_seat_until_its_seats_are_proposed_anew(director: SetUp) -> None:
    director.prepared()
    director.send("/event/seating", do="save", plan=director.plan())
    assert says(director.page("/event/entrants/5"), "entrant.absent.seated", session=1)
    director.send("/event/entrants/5", do="absent", reason="a wedding")
    assert present(refusal(director.event, SessionStarted(1))).why is Why.ABSENT
    proposed = html.unescape(
        re.findall(r'name="plan" value="([^"]+)"', director.send("/event/seating", do="propose", plan=director.plan()).text)[0]
    )
    assert director.send("/event/seating", do="save", plan=proposed).status_code == 303
    assert refusal(director.event, SessionStarted(1)) is None
    assert len(director.event.seatings[1].sitting_out) == 3


def test_a_late_arrival_plays_as_a_substitute_in_a_running_session(director: SetUp) -> None:
    director.prepared()
    director.send("/event/seating", do="save", plan=director.plan())
    director.manage(SessionStarted(1))
    director.enter("Quin")
    for session in ("", "2", "9" * 5000):
        assert director.send("/event/entrants/5", do="substitute", session=session, substitute="17", reason="late").status_code == 409
    answer = director.send("/event/entrants/5", do="substitute", session="1", substitute="17", reason="arrived late")
    assert answer.status_code == 303
    assert director.event.substitutes == {1: {"5": "17"}}
    assert isinstance(director.hall.desk.steps[-1].change, SubstituteSeated)


def test_teams_of_four_are_entered_and_changed(director: SetUp) -> None:
    director.describe(EventDescribed("team", "mcr-duplicate"))
    assert director.enter(TEAM_LIST).status_code == 303
    assert director.enter("team,name\nPlum,Plum 5").status_code == 303
    assert director.event.teams["Plum"].players == ("1", "2", "3", "4", "17")
    assert director.send("/event/teams/Plum", do="save", plays=["1", "2", "3", "17"], club="Lyon").status_code == 303
    assert director.event.teams["Plum"].players == ("1", "2", "3", "17", "4")
    assert director.send("/event/teams/Plum", do="save", plays=["1"], club="").status_code == 409
    assert director.send("/event/entrants/4", do="remove").status_code == 303
    refused(director.send("/event/entrants/3", do="remove"), "refusal.team-needs-four", name="\u2068Plum\u2069")
    assert director.send("/event/teams/Rose", do="withdraw", reason="train").status_code == 303
    assert director.event.withdrawn == {"Rose": 1}
    assert director.send("/event/teams/Orchid", do="remove").status_code == 303
    assert list(director.event.teams) == ["Plum", "Bamboo", "Rose"]
