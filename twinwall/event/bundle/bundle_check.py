"""Checks a bundle under a start code that a person gives (``check_bundle``). Each file is proved from the others.

The start code fixes plan, root and public value, under which a slip opens its deal. Heads signed by the tables cover the ledgers. The
ledgers' hands are replayed from the walls. Records, results and standings are computed again and compared.
"""

from collections.abc import Mapping
from datetime import UTC, datetime

from twinwall.event.bundle import bundle_files as names
from twinwall.event.bundle.bundle_files import derived_files, differing_record, first_difference
from twinwall.event.bundle.bundle_proofs import (
    AnnouncedKeys,
    BundleReport,
    ReadLines,
    SignedLines,
    bad_places,
    ledger_owner,
    noted_heads,
    prove_heads,
    read_lines,
    report_contradictions,
    unwitnessed,
)
from twinwall.event.field import field_of
from twinwall.event.hands import left_deals
from twinwall.event.results import EntrantKind
from twinwall.event.store.hall import Hall, Released
from twinwall.event.store.programme import Programme
from twinwall.event.store.store_check import hand_problem
from twinwall.event.store.store_records import BEGUN, LINES, bad_records, read_records
from twinwall.game.deals import Commitments, Plan, Slip, Start, StartedPlan, start_of_code, verify_slip, words_of_code
from twinwall.game.deals.start import WORDS_SIZE
from twinwall.game.documents import DocumentError, digest
from twinwall.wire.events.wall_events import DealOpened, WallReady
from twinwall.wire.ledger import PublicEvent
from twinwall.wire.messages.ruling import Ruling

_BOM = b"\xef\xbb\xbf"
_AT = datetime(1970, 1, 1, tzinfo=UTC)
"""No proof depends on the time at which a slip was received."""
MOST_NAMED = 1000


def check_bundle(files: Mapping[str, bytes | None], code: bytes, vault_key: bytes | None) -> BundleReport:
    """Check a bundle's files (None for damaged ones). ``code`` is the start code or its first bytes, ``vault_key`` the vault's if known.

    Raises BundleError for more lines than a bundle has: each would be proved.
    """
    lines = sum(content.count(b"\n") + content.count(b"\r") for content in files.values() if content is not None)
    if lines > names.MOST_LINES:
        raise names.BundleError(f"it has {lines} lines, and a bundle has {names.MOST_LINES} at most: this is no bundle")
    return _BundleCheck(files, code, vault_key).run()


