"""The steps that get a guided table ready, each with its present state, and the next advice.

Nothing is stored: a step is open again when a phone is removed, a profile deleted or a mat moved.
"""

from collections.abc import Iterator, Mapping, Sequence

from twinwall.values import frozen
from twinwall.wire.shapes.phones import PhoneNow
from twinwall.wire.shapes.readiness import CameraCheck, Readiness

PLACES = 4
_WELL_SEEN = {"gate": frozenset({"read", "empty", "unread"}), "mat": frozenset({"mat"})}


@frozen
class ReadyStep:
    """A step: ``advice`` is the message key of what to do, empty if it is done; ``detail`` a sentence of the machine about it."""

    key: str
    advice: str = ""
    detail: str = ""

    @property
    def done(self) -> bool:
        return not self.advice


def ready_steps(joined: bool, phones: Sequence[PhoneNow] | None, facts: Readiness) -> tuple[ReadyStep, ...]:
    """All steps in order; ``joined``: whether the table's program is heard. None for ``phones`` if cameras and keys are others."""
    return tuple(_steps(joined, None if phones is None else {phone.name: phone for phone in phones}, facts))


def next_step(steps: Sequence[ReadyStep]) -> ReadyStep | None:
    """The first step that is not done; None if the table is ready."""
    return next((step for step in steps if not step.done), None)


def mat_step(phones: Sequence[PhoneNow] | None, seen: CameraCheck | None) -> ReadyStep:
    """Whether the camera above the table is there and shows the mat."""
    return _camera("mat", "table", None if phones is None else {phone.name: phone for phone in phones}, seen)


def _steps(joined: bool, phones: Mapping[str, PhoneNow] | None, facts: Readiness) -> Iterator[ReadyStep]:
    yield ReadyStep("program", "" if joined else "program.silent")
    yield _gate(phones, facts)
    yield _camera("mat", "table", phones, facts.mat)
    if phones is not None:
        yield ReadyStep("keys", "" if _has_keys(phones) else "keys.phone")
    for which, standing in facts.sets.items():
        advice = "" if standing.enrolled else "set.unusable" if standing.trouble else "set.enrol"
        yield ReadyStep(f"set.{which}", advice, standing.trouble)
    yield ReadyStep("trial", "" if facts.trial is not None and facts.trial.is_done else "trial.begin")


def _gate(phones: Mapping[str, PhoneNow] | None, facts: Readiness) -> ReadyStep:
    """The gate's camera must have read a tile, which includes focus and light."""
    step = _camera("gate", "gate", phones, facts.gate)
    if not step.done or facts.gate_reads:
        return step
    unread = facts.gate is not None and facts.gate.outcome == "unread"
    return ReadyStep("gate", "gate.unread" if unread else "gate.show", step.detail)


def _camera(key: str, role: str, phones: Mapping[str, PhoneNow] | None, seen: CameraCheck | None) -> ReadyStep:
    """Whether a phone is there as this camera and shows what it must."""
    phone = None if phones is None else phones.get(role)
    if phones is not None and (phone is None or not phone.connected):
        return ReadyStep(key, f"{key}.phone")
    if phone is not None and phone.state is not None and phone.state.facing == "user":
        return ReadyStep(key, "camera.selfie")
    if seen is None or seen.outcome in _WELL_SEEN[key]:
        return ReadyStep(key, detail="" if seen is None else seen.detail)
    common = {"away": "camera.away", "dark": "camera.dark", "glare": "camera.glare"}
    return ReadyStep(key, common.get(seen.outcome, f"{key}.{seen.outcome}"), seen.detail)


def _has_keys(phones: Mapping[str, PhoneNow]) -> bool:
    """Whether there is a tablet with all four places, or a phone at each."""
    connected = {name for name, phone in phones.items() if phone.connected}
    return "keys" in connected or all(f"keys-{place}" in connected for place in range(PLACES))
