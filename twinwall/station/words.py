"""The texts of the station's screen in three languages, from gettext catalogues; the page fills in {…}.

A text is known by its key (``translations/<language>/LC_MESSAGES/messages.po``; msgid is the key). No text can name a kind:
nothing here knows one.
"""

from __future__ import annotations

from pathlib import Path

from babel.messages.pofile import read_po

LANGUAGES = ("en", "ja", "zh-Hans")
_TRANSLATIONS = Path(__file__).parent / "translations"


def screen_texts() -> dict[str, dict[str, str]]:
    """Every text of the screen by language and key; raises OSError where a catalogue is not there."""
    return {language: _catalogue(language.replace("-", "_")) for language in LANGUAGES}


def _catalogue(locale: str) -> dict[str, str]:
    with (_TRANSLATIONS / locale / "LC_MESSAGES" / "messages.po").open("rb") as file:
        catalogue = read_po(file, locale=locale)
    return {str(message.id): str(message.string) for message in catalogue if message.id}