class _BundleCheck:
    """One check; each step stores what it proves for the next."""

    def __init__(self, files: Mapping[str, bytes | None], code: bytes, vault_key: bytes | None) -> None:
        self._report = BundleReport(words_of_code(code[:WORDS_SIZE]), known_vault=vault_key is not None)
        for name, content in files.items():
            if content is None:
                self._report.add(name, None, "the zip is damaged here: fetch the bundle again")
        self._given = {name: content for name, content in files.items() if content is not None}
        self._files = {name: self._plain(name, content) for name, content in self._given.items()}
        self._code, self._vault_key = code, vault_key
        self._read: ReadLines = {}
        self._events: list[PublicEvent] = []
        self._whole = True
        """Whether every ledger holds, so that records and results can be computed from them."""

    def run(self) -> BundleReport:
        heading = self._heading()
        started = self._started()
        self._ledgers(started.plan.event if started else heading.event if heading else "", heading)
        if started is not None:
            self._of_event(started)
            self._records(started.plan.event)
        self._compare_heading(heading, started)
        report = self._report
        report.unproved.sort(key=lambda each: (each.file, each.line or 0))
        if len(report.unproved) > MOST_NAMED:
            report.notes.append(f"{len(report.unproved) - MOST_NAMED} more things are not proved and not listed")
            del report.unproved[MOST_NAMED:]
        return report

    def _plain(self, name: str, content: bytes) -> bytes:
        """Return a file without what an editor has added, and report the addition."""
        if content.startswith(_BOM):
            self._report.add(name, 1, "the file begins with a byte order mark, which a program has added: use the file as it was published")
            content = content.removeprefix(_BOM)
        if b"\r\n" in content:
            line = content[: content.index(b"\r\n")].count(b"\n") + 1
            self._report.add(name, line, "lines end with CR LF, which a program has changed: use the file as it was published")
            content = content.replace(b"\r\n", b"\n")
        return content

    def _heading(self) -> names.Heading | None:
        try:
            heading = names.read_heading(self._file(names.HEADING))
        except DocumentError as error:
            self._report.add(names.HEADING, None, str(error))
            return None
        self._report.event = heading.event
        if self._vault_key is None and heading.vault_key:
            self._vault_key = bytes.fromhex(heading.vault_key)
        elif self._vault_key is not None and heading.vault_key != self._vault_key.hex():
            self._report.add(names.HEADING, 1, "the bundle names another key of the vault than the one that you gave")
        return heading

    def _file(self, name: str) -> bytes:
        content = self._files.get(name)
        if content is None:
            raise DocumentError("the file is missing: ask for a whole bundle")
        return content

    def _started(self) -> StartedPlan | None:
        name = names.PLAN
        try:
            plan = Plan.from_bytes(self._file(name))
            name = names.START
            start = Start.from_bytes(self._file(name))
            if start_of_code(self._code, [start]) is None:
                given = self._report.start
                raise DocumentError(f"this start has the code {start.words}, and you gave {given}: no deal of this bundle is proved")
            started = StartedPlan(plan, start)
            name = names.COMMITMENTS
            if name in self._files:
                self._commitments(started)
        except DocumentError as error:
            self._report.add(name, 1 if name in self._files else None, str(error))
            return None if name != names.COMMITMENTS else started
        self._report.event = plan.event
        return started

    def _commitments(self, started: StartedPlan) -> None:
        commitments = Commitments.from_json(self._file(names.COMMITMENTS))
        if commitments.plan_digest != started.plan.digest or commitments.root != started.start.root:
            raise DocumentError("these are the commitments of another plan or root than the start's")

    def _ledgers(self, event: str, heading: names.Heading | None) -> None:
        signed: SignedLines = {}
        keys: AnnouncedKeys = {}
        if self._vault_key is not None:
            signed, keys = prove_heads(self._files, event, self._vault_key, self._report)
            self._report.vault_key = self._vault_key.hex()
        elif heading is not None:
            self._report.add(names.KEYS, None, "no key of the vault is known, so no signature can be checked: give it with --vault-key")
        ledgers = [name for name in sorted(self._files) if name.startswith("ledgers/")]
        lines = sum(self._ledger(name, signed) for name in ledgers)
        for table, journal in signed:
            if not any((table, journal) == known[:2] for known in self._read):
                self._whole = False
                self._report.add(names.HEADS, None, f"table {table!r} has signed journal {journal!r}, and its ledger is not in the bundle")
        self._report.counts |= {"ledgers": len(ledgers), "lines": lines, "heads": sum(map(len, signed.values()))}
        self._across(event, keys)

    def _across(self, event: str, keys: AnnouncedKeys) -> None:
        """Compare the ledgers with the heads that other tables have noted."""
        before = len(self._report.unproved)
        noted = noted_heads(self._events, self._read, event, keys, self._report)
        report_contradictions(noted, self._read, self._report)
        self._whole = self._whole and len(self._report.unproved) == before
        self._report.notes += unwitnessed(self._events, noted)
        self._report.counts["heads noted by other tables"] = len(noted)

    def _ledger(self, name: str, signed: SignedLines) -> int:
        """Check one ledger; return the number of its lines that hold."""
        lines = read_lines(self._files[name])
        owner = ledger_owner(lines)
        bad = bad_places(lines, signed.get(owner, ()))
        for number, sentence in bad.items():
            self._report.add(name, number, sentence)
        for line in lines:
            if line.event is not None:
                self._read[line.event.table, line.event.journal, line.event.seq] = name, line.number, line.digest
        if bad or not lines:
            self._whole = False
            return 0
        self._events += [line.event for line in lines if line.event is not None]
        return len(lines)

    def _of_event(self, started: StartedPlan) -> None:
        try:
            programme = Programme.from_document(self._file(names.PROGRAMME))
            if programme.custody != started:
                raise DocumentError("the programme is of another plan or start")
        except DocumentError as error:
            self._report.add(names.PROGRAMME, None, str(error))
            programme = None
        hall = Hall(programme or Programme(started.plan.event, field_of(EntrantKind.INDIVIDUAL, ()), started))
        for event in self._events:
            hall.take(event)
        self._slips(started, hall)
        self._report.deals = hall.released_deals()
        self._report.counts |= {"deals": len(self._report.deals), "planned": len(started.plan.deals)}
        journals: dict[tuple[str, str], list[PublicEvent]] = {}
        for event in self._events:
            journals.setdefault((event.table, event.journal), []).append(event)
        for (table, _), events in journals.items():
            left = frozenset(n for n in left_deals(events) if hall.released(n) is None)
            self._report.notes += [f"table {table} left the wall of deal {n} for another session, and no hand began with it" for n in left]
            for event in events:
                self._against_deal(event, started, hall, left)
        self._hands(hall)
        if programme is not None:
            self._derived(hall)

    def _slips(self, started: StartedPlan, hall: Hall) -> None:
        for name in sorted(self._files):
            if not name.startswith("slips/"):
                continue
            try:
                slip = Slip.from_json(self._files[name])
                deal = verify_slip(started, slip)
                if name != names.slip_name(slip.n):
                    raise DocumentError(f"this is the slip of deal {slip.n}, in the place of another")
            except DocumentError as error:
                self._report.add(name, None, str(error))
                continue
            hall.release(Released(slip, deal, _AT))

    def _against_deal(self, event: PublicEvent, started: StartedPlan, hall: Hall, left: frozenset[int]) -> None:
        """Compare a line that names a deal and its check value with the slip; a deal that was ``left`` has no slip."""
        opened = event.body
        if not isinstance(opened, DealOpened | WallReady) or opened.n in left:
            return
        n = opened.n
        released = hall.released(n)
        file, line, _ = self._read[event.table, event.journal, event.seq]
        if released is None:
            self._report.add(file, line, f"deal {n} was opened here, and no slip in the bundle proves it")
        elif opened.check != released.deal.check.hex():
            self._report.add(file, line, f"the table had another deal {n} than the committed one: its check is not that of the slip")
        elif isinstance(opened, DealOpened):
            planned = started.plan.deal(n)
            if (opened.session, opened.hand, opened.rules) != (planned.session, planned.hand, planned.rules):
                self._report.add(file, line, f"session, hand or rules of deal {n} are not those of the plan")

    def _hands(self, hall: Hall) -> None:
        proved = rulings = 0
        for hand in hall.hands():
            first = hand.events[0]
            file, line, _ = self._read[first.table, first.journal, first.seq]
            released = hall.released(hand.n)
            if not hand.closed or released is None:
                self._report.notes.append(f"the hand of deal {hand.n} at table {hand.table} was not played to its end")
                continue
            sentence = hand_problem(hand, released)
            if sentence is not None:
                self._report.add(file, line, sentence)
            else:
                proved += 1
            rulings += sum(isinstance(event.body, Ruling) for event in hand.events)
        for event, sentence in hall.second_entries():
            file, line, _ = self._read[event.table, event.journal, event.seq]
            self._report.add(file, line, sentence)
        self._report.counts |= {"hands": proved, "rulings": rulings}

    def _records(self, event: str) -> None:
        """Check the server's records of staff actions: their chain and signatures, and that programme and ledgers agree with them."""
        stored = self._files.get(names.STAFF, b"").splitlines(keepends=True)
        for seq, sentence in bad_records(stored, event):
            self._report.add(names.STAFF, seq, sentence)
        begun = None
        for record in read_records(stored):
            if record.kind == BEGUN:
                begun = record
            known = self._read.get((record.text("table"), record.text("journal"), record.number("line")))
            if record.kind == LINES and known is not None and known[2] != record.text("hash"):
                sentence = f"{record} covers another line {record.number('line')} than the ledger has"
                self._report.add(names.STAFF, record.seq, sentence)
        if begun is not None and begun.text("programme") != digest(self._files.get(names.PROGRAMME, b"")):
            self._report.add(names.PROGRAMME, None, f"{begun} is of another programme")
        self._report.counts["records of staff"] = len(stored)

    def _derived(self, hall: Hall) -> None:
        if not self._whole:
            self._report.notes.append("records, results and standings were not computed again, since not every ledger holds")
            return
        try:
            computed = derived_files(hall)
        except (DocumentError, ValueError) as error:
            self._report.add(names.RESULTS, None, f"they cannot be computed from the ledgers: {error}")
            return
        for name, content in computed.items():
            found = self._files.get(name)
            if found is None:
                self._report.add(name, None, "the file is missing: ask for a whole bundle")
            elif found != content:
                line = first_difference(found, content)
                what = differing_record(name, found, content, line)
                self._report.add(name, line, f"the ledgers give something else here{what}")

    def _compare_heading(self, heading: names.Heading | None, started: StartedPlan | None) -> None:
        """Report another event than the plan's, missing files, and files that the heading does not name or names with another hash."""
        for name in self._given:
            if name not in names.SINGLE and not names.NUMBERED.fullmatch(name):
                self._report.add(name[:100], None, "this is no file of a bundle: it was added")
        if heading is None:
            return
        if started is not None and heading.event != started.plan.event:
            sentence = f"it names the event {heading.event!r}, and the plan is of {started.plan.event!r}: the name was changed"
            self._report.add(names.HEADING, 1, sentence)
        others = {name: content for name, content in self._given.items() if name != names.HEADING}
        whole = names.read_heading(names.write_heading(heading.event, heading.vault_key, others))
        for name in sorted(heading.files.keys() | whole.files.keys()):
            if name not in whole.files:
                self._report.add(name[:100], None, "the file is missing: ask for a whole bundle")
            elif not self._report.names(name) and heading.files.get(name) != whole.files[name]:
                sentence = "the heading names another SHA-256 for it" if name in heading.files else "the heading does not name this file"
                self._report.add(name, None, f"{sentence}: it was changed or added")
                self._report.add(names.HEADING, 1, f"{name} is not the file that is named here: that file or this one was changed")
