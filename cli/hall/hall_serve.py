"""``twinwall hall serve``: a whole hall on this computer with one command: broker, vault, dashboard, and simulated tables if asked.

The events are made in the browser. A process that dies is started again; Ctrl-C ends all of them, and the next start goes on. What is
done is said before it is done, and the address once it answers.
The first director's link is also shown as a QR code and in this computer's browser, where there is a terminal and a desktop.

The demo championship that a director asks for on a page is a hall of its own beside the one that is served, on this computer.
"""

import logging
import os
import re
import secrets
import ssl
import sys
import tempfile
import time
from argparse import Namespace
from collections.abc import Sequence
from contextlib import nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import NoReturn

from cli.demo.choices import HOST, MOST_MACHINES, Choices
from cli.demo.custody import memory_folder
from cli.demo.setup import FAST_LEDGERS, start_tables
from cli.demo.supervisor import Process, ProcessDiedError, Supervisor, answers, end_in_order
from cli.hall.certificate_files import AUTHORITY
from cli.hall.guided_tables import GuidedTables, Rehearsal, paper_process
from cli.hall.hall_folder import HallFolder, held_folder, table_names
from cli.hall.held_ports import held_ports, refuse_taken
from cli.run_settings import prepare_hall
from cli.terminal import draw_qr, show_in_browser
from cli.usage import UsageError, argument, port_number, takes, wrong_use
from config.connections import is_loopback
from config.reading import EVENT_MODE, REHEARSAL_MODE
from controller.adapters.memory_folder import MOUNTS
from dashboard.hall_requests import DemoRequest, DemoStanding, DemoState
from simulator.mechanics import FaultPlan
from twinwall.free_ports import free_ports
from twinwall.game.rules import DEFAULT_RULES, rule_set_names
from twinwall.wire.certificates import CertificateError

_WRITTEN = re.compile(r"director\s+(http\S+)/login\s+name (\S+)\s+password (\S+)")
_LOG = logging.getLogger(__name__)


class DemoOnRequest:
    """The demo of one hall; use as a context manager. What ends it leaves the hall as it is."""

    def __init__(self, events: Path, logs: Path) -> None:
        """``events`` is the folder of the hall's events, where directors ask; ``logs`` that of the hall's logs."""
        self._request, self._log = DemoRequest(events), logs / "demo.log"
        self.supervisor = Supervisor(logs)
        self._request.write(DemoStanding(DemoState.OFFERED))

    def __enter__(self) -> "DemoOnRequest":
        return self

    def __exit__(self, *_: object) -> None:
        self.supervisor.stop()
        self._request.withdraw()

    def look(self) -> None:
        """Start the demo where it is wanted, say where it is when it runs, and offer it again when it has ended."""
        standing = self._request.read()
        if standing is None or standing.state is DemoState.OFFERED:
            return
        if not self.supervisor.processes:
            self._start()
            return
        try:
            self.supervisor.look_after()
        except ProcessDiedError as died:
            _LOG.error("%s", died)
            self.supervisor.stop()
            self._request.write(DemoStanding(DemoState.OFFERED))
            return
        found = _WRITTEN.search(self._log.read_text(encoding="utf-8", errors="replace"))
        if found is not None and standing.state is DemoState.WANTED:
            self._request.write(DemoStanding(DemoState.RUNNING, *found.groups()))

    def _start(self) -> None:
        folder, (port,) = Path(tempfile.mkdtemp(prefix="twinwall-demo-")) / "demo", free_ports(1)
        self._log.unlink(missing_ok=True)
        words = ("demo", "--event", "championship", "--machines", "0", "--fast", "--port", str(port), "--folder", str(folder))
        self.supervisor.start((Process("demo", words, restartable=False), lambda: True))


def say(sentence: str) -> None:
    """A sentence for the person who started the hall."""
    print(f"twinwall hall: {sentence}", file=sys.stderr)


def tell(hall: HallFolder, link: str | None, *, shows: bool) -> None:
    """Where the hall is, which answers now; ``link`` is the first director's, who has no password yet. ``shows``: in a browser too."""
    at_terminal = sys.stderr.isatty()
    say(hall.page_url)
    if link is not None:
        say(f"you are the director; choose your password at {link}")
        if at_terminal and hall.over_tls:
            draw_qr(link, sys.stderr)
    if hall.over_tls:
        say(f"browsers and tables trust {hall.certificates.certificate(AUTHORITY)}: give it to them by another way than this network")
    else:
        say("phones and other computers do not reach it: table cards, seats and invitations work on this computer alone")
        say("to let them in, end it and add --host with this computer's address in the network, for example --host 192.168.1.20")
    say("Ctrl-C ends it; the same command goes on")
    if shows and at_terminal:
        show_in_browser(link or hall.page_url, os.environ, hall.memory)


