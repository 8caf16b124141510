"""``twinwall vault``: commands of the organiser around the vault: keys, encrypted seeds, commitments, and orders to a running vault."""

import secrets
from argparse import Namespace
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from cli.event.sign import own_signer
from cli.event.starts import read_plan
from cli.event.vault_folders import VaultFolder, vault_folder
from cli.table.joined_table import playing_settings
from cli.usage import (
    FORCE,
    JSON,
    PASSPHRASE_FD,
    PLAN,
    PRIVATE,
    PUBLISHED,
    TABLE,
    DoesNotHoldError,
    UsageError,
    argument,
    new_file,
    passphrases,
    read_file,
    settings_file,
    takes,
    tell,
    write_file,
    wrong_use,
)
from config import VaultSettings, load
from controller.adapters.memory_folder import renewed_secrets
from controller.settings import TableSettings
from twinwall.custody.custody_status import CustodyStatus, TableStatus, read_status
from twinwall.custody.release import AllowKey, CustodyRefusal, CustodyState, MemberState, MemberWithdrawn, SlipReleased, apply
from twinwall.custody.table_rules import CustodyPlan, RevokeKey, WithdrawTable, decide, withdrawn_sentence
from twinwall.custody.vault_files import Order, SheetsPrinted, VaultLedger, get_status, of_last_session
from twinwall.custody.vault_home import NONCE_SIZE, SALT_SIZE, read_seed, write_seed
from twinwall.game.deals import SEED_SIZE, CommitmentPart, Seed, combine_parts, commit_part
from twinwall.game.documents import DocumentError, pretty_json
from twinwall.given_files import limited_bytes
from twinwall.wire.messages.boot_keys import BOOT_SECRETS_SIZE

_FINGERPRINT_DIGITS = 16
STALE_S = 10.0
"""Age of the status file, in seconds, from which no vault is running: it writes every two seconds."""

_OUT = (argument("--out", "the file to write", type=new_file, metavar="FILE", required=True), FORCE, PASSPHRASE_FD)
_VAULT_SETTINGS = settings_file("the vault's")


@takes(argument("file", "the file, readable by its owner alone", type=Path))
def key(args: Namespace) -> None:
    print(own_signer("", args.file).public.hex())


@takes(
    argument("--holder", "the holder's name in the plan (server)", default="server", metavar="NAME"),
    argument("--from", f"take this seed of {SEED_SIZE} raw bytes instead of a new one", dest="raw", type=Path),
    *_OUT,
)
def make_seed(args: Namespace) -> None:
    seed = Seed(secrets.token_bytes(SEED_SIZE) if args.raw is None else limited_bytes(args.raw))
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


@takes(TABLE, argument("fingerprint", "the sixteen digits that the table itself says"), _VAULT_SETTINGS)
def allow(args: Namespace) -> bool:
    digits = args.fingerprint.replace(" ", "").lower()
    if len(digits) != _FINGERPRINT_DIGITS or not set(digits) <= set("0123456789abcdef"):
        raise UsageError(f"{args.fingerprint!r} is not a key's fingerprint: sixteen digits 0 to 9 and a to f, as the table says them")
    fingerprint = " ".join(digits[start : start + 4] for start in range(0, _FINGERPRINT_DIGITS, 4))
    return _give(args, lambda _ledger: AllowKey(args.table, fingerprint))


@takes(TABLE, argument("--order", "the order of two persons, while it plays a deal", dest="signed", type=Path), _VAULT_SETTINGS)
def withdraw(args: Namespace) -> None:
    """0 when the order is given, 1 when the table plays a deal and two persons have not ordered it."""
    signed = b"" if args.signed is None else limited_bytes(args.signed)
    vault = _vault(args)
    with wrong_use(args.signed, DocumentError):
        order = vault.orders.withdrawal(args.table, signed) if signed else WithdrawTable(args.table)
    plan = CustodyPlan(tuple(deal.n for deal in vault.plan.deals), ((args.table,),))
    decided = decide(plan, _standing(args.table, vault.ledger), order)
    if isinstance(decided, CustodyRefusal):
        raise DoesNotHoldError(decided.sentence)
    vault.orders.give(order, signed)
    for event in decided:
        if isinstance(event, MemberWithdrawn) and event.awaited:
            tell(withdrawn_sentence(event))


def _standing(table: str, ledger: VaultLedger) -> CustodyState:
    state = CustodyState({table: MemberState()})
    for entry in of_last_session(ledger.read()):
        if not isinstance(entry, SlipReleased) and entry.name == table:
            state = apply(state, entry)
    return state


@takes(TABLE, _VAULT_SETTINGS)
def revoke(args: Namespace) -> bool:
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
def status(args: Namespace) -> bool:
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
    if age_s > STALE_S:
        tell(f"the vault does not run, or hangs: it wrote this {age_s:.0f} s ago")
    return age_s <= STALE_S


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


def _give(args: Namespace, order: Callable[[VaultLedger], Order | None]) -> bool:
    """Sign an order with the vault's key and put it into the vault's folder; the running vault takes it from there."""
    vault = _vault(args)
    given = order(vault.ledger)
    if given is None:
        tell(f"table {args.table!r} has no accepted boot keys: there is nothing to revoke")
        return False
    vault.orders.give(given)
    return True


def _opened(path: Path, passphrase: str) -> tuple[str, Seed]:
    return read_file(path, lambda content: read_seed(content, passphrase))
