"""Commands on damaged files, and used wrongly: each file is emptied, cut, changed, replaced or of another version; one sentence says it."""

import random
import re
import shlex
import shutil
import zlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import config
from cli import main
from cli.hall.certificate_files import CertificateFiles
from cli.hall.hall_folder import HallFolder, held_folder
from config import dumps
from dashboard.access.staff_file import StaffFile
from tests.support.commands import Twinwall
from tests.support.custody.hall import PLAN as VAULT_PLAN
from tests.support.custody.hall import START as VAULT_START
from tests.support.custody.hall import STARTED as VAULT_STARTED
from tests.support.custody.hall import VAULT
from tests.support.custody.vault_settings import settings_file
from tests.support.dashboard.staff import CHEAP, enrol
from tests.support.event.evenings import bundle, evening_ledgers, stored_evening
from tests.support.event.stored_event import COMMITMENTS, SEEDS, STARTED, slip_bytes
from tests.support.tiers import one_in
from tests.support.wire.brokers import free_port
from tools.default_settings import DASHBOARD
from twinwall.custody.custody_status import CustodyStatus, TableStatus, write_status
from twinwall.custody.release import AllowKey, KeyAccepted
from twinwall.custody.vault_files import Orders, VaultLedger, keep_start, put_status
from twinwall.event.bundle.bundle_files import write_zip
from twinwall.event.forms.registry import READABLE
from twinwall.game.documents import pretty_json
from twinwall.wire.messages.boot_keys import BootKeys

KEYS = BootKeys(b"\x01" * 32, b"\x03" * 32)
WORDS = STARTED.start.words
EVENING = "evening/event.sqlite"
COMMANDS: dict[str, tuple[str, ...]] = {
    "vault status --settings vault/vault.toml": ("vault/vault.toml", "vault/vault.key", "vault/kept/status.json", "vault/kept/ledger"),
    f"vault allow 2 {KEYS.fingerprint.replace(' ', '')} --settings vault/vault.toml": (
        "vault/vault.toml",
        "vault/vault.key",
        "vault/plan.json",
        "vault/kept/orders",
        "vault/kept/orders.head",
    ),
    "vault revoke 1 --settings vault/vault.toml": ("vault/vault.key", "vault/kept/ledger", "vault/kept/ledger.head"),
    "vault withdraw 2 --settings vault/vault.toml": ("vault/vault.key", "vault/kept/ledger", "vault/kept/orders"),
    f"results check {EVENING} --ledger evening/1.jsonl": (EVENING, "evening/1.jsonl"),
    f"results backup {EVENING} copy.sqlite": (EVENING,),
    f"results restore {EVENING} restored.sqlite": (EVENING,),
    f"results publish {EVENING} --out site --no-pdf": (EVENING,),
    "results rebuild again.sqlite --settings dashboard.toml --ledger evening/1.jsonl --slip slip.json": (
        "dashboard.toml",
        "evening/1.jsonl",
        "slip.json",
    ),
    f"export {EVENING} --format csv": (EVENING,),
    f"export {EVENING} --format bundle --commitments commitments.json --out other.zip": (EVENING, "commitments.json"),
    "export records.json --format csv": ("records.json",),
    "export records.json --format mjai": ("records.json",),
    f"compare {EVENING}": (EVENING,),
    "compare --team results.csv": ("results.csv",),
    "replay records.json": ("records.json",),
    "results import hand.pmn": ("hand.pmn",),
    "results import --format botzone hand.botzone": ("hand.botzone",),
    "results import --format ijcai hand.ijcai": ("hand.ijcai",),
    f"verify evening.zip --start {WORDS}": ("evening.zip",),
    "verify evening.zip --start start.json": ("start.json",),
    f"deals verify plan.json --start {WORDS} slip.json": ("plan.json", "slip.json"),
    "deals verify plan.json --start start.json slip.json": ("start.json",),
    "deals start fresh/plan.json --commitments fresh/commitments.json --public noon --out fresh/start.json": (
        "fresh/plan.json",
        "fresh/commitments.json",
    ),
    "deals commit plan.json --seed server=server.seed --out new.json": ("plan.json", "server.seed"),
    f"deals reveal plan.json slip.json --start {WORDS}": ("slip.json",),
    "hall staff list --settings dashboard.toml": ("dashboard.toml", "staff.sqlite"),
    "hall staff invite Ann --role scorer --settings dashboard.toml": ("staff.sqlite",),
    "hall players list --settings dashboard.toml": ("players.json",),
    "hall certificates --settings dashboard.toml --out certificates": ("certificates/authority.pem", "certificates/authority.key"),
    f"admin sign check results.csv --signer 'vault {VAULT.public.hex()}'": ("results.csv", "results.csv.sig"),
    "admin sign slip.json --key vault/vault.key": ("vault/vault.key",),
}
MAY_BE_GOOD = {
    ("empty", "vault/kept/orders"),  # no order was given
    ("empty", "results.csv"),  # no hand was played
    ("zeros", "server.seed"),  # a seed of zeros is one
}


