"""Values of a type that the test knows and the checker does not: a wrong one fails the test."""

from typing import TypeVar

T = TypeVar("T")


def present(value: T | None) -> T:
    assert value is not None
    return value


def of_type(kind: type[T], value: object) -> T:
    assert isinstance(value, kind), value
    return value
