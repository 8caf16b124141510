"""Enrolment of a drawn set that the model was not trained on: what is kept, left out and named, and the reads that follow."""

import itertools
from datetime import date

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.random import Generator
from numpy.typing import NDArray

from tests.support.narrowed import of_type
from tests.support.tiers import one_in
from tests.support.vision.pictures import face
from tools.varied_designs import random_design
from twinwall.art.designs import Flower
from twinwall.game.tiles import ALL_TILES, Tile
from vision.assignment import cheapest
from vision.enrol.enrol import Enrolment, SetName, enrol, enrol_again
from vision.enrol.evaluate import LabelledCrop
from vision.enrol.examples import TileExample, trusted_examples
from vision.enrol.propose import propose, variants
from vision.model.classifier import Classifier
from vision.model.crop_view import HALF_TURN_SHAPES, fit_crop
from vision.model.judge import ProfileJudge
from vision.model.profile import Profile
from vision.reading import Read, ReadRefusal

CALLED = SetName("green", 2, date(2026, 11, 20))
Picture = NDArray[np.uint8]


def picture(what: Tile | Flower) -> Picture:
    return np.ascontiguousarray(face(what, 120)[:, :, :3])


def samples(rng: Generator, copies: int = 1, kinds: tuple[Tile, ...] = ALL_TILES) -> list[LabelledCrop]:
    """Views of each kind, as a camera would take them at different moments."""
    return [
        LabelledCrop(f"{tile.text}/{number}", tile, view)
        for tile in kinds
        for number, view in enumerate(variants(picture(tile), copies, rng))
    ]


def sorted_out(classifier: Classifier, given_samples: list[LabelledCrop]) -> tuple[list[str], dict[str, Tile | None]]:
    """The names of the examples that are believed, and what each of the others is rather."""
    views = classifier.look(np.stack([fit_crop(sample.image) for sample in given_samples]))
    examples = [
        TileExample.of(sample.name, sample.tile, view) for sample, view in zip(given_samples, views, strict=True) if sample.tile is not None
    ]
    kept, doubts = trusted_examples(examples)
    return [examples[index].name for index in kept], {doubt.name: doubt.likely for doubt in doubts}


def whole(enrolment: Enrolment) -> Profile:
    assert enrolment.profile is not None
    return enrolment.profile


@pytest.fixture(scope="module")
def enrolled(classifier: Classifier) -> Profile:
    rng = np.random.default_rng(5)
    return whole(enrol(classifier, samples(rng), ALL_TILES, CALLED, rng))


def test_one_example_of_each_kind_reads_the_set_both_ways_up(classifier: Classifier, enrolled: Profile, rng: Generator) -> None:
    judge, refused = ProfileJudge(enrolled), 0
    for tile in ALL_TILES:
        (view,) = variants(picture(tile), 1, rng)
        for turned, crop in ((False, view), (True, np.ascontiguousarray(view[::-1, ::-1]))):
            answer = judge.decide(classifier.look(crop[None])[0])
            if isinstance(answer, ReadRefusal):
                refused += 1
                continue
            assert answer.tile is tile
            assert answer.turned == (turned and tile not in HALF_TURN_SHAPES)
    assert refused <= 1


def test_what_is_no_tile_of_the_set_is_refused(classifier: Classifier, enrolled: Profile) -> None:
    judge = ProfileJudge(enrolled)
    strange = [picture(flower) for flower in Flower] + [np.full((90, 64, 3), level, np.uint8) for level in (20, 120)]
    for view in classifier.look(np.stack([fit_crop(one) for one in strange])):
        assert isinstance(judge.decide(view), ReadRefusal)


def test_the_same_pictures_make_the_same_profile(classifier: Classifier) -> None:
    suits = ALL_TILES[:6]
    once, again = (
        enrol(classifier, samples(np.random.default_rng(1), kinds=suits), suits, CALLED, np.random.default_rng(2)) for _ in range(2)
    )
    assert whole(once).to_bytes() == whole(again).to_bytes()


@pytest.mark.parametrize(
    ("copies", "said", "shown"),
    one_in(
        3, [(1, Tile.P6, Tile.P7), (3, Tile.P6, Tile.P7), (1, Tile.EAST, Tile.M9), (3, Tile.S2, Flower.PLUM), (1, Tile.S2, Flower.PLUM)]
    ),
)
def test_a_wrong_tile_among_right_ones_is_left_out_and_named(
    classifier: Classifier, rng: Generator, copies: int, said: Tile, shown: Tile | Flower
) -> None:
    right = samples(rng, copies)
    kept, left_out = sorted_out(classifier, [*right, LabelledCrop("wrong", said, picture(shown))])
    assert left_out == {"wrong": shown if isinstance(shown, Tile) else None}
    assert kept == [sample.name for sample in right]


