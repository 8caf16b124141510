"""The page of the recorder's film strips says what the command that makes them has made."""

import pytest

from tools.recorder_film import Filming, name_of
from tools.recorder_page import PAGE, PICTURES, SHOTS, films_part, kept_films, words_of
from vision.model.classifier import Classifier

ANEW = 0
"""The film that is made anew."""


def test_the_page_says_what_is_kept_of_the_films() -> None:
    assert films_part() in PAGE.read_text(encoding="utf-8"), "run python -m tools.pictures recorder"


def test_each_film_is_of_its_shot_and_has_its_pictures() -> None:
    films = kept_films()
    assert [film.name for film in films] == [name_of(shot) for shot in SHOTS]
    names = [name for film in films for name in (film.name, *(f"{film.name}-{asked.number}" for asked in film.asked))]
    assert [name for name in names if not (PICTURES / f"{name}.jpg").is_file()] == []


def test_eight_disturbances_are_shown_of_which_two_end_in_a_question_and_most_have_two_paths_in_doubt() -> None:
    films = kept_films()
    assert len({film.name for film in films}) == 8
    assert sum(bool(film.asked) for film in films) >= 2
    assert sum("nats" in film.rows[1].apart for film in films) > 4


@pytest.mark.slow
@pytest.mark.nightly
def test_a_film_that_is_made_anew_shows_what_is_kept_of_it() -> None:
    """Frames are rendered and swept; in ``make test`` the other tests here hold the page."""
    assert words_of(Filming(SHOTS[ANEW], Classifier()).film()) == kept_films()[ANEW], "run python -m tools.pictures recorder"
