"""Custody of the demo's event: a plan, a seed and a vault for each holder, and keys for every process. All is as at a real event, except
that the seeds are derived from ``--seed``, so that a demo can be repeated, and that both vaults run on this computer; each has its own
seed, passphrase, keys, account and folder, and nothing of the other's. No deal lies in the clear on the demo's disk: tables get each deal
sealed, and their opening keys lie in a folder in memory that is removed with the demo. ``setup`` decides which process runs when."""

import contextlib
import hashlib
import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import field
from pathlib import Path

import config
from cli.demo.supervisor import Process, process_with
from cli.event.sign import own_signer
from cli.usage import PRIVATE, UsageError, write_file, wrong_use
from config.reading import DEMO_EVENT
from config.services import HallSection, VaultDealsSection, VaultSection
from controller.adapters.journal_keys import JournalKeyFiles
from controller.adapters.memory_folder import IN_MEMORY, boot_secrets, file_system_of
from controller.settings import CustodySection, DealsSection
from twinwall.custody.release import AllowKey
from twinwall.custody.vault_files import Orders, has_status, released_slips
from twinwall.custody.vault_home import NONCE_SIZE, SALT_SIZE, Cost, write_seed
from twinwall.game.deals import SEED_SIZE, Deal, DealError, Seed, Slip, Start, StartedPlan, commit, plan_sessions, verify_slip
from twinwall.game.deals.uncommitted import rehearsal_of
from twinwall.game.documents import pretty_json
from twinwall.values import frozen
from twinwall.wire.messages.boot_keys import BOOT_SECRETS_SIZE
from twinwall.wire.messages.signing import read_signer, vault_names
from twinwall.wire.mqtt.access import SERVER_USER

EVENT = DEMO_EVENT
HOLDERS = ("server", "witness")
"""The seed holders of a demo; with one holder the first."""
COMMITMENTS = "commitments.json"
DEALS = "deals"
"""The folder of imported walls."""
PUBLIC_SOURCE = "the demo's seed number: a rehearsal, not a draw"
SEED_FILE_COST = Cost(memory_kib=8 << 10, passes=1, lanes=1)
"""Cost of the seed file's key: low, because the passphrase is 192 random bits and lives as long as the demo."""
MEMORY_FOLDERS = (Path("/dev/shm"), Path("/run"))  # noqa: S108 - a file system in memory is what is wanted
"""Where Linux has file systems in memory; below /run the user's own folder is tried too."""
_IN_MEMORY_PREFIX = "twinwall-demo-"


@frozen
class DemoHolder:
    """One seed holder with his vault: its name, which is its account too, its public key, and the seed's passphrase."""

    name: str
    vault: str
    key: str
    passphrase: str = field(repr=False)


