"""``twinwall results compare``: results of the same deals at several tables, in IMP, from a CSV file or an event's store.
``twinwall.event`` compares and checks; this module reads files and prints. Every report names its scale, with status and digest."""

from argparse import Namespace
from collections.abc import Iterator, Mapping
from dataclasses import field
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import assert_never

from cli.event.sign import SIGNER, signers
from cli.event.stores import hall_of, is_store, released_deals, store_address
from cli.rules.score import chosen_options
from cli.usage import EXIT_GOOD, EXIT_WRONG_USE, JSON, UsageError, answer, argument, one_of, say, takes
from twinwall.event.comparison import ComparedDeal, ComparedGroup, Comparison, Entry, TeamEntry, compare
from twinwall.event.event_standings import EventStandings, StandingRules, event_standings
from twinwall.event.imp_scale import ImpScale, parse_scale, provisional_scale
from twinwall.event.points import AveragedDeal, Points, PointsGroup, rank_points, ranked, to_json
from twinwall.event.results import Basis, EntrantKind
from twinwall.event.results_csv import RefusedResultsError, kind_of_results, read_results
from twinwall.event.store.event_comparison import compare_hands
from twinwall.game.rules import DEFAULT_RULES, rule_set
from twinwall.game.tiles import SEATS
from twinwall.given_files import limited_bytes
from twinwall.values import frozen
from twinwall.wire.messages.file_signature import signature_beside

_DESCRIPTION = """Compare the results of the same deals at several tables, in IMP. RESULTS is a CSV file with the columns
deal, table, seat, score, and team or player, which says what is compared; group and session where there are several.
Any bad line refuses the whole file.
Or it is an event's store, which knows its teams or players: then its released deals are compared."""


@frozen
class _Report:
    """What is to be printed: the comparison, remarks on it, how the event counts, and whether its rules make a table sum to zero."""

    comparison: Comparison
    zero_sum: bool
    counted: Points = Points.IMP
    rules: StandingRules = field(default_factory=StandingRules)
    averaged: tuple[AveragedDeal, ...] = ()
    unranked: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def standings(self, points: Points) -> EventStandings | None:
        """The standings of the whole event, where the groups' rankings do not say it all."""
        if len({group.session for group in self.comparison.groups}) < 2 and points is not Points.CROSS:
            return None
        return event_standings(ranked(self.comparison, points, self.averaged, self.unranked), points, self.rules)


@takes(
    argument("results", "one line per seat, table and deal, or an event's store", type=store_address),
    one_of(
        argument("--team", "add the four scores of each team", dest="kind", action="store_const", const=EntrantKind.TEAM),
        argument(
            "--individual",
            "compare each player with the mean of the same seat",
            dest="kind",
            action="store_const",
            const=EntrantKind.INDIVIDUAL,
        ),
    ),
    argument("--rules", "rule set, which says whether tables sum to zero", default=DEFAULT_RULES, metavar="NAME"),
    argument("--options", "TOML file with options of the rule set, of which some give no sum", type=Path),
    argument("--scale", "IMP scale (the provisional one that comes with Twinwall)", type=Path),
    SIGNER,
    argument(
        "--points",
        "IMP, rank points (4, 3, 2, 1 in each deal, however far apart), or IMP against each other result of the field; "
        "left out, what the event of a store counts, else IMP",
        choices=[points.value for points in Points],
    ),
    JSON,
    about=_DESCRIPTION,
)
def compare_results(arguments: Namespace) -> int:
    """0 with the comparison, 2 when the file, the rule set or the scale cannot be used."""
    try:
        report = (_of_store if is_store(arguments.results) else _of_file)(arguments)
    except RefusedResultsError as refused:
        for number, reason in refused.refusals:
            say(f"{arguments.results}: line {number}: {reason}")
        return EXIT_WRONG_USE
    comparison, points = report.comparison, Points(arguments.points or report.counted)
    for line in (*report.notes, *_doubts(comparison.scale), *_absences(comparison), *_unbalanced_scores(report)):
        say(f"note: {line}")
    document, lines = comparison.to_json(), [*_for_people(comparison)]
    if points is Points.RANK:
        groups = rank_points(comparison)
        document, lines = to_json(groups), [*_rank_points_for_people(groups)]
    whole = report.standings(points)
    if whole is not None:
        document["standings"] = whole.to_json(report.rules) | ({"points": points.value} if points is Points.CROSS else {})
        lines += _standings_for_people(whole, points)
    answer(document, "\n".join(lines), as_json=arguments.json)
    return EXIT_GOOD


