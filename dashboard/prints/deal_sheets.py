"""Hand records on paper: a released deal with its walls, each table's play, what was won and what it brought; one page for four tables.

A river has its tiles in the order of the discards; a tile that was claimed stands where it lay, with a line below it.
"""

from collections.abc import Iterator, Mapping, Sequence

from jinja2 import Environment

from dashboard.access.shown_results import ReleasedDeal
from dashboard.access.viewer_scope import ViewerScope
from dashboard.i18n.words import WIND_CHARACTERS, Words, exact, signed
from dashboard.pages.deals.deal_pieces import GroupColumns, HandColumn, group_columns, said_averaged, said_left_out
from dashboard.pages.table.board_picture import melds_seen
from dashboard.prints.paper import paper
from twinwall.event.comparison import Entry, TeamEntry
from twinwall.event.results import Basis
from twinwall.game.play import RiverTile
from twinwall.game.tiles import SEATS, Seat, Tile
from twinwall.values import frozen

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
    won: list[dict[str, object]]
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
