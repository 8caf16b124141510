"""Settings of a vault that waits for orders, and the commands of a person at it."""

from __future__ import annotations

from pathlib import Path

import pytest

from config import MqttSettings, SettingsError, VaultSettings, load, write
from config.services import VaultSection
from tests.support.commands import Twinwall
from tests.support.custody.ordered import SERVER, OrderedVaults, plan_of, session_order
from twinwall.custody.release import AllowKey
from twinwall.custody.table_rules import RevokeKey, WithdrawTable
from twinwall.wire.messages.signing import write_signing_key

DIGITS = "1f3a 90c2 77e0 5b1d"


def settings_of(hall: OrderedVaults, holder: str, folder: Path, user: str = "vault") -> str:
    """The settings file of a vault of the hall."""
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
