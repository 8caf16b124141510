"""Results of deals, the laws that they must keep before a comparison, and the effect of rulings (``result_after_rulings``).

A result is the score of one seat at one table in one deal. The laws: every table has its four seats once, scores sum to zero if the rules
say so, no player plays a deal twice, and teams sit in a Latin square. A result that a referee left out is a result too: its players get the
average.

By rulings a hand's result is as played, adjusted or left out, with penalties. A ruling during the hand is already in the recorded scores;
only what the comparison needs is read here. A ruling after the hand changes what it counts for, not what was recorded. The latest ruling
counts, and a revoked one does not; all are stored with referee, words and time.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from enum import Enum
from itertools import takewhile

from twinwall.event.hands import HandSummary
from twinwall.game.play_events import EndReason, HandEnded, PenaltyRuled, ResultExcluded, penalty_payments, totals
from twinwall.game.tiles import SEATS, Seat
from twinwall.values import frozen
from twinwall.wire.messages.ruling import Ruling

ONE_GROUP = "1"
"""The group of results without a group name."""
TEAMS = 4
"""Teams, and tables, in a group of a team event."""

TableKey = tuple[str, int, str]
"""A table in one deal: group, deal, table."""


class EntrantKind(Enum):
    """What an event compares; never both."""

    TEAM = "team"
    INDIVIDUAL = "individual"


class Basis(Enum):
    """Where a result comes from."""

    PLAYED = "played"
    ADJUSTED = "adjusted"
    """The score is the referee's; the scores of this table need not sum to zero."""
    AVERAGE = "average"
    """The table is not compared, and its players get 0 IMP."""


@frozen
class DealResult:
    """The score of ``entrant`` (a team or a player) in one seat of one table of one deal; ``penalty`` are IMP to deduct.

    A group belongs to its ``session``: groups of one name in two sessions are different.
    """

    deal: int
    table: str
    seat: Seat
    score: int
    entrant: str
    group: str = ONE_GROUP
    basis: Basis = Basis.PLAYED
    penalty: int = 0
    session: int = 1

    @property
    def counts(self) -> bool:
        return self.basis is not Basis.AVERAGE

    @property
    def table_key(self) -> TableKey:
        return self.group, self.deal, self.table


@frozen
class ResultsFault:
    """A law that results break: the positions of the results, the most relevant first, and a sentence."""

    at: tuple[int, ...]
    reason: str


def faults(results: Sequence[DealResult], kind: EntrantKind, zero_sum: bool, unsure: Collection[TableKey] = ()) -> tuple[ResultsFault, ...]:
    """Every law that the results break, in the order of the results. ``results``: in any order. ``kind``: team events also have the law of
    the Latin square. ``zero_sum``: whether the four scores of a table must sum to zero. ``unsure``: tables with an unreadable result;
    missing results there are no fault."""
    tables = _positions_by_table(results)
    found = [*_played_twice(results, kind), *_in_two_sessions(results)]
    whole: set[TableKey] = set()
    for key, positions in tables.items():
        of_table = [*_table_faults(results, key, positions, zero_sum, key in unsure)]
        found += of_table
        if not of_table and key not in unsure:
            whole.add(key)
    deals: defaultdict[tuple[str, int], list[TableKey]] = defaultdict(list)
    for key in dict.fromkeys((*tables, *unsure)):
        deals[key[:2]].append(key)
    sound = {deal: [tables[key] for key in keys] for deal, keys in deals.items() if whole.issuperset(keys)}
    law = _team_faults if kind is EntrantKind.TEAM else _individual_faults
    for (group, deal), positions_by_table in sound.items():
        found += law(results, group, deal, positions_by_table)
    if kind is EntrantKind.TEAM:
        found += _changed_teams(results, sound)
    return tuple(sorted(found, key=lambda fault: fault.at[0]))


def _positions_by_table(results: Sequence[DealResult]) -> dict[TableKey, list[int]]:
    tables: defaultdict[TableKey, list[int]] = defaultdict(list)
    for position, result in enumerate(results):
        tables[result.table_key].append(position)
    return dict(tables)


