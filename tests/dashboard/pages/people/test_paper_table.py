"""A table without cameras on its players' phones: sheets, begin, the result by one and its confirmation by another."""

import re
from collections.abc import Callable

import pytest

from tests.support.dashboard.staff import submit
from tests.support.dashboard.tables.tables_in_play import SHEETS, STARTED, SeatPhones, answers, entered, words_of
from tests.support.event.managed import PREPARED
from tests.support.wire.streams import Line, public_events
from twinwall.event.management.changes import ClocksPaused, ClocksResumed, SessionEnded, SessionReopened, SessionStarted
from twinwall.game.documents import write_time
from twinwall.game.tiles import Seat
from twinwall.wire.messages.commands import BeginHand, Command, ConfirmScore, EnterResult

WON = {"winner": "S", "source": "W", "total": "24"}


def paper_phones(script: list[Line], answered: Callable[[Command], list[Line]] = answers) -> SeatPhones:
    """A table without cameras, each phone at the seat whose code it has scanned."""
    phones = SeatPhones(script, answered)
    for place in range(4):
        phones.scan(place)
    return phones


def test_any_of_the_four_says_that_the_walls_stand() -> None:
    phones = paper_phones(SHEETS)
    page = phones.look(2)
    assert "Build the walls from the sheets" in page
    assert "Open the sheets of deal 1" in page
    phones.press(2, begin="1")
    phones.press(3, begin="1")
    assert phones.sent == [BeginHand(2, 1)], "the second press is of a hand that has begun"


def test_one_player_enters_the_result_and_another_confirms_it() -> None:
    phones = paper_phones(STARTED)
    assert "Enter the result" in phones.look(1)
    assert "How did the hand end?" in phones.look(1, "?result=1")
    phones.press(1, result="1", **{**WON, "total": "２４"})
    assert phones.sent == [EnterResult(1, 1, Seat.SOUTH, Seat.WEST, 24)]
    page = phones.look(2)
    for said in ("South wins from West", "South entered this", "+48", "−32", "24", "what you confirm is all that is recorded"):
        assert said in page, said
    assert "Another player confirms it" in phones.look(1)
    assert "The score is recorded" in phones.press(2, confirm="1 -8 48 -32 -8")
    assert phones.sent[1:] == [ConfirmScore(2, 1, (-8, 48, -32, -8))]


def test_a_result_is_sent_once_and_of_another_deal_or_without_the_code_of_a_seat_never() -> None:
    phones = paper_phones(STARTED)
    phones.press(1, result="2", **WON)
    submit(phones.hall.new_client(), "/seat/1/1", {"result": "1", **WON})
    phones.press(0, begin="1")
    for place in range(1, 4):
        page = phones.phones[0].get(f"/seat/1/{place}?result=1")
        assert (page.status_code, "How did the hand end?" in page.text) == (200, False)
    assert phones.sent == []
    phones.press(1, result="1", winner="none", total="")
    phones.press(1, result="1", **WON)
    assert phones.sent == [EnterResult(1, 1)], "a drawn hand needs nothing but that"


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ({**WON, "total": "7"}, "A win has at least 8"),
        ({**WON, "total": "０"}, "A win has at least 8"),
        ({**WON, "source": "S"}, "cannot win on its own discard"),
        ({**WON, "total": "999"}, "no such result"),
        ({**WON, "total": ""}, "Something is missing"),
        ({"winner": "S", "total": "24"}, "Something is missing"),
        ({"winner": "Q", "source": "W", "total": "24"}, "Something is missing"),
    ],
)
def test_a_result_that_cannot_be_is_asked_for_again_with_what_was_typed(form: dict[str, str], said: str) -> None:
    phones = paper_phones(STARTED)
    page = phones.press(1, result="1", **form)
    assert said in page
    assert "How did the hand end?" in page
    assert "(at least 8)" in page, "it is said before anybody types"
    assert phones.sent == []


