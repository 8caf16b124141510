"""Renders the fragments of a deal's page, from a released deal, and the standings: of the whole event with each session's points, or of one
session with each deal's gains."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial

from markupsafe import Markup

from dashboard.access.shown_results import ReleasedDeal
from dashboard.access.viewer_scope import ViewerScope
from dashboard.i18n.words import Values, Words
from dashboard.pages.deals import charts
from dashboard.pages.rendering import Fragment, Fragments, Renderer
from dashboard.pages.rulings.ruling_pieces import given_on
from dashboard.pages.table import board_picture
from dashboard.pages.table.hands_with_fans import hands_by_rules, hands_with_fans
from dashboard.projections.fold import fold
from dashboard.projections.table_view import HandView, TableView, TileRows
from twinwall.event.comparison import ComparedDeal, Entry, TeamEntry, derivation
from twinwall.event.field import Group
from twinwall.event.hand_records import record_of
from twinwall.event.hands import HandSummary
from twinwall.event.points import AveragedDeal, Gain, Points, RankedGroup
from twinwall.event.replay.parting import Parting, partings
from twinwall.event.results import Basis, EntrantKind, RuledResult, result_after_rulings
from twinwall.event.store.event_comparison import LeftOut
from twinwall.game.deals.plan import PlannedDeal
from twinwall.game.documents import write_time
from twinwall.game.play_events import EndReason, HandShown
from twinwall.game.tiles import Seat, parse_tiles
from twinwall.values import frozen

MOST_TABLES = 16
"""With several groups, a page with more tables only lists them unless one group is requested."""


@frozen
class HandColumn:
    """One table's play of the deal: how it ended, what was shown, and the table at the end."""

    hand: HandSummary
    outcome: str
    shown: list[Values]
    """The winning hands, as shown."""
    played: HandView | None
    """The hand after its events."""
    pictures: tuple[board_picture.SeatPicture, ...]
    counted: RuledResult | None
    """What the hand counts for; None until it is over."""
    given: list[Values]
    """The rulings on it, in order."""
    fans: tuple[str, ...]
    """The fans with their values: a line for each winner."""

    def melds(self, seat: Seat) -> TileRows:
        """The tiles of a seat's melds; empty if its play is unknown."""
        return () if self.played is None else board_picture.meld_tiles(self.played, seat)

    @property
    def changed(self) -> bool:
        return self.counted is not None and dict(self.counted.scores) != dict(self.hand.scores or {})


@frozen
class GroupColumns:
    """One group's tables side by side, and their comparison; ``number`` counts the groups that have played the deal, from 1."""

    number: int
    name: str
    columns: tuple[HandColumn, ...]
    compared: ComparedDeal | None
    rows: list[Values]
    """For each entrant, a line of the comparison with every intermediate number."""
    chart: Values | None
    parted: Sequence[Parting] = ()
    """Where the tables parted, by seat."""

    @property
    def made(self) -> Mapping[str, Mapping[Seat, int]]:
        """The scores before rulings, by table."""
        return {column.hand.table: column.hand.scores or {} for column in self.columns}

    @property
    def replayed(self) -> str:
        """A table with a replay; empty if none has ended the hand."""
        return next((column.hand.table for column in self.columns if column.hand.closed), "")


class DealPage:
    """The page of a deal: sealed until every table has finished it, then complete. A released deal seldom changes while tables continue, so
    its piece is made again only after a change."""

    def __init__(self, n: int, group: str | None = None) -> None:
        """``group`` shows only that group's tables; without it, many tables get one line each."""
        self._n, self._group = n, group
        self._made: tuple[object, Fragment] | None = None

    def __call__(self, render: Renderer, scope: ViewerScope, words: Words) -> Fragments:
        """Its fragments now; scope and language must be the same at each call."""
        found = scope.deal(self._n)
        if found is None:
            return
        if not isinstance(found, ReleasedDeal):
            hand = words.hand(found.hand)
            yield render.part("deal", lambda: render("deals/sealed_deal.html", deal=found, hand=hand))
            return
        deals = scope.progress.released_deals()
        if self._made is None or self._made[0] != (found, deals):
            self._made = (found, deals), render.part("deal", partial(self._released, render, found, deals, scope, words))
        yield self._made[1]

    def _released(self, render: Renderer, found: ReleasedDeal, deals: Sequence[PlannedDeal], scope: ViewerScope, words: Words) -> Markup:
        at = next(index for index, name in enumerate(deals) if name.n == self._n)
        listed = self._group is None and has_many_tables(found)
        return render(
            "deals/released_deal.html",
            deal=found,
            hand=words.hand(found.hand),
            start=None if (started := scope.started()) is None else started.start.words,
            chosen=self._group,
            named=list(enumerate((name for name, _ in played_groups(found)), 1)) if listed or self._group is not None else [],
            listed=_group_lines(found, words) if listed else [],
            groups=[] if listed else group_columns(found, words, self._group),
            sessions={name.session for name in deals},
            before=deals[at - 1] if at else None,
            after=deals[at + 1] if at + 1 < len(deals) else None,
            left_out=[left_out_words(out, found.groups, words) for out in found.left_out],
            averaged=[averaged_words(out, words) for out in found.averaged],
            corrections=found.corrections,
            hands_by_deal={self._n: found.hand},
            points=found.points.value,
            parse_tiles=parse_tiles,
            hand_name=words.hand,
            write_time=write_time,
        )


