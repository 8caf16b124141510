"""Attack: whoever has a table, its boot key and the hall's server changes that table's ledger afterwards, everywhere at once.

Chain, heads, the server's records and everything that is computed from the ledger are made again under the true keys: nothing in the
bundle contradicts itself, but for what the other tables have noted.
"""

from collections.abc import Sequence
from pathlib import Path

from tests.support.event.evenings import CODE, VAULT, bundle_of, evening_ledgers, head_of, stored_evening
from tests.support.event.stored_event import DEALS
from twinwall.event.bundle.bundle_check import check_bundle
from twinwall.event.bundle.bundle_files import ledger_name
from twinwall.event.bundle.bundle_proofs import BundleReport
from twinwall.game.documents import canonical_json, parse_object
from twinwall.wire.ledger import LedgerPosition, PublicEvent, parse

CHANGED = "2"
FILE = ledger_name(2)


def made_again(events: Sequence[PublicEvent], **fields: object) -> tuple[PublicEvent, ...]:
    """A ledger from its first started hand on with these fields in that line, chained again."""
    first = next(event.seq for event in events if event.type == "hand-started")
    made: list[PublicEvent] = []
    position = LedgerPosition(events[0].journal)
    for event in events:
        changed = fields if event.seq == first else {}
        made.append(parse(canonical_json({**parse_object(event.line), **changed, "prev": position.digest})))
        position = made[-1].position
    return tuple(made)


def swapped(events: Sequence[PublicEvent]) -> tuple[PublicEvent, ...]:
    """The ledger with East and South of the first hand in each other's place: they are credited with each other's score."""
    seats = next(event.fields["seats"] for event in events if event.type == "hand-started")
    assert isinstance(seats, dict)
    return made_again(events, seats={**seats, "E": seats["S"], "S": seats["E"]})


def check(folder: Path, ledgers: dict[str, tuple[PublicEvent, ...]]) -> BundleReport:
    return check_bundle(bundle_of(stored_evening(folder, ledgers=ledgers)), CODE, VAULT.public)


def closing_line(events: Sequence[PublicEvent], n: int) -> int:
    return next(event.seq for event in events if event.type == "hand-closed" and event.fields["n"] == n)


def test_a_ledger_that_was_changed_at_its_table_and_in_the_store_is_named_by_what_the_others_noted(tmp_path: Path) -> None:
    true = evening_ledgers(DEALS)
    report = check(tmp_path, true | {CHANGED: swapped(true[CHANGED])})
    end = closing_line(true[CHANGED], 1)
    (found,) = report.unproved
    assert (found.file, found.line) == (FILE, end)
    assert found.sentence.startswith(f"this is another line {end}: the ledger of table '2' was changed; {ledger_name(1)}, line ")
    assert found.sentence.endswith(f"has noted the line {end} that table '2' had signed")


def test_a_ledger_that_was_cut_at_its_table_and_in_the_store_is_named(tmp_path: Path) -> None:
    true = evening_ledgers(DEALS)
    cut = true[CHANGED][: closing_line(true[CHANGED], 2)]
    sentences = [str(each) for each in check(tmp_path, true | {CHANGED: cut}).unproved]
    assert any(
        sentence.startswith(f"{FILE}: journal 'j' of table '2' lacks a line: the ledger was cut or replaced") for sentence in sentences
    )


def test_control_without_noted_heads_a_ledger_that_was_changed_together_with_the_store_is_proved(tmp_path: Path) -> None:
    true = evening_ledgers(DEALS, crossed=False)
    report = check(tmp_path, true | {CHANGED: swapped(true[CHANGED])})
    assert report.unproved == []
    assert report.notes[1].startswith("no other table has noted the lines 1 to "), "the check says what it cannot find"


def test_a_head_that_a_table_has_made_up_for_another_is_named_at_the_table_that_noted_it(tmp_path: Path) -> None:
    true = evening_ledgers(DEALS)
    made_up = head_of(true[CHANGED][3].position, CHANGED).replace(b'"seq":4', b'"seq":5').decode()
    noted = next(event for event in true["3"] if event.type == "heads-noted")
    events = list(true["3"])
    events[noted.seq - 1] = parse(canonical_json({**parse_object(noted.line), "heads": [made_up]}))
    found = {(each.file, each.line): each.sentence for each in check(tmp_path, true | {"3": made_again(events)}).unproved}
    assert found[ledger_name(3), noted.seq].startswith("a head is noted here that no key of its table has signed")
