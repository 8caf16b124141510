"""Which command the words of a line ask for, by short spellings and defaults too, and the help of a group of commands."""

from collections.abc import Sequence
from textwrap import fill

from cli.commands import COMMANDS, GROUPS
from cli.usage import UsageError

HELP = ("-h", "--help")

DEFAULTS = {"hall": "hall serve", "record": "record video", "rules": "rules show", "table": "table run"}
"""What a group does whose next word is none of its commands."""

SHORT = {
    "dashboard": "hall dashboard",
    "enrol": "tiles enrol",
    "read": "tiles read",
    "evaluate": "tiles evaluate",
    "calibrate": "tiles calibrate",
    "selftest": "tiles selftest",
    "replay": "record replay",
    "settle": "record settle",
    "score": "rules score",
    "compare": "results compare",
    "export": "results export",
}
"""Spellings on which other programs rely, beside the full ones."""

FORMER = {
    "broker": "hall broker",
    "paper": "hall paper",
    "staff": "hall staff",
    "players": "hall players",
    "hall join": "table join",
    "station": "table station",
    "phones": "table phones",
    "simulate": "table simulate",
    "custody renew": "table renew",
    "custody continue": "table continue",
    "custody": "vault",
    "import": "results import",
    "event": "results",
    "release check": "admin check-release",
    "release": "admin check-release",
    "upgrade": "admin upgrade",
    "sign": "admin sign",
    "service pack": "admin pack",
    "service": "admin pack",
    "vault": "vault run",
}
"""Spellings of earlier versions, which are refused with the present one; the longest that fits counts."""


def inside(path: str) -> dict[str, str]:
    """Each command and group of a group, with its summary; of no words, the top ones."""
    begin = f"{path} ".lstrip()
    lines = GROUPS | {path: command.summary for path, command in COMMANDS.items()}
    words = dict.fromkeys(f"{begin}{each[len(begin) :].partition(' ')[0]}" for each in COMMANDS if each.startswith(begin))
    return {each[len(begin) :]: lines[each] for each in words}


def overview(path: str) -> str:
    """The help of a group: a line for each of its commands, and an example."""
    program = f"twinwall {path}".strip()
    listed = inside(path)
    width = max(map(len, listed))
    about = f"{program}: {GROUPS[path]}." if path else "Duplicate mahjong with ordinary tiles."
    example = next(f"{each} {command.example}" for each, command in COMMANDS.items() if each.startswith(path))
    return (
        f"usage: {program} [-h] {'' if path else '[--version] '}COMMAND ...\n\n{about}\n\n"
        + "".join(
            fill(f"    {word:{width}}  {summary}", 80, subsequent_indent=" " * (width + 6)) + "\n" for word, summary in listed.items()
        )
        + f"\n{program} COMMAND --help explains a command.\nexample: twinwall {example}\n"
    )


def asked(words: Sequence[str]) -> tuple[str, list[str]]:
    """The command or group that these words ask for, and the words after it; raises UsageError for a spelling of an earlier version."""
    rest = [*SHORT.get(words[0], words[0]).split(), *words[1:]] if words else []
    path = ""
    while path not in COMMANDS and rest and rest[0] in inside(path):
        path, rest = f"{path} {rest[0]}".lstrip(), rest[1:]
    if path in COMMANDS or rest[:1] in ([word] for word in HELP):
        return path, rest
    for former in (" ".join(words[:2]), *words[:1]):
        if former in FORMER and (former not in GROUPS or _are_arguments(rest)):
            raise UsageError(f"twinwall {former} is now twinwall {FORMER[former]}")
    if path in DEFAULTS and (not rest or path in ("record", "rules") or rest[0].startswith("-")):
        path = DEFAULTS[path]
    return path, rest


def _are_arguments(words: Sequence[str]) -> bool:
    """Whether the first word is an option or a file, rather than the name of a command."""
    return any(word.startswith("-") or "." in word or "/" in word for word in words[:1])
