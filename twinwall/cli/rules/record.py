"""``twinwall record``: decodes what camera, gates and keys told of a hand into its hand record, and says why."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from controller.recorder.decoded_document import decoded_document
from controller.recorder.decoder import HandDecoder
from controller.recorder.observation_file import decode_lines
from controller.recorder.signals import Decoded, Question
from controller.recorder.tracks import Track
from controller.recorder.violations import PathViolation
from twinwall.cli import Subparsers
from twinwall.cli.errors import EXIT_GOOD, EXIT_NO, UsageError
from twinwall.game.documents import DocumentError
from twinwall.game.play_events import PlayEvent
from twinwall.game.play_json import to_json
from twinwall.game.rules import RuleSetError

_KINDS_TOLD = 3


def register(subparsers: Subparsers) -> None:
    """Add ``twinwall record``."""
    parser = subparsers.add_parser("record", help="decode the observations of a hand into its hand record")
    parser.add_argument("observations", type=Path, metavar="FILE", help="an observation file (twinwall-observations-1)")
    parser.add_argument("--explain", type=int, metavar="SEQ", help="say why the event of this number is in the record")
    parser.add_argument("--json", action="store_true", help="one JSON document with the record, the margins and the questions")
    parser.set_defaults(func=_run)


def _run(arguments: argparse.Namespace) -> int:
    """0 when the hand is recorded to its end without a question, 1 when somebody must be asked."""
    try:
        with arguments.observations.open("rb") as lines:
            hand, decoder, events = decode_lines(lines)
    except OSError as error:
        raise UsageError(f"{arguments.observations} cannot be read: {error.strerror}") from None
    except (DocumentError, RuleSetError) as error:
        raise UsageError(f"{arguments.observations}: {error}") from None
    document = decoded_document(hand, decoder, events)
    if arguments.explain is not None:
        print(_explained(decoder, events, arguments.explain))
    elif arguments.json:
        print(json.dumps(document, ensure_ascii=False))
    else:
        print(json.dumps(document["record"], ensure_ascii=False))
        for found in decoder.told_violations.values():
            print(_violation_words(found.violation), file=sys.stderr)
        for question in decoder.questions:
            print(_question_words(question), file=sys.stderr)
        if not decoder.complete:
            print("the observations end before the hand does", file=sys.stderr)
    return EXIT_GOOD if decoder.complete and not decoder.questions else EXIT_NO


def _violation_words(violation: PathViolation) -> str:
    return f"violation at {violation.at_ms} ms: {violation.kind} by {violation.seat.value}, though {violation.rule}"


def _question_words(question: Question) -> str:
    if question.violation is not None:
        return f"in doubt (margin {question.margin}): was there a {_violation_words(question.violation)}?"
    kinds = f"; by the camera alone {' '.join(kind.text for kind in question.kinds[:_KINDS_TOLD])}" if question.kinds else ""
    return f"event {question.number} is in doubt (margin {question.margin}): {_event(question.paths[0])}{kinds}"


def _event(event: PlayEvent | None) -> str:
    return "another course of play" if event is None else json.dumps(to_json(event), ensure_ascii=False)


def _explained(decoder: HandDecoder, events: tuple[Decoded, ...], number: int) -> str:
    """Why an event was believed: its time, its parts, its tiles, and what the next best path says instead."""
    event = next((event for event in events if event.number == number), None)
    if event is None:
        raise UsageError(f"there is no event {number}: the record has {len(events)}")
    lines = [f"event {number} at {event.grounds.at_ms} ms: {_event(event.event)}"]
    doubt = "of the tile's kind" if event.kind_in_doubt else f"to {_event(event.rival)}"
    lines.append(f"margin {event.margin} nats, {doubt}")
    lines += [f"  {name}: {cost} nats" for name, cost in event.grounds.costs]
    lines += [_track_words(decoder.tracks[track]) for track in event.grounds.tracks]
    return "\n".join(lines)


def _track_words(track: Track) -> str:
    evidence = track.evidence
    kinds = ", ".join(f"{kind.text} {evidence.logs[kind]:.1f}" for kind in evidence.by_camera()[:_KINDS_TOLD])
    gone = "still lies" if track.gone_ms is None else f"gone at {track.gone_ms} ms"
    where = f"({track.x_mm:.0f}, {track.y_mm:.0f}) mm"
    return f"  a tile at {where}, seen first at {track.appeared_ms} ms, {gone}; {evidence.frames} looks, {evidence.sure} sure: {kinds}"
