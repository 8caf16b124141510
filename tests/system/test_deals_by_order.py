"""Two vaults that know no event, a dashboard and a broker as processes: deals, start and session by order, each of them killed between
any two steps, and the tables play what was committed.

In ``make test`` tests/custody/test_ordered_vault.py plays an event through kills of both vaults, and
tests/dashboard/custody/test_deal_making.py kills the server's end between any two steps, each without processes.
"""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

import cli
from tests.support.custody.hall import EVENT, HANDS, PUBLIC_KEYS, PlayedTable
from tests.support.custody.ordered import PASSPHRASE, OrderedEvent, plan_of
from tests.support.custody.waiting import WaitingVault
from tests.support.custody.wired import WiredTable, all_finish, all_open, while_tables_beat
from tests.support.dashboard.custody.deal_process import SERVER, DealProcess
from tests.support.wire.brokers import PASSWORDS, RunningBroker, eventually, free_port
from twinwall.event.store.store_reading import read_store
from twinwall.game.deals import StartedPlan
from twinwall.wire.messages.sealing import vault_names
from twinwall.wire.messages.signing import Signer
from twinwall.wire.mqtt.access import SALT_BYTES, SERVER_USER, write_access_files

HOLDERS = ("server", "witness")
ACCOUNTS = vault_names(HOLDERS)
WORDS = {**PASSWORDS, **{account: f"of {account}" for account in ACCOUNTS.values()}}
SIGNERS = {holder: Signer(account, bytes([3 + at]) * 32) for at, (holder, account) in enumerate(ACCOUNTS.items())}
PLAN = plan_of(*HOLDERS, sessions=1)
NAMES = ("1", "2")
RELEASED = list(range(1, HANDS + 1))
TIME_S = 900
"""Some fifteen processes are started one after the other, and twelve seeds opened."""


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[RunningBroker]:
    folder = tmp_path / "broker"
    folder.mkdir()
    salts = {name: name.encode().ljust(SALT_BYTES, b".")[:SALT_BYTES] for name in WORDS}
    write_access_files(folder, EVENT, WORDS, salts, tuple(ACCOUNTS.values()))
    running = RunningBroker("amqtt", folder, free_port())
    running.start()
    yield running
    running.stop()


@pytest.fixture
def vaults(broker: RunningBroker, tmp_path: Path) -> Iterator[dict[str, WaitingVault]]:
    made = {holder: WaitingVault(tmp_path / f"machine of {holder}", holder, signer) for holder, signer in SIGNERS.items()}
    for vault in made.values():
        vault.set_up(broker.port, WORDS[vault.signer.by], SERVER.public)
        vault.start()
    yield made
    for vault in made.values():
        if vault.process is not None:
            vault.stop()


@pytest.fixture
def dashboard(broker: RunningBroker, tmp_path: Path) -> Iterator[DealProcess]:
    keys = {holder: signer.public for holder, signer in SIGNERS.items()}
    process = DealProcess(tmp_path / "dashboard", broker.port, WORDS[SERVER_USER], keys)
    process.start()
    yield process
    process.stop()


def until(dashboard: DealProcess, meaning: str, *steps: str, state: str = "") -> dict[str, object]:
    """Wait until every vault is at one of these steps, and the deals are so far."""
    last: dict[str, object] = {}

    def is_so() -> bool:
        last.update(dashboard.ask())
        progress = last["progress"]
        assert isinstance(progress, dict)
        return last["state"] == (state or last["state"]) and all(step in steps for step, _ in progress.values())

    eventually(is_so, meaning)
    return last


def restart(dashboard: DealProcess) -> None:
    dashboard.stop()
    dashboard.start()


def make_deals(dashboard: DealProcess, vaults: dict[str, WaitingVault]) -> None:
    """Deals are asked for, a vault and the dashboard are killed at once, and everything again when they are made."""
    dashboard.ask("make", plan=PLAN.canonical.decode(), passphrase=PASSPHRASE)
    vaults["witness"].kill()
    restart(dashboard)
    until(dashboard, "each has made its deals, or needs the passphrase", "done", "refused", "locked", "ready")
    dashboard.ask("make", plan=PLAN.canonical.decode(), passphrase=PASSPHRASE)
    made = until(dashboard, "the deals are made", "done", "ready", "locked", state="MadeDeals")
    restart(dashboard)
    for vault in vaults.values():
        vault.kill()
    assert until(dashboard, "the vaults are back", "locked", state="MadeDeals")["root"] == made["root"]


