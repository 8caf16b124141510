"""``twinwall record settle``: judges and pays a hand record from standard input by the rules, event by event."""

import sys
from argparse import Namespace
from dataclasses import replace
from pathlib import Path

from cli.rules.score import chosen_options
from cli.usage import JSON, UsageError, answer, argument, takes
from twinwall.game.play_events import Payment
from twinwall.game.record import HandRecord
from twinwall.game.replay import Replay, replay
from twinwall.game.score_json import fan_json
from twinwall.game.tiles import SEATS


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
        print(*played.illegal_sentences(), sep="\n", end="\n" if not played.legal else "", file=sys.stderr)
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
    return "\n".join([*lines, "scores   " + "  ".join(f"{seat.value} {played.scores[seat]:+d}" for seat in SEATS)])


def _payment(payment: Payment) -> str:
    source, to = ("none" if seat is None else seat.value for seat in (payment.source, payment.to))
    return f"{source} pays {to} {payment.amount} ({payment.reason.value})"
