"""``twinwall event``: check, backup and rebuild of an event's store, and pages of its results."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from cli import Subparsers
from cli.errors import EXIT_GOOD, EXIT_NO, UsageError
from cli.event import publish
from cli.event.stores import contents_of, store_address
from cli.files import refuse_existing
from cli.hall.services import programme_of
from config import DashboardSettings, load
from twinwall.event.store.databases.opening import copy_store, restore_store
from twinwall.event.store.databases.port import StoreError
from twinwall.event.store.programme import ProgrammeError
from twinwall.event.store.store_check import LedgerFile, compare_with_ledger, lacking, ledger_of, problems, rebuild
from twinwall.event.store.store_contents import Contents
from twinwall.event.store.store_loading import DamagedStoreError, check_digests
from twinwall.event.store.store_reading import is_begun, read_store
from twinwall.event.store.store_records import keys_named
from twinwall.given_files import given_bytes
from twinwall.wire.messages.signing import KeyFileError, read_signer
from twinwall.wire.mqtt.access import SERVER_USER

_STORE = "the event's store: a file, or postgresql://USER@HOST/DATABASE?schema=NAME"


def register(subparsers: Subparsers) -> None:
    """Add ``twinwall event`` and its subcommands."""
    parser = subparsers.add_parser(
        "event", help="check an event's store, make it again from the tables' ledgers, or publish its results", description=__doc__
    )
    commands = parser.add_subparsers(dest="event_command", required=True, metavar="COMMAND")

    check = commands.add_parser("check", help="recompute everything from a store, and compare it with the tables' ledgers")
    check.add_argument("store", type=store_address, metavar="STORE", help=_STORE)
    key_help = "the server's public key, as twinwall custody key FILE prints it; once per key. Records must be signed by one of them"
    check.add_argument("--key", action="append", metavar="HEX", help=key_help)
    check.add_argument("--json", action="store_true", help="one JSON document on standard output")
    _add_ledgers(check)
    check.set_defaults(func=_check)

    copy = commands.add_parser("backup", help="copy a store into a new file or schema, while the dashboard writes to it")
    copy.add_argument("store", type=store_address, metavar="STORE", help=_STORE)
    copy.add_argument("to", type=store_address, metavar="COPY", help="a file, or a schema of PostgreSQL, that is not there")
    copy.set_defaults(func=_back_up)

    restore = commands.add_parser("restore", help="put a backup in a store's place, while the dashboard is ended")
    restore.add_argument("backup", type=store_address, metavar="COPY", help="the backup")
    restore.add_argument(
        "store", type=store_address, metavar="STORE", help="where the dashboard's settings have the store; what is there is kept"
    )
    restore.set_defaults(func=_restore)

    publish.register(commands)

    again = commands.add_parser("rebuild", help="make a store from the tables' ledgers and the released slips")
    again.add_argument("store", type=store_address, metavar="STORE", help="the new store, which must not exist")
    again.add_argument("--settings", type=Path, required=True, metavar="FILE", help="the dashboard's settings, which say what the event is")
    again.add_argument("--slip", type=Path, action="append", default=[], metavar="FILE", help="a released slip; once per slip")
    _add_ledgers(again)
    again.set_defaults(func=_rebuild)


def _add_ledgers(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--ledger", type=Path, action="append", default=[], metavar="FILE", help="a table's events.jsonl; once per ledger")


def _check(arguments: argparse.Namespace) -> int:
    """0 when everything holds, 1 with a sentence for each problem. A store that lacks the end of a ledger is only noted."""
    contents, ledgers = contents_of(arguments.store), _ledgers(arguments.ledger)
    found = [*problems(contents, arguments.key), *(sentence for ledger in ledgers for sentence in compare_with_ledger(contents, ledger))]
    notes = [sentence for ledger in ledgers if (sentence := lacking(contents, ledger)) is not None]
    named = keys_named(contents.records)
    if arguments.json:
        counted = {**_counts(contents), "ledgers": len(ledgers), "record_keys": named}
        print(json.dumps({**counted, "problems": found, "notes": notes}, ensure_ascii=False))
    else:
        if arguments.key is None:
            which = ", ".join(named) or "none: they are not signed"
            notes.append(f"records were checked with the key that the store itself names ({which}); --key says which is the server's")
        for note in notes:
            print(f"twinwall: note: {note}", file=sys.stderr)
        for sentence in found:
            print(sentence)
        counts = ", ".join(f"{count} {what}" for what, count in _counts(contents).items())
        print(f"{arguments.store}: {counts}; {f'{len(found)} problems' if found else 'all of it holds'}")
    return EXIT_NO if found else EXIT_GOOD


def _back_up(arguments: argparse.Namespace) -> int:
    """0 when the copy is whole and holds."""
    try:
        copy_store(arguments.store, arguments.to)
        found = list(problems(read_store(arguments.to), None))
    except (StoreError, ProgrammeError) as error:
        raise UsageError(str(error)) from error
    for sentence in found:
        print(f"twinwall: {arguments.to}: {sentence}", file=sys.stderr)
    return EXIT_NO if found else EXIT_GOOD


def _restore(arguments: argparse.Namespace) -> int:
    """0 when the backup is in the store's place."""
    try:
        contents = read_store(arguments.backup)
        check_digests(contents)
        aside = restore_store(arguments.backup, arguments.store, datetime.now(UTC))
    except (DamagedStoreError, StoreError, ProgrammeError) as error:
        raise UsageError(str(error)) from error
    if aside is not None:
        print(f"the former store is {aside}")
    print(f"{arguments.store} has {', '.join(f'{count} {what}' for what, count in _counts(contents).items())}; start the dashboard")
    return EXIT_GOOD


def _rebuild(arguments: argparse.Namespace) -> int:
    """0 when all was taken, 1 when the store was made without what is then named."""
    if isinstance(arguments.store, Path):
        refuse_existing([arguments.store])
    elif is_begun(arguments.store):
        raise UsageError(f"{arguments.store}: there is a store already: name another schema")
    settings = load(arguments.settings, DashboardSettings)
    programme, key = programme_of(settings.one_event), settings.dashboard.signing_key
    slips = [given_bytes(path) for path in arguments.slip]
    try:
        signer = None if key is None else read_signer(SERVER_USER, key)
        refused = rebuild(arguments.store, programme, _ledgers(arguments.ledger), slips, datetime.now(UTC), signer=signer)
    except (KeyFileError, StoreError, ProgrammeError) as error:
        raise UsageError(str(error)) from error
    for sentence in refused:
        print(f"twinwall: {sentence}", file=sys.stderr)
    return EXIT_NO if refused else EXIT_GOOD


def _ledgers(paths: Sequence[Path]) -> list[LedgerFile]:
    found = [ledger_of(str(path), given_bytes(path)) for path in paths]
    if empty := [ledger.name for ledger in found if not ledger.lines]:
        raise UsageError(f"{empty[0]} has no whole line: name a table's events.jsonl")
    return found


def _counts(contents: Contents) -> dict[str, int]:
    return {
        "journals": len(contents.journals),
        "lines": sum(len(journal.lines) for journal in contents.journals),
        "slips": len(contents.slips),
        "acknowledgements": len(contents.acknowledgements),
        "looks": len(contents.looks),
        "complaints": len(contents.complaints),
        "records": len(contents.records),
    }