def test_another_player_may_enter_another_result_which_goes_to_the_table() -> None:
    disputed: list[Line] = [
        ("result-entered", {"seat": "W", "winner": "S", "source": "E", "total": 24, "payments": {"E": -32, "S": 48, "W": -8, "N": -8}}),
        ("referee-called", {"seat": "W", "about": "score"}),
        ("play-halted", {"reason": "referee"}),
    ]
    phones = paper_phones([*STARTED, *entered("S")], lambda _command: disputed)
    assert "It was another result" in phones.look(2)
    page = phones.press(2, result="1", winner="S", source="E", total="24")
    assert phones.sent == [EnterResult(2, 1, Seat.SOUTH, Seat.EAST, 24)]
    assert "referee" in page.lower()


def test_four_scores_are_entered_where_the_rules_need_them() -> None:
    sichuan = [(kind, {**fields, "rules": "sichuan"} if "rules" in fields else fields) for kind, fields in STARTED]
    phones = paper_phones(sichuan)
    assert "what each seat gets" in phones.look(0, "?result=1")
    four = {"score-E": "-1", "score-S": "+3", "score-W": "−1", "score-N": "-1"}
    phones.press(0, result="1", **{**four, "score-N": "0", "sure": "-1 3 -1 0"})
    assert phones.sent == [], "they do not sum to zero"
    phones.press(0, result="1", **{**four, "score-S": "＋３", "score-N": "－１"})
    assert phones.sent == [EnterResult(0, 1, scores=(-1, 3, -1, -1))]


def test_the_hall_and_the_referee_see_what_a_paper_table_does_and_no_tile_that_nobody_has_seen() -> None:
    phones = paper_phones(SHEETS)
    hall = phones.hall
    hall.log_in()
    card = words_of(hall.client.get("/").text)
    assert "Sheets open" in card
    assert "next wall" not in card, "it is the wall of this hand"
    for script in (SHEETS, STARTED):
        phones.script = script
        hall.feed(script)
        table = hall.client.get("/table/1").text
        assert board_tiles(table) == 0
        for fiction in ("to draw", "left", "turn 1"):
            assert fiction not in words_of(table), fiction
    assert "a player enters how it ends" in words_of(table)
    closed = [*STARTED, *entered("S"), *answers(ConfirmScore(2, 1, (-8, 48, -32, -8)))]
    following = [*closed, ("sheets-due", {"n": 2, "session": 1, "hand": 2, "rules": "mcr-duplicate"})]
    hall.feed(following)
    hall.release()
    page = hall.client.get("/").text
    assert "E2" in words_of(page)
    found = re.search(r'Sheets open</span>.*?data-age="([^"]+)"', page, re.DOTALL)
    assert found is not None
    assert found[1] == write_time(public_events(following)[-1].at), "the age is that of the sheets, not of the hand before"


def test_before_a_hand_the_referee_reads_who_sits_where_and_no_phone_offers_to_begin_while_the_clocks_stand() -> None:
    phones = paper_phones(SHEETS)
    hall = phones.hall
    hall.log_in()

    def named() -> list[str]:
        return re.findall(r'<span class="rule-name">(.*?)</span>', hall.client.get("/table/1").text)

    assert named() == [""] * 4, "no seats were drawn"
    hall.manage(*PREPARED, SessionStarted(1))
    hall.views.touch()
    assert named() == list(hall.desk.event.seats(1)["1"])
    for change, said in (
        (ClocksPaused(), "All clocks are paused"),
        (ClocksResumed(), ""),
        (SessionEnded(1), "begins no other"),
        (SessionReopened(1), ""),
    ):
        hall.manage(change)
        hall.views.touch()
        page = phones.page(0)
        assert ('id="begin"' in page) is not bool(said), change
        assert said in page


def board_tiles(page: str) -> int:
    """How many tiles the board's picture has, whatever they show; the winds on the plates are none."""
    board = page.partition('<svg class="board"')[2].partition("</svg>\n    </div>")[0]
    plates = re.sub(r'<g id="plate-.*?</g>', "", board, flags=re.DOTALL)
    return plates.count("/tiles.svg#") + len(re.findall(r'<rect class="(?!felt|centre)', plates))