TICK_S = 0.2
MOST_TABLES = 64


def _refuse_wrong(arguments: Namespace) -> None:
    """Raises UsageError for options that do not fit each other or this machine."""
    if arguments.folder is not None and arguments.named_folder is not None:
        raise UsageError(f"{arguments.folder} and --folder {arguments.named_folder}: name one folder")
    if not 1 <= arguments.tables <= MOST_TABLES:
        raise UsageError(f"--tables {arguments.tables}: a number from 1 to {MOST_TABLES}")
    if not 0 <= arguments.paper <= arguments.tables - arguments.guided:
        raise UsageError(f"--paper {arguments.paper}: a number from 0 to {arguments.tables - arguments.guided}")
    if arguments.simulate and not is_loopback(arguments.host):
        raise UsageError(f"--simulate is for a hall on this computer alone: leave it out, or --host {arguments.host}")
    if not 0 <= arguments.guided <= arguments.tables or (arguments.guided and arguments.simulate):
        raise UsageError(f"--guided {arguments.guided}: a number from 0 to {arguments.tables}, and without --simulate")
    if (arguments.certificate is None) is not (arguments.certificate_key is None):
        raise UsageError("--certificate and --certificate-key belong together: name both files, or neither")
    if arguments.certificate is not None and is_loopback(arguments.host):
        raise UsageError("--certificate is for a hall that others reach: add --host with the name in the certificate")
    if arguments.certificate is not None:
        with wrong_use(
            f"--certificate {arguments.certificate}, --certificate-key {arguments.certificate_key}", OSError
        ):  # ssl.SSLError is one: a file without a certificate, or a key of another
            ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(arguments.certificate, arguments.certificate_key)
    if arguments.event:
        if arguments.simulate:
            raise UsageError("--event: --simulate belongs to a rehearsal; leave one of them out")
        prepare_hall()


@takes(
    argument("folder", "where everything of the hall is kept; made where it is not there (~/hall)", type=Path, nargs="?"),
    argument("--folder", "the same", type=Path, dest="named_folder", metavar="FOLDER"),
    argument("--tables", f"how many tables the hall has, 1 to {MOST_TABLES} (4)", type=int, default=4),
    argument(
        "--host", f"this computer's address in the hall's network, served by TLS alone ({HOST}, in clear)", default=HOST, metavar="ADDRESS"
    ),
    argument(
        "--certificate",
        "with --host NAME: the certificate that browsers and phones see, in place of the hall's own (PEM, with its chain)",
        type=Path,
    ),
    argument("--certificate-key", "its key", type=Path),
    argument("--port", "port of the pages (8080)", type=port_number, default=8080, metavar="N"),
    argument("--broker-port", "port of the broker (1883; 8883 with TLS)", type=port_number, metavar="N"),
    argument("--headless", "open no browser on this computer's desktop", action="store_true"),
    argument(
        "--guided",
        "the first N tables have no computer of their own: phones are their cameras and keys, people build their walls (0)",
        type=int,
        default=0,
    ),
    argument(
        "--paper",
        "the last N tables have no camera at all: walls are built from printed sheets, players enter the scores on their phones (0)",
        type=int,
        default=0,
    ),
    argument("--phones-port", "port at which phones come, with --guided (8443)", type=port_number, default=8443, metavar="N"),
    argument("--event", "refuse in every process whatever belongs to a rehearsal", action="store_true"),
    argument("--simulate", "simulate the tables too", action="store_true"),
    argument(
        "--machines",
        f"with --simulate: how many tables have machines, {MOST_MACHINES} at most; the others are played in memory (all)",
        type=int,
    ),
    argument("--rules", "the rule set of simulated players", default=DEFAULT_RULES, choices=rule_set_names()),
    argument(
        "--fast", "simulated machines and people move 24 times as fast; without machine people play 8 times as fast", action="store_true"
    ),
    about=__doc__,
)
def serve(arguments: Namespace) -> NoReturn:
    _refuse_wrong(arguments)
    machines = _machines(arguments)
    refuse_taken(arguments.host, _ports(arguments))
    folder: Path = (arguments.folder or arguments.named_folder or Path.home() / "hall").resolve()
    say(f"everything is kept in {folder}")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    end_in_order()
    with (
        held_folder(folder),
        memory_folder(MOUNTS.read_text(encoding="utf-8")) as memory,
        held_ports(2 + arguments.guided) as (phones_port, readiness_port, *station_ports),
        Supervisor(folder / "logs") as supervisor,
    ):
        hall = _hall(arguments, folder, memory, (phones_port, readiness_port))
        guided = None if hall.phones is None else GuidedTables(hall, hall.tables[: arguments.guided], arguments.phones_port, station_ports)
        paper = hall.tables[len(hall.tables) - arguments.paper :]
        link = hall.invite_first_director()
        say("starting broker, vault and pages; the address follows once it answers, which takes up to a minute on a small computer")
        supervisor.start((hall.broker(), answers(hall.broker_port, hall.host)))
        supervisor.start((hall.vault(), lambda: True), (hall.dashboard(), answers(hall.page_port, hall.host)))
        if arguments.simulate:
            _start_simulated(arguments, supervisor, hall, machines, paper)
        if guided is not None:
            _start_guided(guided, supervisor, arguments.guided)
        if paper:
            supervisor.start((paper_process(hall, paper, datetime.now(UTC)), lambda: True))
        tell(hall, link, shows=not arguments.headless)
        free = _free_tables(arguments, hall, paper)
        with (
            Rehearsal(hall, free, folder / "logs", FAST_LEDGERS if arguments.fast else 1.0) as rehearsal,
            nullcontext() if hall.over_tls or arguments.event else DemoOnRequest(hall.events, folder / "logs") as demo,
        ):
            while True:
                rehearsal.look()
                supervisor.look_after()
                if guided is not None:
                    guided.look(supervisor)
                if demo is not None:
                    demo.look()
                time.sleep(TICK_S)


