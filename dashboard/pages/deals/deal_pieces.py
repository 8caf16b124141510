"""Renders the fragments of a deal's page and of the standings, from released deals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from dashboard.access.viewer_scope import ReleasedDeal, ViewerScope
from dashboard.i18n.exact_numbers import exact
from dashboard.i18n.words import WIND_CHARACTERS, Words, signed
from dashboard.pages.common_pieces import common
from dashboard.pages.deals import charts
from dashboard.pages.fragments import Fragment
from dashboard.pages.rendering import Renderer
from dashboard.pages.rulings.ruling_pieces import RulingRow, given_on
from dashboard.pages.table import board_picture
from dashboard.pages.table.presentation import fan_name
from dashboard.projections.fold import fold
from dashboard.projections.table_view import HandView, TableView
from twinwall.event.comparison import ComparedDeal, Derivation, Entry, TeamEntry, derivation
from twinwall.event.hands import HandSummary
from twinwall.event.points import Gain, Points, RankedGroup
from twinwall.event.result_rulings import Verdict, verdict
from twinwall.event.results import Basis, EntrantKind
from twinwall.event.store.event_comparison import LeftOut
from twinwall.game.play_events import EndReason, HandShown
from twinwall.game.tiles import SEATS, Seat, Tile


@dataclass(frozen=True, slots=True)
class WonHand:
    """A hand that was won with, as it lay open."""

    melds: tuple[tuple[Tile | None, ...], ...]
    concealed: tuple[Tile, ...]
    winning: Tile


@dataclass(frozen=True, slots=True)
class HandColumn:
    """One table's play of the deal: how it ended, what was shown, and the table as it lay at the end."""

    hand: HandSummary
    outcome: str
    winners: tuple[Seat, ...]
    shown: tuple[WonHand, ...]
    pictures: tuple[board_picture.SeatPicture, ...]
    counted: Verdict | None
    """What the hand counts for; None while it is not over."""
    given: tuple[RulingRow, ...]
    """The rulings on it, in order."""

    @property
    def changed(self) -> bool:
        """Whether its scores count otherwise than they were made."""
        return self.counted is not None and dict(self.counted.scores) != dict(self.hand.scores or {})


@dataclass(frozen=True, slots=True)
class Row:
    """An entrant's line of the comparison with every number on the way."""

    entry: Entry | TeamEntry
    steps: Derivation


@dataclass(frozen=True, slots=True)
class GroupColumns:
    """One group's tables beside each other, and their comparison."""

    name: str
    columns: tuple[HandColumn, ...]
    compared: ComparedDeal | None
    rows: tuple[Row, ...]
    chart: charts.SeatChart | None


def deal(render: Renderer, n: int, scope: ViewerScope, words: Words) -> Iterator[Fragment]:
    """The page of a deal: sealed until every table has finished it, then everything of it."""
    yield from common(render, scope, words)
    found = scope.deal(n)
    if found is None:
        return
    if not isinstance(found, ReleasedDeal):
        yield Fragment("deal", render("deals/sealed_deal.html", words, deal=found, hand=words.hand(found.hand)))
        return
    released = scope.released()
    at = released.index(n)
    html = render(
        "deals/released_deal.html",
        words,
        deal=found,
        hand=words.hand(found.hand),
        start=None if (started := scope.started()) is None else started.start.words,
        groups=[_group(name, tables, found, words) for name, tables in _groups(scope, found)],
        before=scope.deal_name(released[at - 1]) if at else None,
        left_out=[_reason(out, scope, words) for out in found.left_out],
        after=scope.deal_name(released[at + 1]) if at + 1 < len(released) else None,
        **_shared(words),
    )
    yield Fragment("deal", html)


def _groups(scope: ViewerScope, found: ReleasedDeal) -> list[tuple[str, tuple[str, ...]]]:
    groups = [(group.name, group.tables) for group in scope.groups() if any(hand.table in group.tables for hand in found.hands)]
    return groups or [("", tuple(hand.table for hand in found.hands))]


def _reason(out: LeftOut, scope: ViewerScope, words: Words) -> str:
    """Why a deal of a group is not compared, in the language where it has words for it."""
    tables = next((group.tables for group in scope.groups() if group.name == out.group), ())
    return words("deal.leftout", reason=words("deal.alone") if len(tables) == 1 else f"{out.reason}.")


def _shared(words: Words) -> dict[str, object]:
    return {
        "signed": signed,
        "exact": exact,
        "winds": WIND_CHARACTERS,
        "fan_name": lambda fan: fan_name(fan, words),
        "hand_name": words.hand,
        "seats": SEATS,
    }


