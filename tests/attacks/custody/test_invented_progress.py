"""Attack 51: who rules a venue's vault says that its tables have begun and finished deals which nobody plays, to be given the next ones."""

from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path

import pytest

from centre.tests.support.field_halls import OPENS, TERMS, FieldOfHalls
from tests.support.custody.hall import EVENT, HANDS, HeldEvent
from twinwall.custody.release import DealGiven, SlipReleased
from twinwall.custody.vault import STATED_S
from twinwall.game.deals import ReleaseRule
from twinwall.game.documents import write_time
from twinwall.wire.messages.signing import sign_document
from twinwall.wire.messages.venue_messages import VenueVaultStatement

ONE = HeldEvent("server", terms=TERMS[ReleaseRule.ALL_FINISHED])
LEAST_DEAL_S = 180.0
ALL = tuple(range(1, HANDS + 1))


class RuledVenue:
    """A field at its opening, in which somebody rules the vault of Kyoto with all its keys."""

    def __init__(self, folder: Path, least_deal_s: float) -> None:
        self.field = FieldOfHalls(folder, "Kyoto", "Sendai", event=ONE, least_deal_s=least_deal_s)
        self.hall = self.field.halls["Kyoto"]
        self.field.settle()
        self.field.now = OPENS
        self.hall.online = False
        self._counter = 10**6

    @property
    def given(self) -> list[int]:
        shares = (each for each in self.field.disks["server"].stored if isinstance(each, DealGiven))
        return list(dict.fromkeys(each.n for each in shares if each.name == "Kyoto"))

    def wait(self, seconds: float) -> None:
        self.field.now += timedelta(seconds=seconds)
        self.field.monotonic_s += seconds
        self.field.do(self.field.vaults["server"].tick(self.field.monotonic_s, self.field.now), "server")

    def claim(self, played: Iterable[int]) -> None:
        """State that these deals were begun and finished, and ask for all others."""
        played, self._counter = tuple(sorted(played)), self._counter + 1
        asks, key = tuple(n for n in ALL if n not in played), self.hall.keys["server"].public.hex()
        said = VenueVaultStatement("server", self._counter, write_time(self.field.now), ONE.start.code.hex(), key, played, played, asks)
        self.field.arrive("Kyoto", sign_document(self.hall.vault_signer("server"), said, EVENT))

    def invent(self, seconds: float) -> None:
        """As often as a venue's vault speaks, claim that everything was played that is known."""
        for _ in range(round(seconds / STATED_S)):
            self.wait(STATED_S)
            self.claim(self.given)


def test_invented_progress_brings_one_deal_in_each_least_time_and_the_venue_is_told_seldom_what_it_has_to_wait(tmp_path: Path) -> None:
    ruled = RuledVenue(tmp_path, LEAST_DEAL_S)
    ruled.invent(LEAST_DEAL_S)
    assert ruled.given == [1]
    told = [notice for notice in ruled.hall.notices if "new deal" in notice]
    rule = "venue 'Kyoto' asks for deal 2 too early: a venue is given one new deal of a session in 180 s"
    assert told[0] == f"{rule}, and this one within 180 s"
    assert told[-1].endswith("and this one within 30 s")
    assert len(set(told)) == 6
    ruled.invent(2 * LEAST_DEAL_S)
    assert ruled.given == [1, 2, 3]


def test_invented_ends_release_no_slip_while_another_venue_has_not_finished(tmp_path: Path) -> None:
    ruled = RuledVenue(tmp_path, LEAST_DEAL_S)
    ruled.invent(HANDS * LEAST_DEAL_S)
    assert ruled.given == list(ALL)
    assert not [each for each in ruled.field.disks["server"].stored if isinstance(each, SlipReleased)]


@pytest.mark.parametrize("played", [(), ALL[:-1], ALL[1:3]], ids=["nothing", "all but the last", "two in the middle"])
def test_one_statement_that_claims_many_deals_brings_one(played: tuple[int, ...], tmp_path: Path) -> None:
    ruled = RuledVenue(tmp_path, LEAST_DEAL_S)
    ruled.wait(STATED_S)
    ruled.claim(played)
    ruled.wait(LEAST_DEAL_S - 2 * STATED_S)
    ruled.claim(played)
    assert len(ruled.given) == 1


def test_a_start_of_the_centres_vault_shortens_nothing(tmp_path: Path) -> None:
    ruled = RuledVenue(tmp_path, LEAST_DEAL_S)
    for _ in range(5):
        ruled.invent(LEAST_DEAL_S / 6)
        ruled.field.start_centre("server")
    assert ruled.given == [1]


def test_a_venue_whose_hands_take_longer_never_waits(tmp_path: Path) -> None:
    ruled = RuledVenue(tmp_path, LEAST_DEAL_S)
    ruled.hall.online = True
    ruled.field.settle()
    for n in ALL:
        for table in ruled.hall.tables.values():
            assert table.open_next(), f"deal {n} is there when it is to be played"
        ruled.field.settle(minutes=4)
        for table in ruled.hall.tables.values():
            table.finish()
    assert not any("new deal" in notice for notice in ruled.hall.notices)


def test_control_without_a_least_time_the_venue_knows_the_session_at_once(tmp_path: Path) -> None:
    ruled = RuledVenue(tmp_path, 0.0)
    ruled.invent(HANDS * STATED_S)
    assert ruled.given == [*ALL]
