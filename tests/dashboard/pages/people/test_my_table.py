"""A player's own table on a phone: who has scanned the seat's code sees the score and confirms it; nobody else sees anything of it."""

import re
import threading
from dataclasses import replace
from html import unescape

import pytest

from dashboard.i18n.words import Words
from tests.support.dashboard.example import BY_DISCARD, building, play
from tests.support.dashboard.hall import OPEN, Hall, must_say
from tests.support.dashboard.tables.tables_in_play import ENTERED, PAID, RECORDED, SHOWN, SeatPhones, hand_entered, seat_address, words_of
from tests.support.game.random_hands import sichuan
from tests.support.wire.streams import Line
from twinwall.art.names import LANGUAGES, Language
from twinwall.event.player_names import NamesShown
from twinwall.wire.events.trouble_events import CallSubject
from twinwall.wire.messages.commands import CallReferee, Command, ConfirmScore


def shown_tiles(phones: SeatPhones) -> tuple[str, list[str]]:
    """What the page of East's seat calls the shown hand, and the kinds whose pictures stand there."""
    phones.scan(0)
    group = re.search(r'<p class="tiles shown" aria-label="([^"]*)" role="group">(.*?)</p>', phones.page(0), re.DOTALL)
    assert group is not None
    return group[1], re.findall(r'<use href="[^"]*#t-([^"]+)"/>', group[2])


VALUE = " ".join(str(number) for number in (1, *PAID))


def test_the_winner_enters_the_score_and_the_others_see_that_it_is_awaited_and_their_stream_brings_it() -> None:
    phones = SeatPhones(SHOWN, lambda _command: ENTERED[len(SHOWN) :])
    assert "You have won" in phones.scan(1)
    assert "South enters the score" in phones.scan(0)
    phones.press(0, enter="1")
    assert phones.sent == []
    phones.hall.client = phones.phones[0]
    assert "South wins from West" not in phones.hall.stream("/seat/1/0/events")
    phones.press(1, enter="1")
    assert phones.sent == [ConfirmScore(1, 1)]
    assert "South wins from West" in phones.hall.stream("/seat/1/0/events")


def test_the_page_says_who_wins_and_who_pays_whom() -> None:
    page = SeatPhones(ENTERED).scan(0)
    assert "South wins from West South entered this." in page
    must_say(page, "→ pays South −8", "Petit Jean +48", "→ pays South −32", "Moretti Ida (you)", "Total 24")
    must_say(page, "Yes, this is right", "Not right: call referee")


def test_with_two_winners_each_payer_has_an_arrow_unless_the_rules_give_another_score() -> None:
    played = sichuan(73)
    assert [seat.value for seat in played.wins] == ["S", "N"]
    lines = hand_entered(played)
    page = SeatPhones(lines).scan(0)
    must_say(
        page,
        "Moretti Ida (you) → pays South 8 → pays North 8 −8 南 Petit Jean +32 西",
        "→ pays East 8 → pays South 16 → pays North 8 −32",
        "吴敏 → pays South 8 +8",
    )
    lines[-1] = ("payments-proposed", {**lines[-1][1], "payments": {"E": -8, "S": 30, "W": -32, "N": 10}})
    page = SeatPhones(lines).scan(0)
    assert ("+30" in page, "→" in page) == (True, False)


@pytest.mark.parametrize("read", [BY_DISCARD.concealed, "1m 2m 3m 4p 5p 6p 7s 8s 9s E E E F", "1s 1s 1s 2s 2s 2s 3s 3s 3s 4s 4s 4s F"])
def test_the_shown_hand_stands_there_as_tiles_of_the_kinds_that_were_read_and_the_winning_tile_last(read: str) -> None:
    label, faces = shown_tiles(
        SeatPhones([(kind, {**fields, "concealed": read} if kind == "hand-shown" else fields) for kind, fields in ENTERED])
    )
    assert (label, sorted(faces[:-1]), faces[-1]) == ("The hand of South", sorted(read.split()), BY_DISCARD.winning)


def test_statement_09_the_second_press_is_on_another_persons_phone() -> None:
    phones = SeatPhones(ENTERED)
    page = phones.scan(1)
    assert "You entered this. Another player confirms it." in page
    assert "Yes, this is right" not in page
    phones.press(1, confirm=VALUE)
    assert phones.sent == []


def test_statement_09_pressing_twice_or_from_two_phones_sends_what_was_shown_and_shows_one_record() -> None:
    phones = SeatPhones(ENTERED)
    phones.answers = lambda command: RECORDED[len(ENTERED) :] if isinstance(command, ConfirmScore) and len(phones.sent) == 1 else []
    for place in (0, 2):
        phones.scan(place)
    pages = [phones.press(place, confirm=VALUE) for place in (0, 0, 2)]
    assert phones.sent == [ConfirmScore(0, 1, PAID)]
    assert all("✓ The score is recorded" in page for page in pages)
    assert not any("moved on" in page for page in pages), "who presses twice is told that it is recorded"


def test_a_second_press_that_comes_before_the_table_has_answered_the_first_is_not_sent() -> None:
    phones = SeatPhones(ENTERED)
    phones.scan(0)
    pages: list[str] = []
    second = threading.Thread(target=lambda: pages.append(phones.press(0, confirm=VALUE)))

    def answered(_command: Command) -> list[Line]:
        if not second.ident:
            second.start()
            second.join(0.3)
        return RECORDED[len(phones.script) :]

    phones.answers = answered
    pages.append(phones.press(0, confirm=VALUE))
    second.join()
    assert phones.sent == [ConfirmScore(0, 1, PAID)]
    assert len(pages) == 2
    assert all("✓ The score is recorded" in page for page in pages)


