"""The order by which a table's new controller goes on for one that was lost with its disk: ``twinwall table continue`` and its file."""

import argparse
from pathlib import Path

from cli.usage import PRIVATE, UsageError, argument, settings_file, takes, write_file, wrong_use
from config import load
from controller.ledger.assignment_folder import event_folder
from controller.ledger.first_lines import LostJournal
from controller.settings import TableSettings
from twinwall.game.documents import DocumentError, parse_object
from twinwall.given_files import limited_bytes
from twinwall.wire.messages.staff_orders import read_replacement

ORDER = "replacement.json"
_JOURNAL = "table.journal"


def lost_journal(settings: TableSettings) -> LostJournal | None:
    """What the table's journal goes on for where it is new, as the order in its ledger's folder says; None where none lies there. Raises
    UsageError for an order that the server has not signed for this table and event."""
    path = settings.ledger.folder / ORDER
    try:
        signed = limited_bytes(path)
    except FileNotFoundError:
        return None
    return _read(path, signed, settings.table.event, settings)


@takes(argument("order", "the file that the table's page gave", type=Path), settings_file("the table's"))
def continue_table(args: argparse.Namespace) -> None:
    """Put the order where the table's next start finds it."""
    settings, signed = load(args.settings, TableSettings), limited_bytes(args.order)
    with wrong_use(f"{args.order} is no order to replace a controller", DocumentError):
        event = str(parse_object(signed).get("event", ""))
    if not settings.table.is_assigned and event != settings.table.event:
        raise UsageError(f"{args.order} is of the event {event!r}, the table's settings name {settings.table.event!r}")
    order = _read(args.order, signed, event, settings).order
    folder = settings.ledger.folder / event_folder(event) if settings.table.is_assigned else settings.ledger.folder
    if (folder / _JOURNAL).exists() and (folder / _JOURNAL).stat().st_size:
        raise UsageError(
            f"{folder} has a journal already: stop the table and move this folder away, then say this again before the table is started"
        )
    folder.mkdir(parents=True, exist_ok=True)
    write_file(folder / ORDER, signed, PRIVATE, force=True)
    over = f"; the hand of deal {order.n} is annulled" if order.n else ""
    print(f"table {settings.table.name!r} goes on after {len(order.finished)} finished deals{over}: start it now")


def _read(path: Path, signed: bytes, event: str, settings: TableSettings) -> LostJournal:
    server_key, name = settings.custody.server_key, settings.table.name
    if server_key is None:
        raise UsageError(f"{path}: the settings do not name the server's key, under which it is checked: set [custody] server_key")
    with wrong_use(path, DocumentError):
        return LostJournal(read_replacement(signed, event, name, bytes.fromhex(server_key)), signed)
