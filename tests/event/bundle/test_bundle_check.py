"""The check of a bundle: a true evening is proved, and every change of it is named by file and line; and the commands."""

import io
import json
import random
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cli import main
from tests.support.event.evenings import (
    CODE,
    SIGNERS,
    VAULT,
    bundle,
    bundle_of,
    evening_ledgers,
    hand_script,
    head_of,
    stored_evening,
    with_heading,
)
from tests.support.event.harms import Harm, harmed
from tests.support.event.ledgers import TABLES, preparing
from tests.support.event.stored_event import COMMITMENTS, DEALS, PLAN, SEEDS, STARTED, slip_bytes
from tests.support.tiers import TIER, Tier, examples, one_in
from tests.support.wire.streams import Line, ledger_lines
from twinwall.event.bundle import bundle_files
from twinwall.event.bundle import bundle_files as names
from twinwall.event.bundle.bundle_check import check_bundle
from twinwall.event.bundle.bundle_files import NotReleasedError
from twinwall.event.bundle.bundle_proofs import BundleReport
from twinwall.game.deals import make_slip
from twinwall.game.documents import canonical_json, parse_object, pretty_json
from twinwall.wire.ledger import LedgerPosition, next_position, parse
from twinwall.wire.messages.signing import Signer

pytestmark = pytest.mark.slow

LEDGER = names.ledger_name(2)
SHORT = DEALS[:1]
"""An evening of one deal has each kind of file, and is checked in a third of the time."""


def check(files: dict[str, bytes], code: bytes = CODE, vault_key: bytes | None = VAULT.public) -> BundleReport:
    return check_bundle(files, code, vault_key)


def said(files: dict[str, bytes], code: bytes = CODE) -> list[str]:
    return [str(each) for each in check(files, code).unproved]


def chained_again(lines: list[bytes], first: int) -> list[bytes]:
    """Lines from number ``first`` on with their hashes made again, as a forger would."""
    position = LedgerPosition("j")
    for number, line in enumerate(lines, 1):
        if number >= first:
            lines[number - 1] = canonical_json({**parse_object(line), "seq": position.seq + 1, "prev": position.digest})
        position = next_position(position, lines[number - 1])
    return lines


def test_a_true_evening_is_proved_as_a_whole() -> None:
    report = check(bundle())
    assert (report.unproved, report.notes, report.deals) == ([], [], DEALS)
    lines = sum(len(evening_ledgers(DEALS)[table]) for table in TABLES)
    assert report.counts.pop("records of staff") == 1 + len(TABLES)
    assert report.counts.pop("heads noted by other tables") == len(DEALS) * len(TABLES) * (len(TABLES) - 1)
    assert report.counts == {"ledgers": 4, "lines": lines, "heads": 16, "deals": 3, "planned": 3, "hands": 12, "rulings": 0}


@pytest.mark.parametrize("then", [1, 9])
def test_a_wall_that_was_left_for_another_session_is_a_note_and_waits_for_no_slip(tmp_path: Path, then: int) -> None:
    """Of session 9 after an early end of it; of session 1 it might still be played, and what the table tells stays in the store."""
    began: Line = ("controller-started", {"version": "0.1.0", "resumed": False})
    unplayed = [(kind, {**fields, **({"session": then} if kind == "deal-opened" else {})}) for kind, fields in preparing(3, "ab" * 32)]
    ledgers = {
        table: tuple(map(parse, ledger_lines([began, *unplayed, *hand_script(table, 1), ("deal-released", {"n": 1})], table, "j")))
        for table in TABLES
    }
    store = stored_evening(tmp_path, SHORT, SHORT, ledgers)
    if then == 1:
        with pytest.raises(NotReleasedError, match="deal 3 is not released"):
            bundle_of(store)
        return
    report = check(bundle_of(store))
    assert (report.unproved, report.deals) == ([], SHORT)
    lefts = [f"table {table} left the wall of deal 3 for another session, and no hand began with it" for table in TABLES]
    assert [note for note in report.notes if "left" in note] == lefts


