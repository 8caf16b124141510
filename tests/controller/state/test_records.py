"""Changed copies of records: the same as those of ``dataclasses``, and refused where they could not be."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.state.records import replace
from controller.state.table_state import Build, GateTile, Making, OpenDeal, TableState, WallStage
from tests.support.building.deals import any_deal


@dataclass(frozen=True, slots=True)
class Computed:
    """A record that computes a field when it is made."""

    side: int
    area: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "area", self.side**2)


@given(st.fixed_dictionaries({}, optional={"feeding": st.booleans(), "refusals": st.integers(0, 9), "gates": st.just({0: GateTile(1, 1)})}))
def test_a_copy_has_the_changes_and_is_otherwise_what_it_was(changes: dict[str, object]) -> None:
    build = Build(placed={(0, 1): any_deal(1)[0].rules.tiles[0]}, surveyed=True)
    copy = replace(build, **changes)  # type: ignore[arg-type]  # drawn by name
    assert copy == dataclasses.replace(build, **changes)  # type: ignore[arg-type]  # drawn by name
    assert isinstance(copy, Build)


def test_the_record_that_was_copied_stays_as_it_was() -> None:
    before = TableState()
    after = replace(before, making=replace(before.making, stage=WallStage.READY))
    assert (before, after.making.stage) == (TableState(), WallStage.READY)
    assert after.playing is before.playing


def test_a_field_that_a_record_has_not_is_named() -> None:
    with pytest.raises(TypeError, match="Making has no field stages"):
        replace(Making(), stages=1)  # type: ignore[call-arg]  # that is the error


@pytest.mark.parametrize("record", [Computed(2), any_deal(1)[1]], ids=["a square", "a deal"])
def test_a_record_that_computes_something_is_not_copied_past_its_computation(record: Computed | OpenDeal) -> None:
    with pytest.raises(TypeError, match=r"copy it with dataclasses\.replace"):
        replace(record)
