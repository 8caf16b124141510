"""``twinwall vault``: commands of the organiser around the vault: keys, seeds, commitments, orders to a running vault, building sheets.

Building sheets of a table without cameras are printed at the vault and nowhere else: the walls of these deals exist in this process's
memory and in what it prints.
"""

import secrets
import shutil
import subprocess
from argparse import Namespace
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from cli.event.passphrases import passphrases
from cli.event.starts import read_plan, started_plan
from cli.event.vault_folders import VaultFolder, vault_folder
from cli.files import PRIVATE, PUBLISHED, new_file, read_file, refuse_existing, write_file
from cli.table.joined_table import playing_settings
from cli.usage import (
    EXIT_GOOD,
    EXIT_NO,
    FORCE,
    JSON,
    PASSPHRASE_FD,
    PLAN,
    TABLE,
    UsageError,
    argument,
    one_of,
    say,
    settings_file,
    takes,
    tell,
)
from config import VaultSettings, load
from controller.adapters.memory_folder import renewed_secrets
from controller.settings import TableSettings
from twinwall.art.names import LANGUAGES
from twinwall.custody.custody_status import CustodyStatus, TableStatus, read_status
from twinwall.custody.key_shares import KeyShares
from twinwall.custody.process_protection import protect
from twinwall.custody.release import AllowKey, CustodyRefusal, CustodyState, MemberStanding, MemberWithdrawn, SlipReleased, apply
from twinwall.custody.seed_file import NONCE_SIZE, SALT_SIZE, read_seed, write_seed
from twinwall.custody.table_rules import CustodyPlan, RevokeKey, WithdrawTable, decide, withdrawn_sentence
from twinwall.custody.vault_files import Order, get_status
from twinwall.custody.vault_home import VaultHome
from twinwall.custody.vault_ledger import SessionOrdered, SheetsPrinted, VaultLedger, of_last_session
from twinwall.game.deals import (
    SEED_SIZE,
    BuildingSheet,
    CommitmentPart,
    DealError,
    Seed,
    StartedPlan,
    building_sheets,
    combine_parts,
    commit_part,
    make_deal,
)
from twinwall.game.documents import DocumentError, pretty_json
from twinwall.game.rule_set import NO_SHARED_TILES
from twinwall.game.rules import rule_set
from twinwall.given_files import given_bytes
from twinwall.values import frozen
from twinwall.wire.messages.boot_keys import BOOT_SECRETS_SIZE
from twinwall.wire.messages.signing import KEY_SIZE, read_signer, write_signing_key

_FINGERPRINT_DIGITS = 16
STALE_S = 10.0
"""Age of the status file, in seconds, from which no vault is running: it writes every two seconds."""


_OUT = (argument("--out", "the file to write", type=new_file, metavar="FILE", required=True), FORCE, PASSPHRASE_FD)
_VAULT_SETTINGS = settings_file("the vault's")


@takes(argument("file", "the file, readable by its owner alone", type=Path, metavar="FILE"))
def key(args: Namespace) -> None:
    if not args.file.exists():
        write_signing_key(args.file, secrets.token_bytes(KEY_SIZE))
    print(read_signer("", args.file).public.hex())


@takes(
    argument("--holder", "the holder's name in the plan (server)", default="server", metavar="NAME"),
    argument("--from", f"take this seed of {SEED_SIZE} raw bytes instead of a new one", dest="raw", type=Path),
    *_OUT,
)
def make_seed(args: Namespace) -> None:
    seed = Seed(secrets.token_bytes(SEED_SIZE) if args.raw is None else given_bytes(args.raw))
    passphrase = passphrases(args.passphrase_fd, twice=True)(f"the new seed of {args.holder}")
    salt, nonce = secrets.token_bytes(SALT_SIZE), secrets.token_bytes(NONCE_SIZE)
    content = write_seed(seed, args.holder, passphrase, salt=salt, nonce=nonce)
    write_file(args.out, content, PRIVATE, args.force)
    tell(f"the seed of {args.holder} is in {args.out}; its commitment is {seed.commitment.hex()}")


@takes(
    PLAN,
    argument("--seed", "an encrypted seed of this machine", type=Path, action="append", default=[]),
    argument("--part", "another holder's part", type=Path, action="append", default=[]),
    *_OUT,
)
def commit(args: Namespace) -> None:
    given = passphrases(args.passphrase_fd) if args.seed else None
    plan = read_plan(args.plan)
    parts = [read_file(path, CommitmentPart.from_json) for path in args.part]
    if given is not None:
        parts += [commit_part(plan, *_opened(path, given(str(path)))) for path in args.seed]
    commitments = combine_parts(plan, parts)
    write_file(args.out, pretty_json(commitments.to_json()), PUBLISHED, args.force)
    tell(f"committed to {len(commitments.keys)} deals in {args.out}; the root is {commitments.root.hex()}")


