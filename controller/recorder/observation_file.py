"""Observation files: reports of camera, draw gates and keys about one hand as JSON lines, after a line that names the hand. The last lines
may be people's answers to the questions of that hand. The form is in docs/reference/observations.md. Also the document of the decoded hand:
record, margins, questions and violations as plain JSON."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, replace
from typing import ClassVar

import msgspec
from msgspec import Struct

from controller.recorder.decoder import AFTERWARDS, HandDecoder
from controller.recorder.hand_answers import DecodedHand, GivenAnswer, SettledQuestion
from controller.recorder.signals import MOST_SHARES, Decoded, Degrees, GateEdge, KnownDeal, MatMm, Question, Share, Signal, Square
from controller.recorder.violations import PathViolation
from twinwall.game import typed_json
from twinwall.game.deals.deal import check_walls
from twinwall.game.documents import DocumentError
from twinwall.game.play_events import HandEnded
from twinwall.game.play_json import to_json
from twinwall.game.record import NO_CHECK, HandHeading, HandRecord
from twinwall.game.rules import rule_set
from twinwall.game.tiles import SEATS, NotationError, parse_tile, place_of, round_wind
from twinwall.game.typed_json import BySeat, Tiles, read_document
from twinwall.game.walls import SeatWall
from twinwall.values import frozen
from twinwall.wire.shapes.panel import AtMs, KeyEdge
from vision.mat_observation import MatObservation, ObservedTile


@frozen
class ObservedHand(HandHeading):
    """Which hand is observed: the first line of the file."""

    FORMAT: ClassVar = "twinwall-observations-1"

    walls: BySeat[SeatWall] | None = None
    rest: Tiles | None = None
    gates: bool = True

    def decoder(self) -> HandDecoder:
        """Return a decoder that has seen nothing yet; raises RuleSetError for unknown rules or options."""
        deal = None if self.walls is None else KnownDeal(self.walls, self.rest or ())
        places = {seat: place_of(seat, self.hand) for seat in SEATS}
        return HandDecoder(rule_set(self.rules, self.options), places, round_wind(self.hand), deal, gates=self.gates, limits=AFTERWARDS)

    def record(self, events: Iterable[Decoded]) -> HandRecord:
        """Return the hand record of these events; scores are 0 if the hand did not reach its end."""
        happened = tuple(event.event for event in events)
        ended = next((event for event in happened if isinstance(event, HandEnded)), None)
        scores = dict.fromkeys(SEATS, 0) if ended is None else dict(ended.scores)
        heading = {each.name: getattr(self, each.name) for each in fields(HandHeading)}
        return HandRecord(**heading, events=happened, scores=scores, walls=self.walls, rest=self.rest)


def ordinary_hand(table: str, rules: str, hand: int, n: int = 1) -> ObservedHand:
    """Return a hand without deal and draw gates; its players are named by their places."""
    players = {seat: str(place_of(seat, hand) + 1) for seat in SEATS}
    return ObservedHand("record only", 1, hand, n, table, rules, {}, players, NO_CHECK, gates=False)


class _TileForm(Struct, forbid_unknown_fields=True, omit_defaults=True):
    x_mm: MatMm
    y_mm: MatMm
    angle_deg: Degrees
    face_up: bool = True
    shares: dict[str, Share] = {}
    sure: bool = False


class _MatLine(Struct, forbid_unknown_fields=True, tag_field="line", tag="mat", omit_defaults=True):
    at_ms: AtMs
    tiles: tuple[_TileForm, ...] = ()
    covered: tuple[tuple[Square, Square], ...] = ()


_Line = _MatLine | GateEdge | KeyEdge | GivenAnswer
_LINES: msgspec.json.Decoder[_Line] = msgspec.json.Decoder(_Line)


def decode_lines(lines: Iterable[bytes]) -> tuple[ObservedHand, DecodedHand]:
    """Decode a file line by line, so that its size does not matter; return its hand, decoded with the answers of the file. Raises
    DocumentError naming a line that is not understood or goes back in time, and RuleSetError for unknown rules or options."""
    hand, decoded, answers = decode_signals(lines)
    return hand, decoded.with_answers(answers)


def decode_signals(
    lines: Iterable[bytes], left_out: Callable[[str], object] = lambda _: None
) -> tuple[ObservedHand, DecodedHand, tuple[GivenAnswer, ...]]:
    """As ``decode_lines``, but decode without the answers, and return those that count. ``left_out`` is called with a sentence about a torn
    last line (power cut) and about each answer that has no effect."""
    left, answers, first_answer = iter(lines), list[GivenAnswer](), 2
    hand = read_document(next(left, b""), ObservedHand, "line 1 of the observations")
    if hand.walls is not None:
        check_walls(hand.rules, hand.walls, hand.rest or (), "line 1 of the observations")
    decoder = hand.decoder()
    for number, signal in enumerate(_in_order(_whole(left, left_out)), 2):
        if isinstance(signal, GivenAnswer):
            first_answer = first_answer if answers else number
            answers.append(signal)
        else:
            decoder.hear(signal)
    alone = DecodedHand(decoder, decoder.finish())
    _, taken, refused = alone.read(answers)
    for index, why in refused.items():
        left_out(f"line {first_answer + index} of the observations is an answer that has no effect: {why}")
    return hand, alone, taken


def _whole(lines: Iterator[bytes], left_out: Callable[[str], object] = lambda _: None) -> Iterator[bytes]:
    """Yield the lines after the first one, without a torn last one: it has no line feed and is not JSON."""
    last: bytes | None = None
    number = 1
    for line in lines:
        if last is not None:
            yield last
        last, number = line, number + 1
    if last is None:
        return
    if last.endswith(b"\n") or _is_json(last):
        yield last
    else:
        left_out(f"line {number} of the observations is torn, as by a power cut: it is left out")


def _is_json(line: bytes) -> bool:
    try:
        typed_json.decode(line, object)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return False
    return True


def rounded(observation: MatObservation) -> MatObservation:
    """Return an observation rounded to the camera's precision: hundredths of a millimetre and of a degree, millionths of a share. So
    decoding live equals decoding the file, at half its size."""
    return replace(observation, tiles=tuple(map(_rounded_tile, observation.tiles)))


def _rounded_tile(tile: ObservedTile) -> ObservedTile:
    shares = {kind: round(share, 6) for kind, share in tile.shares.items()}
    angle_deg = round(tile.angle_deg, 2) % 180
    return replace(tile, x_mm=round(tile.x_mm, 2), y_mm=round(tile.y_mm, 2), angle_deg=angle_deg, shares=shares)


def line_of(signal: Signal) -> bytes:
    match signal:
        case GateEdge() | KeyEdge():
            return msgspec.json.encode(signal)
        case MatObservation(at_ms, tiles, covered):
            return msgspec.json.encode(_MatLine(at_ms, tuple(map(_tile_form, tiles)), tuple(sorted(covered))))


def _tile_form(tile: ObservedTile) -> _TileForm:
    shares = {kind.text: share for kind, share in tile.shares.items()}
    return _TileForm(tile.x_mm, tile.y_mm, tile.angle_deg, tile.face_up, shares, tile.sure)


def _in_order(lines: Iterable[bytes]) -> Iterator[Signal | GivenAnswer]:
    before_ms: int | None = None
    answered = False
    for number, line in enumerate(_understood(lines), 2):
        if isinstance(line, GivenAnswer):
            answered = True
        elif answered:
            raise DocumentError(f"line {number} of the observations comes after an answer: answers are the last lines")
        elif before_ms is not None and line.at_ms < before_ms:
            raise DocumentError(f"line {number} of the observations is of {line.at_ms} ms, before the line above it: sort them by time")
        else:
            before_ms = line.at_ms
        yield line


def signals(lines: Iterable[bytes]) -> Iterator[Signal]:
    """Yield the signals after the first line; raises DocumentError naming a line that is not understood or an answer."""
    for number, line in enumerate(_understood(lines), 2):
        if isinstance(line, GivenAnswer):
            raise DocumentError(f"line {number} of the observations is an answer: questions are asked only after the hand")
        yield line


def answers(lines: Iterable[bytes]) -> tuple[GivenAnswer, ...]:
    """Return the answers among the lines after the first; a torn last line is left out. Raises DocumentError as ``signals`` does."""
    return tuple(each for each in _understood(_whole(iter(lines))) if isinstance(each, GivenAnswer))


def _understood(lines: Iterable[bytes]) -> Iterator[Signal | GivenAnswer]:
    for number, line in enumerate(lines, 2):
        try:
            match _LINES.decode(line):
                case GateEdge() | KeyEdge() as edge:
                    if not 0 <= edge.place < len(SEATS):
                        raise ValueError(f"places are 0 to 3, not {edge.place}")
                    yield edge
                case _MatLine(at_ms=at_ms, tiles=tiles, covered=covered):
                    yield MatObservation(at_ms, tuple(map(_tile, tiles)), frozenset(covered))
                case GivenAnswer() as answer:
                    _ = answer.kind  # raises NotationError for an unknown one
                    yield answer
        except (msgspec.DecodeError, NotationError, ValueError, RecursionError) as error:
            raise DocumentError(f"line {number} of the observations: {error}") from None


def _tile(form: _TileForm) -> ObservedTile:
    shares = {parse_tile(kind): share for kind, share in form.shares.items()}
    total = sum(form.shares.values())
    if total > MOST_SHARES:
        raise ValueError(f"shares of a tile sum to 1 at most, not {total:.4f} as those of the tile at ({form.x_mm}, {form.y_mm}) mm")
    return ObservedTile(form.x_mm, form.y_mm, form.angle_deg, form.face_up, shares, form.sure)


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
