"""What a bundle holds although it follows from its other files: hand records, results and standings.

They are written for people and other programs. The check computes them again by the same functions and compares the bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from twinwall.event.bundle.bundle_files import RECORDS, RESULTS, STANDINGS
from twinwall.event.field import results_of
from twinwall.event.hand_records import record_of
from twinwall.event.hands import HandSummary
from twinwall.event.points import Points
from twinwall.event.rank_points import rank_points
from twinwall.event.rank_points import to_json as points_json
from twinwall.event.results_csv import write_results
from twinwall.event.store.hall import Hall
from twinwall.wire.canonical_json import canonical


def derived_files(hall: Hall) -> dict[str, bytes]:
    """The derived files of a hall by name."""
    hands = tuple(_closed(hall))
    programme = hall.programme
    sessions = {n: hall.session_of(n) for n in hall.released_deals()}
    return {
        RECORDS: b"".join(canonical(record_of(hand, hall_deal.deal).to_json()) for hand in hands if (hall_deal := hall.released(hand.n))),
        RESULTS: write_results(results_of(hands, programme.field, sessions), programme.field.kind),
        STANDINGS: canonical(_standings(hall)),
    }


def _closed(hall: Hall) -> Iterator[HandSummary]:
    return (hand for hand in hall.hands() if hand.closed)


def _standings(hall: Hall) -> Mapping[str, object]:
    compared = hall.comparison()
    points = {"rank_points": points_json(rank_points(compared.comparison))} if hall.programme.points is Points.RANK else {}
    whole = hall.standings()
    standings = {"standings": whole.to_json(hall.programme.rules)} if len(whole.sessions) > 1 else {}
    return {**compared.comparison.to_json(), **points, **standings, "left_out": [out.reason for out in compared.left_out]}
