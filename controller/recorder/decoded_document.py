"""Document of a decoded hand: its record, the margins of its events, what is in doubt, and the violations; as plain JSON."""

from __future__ import annotations

from collections.abc import Sequence

from controller.recorder.decoder import HandDecoder
from controller.recorder.observation_file import ObservedHand
from controller.recorder.signals import Decoded, Question
from controller.recorder.violations import PathViolation
from twinwall.game.play_json import to_json


def decoded_document(hand: ObservedHand, decoder: HandDecoder, events: Sequence[Decoded]) -> dict[str, object]:
    """What a decoder that has finished makes of a hand; ``complete``: whether it saw the hand's end."""
    violations = (_violation(found.violation) | {"margin": found.margin} for found in decoder.told_violations.values())
    return {
        "record": hand.record(events).to_json(),
        "complete": decoder.complete,
        "margins": [event.margin for event in events],
        "questions": [_question(question) for question in decoder.questions],
        "violations": list(violations),
    }


def _question(question: Question) -> dict[str, object]:
    return {
        "seq": question.number,
        "x_mm": round(question.x_mm, 1),
        "y_mm": round(question.y_mm, 1),
        "before_ms": question.before_ms,
        "after_ms": question.after_ms,
        "kinds": [kind.text for kind in question.kinds],
        "paths": [None if path is None else to_json(path) for path in question.paths],
        "margin": question.margin,
        "violation": None if question.violation is None else _violation(question.violation),
    }


def _violation(violation: PathViolation) -> dict[str, object]:
    return {"kind": violation.kind.value, "seat": violation.seat.value, "rule": violation.rule, "at_ms": violation.at_ms}
