"""``twinwall results check``, ``backup``, ``restore`` and ``rebuild``: checks a store, copies it, puts it back, makes it from ledgers."""

from argparse import Namespace
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from cli.event.stores import store_address
from cli.hall.dashboard import programme_of
from cli.usage import JSON, UsageError, answer, argument, say, settings_file, takes
from config import DashboardSettings, load
from twinwall.event.store.databases.opening import copy_store, restore_store
from twinwall.event.store.store_check import LedgerFile, compare_with_ledger, lacking, ledger_of, problems, rebuild
from twinwall.event.store.store_contents import Contents
from twinwall.event.store.store_loading import check_digests
from twinwall.event.store.store_records import keys_named
from twinwall.event.store.store_rows import is_begun, read_store
from twinwall.given_files import limited_bytes
from twinwall.wire.messages.signing import read_signer
from twinwall.wire.mqtt.access import SERVER_USER

_STORE = "the event's store: a file, or postgresql://USER@HOST/DATABASE?schema=NAME"

_LEDGERS = argument("--ledger", "a table's events.jsonl; once per ledger", type=Path, action="append", default=[])


@takes(
    argument("store", _STORE, type=store_address),
    argument(
        "--key",
        "the server's public key, as twinwall vault key FILE prints it; once per key. Records must be signed by one of them",
        action="append",
        metavar="HEX",
    ),
    JSON,
    _LEDGERS,
)
def check(arguments: Namespace) -> bool:
    """0 when everything holds, 1 with a sentence for each problem. A store that lacks the end of a ledger is only noted."""
    contents, ledgers = read_store(arguments.store), _ledgers(arguments.ledger)
    found = [*problems(contents, arguments.key), *(sentence for ledger in ledgers for sentence in compare_with_ledger(contents, ledger))]
    notes = [sentence for ledger in ledgers if (sentence := lacking(contents, ledger)) is not None]
    named, counts = keys_named(contents.records), _counts(contents)
    if not arguments.json:
        if arguments.key is None:
            which = ", ".join(named) or "none: they are not signed"
            notes.append(f"records were checked with the key that the store itself names ({which}); --key says which is the server's")
        for note in notes:
            say(f"note: {note}")
    counted = ", ".join(f"{count} {what}" for what, count in counts.items())
    words = [*found, f"{arguments.store}: {counted}; {f'{len(found)} problems' if found else 'all of it holds'}"]
    document = {**counts, "ledgers": len(ledgers), "record_keys": named, "problems": found, "notes": notes}
    answer(document, "\n".join(words), as_json=arguments.json)
    return not found


@takes(
    argument("store", _STORE, type=store_address),
    argument("to", "a file, or a schema of PostgreSQL, that is not there", type=store_address, metavar="COPY"),
)
def back_up(arguments: Namespace) -> bool:
    """0 when the copy is whole and holds."""
    copy_store(arguments.store, arguments.to)
    found = list(problems(read_store(arguments.to), None))
    for sentence in found:
        say(f"{arguments.to}: {sentence}")
    return not found


@takes(
    argument("backup", "the backup", type=store_address, metavar="COPY"),
    argument("store", "where the dashboard's settings have the store; what is there is kept", type=store_address),
)
def restore(arguments: Namespace) -> None:
    """0 when the backup is in the store's place."""
    contents = read_store(arguments.backup)
    check_digests(contents)
    aside = restore_store(arguments.backup, arguments.store, datetime.now(UTC))
    if aside is not None:
        print(f"the former store is {aside}")
    print(f"{arguments.store} has {', '.join(f'{count} {what}' for what, count in _counts(contents).items())}; start the dashboard")


@takes(
    argument("store", "the new store, which must not exist", type=store_address),
    settings_file("the dashboard's"),
    argument("--slip", "a released slip; once per slip", type=Path, action="append", default=[]),
    _LEDGERS,
)
def rebuild_store(arguments: Namespace) -> bool:
    """0 when all was taken, 1 when the store was made without what is then named."""
    if (isinstance(arguments.store, Path) and arguments.store.exists()) or is_begun(arguments.store):
        raise UsageError(f"{arguments.store} exists already: name another file or schema")
    settings = load(arguments.settings, DashboardSettings)
    programme, key = programme_of(settings.one_event), settings.dashboard.signing_key
    slips = [limited_bytes(path) for path in arguments.slip]
    signer = None if key is None else read_signer(SERVER_USER, key)
    refused = rebuild(arguments.store, programme, _ledgers(arguments.ledger), slips, datetime.now(UTC), signer=signer)
    for sentence in refused:
        say(sentence)
    return not refused


def _ledgers(paths: Sequence[Path]) -> list[LedgerFile]:
    found = [ledger_of(str(path), limited_bytes(path)) for path in paths]
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