def test_nothing_is_proved_under_another_code() -> None:
    report = check(bundle(), bytes(20))
    (sentence,) = map(str, report.unproved)
    assert sentence.startswith(f"start.json, line 1: this start has the code {STARTED.start.words}, and you gave 0000-")
    assert sentence.endswith("no deal of this bundle is proved")
    assert report.deals == ()


def test_a_changed_discard_is_found_though_chain_and_heading_are_made_again() -> None:
    lines = bundle()[LEDGER].splitlines(keepends=True)
    events = evening_ledgers(DEALS)["2"]
    number = next(event.seq for event in events if event.type == "tile-discarded" and event.fields["tile"] != "9s")
    lines[number - 1] = canonical_json({**parse_object(lines[number - 1]), "tile": "9s"})
    end = next(event.seq for event in events if event.type == "hand-closed")
    found = said(with_heading({**bundle(), LEDGER: b"".join(chained_again(lines, number))}))
    assert found[0] == f"{LEDGER}, line 1: lines 1 to {end} are not what the table has signed"


def test_a_record_that_says_something_else_than_the_ledgers_is_told_with_both() -> None:
    first, *others = bundle()[names.RECORDS].splitlines(keepends=True)
    changed = canonical_json({**parse_object(first), "scores": {"E": 99, "S": 0, "W": 0, "N": -99}})
    found = said(with_heading({**bundle(), names.RECORDS: b"".join((changed, *others))}))
    assert found[0].startswith("records.jsonl, line 1: the ledgers give something else here: deal 1 at table 1: scores is E ")
    assert found[0].endswith(" there and E 99, S 0, W 0, N -99 in this file")


def test_a_head_under_a_key_that_the_vault_has_not_announced_proves_nothing() -> None:
    stranger = head_of(evening_ledgers(DEALS)["2"][-1].position, "2", Signer("2", b"\x66" * 32))
    files = with_heading({**bundle(), names.HEADS: bundle()[names.HEADS] + stranger})
    assert any(sentence.startswith("heads.jsonl, line 17: a head of table '2' is refused") for sentence in said(files))


def test_two_signed_lines_of_one_number_are_a_fork_and_said() -> None:
    last = evening_ledgers(DEALS)["2"][-1].position
    fork = head_of(LedgerPosition(last.journal, last.seq, "ab" * 32), "2", SIGNERS["2"])
    files = with_heading({**bundle(), names.HEADS: bundle()[names.HEADS] + fork})
    assert f"heads.jsonl, line 17: table '2' has signed two different lines {last.seq} of journal 'j'" in said(files)


def test_signatures_under_another_vault_key_are_refused() -> None:
    report = check(bundle(), vault_key=Signer("vault", b"\x66" * 32).public)
    assert any(str(each).startswith("keys.jsonl, line 1: the vault has not announced these keys") for each in report.unproved)
    assert any(str(each).startswith("bundle.json, line 1: the bundle names another key of the vault") for each in report.unproved)


def test_the_slip_of_another_public_value_is_named_by_its_part() -> None:
    other = make_slip(PLAN, SEEDS, 2, "another value", COMMITMENTS)
    files = with_heading({**bundle(), names.slip_name(2): canonical_json(other.to_json())})
    assert any(sentence.startswith("slips/0002.json: deal 2, public: ") for sentence in said(files))


def test_a_file_that_is_missing_is_named() -> None:
    others = {names.ledger_name(1), names.ledger_name(3), names.ledger_name(4)}
    for name in [each for each in bundle(SHORT) if TIER is Tier.NIGHTLY or each not in others]:
        files = {other: content for other, content in bundle(SHORT).items() if other != name}
        assert any(sentence.startswith(name) for sentence in said(files)), name


@pytest.mark.parametrize("name", [names.PLAN, names.RESULTS, LEDGER])
def test_line_ends_and_byte_order_marks_of_editors_are_said_in_a_sentence(name: str) -> None:
    changed = b"\xef\xbb\xbf" + bundle(SHORT)[name]
    assert said({**bundle(SHORT), name: changed}) == [
        f"{name}, line 1: the file begins with a byte order mark, which a program has added: use the file as it was published"
    ]
    changed = bundle(SHORT)[name].replace(b"\n", b"\r\n")
    assert said({**bundle(SHORT), name: changed}) == [
        f"{name}, line 1: lines end with CR LF, which a program has changed: use the file as it was published"
    ]


