"""``twinwall replay``: replays hand records by the rules and says whether they hold."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from twinwall.cli import Subparsers
from twinwall.cli.errors import EXIT_GOOD, EXIT_NO, UsageError
from twinwall.cli.record_files import is_list, records_in, text_of_file
from twinwall.game.record import HandRecord
from twinwall.game.replay import Replay, replay
from twinwall.game.rules import RuleSetError
from twinwall.game.session import hand_name
from twinwall.game.tiles import SEATS


def register(subparsers: Subparsers) -> None:
    """Add ``twinwall replay``."""
    parser = subparsers.add_parser("replay", help="play a hand record again by the rules and check its scores")
    parser.add_argument("record", type=Path, metavar="FILE", help="a hand record (twinwall-hand-1), or a list of them as export writes it")
    parser.add_argument("--json", action="store_true", help="one JSON document")
    parser.set_defaults(func=_run)


def _run(arguments: argparse.Namespace) -> int:
    """0 when every record holds, 1 when one does not, 2 when one cannot be read."""
    records = records_in(arguments.record)
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
