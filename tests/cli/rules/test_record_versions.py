"""Two records of one hand that differ: both are shown, the signed one first, and what differs is said."""

import json
import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from tests.support.commands import Twinwall
from tests.support.game.random_hands import mcr
from twinwall.event.record_versions import differences
from twinwall.game.play_events import TileDiscarded
from twinwall.game.record import HandRecord
from twinwall.game.tiles import ALL_TILES, Seat
from twinwall.wire.messages.file_signature import beside, sign_file
from twinwall.wire.messages.signing import Signer

REFEREE = Signer("", bytes(32))


@cache
def record() -> HandRecord:
    return mcr(3, {"minimum": 0}, eager=True, with_kongs=False).record()


@cache
def changed() -> HandRecord:
    """The record with another first discard and another score."""
    drawn, discarded, *others = record().events
    assert isinstance(discarded, TileDiscarded)
    other = replace(discarded, tile=next(tile for tile in ALL_TILES if tile is not discarded.tile))
    return replace(record(), events=(drawn, other, *others), scores={**record().scores, Seat.EAST: 99})


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    """The changed record, and the record with the signature of a referee."""
    unsigned, signed = tmp_path / "a.json", tmp_path / "b.json"
    unsigned.write_text(json.dumps(changed().to_json()))
    signed.write_text(json.dumps(record().to_json()))
    beside(signed).write_bytes(sign_file(signed.read_bytes(), REFEREE))
    return str(unsigned), str(signed)


def test_records_that_are_equal_have_no_difference_nor_has_one_from_before_the_release() -> None:
    assert list(differences(record(), record())) == []
    assert list(differences(record(), replace(record(), walls=None, digest=None, rest=None))) == []


def test_the_fields_and_the_first_event_that_differ_are_told_with_what_each_record_has() -> None:
    (scores, made, said), (event, first, second) = differences(record(), changed())
    assert (scores, "E 99" in made, "E 99" in said) == ("scores", False, True)
    assert (event, json.loads(first)["type"]) == ("event 2", "tile-discarded")
    assert first != second


def test_a_record_that_ends_earlier_differs_at_the_event_that_it_lacks() -> None:
    ((what, _, second),) = differences(record(), replace(record(), events=record().events[:-1]))
    assert (what, second) == (f"event {len(record().events)}", "no such event")


def test_both_records_are_shown_the_signed_one_first(files: tuple[str, str], twinwall: Twinwall) -> None:
    out, err = twinwall("replay", *files, "--signer", f"Ann {REFEREE.public.hex()}", code=1)
    assert re.findall(r"^(.*json) \((.*)\):$", out, re.MULTILINE) == [(files[1], "signed by Ann"), (files[0], "not signed")]
    assert "event 2 differs" in err
    assert err.index(f"{files[1]} (signed by Ann) has") < err.index(f"{files[0]} (not signed) has")


def test_a_signature_of_a_stranger_does_not_count(files: tuple[str, str], twinwall: Twinwall) -> None:
    out, err = twinwall("replay", *files, "--json", code=1)
    assert [each["source"] for each in json.loads(out)] == list(files)
    assert f"{files[1]}: its signature does not count: the key {REFEREE.public.hex()}" in err


def test_a_hand_that_two_files_tell_alike_is_replayed_once(files: tuple[str, str], tmp_path: Path, twinwall: Twinwall) -> None:
    again = tmp_path / "again.json"
    again.write_text(json.dumps([record().to_json()]))
    assert len(json.loads(twinwall("replay", files[1], again, "--json").out)) == 1


def test_a_replay_to_send_has_both_and_results_are_not_made_of_them(files: tuple[str, str], tmp_path: Path, twinwall: Twinwall) -> None:
    page = tmp_path / "replay.html"
    signer = ["--signer", f"Ann {REFEREE.public.hex()}"]
    assert "event 2 differs" in twinwall("export", *files, "--format", "html", *signer, "--out", page).err
    table = record().table
    assert re.findall(r'<button type="button" data-table="(.*?)"', page.read_text()) == [table, f"{table} (2)"]
    assert "these records contradict each other" in twinwall("export", *files, "--format", "csv", code=2).err