def test_a_page_that_is_behind_confirms_nothing_and_so_many_presses_a_minute_are_taken_at_one_table() -> None:
    phones = SeatPhones(ENTERED)
    phones.scan(0)
    behind = ["1 -8 48 -32 -9", "2 -8 48 -32 -8", "1", "", "x", "1 -8 48 -32 -8 0"]
    pages = [phones.press(0, confirm=value) for value in (*behind, *["1"] * 15)]
    assert ["The table has moved on since." in page for page in pages] == [*[True] * 20, False]
    assert ["Wait one minute" in page for page in pages] == [*[False] * 20, True]
    assert phones.sent == []


def test_not_right_calls_the_referee_about_the_score() -> None:
    phones = SeatPhones(ENTERED)
    phones.answers = lambda _command: [("referee-called", {"seat": "E", "about": "score"}), ("play-halted", {"reason": "referee"})]
    phones.scan(0)
    page = phones.press(0, call="score")
    assert phones.sent == [CallReferee(0, CallSubject.SCORE)]
    assert "The referee is called." in page
    assert "Yes, this is right" not in phones.scan(2), "nothing is confirmed before the ruling"


def test_the_referee_is_called_with_a_sentence_and_the_page_says_who_comes() -> None:
    phones = SeatPhones([*building(), *play("E2p")], lambda _command: [("referee-called", {"seat": "S", "about": "play"})])
    assert "The hand is being played" in phones.scan(1)
    must_say(phones.look(1, "?call=1"), "What is it about?", "A tile was read wrong")
    phones.press(1, call="play")
    phones.hall.log_in()
    call = phones.hall.desk.hall.calls()[0]
    phones.hall.submit("/calls/take", {"call": f"table=1&journal={call.journal}&seq={call.seq}"})
    assert "Referee on the way" in phones.scan(1)
    assert "Something in the play" in words_of(phones.hall.client.get("/table/1").text), "the referee reads what it is about"


def test_when_the_table_itself_calls_the_referee_each_player_reads_it_and_may_still_call() -> None:
    phones = SeatPhones([*building(), *play("E2p"), ("referee-called", {"about": "hand-overdue"})])
    for place in (0, 2):
        must_say(phones.scan(place), "The referee is called.", "Call referee")


@pytest.mark.parametrize("language", LANGUAGES)
def test_where_the_last_discard_is_gone_after_a_power_cut_players_and_referee_read_why_play_waits(language: Language) -> None:
    halted: list[Line] = [("referee-called", {"seat": "E"}), ("play-halted", {"reason": "mat-differs"})]
    phones, words = SeatPhones([*building(), *play("E2p"), *halted]), Words(language)
    phones.phones[0].get(f"/login?lang={language}")
    phones.hall.log_in()
    staff = phones.hall.client.get(f"/table/1?lang={language}").text
    assert words("seat.halted.mat-differs") in phones.scan(0)
    assert words("alarm.halted.mat-differs") in unescape(staff)
    phones.feed(("ruling", {"ruling": "r1", "n": 1, "by": "Ota", "texts": {"en": "Play on."}, "effects": []}))
    assert words("seat.halted.mat-differs") not in phones.scan(0)


def test_after_the_hand_is_recorded_the_page_has_no_score() -> None:
    page = SeatPhones(RECORDED).scan(0)
    assert "✓ The score is recorded" in page
    for score in ("48", "32", "−8"):
        assert score not in page, score


@pytest.mark.parametrize("path", ["/seat/1/0", "/seat/1/0?code=", "/seat/1/0?code=aaaaaaaaaaaaa", "/seat/1/0?call=1"])
def test_without_the_code_of_the_seat_nothing_of_the_score_is_shown_and_nothing_is_sent(path: str) -> None:
    phones = SeatPhones(ENTERED)
    page = words_of(phones.phones[0].get(path, follow_redirects=True).text)
    assert "48" not in page
    assert "scan the code" in page
    assert "Scan the code" in phones.press(0, confirm=VALUE)
    assert "Scan the code" in phones.press(0, call="other")
    assert phones.phones[0].get("/seat/1/0/events").status_code == 404
    assert phones.sent == []


def test_a_phone_holds_the_seat_that_it_scanned_last_and_a_code_of_another_event_opens_nothing() -> None:
    phones = SeatPhones(ENTERED)
    phones.scan(0)
    phones.phones[0].get(seat_address(2))
    assert "Scan the code" in phones.press(0, confirm=VALUE)
    assert phones.phones[0].get("/seat/1/0/events").status_code == 404
    winter = SeatPhones(ENTERED, settings=replace(OPEN, event="Winter"))
    assert "scan the code" in words_of(winter.phones[0].get(seat_address(0), follow_redirects=True).text)


def test_players_names_on_a_seats_page_are_those_that_everybody_sees_whoever_looks() -> None:
    hall = Hall(settings=replace(OPEN, public_names=NamesShown.NUMBER))
    hall.feed([("seats-awaited", {"session": 1, "players": ["11", "12", "13", "14"]}), *ENTERED])
    hall.log_in()
    assert "calls" not in words_of(hall.client.get(seat_address(0), follow_redirects=True).text).lower().split("not right")[0]