def test_a_kind_whose_only_example_is_another_tile_has_none_left(classifier: Classifier, rng: Generator) -> None:
    given_samples = [LabelledCrop(one.name, one.tile, picture(Tile.P7) if one.tile is Tile.P6 else one.image) for one in samples(rng)]
    enrolment = enrol(classifier, given_samples, ALL_TILES, CALLED, rng)
    assert enrolment.profile is None
    assert enrolment.missing == (Tile.P6,)
    assert [(doubt.name, doubt.likely) for doubt in enrolment.left_out] == [("6p/0", Tile.P7)]


def test_pictures_of_what_is_no_tile_never_loosen_the_limits(classifier: Classifier) -> None:
    kinds = ALL_TILES[::6]
    strangers = [LabelledCrop(flower.name, None, picture(flower)) for flower in Flower]
    with_them, without = (
        whole(enrol(classifier, [*samples(np.random.default_rng(3), kinds=kinds), *extra], kinds, CALLED, np.random.default_rng(4))).limits
        for extra in (strangers, [])
    )
    assert with_them.likeness >= without.likeness


def test_one_kind_enrolled_again_leaves_the_others_as_they_were(classifier: Classifier, enrolled: Profile, rng: Generator) -> None:
    anew = whole(enrol_again(classifier, enrolled, samples(rng, 3), [Tile.P3], rng))
    assert len(anew.kinds[Tile.P3].examples) == 3
    assert anew.limits == enrolled.limits
    for tile in set(ALL_TILES) - {Tile.P3}:
        assert anew.kinds[tile] is enrolled.kinds[tile]


def test_a_wrong_tile_enrolled_again_is_left_out_and_the_profile_stays(classifier: Classifier, enrolled: Profile, rng: Generator) -> None:
    enrolment = enrol_again(classifier, enrolled, [LabelledCrop("wrong", Tile.P3, picture(Tile.P2))], [Tile.P3], rng)
    assert (enrolment.profile, enrolment.missing) == (None, (Tile.P3,))
    assert [(doubt.name, doubt.likely) for doubt in enrolment.left_out] == [("wrong", Tile.P2)]


def test_a_kind_that_a_set_lacks_cannot_be_enrolled_again(classifier: Classifier, rng: Generator) -> None:
    suits = whole(enrol(classifier, samples(rng, kinds=ALL_TILES[:3]), ALL_TILES[:3], CALLED, rng))
    with pytest.raises(ValueError, match="has no C"):
        enrol_again(classifier, suits, samples(rng, kinds=(Tile.RED,)), [Tile.RED], rng)


def test_a_whole_set_that_nobody_named_is_named_with_four_of_each(classifier: Classifier, rng: Generator) -> None:
    shown = [tile for tile in ALL_TILES for _ in range(4)]
    crops = np.concatenate([variants(picture(tile), 4, rng) for tile in ALL_TILES])
    crops[::3] = crops[::3, ::-1, ::-1]
    proposals = propose(classifier.look(crops), ALL_TILES)
    assert [proposal.tile for proposal in proposals] == shown
    assert sum(not proposal.sure for proposal in proposals) <= 2


def test_a_stranger_in_a_whole_set_is_a_question_and_not_a_kind(classifier: Classifier, rng: Generator) -> None:
    crops = np.concatenate([*(variants(picture(tile), 4, rng) for tile in ALL_TILES[:-1]), fit_crop(picture(Flower.PLUM))[None]])
    *_, stranger = propose(classifier.look(crops), ALL_TILES)
    assert not stranger.sure


def test_more_pictures_than_a_set_has_tiles_are_refused(classifier: Classifier, rng: Generator) -> None:
    views = classifier.look(np.concatenate([variants(picture(tile), 5, rng) for tile in (Tile.P1, Tile.P2)]))
    with pytest.raises(ValueError, match="10 pictures are more than the 8 tiles"):
        propose(views, [Tile.P1, Tile.P2])