def _start_simulated(arguments: Namespace, supervisor: Supervisor, hall: HallFolder, machines: int, paper: Sequence[str]) -> None:
    say(f"starting {machines} simulated tables")
    choices = Choices(secrets.randbelow(2**31), arguments.rules, 16, arguments.fast, hall.page_port, FaultPlan())
    start_tables(supervisor, hall, choices, machines, real=paper)


def _free_tables(arguments: Namespace, hall: HallFolder, paper: Sequence[str]) -> tuple[str, ...]:
    """The tables that a director may have simulated for a rehearsal."""
    free = () if arguments.simulate or arguments.event else hall.tables[arguments.guided :]
    return tuple(name for name in free if name not in paper)


def _ports(arguments: Namespace) -> dict[str, int]:
    ports = {"--port": arguments.port, "--broker-port": _broker_port(arguments)}
    return ports | ({"--phones-port": arguments.phones_port} if arguments.guided else {})


def _broker_port(arguments: Namespace) -> int:
    port: int = arguments.broker_port or (1883 if is_loopback(arguments.host) else 8883)
    return port


def _start_guided(guided: GuidedTables, supervisor: Supervisor, tables: int) -> None:
    say(f"starting the programs of {tables} guided tables")
    guided.start(supervisor, datetime.now(UTC))
    for table, screen in guided.screens().items():
        say(f"the builder at table {table} looks at {screen}")


def _hall(arguments: Namespace, folder: Path, memory: Path, own_ports: Sequence[int]) -> HallFolder:
    """The hall, with its certificates where it is served beyond this computer; ``own_ports`` are for phones and readiness."""
    port = _broker_port(arguments)
    tables = tuple(table_names(arguments.tables))
    own = is_loopback(arguments.host) or arguments.guided + arguments.paper == arguments.tables
    phones, readiness = (f"http://{HOST}:{free}" if arguments.guided else None for free in own_ports)
    mode = EVENT_MODE if arguments.event else REHEARSAL_MODE
    certificate = None if arguments.certificate is None else (arguments.certificate.resolve(), arguments.certificate_key.resolve())
    hall = HallFolder(
        folder, memory, tables, port, arguments.port, own, arguments.host, phones, readiness, mode, certificate, arguments.simulate
    )
    if hall.over_tls:
        with wrong_use(f"--host {arguments.host}", CertificateError):
            hall.make_certificates(datetime.now(UTC))
    return hall


def _machines(arguments: Namespace) -> int:
    if not arguments.simulate:
        if arguments.machines is not None:
            raise UsageError("--machines is of simulated tables: add --simulate, or leave it out")
        return 0
    simulated = arguments.tables - arguments.paper
    machines: int = simulated if arguments.machines is None else arguments.machines
    if not 0 <= machines <= min(simulated, MOST_MACHINES):
        raise UsageError(f"--machines {machines}: a number from 0 to {min(simulated, MOST_MACHINES)}; the other tables have no machine")
    return machines