def _table_faults(
    results: Sequence[DealResult], key: TableKey, positions: Sequence[int], zero_sum: bool, unsure: bool
) -> Iterator[ResultsFault]:
    group, deal, table = key
    name = f"table {table} of deal {deal} in group {group}"
    first: dict[Seat, int] = {}
    for position in positions:
        seat = results[position].seat
        if seat in first:
            yield ResultsFault((position, first[seat]), f"{name} has two results for seat {seat.value}")
        first.setdefault(seat, position)
    if unsure:
        return
    missing = [seat.value for seat in SEATS if seat not in first]
    if missing:
        yield ResultsFault(tuple(positions), f"{name} has no result for seat {' and '.join(missing)}")
    elif len({results[position].counts for position in positions}) > 1:
        yield ResultsFault(tuple(positions), f"{name} is left out of the comparison in some seats and not in others: leave out all four")
    elif zero_sum and len(positions) == len(SEATS) and all(results[position].basis is Basis.PLAYED for position in positions):
        total = sum(results[position].score for position in positions)
        if total:
            yield ResultsFault(tuple(positions), f"the four scores of {name} sum to {total}, not to 0")


def _played_twice(results: Sequence[DealResult], kind: EntrantKind) -> Iterator[ResultsFault]:
    """A player has one seat in a deal, a team one at each table of one group."""
    first: dict[tuple[int, str], int] = {}
    for position, result in enumerate(results):
        earlier = first.setdefault((result.deal, result.entrant), position)
        if earlier == position:
            continue
        before = results[earlier]
        if kind is EntrantKind.TEAM and before.group != result.group:
            reason = f"{result.entrant} plays deal {result.deal} in group {before.group} and in group {result.group}"
            yield ResultsFault((position, earlier), reason)
        if kind is EntrantKind.INDIVIDUAL and (before.table_key, before.seat) != (result.table_key, result.seat):
            yield ResultsFault((position, earlier), f"{result.entrant} plays deal {result.deal} twice")


def _in_two_sessions(results: Sequence[DealResult]) -> Iterator[ResultsFault]:
    first: dict[int, int] = {}
    for position, result in enumerate(results):
        earlier = first.setdefault(result.deal, position)
        if results[earlier].session != result.session:
            reason = f"deal {result.deal} is of session {results[earlier].session} and of session {result.session}"
            yield ResultsFault((position, earlier), reason)


def _individual_faults(results: Sequence[DealResult], group: str, deal: int, tables: Sequence[Sequence[int]]) -> Iterator[ResultsFault]:
    if len(tables) == 1:
        table = results[tables[0][0]].table
        yield ResultsFault(
            tuple(tables[0]), f"deal {deal} in group {group} was played at table {table} alone: there is nothing to compare with"
        )


def _team_faults(results: Sequence[DealResult], group: str, deal: int, tables: Sequence[Sequence[int]]) -> Iterator[ResultsFault]:
    """Four tables, and each team once at every table and once in every seat: a Latin square."""
    everywhere = tuple(position for table in tables for position in table)
    name = f"deal {deal} in group {group}"
    if len(tables) != TEAMS:
        yield ResultsFault(everywhere, f"{name} was played at {len(tables)} of the {TEAMS} tables of a group of teams")
        return
    teams = dict.fromkeys(results[position].entrant for position in everywhere)
    if len(teams) != TEAMS:
        yield ResultsFault(everywhere, f"{name} was played by {len(teams)} teams ({', '.join(teams)}) instead of {TEAMS}")
        return
    for team in teams:
        held = [position for position in everywhere if results[position].entrant == team]
        if len({results[position].table for position in held}) != TEAMS:
            yield ResultsFault(tuple(held), f"team {team} does not sit once at each table in {name}")
        elif len({results[position].seat for position in held}) != TEAMS:
            seats = " ".join(results[position].seat.value for position in held)
            yield ResultsFault(tuple(held), f"team {team} does not hold each seat once in {name}, but {seats}")


