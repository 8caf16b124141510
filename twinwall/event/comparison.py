"""Compares results of a deal (``compare_deal``): differences from the datum, and IMP.

In an individual event the datum is the mean of a seat's scores over the tables. In a team event a team's differences from the data of its
four seats are added. Results that a referee left out are in no mean and earn nothing. Differences are exact fractions; a scale converts
them to IMP. Results come in any order. ``derivation`` gives every intermediate number.

``standings`` ranks by exact totals, which earlier sessions add to; ties are broken by the event's tie-breaks in order. A tie-break
applies only if it has a value for everybody who is level; entrants whom no rule separates share a rank.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Generic, TypeVar, assert_never

from twinwall.event.imp_scale import ImpScale
from twinwall.event.natural_order import natural
from twinwall.event.results import Basis, DealResult, EntrantKind, faults
from twinwall.game.tiles import SEATS, Seat
from twinwall.values import frozen

_Place = TypeVar("_Place", bound=Hashable)
_Deal = TypeVar("_Deal")
TieBreak = Callable[[frozenset[str]], Mapping[str, Fraction] | None]
"""Values for those who are level, more is better; None if it lacks one of them."""


@frozen
class Standing:
    """An entrant's place: rank 1 leads, and a shared rank leaves the next ranks free (1, 2, 2, 4)."""

    entrant: str
    rank: int
    total: Fraction


@frozen
class RankedDeals(Generic[_Deal]):
    """A group of a session: its deals by number, and its ranking."""

    name: str
    deals: tuple[_Deal, ...]
    ranking: tuple[Standing, ...]
    session: int = 1


def standings(totals: Mapping[str, Fraction], ties: Sequence[TieBreak] = ()) -> tuple[Standing, ...]:
    """Rank entrants by totals, then by each tie-break in turn; equals are in the order of their names."""
    placed: list[Standing] = []
    for level in _parted(frozenset(totals), [known(totals), *ties]):
        rank = len(placed) + 1
        placed += [Standing(entrant, rank, totals[entrant]) for entrant in sorted(level, key=natural)]
    return tuple(placed)


def carried_over(totals: Mapping[str, Fraction], earlier: Mapping[str, Fraction], share: Fraction) -> dict[str, Fraction]:
    """Exact totals plus a share of the earlier ones; an entrant without an earlier total carries nothing over."""
    return {entrant: total + share * earlier.get(entrant, Fraction(0)) for entrant, total in totals.items()}


def known(values: Mapping[str, Fraction]) -> TieBreak:
    def speaks_for(level: frozenset[str]) -> Mapping[str, Fraction] | None:
        return values if level <= values.keys() else None

    return speaks_for


def earlier_standing(before: Iterable[Standing]) -> TieBreak:
    return known({standing.entrant: Fraction(-standing.rank) for standing in before})


def same_wind(held: Mapping[str, Mapping[_Place, Fraction | int]]) -> TieBreak:
    """A tie-break by the IMP from results in which those who are level were compared: same deal, same wind, another table. ``held``: each
    entrant's IMP by what makes two results comparable: deal and seat, and group if there are several. Does not apply unless all of them
    were compared equally often."""

    def speaks_for(level: frozenset[str]) -> Mapping[str, Fraction] | None:
        if not level <= held.keys():
            return None
        shared = {place for place, times in Counter(place for entrant in level for place in held[entrant]).items() if times > 1}
        won = {entrant: [imp for place, imp in held[entrant].items() if place in shared] for entrant in level}
        if len({len(imps) for imps in won.values()}) != 1 or not shared:
            return None
        return {entrant: Fraction(sum(imps)) for entrant, imps in won.items()}

    return speaks_for


def _parted(level: frozenset[str], ties: Sequence[TieBreak]) -> list[frozenset[str]]:
    """Those who are level, separated as far as the tie-breaks go, the best first."""
    if len(level) < 2 or not ties:
        return [level] if level else []
    values = ties[0](level)
    if values is None:
        return _parted(level, ties[1:])
    of_value: defaultdict[Fraction, set[str]] = defaultdict(set)
    for entrant in level:
        of_value[values[entrant]].add(entrant)
    return [part for value in sorted(of_value, reverse=True) for part in _parted(frozenset(of_value[value]), ties[1:])]


