"""Checks a store (``problems``): every line, slip and hand, and its agreement with the tables' own ledgers if they are given.

Everything in a store follows from the ledgers, so it can be compared with them and made again.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import closing
from datetime import datetime

from twinwall.event.deal_state import MadeDeals, StartedEvent
from twinwall.event.drawn_tiles import contradictions
from twinwall.event.hand_records import record_of
from twinwall.event.hands import HandSummary
from twinwall.event.store.databases.port import StoreAddress
from twinwall.event.store.hall import Hall, Released, SlipRefusedError
from twinwall.event.store.programme import Programme
from twinwall.event.store.store_contents import Contents, StoredLine
from twinwall.event.store.store_loading import DamagedStoreError, load
from twinwall.event.store.store_records import bad_records
from twinwall.event.store.store_writer import StoreWriter
from twinwall.game.deals import tiles_drawn
from twinwall.game.documents import DocumentError
from twinwall.game.replay import replay
from twinwall.values import frozen
from twinwall.wire.ledger import PublicEvent, parse, verify_chain
from twinwall.wire.messages.signing import Signer


@frozen
class LedgerFile:
    """A table's public ledger on disk: its whole lines, with their line feeds."""

    name: str
    lines: tuple[bytes, ...]


def ledger_of(name: str, content: bytes) -> LedgerFile:
    """A ledger file's lines; a last line without its end was not written completely, and is left out."""
    return LedgerFile(name, tuple(content[: content.rfind(b"\n") + 1].splitlines(keepends=True)))


def problems(contents: Contents, trusted: Collection[str] | None = None) -> tuple[str, ...]:
    """Everything wrong with a store, in sentences.

    ``trusted`` are the server's public keys (hex) from elsewhere; None to believe those that the store names.
    """
    found: list[str] = []
    if trusted is not None:
        found += [sentence for _seq, sentence in bad_records(contents.records, contents.programme.event, trusted)]
    try:
        loaded = load(contents)
    except DamagedStoreError as error:
        return tuple(dict.fromkeys((*found, *error.damages)))
    hall = loaded.hall
    if isinstance(deals := loaded.deals, MadeDeals | StartedEvent):
        found += contradictions(deals.plan.event, tiles_drawn(deals.plan.public), deals.readings)
    found += [sentence for _event, sentence in hall.second_entries()]
    for n in hall.deals():
        if (released := hall.released(n)) is not None:
            found += _problems_of(hall, released)
    return tuple(found)


def compare_with_ledger(contents: Contents, ledger: LedgerFile) -> tuple[str, ...]:
    """Where a store and a table's ledger contradict each other, and where the ledger's chain breaks, in sentences."""
    bad = verify_chain(ledger.lines)
    broken = () if bad is None else (f"{ledger.name}, line {bad[0]}: {bad[1]}",)
    return (*_contradictions(ledger, _stored(contents, ledger)), *broken)


def lacking(contents: Contents, ledger: LedgerFile) -> str | None:
    """Which lines of a table's ledger have not reached the store, in a sentence, or None."""
    stored = _stored(contents, ledger)
    if len(stored) >= len(ledger.lines):
        return None
    missing = (
        f"line {len(ledger.lines)} has" if len(stored) + 1 == len(ledger.lines) else f"lines {len(stored) + 1} to {len(ledger.lines)} have"
    )
    return f"{ledger.name}: {missing} not reached the store"


def rebuild(
    address: StoreAddress,
    programme: Programme,
    ledgers: Sequence[LedgerFile],
    slips: Iterable[bytes],
    at: datetime,
    *,
    signer: Signer | None = None,
) -> tuple[str, ...]:
    """Make a store from ledgers (those of one table in the order in which they were begun) and slips. Returns what could not be added, in
    sentences. Raises StoreError when the store cannot be made; DocumentError when there is one already, of another event."""
    with closing(StoreWriter(address, programme, at, signer)) as writer:
        refused: list[str] = []
        for ledger in ledgers:
            events, reason = _events(ledger)
            refused += [reason] if reason else []
            refused += [sentence for _table, sentence in writer.take(events)]
        for slip in slips:
            try:
                writer.slip(slip, at)
            except SlipRefusedError as error:
                refused.append(str(error))
        return tuple(refused)


def _events(ledger: LedgerFile) -> tuple[list[PublicEvent], str | None]:
    """The events before the first bad line, and what is wrong with that line."""
    events: list[PublicEvent] = []
    for number, line in enumerate(ledger.lines, 1):
        try:
            events.append(parse(line))
        except DocumentError as error:
            return events, f"{ledger.name}, line {number}: {error}"
    return events, None


def _problems_of(hall: Hall, released: Released) -> list[str]:
    state = hall.deal(released.n)
    found = [
        f"table {table} published another check of deal {released.n} than its slip has: it did not play that deal"
        for table in state.differing
    ]
    found += [sentence for hand in state.hands if hand.closed and (sentence := hand_problem(hand, released))]
    return found


def hand_problem(hand: HandSummary, released: Released) -> str | None:
    """Why a hand does not replay to its scores with the walls of its deal; None if it does."""
    name = f"the hand of deal {hand.n} at table {hand.table}"
    try:
        record = record_of(hand, released.deal)
        played = replay(record)
    except DocumentError as error:
        return f"{name} cannot be replayed: {error}"
    illegal = next((verdict for verdict in played.verdicts if verdict is not None), None)
    if illegal is not None:
        return f"{name} does not replay: {illegal.sentence}"
    return None if dict(played.scores) == dict(record.scores) else f"{name} replays to other scores than it has"


def _stored(contents: Contents, ledger: LedgerFile) -> tuple[StoredLine, ...]:
    """The store's lines of the journal with which a ledger begins."""
    try:
        first = parse(ledger.lines[0]) if ledger.lines else None
    except DocumentError:
        first = None
    if first is None:
        return ()
    name = (first.table, first.journal)
    return next((journal.lines for journal in contents.journals if (journal.table, journal.journal) == name), ())


def _contradictions(ledger: LedgerFile, stored: Sequence[StoredLine]) -> Iterator[str]:
    for number, (line, (kept, _)) in enumerate(zip(ledger.lines, stored, strict=False), 1):
        if line != kept:
            yield f"{ledger.name}, line {number}: the store has another line"
            return
    if len(stored) > len(ledger.lines):
        yield f"{ledger.name} ends at line {len(ledger.lines)}, the store goes on to line {len(stored)}"
