"""Catalogues: complete, consistent, with every text that the pages ask for."""

import io
import string
from collections.abc import Mapping

import pytest
from babel.messages.pofile import write_po

from dashboard.i18n.words import Words, catalogue_file, read_catalogue
from dashboard.projections.fold import UNLOGGED
from tools.catalogues import LINE_WIDTH, in_line, keys_named
from twinwall.art.names import LANGUAGES, Language
from twinwall.game.play_events import EndReason
from twinwall.wire.events.catalogue import EVENT_TYPES
from twinwall.wire.events.definitions import type_name


def texts(language: Language) -> Mapping[object, tuple[str, ...]]:
    """Every plural form of each text, by key."""
    strings = {message.id: message.string for message in read_catalogue(language) if message.id}
    return {key: (text,) if isinstance(text, str) else tuple(text or ("",)) for key, text in strings.items()}


def values_of(forms: tuple[str, ...]) -> set[str]:
    """The values that a text names in its form for several things."""
    return {name for _, name, _, _ in string.Formatter().parse(forms[-1]) if name is not None}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_is_there_in_three_languages_with_the_same_values(language: Language) -> None:
    english, translated = texts("en"), texts(language)
    assert list(translated) == list(english)
    for key, forms in translated.items():
        assert all(forms), f"{key} has no text in {language}"
        assert values_of(forms) == values_of(english[key]), key


def test_every_key_that_the_pages_name_and_every_event_and_ending_has_its_words() -> None:
    named, words = set(keys_named()), Words("en")
    assert len(named) > 100
    assert [key for key in named if key not in words] == []
    unlogged = {type_name(cls) for cls in UNLOGGED}
    assert all((f"log.{event_type}" in words) != (event_type in unlogged) for event_type in EVENT_TYPES)
    assert all(f"phase.closed.{reason}" in words for reason in EndReason)


def test_the_catalogues_are_as_the_command_writes_them() -> None:
    for language, catalogue in zip(LANGUAGES, in_line(), strict=True):
        written = io.BytesIO()
        write_po(written, catalogue, width=LINE_WIDTH)
        assert written.getvalue() == catalogue_file(language).read_bytes(), "run `python -m tools.catalogues`"


@pytest.mark.parametrize(
    ("language", "count", "text"),
    [
        ("en", 1, "Opens when 1 more table has finished."),
        ("en", 2, "Opens when 2 more tables have finished."),
        ("ja", 1, "あと1卓が終わると公開されます。"),
        ("zh-Hans", 3, "再有3桌结束后公布。"),
    ],
)
def test_a_number_of_things_has_its_plural_form(language: Language, count: int, text: str) -> None:
    assert Words(language).counted("sealed.one", "sealed.more", count) == text


def test_a_key_without_a_text_is_an_error() -> None:
    with pytest.raises(KeyError, match=r"no\.such"):
        Words("en")("no.such")
    with pytest.raises(KeyError, match=r"no\.such"):
        Words("en").counted("no.such", "no.such.more", 1)