@frozen
class Entry:
    """A player's result of a deal, its difference from the seat's datum, and the IMP."""

    entrant: str
    table: str
    seat: Seat
    score: int
    difference: Fraction
    imp: int
    penalty: int = 0
    """IMP that a referee deducted; ``imp`` does not include them."""
    basis: Basis = Basis.PLAYED


@frozen
class TeamEntry:
    """A team's four results of a deal: their sum (of those that count), its difference from the mean of these seats, and the IMP.

    ``penalty`` is what a referee deducted besides.
    """

    entrant: str
    sum: int
    difference: Fraction
    imp: int
    penalty: int = 0


@frozen
class ComparedDeal:
    """One deal of a group.

    ``results`` are by table and seat. ``datum`` is each seat's mean at the tables that count (0 if none does). Entries of players are by
    table and seat, those of teams by name.
    """

    deal: int
    results: tuple[DealResult, ...]
    datum: Mapping[Seat, Fraction]
    entries: tuple[Entry | TeamEntry, ...]


ComparedGroup = RankedDeals[ComparedDeal]
"""Ranked by the sum of IMP less penalties."""


@frozen
class Comparison:
    kind: EntrantKind
    scale: ImpScale
    groups: tuple[ComparedGroup, ...]

    def to_json(self) -> dict[str, object]:
        """The JSON form; fractions are text such as ``43/4``."""
        scale = {"name": self.scale.name, "status": self.scale.status.value, "digest": self.scale.digest}
        signed = {} if self.scale.signer is None else {"signer": self.scale.signer}
        several = any(group.session != 1 for group in self.groups)
        groups = [_group_json(group) | ({"session": group.session} if several else {}) for group in self.groups]
        return {"scale": {**scale, **signed}, "groups": groups}


@frozen
class Derivation:
    """The exact steps to the IMP of one entry: the results that were averaged (the same seat at every table) or added (the team's own), the
    score and its datum (of a team: sums), and the scale's ``interval`` that has the size of the difference."""

    compared: tuple[DealResult, ...]
    score: int
    datum: Fraction
    interval: tuple[Fraction, Fraction | None]


def compare(results: Sequence[DealResult], kind: EntrantKind, scale: ImpScale, zero_sum: bool) -> Comparison:
    """Compare results, in any order, within each deal of each group: whole tables, at least two in a deal; four of four teams in a team
    event. ``zero_sum``: whether the four scores of a table must sum to zero by the rules. Raises ValueError, which names every broken law
    of ``results``."""
    broken = faults(results, kind, zero_sum)
    if broken:
        raise ValueError("; ".join(fault.reason for fault in broken))
    deals: defaultdict[tuple[int, str, int], list[DealResult]] = defaultdict(list)
    for result in results:
        deals[result.session, result.group, result.deal].append(result)
    return compared_groups(
        ((session, group, compare_deal(deal, of_deal, kind, scale)) for (session, group, deal), of_deal in deals.items()), kind, scale
    )


def compared_groups(
    deals: Iterable[tuple[int, str, ComparedDeal]], kind: EntrantKind, scale: ImpScale, unranked: Collection[str] = ()
) -> Comparison:
    """The comparison of these deals, each with its session and group; ``unranked`` entrants are in no ranking."""
    groups: defaultdict[tuple[int, str], list[ComparedDeal]] = defaultdict(list)
    for session, group, deal in deals:
        groups[session, group].append(deal)
    ordered = sorted(groups, key=lambda key: (key[0], natural(key[1])))
    return Comparison(kind, scale, tuple(_group(*key, sorted(groups[key], key=lambda deal: deal.deal), unranked) for key in ordered))


def compare_deal(deal: int, results: Iterable[DealResult], kind: EntrantKind, scale: ImpScale) -> ComparedDeal:
    """Compare one deal of a group; its results, in any order, must keep the laws of ``results``."""
    ordered = sorted(results, key=lambda result: (natural(result.table), result.seat.index))
    counted = [result for result in ordered if result.counts]
    datum = {seat: _mean([result.score for result in counted if result.seat is seat]) for seat in SEATS}
    match kind:
        case EntrantKind.INDIVIDUAL:
            return ComparedDeal(deal, tuple(ordered), datum, tuple(_entry(result, datum[result.seat], scale) for result in ordered))
        case EntrantKind.TEAM:
            return ComparedDeal(deal, tuple(ordered), datum, _team_entries(ordered, datum, scale))
        case _:
            assert_never(kind)


