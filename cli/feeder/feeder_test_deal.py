"""``twinwall feeder test-deal``: builds walls with a table's own feeder and gate camera, without players, and reads each tile again."""

import argparse
import json
import math
import queue
import random
import time
from contextlib import ExitStack, closing
from dataclasses import asdict
from functools import partial

from cli import logs
from cli.table.table_parts import feeder_port, gate_workers, table_setup
from cli.tiles.cameras import open_gate_cameras
from cli.usage import JSON, TRACE, UsageError, argument, settings_file, takes, tell
from config import load
from controller.adapters.cameras.gate_cameras import ask_gate
from controller.adapters.clock import SystemClock
from controller.settings import TableSettings
from controller.state.messages import Message
from controller.state.sides import OpenDeal
from controller.state.table_state import Setup
from controller.trial import Trial, TrialError, TrialReport
from twinwall.game.deals.deal import deal_tiles, walls_digest
from twinwall.game.rules import wall_layout
from vision.cameras.port import use_one_thread

_COMMITMENT = "a test deal has none"


@takes(
    settings_file("the table's"),
    argument("--deals", type=int, default=1, metavar="N", help="number of deals, one after the other (default 1)"),
    argument("--seed", metavar="SEED", type=int, help="of the first deal; the next ones follow (default: another each time)"),
    argument("--patience", type=float, default=300.0, metavar="S", help="give a build up after this many seconds (default 300)"),
    JSON,
    TRACE,
    about="Build walls of a random deal with a table's feeder and gate camera, return every tile to the gate, and read it again. "
    "The table's controller must not be running. Exit 1 when a tile was read otherwise the second time, or a deal could not be ended.",
)
def run_test_deals(arguments: argparse.Namespace) -> bool:
    """Run the test deals, and print the report of each as it ends."""
    if arguments.deals < 1:
        raise UsageError(f"feeder test-deal: --deals is {arguments.deals}, but must be at least 1")
    if not 0 < arguments.patience < math.inf:
        raise UsageError(f"feeder test-deal: --patience is {arguments.patience:g}, but must be a time above 0 s")
    logs.trace_frames(arguments)
    settings = load(arguments.settings, TableSettings)
    first = random.SystemRandom().randrange(1 << 31) if arguments.seed is None else arguments.seed
    reports: list[TrialReport] = []
    with ExitStack() as stack:
        trial = _trial(settings, stack, arguments.patience)
        problem = ""
        for number in range(1, arguments.deals + 1):
            try:
                reports.append(trial.run(test_deal(settings.rules.name, table_setup(settings), number, first + number - 1)))
            except TrialError as error:
                problem = f"test deal {number} of {arguments.deals}: {error}"
                tell(problem)
                break
            if not arguments.json:
                print(in_words(number, reports[-1]), flush=True)
    if arguments.json:
        print(json.dumps({"seed": first, "deals": [{**asdict(report), "good": report.good} for report in reports], "problem": problem}))
    elif len(reports) > 1:
        print(_together(reports))
    return not problem and all(report.good for report in reports)


def test_deal(rules: str, setup: Setup, number: int, seed: int) -> OpenDeal:
    """A random deal of a rule set, without a commitment."""
    layout = wall_layout(rules)
    tiles = list(layout.tiles)
    random.Random(seed).shuffle(tiles)  # noqa: S311 - this deal is not played
    walls, rest = deal_tiles(tuple(tiles), layout.wall_size)
    return OpenDeal(number, setup.session, 1, rules, _COMMITMENT, walls, walls_digest(walls, rest).hex(), rest, setup.rules.shared_rows)


def in_words(number: int, report: TrialReport) -> str:
    """One test deal in a line, and a line for each place to check."""
    lines = [
        f"test deal {number}: built in {report.build_s:g} s from {report.shown} showings ({report.refused} not read at the first look), "
        f"{report.agreed} of {report.positions} read again as built in {report.read_back_s:g} s"
    ]
    lines += [f"  seat {seat}, place {index}: read otherwise the second time" for seat, index in report.differing]
    lines += [f"  seat {seat}, place {index}: could not be read again" for seat, index in report.unread]
    lines += [f"  staff were called: {code}" for code in report.faults]
    return "\n".join(lines)


def _together(reports: list[TrialReport]) -> str:
    positions, agreed = sum(report.positions for report in reports), sum(report.agreed for report in reports)
    differing = sum(len(report.differing) for report in reports)
    longest = max(report.build_s for report in reports)
    return (
        f"{len(reports)} test deals: {agreed} of {positions} tiles read again as built, {differing} otherwise; longest build {longest:g} s"
    )


def _trial(settings: TableSettings, stack: ExitStack, patience_s: float) -> Trial:
    """Feeder and gate camera, started; ``stack`` stops them."""
    use_one_thread()
    messages: queue.SimpleQueue[Message] = queue.SimpleQueue()
    setup = table_setup(settings)
    cameras = [stack.enter_context(closing(each)) for each in open_gate_cameras(settings.camera)]
    gates = gate_workers(settings, cameras, messages.put)
    feeder = feeder_port(settings, messages.put, setup.capabilities, None)
    for start, stop in (*((each.start, each.stop) for each in gates), (feeder.start, feeder.stop)):
        start()
        stack.callback(stop)

    def take(within_s: float) -> Message | None:
        try:
            return messages.get(timeout=within_s)
        except queue.Empty:
            return None

    asked, clock = partial(ask_gate, gates), SystemClock()
    return Trial(
        setup, feeder, feeder.acknowledge, asked, clock, take, messages.put, lambda what: tell(f"  {what}"), time.monotonic, patience_s
    )
