"""The folder and seeds of a vault that takes orders: each event's plan, seed, commitments, start and session ledger. The file ``events``,
with signed and chained lines, says what was committed and started; the files are in a folder for each plan and checked by hash. An event
counts from when its line is on disk: a vault killed before has made no deals, one killed after repeats its answer.

The file of a holder's seed, encrypted with a passphrase, for which the vault asks. Key: Argon2id of the passphrase (RFC 9106); cipher:
ChaCha20-Poly1305 (RFC 8439). The file's other lines are authenticated too.
"""

import unicodedata
from collections.abc import Callable
from dataclasses import field
from pathlib import Path
from typing import Annotated, Final, Literal

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id
from msgspec import Meta
from msgspec.structs import replace

from twinwall.custody.release import DigestOrNone
from twinwall.custody.server_orders import MOST_TRIES, SEED, TRY_AGAIN_AFTER_S, CommittedEvent, RefusedOrder
from twinwall.custody.signed_lines import SignedLines
from twinwall.game.deals import SEED_SIZE, CommitmentPart, Commitments, Plan, Seed, Start, StartedPlan, commit_part
from twinwall.game.deals.encoding import Sha256
from twinwall.game.documents import DocumentError, canonical_json, digest, pretty_json
from twinwall.game.typed_json import Digest, HexBytes, Text, Words, plain, read_as, read_document
from twinwall.values import Shape, frozen
from twinwall.wire.durable_file import write_durably
from twinwall.wire.messages.signing import Signer, vault_sealing_key
from twinwall.wire.messages.vaults.vault_orders import VaultRefusal, open_passphrase

CIPHER: Final = "chacha20-poly1305"
SALT_SIZE = 16
NONCE_SIZE = 12
KEY_SIZE = 32
SHORTEST_PASSPHRASE = 12
"""Characters; four random words have more. Argon2id makes each guess expensive, but does not replace length."""
MOST_MEMORY_KIB = 4 << 20
"""A file that asks for more is refused, so that it cannot exhaust the machine."""


class Cost(Shape, tag_field="name", tag="argon2id"):
    """The cost of one guess at a passphrase: memory in KiB, passes over it, and parallel lanes."""

    memory_kib: Annotated[int, Meta(le=MOST_MEMORY_KIB)]
    passes: Annotated[int, Meta(ge=1, le=100)]
    lanes: Annotated[int, Meta(ge=1, le=64)]

    def __post_init__(self) -> None:
        if self.memory_kib < 8 * self.lanes:
            raise ValueError(f"memory_kib must be {8 * self.lanes} or more for {self.lanes} lanes, not {self.memory_kib}")


COST = Cost(memory_kib=256 << 10, passes=3, lanes=4)
"""256 MiB and three passes: four times the memory that RFC 9106 (section 4) recommends when memory is scarce, and a fraction of a Raspberry
Pi's."""


class Salt(HexBytes):
    SIZE = SALT_SIZE


class Nonce(HexBytes):
    SIZE = NONCE_SIZE


class SealedSeed(HexBytes):
    """The encrypted seed with its tag."""

    SIZE = SEED_SIZE + 16


class _SeedFile(Shape, tag_field="format", tag="twinwall-seed-file-1"):
    holder: Words
    commitment: Sha256
    kdf: Cost
    salt: Salt
    cipher: Literal["chacha20-poly1305"]
    nonce: Nonce
    sealed: SealedSeed


def write_seed(seed: Seed, holder: str, passphrase: str, *, salt: bytes, nonce: bytes, cost: Cost = COST) -> bytes:
    """The file's bytes; ``salt`` and ``nonce`` are fresh random bytes. Raises DocumentError for a short passphrase."""
    if len(passphrase) < SHORTEST_PASSPHRASE:
        raise DocumentError(
            f"the passphrase has {len(passphrase)} characters: take {SHORTEST_PASSPHRASE} or more, four random words for example"
        )
    file = _SeedFile(holder, seed.commitment, cost, Salt(salt), CIPHER, Nonce(nonce), SealedSeed())
    sealed = ChaCha20Poly1305(_key(passphrase, salt, cost)).encrypt(nonce, seed.content, _header(file))
    return pretty_json(plain(replace(file, sealed=SealedSeed(sealed))))


def read_seed(content: bytes, passphrase: str) -> tuple[str, Seed]:
    """The holder's name and the seed; raises DocumentError."""
    read = read_document(content, _SeedFile, "the seed file")
    try:
        seed = Seed(ChaCha20Poly1305(_key(passphrase, read.salt, read.kdf)).decrypt(read.nonce, read.sealed, _header(read)))
    except InvalidTag:
        raise DocumentError(f"the seed of {read.holder!r} does not open: the passphrase is another, or the file was changed") from None
    if seed.commitment != read.commitment:
        raise DocumentError(f"the seed of {read.holder!r} is not the one that its own commitment names")
    return read.holder, seed


