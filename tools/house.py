"""``python -m tools.house``: what each room weighs beside its budget, and what the house wants less of.

Tokens are those of ``tokenize`` without comments, docstrings and blank lines. Two classes mirror each other when they share at least
three field names and three quarters of the larger one's. ``--lower`` writes what is lighter now into ``tests/architecture/budget.toml``.
Exit 1 where a room weighs more than its budget.
"""

import argparse
import ast
import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import combinations
from pathlib import Path

import msgspec

TOP = Path(__file__).parents[1]
BUDGET = TOP / "tests" / "architecture" / "budget.toml"
PARTS = ("twinwall/art", "twinwall/custody", "twinwall/event", "twinwall/game", "twinwall/wire", "tests/support")
"""Rooms that are no folder at the top."""
NO_ROOM = frozenset({"stubs"})
NOT_PRODUCT = frozenset({"benchmarks", "centre", "hardware", "tests", "tests/support", "tools"})
STRING_EVENTS = re.compile(r"event\.type\s*(==|!=|in)|event\.fields\[")
UNWANTED = re.compile(r"\b(told|nobody|so many|whoever|anew|mended|deeds)\b", re.IGNORECASE)
_TOKEN = re.compile(
    r"""(?P<no_code>\#[^\n]*|\s+|\\\n)
    |(?:[bfru]|br|fr|rb|rf)?(?:\"{3}(?:[^\\"]|\\.|"(?!""))*\"{3}|'{3}(?:[^\\']|\\.|'(?!''))*'{3}|"(?:[^\\"\n]|\\.)*"|'(?:[^\\'\n]|\\.)*')
    |0[xob][\da-f_]+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:e[+-]?\d[\d_]*)?j?|\w+
    |\*\*=?|//=?|>>=?|<<=?|\.{3}|->|:=|[-+*/%&|^=<>!@]=|.""",
    re.DOTALL | re.IGNORECASE | re.VERBOSE,
)
"""As ``tokenize`` has them, which takes five times as long."""
_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")

Weights = tuple[int, list[tuple[str, frozenset[str]]]]


class Weight(msgspec.Struct, forbid_unknown_fields=True):
    """What a room weighs, or may weigh: tokens of code, classes, pairs of mirrored classes; of documents, words alone."""

    tokens: int = 0
    classes: int = 0
    mirrors: int = 0
    words: int = 0


def room_of(file: str) -> str | None:
    """The room of a Python file or of an English document."""
    first = file.partition("/")[0]
    if file.endswith(".py"):
        inner = next((part for part in PARTS if file.startswith(f"{part}/")), first)
        return None if first in NO_ROOM else inner
    other_language = "/ja/" in file or "/zh-Hans/" in file
    return "docs" if file.startswith("docs/") and file.endswith(".md") and not other_language else None


def tracked() -> Iterator[tuple[str, str]]:
    """Each file that git tracks and a room has, with its room."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=TOP, check=True, capture_output=True, text=True).stdout
    for file in listed.split("\0"):
        room = room_of(file)
        if room is not None and (TOP / file).is_file():
            yield file, room


def code_tokens(text: str) -> int:
    """Tokens of a module's text, docstrings among them."""
    return sum(token["no_code"] is None for token in _TOKEN.finditer(text))


def statements(tree: ast.Module) -> Iterator[ast.AST]:
    """The module and its statements at every depth, which hold all its classes and functions."""
    found: list[ast.AST] = [tree]
    for node in found:
        yield node
        for block in _BLOCKS:
            found += getattr(node, block, ())


def fields_of(node: ast.ClassDef) -> frozenset[str]:
    """The names of a class's annotated fields."""
    named = (each.target for each in node.body if isinstance(each, ast.AnnAssign))
    return frozenset(name.id for name in named if isinstance(name, ast.Name))


