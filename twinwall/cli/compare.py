"""``twinwall compare``: the results of the same deals at several tables, from a CSV file, in IMP.

What is compared with what, and every check, is in ``twinwall.event``; here are only files and words
for people. Every report names its scale, with status and digest.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import assert_never

from twinwall.cli.errors import EXIT_GOOD, EXIT_WRONG_USE, UsageError
from twinwall.event.comparison import ComparedDeal, ComparedGroup, Comparison, Entry, TeamEntry, compare
from twinwall.event.results import Kind
from twinwall.event.results_csv import RefusedResultsError, read_results
from twinwall.event.scale import Scale, ScaleError, parse_scale, provisional_scale
from twinwall.game.rules import RuleSetError, rule_set
from twinwall.game.tiles import SEATS

_DESCRIPTION = """Compare the results of the same deals at several tables, in IMP. RESULTS.csv has the columns
deal, table, seat, score, and team or player; group where there are several groups. Any bad line refuses the whole file."""


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add ``compare``."""
    parser = subparsers.add_parser("compare", help="compare results of the same deals, in IMP", description=_DESCRIPTION)
    parser.add_argument("results", type=Path, metavar="RESULTS.csv", help="one line per seat, table and deal")
    kind = parser.add_mutually_exclusive_group(required=True)
    kind.add_argument("--team", dest="kind", action="store_const", const=Kind.TEAM, help="add the four scores of each team")
    kind.add_argument(
        "--individual", dest="kind", action="store_const", const=Kind.INDIVIDUAL, help="compare each player with the mean of the same seat"
    )
    parser.add_argument("--rules", default="mcr-duplicate", metavar="NAME", help="rule set, which says whether tables sum to zero")
    parser.add_argument("--scale", type=Path, metavar="FILE", help="IMP scale (the provisional one that comes with Twinwall)")
    parser.add_argument("--json", action="store_true", help="one JSON document on standard output")
    parser.set_defaults(func=_compare)


def _compare(arguments: argparse.Namespace) -> int:
    """0 with the comparison, 2 when the file, the rule set or the scale cannot be used."""
    zero_sum, scale = _zero_sum(arguments.rules), _scale(arguments.scale)
    try:
        results = read_results(arguments.results.read_bytes(), arguments.kind, zero_sum)
    except RefusedResultsError as refused:
        for refusal in refused.refusals:
            print(f"twinwall: {arguments.results}: {refusal}", file=sys.stderr)
        return EXIT_WRONG_USE
    comparison = compare(results, arguments.kind, scale, zero_sum)
    for line in _absences(comparison):
        print(f"twinwall: note: {line}", file=sys.stderr)
    if arguments.json:
        print(json.dumps(comparison.to_json(), ensure_ascii=False))
    else:
        print("\n".join(_for_people(comparison)))
    return EXIT_GOOD


def _zero_sum(rules: str) -> bool:
    try:
        return rule_set(rules).zero_sum
    except RuleSetError as error:
        raise UsageError(f"--rules: {error}") from None


def _scale(path: Path | None) -> Scale:
    if path is None:
        return provisional_scale()
    try:
        return parse_scale(path.read_bytes(), str(path))
    except ScaleError as error:
        raise UsageError(str(error)) from None


def _absences(comparison: Comparison) -> Iterator[str]:
    """Who has played fewer deals than the group: a fouled table, a substitute, or a name spelled in two ways."""
    for group in comparison.groups:
        played: dict[str, int] = {}
        for deal in group.deals:
            for entry in deal.entries:
                played[entry.entrant] = played.get(entry.entrant, 0) + 1
        for standing in group.ranking:
            if played[standing.entrant] < len(group.deals):
                yield f"{standing.entrant} has played {played[standing.entrant]} of the {len(group.deals)} deals of group {group.group}"


def _for_people(comparison: Comparison) -> Iterator[str]:
    scale = comparison.scale
    signed = f", signed by {scale.signature.referee} on {scale.signature.on}" if scale.signature else ""
    yield f"IMP scale: {scale.name} ({scale.status.value}{signed}), digest {scale.digest}"
    for group in comparison.groups:
        yield from _group_for_people(group)


def _group_for_people(group: ComparedGroup) -> Iterator[str]:
    yield f"\nGroup {group.group}"
    for deal in group.deals:
        yield from _deal_for_people(deal)
    yield "\n  rank  IMP  entrant"
    for standing in group.ranking:
        yield f"  {standing.rank:4}  {_signed(standing.total):>3}  {standing.entrant}"


def _deal_for_people(deal: ComparedDeal) -> Iterator[str]:
    yield f"\n  deal {deal.deal}: datum " + ", ".join(f"{seat.value} {_signed(deal.datum[seat])}" for seat in SEATS)
    left_out = dict.fromkeys(result.table for result in deal.results if not result.counts)
    if left_out:
        yield f"    left out by ruling: table {', '.join(left_out)}"
    for entry in deal.entries:
        match entry:
            case Entry():
                result = f"table {entry.table} {entry.seat.value}  {_signed(entry.score):>4}  difference {_signed(entry.difference):>7}"
            case TeamEntry():
                result = f"sum {_signed(entry.sum):>5}"
            case _:
                assert_never(entry)
        penalty = f"  penalty −{entry.penalty}" if entry.penalty else ""
        yield f"    {result}  IMP {_signed(entry.imp):>3}  {entry.entrant}{penalty}"


def _signed(number: int | Fraction) -> str:
    """With its sign, and exact: ``+107``, ``-33``, ``0``, ``+10.75``, or ``+32/3`` where decimals would not end."""
    decimal = format(Decimal(number.numerator) / Decimal(number.denominator), "f")
    text = decimal if Fraction(decimal) == number else str(number)
    return f"+{text}" if number > 0 else text
