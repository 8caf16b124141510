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
from twinwall.event.record_versions import differences, hand_key
from twinwall.event.results_csv import write_results
from twinwall.event.store.hall import Hall
from twinwall.game.documents import DocumentError, canonical_json
from twinwall.game.record import HandRecord


def derived_files(hall: Hall) -> dict[str, bytes]:
    """The derived files of a hall by name."""
    hands = tuple(_closed(hall))
    programme = hall.programme
    sessions = {n: hall.session_of(n) for n in hall.released_deals()}
    return {
        RECORDS: b"".join(
            canonical_json(record_of(hand, hall_deal.deal).to_json()) for hand in hands if (hall_deal := hall.released(hand.n))
        ),
        RESULTS: write_results(results_of(hands, programme.field, sessions), programme.field.kind),
        STANDINGS: canonical_json(_standings(hall)),
    }


def _closed(hall: Hall) -> Iterator[HandSummary]:
    return (hand for hand in hall.hands() if hand.closed)


def _standings(hall: Hall) -> Mapping[str, object]:
    compared = hall.comparison()
    points = {"rank_points": points_json(rank_points(compared.comparison))} if hall.programme.points is Points.RANK else {}
    whole = hall.standings()
    standings = {"standings": whole.to_json(hall.programme.rules)} if len(whole.sessions) > 1 else {}
    return {**compared.comparison.to_json(), **points, **standings, "left_out": [out.reason for out in compared.left_out]}


def differing_record(name: str, found: bytes, computed: bytes, line: int) -> str:
    """What a record of the ledgers and the one in its place say differently; empty where they are not of one hand."""
    try:
        ours, theirs = (HandRecord.from_json(content.splitlines()[line - 1]) for content in (computed, found))
    except (DocumentError, IndexError):
        return ""
    if name != RECORDS or hand_key(ours) != hand_key(theirs):
        return ""
    said = (f"{what} is {first} there and {second} in this file" for what, first, second in differences(ours, theirs))
    return f": deal {ours.n} at table {ours.table}: {'; '.join(said)}"


def first_difference(found: bytes, computed: bytes) -> int:
    """The line, from 1, where a derived file and what the ledgers give part."""
    ours, theirs = found.splitlines(), computed.splitlines()
    differing = (number for number, pair in enumerate(zip(ours, theirs, strict=False), 1) if pair[0] != pair[1])
    return next(differing, min(len(ours), len(theirs)) + 1)
