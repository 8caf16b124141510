"""No room weighs more than its budget, and no budget is for a room that is gone."""

from tools.house import House, is_mirror, read_budget


def test_no_room_weighs_more_than_its_budget() -> None:
    house = House()
    assert house.over(read_budget()) == []
    assert read_budget().keys() == house.weights.keys()


def test_classes_that_share_three_quarters_of_their_fields_mirror_each_other() -> None:
    one = frozenset("abcd")
    assert is_mirror(one, frozenset("abcx"))
    assert not is_mirror(one, frozenset("abxy"))
    assert not is_mirror(frozenset("ab"), frozenset("ab"))