def _changed_teams(results: Sequence[DealResult], sound: dict[tuple[str, int], list[list[int]]]) -> Iterator[ResultsFault]:
    """A group must have the same four teams for a session; otherwise their IMP could not be added up."""
    teams: dict[tuple[int, str], tuple[int, frozenset[str]]] = {}
    for (group, deal), tables in sound.items():
        everywhere = [position for table in tables for position in table]
        present = frozenset(results[position].entrant for position in everywhere)
        earlier, expected = teams.setdefault((results[everywhere[0]].session, group), (deal, present))
        strangers = [position for position in everywhere if results[position].entrant not in expected]
        if strangers and len(present) == len(expected) == TEAMS:
            names = ", ".join(dict.fromkeys(results[position].entrant for position in strangers))
            yield ResultsFault(tuple(strangers), f"{names} plays deal {deal} in group {group}, but did not play deal {earlier} there")


@frozen
class GivenRuling:
    """A ruling and when its table took it."""

    ruling: Ruling
    at: datetime


@frozen
class RuledResult:
    """What a hand counts for: by its ``basis`` as played, as the referee adjusted it, or not at all. ``scores`` include penalties in
    points; meaningless for a table that is left out. ``imp``: IMP deducted from the entrants of these seats; only seats with a penalty.
    ``rulings``: all on this hand, in order."""

    basis: Basis
    scores: Mapping[Seat, int]
    imp: Mapping[Seat, int]
    rulings: tuple[GivenRuling, ...]


def rulings_of(hand: HandSummary) -> tuple[GivenRuling, ...]:
    """The rulings on a hand, in the order in which its table received them."""
    return tuple(GivenRuling(event.body, event.at) for event in hand.events if isinstance(event.body, Ruling))


def result_after_rulings(hand: HandSummary) -> RuledResult | None:
    """What a hand counts for after all rulings; None until it is over."""
    if hand.scores is None or hand.reason is None or hand.ended is None:
        return None
    given = rulings_of(hand)
    basis, scores = basis_of(hand.reason), dict(hand.scores)
    if not given:
        return RuledResult(basis, scores, {}, ())
    imp: Counter[Seat] = Counter()
    before_end, revoked = _rulings_before_end(hand), revoked_among(given)
    for number, each in enumerate(given):
        if number >= before_end and each.ruling.identity in revoked:
            continue
        effects = each.ruling.effects
        penalties = [effect for effect in effects if isinstance(effect, PenaltyRuled)]
        for penalty in penalties:
            imp[penalty.seat] += penalty.imp
        if number >= before_end:
            paid = totals(penalty_payments(penalties))
            scores = {seat: score + paid[seat] for seat, score in scores.items()}
            ended = next((effect for effect in effects if isinstance(effect, HandEnded)), None)
            if ended is not None:
                basis, scores = basis_of(ended.reason), dict(ended.scores)
        if any(isinstance(effect, ResultExcluded) for effect in effects):
            basis = Basis.AVERAGE
    return RuledResult(basis, scores, {seat: points for seat, points in imp.items() if points}, given)


def revoked_among(given: Sequence[GivenRuling]) -> frozenset[str]:
    return frozenset(each.ruling.revokes for each in given if each.ruling.revokes)


def revocable(hand: HandSummary) -> tuple[GivenRuling, ...]:
    """The rulings that can be revoked: given after the hand was over, still standing, and not revocations themselves."""
    if hand.ended is None:
        return ()
    given = rulings_of(hand)
    revoked = revoked_among(given)
    later = given[_rulings_before_end(hand) :]
    return tuple(each for each in later if not each.ruling.revokes and each.ruling.identity not in revoked)


def basis_of(reason: EndReason) -> Basis:
    match reason:
        case EndReason.RULED:
            return Basis.ADJUSTED
        case EndReason.ANNULLED:
            return Basis.AVERAGE
        case EndReason.WON | EndReason.DRAWN | EndReason.ENTERED:
            return Basis.PLAYED


def _rulings_before_end(hand: HandSummary) -> int:
    """The number of rulings that the table received before the hand was over."""
    played = takewhile(lambda event: not isinstance(event.body, HandEnded), hand.events)
    return sum(isinstance(event.body, Ruling) for event in played)
