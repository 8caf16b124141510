"""Building sheets of a table without cameras: printed at the vault under its passphrase, noted in its ledger, proved by the slip."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from config import MqttSettings, VaultSettings, write
from config.services import VaultSection
from tests.support.commands import Twinwall
from tests.support.custody.hall import COMMITMENTS, NAMES, PLAN, PUBLIC_KEYS, SEEDS, STARTED, VAULT
from tests.support.custody.vault_settings import settings_file
from tests.support.dashboard.printed import text_of
from twinwall.custody.custody_status import CustodyStatus, write_status
from twinwall.custody.vault_files import SessionOrdered, SheetsPrinted, VaultLedger, of_last_session, put_status
from twinwall.custody.vault_home import NONCE_SIZE, SALT_SIZE, Cost, VaultHome, write_seed
from twinwall.game.deals import (
    Deal,
    DealError,
    StartedPlan,
    building_sheets,
    commit_part,
    cover_code,
    make_deal,
    make_slip,
    sheet_difference,
)
from twinwall.game.documents import pretty_json
from twinwall.game.rule_set import NO_SHARED_TILES
from twinwall.game.tiles import SEATS
from twinwall.wire.messages.signing import write_signing_key
from twinwall.wire.messages.vaults.vault_orders import BeginSession, SessionTable

pytestmark = pytest.mark.slow

PASSPHRASE = "four quiet random words"
TABLE = NAMES[-1]
START = STARTED.start
N = PLAN.deals[0].n
SHEETS = ("vault", "sheets", TABLE, "--settings")


def sealed_seed() -> bytes:
    """The server's seed file, at a cost that takes no time; test_files_and_commands.py makes one at full cost and opens it."""
    cheap = Cost(memory_kib=64, passes=1, lanes=1)
    return write_seed(SEEDS["server"], "server", PASSPHRASE, salt=bytes(SALT_SIZE), nonce=bytes(NONCE_SIZE), cost=cheap)


def deal() -> Deal:
    return make_deal(PLAN, SEEDS, N, START.public, START.root)


@pytest.fixture
def settings(tmp_path: Path) -> str:
    file = settings_file(tmp_path)
    (tmp_path / "start.json").write_bytes(START.canonical)
    (tmp_path / "server.seed").write_bytes(sealed_seed())
    return str(file)


def test_four_sheets_a_deal_cover_their_tiles_agree_with_the_slip_and_stand_in_the_vaults_ledger(
    settings: str, tmp_path: Path, twinwall: Twinwall
) -> None:
    out = tmp_path / "sheets.pdf"
    twinwall(*SHEETS, settings, "--out", out, "--deal", N, passphrase=PASSPHRASE)
    assert out.stat().st_mode & 0o777 == 0o600
    text = text_of(out.read_bytes())
    assert text.count(cover_code(COMMITMENTS, N)) == 2 * len(SEATS), "on each cover, and inside"
    walls = list(building_sheets(deal(), COMMITMENTS, NO_SHARED_TILES))
    flat = "".join(text.split())
    assert all(sheet.line.replace(" ", "") in flat for sheet in walls)
    slip, plan, start = tmp_path / "slip.json", tmp_path / "plan.json", tmp_path / "start.json"
    slip.write_bytes(pretty_json(make_slip(PLAN, SEEDS, N, START.public, COMMITMENTS).to_json()))
    lines = [word for sheet in walls for word in ("--sheet", sheet.line)]
    verified = twinwall("deals", "verify", plan, "--start", start, slip, *lines)
    assert verified.out.count("the printed wall is the committed one") == len(SEATS)
    ledger = VaultLedger(tmp_path / "kept", PLAN.event, VAULT)
    assert ledger.read() == [SheetsPrinted(TABLE, (N,))]
    assert of_last_session(ledger.read()) == [], "nothing follows from it for the tables"


def test_a_sheet_with_another_tile_is_found_and_named(settings: str, tmp_path: Path, twinwall: Twinwall) -> None:
    assert settings
    slip = tmp_path / "slip.json"
    slip.write_bytes(pretty_json(make_slip(PLAN, SEEDS, N, START.public, COMMITMENTS).to_json()))
    east = next(building_sheets(deal(), COMMITMENTS, NO_SHARED_TILES))
    swapped = east.line.split()
    place = next(at for at in range(3, 15) if swapped[at] != swapped[2])
    swapped[2], swapped[place] = swapped[place], swapped[2]
    words = ["deals", "verify", tmp_path / "plan.json", "--start", tmp_path / "start.json", slip, "--json", "--sheet"]
    checked = json.loads(twinwall(*words, " ".join(swapped), code=1).out)["checked"]
    assert "tile 1 of the hand is" in checked[1]["sentence"]
    for other in ("nothing of the kind", east.line.replace(f"{N} ", f"{N + 1} ", 1)):
        twinwall(*words, other, code=2)