def fix_start(dashboard: DealProcess, vaults: dict[str, WaitingVault]) -> StartedPlan:
    """The public value is given, and a vault and the dashboard are killed before they have answered."""
    dashboard.ask("start", public="drawn in the room")
    vaults["server"].kill()
    restart(dashboard)
    started = until(dashboard, "every vault keeps the start", "done", "ready", "locked", state="StartedEvent")
    assert started["code"] == started["in_force"]
    assert dashboard.ask("start", public="another")["problem"] == "started"
    dashboard.ask("unlock", passphrase=PASSPHRASE)
    until(dashboard, "the vaults are open", "ready", "done")
    custody = read_store(dashboard.folder / "event.sqlite").programme.custody
    assert custody is not None
    return custody


def begin_session(dashboard: DealProcess, vaults: dict[str, WaitingVault], tables: list[WiredTable]) -> None:
    """A person allows the tables' boot keys at each vault; the session begins through a kill of vault and dashboard."""
    for each in tables:
        each.plug_in()
        words = ["vault", "allow", each.table.name, each.table.boot_keys.fingerprint]
        assert [cli.main([*words, "--settings", str(vault.settings)]) for vault in vaults.values()] == [0, 0]
    dashboard.ask("session", session=1, tables={name: PUBLIC_KEYS[name].hex() for name in NAMES}, groups=[list(NAMES)])
    vaults["witness"].kill()
    restart(dashboard)
    until(dashboard, "both vaults are heard", "done", "locked")
    dashboard.ask("unlock", passphrase=PASSPHRASE)
    until(dashboard, "the session has begun", "done")


def play(dashboard: DealProcess, vaults: dict[str, WaitingVault], tables: list[WiredTable]) -> None:
    """All deals are played; both vaults and the dashboard are killed in the first."""
    all_open(tables, 1)
    for vault in vaults.values():
        vault.kill()
    all_finish(tables)
    restart(dashboard)
    until(dashboard, "the vaults are heard", "locked")
    dashboard.ask("unlock", passphrase=PASSPHRASE)
    for n in range(2, HANDS + 1):
        all_open(tables, n)
        all_finish(tables)
    while_tables_beat(tables, lambda: dashboard.ask()["released"] == RELEASED, "every deal is released and stored")
    for each in tables:
        each.pull()
        each.table.close()


def test_a_passphrase_that_was_mistyped_after_a_restart_is_entered_again(dashboard: DealProcess, vaults: dict[str, WaitingVault]) -> None:
    until(dashboard, "both vaults wait for an order", "ready")
    dashboard.ask("make", plan=PLAN.canonical.decode(), passphrase=PASSPHRASE)
    until(dashboard, "the deals are made", "done", "ready", state="MadeDeals")
    restart(dashboard)
    for vault in vaults.values():
        vault.kill()
    until(dashboard, "the vaults are back", "locked")
    eventually(lambda: dashboard.ask()["waits"] == ["waits.vault.locked"] * 2, "the hall page says what it waits for")
    dashboard.ask("unlock", passphrase="four quite random words")
    until(dashboard, "both refuse", "refused")
    assert dashboard.ask()["waits"] == ["waits.vault.locked"] * 2, "and still says so"
    dashboard.ask("unlock", passphrase=PASSPHRASE)
    until(dashboard, "the vaults are open", "ready", "done")
    eventually(lambda: not dashboard.ask()["waits"], "nothing waits for a person")
    assert [vault.log.count("does not open") for vault in vaults.values()] == [1, 1], "a refused order is not sent again"


@pytest.mark.nightly
@pytest.mark.timeout(TIME_S)
def test_two_vaults_and_a_dashboard_killed_between_any_two_steps_make_one_event_and_its_tables_play_it(
    dashboard: DealProcess, vaults: dict[str, WaitingVault], broker: RunningBroker, tmp_path: Path
) -> None:
    until(dashboard, "both vaults wait for an order", "ready")
    make_deals(dashboard, vaults)
    custody = fix_start(dashboard, vaults)
    event = OrderedEvent(custody, SIGNERS)
    tables = [WiredTable(PlayedTable(name, tmp_path / name, event=event), broker) for name in NAMES]
    begin_session(dashboard, vaults, tables)
    play(dashboard, vaults, tables)
    assert [list(each.table.played) for each in tables] == [RELEASED, RELEASED]
    assert tables[0].table.played == tables[1].table.played
    assert all(not each.table.bad for each in tables)
    kept = tmp_path / "machine of server" / "kept"
    slips, plan = sorted(kept.glob("plan-*/released/slip-*.json")), next(kept.glob("plan-*/plan.json"))
    assert cli.main(["deals", "verify", str(plan), "--start", custody.start.words, *map(str, slips)]) == 0
    assert [vault.stop(signal.SIGTERM) for vault in vaults.values()] == [0, 0]