def test_a_record_of_staff_that_was_changed_is_named() -> None:
    changed = bundle()[names.STAFF].replace(b'"line":', b'"line":1', 1)
    assert any(
        sentence.startswith("staff.jsonl, line 2: record 2 (lines at table 1) was changed")
        for sentence in said({**bundle(), names.STAFF: changed})
    )


def test_another_programme_than_the_server_signed_is_named() -> None:
    changed = bundle()[names.PROGRAMME].replace(b'"A","B"', b'"B","A"')
    found = said(with_heading({**bundle(), names.PROGRAMME: changed}))
    assert any(sentence.startswith("programme.json: record 1 (begun) is of another programme") for sentence in found)


def test_another_name_of_the_event_in_the_heading_is_named() -> None:
    files = dict(bundle())
    files[names.HEADING] = files[names.HEADING].replace(b'"event":"Autumn', b'"event":"Attumn')
    (sentence,) = said(files)
    assert sentence.startswith("bundle.json, line 1: it names the event 'Attumn / Herbst', and the plan is of 'Autumn / Herbst'")


def test_a_file_that_was_added_is_named() -> None:
    assert said({**bundle(), "start-2.json": bundle()[names.START]}) == ["start-2.json: this is no file of a bundle: it was added"]


@settings(max_examples=examples(12))
@given(st.integers(0, 2**32 - 1))
def test_every_random_harm_is_found_and_its_place_named(seed: int) -> None:
    chance = random.Random(seed)
    files, harm = harmed(dict(bundle(SHORT)), chance)
    found = check(files).unproved
    assert any(harm.is_named_by(each) for each in found), f"{harm}: {list(map(str, found))}"


def test_harms_of_each_kind_are_tried() -> None:
    assert {harmed(dict(bundle()), random.Random(seed))[1].kind for seed in range(60)} == set(Harm.KINDS)


WORDS = STARTED.start.words


@pytest.fixture
def packed(tmp_path: Path) -> Path:
    file = tmp_path / "evening.zip"
    file.write_bytes(bundle_files.write_zip(bundle()))
    return file


