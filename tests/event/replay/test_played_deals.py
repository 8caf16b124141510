"""Partings and gains of deals that four simulated tables played, against all beginnings of what each seat did."""

import random
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache

import pytest

from tests.support.game.seigo_tables import SeigoTable, seigo_deal
from tests.support.game.sichuan_tables import SichuanTable, sichuan_walls
from tests.support.game.tables import Table, walls_with_kongs
from tests.support.tiers import some
from twinwall.event.replay.parting import Parting, decision_gains, partings
from twinwall.game.play_events import Claimed, KongDeclared, TileDiscarded, WinDeclared
from twinwall.game.record import HandRecord
from twinwall.game.rules import rule_set
from twinwall.game.tiles import SEATS, Seat

pytestmark = pytest.mark.slow
TABLES = "1234"
DEALS = some(range(3), 1)
RULES = ("mcr-duplicate", "seigo", "sichuan", "yangzhou")
Did = tuple[object, ...]


def hand_of(rules: str, deal: int, table: str) -> Table | SichuanTable | SeigoTable:
    """A hand of a deal: all tables have its walls, and each its own players."""
    players = random.Random(f"{rules} {deal} {table}")
    match rules:
        case "sichuan":
            return SichuanTable(rule_set(rules), sichuan_walls(deal, alike=20), players, eager=True)
        case "seigo":
            walls, rest = seigo_deal(deal, alike=20)
            return SeigoTable(rule_set(rules), walls, players, eager=True, rest=rest)
        case _:
            return Table(rule_set(rules), walls_with_kongs(deal), players, eager=True)


@cache
def played(rules: str, deal: int) -> tuple[HandRecord, ...]:
    records = []
    for table in TABLES:
        records.append(replace(hand_of(rules, deal, table).played().record(), n=deal, table=table))
    return tuple(records)


def did(record: HandRecord, seat: Seat) -> tuple[Did, ...]:
    found: list[Did] = []
    for event in record.events:
        match event:
            case TileDiscarded(of, tile) if of is seat:
                found.append((TileDiscarded, tile))
            case Claimed(of, meld) | KongDeclared(of, meld) if of is seat:
                found.append((meld.type, meld.tiles))
            case WinDeclared(of, _, tile) if of is seat:
                found.append((WinDeclared, tile))
            case _:
                pass
    return tuple(found)


def each_seat(test: Callable[[str, int, Seat], None]) -> Callable[[str, int, Seat], None]:
    """Hold each seat of each deal to a law."""
    for name, values in (("seat", SEATS), ("deal", DEALS), ("rules", RULES)):
        test = pytest.mark.parametrize(name, values)(test)
    return test


def tables_together(parting: Parting | None) -> set[frozenset[str]]:
    """The tables of each way of a tree on which something was decided."""
    ways = [] if parting is None else [way for way in parting.ways if way.act]
    return {frozenset(way.tables) for way in ways}.union(*(tables_together(way.then) for way in ways))


def tree_of(rules: str, deal: int, seat: Seat) -> Parting | None:
    return next((parting for parting in partings(played(rules, deal)) if parting.seat is seat), None)


@each_seat
def test_the_tables_of_each_way_are_those_with_the_same_beginning(rules: str, deal: int, seat: Seat) -> None:
    of = {record.table: did(record, seat) for record in played(rules, deal)}
    beginnings = {made[:length] for made in of.values() for length in range(1, len(made) + 1)}
    together = {frozenset(table for table, made in of.items() if made[: len(begun)] == begun) for begun in beginnings}
    assert tables_together(tree_of(rules, deal, seat)) == together - {frozenset(TABLES)}


@each_seat
def test_the_first_decision_of_a_tree_is_the_first_that_is_not_the_same_everywhere(rules: str, deal: int, seat: Seat) -> None:
    of = [did(record, seat) for record in played(rules, deal)]
    common = next((length for length in range(max(map(len, of))) if len({made[: length + 1] for made in of}) > 1), None)
    tree = tree_of(rules, deal, seat)
    assert (tree is None) is (common is None)
    assert tree is None or tree.turn == 1 + sum(made[0] is TileDiscarded for made in of[0][:common])


@each_seat
def test_the_largest_gain_of_a_table_is_that_of_comparing_all_its_beginnings(rules: str, deal: int, seat: Seat) -> None:
    records, tree = played(rules, deal), tree_of(rules, deal, seat)
    of = {record.table: did(record, seat) for record in records}
    found = decision_gains([] if tree is None else [tree], {record.table: record.scores for record in records})
    for table, made in of.items():
        gains = [abs(each.gain) for each in found if table in each.way.tables]
        assert max(gains, default=Fraction(0)) == largest(of, {record.table: record.scores[seat] for record in records}, made)


def largest(of: dict[str, tuple[Did, ...]], scores: dict[str, int], made: tuple[Did, ...]) -> Fraction:
    """The largest difference of means over all beginnings of what one table did."""
    best = Fraction(0)
    for length in range(len(made)):
        together = [table for table, other in of.items() if other[:length] == made[:length]]
        same = [scores[table] for table in together if of[table][length : length + 1] == made[length : length + 1]]
        other = [scores[table] for table in together if of[table][length : length + 1] != made[length : length + 1]]
        if other:
            best = max(best, abs(Fraction(sum(same), len(same)) - Fraction(sum(other), len(other))))
    return best
