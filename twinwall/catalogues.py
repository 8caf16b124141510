"""Texts of a page that a browser words itself: gettext catalogues in three languages, by key.

A text is known by its key (``translations/<language>/LC_MESSAGES/messages.po``; msgid is the key); the page fills in {…}.
"""

from pathlib import Path

from babel.messages.pofile import read_po

LANGUAGES = ("en", "ja", "zh-Hans")


def page_texts(translations: Path) -> dict[str, dict[str, str]]:
    """Every text in this folder by language and key; raises OSError where a catalogue is not there."""
    return {language: _catalogue(translations, language.replace("-", "_")) for language in LANGUAGES}


def _catalogue(translations: Path, locale: str) -> dict[str, str]:
    with (translations / locale / "LC_MESSAGES" / "messages.po").open("rb") as file:
        catalogue = read_po(file, locale=locale)
    return {str(message.id): str(message.string) for message in catalogue if message.id}
