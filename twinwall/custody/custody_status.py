"""Custody status: which table has which deals, for the vault's keeper. Only the running vault knows it. It writes this file so that another
command can show it without contact to the process with the seeds. The vault never reads the file."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import ClassVar

from twinwall.custody.release import CustodyState
from twinwall.custody.table_rules import CustodyPlan
from twinwall.game.deals import Start
from twinwall.game.documents import pretty_json
from twinwall.game.typed_json import Count, Moment, Text, plain, read_document
from twinwall.values import frozen

LastStatement = tuple[tuple[int, ...], float]
"""A table's last statement: the deals with which it can continue alone, and when (the vault's clock, s)."""


@frozen
class TableStatus:
    """One table.

    - key: fingerprint of its accepted boot keys, or None.
    - plays: the deal in play; finished: how many deals it has finished.
    - holds: deals that it says it has; due: deals that it may have.
    - waits_for: tables of its group that must finish a deal before it gets the next.
    - silent_s: time since its last message, None if there was none.
    """

    table: Text
    key: str | None
    plays: int | None
    finished: Count
    holds: tuple[int, ...]
    due: tuple[int, ...]
    waits_for: tuple[str, ...]
    silent_s: int | None
    withdrawn: bool


@frozen
class CustodyStatus:
    """The whole session at one moment; ``start`` is the start code in eight groups."""

    FORMAT: ClassVar = "twinwall-custody-status-2"

    at: Moment
    start: Text
    deals: tuple[int, ...]
    released: tuple[int, ...]
    tables: tuple[TableStatus, ...]


def status_of(
    custody: CustodyPlan, state: CustodyState, spoken: Mapping[str, LastStatement], at: datetime, now_s: float, *, start: Start
) -> CustodyStatus:
    """The status at ``at``; ``now_s`` is the same moment on the clock of ``spoken``."""
    tables = tuple(_table(custody, state, table, spoken.get(table), now_s) for table in state.members)
    return CustodyStatus(at, start.words, custody.deals, tuple(n for n in custody.deals if n in state.released), tables)


def waits_for(custody: CustodyPlan, state: CustodyState, table: str) -> tuple[str, ...]:
    """The tables of the group that delay this table's next deal."""
    order = custody.order_of(table)
    started = [index for index, n in enumerate(order) if n in state.members[table].started]
    following = started[-1] + 1 if started else 0
    far = following - 1 - custody.spread
    if far < 0 or following >= len(order) or order[following] in custody.permitted(state, table):
        return ()
    return custody.behind(replace(state, uncompared=frozenset()), table, far)


def write_status(status: CustodyStatus) -> bytes:
    return pretty_json(plain(status))


def read_status(content: bytes) -> CustodyStatus:
    return read_document(content, CustodyStatus, "the vault's status")


def _table(custody: CustodyPlan, state: CustodyState, table: str, spoken: LastStatement | None, now_s: float) -> TableStatus:
    standing = state.members[table]
    holds, spoken_s = spoken or ((), None)
    in_play = [n for n in custody.order_of(table) if n in standing.started and n not in standing.finished]
    return TableStatus(
        table=table,
        key=None if standing.keys is None else standing.keys.fingerprint,
        plays=in_play[-1] if in_play else None,
        finished=len(standing.finished),
        holds=tuple(n for n in holds if n not in standing.finished),
        due=custody.permitted(state, table),
        waits_for=waits_for(custody, state, table),
        silent_s=None if spoken_s is None else round(now_s - spoken_s),
        withdrawn=standing.withdrawn,
    )
