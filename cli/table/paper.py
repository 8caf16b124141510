"""``twinwall hall paper``: tables without cameras that have joined a hall. Their walls are built from sheets, players enter the scores."""

from argparse import Namespace
from pathlib import Path

from cli import logs
from cli.run_settings import load_to_run, prepare_event
from cli.usage import LOG, UsageError, argument, takes, until_stopped
from controller.settings import TableSettings
from twinwall.wire.messages.assignment import TableKind


@takes(
    argument("settings", "each table's settings file, with [table] kind = paper", type=Path, nargs="+", metavar="FILE"), LOG, about=__doc__
)
def run(arguments: Namespace) -> None:
    from cli.ledger_tables.joined_tables import JoinedLedgerTable, play_until, played_on_paper  # noqa: PLC0415

    settings = [load_to_run(file, TableSettings) for file in arguments.settings]
    for file, each in zip(arguments.settings, settings, strict=True):
        if each.table.kind != TableKind.PAPER:
            raise UsageError(f"{file}: [table] kind is {each.table.kind!r}: run it with twinwall table run, or write kind = 'paper'")
        prepare_event(each, Namespace(settings=file, event=False))
    logs.begin(arguments, {"event": settings[0].table.event})
    stop = until_stopped()
    play_until([JoinedLedgerTable(each, played_on_paper) for each in settings], stop)
