"""``twinwall replay``: play a hand record again by the rules, and say whether it holds."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from twinwall.cli import Subparsers
from twinwall.cli.errors import EXIT_GOOD, EXIT_NO, UsageError
from twinwall.game.documents import DocumentError
from twinwall.game.record import HandRecord, Replay, replay
from twinwall.game.rules import RuleSetError
from twinwall.game.session import hand_name
from twinwall.game.tiles import SEATS


def register(subparsers: Subparsers) -> None:
    """Add ``twinwall replay``."""
    parser = subparsers.add_parser("replay", help="play a hand record again by the rules and check its scores")
    parser.add_argument("record", type=Path, metavar="FILE", help="a hand record (twinwall-hand-1)")
    parser.add_argument("--json", action="store_true", help="one JSON document")
    parser.set_defaults(func=_run)


def _run(arguments: argparse.Namespace) -> int:
    try:
        record = HandRecord.from_json(arguments.record.read_text(encoding="utf-8"))
        played = replay(record)
    except (DocumentError, RuleSetError, UnicodeDecodeError) as error:
        raise UsageError(f"{arguments.record}: {error}") from error
    holds = played.legal and played.state.ended is not None and dict(played.scores) == dict(record.scores)
    print(json.dumps(_document(record, played, holds=holds), ensure_ascii=False) if arguments.json else _words(record, played, holds=holds))
    return EXIT_GOOD if holds else EXIT_NO


def _document(record: HandRecord, played: Replay, *, holds: bool) -> dict[str, object]:
    scores = {seat.value: played.scores[seat] for seat in SEATS}
    return {"table": record.table, "n": record.n, "hand": record.hand, "holds": holds, "scores": scores, "events": played.verdicts_json()}


def _words(record: HandRecord, played: Replay, *, holds: bool) -> str:
    lines = [f"table {record.table}, deal {record.n} ({hand_name(record.hand)}), {record.rules}: {len(record.events)} events"]
    lines += [f"event {number} is not legal: {verdict.sentence}" for number, verdict in enumerate(played.verdicts, 1) if verdict]
    if played.state.ended is None:
        lines.append("the hand is not over")
    lines.append("scores by the rules    " + "  ".join(f"{seat.value} {played.scores[seat]:+d}" for seat in SEATS))
    lines.append("scores in the record   " + "  ".join(f"{seat.value} {record.scores[seat]:+d}" for seat in SEATS))
    with_walls = "with its walls" if record.walls is not None else "without walls (they are added at release)"
    lines.append(f"the record {'holds' if holds else 'does not hold'}, {with_walls}")
    return "\n".join(lines)