def test_a_store_leaves_as_a_bundle_that_is_proved(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store, commitments, out = stored_evening(tmp_path), tmp_path / "commitments.json", tmp_path / "evening.zip"
    commitments.write_bytes(pretty_json(COMMITMENTS.to_json()))
    assert main(["export", str(store), "--format", "bundle", "--commitments", str(commitments), "--out", str(out)]) == 0
    assert bundle_files.read_zip(out.read_bytes()) == bundle()
    assert main(["verify", str(out), "--start", WORDS, "--vault-key", VAULT.public.hex()]) == 0
    said = capsys.readouterr().out
    assert said.endswith("all of it is proved\n")
    assert "3 deals" in said
    assert "12 hands" in said


def test_a_deal_that_is_not_released_keeps_the_bundle_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = stored_evening(tmp_path, released=(1, 2))
    assert main(["export", str(store), "--format", "bundle", "--out", str(tmp_path / "evening.zip")]) == 1
    assert "deal 3 is not released, and table 1 has opened it" in capsys.readouterr().err
    assert not (tmp_path / "evening.zip").exists()


@pytest.mark.parametrize("spelled", one_in(3, [WORDS.lower(), WORDS.replace("0", "O"), WORDS.replace("-", " "), STARTED.start.code.hex()]))
def test_the_code_is_read_as_people_type_it(packed: Path, spelled: str) -> None:
    assert main(["verify", str(packed), "--start", spelled]) == 0


def test_a_bundle_is_never_its_own_witness(packed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(packed)]) == 2
    assert "a bundle is never its own witness" in capsys.readouterr().err
    with zipfile.ZipFile(packed) as archive:
        archive.extractall(tmp_path / "evening")
    assert main(["verify", str(tmp_path / "evening"), "--start", str(tmp_path / "evening" / "start.json")]) == 2
    assert "a bundle is never its own witness" in capsys.readouterr().err
    elsewhere = tmp_path / "start-of-the-hall.json"
    elsewhere.write_bytes(STARTED.start.canonical)
    assert main(["verify", str(tmp_path / "evening"), "--start", str(elsewhere), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["good"], report["deals"], report["vault_key_given"]) == (True, [1, 2, 3], False)


def test_a_file_that_is_named_like_the_code_is_not_read_in_its_place(
    packed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    known = "5PHC-HMHS-VS5A-JBJQ-S7FW-EC9W-ZR06-KA92"
    monkeypatch.chdir(tmp_path)
    for name, content in ((known, STARTED.start.canonical), ("plan", PLAN.canonical), ("slip", slip_bytes(1))):
        Path(name).write_bytes(content)
    assert main(["verify", str(packed), "--start", known]) == 1
    assert main(["deals", "verify", "plan", "slip", "--start", known]) == 1
    assert capsys.readouterr().out.count(f"not {known}") == 1
    assert main(["deals", "verify", "plan", "slip", "--start", f"./{known}"]) == 0


@pytest.mark.parametrize("code", ["5PHC", "UUUU" * 8, "", "5PHC-HMHS-VS5A-JBJQ-S7FW-EC9W-ZR06-KA9"])
def test_what_is_no_code_is_wrong_use(packed: Path, code: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(packed), "--start", code]) == 2
    assert capsys.readouterr().err.startswith(f"twinwall: --start {code}: a start code ")


def test_another_start_exits_1_with_both_codes(packed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(packed), "--start", "5PHC-HMHS-VS5A-JBJQ-S7FW-EC9W-ZR06-KA92"]) == 1
    said = capsys.readouterr().out
    assert f"start.json, line 1: this start has the code {WORDS}, and you gave 5PHC-HMHS-VS5A-JBJQ-S7FW-EC9W-ZR06-KA92" in said


def zipped(members: list[tuple[str, bytes]]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, member in members:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of a name that is there twice
                archive.writestr(zipfile.ZipInfo(name), member, zipfile.ZIP_DEFLATED)
    return content.getvalue()


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (lambda: b"no zip", "it is no zip, or only a part of one"),
        (lambda: b"", "it is no zip, or only a part of one"),
        (lambda: zipped([("start.json", b"1"), ("start.json", b"2")]), "it holds two files of one name"),
        (lambda: zipped([(f"{number}", b"") for number in range(bundle_files.MOST_FILES + 1)]), "it holds 4097 files"),
        (lambda: zipped([(f"{mark!r}", mark * (1 << 19)) for mark in (b"\n", b"\r", b"\r\n")]), "it has 2097152 lines"),
        (lambda: zipped([("plan.json", bytes(bundle_files.LARGEST_FILE + 1))]), "no file of a bundle has more than"),
    ],
)
def test_what_cannot_be_read_is_wrong_use(
    content: Callable[[], bytes], sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "evening.zip"
    file.write_bytes(content())
    assert main(["verify", str(file), "--start", WORDS]) == 2
    assert sentence in capsys.readouterr().err


def test_a_zip_with_a_damaged_member_is_not_proved_and_the_file_is_named(packed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    content = packed.read_bytes()
    with zipfile.ZipFile(packed) as archive:
        member = archive.getinfo("results.csv")
    place = member.header_offset + 30 + len(member.filename) + member.compress_size // 2
    packed.write_bytes(content[:place] + bytes([content[place] ^ 0x55]) + content[place + 1 :])
    assert main(["verify", str(packed), "--start", WORDS]) == 1
    assert "results.csv: the zip is damaged here" in capsys.readouterr().out


def test_a_member_that_unpacks_to_more_than_it_says_is_damaged(packed: Path) -> None:
    """A bomb that lies about its size: what comes out is never more than the limit, and its checksum does not hold."""
    content = bytearray(zipped([("plan.json", bytes(1 << 20))]))
    for at in (22, content.index(b"PK\x01\x02") + 24):
        content[at : at + 4] = (10).to_bytes(4, "little")
    assert bundle_files.read_zip(bytes(content)) == {"plan.json": None}