def _flipped(content: bytes) -> bytes:
    changed, rng = bytearray(content), random.Random(zlib.crc32(content))
    for _ in range(8):
        at = rng.randrange(len(changed))
        changed[at] ^= 1 << rng.randrange(8)
    return bytes(changed)


def _of_another_version(content: bytes) -> bytes:
    """The version in a format's name, or SQLite's version of the user."""
    if content.startswith(b"SQLite"):
        return content[:60] + b"\0\0\0\x63" + content[64:]
    return re.sub(rb"(twinwall-[a-z-]+-)\d", rb"\g<1>99", content)


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _content: b"",
    "cut": lambda content: content[: len(content) // 2],
    "flipped": _flipped,
    "garbage": lambda content: random.Random(len(content)).randbytes(4096),
    "text": lambda _content: b'[[[{"a": 1e999}\n{}\n',
    "another version": _of_another_version,
    "zeros": lambda content: bytes(len(content)),
}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all the files, none of them damaged."""
    folder = tmp_path_factory.mktemp("whole")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for made in (_make_evening, _make_vault, _make_hall):
            made(folder)
    return folder


def _make_evening(folder: Path) -> None:
    for name in ("evening", "fresh"):
        (folder / name).mkdir()
    stored_evening(folder / "evening")
    (folder / "evening/1.jsonl").write_bytes(b"".join(event.line for event in evening_ledgers()["1"]))
    (folder / "evening.zip").write_bytes(write_zip(bundle()))
    for name, content in {
        "plan.json": STARTED.plan.canonical,
        "start.json": STARTED.start.canonical,
        "commitments.json": pretty_json(COMMITMENTS.to_json()),
        "fresh/plan.json": STARTED.plan.canonical,
        "fresh/commitments.json": pretty_json(COMMITMENTS.to_json()),
        "slip.json": slip_bytes(1),
        "server.seed": SEEDS["server"].content,
    }.items():
        (folder / name).write_bytes(content)
    other = [(form, f"hand.{form}") for form in READABLE]
    for form, out in (("json", "records.json"), ("csv", "results.csv"), *other):
        assert main(["export", EVENING, "--deal", "1", "--format", form, "--out", out]) == 0


def _make_vault(folder: Path) -> None:
    (folder / "vault").mkdir()
    settings = settings_file(folder / "vault")
    settings.write_text(settings.read_text().replace(f"{folder}/vault/", ""))
    kept = folder / "vault/kept"
    (folder / "vault/start.json").write_bytes(VAULT_START.canonical)
    ledger, orders = VaultLedger(kept, VAULT_PLAN.event, VAULT), Orders(kept, VAULT_PLAN.event, VAULT)
    for table in ("1", "2"):
        ledger.keep(KeyAccepted.of(table, KEYS))
        orders.give(AllowKey(table, KEYS.fingerprint))
    keep_start(kept, VAULT_START)
    seen = TableStatus("1", KEYS.fingerprint, 1, 0, (1,), (1,), (), 3, withdrawn=False)
    put_status(kept, write_status(CustodyStatus(datetime.now(UTC), VAULT_STARTED.start.words, (1, 2), (), (seen,))))


def _make_hall(folder: Path) -> None:
    plan, start, players = (Path(f"{name}.json") for name in ("plan", "start", "players"))
    named = replace(DASHBOARD.one_event, name=STARTED.plan.event, players=players)
    text = dumps(replace(DASHBOARD, event=replace(named, plan=plan, start=start, vault_key=VAULT.public.hex())))
    (folder / "dashboard.toml").write_text(text.replace("/var/lib/twinwall/dashboard/staff.sqlite", "staff.sqlite"))
    assert main(["hall", "players", "name", "1", "Abe", "--settings", "dashboard.toml"]) == 0
    staff = StaffFile(folder / "staff.sqlite", CHEAP)
    enrol(staff, "Abe")
    staff.close()
    assert main(["hall", "certificates", "--settings", "dashboard.toml", "--out", "certificates", "--host", "127.0.0.1"]) == 0
    assert main(["admin", "sign", "results.csv", "--key", "vault/vault.key"]) == 0


def trials() -> Iterator[tuple[str, str, str]]:
    for command, files in COMMANDS.items():
        yield from ((command, file, damage) for file in files for damage in (*DAMAGES, "missing", "a folder"))


@pytest.fixture
def here(whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(whole, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("command", COMMANDS)
def test_the_command_is_good_while_nothing_is_damaged(command: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(shlex.split(command)) == 0, (capsys.readouterr().err, here)


@pytest.mark.parametrize(("command", "file", "damage"), one_in(11, trials()))
def test_a_damaged_file_is_a_sentence(command: str, file: str, damage: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = here / file
    content = path.read_bytes()
    if damage in ("missing", "a folder"):
        path.unlink()
    if damage == "a folder":
        path.mkdir()
    if damage in DAMAGES:
        path.write_bytes(DAMAGES[damage](content))
    code = main(shlex.split(command))
    said = capsys.readouterr()
    assert code in (0, 1, 2)
    assert "Traceback" not in said.err
    assert said.err.strip() or said.out.strip() or code == 0
    if damage in ("empty", "garbage", "zeros", "a folder") and (damage, file) not in MAY_BE_GOOD:
        assert code != 0, said


SERVED = ["server.key", "vault.key", "staff.sqlite"]


@pytest.fixture
def hall(tmp_path: Path) -> Path:
    made = HallFolder(tmp_path / "hall", tmp_path, ("1",), free_port(), free_port(), trusting=False)
    made.folder.mkdir()
    for part in (made.broker, made.vault, made.dashboard, made.invite_first_director):
        part()
    return made.folder


def serve(hall: Path, *more: str) -> int:
    return main(["hall", "serve", str(hall), "--headless", "--port", str(free_port()), "--broker-port", str(free_port()), *more])


@pytest.mark.parametrize(("file", "damage"), one_in(2, [(file, damage) for file in SERVED for damage in ("empty", "garbage", "zeros")]))
def test_a_hall_with_a_damaged_key_or_staff_file_says_which(file: str, damage: str, hall: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (hall / file).write_bytes(DAMAGES[damage]((hall / file).read_bytes()))
    assert serve(hall) == 2
    assert f"{hall / file}" in capsys.readouterr().err.splitlines()[-1]


def test_a_second_hall_on_one_folder_changes_nothing_of_the_first(hall: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = {path: path.read_bytes() for path in hall.rglob("*") if path.is_file()}
    with held_folder(hall):
        assert serve(hall) == 2
    assert "a hall is served from this folder already" in capsys.readouterr().err
    assert {path: path.read_bytes() for path in before} == before
    with held_folder(hall):
        pass


def test_an_empty_password_of_a_hall_is_made_again(hall: Path) -> None:
    (hall / "server.password").write_bytes(b"")
    assert len(HallFolder(hall, hall, ("1",), 1883, 8080, trusting=False).passwords()["server"]) > 20


def test_certificates_that_have_ended_are_not_called_good(here: Path, twinwall: Twinwall) -> None:
    shutil.rmtree(here / "certificates")
    old = datetime.now(UTC) - timedelta(days=40)
    files = CertificateFiles(here / "certificates")
    authority = files.make_authority("Hall", ("127.0.0.1",), old, timedelta(days=30))
    for name in ("broker", "server", "vault"):
        files.issue(authority, name, (), old)
    said = twinwall("hall", "certificates", "--settings", "dashboard.toml", "--out", "certificates", code=2).err
    assert f"ended on {authority.ends:%Y-%m-%d}" in said
    assert "good until" not in said


TABLE = str(Path(config.__path__[0]) / "default" / "table.toml")


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("table run", "deals.plan names /etc/twinwall/plan.json, which is not there (to make it: twinwall deals plan)"),
        ("hall dashboard", "mqtt.password_file names /etc/twinwall/server.password, which is not there"),
        ("vault run", "vault.signing_key names /etc/twinwall/vault.key, which is not there (to make it: twinwall vault key FILE)"),
        ("hall broker", "broker.passwords names /etc/twinwall/broker.passwords, which is not there (to make it: mosquitto_passwd"),
    ],
)
def test_a_default_settings_file_whose_files_are_not_made_yet_says_which_and_how(command: str, says: str, twinwall: Twinwall) -> None:
    settings = Path(TABLE).with_name(f"{command.removesuffix(' run').split()[-1]}.toml")
    said = twinwall(*command.split(), "--settings", settings, code=2).err
    assert said.startswith(f"twinwall: {settings}: ")
    assert says in said
