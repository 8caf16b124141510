"""The vault's files, none of them secret: its signed ledger (decisions, printed building sheets, sessions ordered by the server), signed
orders of a person, released slips, start and status. An entry of a table's progress names a line of the table's ledger; a restarted vault
compares it with what the table signs, and continues from that line."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from itertools import count
from pathlib import Path
from typing import get_args

import msgspec

from twinwall.custody.release import (
    AllowKey,
    DealAnnulled,
    DealFinished,
    DealGiven,
    DealStarted,
    KeyAccepted,
    KeyAllowed,
    KeyRevoked,
    MemberWithdrawn,
    SlipReleased,
    VenueProgressed,
)
from twinwall.custody.signed_lines import SignedLines
from twinwall.custody.table_rules import RevokeKey, WithdrawTable
from twinwall.game.deals import DealError, Slip, Start, StartedPlan, verify_slip
from twinwall.game.documents import DocumentError, Reading
from twinwall.game.typed_json import Count, Text, plain, read_as
from twinwall.values import Shape, frozen
from twinwall.wire.durable_file import write_durably, write_whole
from twinwall.wire.messages.signing import SignatureError, Signer, open_signed
from twinwall.wire.messages.staff_orders import read_withdrawal
from twinwall.wire.messages.vaults.vault_orders import BeginSession


class SessionOrdered(Shape, tag_field="type", tag="session-ordered", rename={"order": "ordered"}):
    """The server has ordered this session; its deals are given from here on."""

    order: BeginSession


class SheetsPrinted(Shape, tag_field="type", tag="sheets-printed"):
    """A person has printed the building sheets of these deals for a table without cameras."""

    table: Text
    deals: tuple[Count, ...]


StoredEntry = (
    KeyAllowed
    | KeyAccepted
    | KeyRevoked
    | DealStarted
    | DealFinished
    | VenueProgressed
    | MemberWithdrawn
    | DealGiven
    | SlipReleased
    | DealAnnulled
)
"""What a restarted vault does not receive again."""
Entry = StoredEntry | SessionOrdered | SheetsPrinted
_ENTRIES: dict[object, type[Entry]] = {shape.__struct_config__.tag: shape for shape in get_args(Entry)}


@frozen
class LedgerForm:
    """A ledger's file, its signatures' purpose, and its own ``words`` for entries' types and keys; a key with an empty word is not
    written."""

    file: str
    purpose: str
    words: Mapping[str, str] = field(default_factory=dict)


HALL_LEDGER = LedgerForm("ledger", "twinwall-vault-ledger-2")


class VaultLedger:
    """The ledger of the vault's folder, in order of time."""

    def __init__(self, folder: Path, event: str, signer: Signer, form: LedgerForm = HALL_LEDGER) -> None:
        """``folder`` is the vault's own; makes it if necessary."""
        self._lines, self._words = SignedLines(folder / form.file, form.purpose, event, signer), form.words
        self._meant = {word: meant for meant, word in form.words.items() if word}

    def read(self) -> list[Entry]:
        """All entries, once; raises DocumentError, which names the first wrong line."""
        return [self._entry(number, line) for number, line in enumerate(self._lines.new(), 1)]

    def keep(self, entry: Entry) -> None:
        """Append an entry; it is on disk when this returns."""
        written: dict[str, object] = msgspec.to_builtins(entry, order="deterministic")
        if isinstance(entry, DealStarted | DealFinished):
            written |= msgspec.to_builtins(written.pop("line"))
        self._lines.append(_in_words(written, self._words))

    def _entry(self, number: int, line: dict[str, object]) -> Entry:
        read = _in_words(line, self._meant)
        shape = _ENTRIES.get(read.get("type"))
        if shape in (DealStarted, DealFinished):
            read["line"] = {key: read.pop(key, None) for key in ("journal", "seq", "digest")}
        try:
            if shape is None:
                raise DocumentError(f"the type {line.get('type')!r} is not known, only {', '.join(map(str, _ENTRIES))}")
            return read_as(read, shape)
        except DocumentError as error:
            raise DocumentError(f"{self._lines.path}, line {number}: {error}: it was written by another version of the vault") from None


def _in_words(line: Mapping[str, object], words: Mapping[str, str]) -> dict[str, object]:
    written = {words.get(key, key): value for key, value in line.items() if words.get(key, key)}
    return written | {"type": words.get(str(written.get("type")), written.get("type"))}


