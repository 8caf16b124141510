"""Where the tables of a deal parted, for the page of the deal: one sentence, and each seat's decisions with links into the replay."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from dashboard.access.shown_results import ReleasedDeal
from dashboard.i18n.words import Words
from twinwall.event.hand_records import record_of
from twinwall.event.hands import HandSummary
from twinwall.event.replay.parting import Parting, PartingWay, partings
from twinwall.game.play_events import EndReason
from twinwall.game.tiles import Seat, Tile, parse_tiles


@dataclass(frozen=True, slots=True)
class ShownTable:
    """A table on one way: the step of its replay, and what the hand brought the seat."""

    name: str
    step: int
    score: int


@dataclass(frozen=True, slots=True)
class ShownWay:
    """What some tables did; ``then`` is where they parted later."""

    text: str
    tiles: tuple[Tile, ...]
    tables: tuple[ShownTable, ...]
    then: ShownParting | None


@dataclass(frozen=True, slots=True)
class ShownParting:
    """The first decision in which tables differ."""

    seat: Seat
    turn: int
    ways: tuple[ShownWay, ...]


def shown_partings(found: ReleasedDeal, hands: list[HandSummary], words: Words) -> tuple[ShownParting, ...]:
    """The partings of a group's hands that are over, the earliest turn first; none where fewer than two are.

    A hand whose result players entered has no record of play, so it is left out.
    """
    played = [hand for hand in hands if hand.closed and hand.scores is not None and hand.reason is not EndReason.ENTERED]
    if len(played) < 2:
        return ()
    scores = {hand.table: hand.scores or {} for hand in played}
    return tuple(_shown(parting, scores, words) for parting in partings([record_of(hand, found.opening.deal) for hand in played]))


def _shown(parting: Parting, scores: Mapping[str, Mapping[Seat, int]], words: Words) -> ShownParting:
    return ShownParting(parting.seat, parting.turn, tuple(_way(way, parting.seat, scores, words) for way in parting.ways))


def _way(way: PartingWay, seat: Seat, scores: Mapping[str, Mapping[Seat, int]], words: Words) -> ShownWay:
    tables = [(table, step, scores[table][seat]) for table, step in zip(way.tables, way.steps, strict=True)]
    return shown_way(way, tables, words, None if way.then is None else _shown(way.then, scores, words))


def shown_way(way: PartingWay, tables: Iterable[tuple[str, int, int]], words: Words, then: ShownParting | None = None) -> ShownWay:
    """What some tables did, in words and tiles; ``tables`` are their names with step and score."""
    text = words(f"parting.act.{way.act.replace('_', '-') or 'over'}")
    return ShownWay(text, parse_tiles(way.tiles), tuple(ShownTable(*table) for table in tables), then)
