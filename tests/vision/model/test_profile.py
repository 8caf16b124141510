"""Profiles: files that read back equal, and clear errors for any other file."""

import json
from datetime import date
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from twinwall.game.tiles import ALL_TILES, Tile
from vision.model.profile import EnrolledKind, Profile, ProfileError, ProfileLimits, load_profile, parse_profile
from vision.model.similarity import likeness, unit_views


def profile(seed: int = 1, kinds: tuple[Tile, ...] = ALL_TILES) -> Profile:
    rng = np.random.default_rng(seed)
    enrolled = {
        tile: EnrolledKind(unit_views(rng.normal(size=(int(rng.integers(1, 5)), 2, 16)).astype(np.float32)), float(rng.random()))
        for tile in kinds
    }
    return Profile("green", 2, date(2026, 11, 20), "ab" * 32, ProfileLimits(0.8, 0.3, 0.02), enrolled)


@given(st.integers(0, 2**32), st.sets(st.sampled_from(ALL_TILES), min_size=1))
def test_a_profile_comes_back_from_its_file_as_it_was(seed: int, kinds: set[Tile]) -> None:
    before = profile(seed, tuple(kinds))
    after = parse_profile(before.to_bytes(), "test")
    assert (after.name, after.back, after.made, after.model, after.limits) == (
        before.name,
        before.back,
        before.made,
        before.model,
        before.limits,
    )
    assert list(after.kinds) == sorted(kinds)
    for tile, kind in before.kinds.items():
        assert after.kinds[tile].agreement == kind.agreement
        assert np.allclose(np.diag(likeness(after.kinds[tile].examples, kind.examples)), 1.0, atol=1e-3)
    assert after.to_bytes() == before.to_bytes()
    assert after.digest == before.digest


@given(st.data())
def test_a_profile_with_one_character_changed_is_refused(data: st.DataObject) -> None:
    text = profile(kinds=(Tile.P1, Tile.P2)).to_bytes().decode()
    place = data.draw(st.integers(0, len(text) - 1).filter(lambda index: not text[index].isspace()))
    other = "7" if text[place] != "7" else "8"
    with pytest.raises(ProfileError, match="test"):
        parse_profile((text[:place] + other + text[place + 1 :]).encode(), "test")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "damaged or no profile"),
        (b"\xff\xd8\xff", "damaged or no profile"),
        (b"[]", "damaged or no profile"),
        (b'{"format": "twinwall-profile-9"}', "'twinwall-profile-9', this version reads 'twinwall-profile-1'"),
        (b'{"format": "twinwall-profile-1"}', "damaged"),
    ],
)
def test_what_is_no_profile_of_this_version_says_what_it_is(content: bytes, words: str) -> None:
    with pytest.raises(ProfileError, match=words):
        parse_profile(content, "p.json")


def test_a_profile_serves_only_its_own_model_set_and_backs(tmp_path: Path) -> None:
    path = tmp_path / "green.json"
    path.write_bytes(profile().to_bytes())
    assert load_profile(path, "ab" * 32, name="green", back=2).name == "green"
    assert load_profile(path, "ab" * 32).back == 2
    with pytest.raises(ProfileError, match="another model"):
        load_profile(path, "cd" * 32)
    with pytest.raises(ProfileError, match="of the set 'green', not of 'blue'"):
        load_profile(path, "ab" * 32, name="blue")
    with pytest.raises(ProfileError, match="backs 2, not 1"):
        load_profile(path, "ab" * 32, back=1)
    with pytest.raises(ProfileError, match="cannot be read"):
        load_profile(tmp_path / "missing.json", "ab" * 32)


def test_a_profile_says_which_kinds_it_lacks() -> None:
    assert profile(kinds=ALL_TILES[:27]).lacking(ALL_TILES) == ALL_TILES[27:]


def test_the_file_is_text_that_names_what_it_is_about() -> None:
    document = json.loads(profile().to_bytes())
    assert (document["format"], document["set"], document["back"], document["made"]) == ("twinwall-profile-1", "green", 2, "2026-11-20")
    assert set(document["kinds"]) == {tile.text for tile in ALL_TILES}
