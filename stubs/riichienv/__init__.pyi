"""What the tests use of riichienv, whose types lie beside its library and not before it."""

from collections.abc import Iterator
from typing import Any, TypedDict

class KyokuEvent(TypedDict):
    name: str
    data: dict[str, Any]

class Kyoku:
    def events(self) -> list[KyokuEvent]: ...

class MjaiReplay:
    @staticmethod
    def from_jsonl(path: str) -> MjaiReplay: ...
    def take_kyokus(self) -> Iterator[Kyoku]: ...
