"""``twinwall replay``: replays hand records by the rules and says whether they hold, or steps through one."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from twinwall.cli import Subparsers
from twinwall.cli.errors import EXIT_GOOD, EXIT_NO, UsageError
from twinwall.cli.record_files import is_list, records_in, text_of_file
from twinwall.cli.rules.replay_steps import StepView, screen, state_line, step_through
from twinwall.cli.terminal_keys import pressed_keys
from twinwall.event.replay.moments import moments
from twinwall.event.replay.steps import NoWallsError, replay_document
from twinwall.game.record import HandRecord
from twinwall.game.replay import Replay, replay
from twinwall.game.rules import RuleSetError
from twinwall.game.session import hand_name
from twinwall.game.tiles import SEATS, Seat

_CLEAR = "\x1b[2J\x1b[H"
"""Empties the terminal."""


def register(subparsers: Subparsers) -> None:
    """Add ``twinwall replay``."""
    parser = subparsers.add_parser("replay", help="play a hand record again by the rules and check its scores")
    parser.add_argument("record", type=Path, metavar="FILE", help="a hand record (twinwall-hand-1), or a list of them as export writes it")
    parser.add_argument("--steps", action="store_true", help="step through a hand with keys; with --json one state per line")
    parser.add_argument("--number", type=int, default=1, metavar="N", help="the hand of the list to step through, from 1 (1)")
    parser.add_argument("--seat", choices=[seat.value for seat in SEATS], help="show the hand of this seat alone")
    parser.add_argument("--tiles", choices=("text", "unicode"), default="text", help="tiles as notation, or as Unicode's pictures (text)")
    parser.add_argument("--lenient", action="store_true", help="step through a hand with an illegal event up to there")
    parser.add_argument("--json", action="store_true", help="one JSON document")
    parser.set_defaults(func=_run)


def _run(arguments: argparse.Namespace) -> int:
    """0 when every record holds, 1 when one does not, 2 when one cannot be read."""
    records = records_in(arguments.record)
    if arguments.steps:
        return _step(arguments, records)
    try:
        replayed = [(record, replay(record)) for record in records]
    except RuleSetError as error:
        raise UsageError(f"{arguments.record}: {error}") from error
    if arguments.json:
        documents = [_document(record, played) for record, played in replayed]
        print(json.dumps(documents if is_list(text_of_file(arguments.record)) else documents[0], ensure_ascii=False))
    else:
        print("\n\n".join(_words(record, played) for record, played in replayed))
    return EXIT_GOOD if all(_holds(record, played) for record, played in replayed) else EXIT_NO


def _step(arguments: argparse.Namespace, records: Sequence[HandRecord]) -> int:
    """0 with the steps, 1 for a deal that is not released or an illegal event."""
    if not 1 <= arguments.number <= len(records):
        raise UsageError(f"{arguments.record} has {len(records)} hands: there is no hand {arguments.number}")
    record = records[arguments.number - 1]
    try:
        document = replay_document([_up_to_illegal(record, lenient=arguments.lenient)])
    except (NoWallsError, _IllegalEventError) as error:
        print(f"twinwall: {arguments.record}: {error}", file=sys.stderr)
        return EXIT_NO
    except RuleSetError as error:
        raise UsageError(f"{arguments.record}: {error}") from error
    view = StepView(None if arguments.seat is None else Seat(arguments.seat), arguments.tiles == "unicode")
    if arguments.json:
        for moment in moments(document):
            print(state_line(moment, view))
    elif sys.stdin.isatty() and sys.stdout.isatty():
        step_through(document, 0, view, pressed_keys(), lambda text: print(f"{_CLEAR}{text}", flush=True))
    else:
        print("\n\n".join(screen(moment, document, 0, view) for moment in moments(document)))
    return EXIT_GOOD


class _IllegalEventError(Exception):
    """A hand that cannot be stepped through to its end."""


def _up_to_illegal(record: HandRecord, *, lenient: bool) -> HandRecord:
    """The record, or where that is asked for its part before the first illegal event."""
    if record.walls is None:
        return record
    found = replay(record).first_illegal
    if found is None:
        return record
    number, verdict = found
    if not lenient:
        raise _IllegalEventError(f"event {number} is not legal: {verdict.sentence}; --lenient shows the hand up to there")
    return replace(record, events=record.events[: number - 1])


def _holds(record: HandRecord, played: Replay) -> bool:
    return played.legal and played.state.ended is not None and dict(played.scores) == dict(record.scores)


def _document(record: HandRecord, played: Replay) -> dict[str, object]:
    scores = {seat.value: played.scores[seat] for seat in SEATS}
    return {
        "table": record.table,
        "n": record.n,
        "hand": record.hand,
        "holds": _holds(record, played),
        "scores": scores,
        "events": played.verdicts_json(),
    }


def _words(record: HandRecord, played: Replay) -> str:
    lines = [f"table {record.table}, deal {record.n} ({hand_name(record.hand)}), {record.rules}: {len(record.events)} events"]
    lines += played.illegal_sentences()
    if played.state.ended is None:
        lines.append("the hand is not over")
    lines.append("scores by the rules    " + "  ".join(f"{seat.value} {played.scores[seat]:+d}" for seat in SEATS))
    lines.append("scores in the record   " + "  ".join(f"{seat.value} {record.scores[seat]:+d}" for seat in SEATS))
    with_walls = "with its walls" if record.walls is not None else "without walls (they are added at release)"
    lines.append(f"the record {'holds' if _holds(record, played) else 'does not hold'}, {with_walls}")
    return "\n".join(lines)
