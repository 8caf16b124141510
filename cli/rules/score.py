"""``twinwall rules score``: scores hands by a rule set, one JSON object a line in and one a line out.

``twinwall.game.typed_scores`` defines lines and answers; this module has files, lines and the exit code.
"""

import sys
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from cli.usage import EXIT_GOOD, EXIT_WRONG_USE, JSON, UsageError, answer, argument, takes, tell
from twinwall.game.documents import DocumentError, parse_toml
from twinwall.game.rule_set import NoWin, Win
from twinwall.game.rules import RuleSetError, rule_set
from twinwall.game.score_json import LONGEST_LINE, judge_with_note, outcome_json
from twinwall.game.tiles import SEATS
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
    payments = "  ".join(f"{seat.value} {outcome.payments[seat]:+d}" for seat in SEATS)
    return f"{outcome.total}: {fans}   {payments}"


def chosen_options(rules: str, path: Path | None) -> dict[str, object]:
    """The options of a TOML file, {} without one; raises UsageError where they are not options of the rule set."""
    try:
        options = {} if path is None else parse_toml(limited_text(path), str(path))
        rule_set(rules, options)
    except RuleSetError as error:
        raise UsageError(str(error) if path is None else f"{path}: {error}") from None
    return options
