"""Files of hand records: one record, or a list of them as ``twinwall results export`` writes it. Of several sources each hand is read once,
and where they contradict each other in all its versions. What the tables' ledgers say comes first, then what somebody has signed whom the
reader trusts."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from cli.event.stores import hall_of, is_store, released_deals
from cli.usage import DoesNotHoldError, say, wrong_use
from twinwall.event.hand_records import record_of
from twinwall.event.record_versions import HandKey, differences, hand_key
from twinwall.event.store.databases.port import StoreAddress
from twinwall.game.documents import DocumentError, parse_list, pretty_json
from twinwall.game.record import HandRecord
from twinwall.game.replay import replay
from twinwall.game.tiles import hand_name
from twinwall.given_files import limited_bytes, limited_text
from twinwall.values import frozen
from twinwall.wire.messages.file_signature import signature_beside, signer_of


def records_in(path: Path) -> list[HandRecord]:
    """The records of a file; raises UsageError naming it."""
    with wrong_use(path, DocumentError):
        content = limited_text(path)
        texts = [json.dumps(item) for item in parse_list(content, "the list of records")] if is_list(content) else [content]
        if not texts:
            raise DocumentError("the list holds no hand records")
        return [HandRecord.from_json(text) for text in texts]


def legal_record(record: HandRecord, *, lenient: bool) -> HandRecord:
    """A record all of whose events are legal: of one with an illegal event where ``lenient`` the part before it, which standard error
    names; raises DoesNotHoldError."""
    found = replay(record).first_illegal
    if found is None:
        return record
    number, verdict = found
    hand = f"deal {record.n} ({hand_name(record.hand)}) at table {record.table}"
    problem = f"{hand}: event {number} is not legal: {verdict.sentence}"
    if not lenient:
        raise DoesNotHoldError(f"{problem}; --lenient takes the hand up to there")
    say(f"{problem}; the hand is taken up to there")
    return replace(record, events=record.events[: number - 1])


def is_list(content: str) -> bool:
    """Whether the text of a file is a list rather than one record."""
    return content.lstrip().startswith("[")


def records_file(records: Sequence[HandRecord]) -> bytes:
    """One record, or a list of several, as a file."""
    return records_json(records) if len(records) != 1 else (json.dumps(records[0].to_json(), ensure_ascii=False) + "\n").encode()


def records_json(records: Sequence[HandRecord]) -> bytes:
    return pretty_json([record.to_json() for record in records])


@frozen
class RecordSource:
    """Where records come from, and who has signed that."""

    address: StoreAddress
    is_store: bool = False
    signer: str = ""
    """Who of the people that are trusted has signed a file; empty where none has."""

    @property
    def rank(self) -> int:
        """Sources with a lower rank are believed before others: a store follows from the tables' ledgers."""
        return 0 if self.is_store else 1 if self.signer else 2

    def __str__(self) -> str:
        said = "the tables' ledgers" if self.is_store else f"signed by {self.signer}" if self.signer else "not signed"
        return f"{self.address} ({said})"


@frozen
class RecordVersion:
    """What one source says of a hand."""

    source: RecordSource
    record: HandRecord


def read_versions(addresses: Sequence[StoreAddress], trusted: Mapping[str, bytes]) -> list[tuple[RecordVersion, ...]]:
    """Each hand of stores and files of records, with one version for each thing that is said of it. ``trusted`` are the public keys of
    people, by their names. Raises UsageError for a source that cannot be read."""
    sources = sorted((_source(address, trusted) for address in addresses), key=lambda source: source.rank)
    hands: dict[HandKey, list[RecordVersion]] = {}
    for source in sources:
        for record in _records(source):
            versions = hands.setdefault(hand_key(record), [])
            if all(version.source is source or any(differences(version.record, record)) for version in versions):
                versions.append(RecordVersion(source, record))
    return [tuple(versions) for versions in hands.values()]


def contradictions(versions: Sequence[RecordVersion]) -> Iterator[str]:
    """In sentences what the versions of a hand after the first say differently from it."""
    for other in versions[1:]:
        first = versions[0]
        hand = f"deal {first.record.n} ({hand_name(first.record.hand)}) at table {first.record.table}"
        for what, one, another in differences(first.record, other.record):
            yield f"{hand}: {what} differs: {first.source} has {one}; {other.source} has {another}"


def print_contradictions(hands: Iterable[Sequence[RecordVersion]]) -> bool:
    """Say on standard error what differs; whether anything does."""
    sentences = [sentence for versions in hands for sentence in contradictions(versions)]
    for sentence in sentences:
        say(sentence)
    return bool(sentences)


def _source(address: StoreAddress, trusted: Mapping[str, bytes]) -> RecordSource:
    """A source with its signature; of one that does not count, standard error says why."""
    if is_store(address):
        return RecordSource(address, is_store=True)
    assert isinstance(address, Path), "what is no store is a file"
    signature = signature_beside(address)
    if signature is None:
        return RecordSource(address)
    try:
        return RecordSource(address, signer=signer_of(limited_bytes(address), signature, trusted))
    except DocumentError as error:
        say(f"{address}: its signature does not count: {error}")
        return RecordSource(address)


def _records(source: RecordSource) -> list[HandRecord]:
    """What a source says; of a store the hands of its released deals."""
    if not source.is_store:
        assert isinstance(source.address, Path)
        return records_in(source.address)
    hall = hall_of(source.address)
    released = [(n, of.deal) for n in released_deals(hall, ()) if (of := hall.released(n)) is not None]
    return [record_of(hand, deal) for n, deal in released for hand in hall.hands(n) if hand.closed]
