"""``twinwall rules show``: prints the options of a rule set with defaults and meanings, as a file to edit."""

import argparse
import json
import textwrap
from collections.abc import Iterator

from cli.usage import JSON, answer, argument, takes
from twinwall.game.rules import rule_set, rule_set_names
from twinwall.game.rules.option_form import Option, options_of

_COMMENT_WIDTH = 110


@takes(argument("name", "rule set; without one, their names", nargs="?"), JSON)
def show(arguments: argparse.Namespace) -> None:
    if arguments.name is None:
        names = rule_set_names()
        answer({"rules": names}, "\n".join(names), as_json=arguments.json)
        return
    options = options_of(type(rule_set(arguments.name).options))
    if arguments.json:
        documents = [{"name": each.name, "default": each.default, "allowed": each.allowed, "says": each.says} for each in options]
        print(json.dumps({"rules": arguments.name, "options": documents}, ensure_ascii=False))
    else:
        print(options_file(arguments.name), end="")


def options_file(name: str) -> str:
    """The file ``config/rules/<name>.toml``: every option at its default, explained."""
    return "\n".join(_lines(name, options_of(type(rule_set(name).options)))) + "\n"


def _lines(name: str, options: tuple[Option, ...]) -> Iterator[str]:
    yield f"# Options of the rule set {name}, at their defaults."
    for option in options:
        yield ""
        yield from (f"# {line}" for line in textwrap.wrap(f"{option.says} ({option.allowed})", _COMMENT_WIDTH))
        yield option.toml
