"""The results of an event in one file: standings, what each deal brought at each table, and a card for each player."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from dashboard.access.shown_players import HandOfPlayer, PlayerCard
from dashboard.access.viewer_scope import ViewerScope
from dashboard.i18n.exact_numbers import brief
from dashboard.i18n.words import WIND_CHARACTERS, Words, signed
from dashboard.prints.deal_sheets import DealSheet, deal_sheets
from dashboard.prints.standings_sheet import StandingsSheet, standings_sheet
from twinwall.event.natural_order import natural
from twinwall.event.points import Points


@dataclass(frozen=True, slots=True)
class PrintedCard:
    """A player's card: for each session a line a hand, whose parts are parted by tabs."""

    name: str
    team: str
    place: str
    """Rank and total; empty where there are none."""
    sessions: tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True)
class ResultsFile:
    """What the file says."""

    sheet: StandingsSheet
    deals: tuple[DealSheet, ...]
    cards: tuple[PrintedCard, ...]


def results_file(scope: ViewerScope, words: Words) -> ResultsFile:
    """The file of what a viewer may see."""
    sheet = standings_sheet(scope, None, words)
    shown = [n for n in scope.released() if (deal := scope.results.deal(n)) is not None and not deal.held]
    return ResultsFile(sheet, tuple(deal_sheets(scope, shown, words)), tuple(_cards(scope, sheet.plus, words)))


def _cards(scope: ViewerScope, plus: bool, words: Words) -> Iterator[PrintedCard]:
    found = (scope.players.card(number) for number in scope.event.players)
    cards = [card for card in found if card is not None and card.hands]
    for card in sorted(cards, key=lambda each: natural(each.name)):
        place = "" if card.rank is None or card.total is None else f"{words('player.rank', rank=card.rank)} · {brief(card.total, plus)}"
        yield PrintedCard(
            card.name, card.team, place, tuple(_sessions(card, None if card.team else scope.results.standings().points, words))
        )


def _sessions(card: PlayerCard, points: Points | None, words: Words) -> Iterator[tuple[int, str]]:
    """The hands of each session; without points for a player of a team."""
    own = [] if points is None else [words(f"points.{points.value}.short")]
    head = "\t".join(["", words("deal.table"), words("deal.seat"), words("deal.score"), *own])
    for session, hands in groupby(sorted(card.hands, key=lambda hand: (hand.session, hand.hand)), lambda hand: hand.session):
        yield session, "\n".join([head, *(_line(hand, points, words) for hand in hands)])


def _line(played: HandOfPlayer, points: Points | None, words: Words) -> str:
    score = "–" if played.score is None else signed(played.score)
    line = [words.hand(played.hand), played.table, WIND_CHARACTERS[played.seat], score]
    if points is not None:
        line.append("" if played.points is None else brief(played.points, points is not Points.RANK))
    return "\t".join(line)
