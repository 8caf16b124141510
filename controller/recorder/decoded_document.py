"""Document of a decoded hand: its record, the margins of its events, what is in doubt, and the violations; as plain JSON."""

from controller.recorder.hand_answers import DecodedHand, SettledQuestion
from controller.recorder.observation_file import ObservedHand
from controller.recorder.signals import Question
from controller.recorder.violations import PathViolation
from twinwall.game.play_json import to_json


def decoded_document(hand: ObservedHand, decoded: DecodedHand) -> dict[str, object]:
    """What a decoder that has finished makes of a hand; ``complete``: whether it saw the hand's end. ``open`` is what no camera tells,
    ``questions`` wait for an answer, and ``answered`` are those of which somebody has said something."""
    found = decoded.decoder.reported_violations.values()
    return {
        "record": hand.record(decoded.events).to_json(),
        "complete": decoded.decoder.complete,
        "margins": [event.margin for event in decoded.events],
        "open": [
            {"seq": event.number, "events": [to_json(other) for other in event.left_open]} for event in decoded.events if event.left_open
        ],
        "questions": [_question(question) for question in decoded.open],
        "answered": [_settled(settled) for settled in decoded.settled],
        "violations": [_violation(each.violation) | {"margin": each.margin} for each in found],
    }


def _settled(settled: SettledQuestion) -> dict[str, object]:
    answer = settled.answer
    return _question(settled.question) | {"said": answer.said, "by": answer.by, "at": answer.at, "given": settled.given}


def _question(question: Question) -> dict[str, object]:
    return {
        "seq": question.number,
        "about": question.about,
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
