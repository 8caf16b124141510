"""Makes the bundle of an evening from a store: everything that the check needs, and nothing of a deal that is not released."""

from __future__ import annotations

from collections.abc import Iterator

from twinwall.event.bundle.bundle_files import (
    COMMITMENTS,
    HEADING,
    HEADS,
    KEYS,
    PLAN,
    PROGRAMME,
    STAFF,
    START,
    ledger_name,
    slip_name,
    write_heading,
)
from twinwall.event.bundle.derived_files import derived_files
from twinwall.event.deal_state import DealsCommitted
from twinwall.event.hands import left_deals
from twinwall.event.store.hall import Hall
from twinwall.event.store.store_contents import Contents, DealStepTaken, SignedHead, StoredJournal, acts_of
from twinwall.wire.events.hand_events import HandClosed, HandStarted
from twinwall.wire.events.wall_events import DealOpened
from twinwall.wire.ledger import parse


class NotReleasedError(Exception):
    """A deal that the ledgers tell of is not released, so the ledgers may not leave the store."""


class NoStartError(Exception):
    """An event without plan and start, of which nothing can be proved."""


def make_bundle(contents: Contents, hall: Hall, commitments: bytes | None = None) -> dict[str, bytes]:
    """The files of a bundle by name; ``hall`` is what the contents amount to, ``commitments`` the published file, which is in the
    store where vaults have made the deals by order.

    Raises:
        NotReleasedError: while a deal that a table has opened is not released.
        NoStartError: for a rehearsal without plan and start.
    """
    custody = hall.programme.custody
    if custody is None:
        raise NoStartError("this event has no plan and no start: nothing of it can be proved, so there is no bundle")
    for journal in contents.journals:
        _check_released(journal, hall)
    vault_key = contents.announcements[-1].vault_key.hex() if contents.announcements else ""
    files = {
        PLAN: custody.plan.canonical,
        START: custody.start.canonical,
        PROGRAMME: hall.programme.document,
        KEYS: b"".join(each.announcement for each in contents.announcements),
        HEADS: b"".join(_heads(contents)),
        STAFF: b"".join(contents.records),
        **{ledger_name(number): _lines(journal) for number, journal in enumerate(contents.journals, 1)},
        **{slip_name(stored.n): stored.slip for stored in contents.slips},
        **derived_files(hall),
    }
    if (published := commitments or _committed(contents)) is not None:
        files[COMMITMENTS] = published
    return {HEADING: write_heading(hall.programme.event, vault_key, files), **files}


def _committed(contents: Contents) -> bytes | None:
    """The commitments that vaults have answered with last; None where they were made by command."""
    steps = (taken.step for taken in acts_of(contents.records, DealStepTaken))
    texts = [step.commitments for step in steps if isinstance(step, DealsCommitted)]
    return texts[-1].encode() if texts else None


def _lines(journal: StoredJournal) -> bytes:
    return b"".join(line for line, _digest in journal.lines)


def _check_released(journal: StoredJournal, hall: Hall) -> None:
    events = [parse(line) for line, _digest in journal.lines]
    left = left_deals(events)
    for event in events:
        n = event.fields.get("n")
        if isinstance(event.body, DealOpened) and n in left:
            continue
        if isinstance(event.body, DealOpened | HandStarted | None) and isinstance(n, int) and hall.released(n) is None:
            raise NotReleasedError(
                f"deal {n} is not released, and table {journal.table} has opened it: what its ledger tells is secret until every table "
                "has finished it or is withdrawn (twinwall vault withdraw); export the bundle then"
            )


def _heads(contents: Contents) -> Iterator[bytes]:
    """Of each journal the head of its last covered line, and those that cover the end of a hand: these make a changed line easy to find."""
    for journal in contents.journals:
        heads = {head.seq: head for head in contents.heads if _is_of(head, journal)}
        ends = {seq for seq in heads if _closes_a_hand(journal.lines[seq - 1][0])}
        yield from (heads[seq].head for seq in sorted(ends | ({max(heads)} if heads else set())))


def _is_of(head: SignedHead, journal: StoredJournal) -> bool:
    return (head.table, head.journal) == (journal.table, journal.journal) and head.seq <= len(journal.lines)


def _closes_a_hand(line: bytes) -> bool:
    return isinstance(parse(line).body, HandClosed)