@given(st.integers(1, 5).flatmap(lambda rows: st.lists(st.lists(st.integers(-9, 9), min_size=5, max_size=5), min_size=rows, max_size=rows)))
def test_the_cheapest_assignment_is_the_best_of_all(costs: list[list[int]]) -> None:
    cost = np.array(costs, np.float64)
    columns = cheapest(cost)
    best = min(sum(cost[row, column] for row, column in enumerate(order)) for order in itertools.permutations(range(5), len(costs)))
    assert len(set(columns.tolist())) == len(costs)
    assert cost[np.arange(len(costs)), columns].sum() == best


def test_a_read_by_profile_needs_the_general_model_not_to_contradict(classifier: Classifier, enrolled: Profile) -> None:
    view = classifier.look(fit_crop(picture(Tile.P6))[None])[0]
    assert isinstance(ProfileJudge(enrolled).decide(view), Read)
    elsewhere = np.zeros(34)
    elsewhere[Tile.P7] = 1.0
    contradicted = type(view)(elsewhere, view.foreign, False, Tile.P7, Tile.P7, view.embeddings)
    answer = of_type(ReadRefusal, ProfileJudge(enrolled).decide(contradicted))
    assert "the general model sees 7p" in answer.detail


RED_FIVES = {Tile.M5: 101, Tile.P5: 103, Tile.S5: 136}
"""Seeds of designs whose five is little like the one of the set; drawn in red as another maker would."""


def red_five(tile: Tile, lamp: tuple[float, float, float]) -> Picture:
    drawn = np.ascontiguousarray(face(tile, 120, random_design(np.random.default_rng(RED_FIVES[tile])))[:, :, :3]).astype(np.float32)
    ground = np.median(drawn.reshape(-1, 3), axis=0)
    ink = np.clip(np.linalg.norm(drawn - ground, axis=2) / 200, 0, 1)[..., None]
    return np.asarray(np.clip((ground * (1 - ink) + np.array((40, 30, 200)) * ink) * lamp, 0, 255), np.uint8)


WHITE, WARM = (1.0, 1.0, 1.0), (0.62, 0.9, 1.1)


@pytest.mark.parametrize(("copies", "lamp"), one_in(3, [(1, WARM), (1, WHITE), (3, WHITE)]))
def test_a_red_five_is_a_further_appearance_of_its_kind(
    classifier: Classifier, enrolled: Profile, rng: Generator, copies: int, lamp: tuple[float, float, float]
) -> None:
    """In warm light the general model takes two of them rather for flowers or is unsure of them, but for no other kind."""
    red = [LabelledCrop(f"red {tile.text}", tile, red_five(tile, lamp)) for tile in RED_FIVES]
    enrolment = enrol(classifier, [*samples(np.random.default_rng(5), copies), *red], ALL_TILES, CALLED, np.random.default_rng(5))
    assert enrolment.left_out == ()
    limits, before = whole(enrolment).limits, enrolled.limits
    assert (limits.likeness, limits.margin) == pytest.approx((before.likeness, before.margin), abs=0.06)
    judge = ProfileJudge(whole(enrolment))
    for tile in RED_FIVES:
        for shown in (picture(tile), red_five(tile, lamp)):
            answers = [judge.decide(view) for view in classifier.look(variants(shown, 12, rng))]
            assert {answer.tile for answer in answers if isinstance(answer, Read)} == {tile}
            assert sum(isinstance(answer, Read) for answer in answers) >= 10


def test_flowers_that_are_said_to_be_fives_are_left_out(classifier: Classifier, rng: Generator) -> None:
    wrong = [LabelledCrop(shown.name, five, picture(shown)) for five, shown in zip(RED_FIVES, Flower, strict=False)]
    _, left_out = sorted_out(classifier, [*samples(rng, kinds=(*RED_FIVES, Tile.P7)), *wrong])
    assert left_out == dict.fromkeys(sample.name for sample in wrong)


def test_a_five_that_is_left_out_is_said_to_leave_the_red_fives_unread(classifier: Classifier, rng: Generator) -> None:
    strange = LabelledCrop("strange", Tile.M5, picture(Flower.PLUM))
    kinds = ALL_TILES[:9]
    enrolment = enrol(classifier, [*samples(rng, 2, kinds), strange], kinds, CALLED, rng)
    (doubt,) = enrolment.left_out
    assert (doubt.name, doubt.tile) == ("strange", Tile.M5)
    assert "the profile refuses red fives of that suit" in doubt.why