@takes(PLAN, argument("--seed", "the holder's encrypted seed", type=Path, required=True), *_OUT)
def part(args: Namespace) -> None:
    holder, seed = _opened(args.seed, passphrases(args.passphrase_fd)(str(args.seed)))
    part = commit_part(read_plan(args.plan), holder, seed)
    write_file(args.out, pretty_json(part.to_json()), PUBLISHED, args.force)
    tell(f"the part of {holder} is in {args.out}: it tells nothing of the seed; carry it to where the commitments are made")


@takes(argument("seed", "the encrypted seed", type=Path, metavar="FILE"), *_OUT)
def reveal(args: Namespace) -> None:
    holder, seed = _opened(args.seed, passphrases(args.passphrase_fd)(str(args.seed)))
    write_file(args.out, seed.content, PRIVATE, args.force)
    tell(f"warning: the seed of {holder} now lies in the clear in {args.out}: each reader of the file can make every deal of the event")


@takes(TABLE, argument("fingerprint", "the sixteen digits that the table itself says", metavar="FINGERPRINT"), _VAULT_SETTINGS)
def allow(args: Namespace) -> int:
    digits = args.fingerprint.replace(" ", "").lower()
    if len(digits) != _FINGERPRINT_DIGITS or not set(digits) <= set("0123456789abcdef"):
        raise UsageError(f"{args.fingerprint!r} is not a key's fingerprint: sixteen digits 0 to 9 and a to f, as the table says them")
    fingerprint = " ".join(digits[start : start + 4] for start in range(0, _FINGERPRINT_DIGITS, 4))
    return _give(args, lambda _ledger: AllowKey(args.table, fingerprint))


@takes(TABLE, argument("--order", "the order of two persons, while it plays a deal", dest="signed", type=Path), _VAULT_SETTINGS)
def withdraw(args: Namespace) -> int:
    """0 when the order is given, 1 when the table plays a deal and two persons have not ordered it."""
    signed = b"" if args.signed is None else given_bytes(args.signed)
    vault = _vault(args)
    try:
        order = vault.orders.withdrawal(args.table, signed) if signed else WithdrawTable(args.table)
    except DocumentError as error:
        raise UsageError(f"{args.signed}: {error}") from None
    plan = CustodyPlan(tuple(deal.n for deal in vault.plan.deals), ((args.table,),))
    decided = decide(plan, _standing(args.table, vault.ledger), order)
    if isinstance(decided, CustodyRefusal):
        say(decided.sentence)
        return EXIT_NO
    vault.orders.give(order, signed)
    for event in decided:
        if isinstance(event, MemberWithdrawn) and event.awaited:
            tell(withdrawn_sentence(event))
    return EXIT_GOOD


def _standing(table: str, ledger: VaultLedger) -> CustodyState:
    """What the vault has noted of a table."""
    state = CustodyState({table: MemberStanding()})
    for entry in of_last_session(ledger.read()):
        if not isinstance(entry, SlipReleased) and entry.name == table:
            state = apply(state, entry)
    return state


@takes(TABLE, _VAULT_SETTINGS)
def revoke(args: Namespace) -> int:
    def order(ledger: VaultLedger) -> RevokeKey | None:
        keys = _standing(args.table, ledger).members[args.table].keys
        return None if keys is None else RevokeKey(args.table, keys.fingerprint)

    return _give(args, order)


@takes(settings_file("the table's"))
def renew(args: Namespace) -> None:
    settings = playing_settings(load(args.settings, TableSettings))
    folder, name = settings.custody.memory, settings.table.name
    if not folder.is_dir():
        raise UsageError(f"{folder} is not there: table {name!r} has no boot keys yet, and makes them when it starts")
    keys = renewed_secrets(folder, name, secrets.token_bytes(BOOT_SECRETS_SIZE)).public
    print(keys.fingerprint)
    tell(f"table {name!r} has new boot keys: start its controller again; at the vault: twinwall vault allow {name} '{keys.fingerprint}'")


