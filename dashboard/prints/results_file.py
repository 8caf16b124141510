"""The results of an event in one file: standings, each deal's gains at each table, and a card for each player. WeasyPrint takes
milliseconds for each cell of a table, so deals and cards are lines of text with tabs."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, zip_longest

from dashboard.access.shown_names import HandOfPlayer, PlayerCard
from dashboard.access.viewer_scope import ViewerScope
from dashboard.i18n.words import WIND_CHARACTERS, Values, Words, brief, exact, signed
from dashboard.pages.deals.deal_pieces import HandColumn
from dashboard.prints.sheets import HALF_MM, DealSheet, deal_sheets, halves, standings_sheet
from dashboard.prints.slips import broken
from twinwall.event.natural_order import natural
from twinwall.event.points import Points
from twinwall.event.results import Basis
from twinwall.game.tiles import SEATS, Seat

COLUMN_MM, SIZE_PT = 36.0, 8.0
"""For a deal's lines: a column without the space beside it, and the letters; as in ``prints.css``."""
STOPS, SESSIONS_BESIDE = 6, 3
"""Tab stops of a session on a card, and the number of sessions side by side if figures are short."""
CARD_MM, TITLE_MM, SPACE_MM, CARD_PT = 198.0, 33.0, 1.0, 8.5
"""For a card's lines: all their tabs, a tab of their titles and the letters as in ``prints.css``, and the least space in a tab."""


def results_file(scope: ViewerScope, words: Words) -> Values:
    """The file's content: all that a viewer may see."""
    sheet = standings_sheet(scope, None, words)
    shown = deal_sheets((deal for deal in scope.results.deals() if not deal.held), words)
    deals = [(each, "\n".join(_deal_lines(each, words)) if each.plays else "") for each in shown]
    return {"sheet": sheet, "deals": deals, "cards": list(_cards(scope, words))}


def _deal_lines(sheet: DealSheet, words: Words) -> Iterator[str]:
    """A deal at the tables of a group: a line for the winds, for each table and for the mean."""
    yield "\t".join([words("deal.table"), *(WIND_CHARACTERS[seat] for seat in SEATS)])
    for column in sheet.plays:
        basis = "" if column.counted is None or column.counted.basis is Basis.PLAYED else words(f"deal.basis.{column.counted.basis.value}")
        first = f"{column.hand.table} {column.outcome}{f' · {basis}' if basis else ''}"
        yield from lines_of([first, *(_scored(column, seat, sheet.imps.get((column.hand.table, seat))) for seat in SEATS)])
    if sheet.first and sheet.group is not None and sheet.group.compared is not None:
        datum = sheet.group.compared.datum
        yield "\t".join([words("deal.mean"), *(exact(datum[seat]) for seat in SEATS)])


def _scored(column: HandColumn, seat: Seat, imp: int | None) -> str:
    score = "" if column.counted is None else signed(column.counted.scores[seat])
    return f"{column.hand.names[seat]} {score}{'' if imp is None else f' ({signed(imp)})'}"


def lines_of(texts: Sequence[str]) -> Iterator[str]:
    """Texts in columns side by side; several lines if a text is long."""
    columns = (broken(text, COLUMN_MM, SIZE_PT) for text in texts)
    return ("\t".join(parts) for parts in zip_longest(*columns, fillvalue=""))


def _cards(scope: ViewerScope, words: Words) -> Iterator[Values]:
    """Players' cards: sessions side by side with a line for each hand, under a line with their names."""
    found = (scope.players.card(number) for number in scope.event.players)
    cards = [card for card in found if card is not None and card.hands]
    counted = scope.results.standings().points
    plus = counted is not Points.RANK
    for card in sorted(cards, key=lambda each: natural(each.name)):
        place = "" if card.rank is None or card.total is None else f"{words('player.rank', rank=card.rank)} · {brief(card.total, plus)}"
        points = None if card.team else counted
        yield {"name": card.name, "team": card.team, "place": place, "hands": list(hands_of_card(card, points, words))}


def hands_of_card(card: PlayerCard, points: Points | None, words: Words) -> Iterator[tuple[float, str, str]]:
    """The width of a tab in mm, the names of sessions in a line, and below it their lines side by side. A player of a team has no points. A
    part wider than its tab would continue at the next stop, so fewer sessions are side by side if a figure is long. The names have wider
    tabs of their own, because WeasyPrint draws the tab too wide for a name that exceeds it."""
    widest = max((halves(each) for hand in card.hands for each in _figures(hand, points)), default=0)
    widest_mm = widest * HALF_MM * CARD_PT / SIZE_PT
    beside = max(1, min(SESSIONS_BESIDE, int(CARD_MM / STOPS / (widest_mm + SPACE_MM))))
    tab_mm = CARD_MM / STOPS / beside
    sessions = dict(_sessions(card, points, words, tab_mm - SPACE_MM))
    numbers = list(sessions)
    for first in range(0, len(numbers), beside):
        shown = numbers[first : first + beside]
        names = ("\t" * round(CARD_MM / beside / TITLE_MM)).join(words("session.numbered", number=number) for number in shown)
        rows = zip_longest(*(sessions[number] for number in shown), fillvalue=[""])
        yield tab_mm, names, "\n".join(map(_line, rows))


def _line(parts: Iterable[list[str]]) -> str:
    """The parts of a line, each starting where its session does."""
    return "".join("\t".join(part) + "\t" * (STOPS + 1 - len(part)) for part in parts).rstrip("\t")


def _sessions(card: PlayerCard, points: Points | None, words: Words, table_mm: float) -> Iterator[tuple[int, list[list[str]]]]:
    own = [] if points is None else [words(f"points.{points.value}.short")]
    head = ["", words("deal.table"), words("deal.seat"), words("deal.score"), *own]
    for session, hands in groupby(sorted(card.hands, key=lambda hand: (hand.session, hand.hand)), lambda hand: hand.session):
        yield session, [head, *(line for hand in hands for line in _hand(hand, points, words, table_mm))]


def _hand(played: HandOfPlayer, points: Points | None, words: Words, table_mm: float) -> list[list[str]]:
    """A hand's line; a table's name wider than its tab continues below, so that later parts stay in their columns."""
    table, *rest = broken(played.table, table_mm, CARD_PT)
    line = [words.hand(played.hand), table, WIND_CHARACTERS[played.seat], *_figures(played, points)]
    return [line, *(["", part] for part in rest)]


def _figures(played: HandOfPlayer, points: Points | None) -> list[str]:
    score = "–" if played.score is None else signed(played.score)
    if points is None:
        return [score]
    return [score, "" if played.points is None else brief(played.points, points is not Points.RANK)]