def _group(name: str, tables: Sequence[str], found: ReleasedDeal, words: Words) -> GroupColumns:
    hands = [hand for hand in found.hands if hand.table in tables]
    compared = found.compared.get(name)
    rows = () if compared is None else tuple(Row(entry, derivation(compared, entry, found.scale)) for entry in _ordered(compared))
    columns = tuple(_column(hand, words) for hand in hands)
    scores = {
        column.hand.table: column.counted.scores
        for column in columns
        if column.counted is not None and column.counted.basis is not Basis.AVERAGE
    }
    chart = None if compared is None else charts.seat_chart(scores, compared.datum)
    return GroupColumns(name, columns, compared, rows, chart)


def _ordered(compared: ComparedDeal) -> Sequence[Entry | TeamEntry]:
    """Teams by what they won, players by seat and table as they are compared."""
    if all(isinstance(entry, TeamEntry) for entry in compared.entries):
        return sorted(compared.entries, key=lambda entry: -entry.difference)
    return sorted(compared.entries, key=lambda entry: entry.seat.index if isinstance(entry, Entry) else 0)


def _column(summary: HandSummary, words: Words) -> HandColumn:
    hand = _played(summary)
    shown = () if hand is None else tuple(_won(hand, each) for each in hand.shown if each.seat in summary.winners)
    pictures = board_picture.seat_pictures(hand, None)
    return HandColumn(summary, outcome(summary, words), summary.winners, shown, pictures, verdict(summary), given_on(summary, words))


def _won(hand: HandView, shown: HandShown) -> WonHand:
    melds = tuple(meld.tiles for meld in board_picture.melds_seen(hand, shown.seat)) if hand.play is not None else ()
    return WonHand(melds, tuple(sorted(shown.concealed)), shown.winning)


def _played(summary: HandSummary) -> HandView | None:
    """The hand as its events leave it."""
    view = TableView(summary.table)
    for event in summary.events:
        view = fold(view, event)
    return view.hand


def outcome(hand: HandSummary, words: Words) -> str:
    """How a hand ended, in a few words."""
    match hand.reason:
        case EndReason.WON if hand.winners:
            seats = words("deal.and").join(words.seat(seat) for seat in hand.winners)
            if len(set(hand.sources)) > 1:
                return words("deal.several", seat=seats, total=hand.total)
            if hand.sources[0] is None:
                return words("deal.self", seat=seats, total=hand.total)
            return words("deal.off", seat=seats, source=words.seat(hand.sources[0]), total=hand.total)
        case None:
            return words("deal.unfinished")
        case reason:
            return words(f"deal.{reason.value}")


LEAST_SWING = {Points.IMP: Fraction(8), Points.RANK: Fraction(3, 2)}
"""The height of a chart stands for at least so much."""


@dataclass(frozen=True, slots=True)
class Rank:
    """An entrant's line of the standings."""

    rank: int
    entrant: str
    total: Fraction
    gains: tuple[tuple[int, Gain], ...]
    """By the number of the deal."""
    chart: charts.SwingChart


@dataclass(frozen=True, slots=True)
class GroupStandings:
    """The ranking of one group and the deals that it has compared."""

    name: str
    ranks: tuple[Rank, ...]
    deals: tuple[tuple[int, str], ...]


def standings(render: Renderer, scope: ViewerScope, words: Words) -> Iterator[Fragment]:
    """The page of the standings: ranks, and what each deal did to them."""
    yield from common(render, scope, words)
    found = scope.standings()
    names = {n: name.hand for n in scope.released() if (name := scope.deal_name(n)) is not None}
    groups = [_group_standings(group, names, found.points, words) for group in found.groups]
    html = render(
        "deals/standings.html",
        words,
        groups=groups,
        scale=found.scale if found.points is Points.IMP else None,
        team=found.kind is EntrantKind.TEAM,
        released=len(names),
        hands=scope.hands_in_session(),
        points=found.points.value,
        left_out=[(out.n, words.hand(names[out.n]), _reason(out, scope, words)) for out in found.left_out if out.n in names],
        **_shared(words),
    )
    yield Fragment("standings", html)


def _group_standings(group: RankedGroup, names: dict[int, int], points: Points, words: Words) -> GroupStandings:
    won: dict[str, list[tuple[int, Gain]]] = {standing.entrant: [] for standing in group.ranking}
    for n, gains in group.deals:
        for gain in gains:
            won[gain.entrant].append((n, gain))
    least = LEAST_SWING[points]
    most = max((abs(gain.swing) for gains in won.values() for _, gain in gains), default=least)
    ranks = tuple(
        Rank(
            standing.rank,
            standing.entrant,
            standing.total,
            tuple(won[standing.entrant]),
            charts.swing_chart([(n, gain.swing) for n, gain in won[standing.entrant]], max(most, least), len(group.deals)),
        )
        for standing in group.ranking
    )
    return GroupStandings(group.name, ranks, tuple((n, words.hand(names.get(n, 0))) for n, _ in group.deals))
