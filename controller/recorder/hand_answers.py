"""People's answers to the questions of a finished hand, and the hand that the decoder makes with them.

An answer names the event and the question's subject, and gives a kind of tile, or yes, no or unknown. A kind is evidence, and the hand is
decoded again; other answers are only noted. The last answer to a question counts. Answers, or another version of the decoder, may renumber
events, so an answer also names the place and the time of its question.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from msgspec import Struct

from controller.recorder import costs
from controller.recorder.decoder import HandDecoder
from controller.recorder.signals import AskedMs, Count, Decoded, MatMm, Question
from twinwall.game.play_events import HandShown, TileDiscarded, WinDeclared
from twinwall.game.tiles import NotationError, Seat, Tile, parse_tile
from twinwall.values import frozen

YES, NO, UNKNOWN = "yes", "no", "unknown"
"""Answers other than a kind. A question about a kind allows only ``unknown`` of these."""


class AnswerRefusedError(ValueError):
    """An answer that changes nothing; the message says why."""


class NotAskedError(AnswerRefusedError):
    """An answer to a question that is not asked."""


class GivenAnswer(Struct, frozen=True, forbid_unknown_fields=True, tag_field="line", tag="answer", omit_defaults=True):
    """What ``by`` said at a time (RFC 3339) about the event ``number``: a line of an observation file. Place and time are those of the
    question; None in files of version 0.9.0."""

    number: Count
    about: str
    said: str
    by: str
    at: str
    x_mm: MatMm | None = None
    y_mm: MatMm | None = None
    before_ms: AskedMs | None = None

    def placed(self, question: Question) -> GivenAnswer:
        """Return the answer with the place and time of its question."""
        x_mm, y_mm = round(question.x_mm, 1), round(question.y_mm, 1)
        return GivenAnswer(self.number, self.about, self.said, self.by, self.at, x_mm, y_mm, question.before_ms)

    def is_about(self, other: Question | GivenAnswer) -> bool:
        """Whether it answers this question, or the same one as another answer. Without a place or time, event and subject alone decide."""
        return (
            self.subject == other.subject
            and _near(self.x_mm, other.x_mm, costs.ASIDE_MM)
            and _near(self.y_mm, other.y_mm, costs.ASIDE_MM)
            and _near(self.before_ms, other.before_ms, costs.MOMENT_MS)
        )

    @property
    def subject(self) -> tuple[int, str]:
        return self.number, self.about

    @property
    def kind(self) -> Tile | None:
        """The kind in the answer, if any; raises NotationError."""
        return None if self.said in (YES, NO, UNKNOWN) else parse_tile(self.said)


@frozen
class SettledQuestion:
    """A question and its last answer; ``given``: the number of its answers."""

    question: Question
    answer: GivenAnswer
    given: int

    def is_so_in(self, decoded: DecodedHand) -> bool:
        """Whether a record has the kind of the answer; True without a kind."""
        kind = self.answer.kind if self.question.kinds else None
        return kind is None or _holds(decoded, self.question, kind)


@frozen
class DecodedHand:
    decoder: HandDecoder
    events: tuple[Decoded, ...]
    settled: tuple[SettledQuestion, ...] = ()

    @property
    def open(self) -> tuple[Question, ...]:
        return tuple(question for question in self.decoder.questions if not any(each.answer.is_about(question) for each in self.settled))

    def question_of(self, answer: GivenAnswer) -> Question:
        """Return the question that an answer is about, an open one first; raises NotAskedError."""
        asked = (*self.open, *(each.question for each in self.settled))
        question = next((each for each in asked if answer.is_about(each)), None)
        if question is None:
            raise _not_asked(answer.number, asked)
        return question

    def with_answers(self, given: Sequence[GivenAnswer]) -> DecodedHand:
        """Return the hand with these answers, if this one was decoded without any; answers to other questions have no effect."""
        decoded = self
        for answers in _by_question(given):
            decoded = decoded._settled_by(answers)
        return decoded

    def _settled_by(self, answers: Sequence[GivenAnswer]) -> DecodedHand:
        """Return the hand with the answers to one more question; the last one counts."""
        answer = answers[-1]
        question = next((each for each in self.decoder.questions if answer.is_about(each)), None)
        if question is None:
            return self
        decoder, events = self.decoder.copied(), self.events
        if question.kinds and answer.kind is not None:
            decoder.answered(question, answer.kind)
            events = decoder.finish()
        return DecodedHand(decoder, events, (*self.settled, SettledQuestion(question, answer, len(answers))))

    def answered(self, given: Sequence[GivenAnswer], answer: GivenAnswer) -> DecodedHand:
        """Return the hand with the ``given`` answers and one more, if this one was decoded without any.

        Raises:
            NotAskedError: the question is not asked.
            AnswerRefusedError: no legal hand has the answer.
        """
        before = self.with_answers(given)
        return self.one_more(before, given, answer.placed(before.question_of(answer)))

    def read(self, lines: Sequence[GivenAnswer]) -> tuple[DecodedHand, tuple[GivenAnswer, ...], dict[int, str]]:
        """Return the hand with the answers of a file, those that count, and by index why others were refused; this one was decoded without
        any. Refused answers were written by another program, or accepted by an earlier version of the decoder."""
        decoded, given, refused = self, list[GivenAnswer](), dict[int, str]()
        for index, answer in enumerate(lines):
            try:
                decoded = self.one_more(decoded, given, answer)
            except NotAskedError:
                continue
            except AnswerRefusedError as error:
                refused[index] = str(error)
                continue
            given.append(answer)
        return decoded, tuple(given), refused

    def one_more(self, before: DecodedHand, given: Sequence[GivenAnswer], answer: GivenAnswer) -> DecodedHand:
        """As ``answered``; ``before`` is the hand with the ``given`` answers, and the answer names its place."""
        question = before.question_of(answer)
        kind = _said_kind(question, answer)
        rest = [each for each in given if not each.is_about(answer)]
        again = len(rest) < len(given)
        others = self.with_answers(rest) if again else before
        after = self.with_answers((*given, answer)) if again else before._settled_by([answer])
        _refuse_unreported(before, after, answer)
        if (kind is not None and not _holds(after, question, kind)) or not _explains_as_much(others, after):
            raise AnswerRefusedError(
                f"event {answer.number} cannot be {answer.said}: no hand that the rules allow has that and all else that was seen and "
                "answered. The record stays as it was"
            )
        if others.decoder.complete and not after.decoder.complete:
            raise AnswerRefusedError(
                f"with {answer.said} as event {answer.number} the hand does not come to its end as it was seen. The record stays as it was"
            )
        return after


def _by_question(given: Iterable[GivenAnswer]) -> list[list[GivenAnswer]]:
    """Return the answers to each question, in the order of their first ones: later questions may follow from them."""
    found = list[list[GivenAnswer]]()
    for answer in given:
        same = next((answers for answers in found if all(map(answer.is_about, answers))), None)
        if same is None:
            found.append([answer])
        else:
            same.append(answer)
    return found


def _near(one: float | None, other: float | None, most: float) -> bool:
    return one is None or other is None or abs(one - other) <= most


def question_about(decoded: DecodedHand, number: int) -> Question:
    """Return the open question about an event, the one about its tile first; raises NotAskedError."""
    found = sorted((each for each in decoded.open if each.number == number), key=lambda each: not each.kinds)
    if not found:
        raise _not_asked(number, decoded.open)
    return found[0]


def _not_asked(number: int, questions: Iterable[Question]) -> NotAskedError:
    numbers = sorted({question.number for question in questions})
    if number in numbers:
        return NotAskedError(f"something else is asked about event {number}")
    asked = f"asked about: {', '.join(map(str, numbers))}" if numbers else "nothing is asked about this hand"
    return NotAskedError(f"event {number} is not asked about; {asked}")


def _said_kind(question: Question, answer: GivenAnswer) -> Tile | None:
    """Return the kind in an answer, or None; raises AnswerRefusedError if the question does not allow the answer."""
    number, allowed = question.number, (UNKNOWN,) if question.kinds else (YES, NO, UNKNOWN)
    if answer.said in allowed:
        return None
    if not question.kinds:
        raise AnswerRefusedError(f"event {number} is asked about as a whole: the answer is {', '.join(allowed)}, not {answer.said!r}")
    try:
        kind = parse_tile(answer.said)
    except NotationError as error:
        raise AnswerRefusedError(f"event {number}: {error}; answer {UNKNOWN} if it is not known") from None
    if kind not in question.kinds:
        raise AnswerRefusedError(f"event {number}: {kind.text} is none of the tiles of these rules")
    return kind


def _refuse_unreported(before: DecodedHand, after: DecodedHand, answer: GivenAnswer) -> None:
    """Raise AnswerRefusedError if an answer undoes what was said to another question and the record ``before`` has."""
    for settled in (each for each in before.settled if not each.answer.is_about(answer)):
        said = settled.answer
        if settled.is_so_in(before) and not settled.is_so_in(after):
            raise AnswerRefusedError(
                f"with {answer.said} as event {answer.number}, event {said.number} would not be {said.said}, as {said.by or 'somebody'} "
                f"has said: answer the question about event {said.number} otherwise first. The record stays as it was"
            )


def _holds(decoded: DecodedHand, question: Question, kind: Tile) -> bool:
    """Whether the record has the question's event, under any number, with its tile of this kind."""
    disputed, track = question.paths[0], question.track
    alike = [each for each in decoded.events if type(each.event) is type(disputed)]
    if track is not None:
        return any(track in each.grounds.tracks for each in alike) and decoded.decoder.explained.get(track) is kind
    assert isinstance(disputed, TileDiscarded), "of a tile without a track only a discard that no frame saw is asked about"
    return replace(disputed, tile=kind) in (each.event for each in alike if not each.grounds.tracks)


def _explains_as_much(others: DecodedHand, after: DecodedHand) -> bool:
    """Whether the record ``after`` an answer explains every tile that it does without it, and has no new unseen and unheard win."""
    explained = after.decoder.unexplained <= others.decoder.unexplained
    return explained and _wins_on_nothing(after) <= _wins_on_nothing(others)


def _wins_on_nothing(decoded: DecodedHand) -> set[tuple[Seat, Seat | None]]:
    """Return the wins without a key or a tile: winner, and seat of the discard."""
    known = (each.event for each in decoded.events if each.grounds.keys or each.grounds.tracks)
    reported = {event.seat for event in known if isinstance(event, WinDeclared | HandShown)}
    wins = (each.event for each in decoded.events if isinstance(each.event, WinDeclared))
    return {(win.seat, win.source) for win in wins if win.seat not in reported}
