"""Cost of the checks at the centre: signatures of heads, the chain of lines, and all that a consumer does before it stores.

One table's hand as the strategies play it is signed as its controller signs it, with a head after every line or after every ten, and
given to the intake of a consumer as many times as there are tables. Seconds of processor time of one thread; a hand of 1,000 tables is
so many times one table's. A hand lasts 450 s of play, as a live hand in MCR does, of which the share of a core is taken.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from centre.intake.venue_intake import IntakeMoment, VenueIntake
from centre.store.venue_contents import KnownVenue
from centre.tests.support.playing_venue import CENTRE, EVENT, Message, PlayingVenue
from tests.support.event.evenings import hand_script
from twinwall.wire.ledger import parse
from twinwall.wire.messages.head import LedgerKind, read_head
from twinwall.wire.mqtt.topics import Channel, parse_topic

TABLES = 20
HAND_S = 450.0
_MOMENT = IntakeMoment(datetime(2026, 11, 20, 10, tzinfo=UTC), 0.0)


def measure() -> dict[str, object]:
    """Heads after every line, and after every ten."""
    script = tuple(hand_script("1", 1))
    every = {f"head_every_{count}_lines": _measured(PlayingVenue("v", (("1", script),), heads_every=count)) for count in (1, 10)}
    return {"lines_a_hand": len(script), **every}


def _measured(venue: PlayingVenue) -> dict[str, float]:
    messages = venue.messages
    lines = [payload for topic, payload in messages if topic.endswith(f"/{Channel.EVENTS}")]
    heads = [(topic, payload) for topic, payload in messages if topic.endswith(f"/{Channel.HEAD}")]
    parsed_s = _timed(lambda: [parse(line) for line in lines])
    key = venue.table_key("1")
    signed_s = _timed(lambda: _check_heads(key, heads))
    intake_s = _timed(lambda: _take(venue, messages))
    return {
        "heads_a_hand": len(heads),
        "parse_a_line_us": round(1e6 * parsed_s / len(lines), 1),
        "signature_of_a_head_us": round(1e6 * signed_s / len(heads), 1),
        "intake_a_line_us": round(1e6 * intake_s / len(lines), 1),
        "signatures_of_1000_tables_a_hand_s": round(1000 * signed_s, 2),
        "intake_of_1000_tables_a_hand_s": round(1000 * intake_s, 2),
        "core_share_of_1000_tables": round(1000 * intake_s / HAND_S, 3),
    }


def _check_heads(key: bytes, heads: Sequence[Message]) -> None:
    for topic, payload in heads:
        table = parse_topic(topic).table
        read_head(payload, EVENT, table, {table: key}, ledger=LedgerKind.EVENTS)


def _take(venue: PlayingVenue, messages: Sequence[Message]) -> None:
    intake = VenueIntake(venue.venue, CENTRE, KnownVenue(), _MOMENT)
    for topic, payload in messages:
        intake.take(topic, payload, _MOMENT)
    batch, _ = intake.batch()
    if len(batch.lines) != len(venue.ledgers["1"]):
        raise RuntimeError(f"{len(batch.lines)} lines were taken instead of {len(venue.ledgers['1'])}")


def _timed(work: Callable[[], object]) -> float:
    """Seconds of processor time of one table, over several."""
    work()
    began_s = time.process_time()
    for _ in range(TABLES):
        work()
    return (time.process_time() - began_s) / TABLES
