"""The steps of a guided table, from what is there: which are done, and the one advice that comes next."""

import pytest
from msgspec.structs import replace

from dashboard.pages.hall.ready_routes import ready_steps
from twinwall.wire.shapes.panel import PhoneNow, PhoneState
from twinwall.wire.shapes.readiness import (
    CameraCheck,
    CheckOutcome,
    DrawHint,
    DrawStep,
    EnrolledSet,
    EnrolmentNow,
    EnrolmentStage,
    Readiness,
    TrialNow,
)

READY = Readiness(
    gate=CameraCheck(CheckOutcome.EMPTY),
    mat=CameraCheck(CheckOutcome.MAT),
    gate_reads=True,
    sets={"first": EnrolledSet("blue", "2026-11-21"), "second": EnrolledSet("green", "2026-11-21")},
    trial=TrialNow(4, DrawStep.DONE, DrawHint.NONE, running=False),
)
PHONES = {name: PhoneNow("1", name, given=True, connected=True) for name in ("gate", "table", "keys")}


def advice(facts: Readiness = READY, phones: dict[str, PhoneNow] | None = PHONES, *, joined: bool = True) -> str:
    return next((step.advice for step in ready_steps(joined, phones, facts) if not step.done), "")


def test_a_table_that_has_everything_is_ready_and_one_without_phones_needs_none() -> None:
    assert advice() == advice(phones=None) == ""
    assert advice(phones=without("keys") | {f"keys-{place}": PHONES["keys"] for place in range(4)}) == ""
    assert [step.key for step in ready_steps(True, None, READY)] == ["program", "gate", "mat", "set.first", "set.second", "trial"]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"gate": CameraCheck(CheckOutcome.AWAY)}, "camera.away"),
        ({"gate": CameraCheck(CheckOutcome.DARK)}, "camera.dark"),
        ({"gate": CameraCheck(CheckOutcome.EMPTY), "gate_reads": False}, "gate.show"),
        ({"gate": CameraCheck(CheckOutcome.UNREAD), "gate_reads": False}, "gate.unread"),
        ({"mat": CameraCheck(CheckOutcome.NO_MARKERS)}, "mat.no-markers"),
        ({"mat": CameraCheck(CheckOutcome.OTHER_MAT)}, "mat.other-mat"),
        ({"mat": CameraCheck(CheckOutcome.TOO_FAR)}, "mat.too-far"),
        ({"mat": CameraCheck(CheckOutcome.GLARE)}, "camera.glare"),
        ({"sets": {"first": EnrolledSet("blue")}}, "set.enrol"),
        ({"sets": {"first": EnrolledSet("blue", trouble="it is damaged")}}, "set.unusable"),
        ({"trial": None}, "trial.begin"),
        ({"trial": TrialNow(2, DrawStep.LAY, DrawHint.NONE, running=False)}, "trial.begin"),
    ],
)
def test_what_is_missing_is_the_next_advice(changed: dict[str, object], said: str) -> None:
    assert advice(replace(READY, **changed)) == said


def without(name: str) -> dict[str, PhoneNow]:
    return {key: replace(phone, connected=key != name) for key, phone in PHONES.items()}


def test_what_comes_first_is_advised_first() -> None:
    bare = Readiness(None, None, gate_reads=False, sets={"first": EnrolledSet("blue")})
    assert advice(bare, {}, joined=False) == "program.silent"
    assert advice(bare, {}) == "gate.phone"
    assert advice(READY, without("table")) == "mat.phone"
    assert advice(READY, without("keys")) == "keys.phone"
    assert advice(phones={name: replace(phone, state=PhoneState(facing="user")) for name, phone in PHONES.items()}) == "camera.selfie"


def test_a_table_is_busy_while_an_enrolment_or_a_trial_is_under_way() -> None:
    showing = EnrolmentNow("first", EnrolmentStage.SHOWING, 3, 136, 4.0)
    assert not READY.is_busy
    assert replace(READY, enrolment=showing).is_busy
    assert not replace(READY, enrolment=replace(showing, stage=EnrolmentStage.ENROLLED)).is_busy
    assert replace(READY, trial=TrialNow(0, DrawStep.SHOW, DrawHint.NONE, running=True)).is_busy