@takes(JSON, _VAULT_SETTINGS)
def status(args: Namespace) -> int:
    settings = load(args.settings, VaultSettings)
    folder = vault_folder(settings).folder if settings.waits else settings.vault.folder
    try:
        content = get_status(folder)
        status = read_status(content)
        printed = () if args.json else _printed(vault_folder(settings).ledger)
    except FileNotFoundError:
        raise UsageError(f"{folder} has no status: the vault of {args.settings} has not run yet") from None
    except DocumentError as error:
        raise UsageError(f"{folder}: {error}") from None
    print(content.decode() if args.json else "".join(f"{line}\n" for line in (*_for_people(status), *printed)), end="")
    age_s = (datetime.now(UTC) - status.at).total_seconds()
    if age_s <= STALE_S:
        return EXIT_GOOD
    tell(f"the vault does not run, or hangs: it wrote this {age_s:.0f} s ago")
    return EXIT_NO


def _for_people(status: CustodyStatus) -> Iterator[str]:
    yield f"start {status.start}"
    yield f"{len(status.released)} of {len(status.deals)} deals released"
    rows = [("table", "its key", "finished", "plays", "has", "heard", "")]
    for each in status.tables:
        has = ", ".join(map(str, each.holds)) or "–"
        heard = "never" if each.silent_s is None else f"{each.silent_s} s ago"
        plays = "–" if each.plays is None else str(each.plays)
        rows.append((each.table, each.key or "not shown yet", str(each.finished), plays, has, heard, _remark(each)))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    yield from ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows)


def _printed(ledger: VaultLedger) -> Iterator[str]:
    """A line for each table whose building sheets were printed, with how often each deal was."""
    times: dict[str, Counter[int]] = {}
    for entry in ledger.read():
        if isinstance(entry, SheetsPrinted):
            times.setdefault(entry.table, Counter()).update(entry.deals)
    for table, deals in sorted(times.items()):
        each = ", ".join(f"{n} ({count} times)" if count > 1 else str(n) for n, count in sorted(deals.items()))
        yield f"sheets printed for table {table}: deal {each}"


def _remark(table: TableStatus) -> str:
    if table.withdrawn:
        return "withdrawn"
    if table.waits_for:
        return f"its next deal waits for table {', '.join(table.waits_for)}"
    lacking = [n for n in table.due if n not in table.holds]
    return f"deal {', '.join(map(str, lacking))} is on its way" if lacking else ""


def _vault(args: Namespace) -> VaultFolder:
    """The vault of the settings; raises UsageError for a table that is not of its session, and as ``vault_folder`` does."""
    vault = vault_folder(load(args.settings, VaultSettings))
    if vault.tables and args.table not in vault.tables:
        raise UsageError(f"table {args.table!r} is not in {args.settings}")
    return vault


def _give(args: Namespace, order: Callable[[VaultLedger], Order | None]) -> int:
    """Sign an order with the vault's key and put it into the vault's folder; the running vault takes it from there."""
    try:
        vault = _vault(args)
        given = order(vault.ledger)
        if given is None:
            tell(f"table {args.table!r} has no accepted boot keys: there is nothing to revoke")
            return EXIT_NO
        vault.orders.give(given)
    except (DocumentError, OSError) as error:
        raise UsageError(str(error)) from None
    return EXIT_GOOD


def _opened(path: Path, passphrase: str) -> tuple[str, Seed]:
    return read_file(path, lambda content: read_seed(content, passphrase))


_SHEETS = """``twinwall vault sheets``: print the building sheets of a table without cameras, at the vault and nowhere else.

The walls of these deals exist in this process's memory and in what it prints. That they are printed, and for which table, is in the
vault's signed ledger before the first sheet leaves.
"""


@frozen
class Printable:
    """The event whose sheets are printed, and the file with the holder's encrypted seed."""

    vault: VaultFolder
    started: StartedPlan
    seed_file: Path


@takes(
    TABLE,
    settings_file("the vault's"),
    argument("--session", "whose deals (1)", type=int, default=1),
    argument("--deal", "this deal alone; once for each (all)", type=int, action="append", default=[]),
    argument("--language", "of the words on the sheets (en)", choices=LANGUAGES, default="en"),
    one_of(
        argument("--printer", "print with lp, on both sides; nothing is written to a file", metavar="NAME"),
        argument("--out", "write this file, which then has the walls in clear: delete it", type=new_file, metavar="FILE.pdf"),
        required=True,
    ),
    PASSPHRASE_FD,
    about=_SHEETS,
)
def sheets(args: Namespace) -> int:
    if (warning := protect()) is not None:
        say(warning)
    if args.out is not None:
        refuse_existing([args.out])
    elif shutil.which("lp") is None:
        raise UsageError("--printer: there is no lp on this machine: install CUPS, or write a file with --out")
    printable = _printable(load(args.settings, VaultSettings))
    deals = _deals(printable.started, args.session, args.deal)
    _check_table(printable.vault, args.table, args.session)
    content = _pdf(printable, args, deals)
    printable.vault.ledger.keep(SheetsPrinted(args.table, deals))
    return _give_sheets(content, args, deals)


