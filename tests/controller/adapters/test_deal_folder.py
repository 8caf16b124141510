"""A deal is checked against its commitment before a tile moves."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from config.reading import SettingsError
from controller.adapters.deal_folder import DealFolder
from controller.adapters.memory_folder import boot_secrets, file_system_of, open_folder
from controller.state.sides import OpenDeal, WallStage
from tests.support.controller.rigs import MakeRig
from tests.support.narrowed import of_type, present
from twinwall.game.deals import DealError, Seed, Start, StartedPlan, commit, make_deal, make_slip, plan_sessions
from twinwall.game.deals.uncommitted import rehearsal_of
from twinwall.game.tiles import hands_in_order
from twinwall.wire.events.wall_events import DealOpened, DealRefused


def refused(folder: DealFolder) -> DealRefused:
    """What is said of the first deal, which must not be played."""
    return of_type(DealRefused, folder.after(()))


PLAN = plan_sessions("test", "mcr-duplicate", sessions=1, hands=3, holders=["server"], public="drawn at noon")
SEEDS = {"server": Seed(bytes(range(80)))}
COMMITMENTS = commit(PLAN, SEEDS)
PUBLIC = "noon"
STARTED = StartedPlan(PLAN, Start(PLAN.digest, COMMITMENTS.root, PUBLIC))


@pytest.fixture
def folder(tmp_path: Path) -> DealFolder:
    for n in (1, 2, 3):
        deal, slip = make_deal(PLAN, SEEDS, n, PUBLIC), make_slip(PLAN, SEEDS, n, PUBLIC, COMMITMENTS)
        (tmp_path / f"deal-{n:04d}.json").write_text(json.dumps(deal.to_json()))
        (tmp_path / f"slip-{n:04d}.json").write_text(json.dumps(slip.to_json()))
    return DealFolder(STARTED, 1, range(1, 4), tmp_path)


def test_a_table_that_begins_with_a_later_hand_goes_round_to_the_first(folder: DealFolder) -> None:
    round_from_the_third = replace(folder, hands=hands_in_order(1, 3, 3))
    played: tuple[int, ...] = ()
    while isinstance(found := round_from_the_third.after(played), OpenDeal):
        played = (*played, found.n)
    assert (played, found) == ((3, 1, 2), None)


def rewrite(folder: Path, name: str, change: Callable[[dict[str, object]], object]) -> None:
    path = folder / name
    document = json.loads(path.read_text())
    change(document)
    path.write_text(json.dumps(document))


def other_hex(document: dict[str, object], key: str) -> None:
    text = of_type(str, document[key])
    document[key] = ("0" if text[0] != "0" else "1") + text[1:]


def swap_two_tiles(document: dict[str, object]) -> None:
    east = document["walls"]["E"]  # type: ignore[index]  # JSON
    hand = east["hand"].split()
    other = next(index for index in range(1, 13) if hand[index] != hand[0])
    hand[0], hand[other] = hand[other], hand[0]
    east["hand"] = " ".join(hand)


def five_of_a_kind(document: dict[str, object]) -> None:
    east = document["walls"]["E"]  # type: ignore[index]  # JSON
    tiles = east["hand"].split()
    east["hand"] = " ".join([tiles[-1] if tiles[0] != tiles[-1] else tiles[1], *tiles[1:]])


def test_a_good_deal_is_loaded_with_its_walls_and_check(folder: DealFolder) -> None:
    found, made = folder.after(()), make_deal(PLAN, SEEDS, 1, PUBLIC)
    assert isinstance(found, OpenDeal)
    assert found.walls == made.walls
    assert (found.check, found.digest) == (made.check.hex(), made.digest.hex())


Change = Callable[[dict[str, object]], object]
BAD: tuple[tuple[str, str, str, Change], ...] = (
    ("digest", "deal-0001.json", "another digest", lambda document: other_hex(document, "digest")),
    ("digest", "deal-0001.json", "two tiles swapped", swap_two_tiles),
    ("check", "deal-0001.json", "another check", lambda document: other_hex(document, "check")),
    ("root", "deal-0001.json", "another root", lambda document: other_hex(document, "root")),
    ("public", "deal-0001.json", "another public value", lambda document: document.update(public="midnight")),
    ("plan", "deal-0001.json", "another event", lambda document: document.update(event="elsewhere")),
    ("format", "deal-0001.json", "another deal's number", lambda document: document.update(n=2)),
    ("format", "deal-0001.json", "an unknown key", lambda document: document.update(extra=1)),
    ("format", "deal-0001.json", "five of a kind", five_of_a_kind),
    ("format", "slip-0001.json", "a slip without keys", lambda document: document.pop("keys")),
)


@pytest.mark.parametrize(("reason", "name", "change"), [(bad[0], bad[1], bad[3]) for bad in BAD], ids=[bad[2] for bad in BAD])
def test_a_deal_against_its_commitment_is_refused(folder: DealFolder, make_rig: MakeRig, reason: str, name: str, change: Change) -> None:
    rewrite(present(folder.folder), name, change)
    found = refused(folder)
    assert (found.n, found.reason) == (1, reason)
    assert "deal-0001.json" in found.sentence
    rig = make_rig(found)
    rig.settle()
    assert rig.happened(DealRefused)
    assert not rig.happened(DealOpened)
    assert not rig.feeder.commands, "nothing was moved"
    assert rig.state.making.stage is WallStage.NONE


def test_keys_that_were_not_committed_are_refused(folder: DealFolder, tmp_path: Path) -> None:
    other = {"server": Seed(bytes(80))}
    deal, slip = make_deal(PLAN, other, 1, PUBLIC, COMMITMENTS.root), make_slip(PLAN, other, 1, PUBLIC)
    (tmp_path / "deal-0001.json").write_text(json.dumps(deal.to_json()))
    (tmp_path / "slip-0001.json").write_text(json.dumps(slip.to_json()))
    assert refused(folder).reason in ("key", "check", "commitment", "path")


@pytest.mark.parametrize("name", ["deal-0001.json", "slip-0001.json"])
def test_a_missing_file_is_named_in_the_log_too(folder: DealFolder, tmp_path: Path, name: str, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / name).unlink()
    found = refused(folder)
    assert found.reason == "missing"
    assert name in found.sentence
    assert found.sentence in caplog.text


@pytest.mark.parametrize("content", [b"", b"[]", b"\xff\xff", b"{"])
def test_a_file_that_is_no_deal_is_named(folder: DealFolder, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "deal-0001.json").write_bytes(content)
    assert refused(folder).reason == "format"


def uncommitted(folder: Path) -> tuple[DealFolder, Path]:
    """Deal 3 of the plan as if another program had dealt it, alone in a folder."""
    started, (as_planned,) = rehearsal_of("test", [make_deal(PLAN, SEEDS, 3, PUBLIC)])
    path = folder / "deal-0001.json"
    path.write_text(json.dumps(as_planned.to_json()))
    return DealFolder(started, 1, range(1, 17), folder), path


def test_walls_that_nobody_committed_to_are_dealt_under_a_start_that_says_so(tmp_path: Path) -> None:
    found = of_type(OpenDeal, uncommitted(tmp_path)[0].after(()))
    assert (found.n, found.hand, found.walls) == (1, 3, make_deal(PLAN, SEEDS, 3, PUBLIC).walls)


def test_walls_that_nobody_committed_to_are_refused_under_the_start_of_an_event(folder: DealFolder, tmp_path: Path) -> None:
    _, (other,) = rehearsal_of("test", [make_deal(PLAN, SEEDS, 1, PUBLIC)])
    (tmp_path / "deal-0001.json").write_text(json.dumps(other.to_json()))
    assert refused(folder).reason == "root"


def test_changed_walls_are_refused_though_nobody_committed_to_them(tmp_path: Path) -> None:
    source, path = uncommitted(tmp_path)
    rewrite(tmp_path, path.name, swap_two_tiles)
    assert refused(source).reason == "digest"


def test_two_deals_of_one_hand_or_a_hand_that_is_missing_are_no_session() -> None:
    first, third = (make_deal(PLAN, SEEDS, n, PUBLIC) for n in (1, 3))
    with pytest.raises(DealError, match="two deals are of hand E3"):
        rehearsal_of("test", [third, third])
    with pytest.raises(DealError, match="none of it"):
        rehearsal_of("test", [first, third])


MOUNTINFO = """\
22 1 179:2 / / rw,noatime shared:1 - ext4 /dev/root rw
25 22 0:22 / /run rw,nosuid,nodev shared:5 - tmpfs tmpfs rw,size=386000k
31 25 0:27 / /run/lock rw shared:6 - tmpfs tmpfs rw
40 25 179:3 / /run/kept\\040here rw - ext4 /dev/mmcblk0p3 rw
41 22 0:30 / /mnt rw - ramfs none rw
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/run/twinwall/table", "tmpfs"),
        ("/var/lib/twinwall", "ext4"),
        ("/running", "ext4"),
        ("/run/kept here/x", "ext4"),
        ("/mnt/x", "ramfs"),
    ],
)
def test_the_file_system_of_a_path_is_that_of_the_nearest_mount_above_it(path: str, kind: str) -> None:
    assert file_system_of(Path(path), MOUNTINFO) == kind
    assert file_system_of(Path("/run/x"), MOUNTINFO + "50 25 8:1 / /run rw - ext4 /dev/sda1 rw\n") == "ext4", "the later mount counts"


def test_a_folder_on_a_disk_is_refused_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"is on a disk \(ext4\): set \[custody\] memory"):
        open_folder(tmp_path / "table", MOUNTINFO.replace(" / /run", " / /elsewhere"))


def test_a_folder_in_memory_is_for_its_owner_alone(tmp_path: Path) -> None:
    assert open_folder(tmp_path / "table", "1 1 0:1 / / rw - tmpfs tmpfs rw\n").stat().st_mode & 0o777 == 0o700


def test_boot_keys_last_as_long_as_their_folder_and_torn_ones_are_replaced(tmp_path: Path) -> None:
    first = boot_secrets(tmp_path, "1", b"\x01" * 64)
    assert boot_secrets(tmp_path, "1", b"\x02" * 64) == first
    assert (tmp_path / "boot.keys").stat().st_mode & 0o777 == 0o600
    (tmp_path / "boot.keys").write_bytes(b"\x01" * 33)
    assert boot_secrets(tmp_path, "1", b"\x02" * 64).signer.secret == b"\x02" * 32
