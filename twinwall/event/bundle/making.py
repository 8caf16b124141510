"""Makes the bundle of an evening from a store: everything that the check needs, and nothing of a deal that is not released.

Hand records, results and standings follow from the other files. They are written for people and other programs. The
check computes them again by the same functions and compares the bytes.
"""

from collections.abc import Iterator, Mapping

from twinwall.event.bundle.bundle_files import (
    COMMITMENTS,
    HEADING,
    HEADS,
    KEYS,
    PLAN,
    PROGRAMME,
    RECORDS,
    RESULTS,
    STAFF,
    STANDINGS,
    START,
    ledger_name,
    slip_name,
    write_heading,
)
from twinwall.event.deal_state import DealsCommitted
from twinwall.event.field import results_of
from twinwall.event.hand_records import record_of
from twinwall.event.hands import left_deals
from twinwall.event.points import Points, rank_points
from twinwall.event.points import to_json as points_json
from twinwall.event.record_versions import differences, hand_key
from twinwall.event.results_csv import write_results
from twinwall.event.store.hall import Hall
from twinwall.event.store.store_contents import Contents, DealStepTaken, StoredJournal, acts_of
from twinwall.game.documents import DocumentError, canonical_json
from twinwall.game.record import HandRecord
from twinwall.wire.events.hand_events import HandClosed, HandStarted
from twinwall.wire.events.wall_events import DealOpened
from twinwall.wire.ledger import parse


def derived_files(hall: Hall) -> dict[str, bytes]:
    """The derived files of a hall by name."""
    hands = tuple(hand for hand in hall.hands() if hand.closed)
    programme = hall.programme
    sessions = {n: hall.session_of(n) for n in hall.released_deals()}
    return {
        RECORDS: b"".join(
            canonical_json(record_of(hand, hall_deal.deal).to_json()) for hand in hands if (hall_deal := hall.released(hand.n))
        ),
        RESULTS: write_results(results_of(hands, programme.field, sessions), programme.field.kind),
        STANDINGS: canonical_json(_standings(hall)),
    }


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
        **{ledger_name(number): b"".join(line for line, _digest in journal.lines) for number, journal in enumerate(contents.journals, 1)},
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
        heads = {
            head.seq: head
            for head in contents.heads
            if (head.table, head.journal) == (journal.table, journal.journal) and head.seq <= len(journal.lines)
        }
        ends = {seq for seq in heads if isinstance(parse(journal.lines[seq - 1][0]).body, HandClosed)}
        yield from (heads[seq].head for seq in sorted(ends | ({max(heads)} if heads else set())))