@frozen
class DemoCustody:
    """All that is written before the first process starts. ``identities`` are the tables' public keys, in the order of the hall."""

    folder: Path
    memory: Path
    started: StartedPlan
    identities: dict[str, str]
    holders: tuple[DemoHolder, ...]
    server_key: str
    imported: tuple[Deal, ...] = ()
    """Walls of other programs, without a commitment: there are no holders then, and no slip releases what is public already."""

    @property
    def vault_key(self) -> str | None:
        """The public key of the first holder's vault, which announces the tables' keys; None where there is no vault."""
        return self.holders[0].key if self.holders else None

    @property
    def event(self) -> str:
        return EVENT

    @property
    def vaults(self) -> tuple[str, ...]:
        """The vaults' accounts at the broker."""
        return tuple(holder.vault for holder in self.holders)

    @property
    def plan_file(self) -> Path:
        return self.folder / "plan.json"

    @property
    def start(self) -> Start:
        return self.started.start

    @property
    def start_file(self) -> Path:
        return self.folder / "start.json"

    @property
    def released(self) -> Path:
        """The folder of the slips that are out, at the first holder's vault."""
        return self._released(self.holders[0])

    @property
    def server_key_file(self) -> Path:
        """The key with which the dashboard signs its commands."""
        return self.folder / f"{SERVER_USER}.key"

    @property
    def table_deals(self) -> DealsSection:
        """Every table's ``[deals]``: plan and start, and a folder for imported walls alone."""
        return DealsSection(self.plan_file, self.start_file, self.folder / DEALS if self.imported else None)

    def table_custody(self, table: str) -> CustodySection:
        if self.imported:
            return CustodySection(memory=self.memory / f"table-{table}")
        keys = tuple(f"{holder.name} {holder.key}" for holder in self.holders)
        return CustodySection(_identity_file(self.folder, table), keys, self.server_key, self.memory / f"table-{table}")

    def journal_key(self, table: str) -> bytes | None:
        """The key of a table's journal, while the demo lasts."""
        return JournalKeyFiles(self.table_custody(table).memory, self.folder).held()

    def vault(self, vault: str, mqtt: config.MqttSettings) -> Process:
        """Write a vault's settings; its process, which is handed the passphrase of its own seed at every start."""
        holder = next(holder for holder in self.holders if holder.vault == vault)
        seed, key = _seed_file(self.folder, holder.name), _vault_key_file(self.folder, vault)
        settings = config.VaultSettings(
            VaultSection(key, self.folder / vault, seed, self._released(holder), holder=holder.name, server_key=self.server_key),
            mqtt,
            VaultDealsSection(self.plan_file, self.start_file, commitments=self.folder / COMMITMENTS),
            HallSection(tuple(f"{table} {key}" for table, key in self.identities.items())),
        )
        self._enrol(vault)
        return process_with(self.folder, vault, ("vault", "run", "--holder", holder.name), settings, passphrase=holder.passphrase)

    def _released(self, holder: DemoHolder) -> Path:
        return self.folder / ("released" if holder is self.holders[0] else f"released-{holder.name}")

    def _enrol(self, vault: str) -> None:
        """Make each table's first boot keys and allow them at a vault: at an event a person compares them at the table."""
        orders = Orders(self.folder / vault, EVENT, read_signer(vault, _vault_key_file(self.folder, vault)))
        for table in self.identities:
            folder = self.memory / f"table-{table}"
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            keys = boot_secrets(folder, table, secrets.token_bytes(BOOT_SECRETS_SIZE)).public
            orders.give(AllowKey(table, keys.fingerprint))

    def is_open(self, vault: str) -> bool:
        """Whether a vault has opened its seed: only then does it write its status."""
        return has_status(self.folder / vault)

    def released_numbers(self) -> frozenset[int]:
        """The deals whose slips are out, as the folder stands now."""
        return frozenset(released_slips(self.released))

    def released_deals(self) -> tuple[Deal, ...]:
        """Every released deal, re-made from its slip and checked against the start, or all imported ones. Raises VerificationError or
        DocumentError."""
        if self.imported:
            return self.imported
        slips = released_slips(self.released)
        return tuple(verify_slip(self.started, Slip.from_json(slips[n].read_bytes())) for n in sorted(slips))


def make_custody(
    folder: Path, memory: Path, *, seed: int, rules: str, hands: int, tables: tuple[str, ...], holders: int = len(HOLDERS)
) -> DemoCustody:
    """Plan and commit one session, and make seeds, passphrases and keys below ``folder``; ``memory`` comes from ``memory_folder``."""
    names = HOLDERS[:holders]
    plan = plan_sessions(EVENT, rules, sessions=1, hands=hands, holders=names, public=PUBLIC_SOURCE)
    seeds = {name: _drawn(seed, name) for name in names}
    commitments = commit(plan, seeds)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / COMMITMENTS).write_bytes(pretty_json(commitments.to_json()))
    laid = DemoCustody(
        folder=folder,
        memory=memory,
        started=StartedPlan(plan, Start(plan.digest, commitments.root, f"demo seed {seed}")),
        identities={table: own_signer("", _identity_file(folder, table)).public.hex() for table in tables},
        holders=tuple(_new_holder(folder, name, vault, seeds[name]) for name, vault in vault_names(names).items()),
        server_key=own_signer("", folder / f"{SERVER_USER}.key").public.hex(),
    )
    laid.plan_file.write_bytes(plan.canonical)
    laid.start_file.write_bytes(laid.start.canonical)
    return laid


