"""The network's outputs (both ways up, probabilities that add up, limits) and the files of models and profiles, with clear errors for any
other file."""

import json
from datetime import date
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.vision.pictures import face
from tools.varied_designs import CLUB
from twinwall.game.documents import DocumentError
from twinwall.game.tiles import ALL_TILES, Tile
from twinwall.game.typed_json import read_document
from vision.finder.tile_finder import WEIGHTS
from vision.loaded_network import loaded_network
from vision.model.classifier import MODEL_PATH, SECOND_MODEL_PATH, Classifier, joined_logits, kind_probabilities, softmax
from vision.model.crop_view import CROP_H, CROP_W, FOREIGN, HALF_TURN, HALF_TURN_SHAPES, LABELS, TURNED, Limits, decide, fit_crop
from vision.model.profile import EnrolledKind, Profile, ProfileLimits, load_profile, parse_profile
from vision.model.similarity import likeness, unit_views
from vision.reading import Read, ReadRefusal

LIMITS = Limits(probability=0.9, margin=0.5, foreign=0.1)
logits = st.lists(st.floats(-20, 20), min_size=len(LABELS), max_size=len(LABELS)).map(lambda values: np.array(values, np.float32))


def crop_of(tile: Tile) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    return fit_crop(np.ascontiguousarray(face(tile, 128, CLUB)[:, :, :3]))


def test_a_half_turn_done_twice_is_none() -> None:
    assert np.array_equal(HALF_TURN[HALF_TURN], np.arange(len(LABELS)))


def test_kinds_that_are_their_own_half_turn_have_one_output_and_the_others_two() -> None:
    for tile in ALL_TILES:
        assert (TURNED[tile] == tile) == (tile in HALF_TURN_SHAPES)
    assert len(LABELS) == len(set(LABELS)) == 34 + sum(TURNED[tile] != tile for tile in ALL_TILES) + len(FOREIGN)


@given(logits, logits, st.floats(0.3, 3.0))
def test_probabilities_add_up_to_one_with_what_is_no_tile(
    upright: np.ndarray[tuple[int], np.dtype[np.float32]], turned: np.ndarray[tuple[int], np.dtype[np.float32]], temperature: float
) -> None:
    outputs = softmax(joined_logits(upright, turned), temperature)
    assert kind_probabilities(outputs).sum() + outputs[list(FOREIGN.values())].sum() == pytest.approx(1.0)


@given(logits, logits)
def test_a_crop_turned_by_180_degrees_gives_the_same_kinds(
    upright: np.ndarray[tuple[int], np.dtype[np.float32]], turned: np.ndarray[tuple[int], np.dtype[np.float32]]
) -> None:
    there = kind_probabilities(softmax(joined_logits(upright, turned), 1.0))
    back = kind_probabilities(softmax(joined_logits(turned, upright), 1.0))
    assert np.allclose(there, back)


@pytest.mark.parametrize("tile", ALL_TILES)
def test_turning_the_crop_turns_the_answer_and_nothing_else(classifier: Classifier, tile: Tile) -> None:
    crop = crop_of(tile)
    upright, turned = classifier.look(np.stack((crop, crop[::-1, ::-1])))
    assert upright.best(1)[0].tile is tile
    assert np.allclose(upright.kinds, turned.kinds, atol=1e-5)
    assert np.allclose(upright.embeddings, turned.embeddings[::-1], atol=1e-3)
    assert (upright.turned != turned.turned) == (tile not in HALF_TURN_SHAPES)
    if tile is not Tile.S1:  # birds look up, down and backwards
        assert not upright.turned


def test_a_batch_answers_as_its_crops_do_alone(classifier: Classifier) -> None:
    crops = np.stack([crop_of(tile) for tile in ALL_TILES[::3]])  # more views than are looked at at once
    for together, crop in zip(classifier.look(crops), crops, strict=True):
        (alone,) = classifier.look(crop[None])
        assert np.allclose(together.kinds, alone.kinds, atol=1e-5)
        assert together.embeddings.shape == (2, 128)
    assert classifier.look(np.empty((0, CROP_H, CROP_W, 3), np.uint8)) == []


