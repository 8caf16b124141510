"""Where the tables of a deal parted (``partings``): for each seat the first decision that differs, then the next one among the tables that
agreed.

A seat has the same draws at every table, so its decisions are compared in order: first discard with first discard, and so on, until one
differs. Other seats may have acted differently before, so the results prove nothing about what was better.

The gain of a decision is the seat's mean score at the tables that decided so, minus its mean score at the tables that decided otherwise. It
depends on very few results and proves nothing.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from twinwall.game.play_events import Claimed, ClaimsPassed, KongDeclared, TileDiscarded, WinDeclared
from twinwall.game.record import HandRecord
from twinwall.game.tiles import SEATS, Seat, format_tiles
from twinwall.values import frozen


@frozen
class Decision:
    """What a seat did (``discard``, ``win``, or the name of a meld), with which tiles, and at which step and turn of its table."""

    act: str
    tiles: str
    step: int
    turn: int

    @property
    def choice(self) -> tuple[str, str]:
        return self.act, self.tiles


@frozen
class PartingWay:
    """What some tables did; ``steps`` are the numbers of each table's step, from 1."""

    act: str
    """Empty if the hand was over for the seat."""
    tiles: str
    tables: list[str]
    steps: list[int]
    then: "Parting | None"
    """Where these tables parted later."""


@frozen
class Parting:
    """The first differing decision, at a turn of the seat, from 1."""

    seat: Seat
    turn: int
    ways: list[PartingWay]


def partings(records: Sequence[HandRecord]) -> list[Parting]:
    """The parting of each seat with differing decisions, the earliest turn first, then in the order E S W N."""
    found = [
        parting
        for seat in SEATS
        if (parting := _parting(seat, [(record.table, decisions(record, seat)) for record in records], 0)) is not None
    ]
    return sorted(found, key=lambda parting: parting.turn)


def decisions(record: HandRecord, seat: Seat) -> list[Decision]:
    """What a seat decided at a table, in order; steps are counted as in a replay."""
    found: list[Decision] = []
    discards = 0
    steps = enumerate((event for event in record.events if not isinstance(event, ClaimsPassed)), 1)
    for number, event in steps:
        match event:
            case TileDiscarded(of, tile) if of is seat:
                discards += 1
                found.append(Decision("discard", tile.text, number, discards))
            case Claimed(of, meld) | KongDeclared(of, meld) if of is seat:
                found.append(Decision(meld.type.value, format_tiles(meld.tiles), number, discards + 1))
            case WinDeclared(of, _, won) if of is seat:
                found.append(Decision("win", "" if won is None else won.text, number, discards + 1))
    return found


Decided = Sequence[tuple[str, Sequence[Decision]]]
"""A seat's decisions at each table."""


def _parting(seat: Seat, decided: Decided, begin: int) -> Parting | None:
    """The first difference from the decision ``begin`` on; the tables agree before it."""
    longest = max((len(made) for _, made in decided), default=0)
    for number in range(begin, longest):
        here = [(table, made, made[number] if number < len(made) else None) for table, made in decided]
        choices = dict.fromkeys(("", "") if decision is None else decision.choice for _, _, decision in here)
        if len(choices) == 1:
            continue
        turn = min(decision.turn for _, _, decision in here if decision is not None)
        return Parting(seat, turn, [_way(seat, choice, here, number) for choice in choices])
    return None


def _way(seat: Seat, choice: tuple[str, str], here: Sequence[tuple[str, Sequence[Decision], Decision | None]], number: int) -> PartingWay:
    same = [(table, made, one) for table, made, one in here if (("", "") if one is None else one.choice) == choice]
    then = _parting(seat, [(table, made) for table, made, _ in same], number + 1) if len(same) > 1 and choice[0] else None
    return PartingWay(choice[0], choice[1], [table for table, _, _ in same], [0 if one is None else one.step for _, _, one in same], then)


Scores = Mapping[str, Mapping[Seat, int]]
"""The hand's scores at each table, by seat."""


@frozen
class DecisionGain:
    """What some tables did, and its gain for the seat; ``others`` decided otherwise."""

    seat: Seat
    turn: int
    way: PartingWay
    gain: Fraction
    others: tuple[str, ...]


def decision_gains(parted: Sequence[Parting], scores: Scores) -> list[DecisionGain]:
    """For each seat and table, the decision with the largest gain or loss, the earliest among equals; one of several tables appears once.

    Excludes tables without a score, seats that decided the same everywhere, and decisions without gain or loss.
    """
    found: dict[tuple[Seat, str], DecisionGain] = {}
    for gained in (each for parting in parted for each in _gains(parting, scores)):
        for table in gained.way.tables:
            before = found.get((gained.seat, table))
            if before is None or abs(gained.gain) > abs(before.gain):
                found[gained.seat, table] = gained
    unique = {id(gained): gained for gained in found.values() if gained.gain}
    return list(unique.values())


def _gains(parting: Parting, scores: Scores) -> Iterator[DecisionGain]:
    """The gains of a parting, then those of later partings."""
    for way in parting.ways:
        others = tuple(table for other in parting.ways if other is not way for table in other.tables if table in scores)
        here = [table for table in way.tables if table in scores]
        if here and others and way.act:
            gain = _mean(parting.seat, here, scores) - _mean(parting.seat, others, scores)
            yield DecisionGain(parting.seat, parting.turn, way, gain, others)
    for way in parting.ways:
        if way.then is not None:
            yield from _gains(way.then, scores)


def _mean(seat: Seat, tables: Sequence[str], scores: Scores) -> Fraction:
    return Fraction(sum(scores[table][seat] for table in tables), len(tables))
