"""``python -m tools.rehearsal``: a centre with its venues on this machine, on real brokers; parts of it are killed meanwhile.

Exit 0 where no line was lost or doubled and the ranking is that of the tables, 1 where one was, 2 for a rehearsal that cannot run.
"""

import argparse
import hashlib
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import msgspec

from cli.demo.supervisor import end_in_order
from cli.usage import EXIT_GOOD, EXIT_INTERRUPTED, EXIT_NO, EXIT_WRONG_USE, UsageError
from tools.rehearsal.programs import ProgramError
from tools.rehearsal.rehearsal import CentreRehearsal
from tools.rehearsal.rehearsal_settings import KillError, RehearsalSettings, SessionScripts, parse_kill, part_names
from tools.rehearsal.report import RehearsalReport, sentences
from tools.rehearsal.scripted_venue import played_script
from twinwall.game.deals import SEED_SIZE, Seed, Start, StartedPlan, commit, make_deal, plan_sessions
from twinwall.game.rules import DEFAULT_RULES

EVENT = "Rehearsal"
HOLDER = "server"
PUBLIC = "rehearsal"
MOST_NODES = 5
RESULT_LINES = frozenset(
    {
        "start-fixed",
        "controller-started",
        "deal-opened",
        "wall-ready",
        "hand-started",
        "win-declared",
        "settled",
        "hand-ended",
        "hand-closed",
    }
)
"""What is left of a hand with --lines results."""


def main(words: Sequence[str]) -> int:
    """Rehearse as the words of a command line ask; the exit code."""
    try:
        return _rehearse(_parser().parse_args(words))
    except UsageError as error:
        print(f"rehearsal: {error}", file=sys.stderr)
        return EXIT_WRONG_USE
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tools.rehearsal",
        description="Start a centre and its venues here, kill parts of it, and count the lines.",
    )
    parser.add_argument("--venues", type=int, default=3, metavar="N", help="venues (3)")
    parser.add_argument("--tables", type=int, default=6, metavar="M", help="tables of all venues together (6)")
    parser.add_argument("--hands", type=int, default=2, metavar="N", help="hands that each table plays (2)")
    long = parser.add_mutually_exclusive_group()
    long.add_argument("--seconds", type=float, default=30.0, metavar="S", help="how long the tables take for them (30)")
    long.add_argument("--minutes", type=lambda text: 60.0 * float(text), dest="seconds", metavar="M", help="the same in minutes")
    parser.add_argument("--lines", choices=("all", "results"), default="all", help="every line of a hand, or those that tell its result")
    parser.add_argument("--scripts", type=int, default=2, metavar="N", help="hands that are played differently; tables share them (2)")
    for word, what in (("nodes", "RabbitMQ nodes"), ("databases", "PostgreSQL nodes"), ("consumers", "consumers")):
        parser.add_argument(f"--{word}", type=int, default=1, metavar="N", help=f"{what} (1)")
    parser.add_argument(
        "--kill",
        action="append",
        default=[],
        metavar="WHAT",
        help="what to kill: NAME[+NAME...][@SHARE-OF-SESSION][:SECONDS-AWAY], such as rabbitmq-1+gateway-2@0.3:5; may be given again",
    )
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep the files and logs in this new folder")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    return parser


def _rehearse(args: argparse.Namespace) -> int:
    settings = _settings(args)
    end_in_order()
    with tempfile.TemporaryDirectory(prefix="twinwall-centre-") as made:
        Path(made).chmod(0o711)  # PostgreSQL that root starts runs as nobody, in a folder below
        folder: Path = args.keep or Path(made) / "centre"
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            raise UsageError(f"{folder} exists: name a new folder") from None
        session = _played(folder, args)
        try:
            with CentreRehearsal(folder, settings, session, _say) as rehearsal:
                report = rehearsal.run()
        except ProgramError as error:
            raise UsageError(str(error)) from None
    _print(report, as_json=args.json)
    return EXIT_GOOD if report.holds else EXIT_NO


def _settings(args: argparse.Namespace) -> RehearsalSettings:
    """What is asked for; raises UsageError."""
    for word, least in (
        ("venues", 1),
        ("tables", args.venues),
        ("hands", 1),
        ("scripts", 1),
        ("nodes", 1),
        ("databases", 1),
        ("consumers", 1),
    ):
        if getattr(args, word) < least:
            raise UsageError(f"--{word} {getattr(args, word)}: {least} or more")
    if args.hands > 16 or args.nodes > MOST_NODES or not args.seconds > 0:
        raise UsageError(f"--hands is at most 16, --nodes at most {MOST_NODES}, --seconds above 0")
    settings = RehearsalSettings(args.venues, args.tables, args.nodes, args.seconds, args.consumers, args.databases)
    try:
        return replace(settings, kills=[parse_kill(text, part_names(settings)) for text in args.kill])
    except KillError as error:
        raise UsageError(f"--kill: {error}") from None


def _played(folder: Path, args: argparse.Namespace) -> SessionScripts:
    """A plan whose seed anybody knows, and what tables say that play its deals."""
    seeds = {HOLDER: Seed(hashlib.shake_256(b"twinwall rehearsal seed").digest(SEED_SIZE))}
    plan = plan_sessions(EVENT, DEFAULT_RULES, sessions=1, hands=args.hands, holders=[HOLDER], public=PUBLIC)
    root = commit(plan, seeds).root
    started = StartedPlan(plan, Start(plan.digest, root, PUBLIC))
    deals = [make_deal(plan, seeds, n, PUBLIC, root) for n in range(1, args.hands + 1)]
    _say(f"playing {args.hands} hands in {args.scripts} ways")
    scripts = []
    for number in range(args.scripts):
        own = folder / f"script-{number}"
        own.mkdir()
        script = played_script(own, started.start, deals, number)
        scripts.append([line for line in script if args.lines == "all" or line[0] in RESULT_LINES])
    return SessionScripts(started, scripts, version("twinwall"))


def _print(report: RehearsalReport, *, as_json: bool) -> None:
    if as_json:
        sys.stdout.buffer.write(msgspec.json.format(msgspec.json.encode(report), indent=2) + b"\n")
        return
    for sentence in sentences(report):
        print(sentence)


def _say(sentence: str) -> None:
    print(f"rehearsal: {sentence}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