def _of_file(arguments: Namespace) -> _Report:
    """The comparison of a CSV file, which does not say what is counted: IMP."""
    content = limited_bytes(arguments.results)
    kind = arguments.kind or kind_of_results(content)
    if kind is None:
        raise UsageError(f"{arguments.results}: the header needs a column team or a column player: say --team or --individual")
    zero_sum = rule_set(arguments.rules, chosen_options(arguments.rules, arguments.options)).zero_sum
    scale = provisional_scale() if arguments.scale is None else _scale(arguments.scale, signers(arguments))
    results = read_results(content, kind, zero_sum)
    return _Report(compare(results, kind, scale, zero_sum), zero_sum)


def _of_store(arguments: Namespace) -> _Report:
    """The comparison of a store's released deals, why the others of them are not in it, and how the event counts."""
    hall = hall_of(arguments.results)
    programme, trusted = hall.programme, signers(arguments) or hall.programme.trusted_signers
    if arguments.kind not in (None, programme.field.kind):
        raise UsageError(f"{arguments.results} is of a {programme.field.kind.value} event, and an event has one kind: leave out the option")
    scale = programme.scale_for(trusted) if arguments.scale is None else _scale(arguments.scale, trusted)
    hands = hall.hands()
    compared = compare_hands(hands, programme, scale, released_deals(hall, ()))
    notes = (*(out.reason for out in compared.left_out), *(out.reason for out in compared.averaged))
    zero_sum = all(hand.zero_sum for hand in hands)
    return _Report(compared.comparison, zero_sum, programme.points, programme.rules, compared.averaged, programme.unranked, notes)


def _scale(path: Path, trusted: Mapping[str, bytes]) -> ImpScale:
    return parse_scale(limited_bytes(path), str(path), signature_beside(path), trusted)


def _doubts(scale: ImpScale) -> Iterator[str]:
    if scale.doubt is not None:
        yield f"the scale {scale.name!r} counts as provisional: {scale.doubt}"


def _absences(comparison: Comparison) -> Iterator[str]:
    """Who has played fewer deals than the group: because of a fouled table, a substitute, or a name spelled in two ways."""
    for group in comparison.groups:
        played: dict[str, int] = {}
        for deal in group.deals:
            for entry in deal.entries:
                played[entry.entrant] = played.get(entry.entrant, 0) + 1
        for standing in group.ranking:
            if played[standing.entrant] < len(group.deals):
                yield f"{standing.entrant} has played {played[standing.entrant]} of the {len(group.deals)} deals of group {group.name}"


def _unbalanced_scores(report: _Report) -> Iterator[str]:
    """Tables whose adjusted scores miss the sum of the rules: a referee may rule so, and may have mistyped."""
    if not report.zero_sum:
        return
    for group in report.comparison.groups:
        for deal in group.deals:
            for table in dict.fromkeys(result.table for result in deal.results if result.basis is Basis.ADJUSTED):
                total = sum(result.score for result in deal.results if result.table == table)
                if total:
                    where = f"table {table} of deal {deal.deal} in group {group.name}"
                    yield f"the adjusted scores of {where} sum to {total}, not to 0: they are compared as they stand"