def is_mirror(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two classes with these fields look like one."""
    return len(one & other) >= max(3, 0.75 * max(len(one), len(other)))


def weigh(text: str) -> Weights:
    """A module's tokens without docstrings, and its classes with the names of their fields."""
    documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    named = [node for node in statements(ast.parse(text)) if isinstance(node, documented)]
    docstrings = sum(ast.get_docstring(node, clean=False) is not None for node in named)
    return code_tokens(text) - docstrings, [(node.name, fields_of(node)) for node in named if isinstance(node, ast.ClassDef)]


class House:
    """The tracked files, weighed. What each weighs is kept in ``.build`` under the digest of its text: weighing all takes five seconds."""

    def __init__(self) -> None:
        self.weights: defaultdict[str, Weight] = defaultdict(Weight)
        self.mirrors: list[tuple[str, str]] = []
        self.string_events: Counter[str] = Counter()
        self.unwanted: Counter[str] = Counter()
        classes: list[tuple[str, str, frozenset[str]]] = []
        kept, this, now = TOP / ".build" / "weights.json", Path(__file__).read_bytes(), dict[str, Weights]()
        before = msgspec.json.decode(kept.read_bytes(), type=dict[str, Weights]) if kept.exists() else {}
        for file, room in tracked():
            text, weight = (TOP / file).read_text(encoding="utf-8"), self.weights[room]
            if room == "docs":
                weight.words += len(text.split())
                continue
            digest = sha256(this + text.encode()).hexdigest()
            tokens, named = now[digest] = before.get(digest) or weigh(text)
            weight.tokens += tokens
            for name, fields in named:
                weight.classes += 1
                if len(fields) >= 3 and room not in NOT_PRODUCT:
                    classes.append((room, f"{file}:{name}", fields))
            if room not in NOT_PRODUCT:
                self.unwanted[file] += len(UNWANTED.findall(text))
                self.string_events[file] += 0 if room == "twinwall/wire" else len(STRING_EVENTS.findall(text))
        kept.parent.mkdir(exist_ok=True)
        kept.write_bytes(msgspec.json.encode(now))
        for (room, one, fields), (_, other, others) in combinations(classes, 2):
            if is_mirror(fields, others):
                self.mirrors.append((one, other))
                self.weights[room].mirrors += 1

    def over(self, budget: Mapping[str, Weight]) -> list[str]:
        """What weighs more than its budget, a sentence each."""
        return [
            f"{room}: {value} {what}, {allowed} allowed; take as much away, or say in the budget what is lighter elsewhere"
            for room, weight in sorted(self.weights.items())
            for what, value in msgspec.structs.asdict(weight).items()
            if value > (allowed := getattr(budget.get(room, Weight()), what))
        ]


def read_budget() -> dict[str, Weight]:
    """What each room may weigh."""
    return msgspec.toml.decode(BUDGET.read_bytes(), type=dict[str, Weight])


def write_budget(budget: Mapping[str, Weight]) -> None:
    """The budget's file, rooms in the order of their names."""
    lines = ["# What each room may weigh: python -m tools.house. A change that adds to a room takes away elsewhere, in the same commit.\n"]
    for room, weight in sorted(budget.items()):
        entries = (f"{what} = {value}\n" for what, value in msgspec.structs.asdict(weight).items() if value)
        lines += [f'\n["{room}"]\n', *entries]
    BUDGET.write_text("".join(lines), encoding="utf-8")


def lowered(house: House, budget: Mapping[str, Weight]) -> dict[str, Weight]:
    """The budget with what is lighter now; rooms that are new get what they weigh."""
    return {
        room: Weight(
            **{what: min(value, getattr(budget.get(room, weight), what)) for what, value in msgspec.structs.asdict(weight).items()}
        )
        for room, weight in house.weights.items()
    }


def main(words: Sequence[str] | None = None) -> int:
    """0 when no room weighs more than its budget."""
    parser = argparse.ArgumentParser(prog="python -m tools.house", description=__doc__)
    parser.add_argument("--lower", action="store_true", help="write what is lighter now into the budget")
    asked = parser.parse_args(words)
    house, budget = House(), read_budget() if BUDGET.exists() else {}
    if asked.lower:
        write_budget(lowered(house, budget))
    for room, weight in sorted(house.weights.items()):
        print(f"{room:16} {weight.tokens:8} tokens {weight.classes:5} classes {weight.mirrors:4} mirrors {weight.words:7} words")
    print(f"\n{sum(house.string_events.values())} string reads of events, {sum(house.unwanted.values())} unwanted words; most in:")
    for file, count in (house.unwanted + house.string_events).most_common(10):
        print(f"  {count:4}  {file}")
    print(f"\n{len(house.mirrors)} pairs of mirrored classes:")
    for one, other in house.mirrors:
        print(f"  {one} ~ {other}")
    over = house.over(read_budget())
    print("\n".join(over), file=sys.stderr)
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
