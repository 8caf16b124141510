"""Deals of a field from the centre's vaults to venues' vaults and their tables: the same for everybody, none too early."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from centre.custody.field_orders import FieldOrders, PersonsOrder, WithdrawVenueOrder
from centre.tests.support.field_halls import DEADLINE, OPENS, TERMS, FieldOfHalls
from tests.support.custody.hall import HANDS, HeldEvent, play
from twinwall.custody.key_shares import GivenShares
from twinwall.custody.release import AllowKey
from twinwall.game.deals import DealError, ReleaseRule, Slip, verify_slip
from twinwall.wire.messages.signing import Signer, fingerprint, sign_document
from twinwall.wire.messages.venue_messages import VenueVaultStatement
from twinwall.wire.mqtt.centre_topics import CentreOrder, heard_order

ONE = HeldEvent("server", terms=TERMS[ReleaseRule.ALL_FINISHED])
BY_DEADLINE = HeldEvent("server", terms=TERMS[ReleaseRule.DEADLINE])
TWO = HeldEvent("server", "witness", terms=TERMS[ReleaseRule.ALL_FINISHED])


def opened(folder: Path, event: HeldEvent = ONE, *venues: str) -> FieldOfHalls:
    """A field whose session has just opened."""
    field = FieldOfHalls(folder, *(venues or ("Kyoto", "Sendai")), event=event)
    field.settle()
    field.now = OPENS
    field.settle()
    return field


def play_all(field: FieldOfHalls, venue: str, deals: int) -> None:
    """Let the tables of a venue play so many deals, as far as they are given them."""
    hall = field.halls[venue]
    for _ in range(deals):
        done = [play(hall, table) for table in hall.tables]
        assert all(done), hall.sentences
        field.settle()


@pytest.mark.parametrize(
    ("event", "deals"), [(ONE, 2), pytest.param(TWO, HANDS, marks=pytest.mark.nightly)], ids=["one holder", "two holders"]
)
def test_every_table_of_every_venue_plays_the_same_deals_and_any_player_verifies_them_with_the_one_code(
    event: HeldEvent, deals: int, tmp_path: Path
) -> None:
    field = FieldOfHalls(tmp_path, "Kyoto", "Sendai", event=event)
    field.settle()
    assert not any(table.open_next() for hall in field.halls.values() for table in hall.tables.values())
    field.now = OPENS
    field.settle()
    play_all(field, "Kyoto", deals)
    assert field.slips == {}
    play_all(field, "Sendai", deals)
    field.settle()
    assert sorted(field.slips) == list(range(1, deals + 1))
    for hall in field.halls.values():
        assert all(table.played == {n: event.digests[n] for n in field.slips} for table in hall.tables.values())
        assert hall.slips == field.slips
        for slip in hall.slips.values():
            verify_slip(event.started, Slip.from_json(slip))


@pytest.mark.nightly
def test_a_venue_that_is_cut_off_from_the_centre_plays_what_its_vault_holds_and_catches_up(tmp_path: Path) -> None:
    field = opened(tmp_path)
    assert play(field.halls["Kyoto"], "1") == 1
    field.settle()
    field.halls["Kyoto"].online = False
    assert play(field.halls["Kyoto"], "2") == 1
    field.settle()
    play_all(field, "Sendai", 2)
    field.halls["Kyoto"].online = True
    field.settle()
    assert sorted(field.slips) == [1]
    play_all(field, "Kyoto", 1)
    assert sorted(field.slips) == [1, 2]


def test_a_venue_that_was_given_its_session_ahead_plays_it_to_the_end_without_the_centre(tmp_path: Path) -> None:
    field = FieldOfHalls(tmp_path, "Kyoto", "Sendai", event=ONE, ahead=HANDS)
    field.settle()
    field.now = OPENS
    field.settle(HANDS)
    hall = field.halls["Kyoto"]
    hall.online = False
    for _ in range(HANDS):
        played = [play(hall, table) for table in hall.tables]
        assert all(played), hall.sentences
        field.settle(60)
    assert all(table.played == {n: ONE.digests[n] for n in range(1, HANDS + 1)} for table in hall.tables.values())
    hall.online = True
    field.settle()
    assert field.slips == {}
    play_all(field, "Sendai", HANDS)
    assert sorted(field.slips) == sorted(hall.slips) == list(range(1, HANDS + 1))


def test_deals_ahead_that_were_lost_are_there_again_before_the_centre_is_away_for_good(tmp_path: Path) -> None:
    field = FieldOfHalls(tmp_path, "Kyoto", "Sendai", event=ONE, ahead=HANDS)
    field.settle()
    hall = field.halls["Kyoto"]
    hall.online = False
    field.now = OPENS
    field.settle(HANDS)
    assert len(field.vaults["server"].state.members["Kyoto"].given) == HANDS
    assert hall.vaults["server"].state.held == frozenset()
    hall.online = True
    field.settle()
    hall.online = False
    for _ in range(HANDS):
        played = [play(hall, table) for table in hall.tables]
        assert all(played), hall.sentences
        field.settle(60)


@pytest.mark.nightly
def test_a_venue_that_begins_an_hour_late_is_given_its_deals_then(tmp_path: Path) -> None:
    field = opened(tmp_path)
    field.halls["Sendai"].online = False
    play_all(field, "Kyoto", 2)
    field.now = OPENS + timedelta(hours=1)
    field.monotonic_s += 3400.0
    field.halls["Sendai"].online = True
    field.settle()
    play_all(field, "Sendai", 2)
    assert sorted(field.slips) == [1, 2]


def test_by_deadline_slips_reach_venues_that_have_not_finished_and_the_keeper_is_told_where(tmp_path: Path) -> None:
    field = opened(tmp_path, BY_DEADLINE)
    play_all(field, "Kyoto", 1)
    field.monotonic_s += (DEADLINE - field.now).total_seconds()
    field.now = DEADLINE
    field.settle()
    assert sorted(field.slips) == list(range(1, HANDS + 1))
    field.settle()
    assert field.halls["Sendai"].slips == field.slips
    assert any("deal 1 is released at its deadline, before every table has finished it at Sendai" in said for said in field.sentences)


def test_a_venue_that_is_withdrawn_by_two_persons_is_given_nothing_more_and_told(tmp_path: Path) -> None:
    field = opened(tmp_path)
    order = WithdrawVenueOrder("Sendai", "power cut")
    field.store.signed = FieldOrders((PersonsOrder("Ann", order, OPENS),))
    play_all(field, "Kyoto", 1)
    assert field.slips == {}
    field.store.signed = FieldOrders((PersonsOrder("Ann", order, OPENS), PersonsOrder("Ben", order, OPENS)))
    field.settle()
    assert sorted(field.slips) == [1]
    play(field.halls["Sendai"], "1", 3)
    field.settle()
    assert "venue 'Sendai' is withdrawn by order of two persons: it is given no more deals" in field.halls["Sendai"].notices
    assert field.halls["Sendai"].vaults["server"].state.held == frozenset({1})


def test_a_venues_vault_that_starts_again_is_given_its_deals_when_a_person_has_compared_its_key(tmp_path: Path) -> None:
    field = opened(tmp_path)
    play_all(field, "Kyoto", 1)
    hall = field.halls["Kyoto"]
    hall.kill_vault("server")
    field.settle()
    assert hall.vaults["server"].state.held == frozenset()
    shown = next(said for said in hall.sentences[::-1] if said.startswith("the sealing key of this venue's vault is "))[-19:]
    assert any(f"say twinwall centre allow Kyoto '{shown}'" in sentence for sentence in hall.notices)
    field.do(field.vaults["server"].order(AllowKey("Kyoto", shown)), "server")
    field.settle()
    play_all(field, "Kyoto", 1)
    assert hall.tables["1"].played[2] == ONE.digests[2]


def test_the_centres_vault_goes_on_where_it_was_killed(tmp_path: Path) -> None:
    field = opened(tmp_path)
    play_all(field, "Kyoto", 1)
    play_all(field, "Sendai", 1)
    before = field.vaults["server"].state
    field.start_centre("server")
    after = field.vaults["server"].state
    assert (after.released, {name: venue.finished for name, venue in after.members.items()}) == (
        before.released,
        {name: venue.finished for name, venue in before.members.items()},
    )
    play_all(field, "Kyoto", 1)
    play_all(field, "Sendai", 1)
    assert sorted(field.slips) == [1, 2]


def test_a_share_that_is_sealed_to_another_venue_opens_nowhere_else_and_is_a_sentence(tmp_path: Path) -> None:
    field = opened(tmp_path)
    share = next(payload for topic, payload in field.sent if topic.endswith("Kyoto/orders/share"))
    sendai = field.halls["Sendai"]
    held = sendai.vaults["server"].state.held
    for payload in (share, b"nonsense"):
        sendai.arrive(heard_order(CentreOrder.SHARE), payload)
    assert sendai.vaults["server"].state.held == held
    assert sum("what came as a deal for venue 'Sendai' is refused" in said for said in sendai.sentences) == 2


def test_what_somebody_says_in_a_venues_name_is_refused_and_told_there(tmp_path: Path) -> None:
    field = opened(tmp_path)
    true, key = field.halls["Kyoto"].vault_signer("server"), "ab" * 32
    code = ONE.start.code.hex()
    early = VenueVaultStatement("server", 10**6, "2026-11-22T18:02:00.000Z", code, key, finished=tuple(range(1, HANDS + 1)))
    field.arrive("Kyoto", sign_document(Signer("Kyoto", bytes(32)), early, ONE.plan.event))
    other = VenueVaultStatement("server", 10**6, "2026-11-22T18:02:00.000Z", "00" * 32, key)
    field.arrive("Kyoto", sign_document(true, other, ONE.plan.event))
    field.arrive("Osaka", b"")
    assert field.vaults["server"].state.members["Kyoto"].finished == frozenset()
    refused, other_start = field.halls["Kyoto"].notices[-2:]
    assert "in the name of venue 'Kyoto''s vault is refused" in refused
    assert "plays under another start than" in other_start
    assert field.sentences[-1] == "venue 'Osaka' speaks, and no key of its vault is enrolled: add it to the settings"


@pytest.mark.parametrize("at", ["0001-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z"])
def test_a_clock_that_is_ages_off_is_told_and_stops_nobody(at: str, tmp_path: Path) -> None:
    field = opened(tmp_path)
    key = field.halls["Kyoto"].keys["server"].public.hex()
    said = VenueVaultStatement("server", 10**6, at, ONE.start.code.hex(), key)
    field.arrive("Kyoto", sign_document(field.halls["Kyoto"].vault_signer("server"), said, ONE.plan.event))
    field.do(field.vaults["server"].tick(field.monotonic_s, field.now), "server")
    assert "the clock of venue 'Kyoto' is more than 10 minutes off the centre's vault's: compare both" in field.halls["Kyoto"].notices


def test_a_venue_that_is_silenced_by_a_high_counter_is_told_and_a_message_that_comes_twice_is_not(tmp_path: Path) -> None:
    field = opened(tmp_path)
    hall = field.halls["Kyoto"]
    said = VenueVaultStatement("server", 2**52, "2026-11-22T18:00:00.000Z", ONE.start.code.hex(), "ab" * 32)
    for _ in range(2):
        field.arrive("Kyoto", sign_document(hall.vault_signer("server"), said, ONE.plan.event))
    assert not any("a higher counter was heard" in notice for notice in hall.notices)
    field.settle()
    assert any("a higher counter was heard under its key before" in notice for notice in hall.notices)


def test_a_venue_that_left_the_settings_is_told_and_its_entries_do_not_count(tmp_path: Path) -> None:
    field = opened(tmp_path)
    field.custody = replace(field.custody, venues=("Kyoto",))
    field.start_centre("server")
    assert list(field.vaults["server"].state.members) == ["Kyoto"]
    field.do(field.vaults["server"].tick(field.monotonic_s, field.now), "server")
    assert any("has entries of venue 'Sendai', which is not in the settings: they do not count" in said for said in field.sentences)


def test_shares_of_a_venue_are_those_that_came_and_no_others() -> None:
    given = GivenShares(ONE.started, "server")
    with pytest.raises(DealError, match="the share of deal 1 has not been given to this venue's vault yet"):
        given.share(1)
    assert "key" not in repr(given)
    assert len(fingerprint(bytes(32))) == 19
