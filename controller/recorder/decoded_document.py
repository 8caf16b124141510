"""Document of a decoded hand as plain JSON: record, margins, questions and violations."""

from controller.recorder.hand_answers import DecodedHand, SettledQuestion
from controller.recorder.observation_file import ObservedHand
from controller.recorder.signals import Question
from controller.recorder.violations import PathViolation
from twinwall.game.play_json import to_json


def decoded_document(hand: ObservedHand, decoded: DecodedHand) -> dict[str, object]:
    """Return the document of a hand from a decoder that has finished. ``complete``: the decoder saw the end of the hand; ``open``: what no
    camera can decide; ``questions``: without an answer; ``answered``: with one."""
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
