"""The subjects of questions: what each question of a hand asks about its event, in words that no other question of that event has.

An answer names the event's number and these words, and is a line of the hand's file. The words follow from the question alone wherever that
is enough to tell it from others, since an answer about a kind adds other questions at the same event or takes them away.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from controller.recorder.signals import Question

KIND, COURSE = "kind", "course"
"""What is asked: of which kind an event's tile is, or whether the events from this one on happened."""


def with_subjects(questions: Iterable[Question]) -> Iterator[Question]:
    """The questions of one hand, each with what it is ``about``. A running number tells apart those that would be about the same."""
    met = Counter[tuple[int, str]]()
    for question in questions:
        about = _about(question)
        met[question.number, about] += 1
        count = met[question.number, about]
        yield replace(question, about=about if count == 1 else f"{about} {count}")


def _about(question: Question) -> str:
    """What is asked. About an event there is one question at most; a violation, and tiles that nothing explains, have their time too."""
    if question.violation is not None:
        return f"{question.violation.kind.value} {question.violation.seat.value} {question.before_ms}"
    if question.kinds:
        return KIND
    return COURSE if question.paths[0] is not None else f"{COURSE} {question.before_ms}"
