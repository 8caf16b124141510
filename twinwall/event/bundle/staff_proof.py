"""Proof of what staff did: the server's records are chained and signed, and agree with the programme and the ledgers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from twinwall.event.bundle.bundle_files import PROGRAMME, STAFF
from twinwall.event.bundle.bundle_report import Unproved
from twinwall.event.store.store_records import BEGUN, LINES, bad_records, read_records
from twinwall.wire.canonical_json import digest


def unproved_records(files: Mapping[str, bytes], event: str, digests: Mapping[tuple[str, str, int], str]) -> Iterator[Unproved]:
    """What of the records does not hold; ``digests`` are the hashes of the ledgers' lines by table, journal and number."""
    stored = files.get(STAFF, b"").splitlines(keepends=True)
    for bad in bad_records(stored, event):
        yield Unproved(STAFF, bad.seq, bad.sentence)
    begun = None
    for record in read_records(stored):
        if record.kind == BEGUN:
            begun = record
        known = digests.get((record.text("table"), record.text("journal"), record.number("line")))
        if record.kind == LINES and known is not None and known != record.text("hash"):
            yield Unproved(STAFF, record.seq, f"{record} covers another line {record.number('line')} than the ledger has")
    if begun is not None and begun.text("programme") != digest(files.get(PROGRAMME, b"")):
        yield Unproved(PROGRAMME, None, f"{begun} is of another programme")
