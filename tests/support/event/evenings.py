"""An evening that is played to its end: hands of the committed deals by the strategies, signed ledgers, and the bundle of it."""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from simulator.players.hand_in_memory import HandAsPlayed, play_in_memory
from tests.support.event.ledgers import TABLES, preparing, starting
from tests.support.event.stored_event import COMMITMENTS, DEALS, EVENT, PROGRAMME, STARTED, slip, slip_bytes
from tests.support.wire.streams import START, Line, ledger_lines
from twinwall.event.bundle.bundle_files import HEADING, make_bundle, read_heading, write_heading
from twinwall.event.store.store_contents import SignedHead, StoredAnnouncement
from twinwall.event.store.store_loading import load
from twinwall.event.store.store_rows import read_store
from twinwall.event.store.store_writer import StoreWriter
from twinwall.game.deals import verify_slip
from twinwall.game.documents import pretty_json
from twinwall.game.play_json import to_json
from twinwall.game.tiles import SEATS
from twinwall.wire.ledger import LedgerPosition, PublicEvent, parse
from twinwall.wire.line_cipher import LINE_KEY_SIZE, LineSalts
from twinwall.wire.messages.boot_keys import Announcement, Head, LedgerKind, TableKey
from twinwall.wire.messages.signing import Signer, sign_document

CODE = STARTED.start.code
VAULT = Signer("vault", b"\x03" * 32)
SERVER = Signer("server", b"\x04" * 32)
SIGNERS = {table: Signer(table, table.encode().ljust(32, b"s")) for table in TABLES}
JOURNAL = "j"


@cache
def hand(table: str, n: int) -> HandAsPlayed:
    """A hand of a committed deal as the strategies play it."""
    return play_in_memory(table, verify_slip(STARTED, slip(n)).walls, n, seed=1)


def hand_script(table: str, n: int) -> Iterator[Line]:
    """A table's hand of a deal, from the opened deal to the closed hand."""
    yield from preparing(n, slip(n).check.hex())
    yield from starting(n, table)
    for event in hand(table, n).events:
        fields = to_json(event)
        yield str(fields.pop("type")), fields
    wins = hand(table, n).wins
    scores = {seat.value: sum(win.payments[seat] for win in wins.values()) for seat in SEATS}
    yield "hand-ended", {"reason": "won" if wins else "drawn", "scores": scores}
    yield "hand-closed", {"n": n}


@cache
def evening_ledgers(deals: Sequence[int] = DEALS, *, crossed: bool = True) -> dict[str, tuple[PublicEvent, ...]]:
    """Each table's ledger of the evening: salted lines, and, where heads are ``crossed``, after each deal those of the other tables."""
    scripts: dict[str, list[Line]] = {table: [("controller-started", {"version": "0.1.0", "resumed": False})] for table in TABLES}
    for n in deals:
        for table, script in scripts.items():
            script.extend(hand_script(table, n))
        heads = {table: head_of(_read(table, script)[-1].position, table).decode() for table, script in scripts.items()}
        for table, script in scripts.items():
            noted: list[Line] = [("heads-noted", {"heads": [head for other, head in heads.items() if other != table]})]
            script.extend([("deal-released", {"n": n}), *(noted if crossed else ())])
    return {table: _read(table, script) for table, script in scripts.items()}


def _read(table: str, script: Sequence[Line]) -> tuple[PublicEvent, ...]:
    salts = LineSalts(table.encode().ljust(LINE_KEY_SIZE, b"j"))
    return tuple(map(parse, ledger_lines(script, table, JOURNAL, salt=salts)))


def head_of(position: LedgerPosition, table: str, signer: Signer | None = None) -> bytes:
    """A table's head of a line."""
    head = Head(position.journal, position.seq, position.digest, LedgerKind.EVENTS)
    return sign_document(signer or SIGNERS[table], head, EVENT, table)


def announcement(counter: int = 1) -> bytes:
    keys = tuple(TableKey(table, signer.public.hex()) for table, signer in SIGNERS.items())
    return sign_document(VAULT, Announcement(counter, keys), EVENT)


def stored_evening(
    folder: Path,
    deals: Sequence[int] = DEALS,
    released: Sequence[int] = DEALS,
    ledgers: Mapping[str, tuple[PublicEvent, ...]] | None = None,
) -> Path:
    """A store with the evening, or with these ledgers; its path."""
    path = folder / "event.sqlite"
    ledgers = ledgers or evening_ledgers(tuple(deals))
    desk = StoreWriter(path, PROGRAMME, START, SERVER)
    desk.note(StoredAnnouncement(announcement(), VAULT.public, START))
    for table in TABLES:
        events = ledgers[table]
        desk.take(events)
        for event in events:
            if event.type == "hand-closed" or event is events[-1]:
                place = event.position
                desk.note(SignedHead(table, place.journal, place.seq, head_of(place, table)))
    for n in released:
        desk.slip(slip_bytes(n), START)
    desk.close()
    return path


@cache
def bundle(deals: tuple[int, ...] = DEALS) -> dict[str, bytes]:
    """The files of the bundle of an evening of these deals by name; not to be changed."""
    with tempfile.TemporaryDirectory() as folder:
        return bundle_of(stored_evening(Path(folder), deals, deals))


def bundle_of(store: Path) -> dict[str, bytes]:
    contents = read_store(store)
    return make_bundle(contents, load(contents).hall, pretty_json(COMMITMENTS.to_json()))


def with_heading(files: dict[str, bytes]) -> dict[str, bytes]:
    """The files under a heading that agrees with them, as somebody who changes a bundle would write it."""
    heading = read_heading(bundle()[HEADING])
    others = {name: content for name, content in files.items() if name != HEADING}
    return {HEADING: write_heading(heading.event, heading.vault_key, others), **others}
