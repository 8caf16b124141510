"""The steps of a guided table, from what is there: which are done, and the one advice that comes next."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from dashboard.readiness.ready_steps import next_step, ready_steps
from dashboard.readiness.table_phones import PhoneCondition, ShownPhone
from dashboard.readiness.table_readiness import EnrolmentStanding, SeenByCamera, SetStanding, TableFacts, TrialStanding

READY = TableFacts(
    gate=SeenByCamera("empty"),
    mat=SeenByCamera("mat"),
    gate_reads=True,
    sets={"first": SetStanding("blue", "2026-11-21"), "second": SetStanding("green", "2026-11-21")},
    trial=TrialStanding(4, "done", "", running=False),
)
PHONES = [ShownPhone("1", name, given=True, connected=True) for name in ("gate", "table", "keys")]


def advice(facts: TableFacts = READY, phones: list[ShownPhone] | None = PHONES, *, joined: bool = True) -> str:
    following = next_step(ready_steps(joined, phones, facts))
    return "" if following is None else following.advice


def without(name: str) -> list[ShownPhone]:
    return [replace(phone, connected=phone.name != name) for phone in PHONES]


def test_a_table_that_has_everything_is_ready() -> None:
    assert advice() == ""
    assert (
        advice(
            phones=[replace(phone, name=phone.name) for phone in PHONES if phone.name != "keys"]
            + [ShownPhone("1", f"keys-{place}", given=True, connected=True) for place in range(4)]
        )
        == ""
    )


def test_a_table_without_phones_needs_none() -> None:
    assert advice(phones=None) == ""
    assert [step.key for step in ready_steps(True, None, READY)] == ["program", "gate", "mat", "set.first", "set.second", "trial"]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"gate": SeenByCamera("away")}, "camera.away"),
        ({"gate": SeenByCamera("dark")}, "camera.dark"),
        ({"gate": SeenByCamera("empty"), "gate_reads": False}, "gate.show"),
        ({"gate": SeenByCamera("unread"), "gate_reads": False}, "gate.unread"),
        ({"mat": SeenByCamera("no-markers")}, "mat.no-markers"),
        ({"mat": SeenByCamera("other-mat")}, "mat.other-mat"),
        ({"mat": SeenByCamera("too-far")}, "mat.too-far"),
        ({"mat": SeenByCamera("glare")}, "camera.glare"),
        ({"sets": {"first": SetStanding("blue")}}, "set.enrol"),
        ({"sets": {"first": SetStanding("blue", trouble="it is damaged")}}, "set.unusable"),
        ({"trial": None}, "trial.begin"),
        ({"trial": TrialStanding(2, "lay", "", running=False)}, "trial.begin"),
    ],
)
def test_what_is_missing_is_the_next_advice(changed: dict[str, object], said: str) -> None:
    assert advice(replace(READY, **changed)) == said


def test_what_comes_first_is_advised_first() -> None:
    bare = TableFacts(None, None, gate_reads=False, sets={"first": SetStanding("blue")})
    assert advice(bare, [], joined=False) == "program.silent"
    assert advice(bare, []) == "gate.phone"
    assert advice(READY, without("table")) == "mat.phone"
    assert advice(READY, without("keys")) == "keys.phone"


def test_a_phone_with_the_camera_of_its_screens_side_is_named() -> None:
    selfie = [replace(phone, state=PhoneCondition(facing="user")) for phone in PHONES]
    assert advice(phones=selfie) == "camera.selfie"


def test_a_table_is_busy_while_an_enrolment_or_a_trial_is_under_way() -> None:
    showing = EnrolmentStanding("first", "showing", 3, 136, 4.0)
    assert not READY.is_busy
    assert replace(READY, enrolment=showing).is_busy
    assert not replace(READY, enrolment=replace(showing, stage="enrolled")).is_busy
    assert replace(READY, trial=TrialStanding(0, "show", "", running=True)).is_busy
