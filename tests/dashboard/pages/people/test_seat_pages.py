"""The page of a seat: who sits here is said with one touch, a wrong seat is named, and two swap; staff see all four."""

import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from dashboard.pages.people.seat_routes import ANSWERS_A_MINUTE
from dashboard.web_settings import WebSettings
from tests.support.dashboard.example import building, play
from tests.support.dashboard.hall import OPEN, SETTINGS, Hall, must_say
from tests.support.dashboard.staff import submit
from tests.support.dashboard.tables.tables_in_play import SeatPhones, seat_address, words_of
from tests.support.wire.streams import Line
from twinwall.event.player_names import NamesShown
from twinwall.wire.messages.commands import Command, SwapSeats, TakeSeat

PLAYERS = ["11", "12", "13", "14"]
AWAITED: Line = ("seats-awaited", {"session": 1, "players": PLAYERS})
CONFIRMED: Line = ("seats-confirmed", {"session": 1, "players": PLAYERS})
NAMES = '{"format":"twinwall-names-1","players":{"11":"李娜","12":"鈴木","13":"Müller","14":"Ida Petit"}}'


def taken(place: int, player: str) -> Line:
    return ("seat-taken", {"place": place, "player": player})


ALL_SIT: list[Line] = [*(taken(place, player) for place, player in enumerate(PLAYERS)), CONFIRMED]


class Seats(SeatPhones):
    """A table that asks its four players; a ``deaf`` one takes what is sent and says nothing."""

    def __init__(self, settings: WebSettings) -> None:
        super().__init__([*building(), AWAITED], self.seat, settings)
        self.deaf = False
        self.meanwhile: Callable[[], None] = lambda: None

    def seat(self, command: Command) -> list[Line]:
        """What the table says of a command, after what happens ``meanwhile``."""
        self.meanwhile()
        if self.deaf:
            return []
        match command:
            case TakeSeat(place, player):
                return [taken(place, player)]
            case SwapSeats((first, second)):
                sitting = {line[1]["place"]: str(line[1]["player"]) for line in self.script if line[0] == "seat-taken"}
                return [taken(to, sitting[place]) for place, to in ((first, second), (second, first)) if place in sitting]
            case _:
                raise AssertionError(command)


@pytest.fixture
def seats(tmp_path: Path) -> Seats:
    """Four players who have names; nobody has an account, and spectators are not let in."""
    names = tmp_path / "names.json"
    names.write_text(NAMES)
    return Seats(replace(SETTINGS, names=names))


def test_a_player_says_with_one_touch_who_sits_here_without_an_account(seats: Seats) -> None:
    assert seats.look(1).startswith("Aあ Bigger text Who sits here? South, table 1 鈴木")
    page = seats.press(1, player="１２")
    assert seats.sent == [TakeSeat(1, "12")]
    assert "You are 鈴木, South at table 1 ✓ This is your seat." in page


def test_a_wrong_seat_names_both_seats_and_two_swap_with_one_touch(seats: Seats) -> None:
    seats.press(3, player="12")
    page = seats.press(1, player="14")
    assert "Ida Petit, this is not your seat ✕ Your seat is North. 鈴木 sits here: South." in page
    page = seats.press(1, swap="1")
    assert seats.sent[-1] == SwapSeats((1, 3))
    assert "You are 鈴木, South at table 1" in page
    assert "You are Ida Petit, North at table 1" in seats.look(3)


def test_after_a_swap_each_phone_is_that_of_the_chair_to_which_its_person_has_gone(seats: Seats) -> None:
    for place, player in ((1, "14"), (3, "12")):
        seats.scan(place)
        seats.press(place, player=player)
    assert seats.phones[3].get("/seat/1/3").status_code == 200, "as long as both sit wrong each stays"
    assert "You are Ida Petit, North at table 1" in seats.press(1, swap="1")
    assert "You are 鈴木, South at table 1" in words_of(seats.phones[3].get("/seat/1/3", follow_redirects=True).text)
    for place in (1, 3):
        assert seats.phones[place].get(f"/seat/1/{place}/events").status_code == 404, "the phone stands for its first chair no more"
    seats.scan(1)
    assert seats.phones[1].get("/seat/1/1").status_code == 200, "a code that is scanned again counts"


