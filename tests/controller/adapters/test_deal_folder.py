"""A deal is checked against its commitment before a tile moves."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from controller.adapters.deal_folder import DealFolder
from controller.state.making import WallStage
from controller.state.open_deal import OpenDeal
from tests.support.controller.rigs import MakeRig
from twinwall.game.deals import DealError, Seed, Start, StartedPlan, commit, make_deal, make_slip, plan_sessions
from twinwall.game.deals.uncommitted import rehearsal_of
from twinwall.game.session import hands_in_order
from twinwall.wire.events.wall_events import DealOpened, DealRefused

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


def rewrite(folder: DealFolder, name: str, change: Callable[[dict[str, object]], object]) -> None:
    path = folder.folder / name
    document = json.loads(path.read_text())
    change(document)
    path.write_text(json.dumps(document))


def other_hex(document: dict[str, object], key: str) -> None:
    text = document[key]
    assert isinstance(text, str)
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


def test_deals_come_in_the_order_of_their_hands_and_end(folder: DealFolder) -> None:
    numbers = []
    closed: tuple[int, ...] = ()
    while (found := folder.after(closed)) is not None:
        assert isinstance(found, OpenDeal)
        numbers.append(found.hand)
        closed = (*closed, found.n)
    assert numbers == [1, 2, 3]


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


@pytest.mark.parametrize(
    ("reason", "name", "change"), [(reason, name, change) for reason, name, _, change in BAD], ids=[bad[2] for bad in BAD]
)
def test_a_deal_that_does_not_agree_with_its_commitment_is_refused_with_its_reason(
    folder: DealFolder, make_rig: MakeRig, reason: str, name: str, change: Change
) -> None:
    rewrite(folder, name, change)
    found = folder.after(())
    assert isinstance(found, DealRefused)
    assert (found.n, found.reason) == (1, reason)
    assert "deal-0001.json" in found.sentence
    rig = make_rig(found)
    rig.settle()
    assert rig.happened(DealRefused)
    assert not rig.happened(DealOpened)
    assert not rig.feeder.commands, "nothing was moved"
    assert rig.state.making.stage is WallStage.NONE


def test_keys_that_were_not_committed_are_refused(folder: DealFolder) -> None:
    other = {"server": Seed(bytes(80))}
    deal, slip = make_deal(PLAN, other, 1, PUBLIC, COMMITMENTS.root), make_slip(PLAN, other, 1, PUBLIC)
    (folder.folder / "deal-0001.json").write_text(json.dumps(deal.to_json()))
    (folder.folder / "slip-0001.json").write_text(json.dumps(slip.to_json()))
    found = folder.after(())
    assert isinstance(found, DealRefused)
    assert found.reason in ("key", "check", "commitment", "path")


@pytest.mark.parametrize("name", ["deal-0001.json", "slip-0001.json"])
def test_a_missing_file_is_named(folder: DealFolder, name: str) -> None:
    (folder.folder / name).unlink()
    found = folder.after(())
    assert isinstance(found, DealRefused)
    assert found.reason == "missing"
    assert name in found.sentence


@pytest.mark.parametrize("content", [b"", b"[]", b"\xff\xff", b"{"])
def test_a_file_that_is_no_deal_is_named(folder: DealFolder, content: bytes) -> None:
    (folder.folder / "deal-0001.json").write_bytes(content)
    found = folder.after(())
    assert isinstance(found, DealRefused)
    assert found.reason == "format"


def uncommitted(folder: Path) -> tuple[DealFolder, Path]:
    """Deal 3 of the plan as if another program had dealt it, alone in a folder."""
    deal = make_deal(PLAN, SEEDS, 3, PUBLIC)
    started, (as_planned,) = rehearsal_of("test", [deal])
    path = folder / "deal-0001.json"
    path.write_text(json.dumps(as_planned.to_json()))
    return DealFolder(started, 1, range(1, 17), folder), path


def test_walls_that_nobody_committed_to_are_dealt_under_a_start_that_says_so(tmp_path: Path) -> None:
    found = uncommitted(tmp_path)[0].after(())
    assert isinstance(found, OpenDeal)
    assert (found.n, found.hand, found.walls) == (1, 3, make_deal(PLAN, SEEDS, 3, PUBLIC).walls)


def test_walls_that_nobody_committed_to_are_refused_under_the_start_of_an_event(folder: DealFolder) -> None:
    _, (other,) = rehearsal_of("test", [make_deal(PLAN, SEEDS, 1, PUBLIC)])
    (folder.folder / "deal-0001.json").write_text(json.dumps(other.to_json()))
    found = folder.after(())
    assert isinstance(found, DealRefused)
    assert found.reason == "root"


def test_changed_walls_are_refused_though_nobody_committed_to_them(tmp_path: Path) -> None:
    source, path = uncommitted(tmp_path)
    document = json.loads(path.read_text())
    swap_two_tiles(document)
    path.write_text(json.dumps(document))
    found = source.after(())
    assert isinstance(found, DealRefused)
    assert found.reason == "digest"


def test_two_deals_of_one_hand_or_a_hand_that_is_missing_are_no_session() -> None:
    first, third = (make_deal(PLAN, SEEDS, n, PUBLIC) for n in (1, 3))
    with pytest.raises(DealError, match="two deals are of hand E3"):
        rehearsal_of("test", [third, third])
    with pytest.raises(DealError, match="none of it"):
        rehearsal_of("test", [first, third])
