"""Words that a reader has to decode, counted in product code and English documents: their numbers may only fall."""

import re
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.architecture.test_rooms import TOP, TOP_ROOMS
from tests.house.test_documents import DOCUMENTS

BANNED = re.compile(r"\b(told|nobody|so many|whoever|anew|mended|deeds)\b", re.IGNORECASE)
TRANSLATED = {"ja", "zh-Hans"}
CODE = [path for room in TOP_ROOMS if room != "centre" for path in sorted((TOP / room).rglob("*.py"))]
ENGLISH = [path for path in DOCUMENTS if not TRANSLATED & set(path.parts) and path.suffixes == [".md"]]


def found(paths: Iterable[Path]) -> list[str]:
    """The places of the words, as ``file:line: word``."""
    return [
        f"{path.relative_to(TOP)}:{number}: {word}"
        for path in paths
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        for word in BANNED.findall(line)
    ]


@pytest.mark.parametrize(("paths", "most"), [(CODE, 28), (ENGLISH, 20)], ids=["code", "documents"])
def test_no_more_of_these_words_than_there_were(paths: list[Path], most: int) -> None:
    places = found(paths)
    assert len(places) <= most, "\n".join(["a sentence needs its subject and a plain word:", *places])
