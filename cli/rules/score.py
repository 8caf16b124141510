"""``twinwall rules score``: scores hands by a rule set, one JSON object a line in and one a line out. ``twinwall.game.typed_scores``
defines lines and answers; this module has files, lines and the exit code. ``twinwall record settle``: judges and pays a hand record from
standard input by the rules, event by event."""

import sys
from argparse import Namespace
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from cli.usage import EXIT_GOOD, EXIT_WRONG_USE, JSON, UsageError, answer, argument, takes, tell
from twinwall.game.documents import DocumentError, parse_toml
from twinwall.game.play_events import Payment
from twinwall.game.record import HandRecord
from twinwall.game.replay import Replay, replay
from twinwall.game.rule_set import NoWin, Win
from twinwall.game.rules import RuleSetError, rule_set
from twinwall.game.score_json import LONGEST_LINE, fan_json, judge_with_note, outcome_json
from twinwall.game.tiles import SEATS, Seat
from twinwall.given_files import limited_text

_DESCRIPTION = """Score hands: JSON objects on standard input, one per line; the answers come on standard output in the same order."""


@takes(
    argument("--rules", "rule set", required=True, metavar="NAME"),
    argument("--options", "TOML file with options of the rule set; a line's own go before it", type=Path),
    JSON,
    about=_DESCRIPTION,
)
def score(arguments: Namespace) -> int:
    """0 when every line could be judged, 2 when any was an error."""
    options = chosen_options(arguments.rules, arguments.options)
    code = EXIT_GOOD
    for number, line in enumerate(_lines(sys.stdin.buffer), 1):
        try:
            outcome, note = judge_with_note(line, arguments.rules, options)
        except DocumentError as error:
            code = EXIT_WRONG_USE
            sentence = f"line {number}: {error}"
            answer({"error": sentence}, f"error: {sentence}", as_json=arguments.json)
            continue
        if note and arguments.json:
            tell(f"line {number}: {note}")
        answer(outcome_json(outcome), _words(outcome, note), as_json=arguments.json)
    return code


def _lines(stream: BinaryIO) -> Iterator[bytes]:
    """The lines of a stream without their ends; of one that is too long only as much as shows that it is."""
    while line := stream.readline(LONGEST_LINE + 1):
        yield line.removesuffix(b"\n")
        while not line.endswith(b"\n") and (line := stream.readline(LONGEST_LINE)):
            pass


def _words(outcome: Win | NoWin, note: str | None) -> str:
    fans = ", ".join(f"{fan.name} {fan.value}" + (f" × {fan.count}" if fan.count > 1 else "") for fan in outcome.fans)
    if isinstance(outcome, NoWin):
        return f"no win: {outcome.reason}" + (f" ({outcome.total}: {fans})" if fans else "") + (f": {note}" if note else "")
    return f"{outcome.total}: {fans}   {seat_scores(outcome.payments)}"


def seat_scores(scores: Mapping[Seat, int]) -> str:
    return "  ".join(f"{seat.value} {scores[seat]:+d}" for seat in SEATS)


def chosen_options(rules: str, path: Path | None) -> dict[str, object]:
    """The options of a TOML file, {} without one; raises UsageError where they are not options of the rule set."""
    try:
        options = {} if path is None else parse_toml(limited_text(path), str(path))
        rule_set(rules, options)
    except RuleSetError as error:
        raise UsageError(str(error) if path is None else f"{path}: {error}") from None
    return options


@takes(
    argument("--rules", "rule set; it must be that of the record", required=True, metavar="NAME"),
    argument("--options", "TOML file with options; those of the record go before it", type=Path),
    JSON,
)
def settle(arguments: Namespace) -> bool:
    """0 when every event is legal, 1 when one is not, 2 when there is no record to judge."""
    record = HandRecord.from_json(sys.stdin.buffer.read())
    if record.rules != arguments.rules:
        raise UsageError(f"the hand record was played by {record.rules}, not {arguments.rules}")
    options = chosen_options(arguments.rules, arguments.options)
    played = replay(replace(record, options={**options, **record.options}))
    answer(_document(played), _settled_words(played), as_json=arguments.json)
    if arguments.json:
        for sentence in played.illegal_sentences():
            tell(sentence)
    return played.legal


def _document(played: Replay) -> dict[str, object]:
    return {
        "events": played.verdicts_json(),
        "fan": [fan_json(fan) for win in played.wins.values() for fan in win.fans],
        "payments": [payment.to_json() for payment in played.payments],
        "scores": {seat.value: played.scores[seat] for seat in SEATS},
    }


def _settled_words(played: Replay) -> str:
    lines = list(played.illegal_sentences())
    for seat, win in played.wins.items():
        lines.append(f"{seat.value} wins {win.total}: " + ", ".join(fan.name for fan in win.fans))
    lines += [_payment(payment) for payment in played.payments]
    if played.state.ended is None:
        lines.append("the hand is not over")
    return "\n".join([*lines, f"scores   {seat_scores(played.scores)}"])


def _payment(payment: Payment) -> str:
    source, to = ("none" if seat is None else seat.value for seat in (payment.source, payment.to))
    return f"{source} pays {to} {payment.amount} ({payment.reason.value})"
