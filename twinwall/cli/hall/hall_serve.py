"""``twinwall hall serve``: a whole hall on this computer with one command: broker, vault, dashboard, and simulated tables if asked.

The events are made in the browser. A process that dies is started again; Ctrl-C ends all of them, and the next start goes on.
"""

from __future__ import annotations

import argparse
import secrets
import sys
import time
from pathlib import Path
from typing import NoReturn, TypeVar

from config.simulator import FaultsSection
from controller.adapters.memory_folder import MOUNTS
from twinwall.cli.demo.choices import Choices
from twinwall.cli.demo.custody import memory_folder
from twinwall.cli.demo.hall_tables import start_tables
from twinwall.cli.demo.supervisor import Supervisor, answers, end_in_order
from twinwall.cli.errors import UsageError
from twinwall.cli.hall.hall_folder import HallFolder, table_names
from twinwall.game.rules import DEFAULT_RULES, rule_set_names

TICK_S = 0.2
MOST_TABLES = 64
MOST_SIMULATED = 8
_P = TypeVar("_P", bound=argparse.ArgumentParser)


def register_serve(commands: argparse._SubParsersAction[_P]) -> None:
    """Add ``hall serve``."""
    serve = commands.add_parser(
        "serve", help="run a whole hall on this computer: broker, vault and pages; events are made in the browser", description=__doc__
    )
    serve.add_argument("folder", type=Path, metavar="FOLDER", help="where everything of the hall is kept; made where it is not there")
    serve.add_argument("--tables", type=int, default=4, metavar="N", help=f"how many tables the hall has, 1 to {MOST_TABLES} (4)")
    serve.add_argument("--port", type=int, default=8080, metavar="N", help="port of the pages on this computer (8080)")
    serve.add_argument("--broker-port", type=int, default=1883, metavar="N", help="port of the broker on this computer (1883)")
    serve.add_argument("--simulate", action="store_true", help=f"simulate the tables too, {MOST_SIMULATED} at most")
    serve.add_argument("--rules", default=DEFAULT_RULES, choices=rule_set_names(), help="the rule set of simulated players")
    serve.add_argument("--fast", action="store_true", help="simulated machines and people move 24 times as fast")
    serve.set_defaults(func=_serve)


def _serve(arguments: argparse.Namespace) -> NoReturn:
    most = MOST_SIMULATED if arguments.simulate else MOST_TABLES
    if not 1 <= arguments.tables <= most:
        raise UsageError(f"--tables {arguments.tables}: a number from 1 to {most}")
    folder: Path = arguments.folder.resolve()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    end_in_order()
    with memory_folder(MOUNTS.read_text(encoding="utf-8")) as memory, Supervisor(folder / "logs") as supervisor:
        tables = tuple(table_names(arguments.tables))
        hall = HallFolder(folder, memory, tables, arguments.broker_port, arguments.port, trusting=arguments.simulate)
        link = hall.invite_first_director()
        supervisor.start((hall.broker(), answers(hall.broker_port)))
        supervisor.start((hall.vault(), lambda: True), (hall.dashboard(), answers(hall.page_port)))
        if arguments.simulate:
            choices = Choices(secrets.randbelow(2**31), arguments.rules, 16, arguments.fast, hall.page_port, FaultsSection())
            start_tables(supervisor, hall, choices, machines=len(tables))
        print(f"twinwall hall: {hall.page_url}", file=sys.stderr)
        if link is not None:
            print(f"twinwall hall: you are the director; choose your password at {link}", file=sys.stderr)
        print("twinwall hall: Ctrl-C ends it; the same command goes on", file=sys.stderr)
        while True:
            supervisor.look_after()
            time.sleep(TICK_S)
