"""A false win on the referee's page of violations: the hand that was shown and does not win lies there as tiles, and no other one."""

import re
from collections.abc import Callable

import pytest

from dashboard.projections.fold import LOG_LENGTH
from tests.dashboard.pages.rulings.test_violations_shown import CALLED, RULED, TWICE, called_referee
from tests.support.dashboard.tables.at_seat import SHOWN, hand_entered
from tests.support.game.random_hands import PlayedHand, any_mcr, seigo, sichuan, yangzhou
from tests.support.wire.streams import Line, public_events

FALSE_HAND = "2m 8m 1p 4p 3s 9s E E N C F P 6s"
REFUSED: list[Line] = [
    *SHOWN[:-1],
    ("hand-shown", {**SHOWN[-1][1], "concealed": FALSE_HAND}),
    ("win-refused", {"seat": "S", "reason": "not-a-win"}),
]
"""South has won with West's discard and has shown a hand that does not win."""
NO_PICTURE = "The table has sent no picture of it."


def false_win(seat: str) -> Line:
    return "violation", {
        "seat": seat,
        "what": "false-win",
        "sentence": "The hand does not win",
        "rule": "a win is declared on a hand that wins",
    }


def hands_of(page: str) -> list[list[str]]:
    """The shown hands of a page, each as the kinds whose pictures stand there."""
    groups = re.findall(r'<p class="tiles shown" aria-label="The hand of \w+" role="group">(.*?)</p>', page, re.DOTALL)
    return [re.findall(r'<use href="[^"]*#t-([^"]+)"/>', group) for group in groups]


def refused_in(played: PlayedHand) -> list[Line]:
    """A hand up to its first win that is refused, and the violation that the table then tells."""
    lines = hand_entered(played)
    at = next(index for index, (kind, _) in enumerate(lines) if kind == "win-refused")
    return [*lines[: at + 1], false_win(str(lines[at][1]["seat"]))]


HANDS: dict[str, tuple[Callable[[], PlayedHand], str]] = {
    "mcr-duplicate, a kong turned up": (lambda: any_mcr(15), "7p 8p 9p N N N N 7m 8m 9m 4p 8p 2s 7s 7s"),
    "seigo": (lambda: seigo(5), "6m 6m 6m 6m 7m 7m 7m 3m 3m 4m 5m 8m 9m 2p N"),
    "sichuan": (lambda: sichuan(39), "7p 7p 7p 9p 9p 9p 9p 2m 4m 5m 6m 7m 6p 8p 4p"),
    "yangzhou, a kong turned up": (lambda: yangzhou(31), "6p 6p 6p 6p 7m 8m 9m 2p 4p 5s 5s 6s 7s 8s F"),
}


@pytest.mark.parametrize("rules", HANDS)
def test_the_shown_hand_of_a_false_win_stands_beside_it_with_its_melds_and_the_winning_tile_last(rules: str) -> None:
    played, tiles = HANDS[rules]
    page = called_referee(playing=refused_in(played())).page()
    assert hands_of(page) == [tiles.split()]
    assert NO_PICTURE not in page


def test_a_false_win_whose_hand_was_not_shown_has_no_tiles() -> None:
    page = called_referee(("win-call-refused", {"seat": "S"}), false_win("S"), playing=SHOWN[:-1]).page()
    assert hands_of(page) == []
    assert NO_PICTURE in page


def test_a_hand_stands_beside_the_violation_that_tells_of_it_and_beside_no_other() -> None:
    later: tuple[Line, ...] = (("win-call-refused", {"seat": "S"}), false_win("S"), TWICE)
    cards = called_referee(false_win("S"), CALLED, *later, playing=REFUSED).page().split('<section class="card">')[1:]
    assert [len(hands_of(card)) for card in cards] == [1, 0, 0]
    assert [NO_PICTURE in card for card in cards] == [False, True, False]


def test_a_shown_hand_that_was_not_refused_stands_beside_no_violation() -> None:
    assert hands_of(called_referee(false_win("S"), playing=SHOWN).page()) == []
    assert hands_of(called_referee(false_win("W"), playing=REFUSED).page()) == [], "another seat violated"


def test_the_hand_stays_until_the_ruling_however_much_happens_after_it() -> None:
    lost: Line = ("link-lost", {"what": "panel"})
    told = [*REFUSED, false_win("S"), CALLED, *[lost] * (LOG_LENGTH + 1)]
    referee = called_referee(playing=told)
    assert hands_of(referee.page()) == [["2m", "8m", "1p", "4p", "3s", "6s", "9s", "E", "E", "N", "C", "F", "P", "S"]]
    referee.hall.add(public_events([*told, RULED])[-1:])
    assert "The table has told of no violation" in referee.page()
    status = referee.hall.store.table("1")
    assert status is not None
    assert status.view.refused_hands == ()
