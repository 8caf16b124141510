"""``twinwall paper``: tables without cameras that have joined a hall. Their walls are built from sheets, players enter the scores."""

from __future__ import annotations

import argparse
import signal
import threading
from pathlib import Path

from cli import Subparsers, event_mode, logs
from cli.errors import EXIT_GOOD, UsageError
from cli.run_settings import load_to_run
from controller.settings import TableSettings
from twinwall.wire.messages.table_kind import TableKind


def register(subparsers: Subparsers) -> None:
    """Add ``twinwall paper``."""
    parser = subparsers.add_parser("paper", help="run tables without cameras: walls from sheets, scores from phones", description=__doc__)
    parser.add_argument("settings", type=Path, nargs="+", metavar="FILE", help="each table's settings file, with [table] kind = paper")
    logs.add_argument(parser)
    parser.set_defaults(func=_run)


def _run(arguments: argparse.Namespace) -> int:
    from cli.ledger_tables.joined_tables import JoinedLedgerTable, play_until, played_on_paper  # noqa: PLC0415

    settings = [load_to_run(file, TableSettings) for file in arguments.settings]
    for file, each in zip(arguments.settings, settings, strict=True):
        if each.table.kind != TableKind.PAPER:
            raise UsageError(f"{file}: [table] kind is {each.table.kind!r}: run it with twinwall table, or write kind = 'paper'")
        event_mode.prepare(each, argparse.Namespace(settings=file, event=False))
    logs.begin(arguments, {"event": settings[0].table.event})
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    play_until([JoinedLedgerTable(each, played_on_paper) for each in settings], stop)
    return EXIT_GOOD