def has_many_tables(found: ReleasedDeal) -> bool:
    """Whether a page with all tables of all groups would be too large."""
    groups = played_groups(found)
    return len(groups) > 1 and sum(len(tables) for _, tables in groups) > MOST_TABLES


def group_columns(found: ReleasedDeal, words: Words, group: str | None = None) -> list[GroupColumns]:
    """The groups that have played the deal, in order, or one of them."""
    groups = enumerate(played_groups(found), 1)
    return [_group(number, name, tables, found, words) for number, (name, tables) in groups if group in (None, name)]


def played_groups(found: ReleasedDeal) -> list[tuple[str, tuple[str, ...]]]:
    """The groups that have played a deal, in order: name and tables. Tables without a group form one."""
    groups = [(group.name, group.tables) for group in found.groups if any(hand.table in group.tables for hand in found.hands)]
    return groups or [("", tuple(hand.table for hand in found.hands))] * bool(found.hands)


def left_out_words(out: LeftOut, groups: Sequence[Group], words: Words) -> str:
    """Why a deal of a group is not compared, in the reader's language if it has the words."""
    tables = next((group.tables for group in groups if group.name == out.group), ())
    return words("deal.leftout", reason=words("deal.alone") if len(tables) == 1 else f"{out.reason}.")


def averaged_words(out: AveragedDeal, words: Words) -> str:
    """What a withdrawn team's absence gives the others of its group."""
    return words("standings.averaged", group=out.group, team=out.withdrawn, others=", ".join(out.teams))


def _group_lines(found: ReleasedDeal, words: Words) -> list[tuple[int, str, list[tuple[str, str, RuledResult | None]]]]:
    """Each group's number, name and tables: how the hand ended there, and what it counts for."""
    return [
        (number, name, [(hand.table, outcome(hand, words), result_after_rulings(hand)) for hand in found.hands if hand.table in tables])
        for number, (name, tables) in enumerate(played_groups(found), 1)
    ]


def _group(number: int, name: str, tables: Sequence[str], found: ReleasedDeal, words: Words) -> GroupColumns:
    hands = [hand for hand in found.hands if hand.table in tables]
    compared = found.compared.get(name)
    entries = () if compared is None else _ordered(compared)
    rows: list[Values] = [{"entry": each, "steps": derivation(compared, each, found.scale)} for each in entries if compared is not None]
    columns = tuple(_column(hand, words) for hand in hands)
    scores = {
        column.hand.table: column.counted.scores
        for column in columns
        if column.counted is not None and column.counted.basis is not Basis.AVERAGE
    }
    chart = None if compared is None else charts.seat_chart(scores, compared.datum)
    return GroupColumns(number, name, columns, compared, rows, chart, partings_of(found, hands))


def has_play(hand: HandSummary) -> bool:
    """Whether a hand has a record of play: it is over, and its result was not entered by players."""
    return hand.closed and hand.scores is not None and hand.reason is not EndReason.ENTERED


def partings_of(found: ReleasedDeal, hands: Sequence[HandSummary]) -> Sequence[Parting]:
    """The partings of a group's hands with a record of play, the earliest turn first; empty for fewer than two."""
    played = [hand for hand in hands if has_play(hand)]
    return partings([record_of(hand, found.opening.deal) for hand in played]) if len(played) > 1 else ()


def _ordered(compared: ComparedDeal) -> Sequence[Entry | TeamEntry]:
    """Teams by what they won, players by seat and table."""
    if all(isinstance(entry, TeamEntry) for entry in compared.entries):
        return sorted(compared.entries, key=lambda entry: -entry.difference)
    return sorted(compared.entries, key=lambda entry: entry.seat.index if isinstance(entry, Entry) else 0)