def _for_people(comparison: Comparison) -> Iterator[str]:
    scale = comparison.scale
    signed = f", signed by {scale.signer}" if scale.signer is not None else ""
    yield f"IMP scale: {scale.name} ({scale.status.value}{signed}), digest {scale.digest}"
    for group in comparison.groups:
        yield from _group_for_people(group)


def _group_for_people(group: ComparedGroup) -> Iterator[str]:
    yield f"\n{_named(group)}"
    for deal in group.deals:
        yield from _deal_for_people(deal)
    yield "\n  rank  IMP  entrant"
    for standing in group.ranking:
        yield f"  {standing.rank:4}  {_signed(standing.total):>3}  {standing.entrant}"


def _named(group: ComparedGroup | PointsGroup) -> str:
    return f"Group {group.name}" if group.session == 1 else f"Session {group.session}, group {group.name}"


def _standings_for_people(whole: EventStandings, points: Points) -> Iterator[str]:
    counted = {Points.IMP: "IMP", Points.RANK: "rank points", Points.CROSS: "IMP against each other result of the field, averaged"}
    yield f"\nStandings after {len(whole.sessions)} session{'s' * (len(whole.sessions) > 1)}, {counted[points]}"
    yield f"  rank  total  {'  '.join(f'session {number}' for number in whole.sessions)}  entrant"
    for standing in whole.ranking:
        won = "  ".join(f"{_written(whole.points[number].get(standing.entrant), points):>9}" for number in whole.sessions)
        yield f"  {standing.rank:4}  {_written(standing.total, points):>5}  {won}  {standing.entrant}"


def _written(won: Fraction | None, points: Points) -> str:
    """An entrant's points; a dash for a session without any."""
    if won is None:
        return "–"
    return _plain(won) if points is Points.RANK else _signed(won)


def _deal_for_people(deal: ComparedDeal) -> Iterator[str]:
    yield f"\n  deal {deal.deal}: datum " + ", ".join(f"{seat.value} {_signed(deal.datum[seat])}" for seat in SEATS)
    left_out = dict.fromkeys(result.table for result in deal.results if not result.counts)
    if left_out:
        yield f"    left out by ruling: table {', '.join(left_out)}"
    for entry in deal.entries:
        difference = f"  difference {_signed(entry.difference):>7}" if isinstance(entry, Entry) else ""
        penalty = f"  penalty −{entry.penalty}" if entry.penalty else ""
        yield f"    {_where(entry)}{difference}  IMP {_signed(entry.imp):>3}  {entry.entrant}{penalty}"


def _where(entry: Entry | TeamEntry) -> str:
    match entry:
        case Entry():
            return f"table {entry.table} {entry.seat.value}  {_signed(entry.score):>4}"
        case TeamEntry():
            return f"sum {_signed(entry.sum):>5}"
    assert_never(entry)


def _rank_points_for_people(groups: tuple[PointsGroup, ...]) -> Iterator[str]:
    yield "Rank points: 4, 3, 2 and 1 in each deal, shared by those who are level"
    for group in groups:
        yield f"\n{_named(group)}"
        for n, entries in group.deals:
            yield f"\n  deal {n}"
            for entry, points in entries:
                yield f"    {_where(entry)}  points {_plain(points):>4}  {entry.entrant}"
        yield "\n  rank  points  entrant"
        for standing in group.ranking:
            yield f"  {standing.rank:4}  {_plain(standing.total):>6}  {standing.entrant}"


def _plain(points: Fraction) -> str:
    """A sum of halves, as a decimal."""
    return f"{float(points):g}"


def _signed(number: int | Fraction) -> str:
    """With its sign, and exact: ``+107``, ``-33``, ``0``, ``+10.75``, or ``+32/3`` where decimals would not end."""
    decimal = format(Decimal(number.numerator) / Decimal(number.denominator), "f")
    text = decimal if Fraction(decimal) == number else str(number)
    return f"+{text}" if number > 0 else text
