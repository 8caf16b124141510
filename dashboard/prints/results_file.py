"""The results of an event in one file: standings, what each deal brought at each table, and a card for each player.

WeasyPrint takes milliseconds for each cell of a table, so deals and cards are lines of text whose parts are parted by tabs.

The standings on paper: of the event, and of each group of each session, without sessions that are held back.

What each deal brought is one text a line, whose parts are parted by tabs: WeasyPrint takes as long for a cell as for a line. A part that
is wider than its tab would go on at the next stop, so deals that have no room beside each other stand on several lines.

Hand records on paper: a released deal with its walls, each table's play, what was won and what it brought; one page for four tables.

A river has its tiles in the order of the discards; a tile that was claimed stands where it lay, with a line below it.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, zip_longest
from unicodedata import east_asian_width

from jinja2 import Environment

from dashboard.access.shown_names import HandOfPlayer, PlayerCard
from dashboard.access.shown_results import ReleasedDeal, StandingsTable
from dashboard.access.viewer_scope import ViewerScope
from dashboard.i18n.words import WIND_CHARACTERS, Words, brief, exact, signed
from dashboard.pages.deals.deal_pieces import GroupColumns, HandColumn, WonHand, group_columns, said_averaged, said_left_out
from dashboard.pages.table.board_picture import melds_seen
from dashboard.prints.fitted_names import broken
from dashboard.prints.paper import paper
from twinwall.event.comparison import Entry, TeamEntry
from twinwall.event.natural_order import natural
from twinwall.event.points import Points, RankedGroup
from twinwall.event.results import Basis, EntrantKind
from twinwall.game.play import RiverTile
from twinwall.game.tiles import SEATS, Seat, Tile
from twinwall.values import frozen

FIGURE_SPACE, POINT_SPACE = "\u2007", "\u2008"
"""As wide as a digit, and as a point: half as wide, in the fonts of the prints."""
HALF_MM, GAP_MM, DEALS_MM = 0.91, 1.0, 121.0
"""Half a digit as ``prints.css`` writes them here, in DejaVu Sans, whose digits are the widest; the least room between two figures; and
the width of the column."""


@frozen
class StandingsSheet:
    """What the print says."""

    found: StandingsTable
    groups: list[dict[str, object]]
    plus: bool
    """Whether points have a sign: rank points have none."""
    several: bool
    """Whether some session has several groups."""

    @property
    def column(self) -> str:
        """The key of what entrants are."""
        return "team" if self.found.kind is EntrantKind.TEAM else "player"

    @property
    def empty(self) -> bool:
        """Whether nothing is there to print."""
        return not self.groups and self.found.whole is None


def standings_sheet(scope: ViewerScope, session: int | None, words: Words) -> StandingsSheet:
    """The standings of the event with all its sessions, or of one session."""
    found = scope.results.standings(session)
    sessions = [number for number in found.sessions if session in (None, number) and number not in found.hidden]
    hands = {name.n: words.hand(name.hand) for name in scope.progress.released_deals()}
    plus = found.points is not Points.RANK
    groups = [group for number in sessions for group in scope.results.standings(number).groups]
    several = len({group.session for group in groups}) < len(groups)
    return StandingsSheet(found, [sheet_group(group, hands, plus) for group in groups], plus, several)


def sheet_group(group: RankedGroup, hands: Mapping[int, str], plus: bool) -> dict[str, object]:
    """A group of a session with its deals by the names of their ``hands``, each ``tab_mm`` wide; ``plus``: whether points have a sign.

    A row is an entrant's place, the total, and what each deal brought, blank where the entrant did not play it.
    """
    deals = [n for n, _ in group.deals]
    won = {(n, gain.entrant): brief(gain.points, plus) for n, gains in group.deals for gain in gains}
    names = {n: hands.get(n, str(n)) for n in deals}
    widest = max(map(halves, [*won.values(), *names.values()]), default=0)
    beside = max(1, int(DEALS_MM / (widest * HALF_MM + GAP_MM)))
    beside = -(-len(deals) // max(1, -(-len(deals) // beside)))
    rows = tuple(
        (standing, brief(standing.total, plus), _lines([won.get((n, standing.entrant), "") for n in deals], widest, beside))
        for standing in group.ranking
    )
    heading = _lines([names[n] for n in deals], widest, beside)
    return {"session": group.session, "name": group.name, "tab_mm": DEALS_MM / max(1, beside), "hands": heading, "rows": rows}


def _lines(parts: Sequence[str], widest: int, beside: int) -> str:
    """The parts with their right edges below each other, ``beside`` on each line."""
    padded = [_space(widest - halves(part)) + part for part in parts]
    return "\n".join("\t".join(padded[first : first + beside]) for first in range(0, len(padded), max(1, beside)))


def halves(text: str) -> int:
    """The width of a figure or a hand's name, in halves of a digit."""
    return sum(1 if each == "." else 3 if each == "W" or east_asian_width(each) in "WF" else 2 for each in text)