def _column(summary: HandSummary, words: Words) -> HandColumn:
    hand = _played(summary)
    shown = [] if hand is None else [_won(hand, each) for each in hand.shown if each.seat in summary.winners]
    pictures = board_picture.seat_pictures(hand, None)
    given = given_on(summary, words)
    fans = () if hand is None or not summary.winners else tuple(_fan_lines(hand, words))
    return HandColumn(summary, outcome(summary, words), shown, hand, pictures, result_after_rulings(summary), given, fans)


def _fan_lines(hand: HandView, words: Words) -> Iterator[str]:
    """A line for each winner; if there are several, with winner and total."""
    several = len(hand.shown) > 1
    shown, entered = hands_with_fans(hand, hands_by_rules(hand) if several else None, words)
    for seat, fans in (*((won.seat, fans) for won, _, fans in shown), (None, entered)):
        if fans is not None:
            line = " · ".join(f"{name} {worth}" for name, worth in fans.fans)
            yield line if seat is None or not several else words("deal.fans", seat=words.seat(seat), fans=line, total=fans.total)


def _won(hand: HandView, shown: HandShown) -> Values:
    melds = tuple(meld.tiles for meld in board_picture.melds_seen(hand, shown.seat)) if hand.play is not None else ()
    return {"melds": melds, "concealed": sorted(shown.concealed), "winning": shown.winning}


def _played(summary: HandSummary) -> HandView | None:
    view = TableView(summary.table)
    for event in summary.events:
        view = fold(view, event)
    return view.hand


def outcome(hand: HandSummary, words: Words) -> str:
    """How a hand ended, in a few words."""
    match hand.reason:
        case EndReason.WON | EndReason.ENTERED if hand.winners:
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


LEAST_SWING = {Points.IMP: Fraction(8), Points.RANK: Fraction(3, 2), Points.CROSS: Fraction(8)}
"""Least gain for the full height of a chart."""
MOST_CHARTS = 64
"""With more entrants, a page shows no charts and no single deals unless one group is requested."""


def standings(render: Renderer, scope: ViewerScope, words: Words, *, session: int | None, group: str | None) -> Fragments:
    """The page of the standings: of a session, of one of its groups, or of the event."""

    def piece() -> Markup:
        found = scope.results.standings(session, group)
        played = scope.progress
        hands = {name.n: name.hand for name in played.released_deals()}
        whole_event = session is None and len(found.sessions) > 1
        counted = played.planned if whole_event else (session or next(iter(found.sessions), played.session),)
        return render(
            "deals/standings.html",
            found=found,
            group=group,
            many=sum(len(each.ranking) for each in found.groups) > MOST_CHARTS,
            groups=[_ranked_group(each, hands, found.points, words) for each in found.groups],
            scale=None if found.points is Points.RANK else found.scale,
            team=found.kind is EntrantKind.TEAM,
            players={} if found.kind is EntrantKind.TEAM else scope.players.numbers(),
            released=played.released_of(counted),
            hands=played.hands_of(counted),
            points=found.points.value,
            left_out=[
                (out.n, words.hand(hands[out.n]), left_out_words(out, scope.results.groups_of(out.session), words))
                for out in found.left_out
            ],
            averaged=[(out.n, words.hand(hands[out.n]), averaged_words(out, words)) for out in found.averaged],
            entered_again=[(write_time(each.at), each.by, ", ".join(each.entrants)) for each in reversed(scope.entered_again())],
            corrections=found.corrections,
            hands_by_deal=hands,
            hand_name=words.hand,
            write_time=write_time,
        )

    yield render.part("standings", piece)


def _ranked_group(group: RankedGroup, hands: Mapping[int, int], points: Points, words: Words) -> Values:
    won: dict[str, list[tuple[int, Gain]]] = {standing.entrant: [] for standing in group.ranking}
    for n, gains in group.deals:
        for gain in gains:
            if gain.entrant in won:  # substitutes and phantom teams are in no ranking
                won[gain.entrant].append((n, gain))
    most = max((abs(gain.swing) for gains in won.values() for _, gain in gains), default=Fraction(0))

    def chart(entrant: str) -> Values:
        return charts.swing_chart([gain.swing for _, gain in won[entrant]], max(most, LEAST_SWING[points]), len(group.deals))

    ranks = [{"standing": at, "gains": won[at.entrant], "chart": chart(at.entrant)} for at in group.ranking]
    return {"name": group.name, "ranks": ranks, "deals": [(n, words.hand(hands.get(n, 0))) for n, _ in group.deals]}
