"""Who has what: the vault's view of its tables, as it writes it down for the person who keeps it.

The running vault alone knows it, in memory; it writes the view into a file that another command reads, so that
nobody has to speak to the process with the seeds. The file is for reading only: the vault never reads it back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from twinwall.event.custody.release import CustodyPlan, CustodyState, permitted
from twinwall.game.documents import DocumentError, DocumentFields, integer_of, object_of, parse_object, pretty_json, text_of
from twinwall.wire.canonical_json import FormError, read_time, write_time
from twinwall.wire.messages.sealing import fingerprint

FORMAT = "twinwall-custody-status-1"


@dataclass(frozen=True, slots=True)
class Spoken:
    """What a table said last: the deals that it can go on with by itself, and when it said so (the vault's own clock, s)."""

    holds: tuple[int, ...]
    at_s: float


@dataclass(frozen=True, slots=True)
class TableStatus:
    """One table. ``key`` is the fingerprint that its deals are sealed to, None before it showed one; ``plays`` is the deal in play,
    ``finished`` how many deals it has finished; ``holds`` what it said itself that it has, ``due`` what it may have;
    ``waits_for`` are the tables of its group that must finish a deal before it is given the next; ``silent_s`` is how long it
    has not been heard, None when never."""

    table: str
    key: str | None
    plays: int | None
    finished: int
    holds: tuple[int, ...]
    due: tuple[int, ...]
    waits_for: tuple[str, ...]
    silent_s: int | None
    withdrawn: bool


@dataclass(frozen=True, slots=True)
class CustodyStatus:
    """The whole session at one moment."""

    at: datetime
    deals: tuple[int, ...]
    released: tuple[int, ...]
    tables: tuple[TableStatus, ...]


def status_of(custody: CustodyPlan, state: CustodyState, spoken: Mapping[str, Spoken], at: datetime, now_s: float) -> CustodyStatus:
    """The view at ``at``; ``now_s`` is the same moment on the clock of ``spoken``."""
    tables = tuple(_table(custody, state, table, spoken.get(table), now_s) for table in state.tables)
    return CustodyStatus(at, custody.deals, tuple(n for n in custody.deals if n in state.released), tables)


def waits_for(custody: CustodyPlan, state: CustodyState, table: str) -> tuple[str, ...]:
    """The tables of the group whose unfinished deal keeps this table's next one back; none when it is not being kept waiting."""
    started = [index for index, n in enumerate(custody.deals) if n in state.tables[table].started]
    following = started[-1] + 1 if started else 0
    far = following - 1 - custody.spread
    if far < 0 or following >= len(custody.deals) or custody.deals[following] in permitted(custody, state, table):
        return ()
    standings = ((other, state.tables[other]) for other in custody.group_of(table))
    return tuple(other for other, standing in standings if not standing.withdrawn and custody.deals[far] not in standing.finished)


def write_status(status: CustodyStatus) -> bytes:
    """The file's bytes."""
    tables = [
        {
            "table": each.table,
            "key": each.key,
            "plays": each.plays,
            "finished": each.finished,
            "holds": list(each.holds),
            "due": list(each.due),
            "waits_for": list(each.waits_for),
            "silent_s": each.silent_s,
            "withdrawn": each.withdrawn,
        }
        for each in status.tables
    ]
    released, deals = list(status.released), list(status.deals)
    return pretty_json({"format": FORMAT, "at": write_time(status.at), "deals": deals, "released": released, "tables": tables})


def read_status(content: bytes) -> CustodyStatus:
    """Read the file; raises DocumentError."""
    fields = DocumentFields(parse_object(content, "the vault's status"), "the vault's status")
    fields.constant("format", FORMAT)
    try:
        at = read_time(fields.text("at"))
    except FormError as error:
        raise DocumentError(f"the vault's status: {error}") from None
    deals, released = _numbers(fields, "deals"), _numbers(fields, "released")
    tables = tuple(_read_table(DocumentFields(each, f"table {number}")) for number, each in enumerate(_objects(fields, "tables"), 1))
    fields.done()
    return CustodyStatus(at, deals, released, tables)


def _table(custody: CustodyPlan, state: CustodyState, table: str, spoken: Spoken | None, now_s: float) -> TableStatus:
    standing = state.tables[table]
    in_play = [n for n in custody.deals if n in standing.started and n not in standing.finished]
    return TableStatus(
        table=table,
        key=None if standing.key is None else fingerprint(standing.key),
        plays=in_play[-1] if in_play else None,
        finished=len(standing.finished),
        holds=() if spoken is None else tuple(n for n in spoken.holds if n not in standing.finished),
        due=permitted(custody, state, table),
        waits_for=waits_for(custody, state, table),
        silent_s=None if spoken is None else round(now_s - spoken.at_s),
        withdrawn=standing.withdrawn,
    )


def _read_table(fields: DocumentFields) -> TableStatus:
    key, plays, silent_s = fields.take("key"), fields.take("plays"), fields.take("silent_s")
    found = TableStatus(
        table=fields.words("table"),
        key=None if key is None else text_of(key, fields.label("key")),
        plays=None if plays is None else integer_of(plays, fields.label("plays")),
        finished=fields.integer("finished", 0),
        holds=_numbers(fields, "holds"),
        due=_numbers(fields, "due"),
        waits_for=tuple(text_of(each, fields.label("waits_for")) for each in fields.items("waits_for")),
        silent_s=None if silent_s is None else integer_of(silent_s, fields.label("silent_s")),
        withdrawn=fields.switch("withdrawn"),
    )
    fields.done()
    return found


def _objects(fields: DocumentFields, key: str) -> list[Mapping[str, object]]:
    return [object_of(each, fields.label(key)) for each in fields.items(key)]


def _numbers(fields: DocumentFields, key: str) -> tuple[int, ...]:
    return tuple(integer_of(n, fields.label(key)) for n in fields.items(key))