def of_last_session(entries: Iterable[Entry]) -> list[StoredEntry]:
    """The entries that count in the last ordered session: from other sessions all but withdrawals. Without any order there is one session,
    and all count."""
    entries, session = list(entries), 0
    last = 0 if (order := last_order(entries)) is None else order.session
    kept: list[StoredEntry] = []
    for entry in entries:
        if isinstance(entry, SessionOrdered):
            session = entry.order.session
        elif not isinstance(entry, SheetsPrinted) and (not isinstance(entry, MemberWithdrawn) or session == last):
            kept.append(entry)
    return kept


def last_order(entries: Iterable[Entry]) -> BeginSession | None:
    orders = [entry.order for entry in entries if isinstance(entry, SessionOrdered)]
    return orders[-1] if orders else None


def in_play_by_ledger(entries: Iterable[Entry]) -> tuple[str, ...]:
    """Tables of the last session that play a deal by the ledger and are not withdrawn."""
    playing: dict[str, int] = {}
    for entry in of_last_session(entries):
        match entry:
            case DealStarted(name, n):
                playing[name] = n
            case DealFinished(name) | MemberWithdrawn(name):
                playing.pop(name, None)
    return tuple(playing)


PURPOSE = "twinwall-vault-orders-2"
TAKEN_PURPOSE = "twinwall-vault-orders-taken-1"
_SLIP, _STATUS, _START = "slip-", "status.json", "start.json"
Order = AllowKey | WithdrawTable | RevokeKey


class WithdrawLine(Shape, tag_field="order", tag="withdraw"):
    """The table plays no more; ``signed`` is the dashboard's order of two persons."""

    table: Text
    signed: str = ""


_ORDERS: dict[object, type[AllowKey | RevokeKey | WithdrawLine]] = {"allow": AllowKey, "revoke": RevokeKey, "withdraw": WithdrawLine}


class Orders:
    """A person's orders to a running vault: the file ``orders``, signed with the vault's key."""

    def __init__(self, folder: Path, event: str, signer: Signer, server: bytes | None = None, *, once: bool = False) -> None:
        """``folder`` is the vault's own; ``server`` is the dashboard's public key for orders of two persons. ``once``: no order is taken by
        two runs."""
        self._event, self._signer, self._server, self._once = event, signer, server, once
        self._taken_path, self._read = folder / "orders.taken", 0
        self._lines = SignedLines(folder / "orders", PURPOSE, event, signer)

    def new(self) -> list[Order | str]:
        """The orders since the last call; the first call returns all but withdrawals that an earlier run has taken, and a
        sentence for one that cannot be read. Raises DocumentError.
        They count as taken only after ``taken``: after a power cut in between, the next run carries them out again."""
        taken, lines = self._taken(), self._lines.new()
        first, self._read = self._read + 1, self._read + len(lines)
        return [
            self._order(line)
            for number, line in enumerate(lines, first)
            if number > taken or not (self._once or line.get("order") == "withdraw")
        ]

    def taken(self) -> None:
        """Mark the orders of ``new`` as taken, after their effects are on disk."""
        if self._read > self._taken():
            write_durably(self._taken_path, self._signer.sign(TAKEN_PURPOSE, self._event, "", {"lines": self._read}))

    def _taken(self) -> int:
        if not self._taken_path.exists():
            return 0
        content, trusted = self._taken_path.read_bytes(), {self._signer.by: self._signer.public}
        try:
            return read_as(open_signed(TAKEN_PURPOSE, self._event, "", content, trusted).get("lines"), Count)
        except DocumentError as error:
            raise DocumentError(f"{self._taken_path}: {error}; put a good copy of it and of {self._lines.path.name} back") from None

    def withdrawal(self, table: str, signed: bytes) -> WithdrawTable:
        """Read the dashboard's order of two persons; raises DocumentError."""
        if self._server is None:
            raise SignatureError("the vault's settings do not name the server's key: set [vault] server_key")
        order = read_withdrawal(signed, self._event, table, self._server)
        return WithdrawTable(table, order.persons, order.n)

    def give(self, order: Order, signed: bytes = b"") -> None:
        """Append an order; ``signed`` is two persons' order to withdraw a table. Raises DocumentError for a damaged file."""
        line = WithdrawLine(order.name, signed.decode()) if isinstance(order, WithdrawTable) else order
        self._lines.append(plain(line))

    def _order(self, read: dict[str, object]) -> Order | str:
        shape = _ORDERS.get(read.get("order"))
        with Reading(f"{self._lines.path}"):
            if shape is None:
                raise DocumentError(f"{read.get('order')!r} is no order: use twinwall vault allow, revoke or withdraw")
            line = read_as(read, shape)
        if not isinstance(line, WithdrawLine):
            return line
        try:
            return self.withdrawal(line.table, line.signed.encode()) if line.signed else WithdrawTable(line.table)
        except DocumentError as error:
            return f"table {line.table!r} is not withdrawn: {error}"