def make_imported(folder: Path, memory: Path, deals: Sequence[Deal], tables: tuple[str, ...]) -> DemoCustody:
    """Plan a session of imported walls, which lie below ``folder`` in clear; raises UsageError for deals that are not of one session."""
    with wrong_use("--deal", DealError):
        started, as_planned = rehearsal_of(EVENT, deals)
    (folder / DEALS).mkdir(parents=True)
    for deal in as_planned:
        write_file(folder / DEALS / f"deal-{deal.n:04d}.json", pretty_json(deal.to_json()), PRIVATE, force=False)
    laid = DemoCustody(
        folder=folder,
        memory=memory,
        started=started,
        identities=dict.fromkeys(tables, ""),
        holders=(),
        server_key=own_signer("", folder / f"{SERVER_USER}.key").public.hex(),
        imported=as_planned,
    )
    laid.plan_file.write_bytes(started.plan.canonical)
    laid.start_file.write_bytes(started.start.canonical)
    return laid


def _drawn(seed: int, holder: str) -> Seed:
    """A holder's seed; the first one's is that of a demo with one holder."""
    label = f"twinwall demo {seed}" if holder == HOLDERS[0] else f"twinwall demo {seed} {holder}"
    return Seed(hashlib.shake_256(label.encode()).digest(SEED_SIZE))


def _new_holder(folder: Path, name: str, vault: str, seed: Seed) -> DemoHolder:
    """Encrypt a holder's seed under a new passphrase, and make the key of his vault."""
    passphrase = secrets.token_urlsafe(24)
    salt, nonce = secrets.token_bytes(SALT_SIZE), secrets.token_bytes(NONCE_SIZE)
    written = write_seed(seed, name, passphrase, salt=salt, nonce=nonce, cost=SEED_FILE_COST)
    write_file(_seed_file(folder, name), written, PRIVATE, force=False)
    return DemoHolder(name, vault, own_signer("", _vault_key_file(folder, vault)).public.hex(), passphrase)


@contextlib.contextmanager
def memory_folder(mountinfo: str) -> Iterator[Path]:
    """A new folder on a file system that lives in memory, removed at the end; raises UsageError where there is none. A demo that was killed
    outright could not remove its own: the next one does. ``mountinfo`` is the text of ``/proc/self/mountinfo``."""
    for candidate in (*MEMORY_FOLDERS, Path(f"/run/user/{os.getuid()}")):
        if candidate.is_dir() and os.access(candidate, os.W_OK) and file_system_of(candidate.resolve(), mountinfo) in IN_MEMORY:
            _clear_up(candidate)
            made = Path(tempfile.mkdtemp(prefix=f"{_IN_MEMORY_PREFIX}{os.getpid()}-", dir=candidate))
            break
    else:
        raise UsageError(
            "no folder in memory: what opens a table's deals must reach no disk, and neither /dev/shm nor /run is a file system "
            "in memory that this user may write to; mount one (mount -t tmpfs tmpfs /dev/shm) and start again"
        )
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _clear_up(candidate: Path) -> None:
    """Remove the folders of demos whose process is gone."""
    for left in candidate.glob(f"{_IN_MEMORY_PREFIX}*-*"):
        process = left.name.removeprefix(_IN_MEMORY_PREFIX).partition("-")[0]
        if process.isdecimal() and not Path("/proc", process).exists():
            shutil.rmtree(left, ignore_errors=True)


def _seed_file(folder: Path, holder: str) -> Path:
    return folder / f"{holder}.seed"


def _vault_key_file(folder: Path, vault: str) -> Path:
    return folder / f"{vault}.key"


def _identity_file(folder: Path, table: str) -> Path:
    return folder / f"table-{table}.key"