def _header(file: _SeedFile) -> bytes:
    return canonical_json({key: value for key, value in plain(file).items() if key != "sealed"})


def _key(passphrase: str, salt: bytes, cost: Cost) -> bytes:
    """Derive the key from the NFC passphrase, because keyboards compose letters differently."""
    kdf = Argon2id(salt=salt, length=KEY_SIZE, iterations=cost.passes, lanes=cost.lanes, memory_cost=cost.memory_kib)
    return kdf.derive(unicodedata.normalize("NFC", passphrase).encode())


PURPOSE = "twinwall-vault-events-1"
NO_EVENT = ""
PLAN, PART, COMMITMENTS, START = "plan.json", "part.json", "commitments.json", "start.json"


class EventLine(Shape):
    """An event after a step: the hashes of its files, empty if there is none. The last line's event is the present one."""

    event: Text
    plan: Digest
    part: Digest
    commitments: DigestOrNone = ""
    start: DigestOrNone = ""


class VaultHome:
    """All events of one vault; the last ordered one is present."""

    def __init__(self, folder: Path, signer: Signer) -> None:
        """``folder`` is the vault's own; makes it if necessary. Raises DocumentError for lines that the vault did not write."""
        self._folder = folder
        self._lines = SignedLines(folder / "events", PURPOSE, NO_EVENT, signer)
        self._events: dict[str, EventLine] = {}
        self._present = ""
        for number, line in enumerate(self._lines.new(), 1):
            try:
                self._note(read_as(line, EventLine))
            except DocumentError as error:
                raise DocumentError(f"{self._lines.path}, line {number}: {error}: it was written by another version") from None

    @property
    def present(self) -> CommittedEvent | None:
        """The last ordered event; raises DocumentError if its files were changed."""
        return self.event(self._present) if self._present else None

    def event(self, name: str) -> CommittedEvent | None:
        line = self._events.get(name)
        return None if line is None else self._read(line)

    def commit(self, plan: Plan, part: CommitmentPart, seed_file: bytes) -> CommittedEvent:
        """Store a new event, or another plan for one without start, and make it present; delete the former plan's unused seed."""
        earlier = self._events.get(plan.event)
        folder = self._of_plan(plan.digest.hex())
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        files = {PLAN: plan.canonical, PART: canonical_json(part.to_json())}
        write_durably(folder / SEED, seed_file, 0o600)
        for name, content in files.items():
            write_durably(folder / name, content)
        self._append(EventLine(plan.event, digest(files[PLAN]), digest(files[PART])))
        if earlier is not None and self._of_plan(earlier.plan) != folder:
            (self._of_plan(earlier.plan) / SEED).unlink(missing_ok=True)
        return CommittedEvent(plan, part, folder)

    def choose(self, name: str) -> None:
        if name != self._present:
            self._append(self._events[name])

    def keep_start(self, started: CommittedEvent) -> None:
        """Store the start of the present event for good."""
        assert started.commitments is not None
        assert started.start is not None
        folder, line = self._of_plan(started.plan.digest.hex()), self._events[started.plan.event]
        commitments = canonical_json(started.commitments.to_json())
        write_durably(folder / COMMITMENTS, commitments)
        write_durably(folder / START, started.start.canonical)
        self._append(replace(line, commitments=digest(commitments), start=digest(started.start.canonical)))

    def _note(self, line: EventLine) -> None:
        self._events[line.event], self._present = line, line.event

    def _append(self, line: EventLine) -> None:
        self._lines.append(plain(line))
        self._note(line)

    def _of_plan(self, plan: str) -> Path:
        return self._folder / f"plan-{plan[:16]}"

    def _read(self, line: EventLine) -> CommittedEvent:
        folder = self._of_plan(line.plan)
        try:
            plan, part = Plan.from_bytes(_content(folder / PLAN, line.plan)), CommitmentPart.from_json(_content(folder / PART, line.part))
            if not line.start:
                return CommittedEvent(plan, part, folder)
            commitments = Commitments.from_json(_content(folder / COMMITMENTS, line.commitments))
            start = Start.from_bytes(_content(folder / START, line.start))
            return CommittedEvent(plan, part, folder, commitments, StartedPlan(plan, start))
        except (DocumentError, OSError) as error:
            raise DocumentError(f"{folder}: {error}: put a good copy back") from None