def derivation(deal: ComparedDeal, entry: Entry | TeamEntry, scale: ImpScale) -> Derivation:
    """Every number from the results of a deal to the IMP of an entry."""
    match entry:
        case Entry():
            compared = tuple(result for result in deal.results if result.seat is entry.seat and result.counts)
            score, datum = entry.score, deal.datum[entry.seat]
        case TeamEntry():
            compared = tuple(result for result in deal.results if result.entrant == entry.entrant and result.counts)
            score, datum = entry.sum, Fraction(entry.sum) - entry.difference
        case _:
            assert_never(entry)
    return Derivation(compared, score, datum, scale.interval(entry.difference))


def _group(session: int, name: str, deals: Sequence[ComparedDeal], unranked: Collection[str]) -> ComparedGroup:
    totals: defaultdict[str, Fraction] = defaultdict(Fraction)
    held: defaultdict[str, dict[tuple[int, Seat], int]] = defaultdict(dict)
    for deal in deals:
        for entry in deal.entries:
            totals[entry.entrant] += entry.imp - entry.penalty
            if isinstance(entry, Entry):
                held[entry.entrant][deal.deal, entry.seat] = entry.imp
    for entrant in unranked:
        totals.pop(entrant, None)
    return RankedDeals(name, tuple(deals), standings(totals, [same_wind(held)]), session)


def _entry(result: DealResult, datum: Fraction, scale: ImpScale) -> Entry:
    below = datum.denominator
    difference = Fraction(result.score * below - datum.numerator, below) if result.counts else Fraction(0)
    imp = scale.imp(difference)
    return Entry(result.entrant, result.table, result.seat, result.score, difference, imp, result.penalty, result.basis)


def _team_entries(results: Iterable[DealResult], datum: Mapping[Seat, Fraction], scale: ImpScale) -> tuple[TeamEntry, ...]:
    sums: defaultdict[str, int] = defaultdict(int)
    differences: defaultdict[str, Fraction] = defaultdict(Fraction)
    penalties: defaultdict[str, int] = defaultdict(int)
    for result in results:
        sums[result.entrant] += result.score if result.counts else 0
        differences[result.entrant] += result.score - datum[result.seat] if result.counts else 0
        penalties[result.entrant] += result.penalty
    return tuple(
        TeamEntry(team, sums[team], differences[team], scale.imp(differences[team]), penalties[team]) for team in sorted(sums, key=natural)
    )


def _mean(scores: Sequence[int]) -> Fraction:
    return Fraction(sum(scores), len(scores)) if scores else Fraction(0)


def _group_json(group: ComparedGroup) -> dict[str, object]:
    deals = [
        {
            "deal": deal.deal,
            "datum": {seat.value: str(mean) for seat, mean in deal.datum.items()},
            "entries": [_entry_json(entry) for entry in deal.entries],
            **_left_out(deal),
        }
        for deal in group.deals
    ]
    ranking = [{"entrant": standing.entrant, "imp": int(standing.total), "rank": standing.rank} for standing in group.ranking]
    return {"group": group.name, "deals": deals, "ranking": ranking}


def _left_out(deal: ComparedDeal) -> dict[str, object]:
    tables = list(dict.fromkeys(result.table for result in deal.results if not result.counts))
    return {"left_out": tables} if tables else {}


def _entry_json(entry: Entry | TeamEntry) -> dict[str, object]:
    """An entry's JSON; a referee's changes appear only where there are any."""
    penalty = {"penalty": entry.penalty} if entry.penalty else {}
    match entry:
        case Entry():
            return {
                "entrant": entry.entrant,
                "table": entry.table,
                "seat": entry.seat.value,
                "score": entry.score,
                "difference": str(entry.difference),
                "imp": entry.imp,
                **({} if entry.basis is Basis.PLAYED else {"basis": entry.basis.value}),
                **penalty,
            }
        case TeamEntry():
            return {"entrant": entry.entrant, "sum": entry.sum, "imp": entry.imp, **penalty}
        case _:
            assert_never(entry)