def test_who_says_to_be_another_player_and_swaps_does_not_get_that_players_seat(seats: Seats) -> None:
    false, own, victim = (seats.hall.new_client() for _ in range(3))
    for phone, place, player in ((victim, 2, "13"), (false, 0, "13"), (own, 0, "11")):
        phone.get(seat_address(place))
        submit(phone, f"/seat/1/{place}", {"player": player})
    seats.feed(taken(2, "13"))  # as after a press of "Swap seats"
    assert "You are 李娜, East" in words_of(false.get("/seat/1/0", follow_redirects=True).text)
    assert false.get("/seat/1/2/events").status_code == 404


def test_a_phone_that_came_before_its_table_asked_is_led_to_the_question(seats: Seats) -> None:
    seats.hall.client.get(seat_address(1))
    seats.feed(taken(1, "12"))
    assert "data-asks" not in seats.hall.client.get("/seat/1/1").text
    seats.feed(taken(1, "14"))
    live = seats.hall.stream("/seat/1/1/events")
    assert "data-asks" in live
    assert "You are" not in live


def test_two_presses_of_swap_at_once_do_not_swap_back(seats: Seats) -> None:
    seats.press(3, player="12")
    seats.press(1, player="14")
    second = threading.Thread(target=lambda: seats.press(1, swap="1"))

    def press_again() -> None:
        if not second.ident:
            second.start()
            second.join(0.3)

    seats.meanwhile = press_again
    seats.press(1, swap="1")
    second.join()
    assert seats.sent[2:] == [SwapSeats((1, 3))]
    assert "You are 鈴木, South at table 1" in seats.look(1)


def test_a_press_beyond_those_of_a_minute_is_refused_while_another_waits_for_the_table(seats: Seats) -> None:
    told: list[str] = []
    beyond = threading.Thread(target=lambda: told.append(seats.press(1, player="12")))

    def press_beyond() -> None:
        beyond.start()
        beyond.join(10.0)
        told.append("the table answers")

    for number in range(ANSWERS_A_MINUTE - 1):
        seats.press(1, player=PLAYERS[number % 2])
    seats.meanwhile = press_beyond
    seats.press(1, player="12")
    beyond.join()
    assert "Too many answers" in told[0]


