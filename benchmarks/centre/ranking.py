"""Ranking of a field of venues: from nothing, and after one more result.

Ten tables are a venue, ten venues a region. Each of 16 deals is played at every table with random payments. Times are processor seconds of
one thread:

- from the stored results to the ranking of the world, and to those of the world, every region and every venue;
- from one corrected result to the rankings of the world, its region and its venue;
- from the last result of a deal, which starts its comparison, to these three, and to all.

The garbage collector is set as in the publishing process.
"""

import random
import time
from collections.abc import Iterator
from statistics import quantiles

import msgspec

from benchmarks.support.measuring import drawn_scores
from centre.comparison.centre_comparison import WORLD, CentreComparison, FieldKind, FieldName
from centre.comparison.field_comparison import FieldComparison
from centre.intake.venue_results import SeatResult, VenueTableResult, read_result
from dashboard.serving import collect_seldom
from twinwall.event.field import EventField, field_of
from twinwall.event.imp_scale import provisional_scale
from twinwall.event.points import Points
from twinwall.event.results import Basis, EntrantKind
from twinwall.event.store.programme import Programme

TABLES, DEALS, OF_A_VENUE = 1000, 16, 10
CORRECTIONS = 50
_EVENT = "figures"


def measure() -> dict[str, object]:
    """Measure both kinds of points at 1,000 tables."""
    collect_seldom()
    return {"tables": TABLES, "deals": DEALS, **{points.value: _measured(points) for points in (Points.IMP, Points.CROSS)}}


def _measured(points: Points) -> dict[str, float]:
    chance, venues = random.Random(1), TABLES // OF_A_VENUE
    stored = list(_stored(venues, chance))
    world_s = _world_alone_s(stored, points)
    began_s = time.process_time()
    compared = _comparison(venues, points)
    for venue, table, n, result in stored[:-1]:
        compared.take(venue, table, n, read_result(result))
    for name in compared.fields:
        compared.ranking(name)
    from_nothing_s = time.process_time() - began_s
    venue, table, n, result = stored[-1]
    opened_ms = _change_ms(compared, venue, table, n, read_result(result))
    began_s = time.process_time()
    for name in compared.fields:
        compared.ranking(name)
    others_ms = 1000 * (time.process_time() - began_s)
    corrected_ms = [_change_ms(compared, *_correction(stored, chance)) for _ in range(CORRECTIONS)]
    return {
        "world_alone_from_nothing_s": round(world_s, 2),
        "from_nothing_s": round(from_nothing_s, 2),
        "last_result_of_a_deal_ms": round(opened_ms, 1),
        "last_result_every_field_ms": round(opened_ms + others_ms, 1),
        "one_result_ms_p50": round(quantiles(corrected_ms, n=2)[0], 1),
        "one_result_ms_max": round(max(corrected_ms), 1),
    }


def _world_alone_s(stored: list[tuple[str, str, int, bytes]], points: Points) -> float:
    """Time the ranking of the world without regions and venues."""
    began_s = time.process_time()
    field = FieldComparison(EntrantKind.INDIVIDUAL, provisional_scale(), points)
    for venue, table, n, result in stored:
        field.put(n, {f"{venue}/{table}": read_result(result).results(venue, table, n)})
    field.ranking()
    return time.process_time() - began_s


def _comparison(venues: int, points: Points) -> CentreComparison:
    names = [f"venue {number}" for number in range(venues)]
    compared = CentreComparison(
        Programme(_EVENT, EventField(EntrantKind.INDIVIDUAL), points=points), {name: _region(name) for name in names}
    )
    tables = field_of(EntrantKind.INDIVIDUAL, [str(number) for number in range(OF_A_VENUE)], group_size=OF_A_VENUE)
    for name in names:
        compared.play(name, Programme(_EVENT, tables))
    return compared


def _region(venue: str) -> str:
    return f"region {int(venue.split()[1]) // 10}"


def _stored(venues: int, chance: random.Random) -> Iterator[tuple[str, str, int, bytes]]:
    for n in range(1, DEALS + 1):
        for venue in range(venues):
            for table in range(OF_A_VENUE):
                yield f"venue {venue}", str(table), n, msgspec.json.encode(_result(str(table), chance))


def _result(table: str, chance: random.Random) -> VenueTableResult:
    seats = tuple(SeatResult(f"{table}-{place}", score) for place, score in enumerate(drawn_scores(chance)))
    return VenueTableResult(1, "1", Basis.PLAYED, seats)


def _correction(stored: list[tuple[str, str, int, bytes]], chance: random.Random) -> tuple[str, str, int, VenueTableResult]:
    venue, table, n, _ = chance.choice(stored)
    return venue, table, n, _result(table, chance)


def _change_ms(compared: CentreComparison, venue: str, table: str, n: int, result: VenueTableResult) -> float:
    began_s = time.process_time()
    compared.take(venue, table, n, result)
    for name in (WORLD, FieldName(FieldKind.REGION, _region(venue)), FieldName(FieldKind.VENUE, venue)):
        compared.ranking(name)
    return 1000 * (time.process_time() - began_s)