class VaultFiles:
    """A vault's folder, and the folder of released slips."""

    def __init__(
        self,
        folder: Path,
        event: str,
        signer: Signer,
        released: Path,
        say: Callable[[str], None],
        *,
        server: bytes | None = None,
        form: LedgerForm = HALL_LEDGER,
        once: bool = False,
    ) -> None:
        """``say`` informs the vault's keeper; ``server`` and ``once`` are for ``Orders``."""
        self._folder, self._released, self.say = folder, released, say
        self._ledger = VaultLedger(folder, event, signer, form)
        self._orders = Orders(folder, event, signer, server, once=once)
        self.keep, self.new_orders, self.orders_taken = self._ledger.keep, self._orders.new, self._orders.taken

    def kept(self) -> list[StoredEntry]:
        return of_last_session(self._ledger.read())

    def slips(self, started: StartedPlan) -> list[Slip]:
        """The slips that earlier runs released; damaged files are set aside and reported."""
        slips, set_aside = sound_slips(self._released, started)
        for sentence in set_aside:
            self.say(sentence)
        return slips

    def publish_slip(self, n: int, slip: bytes) -> None:
        self.say(f"deal {n} is released: {publish_slip(self._released, n, slip)}")

    def put_status(self, content: bytes) -> None:
        put_status(self._folder, content)


def keep_start(folder: Path, start: Start) -> None:
    """Store the start at the folder's first use; raises DocumentError if another one is stored."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / _START
    if not path.exists():
        write_durably(path, start.canonical)
        return
    try:
        kept = Start.from_bytes(path.read_bytes())
    except DocumentError as error:
        raise DocumentError(f"{path}: {error}: put a good copy back, or give the vault a new folder") from None
    if kept != start:
        raise DocumentError(
            f"{path} is the start {kept.words}, the settings name the start {start.words}: an event has one start; "
            "name the first one, or a new folder for another event"
        )


def put_status(folder: Path, content: bytes) -> None:
    """Write the file for ``twinwall vault status``; it need not survive a power cut."""
    write_whole(folder / _STATUS, content)


def has_status(folder: Path) -> bool:
    return (folder / _STATUS).exists()


def get_status(folder: Path) -> bytes:
    return (folder / _STATUS).read_bytes()


def released_slips(folder: Path) -> dict[int, Path]:
    """The files of ``publish_slip`` by deal."""
    return {int(path.stem.removeprefix(_SLIP)): path for path in sorted(folder.glob(f"{_SLIP}[0-9]*.json"))}


def publish_slip(folder: Path, n: int, slip: bytes) -> Path:
    """Write a released slip; an existing file stays as it is."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{_SLIP}{n:04d}.json"
    if not path.exists():
        write_durably(path, slip)
    return path


def sound_slips(folder: Path, started: StartedPlan) -> tuple[list[Slip], list[str]]:
    """The valid slips in the folder, and a sentence for each damaged file (as after a power cut), which is set aside so that the slip can
    be written again."""
    slips, sentences = [], []
    for n, path in released_slips(folder).items():
        try:
            slip = Slip.from_json(path.read_bytes())
            verify_slip(started, slip)
            if slip.n != n:
                raise DealError(f"it is the slip of deal {slip.n}")
        except DocumentError as error:
            aside = _set_aside(path)
            sentences.append(
                f"{path} is not the slip of deal {n} ({error}): it is set aside as {aside.name}, and the slip is made again from the "
                "holders' shares"
            )
        else:
            slips.append(slip)
    return slips, sentences


def _set_aside(path: Path) -> Path:
    names = (path.with_suffix(".bad" if number == 1 else f".bad-{number}") for number in count(1))
    aside = next(name for name in names if not name.exists())
    path.rename(aside)
    return aside
