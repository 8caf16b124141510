"""The gate lets through what its viewer may see, and nothing else."""

from __future__ import annotations

import pytest

from dashboard.gate import Viewer, may_enter, may_see
from dashboard.store import Store
from tests.dashboard.example import public_events, whole_hand
from twinwall.wire.form import canonical, read_object
from twinwall.wire.ledger import PublicEvent, UnknownEvent, parse

EVENTS = public_events(whole_hand())


def unknown_event() -> PublicEvent:
    """A line of a type that a later version of the table will have."""
    return parse(canonical({**read_object(EVENTS[0].line), "type": "robbed-kong"}))


def test_nobody_may_enter_and_nobody_sees_an_event() -> None:
    assert not may_enter(Viewer.NOBODY)
    assert not any(may_see(Viewer.NOBODY, event) for event in [*EVENTS, unknown_event()])


def test_the_referee_sees_what_the_table_sees() -> None:
    assert may_enter(Viewer.REFEREE)
    assert all(may_see(Viewer.REFEREE, event) for event in EVENTS)


def test_an_unknown_event_is_treated_as_the_tables_own() -> None:
    assert isinstance(unknown_event(), UnknownEvent)
    assert may_see(Viewer.REFEREE, unknown_event())


@pytest.mark.parametrize("viewer", list(Viewer))
def test_what_is_not_let_through_is_not_even_stored(viewer: Viewer) -> None:
    store = Store("boot", viewer=viewer)
    for event in EVENTS:
        store.add(event, event.at)
    assert (store.table("1") is not None) == may_enter(viewer)
