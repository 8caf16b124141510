"""What is wrong with JSON of another shape: the path, what stands there as JSON writes it, and what should."""

import msgspec
import pytest

from twinwall.wire.canonical_json import Count, FormError, Text, read_as


class _Leg(msgspec.Struct, forbid_unknown_fields=True):
    n: Count
    name: Text


class _Journey(msgspec.Struct, forbid_unknown_fields=True):
    legs: list[_Leg]
    by_name: dict[str, _Leg]
    last: _Leg | None
    pair: tuple[int, str] = (0, "")


LEG = {"n": 1, "name": "a"}


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"legs": [LEG, {"n": True, "name": "b"}]}, "legs[1].n true: Expected 'int', got 'bool'"),
        ({"legs": [LEG, {"n": "2", "name": "b"}]}, "legs[1].n \"2\": Expected 'int', got 'str'"),
        ({"legs": [{"n": 1}]}, "legs[0]: the key 'name' is missing"),
        ({"by_name": {"x": {"n": -1, "name": "a"}}}, "by_name.x.n -1: Expected 'int' >= 0"),
        ({"by_name": {"x": None}}, "by_name.x null: Expected 'object', got 'null'"),
        ({"last": {"n": 1, "name": "a", "k": 1}}, "last: the key 'k' is not known"),
        ({"pair": [1]}, "pair [1]: Expected 'array' of length 2, got 1"),
        ({"pair": [1, 2]}, "pair[1] 2: Expected 'str', got 'int'"),
        ({"colour": 3}, "the key 'colour' is not known"),
    ],
)
def test_an_error_names_the_path_what_stands_there_and_what_should(change: dict[str, object], sentence: str) -> None:
    with pytest.raises(FormError) as caught:
        read_as({"legs": [], "by_name": {}, "last": None} | change, _Journey)
    assert str(caught.value) == sentence


def test_a_value_that_is_no_object_at_all_is_shown() -> None:
    with pytest.raises(FormError, match=r"^\[\]: Expected 'object', got 'array'$"):
        read_as([], _Journey)
