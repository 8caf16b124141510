"""What of a hall waits for a person is on the hall page and among the calls, with the page on which it is done, for the staff alone."""

from dataclasses import replace
from datetime import timedelta

import pytest

from dashboard.access.staff_schema import Role
from dashboard.projections.store import STAFF, HallWait
from tests.support.dashboard.hall import OPEN, Hall
from tests.support.dashboard.staff import enrol
from tests.support.event.managed import PREPARED
from tests.support.wire.streams import START
from twinwall.event.management.changes import EventChange, ResultsHeld, SessionEnded, SessionStarted
from twinwall.wire.messages.signing import Signer

LOCKED = HallWait("waits.vault.locked", "/event/deals", names=(("holder", "<server>"),))


def managed(*changes: EventChange) -> Hall:
    hall = Hall(settings=replace(OPEN, signer=Signer("server", bytes(32))))
    hall.manage(*changes)
    return hall


@pytest.mark.parametrize("path", ["/", "/calls"])
@pytest.mark.parametrize(
    ("language", "said"), [("en", "waits for its passphrase"), ("ja", "合言葉を待っています"), ("zh-Hans", "等待口令")]
)
def test_a_vault_that_waits_for_its_passphrase_is_on_the_page_with_the_link(path: str, language: str, said: str) -> None:
    hall = managed()
    hall.store.wait("vaults", (LOCKED,))
    assert "passphrase" not in hall.client.get("/").text, "spectators read nothing of it"
    hall.log_in()
    page = hall.client.get(f"{path}?lang={language}").text
    assert said in page
    assert "&lt;server&gt;" in page
    assert 'href="/event/deals"' in page
    assert 'class="count-badge"' in page
    hall.store.wait("vaults", ())
    assert said not in hall.client.get(path).text


@pytest.mark.parametrize("path", ["/", "/calls"])
@pytest.mark.parametrize("role", [Role.REFEREE, Role.SCORER])
def test_who_may_not_open_that_page_reads_what_waits_without_a_link_to_it(path: str, role: Role) -> None:
    hall = managed(*PREPARED)
    enrol(hall.staff, "Abe", roles={role})
    hall.log_in("Abe")
    hall.store.wait("vaults", (LOCKED, HallWait("waits.order", "/table/1/withdraw", "1", (("by", "Ann"),))))
    page = hall.client.get(path).text
    assert "waits for its passphrase" in page
    assert "Next: Deals" in page
    assert 'href="/event/deals"' not in page
    assert ('href="/table/1/withdraw"' in page) is (role is Role.REFEREE), "a scorer may not confirm it"


@pytest.mark.parametrize(
    ("changes", "said", "path"),
    [
        (PREPARED[:1], "Next: Entrants", "/event/entrants"),
        (PREPARED, "Next: Deals", "/event/deals"),
        ((*PREPARED, SessionStarted(1), SessionEnded(1)), "Session 2 can begin", "/event/sessions"),
        ((*PREPARED, ResultsHeld(1), SessionStarted(1), SessionEnded(1)), "results of session 1 are still held back", "/event/sessions"),
    ],
)
def test_the_next_step_of_the_event_is_on_the_hall_page(changes: tuple[EventChange, ...], said: str, path: str) -> None:
    hall = managed(*changes)
    hall.log_in()
    page = hall.client.get("/").text
    assert said in page
    assert f'href="{path}"' in page


def test_what_waits_until_a_time_is_over_then() -> None:
    hall = managed()
    hall.store.wait("order", (HallWait("waits.order", "/table/1/withdraw", "1", (("by", "Ann"),), START),))
    hall.store.tick(START)
    before = hall.store.sequence(STAFF)
    assert len(hall.store.waits) == 1
    hall.store.tick(START + timedelta(seconds=1))
    assert not hall.store.waits
    assert hall.store.sequence(STAFF) > before


def test_a_table_whose_message_was_refused_is_among_the_calls() -> None:
    hall = managed()
    hall.log_in()
    hall.store.complain("1", "the vault: allow the boot keys", START)
    assert "its page says why" in hall.client.get("/calls").text