def test_nobody_waits_without_end_for_the_presses_of_others(seats: Seats, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dashboard.pages.people.seat_routes.TURN_S", 0.05)
    told: list[str] = []

    def press_another() -> None:
        seats.meanwhile = lambda: None
        other = threading.Thread(target=lambda: told.append(seats.press(0, player="11")))
        other.start()
        other.join(10.0)
        told.append("the table answers")

    seats.meanwhile = press_another
    seats.press(1, player="12")
    assert "This is your seat" in told[0]


def test_a_player_of_no_place_here_is_told_so_and_what_is_no_number_or_comes_without_a_broker_is_sent_nowhere(seats: Seats) -> None:
    for typed in ("", "0", "12345", "Li Na", "12; drop"):
        assert "Type a player number from 1 to 9999." in seats.press(0, player=typed), typed
    page = seats.press(0, player="99")
    assert "You are not on this table's list." in page
    assert "Swap seats" not in page
    seats.press(0, swap="1")
    seats.hall.views.connection(False)
    came = words_of(seats.hall.submit("/seat/1/0", {"player": "11"}, follow=True).text)
    must_say(came, "The answer did not reach the table.", "press CONFIRM there")
    assert seats.sent == [TakeSeat(0, "99")]


def test_the_four_seats_stand_below_with_a_word_each_until_all_sit_right_and_a_substitute_is_asked_anew(seats: Seats) -> None:
    seats.press(0, player="11")
    page = seats.press(1, player="13")
    below = page[page.index("The four seats") :]
    must_say(below, "East 李娜: sits here", "South 鈴木: wrong, Müller sits here", "North Ida Petit: has not said it yet")
    for place, player in enumerate(PLAYERS):
        seats.press(place, player=player)
    seats.feed(CONFIRMED)
    assert "All four sit right. The hand can start." in seats.look(2)
    seats.feed(("seats-awaited", {"session": 1, "players": ["11", "12", "13", "99"]}))
    assert "North 99: has not said it yet" in seats.look(0)
    assert "You are 李娜" in seats.look(0)


def test_after_the_hand_has_begun_no_answer_is_taken(seats: Seats) -> None:
    seats.feed(*ALL_SIT, *play("E2p"))
    assert "If somebody sits wrong, call the referee." in seats.look(0)
    came = seats.hall.submit("/seat/1/0", {"player": "12"}, follow=True)
    assert "The hand has begun." in words_of(came.text)
    assert seats.sent == []
    for table in ["1", "none"] * ANSWERS_A_MINUTE:  # they count for nothing
        assert seats.hall.submit(f"/seat/{table}/0", {"player": "12"}).headers["Location"].endswith("?said=begun")


def test_an_answer_that_the_table_has_not_taken_yet_is_said_to_be_on_its_way(seats: Seats, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dashboard.access.viewer_scope.LOOK_S", 0.001)
    seats.deaf = True
    assert "Your answer is on its way" in seats.press(0, player="11")


def test_so_many_answers_a_minute_are_taken_from_one_address_about_one_table(seats: Seats) -> None:
    pages = [seats.press(0, player=str(number)) for number in range(1, 22)]
    assert "Wait one minute" in pages[-1]
    assert len(seats.sent) == 20
    seats.hall.seconds += 61
    seats.press(0, player="11")
    assert seats.sent[-1] == TakeSeat(0, "11")


def test_the_page_of_a_table_that_asks_nobody_says_so() -> None:
    hall = Hall(settings=OPEN)
    hall.feed([*building()])
    assert "Nobody is asked here just now who sits where." in words_of(hall.client.get("/seat/1/0").text)
    assert hall.client.get("/seat/9/0").status_code == 404
    assert hall.client.get("/seat/1/4").status_code == 404


def test_staff_see_the_four_seats_on_the_tables_page_and_in_the_hall_how_many_sit_right_and_spectators_do_not(seats: Seats) -> None:
    seats.press(0, player="11")
    seats.press(1, player="13")
    seats.hall.log_in()
    must_say(words_of(seats.hall.client.get("/table/1").text), "Seat check 1 of 4 sit right", "South 鈴木: wrong, Müller sits here")
    assert "Seat check: 1 of 4 sit right" in seats.hall.client.get("/").text
    seats.feed(*ALL_SIT)
    assert "Seat check" not in seats.hall.client.get("/").text, "all do"
    open_hall = Hall(settings=OPEN)
    open_hall.feed([*building(), AWAITED, taken(0, "11")])
    assert "Seat check" not in open_hall.client.get("/table/1").text


def test_bigger_text_is_remembered_and_names_are_what_the_event_shows_of_them(seats: Seats) -> None:
    """Anonymous pages may show numbers alone; then this one does."""
    for path in ("/seat/1/0?text=1", "/seat/1/2"):
        assert 'class="seat-page text-1"' in seats.hall.client.get(path).text
    assert "李娜" in seats.look(0)
    numbers = Hall(settings=replace(seats.hall.settings, public_names=NamesShown.NUMBER))
    numbers.feed(seats.script)
    page = numbers.client.get("/seat/1/0").text
    assert "李娜" not in page
    assert ">11</button>" in page