def _printable(settings: VaultSettings) -> Printable:
    """The event of the vault with its start; raises UsageError where it has none yet."""
    if settings.field is not None:
        raise UsageError("the vault of a venue of a field has no seed, so it prints no sheets: let its paper tables be guided ones")
    vault = vault_folder(settings)
    if settings.deals is not None and settings.vault.seed is not None:
        started, seed_file = started_plan(settings.deals.plan, settings.deals.start), settings.vault.seed
    else:
        present = VaultHome(settings.vault.folder, vault.signer).present
        found = None if present is None else present.committed.started
        if present is None or found is None:
            raise UsageError("the event has no start yet: sheets are printed when its public value is fixed")
        started, seed_file = found, present.seed_file
    if len(started.plan.holders) > 1:
        raise UsageError(
            f"the deals have {len(started.plan.holders)} holders, and no machine but a table's may have the keys of all: paper tables need "
            "an event with one holder"
        )
    return Printable(vault, started, seed_file)


def _deals(started: StartedPlan, session: int, only: Sequence[int]) -> tuple[int, ...]:
    """The numbers of the deals, in the order of the hands; raises UsageError for those that the session does not have."""
    numbers = tuple(deal.n for deal in started.plan.of_session(session))
    if not numbers:
        raise UsageError(f"--session {session}: the plan has no such session")
    if other := [n for n in only if n not in numbers]:
        raise UsageError(f"--deal {other[0]}: session {session} has the deals {numbers[0]} to {numbers[-1]}")
    return tuple(n for n in numbers if not only or n in only)


def _check_table(vault: VaultFolder, table: str, session: int) -> None:
    """Refuse a table that is given its deals by machine: its walls are not needed on paper."""
    orders = [entry.order for entry in vault.ledger.read() if isinstance(entry, SessionOrdered) and entry.order.session == session]
    tables = {each.name: each for each in orders[-1].tables} if orders else {}
    if tables and (table not in tables or not tables[table].paper):
        named = ", ".join(name for name, each in tables.items() if each.paper) or "none"
        raise UsageError(f"table {table!r} is no paper table of session {session} (these are: {named}): no sheets are printed for it")


def _pdf(printable: Printable, args: Namespace, deals: Sequence[int]) -> bytes:
    """The file; raises UsageError for a wrong passphrase and where this machine cannot print."""
    from dashboard.i18n.words import Words  # noqa: PLC0415 - what prints is slow to import
    from dashboard.prints.paper import sheets_page  # noqa: PLC0415
    from dashboard.prints.pdf_writer import write_pdf  # noqa: PLC0415

    try:
        holder, seed = read_seed(given_bytes(printable.seed_file), passphrases(args.passphrase_fd)(str(printable.seed_file)))
        shares = KeyShares.open(printable.started, holder, seed)
    except (DocumentError, DealError) as error:
        raise UsageError(f"{printable.seed_file}: {error}") from None
    page = sheets_page(printable.started.plan.event, args.table, _all_sheets(shares, deals), Words(args.language))
    try:
        return write_pdf(page)
    except OSError as error:
        raise UsageError(f"this machine cannot make the sheets ({error}): install libpangoft2-1.0-0 and fonts-noto-cjk") from None


def _all_sheets(shares: KeyShares, deals: Sequence[int]) -> list[BuildingSheet]:
    started = shares.started
    found: list[BuildingSheet] = []
    for n in deals:
        deal = make_deal(started.plan, {shares.holder: shares.seed}, n, started.start.public, started.start.root)
        rows = rule_set(deal.rules).shared_rows if deal.rest else NO_SHARED_TILES
        found += building_sheets(deal, shares.commitments, rows)
    return found


def _give_sheets(content: bytes, args: Namespace, deals: Sequence[int]) -> int:
    what = f"the sheets of deal {', '.join(map(str, deals))} for table {args.table}"
    if args.out is not None:
        write_file(args.out, content, PRIVATE, force=False)
        say(f"{what} are in {args.out}, with the walls in clear: print it on both sides, seal the sheets, and delete the file")
        return EXIT_GOOD
    printed = subprocess.run(
        [shutil.which("lp") or "lp", "-d", args.printer, "-o", "sides=two-sided-long-edge", "-t", "twinwall"],
        input=content,
        capture_output=True,
        check=False,
    )
    if printed.returncode != 0:
        say(f"{what} were not printed: {printed.stderr.decode(errors='replace').strip()}")
        return EXIT_NO
    say(f"{what} go to {args.printer}: stay beside it, and seal each sheet unread")
    return EXIT_GOOD