def _space(halves: int) -> str:
    return FIGURE_SPACE * (halves // 2) + POINT_SPACE * (halves % 2)


TABLES_ON_A_PAGE = 4


@frozen
class SheetSeat:
    """One seat of a table's play: the score that counts and, of a player, the IMP, as text."""

    wind: str
    name: str
    score: str
    imp: str
    river: tuple[RiverTile, ...]
    melds: tuple[tuple[Tile | None, ...], ...]


@frozen
class SheetPlay:
    """One table's play of a deal."""

    table: str
    outcome: str
    basis: str
    """Not empty where the scores are not those that were made."""
    seats: tuple[SheetSeat, ...]
    won: tuple[WonHand, ...]
    fans: tuple[str, ...]


@frozen
class DealSheet:
    """A page: the deal, up to four tables of one group, and on the group's first page its comparison; None for no tables."""

    deal: ReleasedDeal
    hand: str
    group: GroupColumns | None
    named: bool
    """Whether the group is named, since there are several."""
    plays: tuple[SheetPlay, ...]
    first: bool
    teams: tuple[TeamEntry, ...]
    notes: tuple[str, ...]


def deal_sheets(scope: ViewerScope, numbers: Sequence[int], words: Words) -> Iterator[DealSheet]:
    """The pages of these deals; those that are not released have none."""
    for n in numbers:
        found = scope.results.deal(n)
        if found is not None:
            yield from _sheets(found, words)


def deals_page(environment: Environment, scope: ViewerScope, numbers: Sequence[int], words: Words) -> str | None:
    """The pages of these deals as one text for paper; None where none of them is released."""
    sheets = list(deal_sheets(scope, numbers, words))
    if not sheets:
        return None
    shared = {"event": scope.event_name, "exact": exact, "signed": signed, "winds": WIND_CHARACTERS}
    return paper(environment, "deals.html", words, sheets=sheets, **shared)


def _sheets(found: ReleasedDeal, words: Words) -> Iterator[DealSheet]:
    groups, hand, notes = group_columns(found, words), words.hand(found.hand), tuple(_notes(found, words))
    if not groups:
        yield DealSheet(found, hand, None, False, (), True, (), notes)
    for group in groups:
        plays = [_play(column, _imps(group), words) for column in group.columns]
        entries = () if group.compared is None else group.compared.entries
        teams = tuple(entry for entry in entries if isinstance(entry, TeamEntry))
        for start in range(0, len(plays), TABLES_ON_A_PAGE):
            of_page = tuple(plays[start : start + TABLES_ON_A_PAGE])
            yield DealSheet(found, hand, group, len(groups) > 1, of_page, start == 0, teams, notes)


def _notes(found: ReleasedDeal, words: Words) -> Iterator[str]:
    """What has to be said below the tables."""
    if found.held:
        yield words("standings.held", number=found.session)
    yield from (said_left_out(out, found.groups, words) for out in found.left_out)
    yield from (said_averaged(out, words) for out in found.averaged)
    if found.differing:
        yield words("deal.differs", tables=", ".join(found.differing))


def _imps(group: GroupColumns) -> Mapping[tuple[str, Seat], int]:
    """What each player won, penalties taken off."""
    entries = () if group.compared is None else group.compared.entries
    return {(entry.table, entry.seat): entry.imp - entry.penalty for entry in entries if isinstance(entry, Entry)}


def _play(column: HandColumn, imps: Mapping[tuple[str, Seat], int], words: Words) -> SheetPlay:
    hand, counted = column.hand, column.counted
    basis = "" if counted is None or counted.basis is Basis.PLAYED else words(f"deal.basis.{counted.basis.value}")
    return SheetPlay(hand.table, column.outcome, basis, tuple(_seat(column, seat, imps) for seat in SEATS), column.shown, column.fans)


def _seat(column: HandColumn, seat: Seat, imps: Mapping[tuple[str, Seat], int]) -> SheetSeat:
    played, counted = column.played, column.counted
    score = "" if counted is None else signed(counted.scores[seat])
    imp = signed(imps[column.hand.table, seat]) if (column.hand.table, seat) in imps else ""
    if played is None or played.play is None:
        return SheetSeat(WIND_CHARACTERS[seat], column.hand.names[seat], score, imp, (), ())
    melds = tuple(meld.tiles or (None,) * 4 for meld in melds_seen(played, seat))
    return SheetSeat(WIND_CHARACTERS[seat], column.hand.names[seat], score, imp, played.play.seat(seat).river, melds)


COLUMN_MM, SIZE_PT = 36.0, 8.0
"""Of a deal's lines: a column without the space beside it, and the letters; as ``prints.css`` has them."""
STOPS, SESSIONS_BESIDE = 6, 3
"""Tab stops that a session takes on a card, and how many sessions stand beside each other where figures are short."""
CARD_MM, TITLE_MM, SPACE_MM, CARD_PT = 198.0, 33.0, 1.0, 8.5
"""Of a card's lines: all their tabs, a tab of their titles and the letters as ``prints.css`` has them, and the least space in a tab."""


@frozen
class ResultsFile:
    """What the file says."""

    sheet: StandingsSheet
    deals: tuple[dict[str, object], ...]
    cards: tuple[dict[str, object], ...]


def results_file(scope: ViewerScope, words: Words) -> ResultsFile:
    """The file of what a viewer may see."""
    sheet = standings_sheet(scope, None, words)
    shown = [n for n in scope.released() if (deal := scope.results.deal(n)) is not None and not deal.held]
    deals = (_deal(each, words) for each in deal_sheets(scope, shown, words))
    return ResultsFile(sheet, tuple(deals), tuple(_cards(scope, sheet.plus, words)))


def _deal(sheet: DealSheet, words: Words) -> dict[str, object]:
    """A deal at the tables of a group: a line for the winds, for each table and for the mean, none where it was not played."""
    group = [] if sheet.group is None or not sheet.named else [words("group", name=sheet.group.name)]
    ranked = sorted(sheet.teams, key=lambda entry: -entry.difference) if sheet.first else []
    return {
        "title": f"{words('session.numbered', number=sheet.deal.session)} · {sheet.hand}",
        "number": " · ".join([words("deal.title", n=sheet.deal.n), *group]),
        "lines": "\n".join(_deal_lines(sheet, words)) if sheet.plays else "",
        "teams": " · ".join(f"{entry.entrant} {signed(entry.sum)} → {signed(entry.imp - entry.penalty)} IMP" for entry in ranked),
        "notes": sheet.notes,
    }


def _deal_lines(sheet: DealSheet, words: Words) -> Iterator[str]:
    yield "\t".join([words("deal.table"), *(WIND_CHARACTERS[seat] for seat in SEATS)])
    for play in sheet.plays:
        yield from play_lines(play)
    if sheet.first and sheet.group is not None and sheet.group.compared is not None:
        datum = sheet.group.compared.datum
        yield "\t".join([words("deal.mean"), *(exact(datum[seat]) for seat in SEATS)])


def play_lines(play: SheetPlay) -> Iterator[str]:
    """A table's scores; more than one line where a name is long."""
    scored = (f"{seat.name} {seat.score}{f' ({seat.imp})' if seat.imp else ''}" for seat in play.seats)
    first = f"{play.table} {play.outcome}{f' · {play.basis}' if play.basis else ''}"
    columns = (broken(text, COLUMN_MM, SIZE_PT) for text in (first, *scored))
    return ("\t".join(parts) for parts in zip_longest(*columns, fillvalue=""))


def _cards(scope: ViewerScope, plus: bool, words: Words) -> Iterator[dict[str, object]]:
    """Players' cards: sessions stand beside each other with a line a hand, under a line that names them."""
    found = (scope.players.card(number) for number in scope.event.players)
    cards = [card for card in found if card is not None and card.hands]
    for card in sorted(cards, key=lambda each: natural(each.name)):
        place = "" if card.rank is None or card.total is None else f"{words('player.rank', rank=card.rank)} · {brief(card.total, plus)}"
        points = None if card.team else scope.results.standings().points
        yield {"name": card.name, "team": card.team, "place": place, "hands": list(hands_of_card(card, points, words))}


def hands_of_card(card: PlayerCard, points: Points | None, words: Words) -> Iterator[tuple[float, str, str]]:
    """The width of a tab in mm, the names of sessions in a line, and below it their lines beside each other.

    A player of a team has no points. A part that is wider than its tab would go on at the next stop, so fewer sessions stand beside
    each other where a figure is long. The names have wider tabs of their own: WeasyPrint draws a tab too wide that is wider still.
    """
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


def _line(parts: list[list[str]] | tuple[list[str], ...]) -> str:
    """The parts of a line, each of which begins where its session does."""
    return "".join("\t".join(part) + "\t" * (STOPS + 1 - len(part)) for part in parts).rstrip("\t")


def _sessions(card: PlayerCard, points: Points | None, words: Words, table_mm: float) -> Iterator[tuple[int, list[list[str]]]]:
    own = [] if points is None else [words(f"points.{points.value}.short")]
    head = ["", words("deal.table"), words("deal.seat"), words("deal.score"), *own]
    for session, hands in groupby(sorted(card.hands, key=lambda hand: (hand.session, hand.hand)), lambda hand: hand.session):
        yield session, [head, *(line for hand in hands for line in _hand(hand, points, words, table_mm))]


def _hand(played: HandOfPlayer, points: Points | None, words: Words, table_mm: float) -> list[list[str]]:
    """A hand's line; a table's name that is wider than its tab goes on below, so that what follows it stays in its column."""
    table, *rest = broken(played.table, table_mm, CARD_PT)
    line = [words.hand(played.hand), table, WIND_CHARACTERS[played.seat], *_figures(played, points)]
    return [line, *(["", part] for part in rest)]


def _figures(played: HandOfPlayer, points: Points | None) -> list[str]:
    """The score and, where there are points, what it brought."""
    score = "–" if played.score is None else signed(played.score)
    if points is None:
        return [score]
    return [score, "" if played.points is None else brief(played.points, points is not Points.RANK)]