def test_a_stricter_limit_refuses_what_a_looser_one_reads(classifier: Classifier) -> None:
    strict = Classifier(least_probability=1.0)
    crop = crop_of(Tile.M7)[None]
    assert isinstance(decide(classifier.look(crop)[0], classifier.limits), Read)
    assert isinstance(decide(strict.look(crop)[0], strict.limits), ReadRefusal)


def test_limits_survive_their_json() -> None:
    assert read_document(LIMITS.to_json(), Limits, "limits") == LIMITS
    with pytest.raises(DocumentError):
        read_document(json.dumps({"probability": 0.9}), Limits, "limits")


@pytest.mark.parametrize("content", [None, b"", b"not a model"])
def test_a_model_file_that_cannot_be_used_is_named(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "other.onnx"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(DocumentError, match=r"other\.onnx"):
        Classifier(path)


@pytest.mark.parametrize("shape", [(10, 10), (10, 10, 4), (1, 10, 3)])
def test_what_is_no_colour_picture_is_no_crop(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="crop"):
        fit_crop(np.zeros(shape, np.uint8))


def test_the_shipped_models_are_small() -> None:
    assert MODEL_PATH.stat().st_size < 2_000_000
    assert SECOND_MODEL_PATH.stat().st_size < 1_000_000


@pytest.mark.parametrize("file", [MODEL_PATH, SECOND_MODEL_PATH, WEIGHTS])
def test_a_network_keeps_no_memory_for_the_largest_picture_that_it_has_seen(file: Path) -> None:
    options = loaded_network(file)[1].get_session_options()
    assert not (options.enable_cpu_mem_arena or options.enable_mem_pattern)


def test_readers_of_one_model_share_its_network(classifier: Classifier) -> None:
    assert Classifier(least_probability=0.5)._session is classifier._session


def test_one_network_may_speak_alone(classifier: Classifier) -> None:
    crop = crop_of(Tile.M7)[None]
    (together,) = classifier.look(crop)
    alone = [Classifier(only=number).look(crop)[0] for number in range(len(together.members))]
    assert [view.members for view in alone] == [(kind,) for kind in together.members]


def test_the_second_model_sees_no_colour() -> None:
    second = Classifier(SECOND_MODEL_PATH)
    crop = crop_of(Tile.P5).astype(int)
    grey = np.repeat(crop.mean(axis=2, keepdims=True).round().astype(np.uint8), 3, axis=2)
    coloured, plain = second.look(np.stack((crop.astype(np.uint8), grey)))
    assert coloured.best(1)[0].tile is plain.best(1)[0].tile is Tile.P5
    assert np.allclose(coloured.kinds, plain.kinds, atol=0.02)


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
    with pytest.raises(DocumentError, match="test"):
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
    with pytest.raises(DocumentError, match=words):
        parse_profile(content, "p.json")


def test_a_profile_serves_only_its_own_model_set_and_backs(tmp_path: Path) -> None:
    path = tmp_path / "green.json"
    path.write_bytes(profile().to_bytes())
    assert load_profile(path, "ab" * 32, name="green", back=2).name == "green"
    assert load_profile(path, "ab" * 32).back == 2
    with pytest.raises(DocumentError, match="another model"):
        load_profile(path, "cd" * 32)
    with pytest.raises(DocumentError, match="of the set 'green', not of 'blue'"):
        load_profile(path, "ab" * 32, name="blue")
    with pytest.raises(DocumentError, match="backs 2, not 1"):
        load_profile(path, "ab" * 32, back=1)
    with pytest.raises(DocumentError, match="cannot be read"):
        load_profile(tmp_path / "missing.json", "ab" * 32)


def test_a_profile_says_which_kinds_it_lacks() -> None:
    assert profile(kinds=ALL_TILES[:27]).lacking(ALL_TILES) == ALL_TILES[27:]


def test_the_file_is_text_that_names_what_it_is_about() -> None:
    document = json.loads(profile().to_bytes())
    assert (document["format"], document["set"], document["back"], document["made"]) == ("twinwall-profile-1", "green", 2, "2026-11-20")
    assert set(document["kinds"]) == {tile.text for tile in ALL_TILES}
