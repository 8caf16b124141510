"""Fans and payments of a hand: whom the pages list them to before its release, and on the page, the print and the overlay of its deal."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.i18n.words import Words
from dashboard.pages.deals.charts import RADIUS, seat_chart
from tests.dashboard.pages.deals.test_deal_page import TABLES, hall_of
from tests.support.dashboard import printed
from tests.support.dashboard.desks import MemoryDesk, teams_of_four
from tests.support.dashboard.example import closed_hand
from tests.support.dashboard.hall import Hall, must_say
from tests.support.dashboard.tables.tables_in_play import ENTERED, SHOWN, SeatPhones, hand_entered, text_of
from tests.support.game.random_hands import any_mcr, seigo, sichuan, yangzhou
from tests.support.game.tables import RandomTable
from tests.support.wire.streams import Line
from twinwall.art.names import LANGUAGES, Language
from twinwall.game.tiles import SEATS, Seat

_LIST = re.compile(
    r'<ul class="fan-list" aria-label="(?P<label>[^"]*)">(?P<items>.*?)</ul>'
    r'|<table class="fans">\s*<caption class="unseen">(?P<caption>.*?)</caption>(?P<rows>.*?)</table>',
    re.DOTALL,
)
_LINE = re.compile(r"<(?:li|tr)(?: class=\"fan-total\")?>(.*?)</(?:li|tr)>", re.DOTALL)


@dataclass(frozen=True)
class ShownFans:
    """A list of fans as it is read: its name, each fan with what it is worth, and the line of its total."""

    name: str
    fans: tuple[str, ...]
    total: str


def fans_shown(page: str) -> list[ShownFans]:
    found = []
    for shown in _LIST.finditer(page):
        *fans, total = (text_of(line) for line in _LINE.findall(shown["items"] or shown["rows"]))
        found.append(ShownFans(text_of(shown["label"] or shown["caption"]), tuple(fans), total))
    return found


def hand_closed(entered: list[Line]) -> list[Line]:
    """A hand that is won and whose score is entered, with its confirmation and its record."""
    scores = entered[-1][1]["payments"]
    return [
        *entered,
        ("payments-confirmed", {"seat": "N"}),
        ("settled", {"payments": scores}),
        ("hand-ended", {"reason": "won", "scores": scores}),
        ("hand-closed", {"n": 1}),
    ]


WON: dict[str, tuple[Callable[[], RandomTable], list[ShownFans]]] = {
    "mcr-duplicate": (
        lambda: any_mcr(160),
        [
            ShownFans(
                "Fan of West",
                (
                    "Pure shifted pungs 一色三节高 24",
                    "All pungs 碰碰和 6",
                    "Pung of terminals or honors 幺九刻 1",
                    "One voided suit 缺一门 1",
                    "No honors 无字 1",
                ),
                "33",
            )
        ],
    ),
    "seigo, two winners": (
        lambda: seigo(97),
        [
            ShownFans("Fan of West", ("Riichi 立直 1", "Identical runs 一盃口 1", "Ura dora 裏ドラ 1"), "3"),
            ShownFans(
                "Fan of North", ("Riichi 立直 1", "Seat wind 役牌 自風 1", "Three concealed triplets 三暗刻 2", "Ura dora 裏ドラ ×2 2"), "6"
            ),
        ],
    ),
    "sichuan, three winners": (
        lambda: sichuan(10),
        [
            ShownFans("Fan of East", ("One suit 清一色 4", "Four alike 槓・帰 ×3 8"), "8"),
            ShownFans("Fan of North", ("All triplets 対対胡 2", "One suit 清一色 4", "Four alike 槓・帰 ×2 4"), "8"),
            ShownFans("Fan of West", ("All triplets 対対胡 2",), "2"),
        ],
    ),
    "yangzhou, two winners": (
        lambda: yangzhou(327),
        [
            ShownFans("Fan of East", ("All chows 平胡 1",), "1"),
            ShownFans(
                "Fan of West", ("Mixed double chow 斉相 1", "Concealed hand 門清 1", "Closed wait 丫子 1", "Concealed triplet 子格 1"), "4"
            ),
        ],
    ),
}


@pytest.fixture(params=WON, ids=str)
def won(request: pytest.FixtureRequest) -> tuple[list[Line], list[ShownFans]]:
    """A hand up to its score, which is entered and not confirmed, and its lists of fans without words of the page."""
    played, expected = WON[request.param]
    return hand_entered(played()), expected


def seat_pages(script: list[Line]) -> dict[Seat, str]:
    phones = SeatPhones(script)
    for seat in SEATS:
        phones.scan(seat.index)
    return {seat: phones.page(seat.index) for seat in SEATS}


def totalled(expected: list[ShownFans], line: Callable[[str], str]) -> list[ShownFans]:
    return [ShownFans(each.name, each.fans, line(each.total)) for each in expected]


def test_whoever_confirms_reads_the_fans_and_the_total_of_each_winner(won: tuple[list[Line], list[ShownFans]]) -> None:
    entered, expected = won
    for page in seat_pages(entered).values():
        assert fans_shown(page) == totalled(expected, lambda total: f"Total {total}")


@pytest.mark.parametrize("said", ["not entered", "entered", "recorded"])
def test_the_referee_reads_the_fans_and_the_total_of_each_winner(won: tuple[list[Line], list[ShownFans]], said: str) -> None:
    entered, expected = won
    phones = SeatPhones({"not entered": entered[:-1], "entered": entered, "recorded": hand_closed(entered)}[said])
    phones.hall.log_in()
    assert fans_shown(phones.hall.client.get("/table/1").text) == totalled(expected, lambda total: f"{total} fan")


def test_before_the_score_is_entered_its_winner_alone_reads_the_fans_and_payments_that_the_rules_give(
    won: tuple[list[Line], list[ShownFans]],
) -> None:
    entered, expected = won
    pages, enters, confirming = seat_pages(entered[:-1]), Seat(str(entered[-1][1]["seat"])), seat_pages(entered)
    assert fans_shown(pages[enters]) == totalled(expected, lambda total: f"Total {total}")
    assert payments_shown(pages[enters]) == payments_shown(confirming[enters]) != ""
    for seat in set(SEATS) - {enters}:
        assert fans_shown(pages[seat]) == []
        assert payments_shown(pages[seat]) == ""


def test_no_page_of_a_seat_tells_anything_of_a_hand_before_it_lies_open(won: tuple[list[Line], list[ShownFans]]) -> None:
    script = won[0][:-1]
    declared = next(at for at, (kind, _) in enumerate(script) if kind == "win-declared")
    shown = [at for at, (kind, _) in enumerate(script) if kind in ("hand-shown", "hand-laid-open")]
    for end in (declared + 1, *(at + 1 for at in shown[:-1]), shown[-1]):
        is_open = {f"Fan of {Words('en').seat(Seat(str(script[at][1]['seat'])))}" for at in shown if at < end}
        for page in seat_pages(script[:end]).values():
            assert {each.name for each in fans_shown(page)} <= is_open
            assert is_open or payments_shown(page) == ""


def test_without_the_code_of_a_seat_or_of_a_hand_that_does_not_win_no_page_of_it_has_fans_or_payments() -> None:
    false_win: Line = ("hand-shown", {**SHOWN[-1][1], "concealed": "2m 8m 1p 4p 3s 9s E E N C F P 6s"})
    pages = [phones.page(seat.index) for phones in map(SeatPhones, (SHOWN, ENTERED)) for seat in SEATS]
    for page in (*pages, *seat_pages([*SHOWN[:-1], false_win]).values()):
        assert fans_shown(page) == []
        assert payments_shown(page) == ""


def test_after_a_drawn_hand_east_reads_the_payments_that_the_rules_give_before_it_enters_them() -> None:
    entered = hand_entered(seigo(7))
    page = seat_pages(entered[:-1])[Seat.EAST]
    assert payments_shown(page) == payments_shown(seat_pages(entered)[Seat.EAST])
    assert "→ pays" in payments_shown(page)


@pytest.mark.parametrize(
    ("script", "name"), [(ENTERED, "Fan of South"), (hand_entered(sichuan(73)), "Fan")], ids=["one winner", "two winners"]
)
def test_fans_that_were_entered_and_are_not_those_of_the_rules_stand_in_one_list(script: list[Line], name: str) -> None:
    fan = {"id": "all-pungs", "name": "碰碰和", "value": 6, "count": 1}
    other: Line = ("payments-proposed", {**script[-1][1], "fans": [fan], "total": 6})
    for page in seat_pages([*script[:-1], other]).values():
        assert fans_shown(page) == [ShownFans(name, ("All pungs 碰碰和 6",), "Total 6")]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_list_names_its_seat_in_the_language_of_the_page(language: Language) -> None:
    phones, words = SeatPhones(hand_entered(sichuan(73))), Words(language)
    phones.scan(0)
    page = phones.page(0, f"?lang={language}")
    assert [each.name for each in fans_shown(page)] == [words("result.fans", seat=words.seat(seat)) for seat in (Seat.SOUTH, Seat.NORTH)]


def payments_shown(page: str) -> str:
    """The list of payments in one line; empty where there is none."""
    _, _, after = page.partition('<ul class="payment-list">')
    return text_of(after.partition("</ul>")[0])


DEALS: dict[str, tuple[Callable[[], list[Line]], list[str]]] = {
    "one winner": (
        lambda: closed_hand("3"),
        ["Mixed shifted chows 三色三步高 6 · Pung of terminals or honors 幺九刻 1 · Melded kong 明杠 1"],
    ),
    "seigo, two winners": (
        lambda: hand_closed(hand_entered(seigo(97))),
        [
            "West: Riichi 立直 1 · Identical runs 一盃口 1 · Ura dora 裏ドラ 1, 3 fan",
            "North: Riichi 立直 1 · Seat wind 役牌 自風 1 · Three concealed triplets 三暗刻 2 · Ura dora 裏ドラ ×2 2, 6 fan",
        ],
    ),
}


def released(script: list[Line]) -> Hall:
    hall = Hall()
    hall.log_in()
    hall.feed(script)
    hall.release()
    return hall


def fan_lines(page: str) -> list[str]:
    return [text_of(line) for line in re.findall(r'<p class="fan-line">(.*?)</p>', page, re.DOTALL)]


@pytest.mark.parametrize("name", DEALS)
def test_the_page_of_a_deal_lists_the_fans_of_each_winner_by_its_name_in_the_language_of_the_page(name: str) -> None:
    script, expected = DEALS[name]
    hall = released(script())
    assert fan_lines(hall.client.get("/deal/1").text) == expected
    for language in LANGUAGES:
        lines, words = fan_lines(hall.client.get(f"/deal/1?lang={language}").text), Words(language)
        assert len(lines) == 1 or [line.startswith(words(f"seat.{seat}")) for line, seat in zip(lines, "WN", strict=True)] == [True, True]


@pytest.mark.nightly
def test_the_print_of_a_deal_lists_the_fans_of_each_winner() -> None:
    script, expected = DEALS["seigo, two winners"]
    text = printed.text_of(released(script()).client.get("/print/deal/1.pdf").data)
    for line in expected:
        assert re.sub(r"\s", "", line) in re.sub(r"\s", "", text), text


tables = st.dictionaries(
    st.integers(1, 99).map(str), st.fixed_dictionaries({seat: st.integers(-99, 99) for seat in SEATS}), min_size=1, max_size=16
)


@given(tables)
def test_dots_of_a_seat_cover_neither_each_other_nor_those_of_another_seat(scores: dict[str, dict[Seat, int]]) -> None:
    chart = seat_chart(scores, dict.fromkeys(SEATS, Fraction(0)))
    lanes, height = chart["lanes"], chart["height"]
    assert isinstance(lanes, list) and isinstance(height, float)
    dots = [dot[:2] for lane in lanes for dot in lane["dots"]]
    assert len(dots) == 4 * len(scores)
    assert all(RADIUS <= y <= height - RADIUS for _, y in dots)
    for (x, y), (other_x, other_y) in combinations(dots, 2):
        assert abs(x - other_x) >= 2 * RADIUS - 0.2 or abs(y - other_y) >= 2 * RADIUS - 0.2


MINUTE_S = 60


@pytest.fixture
def hall() -> Hall:
    """Deal 1 was released at once, deal 2 ten minutes later, and a minute has gone since."""
    hall = hall_of(MemoryDesk(teams_of_four()))
    for table in TABLES:
        hall.feed([*closed_hand(table), *closed_hand(table, 2)], table)
    hall.release(1)
    hall.seconds = 10 * MINUTE_S
    hall.release(2)
    hall.seconds = 11 * MINUTE_S
    return hall


@pytest.mark.parametrize(("asked", "deal"), [("", 2), ("?minutes=1", 2), ("?minutes=2", 1), ("?minutes=1.5", 1), ("?minutes=11", 1)])
def test_a_deal_is_shown_so_many_minutes_after_its_release_and_the_next_one_too(hall: Hall, asked: str, deal: int) -> None:
    assert hall.ask(f"/overlay/1.json{asked}").get_json()["n"] == deal
    must_say(hall.client.get(f"/overlay/1{asked}").text, f'data-deal="{deal}"', f'data-feed="/overlay/1.json{asked}"')
    assert hall.ask("/overlay/1.json?minutes=12").status_code == 404


def test_without_a_delay_a_released_deal_is_shown_though_the_server_s_clock_was_set_back(hall: Hall) -> None:
    hall.seconds = -5 * MINUTE_S
    assert hall.ask("/overlay/1.json").get_json()["n"] == 2
    assert hall.ask("/overlay/1.json?minutes=0").status_code == 200
    for minutes in ("soon", "-1", "nan", "1e9"):
        answer = hall.ask(f"/overlay/1.json?minutes={minutes}")
        assert (answer.status_code, "minutes" in answer.text) == (400, True)