def test_the_status_lists_the_sheets_that_were_printed(settings: str, tmp_path: Path, twinwall: Twinwall) -> None:
    status = CustodyStatus(datetime(2026, 11, 21, tzinfo=UTC), START.words, (N,), (), ())
    (tmp_path / "kept").mkdir(exist_ok=True)
    put_status(tmp_path / "kept", write_status(status))
    ledger = VaultLedger(tmp_path / "kept", PLAN.event, VAULT)
    assert "sheets" not in twinwall("vault", "status", "--settings", settings, code=1).out
    for table, deals in (("3", (N, N + 1)), ("4", (N,)), ("3", (N,))):
        ledger.keep(SheetsPrinted(table, deals))
    assert twinwall("vault", "status", "--settings", settings, code=1).out.splitlines()[-2:] == [
        f"sheets printed for table 3: deal {N} (2 times), {N + 1}",
        f"sheets printed for table 4: deal {N}",
    ]


@pytest.mark.parametrize(
    ("words", "passphrase", "said"),
    [
        ((), "another phrase of words", "does not open"),
        (("--session", "99"), PASSPHRASE, "no such session"),
        (("--deal", "9999"), PASSPHRASE, "has the deals"),
    ],
)
def test_what_cannot_be_printed_leaves_neither_a_file_nor_a_line(
    settings: str, twinwall: Twinwall, words: tuple[str, ...], passphrase: str, said: str
) -> None:
    kept, out = Path(settings).parent / "kept", Path(settings).parent / "sheets.pdf"
    assert said in twinwall(*SHEETS, settings, "--out", out, *words, passphrase=passphrase, code=2).err
    assert not out.exists()
    assert VaultLedger(kept, PLAN.event, VAULT).read() == []


def test_no_sheets_are_printed_for_a_table_that_is_given_its_deals(settings: str, tmp_path: Path, twinwall: Twinwall) -> None:
    tables = tuple(SessionTable(name, PUBLIC_KEYS[name].hex(), paper=name == NAMES[0]) for name in NAMES)
    order = BeginSession(START.code.hex(), 1, tables, (tuple(NAMES),))
    VaultLedger(tmp_path / "kept", PLAN.event, VAULT).keep(SessionOrdered(order))
    out = tmp_path / "sheets.pdf"
    assert "is no paper table" in twinwall(*SHEETS, settings, "--out", out, "--deal", N, passphrase=PASSPHRASE, code=2).err
    assert not out.exists()


@pytest.mark.nightly
def test_a_vault_that_takes_orders_prints_the_sheets_of_its_present_event(tmp_path: Path, twinwall: Twinwall) -> None:
    home, part = VaultHome(tmp_path / "vault", VAULT), commit_part(PLAN, "server", SEEDS["server"])
    event = home.commit(PLAN, part, sealed_seed())
    write_signing_key(tmp_path / "vault.key", VAULT.secret)
    section = VaultSection(tmp_path / "vault.key", tmp_path / "vault", server_key="5" * 64)
    write(tmp_path / "vault.toml", VaultSettings(section, MqttSettings("mqtt://127.0.0.1:1", "vault", tmp_path / "none")))
    words = (*SHEETS, tmp_path / "vault.toml", "--out", tmp_path / "sheets.pdf", "--deal", N)
    twinwall(*words, passphrase=PASSPHRASE, code=2)
    home.keep_start(replace(event, commitments=COMMITMENTS, started=StartedPlan(PLAN, START)))
    twinwall(*words, passphrase=PASSPHRASE)
    assert VaultLedger(event.folder, PLAN.event, VAULT).read() == [SheetsPrinted(TABLE, (N,))]


def test_a_line_of_another_deal_is_no_line_of_this_one() -> None:
    with pytest.raises(DealError, match="no line of a building sheet"):
        sheet_difference(deal(), "7", NO_SHARED_TILES)
