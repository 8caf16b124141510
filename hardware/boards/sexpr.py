"""Symbolic expressions as KiCad's files hold them: nested lists of words, quoted words with their quotes."""

import re
from collections.abc import Iterator, Sequence

Node = list["Node | str"]
_WORDS = re.compile(r'[()]|"(?:[^"\\]|\\.)*"|[^\s()"]+')


def parse(text: str) -> Node:
    """The first expression of a text; raises IndexError where a parenthesis is missing."""
    stack: list[Node] = [[]]
    for piece in _WORDS.findall(text):
        if piece == "(":
            stack.append([])
        elif piece == ")":
            closed = stack.pop()
            stack[-1].append(closed)
        else:
            stack[-1].append(piece)
    return nodes(stack[0])[0]


def dump(node: Node, depth: int = 0) -> str:
    """A text that ``parse`` reads as ``node``: a line for each expression down to the second level."""
    words = [("\n" if depth < 2 else "") + dump(each, depth + 1) if isinstance(each, list) else each for each in node]
    return f"({' '.join(words)})"


def node(name: str, *inside: Node | str | float) -> Node:
    """An expression of words, numbers and expressions."""
    return [name, *(f"{each:.7g}" if isinstance(each, float | int) else each for each in inside)]


def quote(text: str) -> str:
    """A word with its quotes."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def word(node: Node, index: int = 1) -> str:
    """A word of an expression without quotes."""
    found = node[index]
    assert isinstance(found, str)
    return found.strip('"')


def numbers(node: Node, start: int = 1) -> list[float]:
    """The numbers of an expression from ``start`` on, up to the first word that is none."""
    found = []
    for each in node[start:]:
        if not isinstance(each, str) or not re.fullmatch(r"-?[\d.]+", each):
            break
        found.append(float(each))
    return found


def nodes(node: Sequence[Node | str], name: str = "") -> list[Node]:
    """The expressions inside, all or those of a name."""
    return [each for each in node if isinstance(each, list) and (not name or each[:1] == [name])]


def every(node: Node, name: str) -> Iterator[Node]:
    """The expressions of a name at any depth."""
    for each in nodes(node):
        if each[:1] == [name]:
            yield each
        yield from every(each, name)


def one(node: Node, name: str) -> Node:
    """The first expression of a name inside; raises IndexError where there is none."""
    return nodes(node, name)[0]