def _content(path: Path, wanted: str) -> bytes:
    content = path.read_bytes()
    if digest(content) != wanted:
        raise DocumentError(f"{path} is not the file that the vault wrote: put a good copy back")
    return content


@frozen
class VaultOwner:
    """A vault's settings: holder, key, the server's key, and how boot keys are accepted. ``passphrase``: typed at the vault; then the
    server's are ignored. ``released``: folder for slips (None: in the event's folder). ``cost``: of new seed files."""

    holder: str
    signer: Signer
    server: bytes
    passphrase: str = field(default="", repr=False)
    new_keys_ask: bool = True
    released: Path | None = None
    cost: Cost = COST


class SeedKeeper:
    """One holder's seed of the present event; None until it is made or opened."""

    def __init__(self, owner: VaultOwner, boot: str, draw: Callable[[int], bytes]) -> None:
        """``boot`` is this start of the vault, for which the server seals passphrases; ``draw`` returns random bytes."""
        self._owner, self._boot, self._draw = owner, boot, draw
        self._tries, self._tried_s = 0, 0.0
        """Wrong passphrases since the last right one, and the time of the last."""
        self._wrong: tuple[str, RefusedOrder] | None = None
        """The last wrong passphrase, as sealed, and its answer."""
        self.seed: Seed | None = None

    def make(self, plan: Plan, sealed: str, home: VaultHome) -> CommittedEvent | RefusedOrder:
        """Draw a seed for a plan, commit to it, and store both; ``sealed`` is the server's passphrase."""
        passphrase = self._passphrase(sealed)
        if isinstance(passphrase, RefusedOrder):
            return passphrase
        if len(passphrase) < SHORTEST_PASSPHRASE:
            sentence = f"the passphrase has {len(passphrase)} characters: take {SHORTEST_PASSPHRASE} or more"
            return RefusedOrder(VaultRefusal.SHORT_PASSPHRASE, sentence)
        seed, salt, nonce = Seed(self._draw(SEED_SIZE)), self._draw(SALT_SIZE), self._draw(NONCE_SIZE)
        holder = self._owner.holder
        sealed_seed = write_seed(seed, holder, passphrase, salt=salt, nonce=nonce, cost=self._owner.cost)
        made = home.commit(plan, commit_part(plan, holder, seed), sealed_seed)
        self.seed = seed
        return made

    def open(self, present: CommittedEvent, sealed: str, now_s: float) -> RefusedOrder | None:
        """Open the seed with the server's passphrase; return why it stays closed, or None. A repeated order is one try."""
        if sealed and self._wrong is not None and self._wrong[0] == sealed:
            return self._wrong[1]
        wait_s = self._tried_s + TRY_AGAIN_AFTER_S - now_s
        if self._tries >= MOST_TRIES and wait_s > 0:
            sentence = (
                f"{self._tries} wrong passphrases came: the next one is tried in {wait_s / 60:.0f} minutes, or when the vault is started"
            )
            return RefusedOrder(VaultRefusal.TOO_MANY_TRIES, sentence)
        passphrase = self._passphrase(sealed)
        if isinstance(passphrase, RefusedOrder):
            return passphrase
        try:
            self.take(present, passphrase)
        except DocumentError as error:
            self._tries, self._tried_s = self._tries % MOST_TRIES + 1, now_s
            refused = RefusedOrder(VaultRefusal.WRONG_PASSPHRASE, str(error))
            self._wrong = sealed, refused
            return refused
        self._tries, self._wrong = 0, None
        return None

    def take(self, present: CommittedEvent, passphrase: str) -> None:
        """Open the seed of an event; raises DocumentError."""
        try:
            holder, seed = read_seed(present.seed_file.read_bytes(), passphrase)
        except OSError as error:
            raise DocumentError(f"{present.seed_file} cannot be read ({error.strerror}): put a good copy back") from None
        if holder != self._owner.holder or commit_part(present.plan, holder, seed) != present.part:
            raise DocumentError(f"{present.seed_file} is not the seed that this vault committed to: put a good copy back")
        self.seed = seed

    def _passphrase(self, sealed: str) -> str | RefusedOrder:
        if self._owner.passphrase:
            return self._owner.passphrase
        signer = self._owner.signer
        opened = open_passphrase(sealed, vault_sealing_key(signer), signer.public, self._boot) if sealed else None
        if opened is None:
            sentence = f"the vault of {self._owner.holder!r} needs the passphrase, sealed to it for its present start"
            return RefusedOrder(VaultRefusal.NO_PASSPHRASE, sentence)
        return opened
