"""The fans of a released deal on its page and on its print: a line for each winner."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from dashboard.i18n.words import Words
from tests.support.dashboard import printed
from tests.support.dashboard.example import closed_hand
from tests.support.dashboard.hall import Hall
from tests.support.dashboard.tables.at_seat import hand_closed, hand_entered, text_of
from tests.support.game.random_hands import any_mcr, seigo, sichuan, yangzhou
from tests.support.wire.streams import Line
from twinwall.art.names import LANGUAGES, Language

DEALS: dict[str, tuple[Callable[[], list[Line]], list[str]]] = {
    "one winner": (
        lambda: closed_hand("3"),
        ["Mixed shifted chows 三色三步高 6 · Pung of terminals or honors 幺九刻 1 · Melded kong 明杠 1"],
    ),
    "mcr-duplicate": (
        lambda: hand_closed(hand_entered(any_mcr(80))),
        ["Three concealed pungs 三暗刻 16 · Prevalent wind 圈风刻 2 · One voided suit 缺一门 1 · Self drawn 自摸 1"],
    ),
    "seigo, two winners": (
        lambda: hand_closed(hand_entered(seigo(97))),
        [
            "West: Riichi 立直 1 · Identical runs 一盃口 1 · Ura dora 裏ドラ 1, 3 fan",
            "North: Riichi 立直 1 · Seat wind 役牌 自風 1 · Three concealed triplets 三暗刻 2 · Ura dora 裏ドラ ×2 2, 6 fan",
        ],
    ),
    "sichuan, two winners": (
        lambda: hand_closed(hand_entered(sichuan(73))),
        ["South: One suit 清一色 4 · Four alike 槓・帰 2, 8 fan", "North: One suit 清一色 4 · Four alike 槓・帰 ×2 4, 8 fan"],
    ),
    "yangzhou, two winners": (
        lambda: hand_closed(hand_entered(yangzhou(327))),
        [
            "East: All chows 平胡 1, 1 fan",
            "West: Mixed double chow 斉相 1 · Concealed hand 門清 1 · Closed wait 丫子 1 · Concealed triplet 子格 1, 4 fan",
        ],
    ),
}


def released(script: list[Line]) -> Hall:
    """A hall whose one table has closed a deal, which is released; the director is inside."""
    hall = Hall()
    hall.log_in()
    hall.feed(script)
    hall.release()
    return hall


def fan_lines(page: str) -> list[str]:
    """The lines of fans of a page."""
    return [text_of(line) for line in re.findall(r'<p class="fan-line">(.*?)</p>', page, re.DOTALL)]


@pytest.mark.parametrize("name", DEALS)
def test_the_page_of_a_deal_lists_the_fans_of_each_winner(name: str) -> None:
    script, expected = DEALS[name]
    assert fan_lines(released(script()).client.get("/deal/1").text) == expected


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_line_names_its_winner_in_the_language_of_the_page(language: Language) -> None:
    words = Words(language)
    lines = fan_lines(released(DEALS["sichuan, two winners"][0]()).client.get(f"/deal/1?lang={language}").text)
    assert [line.startswith(words(f"seat.{seat}")) for line, seat in zip(lines, "SN", strict=True)] == [True, True]


def test_the_print_of_a_deal_lists_the_fans_of_each_winner() -> None:
    script, expected = DEALS["seigo, two winners"]
    text = printed.text_of(released(script()).client.get("/print/deal/1.pdf").data)
    for line in expected:
        assert re.sub(r"\s", "", line) in re.sub(r"\s", "", text), text
