"""Ledger lines as a controller would write them."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta

from twinwall.wire.ledger import LedgerPosition, PublicEvent, envelope, next_position, parse, project

START = datetime(2026, 11, 20, 10, 2, 3, 123000, tzinfo=UTC)
Line = tuple[str, dict[str, object]]
"""The type of an event, and its fields."""


def ledger_lines(
    script: Sequence[Line], table: str = "1", journal: str = "j1", start: datetime = START, *, salt: Callable[[str, int], str] | None = None
) -> list[bytes]:
    """A script as a table's public ledger; ``salt`` gives the salt of a journal's line by its number."""
    lines: list[bytes] = []
    position = LedgerPosition(journal)
    for number, (event_type, fields) in enumerate(script):
        public = project(event_type, fields)
        assert public is not None
        at, salted = start + timedelta(seconds=number), None if salt is None else salt(journal, number + 1)
        lines.append(envelope(table, position, at, event_type, public, salt=salted))
        position = next_position(position, lines[-1])
    return lines


def hand_started(n: int, seats: Mapping[str, str], places: Mapping[str, int], draws: int = 21, **others: object) -> Line:
    """The start of a hand of duplicate MCR in session 1 and the round of East, unless ``others`` say otherwise."""
    started = {"n": n, "session": 1, "hand": n, "rules": "mcr-duplicate", "round": "E", "seats": dict(seats), "places": dict(places)}
    return "hand-started", {**started, "draws": dict.fromkeys(places, draws), **others}


_READ: dict[tuple[str, str, str, datetime], tuple[PublicEvent, ...]] = {}
"""What was read of each script: many tests feed the same few."""


def public_events(script: Sequence[Line], table: str = "1", journal: str = "j1", start: datetime = START) -> list[PublicEvent]:
    key = (repr(script), table, journal, start)
    if key not in _READ:
        _READ[key] = tuple(parse(line) for line in ledger_lines(script, table, journal, start))
    return list(_READ[key])


def ledger(count: int, table: str = "12", journal: str = "j1") -> list[bytes]:
    """``count`` lines of one ledger, a second apart."""
    return ledger_lines([("building", {"placed": number, "of": 136}) for number in range(count)], table, journal)
