"""``twinwall vault sheets``: print the building sheets of a table without cameras, at the vault and nowhere else.

The walls of these deals exist in this process's memory and in what it prints. That they are printed, and for which table, is in the
vault's signed ledger before the first sheet leaves.
"""

import shutil
import subprocess
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

from cli.event.starts import started_plan
from cli.event.vault_folders import VaultFolder, vault_folder
from cli.usage import (
    NEVER,
    PASSPHRASE_FD,
    PRIVATE,
    TABLE,
    DoesNotHoldError,
    UsageError,
    argument,
    new_file,
    one_of,
    passphrases,
    refuse_existing,
    say,
    settings_file,
    takes,
    write_file,
    wrong_use,
)
from config import VaultSettings, load
from twinwall.art.names import LANGUAGES
from twinwall.custody.key_shares import KeyShares
from twinwall.custody.process_protection import protect
from twinwall.custody.vault_files import SessionOrdered, SheetsPrinted
from twinwall.custody.vault_home import VaultHome, read_seed
from twinwall.game.deals import BuildingSheet, DealError, StartedPlan, building_sheets, make_deal
from twinwall.game.documents import DocumentError
from twinwall.game.rule_set import NO_SHARED_TILES
from twinwall.game.rules import rule_set
from twinwall.given_files import limited_bytes


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
    about=__doc__,
)
def sheets(args: Namespace) -> None:
    if (warning := protect()) is not None:
        say(warning)
    if args.out is not None:
        refuse_existing([args.out], NEVER)
    elif shutil.which("lp") is None:
        raise UsageError("--printer: there is no lp on this machine: install CUPS, or write a file with --out")
    vault, started, seed_file = _printable(load(args.settings, VaultSettings))
    deals = _deals(started, args.session, args.deal)
    _check_table(vault, args.table, args.session)
    content = _pdf(started, seed_file, args, deals)
    vault.ledger.keep(SheetsPrinted(args.table, deals))
    _give_sheets(content, args, deals)


def _printable(settings: VaultSettings) -> tuple[VaultFolder, StartedPlan, Path]:
    """The vault, the start of its event, and the file of the holder's encrypted seed; raises UsageError where there is no start yet."""
    if settings.field is not None:
        raise UsageError("the vault of a venue of a field has no seed, so it prints no sheets: let its paper tables be guided ones")
    vault = vault_folder(settings)
    if settings.deals is not None and settings.vault.seed is not None:
        started, seed_file = started_plan(settings.deals.plan, settings.deals.start), settings.vault.seed
    else:
        present = VaultHome(settings.vault.folder, vault.signer).present
        found = None if present is None else present.started
        if present is None or found is None:
            raise UsageError("the event has no start yet: sheets are printed when its public value is fixed")
        started, seed_file = found, present.seed_file
    if len(started.plan.holders) > 1:
        raise UsageError(
            f"the deals have {len(started.plan.holders)} holders, and no machine but a table's may have the keys of all: paper tables need "
            "an event with one holder"
        )
    return vault, started, seed_file


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


def _pdf(started: StartedPlan, seed_file: Path, args: Namespace, deals: Sequence[int]) -> bytes:
    """The file; raises UsageError for a wrong passphrase and where this machine cannot print."""
    from dashboard.i18n.words import Words  # noqa: PLC0415 - what prints is slow to import
    from dashboard.prints.pdf_writer import write_pdf  # noqa: PLC0415
    from dashboard.prints.sheets import sheets_page  # noqa: PLC0415

    with wrong_use(seed_file, DocumentError, DealError):
        holder, seed = read_seed(limited_bytes(seed_file), passphrases(args.passphrase_fd)(str(seed_file)))
        shares = KeyShares.open(started, holder, seed)
    page = sheets_page(started.plan.event, args.table, _all_sheets(shares, deals), Words(args.language))
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


def _give_sheets(content: bytes, args: Namespace, deals: Sequence[int]) -> None:
    what = f"the sheets of deal {', '.join(map(str, deals))} for table {args.table}"
    if args.out is not None:
        write_file(args.out, content, PRIVATE, force=None)
        say(f"{what} are in {args.out}, with the walls in clear: print it on both sides, seal the sheets, and delete the file")
        return
    printed = subprocess.run(
        [shutil.which("lp") or "lp", "-d", args.printer, "-o", "sides=two-sided-long-edge", "-t", "twinwall"],
        input=content,
        capture_output=True,
        check=False,
    )
    if printed.returncode != 0:
        raise DoesNotHoldError(f"{what} were not printed: {printed.stderr.decode(errors='replace').strip()}")
    say(f"{what} go to {args.printer}: stay beside it, and seal each sheet unread")
