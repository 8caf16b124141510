"""The texts of the station's screen in three languages. No text can name a kind: nothing here knows one."""

from __future__ import annotations

from pathlib import Path

from twinwall.catalogues import LANGUAGES, page_texts

__all__ = ["LANGUAGES", "screen_texts"]


def screen_texts() -> dict[str, dict[str, str]]:
    """Every text of the screen by language and key; raises OSError where a catalogue is not there."""
    return page_texts(Path(__file__).parent / "translations")
