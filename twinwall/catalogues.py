"""Texts that a page's script fills in: gettext catalogues in three languages. The msgid is the text's key; the script replaces {…}."""

from pathlib import Path

from babel.messages.pofile import read_po

LANGUAGES = ("en", "ja", "zh-Hans")


def page_texts(translations: Path) -> dict[str, dict[str, str]]:
    """The texts of a ``translations`` folder (``<language>/LC_MESSAGES/messages.po``) by language and key; raises OSError."""
    return {language: _catalogue(translations, language.replace("-", "_")) for language in LANGUAGES}


def _catalogue(translations: Path, locale: str) -> dict[str, str]:
    with (translations / locale / "LC_MESSAGES" / "messages.po").open("rb") as file:
        catalogue = read_po(file, locale=locale)
    return {str(message.id): str(message.string) for message in catalogue if message.id}
