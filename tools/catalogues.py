"""Brings the catalogues into line with the pages and with each other: ``python -m tools.catalogues``.

A key that a page names and the English catalogue lacks is added there without a text. The other catalogues get the
English one's keys in its order, each with the English text as a comment; what is left without a text is for translators.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import write_po

from dashboard.i18n.words import DEFAULT_LANGUAGE, catalogue_file, read_catalogue
from twinwall.art.names import LANGUAGES

LINE_WIDTH = 100


def keys_named() -> Iterator[str]:
    """Every key that a page's code or template names literally as ``words("…")`` or ``words.markup("…")``."""
    methods = [("**.py", "python"), ("**.html", "jinja2")]
    for _, _, message, _, _ in extract_from_dir(Path(__file__).parents[1] / "dashboard", methods, keywords={"words": None, "markup": None}):
        yield message[0] if isinstance(message, tuple) else message


def in_line() -> Iterator[Catalog]:
    """The catalogues as they should be, English first."""
    english = read_catalogue(DEFAULT_LANGUAGE)
    for key in keys_named():
        if key not in english:
            english.add(key)
    yield english
    template = Catalog(creation_date=english.creation_date)
    for message in english:
        if message.id:
            texts = (message.string,) if isinstance(message.string, str) else message.string or ()
            template.add(message.id, auto_comments=[text for text in texts if text])
    for language in LANGUAGES:
        if language != DEFAULT_LANGUAGE:
            catalogue = read_catalogue(language)
            catalogue.update(template, no_fuzzy_matching=True)
            catalogue.obsolete.clear()
            yield catalogue


def main() -> int:
    """Write the catalogues; how many texts each language lacks goes to the terminal."""
    for catalogue in in_line():
        language = str(catalogue.locale).replace("_", "-")
        with catalogue_file(next(one for one in LANGUAGES if one == language)).open("wb") as file:
            write_po(file, catalogue, width=LINE_WIDTH)
        missing = sum(not message.string for message in catalogue if message.id)
        sys.stdout.write(f"{language}: {len(catalogue)} keys, {missing} without a text\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
