"""A vault that gets everything by orders of the server: deals, start, sessions, passphrase; killed between any two steps.

And the settings of a vault that waits for orders, with the commands of a person at it.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from config import MqttSettings, SettingsError, VaultSettings, load, write
from config.services import VaultSection
from tests.support.commands import Twinwall
from tests.support.custody.hall import EVENT
from tests.support.custody.ordered import (
    CHEAP,
    PASSPHRASE,
    SERVER,
    OrderedVaults,
    part_of,
    plan_of,
    play_one,
    refusal,
    session_order,
    start_order,
)
from twinwall.custody.release import AllowKey
from twinwall.custody.server_orders import MOST_TRIES, TRY_AGAIN_AFTER_S
from twinwall.custody.table_rules import RevokeKey, WithdrawTable
from twinwall.custody.vault_home import write_seed
from twinwall.game.deals import Seed, Slip, verify_slip
from twinwall.game.documents import DocumentError, parse_object
from twinwall.wire.messages.signing import write_signing_key
from twinwall.wire.messages.vaults.vault_orders import DealsMade, MakeDeals, SeedUnlocked, SessionBegun, StartStored, UnlockSeed

DRAWN = "5p 3s E 1m 1m C 9s 2p"
Vaults = Callable[..., OrderedVaults]


@pytest.fixture
def vaults(tmp_path: Path) -> Iterator[Vaults]:
    made: list[OrderedVaults] = []

    def make(*holders: str, here: str = "") -> OrderedVaults:
        made.append(OrderedVaults(tmp_path / "vaults", *(holders or ("server",)), here=here))
        return made[-1]

    yield make
    for each in made:
        for table in each.tables.values():
            table.close()


def test_a_vault_that_waits_says_whose_it_is_and_that_it_has_nothing(vaults: Vaults) -> None:
    standing = vaults().standing("server")
    assert (standing.holder, standing.event, standing.plan, standing.start, standing.session) == ("server", "", "", "", 0)
    assert not standing.locked


def test_deals_are_made_once_and_the_same_order_gets_the_same_answer_also_after_a_kill(vaults: Vaults) -> None:
    hall, plan = vaults(), plan_of("server")
    made = part_of(hall.make("server", plan))
    assert part_of(hall.make("server", plan)) == made
    hall.kill("server")
    assert hall.standing("server").locked
    assert part_of(hall.order("server", MakeDeals(plan.canonical.decode()))) == made
    assert made.plan_digest == plan.digest
    assert len(made.keys) == len(plan.deals)


def test_the_seed_is_on_the_disk_encrypted_alone(vaults: Vaults, tmp_path: Path) -> None:
    hall = vaults()
    hall.make("server", plan_of("server"))
    seeds = list((tmp_path / "vaults").glob("**/holder.seed"))
    assert [path.stat().st_mode & 0o777 for path in seeds] == [0o600]
    hall.kill("server")
    assert isinstance(hall.unlock("server"), SeedUnlocked)


@pytest.mark.parametrize(
    ("plan", "reason"),
    [
        ("not a plan", "plan"),
        (plan_of("server", public="tiles: 2").canonical.decode(), "plan"),
        (plan_of("witness").canonical.decode(), "plan"),
        (plan_of("witness", "server").canonical.decode(), "plan"),
    ],
)
def test_a_plan_that_is_none_or_does_not_name_this_holder_at_his_account_is_refused(vaults: Vaults, plan: str, reason: str) -> None:
    hall = vaults()
    assert refusal(hall.order("server", MakeDeals(plan, hall.sealed("server")))) == reason


def test_a_passphrase_that_is_short_missing_or_sealed_for_an_earlier_start_makes_no_deals(vaults: Vaults) -> None:
    hall, text = vaults(), plan_of("server").canonical.decode()
    earlier = hall.sealed("server")
    hall.kill("server")
    assert refusal(hall.make("server", plan_of("server"), "short")) == "short-passphrase"
    assert refusal(hall.order("server", MakeDeals(text))) == "no-passphrase"
    assert refusal(hall.order("server", MakeDeals(text, earlier))) == "no-passphrase"
    assert hall.standing("server").plan == ""


def test_an_event_of_another_name_is_made_beside_the_first_and_each_keeps_its_start(vaults: Vaults) -> None:
    hall, other = vaults(), plan_of("server", event="Spring")
    first = hall.started(plan_of("server"))
    hall.started(other)
    assert hall.standing("server").event == "Spring"
    hall.make("server", first.plan)
    standing = hall.standing("server")
    assert (standing.event, standing.start) == (EVENT, first.start.code.hex())
    assert standing.locked, "its seed is asked for again"


def test_a_start_without_deals_and_one_with_a_value_that_the_plan_does_not_allow_are_refused(vaults: Vaults) -> None:
    hall, plan = vaults(), plan_of("server", public="tiles: 8")
    other = OrderedVaults(hall.folder / "other", "server")
    assert refusal(hall.order("server", start_order(plan, [part_of(other.make("server", plan))], DRAWN))) == "no-deals"
    part = part_of(hall.make("server", plan))
    assert refusal(hall.order("server", start_order(plan, [part], "5p 3s"))) == "public"
    assert isinstance(hall.order("server", start_order(plan, [part], DRAWN)), StartStored)


@pytest.mark.slow
def test_two_holders_make_an_event_and_their_tables_play_it_through_kills_of_both_vaults(vaults: Vaults, tmp_path: Path) -> None:
    hall = vaults("server", "witness")
    started = hall.started(plan_of("server", "witness", sessions=1))
    for name in ("1", "2"):
        hall.add_table(name, started, tmp_path / name)
    order = session_order(started, "1", "2")
    for holder in hall.holders:
        assert isinstance(hall.order(holder, order), SessionBegun)
    assert play_one(hall, "1", "2")
    for holder in hall.holders:
        hall.kill(holder)
        assert refusal(hall.order(holder, order)) == "locked"
        assert isinstance(hall.unlock(holder), SeedUnlocked)
        assert isinstance(hall.order(holder, order), SessionBegun), "the order that is kept"
    assert all(play_one(hall, "1", "2") for _ in range(4))
    slips = [Slip.from_json(slip) for slip in hall.slips]
    assert {verify_slip(started, slip).n for slip in slips} == {1, 2, 3, 4, 5}
    assert all(not table.bad for table in hall.tables.values())


def test_a_wrong_passphrase_is_said_and_after_five_none_is_tried_for_a_while(vaults: Vaults) -> None:
    hall = vaults()
    hall.make("server", plan_of("server"))
    hall.kill("server")
    assert [refusal(hall.unlock("server", "another passphrase")) for _ in range(MOST_TRIES)] == ["wrong-passphrase"] * MOST_TRIES
    assert refusal(hall.unlock("server")) == "too-many-tries"
    hall.now_s += TRY_AGAIN_AFTER_S
    assert isinstance(hall.unlock("server"), SeedUnlocked)
    assert isinstance(hall.order("server", UnlockSeed()), SeedUnlocked), "it is open"


def test_a_passphrase_that_was_given_at_the_vault_counts_alone(vaults: Vaults) -> None:
    hall = vaults(here=PASSPHRASE)
    assert isinstance(hall.order("server", MakeDeals(plan_of("server").canonical.decode())), DealsMade)
    hall.kill("server")
    assert not hall.standing("server").locked
    hall._here = "another passphrase"
    with pytest.raises(DocumentError, match="does not open"):
        hall.kill("server")


def test_a_passphrase_of_the_vault_that_is_not_that_of_the_event_it_goes_back_to_leaves_it_locked(vaults: Vaults) -> None:
    hall, first = vaults(here=PASSPHRASE), plan_of("server")
    hall.make("server", first)
    hall.make("server", plan_of("server", event="Spring"))
    folder = next(path.parent for path in hall.folder.glob("**/plan.json") if b"Spring" in path.read_bytes())
    (folder / "holder.seed").write_bytes(
        write_seed(Seed(bytes(80)), "server", "another passphrase", salt=b"s" * 16, nonce=b"n" * 12, cost=CHEAP)
    )
    hall.make("server", first)
    assert not hall.standing("server").locked
    hall.make("server", plan_of("server", event="Spring"))
    assert (hall.standing("server").event, hall.standing("server").locked) == ("Spring", True)
    assert any("start the vault again with the passphrase of 'Spring'" in sentence for sentence in hall.sentences)


def test_a_session_needs_the_start_the_passphrase_and_tables_in_groups(vaults: Vaults) -> None:
    hall, plan = vaults(), plan_of("server")
    other = OrderedVaults(hall.folder / "other", "server").started(plan)
    assert refusal(hall.order("server", session_order(other, "1"))) == "no-start"
    started = hall.started(plan)
    assert refusal(hall.order("server", session_order(other, "1"))) == "other-start"
    assert refusal(hall.order("server", session_order(started, "1", "2", groups=(("1",),)))) == "session"
    assert refusal(hall.order("server", session_order(started, "1", "2", groups=(("1", "2"), ())))) == "session"
    assert refusal(hall.order("server", session_order(started, "1", session=9))) == "session"
    assert refusal(hall.order("server", session_order(started))) == "session"
    assert isinstance(hall.order("server", session_order(started, "1", "2")), SessionBegun)


@pytest.mark.slow
def test_tables_change_between_sessions_and_not_while_one_of_them_plays_unless_it_is_withdrawn(vaults: Vaults, tmp_path: Path) -> None:
    hall = vaults()
    started = hall.started(plan_of("server"))
    for name in ("1", "2"):
        hall.add_table(name, started, tmp_path / name)
    first, second = session_order(started, "1", "2"), session_order(started, "2", session=2)
    hall.order("server", first)
    assert play_one(hall, "1", "2")
    hall.settle()
    assert hall.tables["1"].open_next()
    hall.run()
    assert refusal(hall.order("server", second)) == "in-play"
    hall.tables["1"].finish()
    hall.settle()
    assert refusal(hall.order("server", session_order(started, "2"))) == "session-played"
    hall.at_every_vault(started.plan, WithdrawTable("1"))
    hall.settle()
    assert isinstance(hall.order("server", second), SessionBegun)
    assert hall.standing("server").session == 2
    assert isinstance(hall.order("server", first), SessionBegun), "back to the first, as it was"
    assert isinstance(hall.order("server", second), SessionBegun)
    hall.kill("server")
    hall.unlock("server")
    assert hall.standing("server").session == 2


@pytest.mark.slow
def test_boot_keys_that_a_person_has_allowed_are_allowed_in_the_next_session_too(vaults: Vaults, tmp_path: Path) -> None:
    hall = vaults()
    started = hall.started(plan_of("server"))
    table = hall.add_table("1", started, tmp_path / "1")
    hall.order("server", session_order(started, "1"))
    assert all(play_one(hall, "1") for _ in range(5))
    hall.order("server", session_order(started, "1", session=2))
    hall.settle()
    given = {parse_object(payload)["n"] for topic, payload in hall.sent if topic.endswith("/1/deal")}
    assert given == {1, 2, 3, 4, 5, 6}, "the deals of the first session, and the first of the second"
    assert not [sentence for sentence in hall.sentences if "not of this session" in sentence]
    assert not table.bad


def test_a_file_that_the_vault_did_not_write_stops_it(vaults: Vaults, tmp_path: Path) -> None:
    hall = vaults()
    hall.started(plan_of("server"))
    start = next((tmp_path / "vaults").glob("**/start.json"))
    start.write_bytes(start.read_bytes().replace(b"drawn", b"chosen"))
    with pytest.raises(DocumentError, match=r"start\.json"):
        hall.kill("server")


DIGITS = "1f3a 90c2 77e0 5b1d"


def settings_of(hall: OrderedVaults, holder: str, folder: Path, user: str = "vault") -> str:
    section = VaultSection(folder / "vault.key", hall.folder / holder, server_key=SERVER.public.hex(), holder=holder)
    write(folder / "vault.toml", VaultSettings(section, MqttSettings("mqtt://127.0.0.1:1", user)))
    if not (folder / "vault.key").exists():
        write_signing_key(folder / "vault.key", hall.signers[holder].secret)
    return str(folder / "vault.toml")


def test_a_vault_without_a_seed_needs_the_servers_key(tmp_path: Path) -> None:
    path = Path(settings_of(OrderedVaults(tmp_path / "vaults", "server"), "server", tmp_path))
    assert load(path, VaultSettings).waits
    path.write_text("\n".join(line for line in path.read_text().splitlines() if not line.startswith("server_key")))
    with pytest.raises(SettingsError, match=r"set \[vault\] server_key"):
        load(path, VaultSettings)


def test_a_seed_without_plan_and_start_is_refused(tmp_path: Path) -> None:
    path = Path(settings_of(OrderedVaults(tmp_path / "vaults", "server"), "server", tmp_path))
    path.write_text(path.read_text().replace("# seed is left out", 'seed = "server.seed"'))
    with pytest.raises(SettingsError, match=r"seed, \[deals\] and \[hall\] are given together or not at all"):
        load(path, VaultSettings)


@pytest.mark.parametrize("user", ["vault-witness", "table-1", ""])
def test_a_vault_under_an_account_that_is_not_its_holders_is_refused(tmp_path: Path, user: str, twinwall: Twinwall) -> None:
    settings = settings_of(OrderedVaults(tmp_path / "vaults", "server"), "server", tmp_path, user)
    said = twinwall("vault", "run", "--settings", settings, code=2).err
    assert "it is 'vault' for the first holder of the plans, 'vault-server' for another one" in said


def test_before_an_event_the_commands_say_that_there_is_none(tmp_path: Path, twinwall: Twinwall) -> None:
    settings = settings_of(OrderedVaults(tmp_path / "vaults", "server"), "server", tmp_path)
    for words in (["status"], ["allow", "1", DIGITS], ["withdraw", "1"], ["revoke", "1"]):
        assert "has no event yet" in twinwall("vault", *words, "--settings", settings, code=2).err


def test_a_person_orders_at_a_waiting_vault_as_at_any_other(tmp_path: Path, twinwall: Twinwall) -> None:
    hall = OrderedVaults(tmp_path / "vaults", "server")
    settings, started = settings_of(hall, "server", tmp_path), hall.started(plan_of("server"))
    twinwall("vault", "allow", "1", DIGITS, "--settings", settings)
    hall.order("server", session_order(started, "1", "2"))
    hall.settle()
    twinwall("vault", "allow", "3", DIGITS, "--settings", settings, code=2)
    twinwall("vault", "withdraw", "2", "--settings", settings)
    twinwall("vault", "revoke", "1", "--settings", settings, code=1)
    orders = hall.orders_at("server", started.plan).new()
    assert orders == [AllowKey("1", DIGITS), WithdrawTable("2")]
    assert not [order for order in orders if isinstance(order, RevokeKey)]
    assert f"start {started.start.words}" in twinwall("vault", "status", "--settings", settings, code=1).out
