"""Custody of a demo: the files before the first process starts, and a vault that opens from them."""

import os
import subprocess
from itertools import product
from pathlib import Path

import pytest

from cli.demo.custody import DemoCustody, make_custody, memory_folder
from cli.demo.supervisor import Supervisor
from cli.event.vault import open_shares
from cli.usage import UsageError
from config import MqttSettings, VaultSettings, load
from controller.adapters.memory_folder import IN_MEMORY, MOUNTS, file_system_of
from tests.support.narrowed import present
from tests.support.wire.brokers import eventually
from twinwall.custody.key_shares import KeyShares, session_deals
from twinwall.custody.vault_files import publish_slip
from twinwall.game.deals import GatheredShares
from twinwall.game.documents import canonical_json
from twinwall.wire.messages.signing import read_signer

TABLES = ("1", "2", "3", "4")


def laid_out(folder: Path, seed: int = 1, holders: int = 2) -> DemoCustody:
    return make_custody(folder, folder / "memory", seed=seed, rules="mcr-duplicate", hands=3, tables=TABLES, holders=holders)


def settings_of(custody: DemoCustody, vault: str = "vault") -> VaultSettings:
    password = custody.folder / f"{vault}.password"
    password.write_text("secret\n")
    custody.vault(vault, MqttSettings("mqtt://127.0.0.1:1", vault, password))
    return load(custody.folder / f"{vault}.toml", VaultSettings)


def opened(custody: DemoCustody, vault: str = "vault") -> KeyShares:
    passphrase = next(holder.passphrase for holder in custody.holders if holder.vault == vault)
    return open_shares(settings_of(custody, vault), lambda _: passphrase)


def test_the_vault_opens_the_seed_with_the_passphrase_and_knows_every_table(tmp_path: Path) -> None:
    custody = laid_out(tmp_path)
    settings = settings_of(custody)
    shares = opened(custody)
    assert shares.root == custody.start.root
    assert len(session_deals(shares.plan, 1)) == 3
    assert present(settings.hall).tables == tuple(f"{name} {custody.identities[name]}" for name in TABLES)
    for name in TABLES:
        assert read_signer(name, present(custody.table_custody(name).identity)).public.hex() == custody.identities[name]


def test_nobody_is_asked_for_a_passphrase_while_the_plan_is_not_there(tmp_path: Path) -> None:
    custody = laid_out(tmp_path)
    settings = settings_of(custody)
    custody.plan_file.unlink()

    def asked(name: str) -> str:
        raise AssertionError(f"the passphrase of {name} is asked for")

    with pytest.raises(FileNotFoundError, match="plan"):
        open_shares(settings, asked)


def test_the_same_seed_gives_the_same_deals_and_another_gives_others(tmp_path: Path) -> None:
    roots = [laid_out(tmp_path / str(number), seed).start.root for number, seed in enumerate((1, 1, 2))]
    assert roots[0] == roots[1] != roots[2]


def test_released_deals_are_those_of_the_slips_that_are_out(tmp_path: Path) -> None:
    custody = laid_out(tmp_path)
    gathered = GatheredShares(custody.started)
    for vault, n in product(custody.vaults, (1, 2)):
        gathered.add(opened(custody, vault).share(n))
    made = {n: gathered.opened(n) for n in (2, 1)}
    assert custody.released_numbers() == frozenset()
    for n, slip_and_deal in made.items():
        publish_slip(custody.released, n, canonical_json(present(slip_and_deal)[0].to_json()))
    assert custody.released_numbers() == {1, 2}
    assert custody.released_deals() == tuple(both[1] for n in (1, 2) if (both := made[n]) is not None)


def test_nothing_on_the_disk_holds_the_passphrase_or_the_seed(tmp_path: Path) -> None:
    custody = laid_out(tmp_path)
    seeds = [opened(custody, vault).seed.content for vault in custody.vaults]
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    passphrases = [holder.passphrase for holder in custody.holders]
    for secret in (*(each.encode() for each in passphrases), *seeds, *(seed.hex().encode() for seed in seeds)):
        assert secret not in written
    assert not any(each in repr(custody) for each in passphrases)
    assert {path.stat().st_mode & 0o777 for path in (*tmp_path.glob("*.key"), *tmp_path.glob("*.seed"))} == {0o600}


def test_each_holder_has_a_seed_a_passphrase_a_key_and_a_folder_of_his_own(tmp_path: Path) -> None:
    custody = laid_out(tmp_path)
    settings = [settings_of(custody, vault).vault for vault in custody.vaults]
    assert [each.holder for each in settings] == ["server", "witness"]
    assert len({path for each in settings for path in (each.seed, each.signing_key, each.folder, each.released)}) == 8
    server, witness = custody.holders
    with pytest.raises(UsageError, match="does not open: the passphrase is another"):
        open_shares(settings_of(custody, witness.vault), lambda _: server.passphrase)


@pytest.mark.nightly
def test_the_passphrase_comes_by_a_descriptor_at_every_start_and_not_by_the_command_line(tmp_path: Path) -> None:
    """The vault of this folder finds no broker, but opens its seed each time."""
    custody = laid_out(tmp_path)
    password = tmp_path / "vault.password"
    password.write_text("secret\n")
    process = custody.vault("vault", MqttSettings("mqtt://127.0.0.1:1", "vault", password))
    log = tmp_path / "logs" / "vault.log"
    with Supervisor(tmp_path / "logs") as supervisor:
        supervisor.start((process, lambda: custody.is_open("vault")))
        assert process.popen is not None
        command = Path(f"/proc/{process.popen.pid}/cmdline").read_bytes()
        process.popen.kill()
        process.popen.wait()
        supervisor.look_after()

        def opened_again() -> bool:
            assert present(process.popen).poll() is None, log.read_text()
            return log.read_text().count("the vault is open: 3 deals") == 2

        eventually(opened_again, "the second vault opens its seed")
    assert custody.holders[0].passphrase.encode() not in command
    assert process.restarts == 1


def test_the_folder_in_memory_is_in_memory_and_goes_with_the_demo() -> None:
    with memory_folder(MOUNTS.read_text()) as folder:
        assert file_system_of(folder.resolve(), MOUNTS.read_text()) in IN_MEMORY
        assert folder.stat().st_mode & 0o777 == 0o700
        (folder / "table-1").mkdir()
    assert not folder.exists()


def test_the_next_demo_removes_the_memory_folder_of_a_killed_one() -> None:
    with memory_folder(MOUNTS.read_text()) as living:
        ended = subprocess.Popen(["true"])
        ended.wait()
        left = living.with_name(living.name.replace(f"-{os.getpid()}-", f"-{ended.pid}-"))
        left.mkdir()
        (left / "sealing.key").write_bytes(b"x")
        with memory_folder(MOUNTS.read_text()):
            assert not left.exists()
            assert living.exists()


def test_without_a_folder_in_memory_the_demo_says_what_it_needs() -> None:
    with pytest.raises(UsageError, match="no folder in memory"), memory_folder("1 1 8:1 / / rw - ext4 /dev/sda1 rw\n"):
        pass
