"""The translated pages: their form, their commands and the buttons that they quote.

A section whose English has changed since is not compared: ``python -m tools.translations`` lists it, and no test fails.
"""

import re
from collections.abc import Iterator
from functools import cache
from os.path import relpath
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

from tools.translations import LANGUAGES, TOP, Section, differences, made_from, sections, translated_pages, write_made_from

PAGES = dict(translated_pages())
CATALOGUES = (
    "dashboard/i18n/translations",
    "tableside/station_screen/translations",
    "tableside/phones/translations",
    "centre/pages/translations",
)
GAP = re.compile(r"\{(\w+)\}")
SHORTEST_QUOTED = 4
SPOKEN_OF = "replay."
"""Texts of the replay are phrases such as "East draws", which pages use without quoting a screen."""
UNREAD = {"ja": "このページは、まだ日本語を母語とする人が確認していません", "zh-Hans": "本页尚未经母语读者审读"}


def language_of(page: Path) -> str:
    return next(language for language in LANGUAGES if re.search(rf"[/.]{language}[/.]", named(page)))


def current_sections(page: Path) -> Iterator[tuple[Section, Section]]:
    """Each section with its English one, where that has not changed since."""
    text = page.read_text(encoding="utf-8")
    english = {section.digest: section for section in sections(PAGES[page].read_text(encoding="utf-8"))}
    for section, (digest, _) in zip(sections(text), made_from(text), strict=True):
        if digest in english:
            yield section, english[digest]


def commands(text: str) -> list[str]:
    """The lines of all blocks of code without their comments, and the spans of code in the order of the alphabet."""
    blocks = "\n".join(re.findall(r"^```.*?^```$", text, re.DOTALL | re.MULTILINE))
    lines = [line for line in (re.sub(r"(^|\s+)# .*", "", line) for line in blocks.splitlines()) if line]
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    return lines + sorted({" ".join(span.split()) for span in re.findall(r"`([^`]+)`", prose)})


@cache
def texts(catalogue: str, language: str) -> dict[str, tuple[str, ...]]:
    """The forms of every text of a catalogue, by key: several where it counts something, or lists words between bars."""
    with (TOP / catalogue / language.replace("-", "_") / "LC_MESSAGES" / "messages.po").open("rb") as file:
        messages = [message for message in read_po(file) if message.id]
    keys = [message.id if isinstance(message.id, str) else message.id[0] for message in messages]
    forms = [tuple(message.string.split("|")) if isinstance(message.string, str) else tuple(message.string or ()) for message in messages]
    return dict(zip(keys, forms, strict=True))


@cache
def screen_texts(catalogue: str) -> list[tuple[str, int, re.Pattern[str]]]:
    """Key, number and pattern of every English text that is long enough to be known by its words; a gap takes one word."""
    forms = [(key, n, form, GAP.findall(form)) for key, forms in texts(catalogue, "en").items() for n, form in enumerate(forms)]
    return [
        (key, n, re.compile(re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>\\S+)", re.escape(form))))
        for key, n, form, gaps in forms
        if not key.startswith(SPOKEN_OF) and len(re.sub(r"\W", "", GAP.sub("", form))) >= SHORTEST_QUOTED and len(set(gaps)) == len(gaps)
    ]


def shown_as(quoted: str, catalogue: str, language: str) -> Iterator[str]:
    """What a screen shows in this language where it shows the quoted words in English; gaps are filled as they are in the quotation."""
    for key, n, pattern in screen_texts(catalogue):
        if match := pattern.fullmatch(quoted):
            forms = texts(catalogue, language)[key]
            yield forms[min(n, len(forms) - 1)].format(**match.groupdict())


def quotations(english: str, language: str) -> list[set[str]]:
    """For each emphasised text that a screen shows in English: what that screen shows in this language, any of which may be quoted."""
    emphasised = [" ".join(quoted.split()) for quoted in re.findall(r"\*{1,2}([^*]+?)\*{1,2}", english)]
    shown = [{words for catalogue in CATALOGUES for words in shown_as(quoted, catalogue, language)} for quoted in emphasised]
    return [words for words in shown if words]


def named(page: Path) -> str:
    return str(page.relative_to(TOP))


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_a_translated_page_links_to_its_other_languages_and_they_to_it(page: Path) -> None:
    everywhere = [PAGES[page], *(other for other, english in PAGES.items() if english == PAGES[page])]
    for here in everywhere:
        line = next(line for line in here.read_text(encoding="utf-8").splitlines() if "简体中文" in line)
        assert set(re.findall(r"\]\(([^)]+)\)", line)) == {relpath(other, here.parent) for other in everywhere if other != here}


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_a_translated_page_says_that_no_native_reader_has_read_it(page: Path) -> None:
    assert UNREAD[language_of(page)] in sections(page.read_text(encoding="utf-8"))[0].text


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_a_translated_page_has_a_section_for_each_that_it_was_made_from(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert len(sections(text)) == len(made_from(text)) > 0


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_the_commands_of_a_translated_section_are_those_of_its_english(page: Path) -> None:
    for section, english in current_sections(page):
        assert commands(section.text) == commands(english.text), section.heading


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_a_translated_section_quotes_buttons_as_the_screen_shows_them(page: Path) -> None:
    for section, english in current_sections(page):
        missing = [shown for shown in quotations(english.text, language_of(page)) if not any(words in section.text for words in shown)]
        assert missing == [], section.heading


def test_only_a_section_whose_english_changed_is_named(tmp_path: Path) -> None:
    english, page = tmp_path / "en.md", tmp_path / "ja.md"
    english.write_text("# A\n\nEnglish · [x](y)\n\none two\n\n## B\n\n```\n# no heading\n```\n")
    page.write_text("# あ\n\n## い\n")
    write_made_from(page, english)
    assert differences(page, english) == []
    english.write_text("# A\n\nEnglish · [x](z)\n\none\ntwo\n\n## B\n\n```\n# other\n```\n\n## C\n")
    assert differences(page, english) == ["changed: B", "new: C"]
    english.write_text("# A\n\none two\n")
    assert differences(page, english) == ["gone: B"]


def unwanted_words() -> list[str]:
    """The words that the glossary keeps out of the pages in Japanese and Chinese."""
    glossary = (TOP / "docs" / "reference" / "glossary.md").read_text(encoding="utf-8")
    table = glossary.partition("## Words of the pages")[2].partition("\n## ")[0]
    rows = [row.strip("| ").split(" | ") for row in table.splitlines() if row.startswith("| ")][2:]
    return [word for *_, unwanted in rows for word in unwanted.split(", ") if word != "–"]


def test_catalogues_and_translated_pages_keep_to_the_words_of_the_glossary() -> None:
    unwanted = unwanted_words()
    assert unwanted
    written = {named(page): [page.read_text(encoding="utf-8")] for page in PAGES}
    for catalogue in CATALOGUES:
        for language in LANGUAGES:
            written[f"{catalogue}, {language}"] = [form for forms in texts(catalogue, language).values() for form in forms]
    assert [(word, place, text) for place, said in written.items() for text in said for word in unwanted if word in text] == []
