"""Says which translated pages are older than their English: ``python -m tools.translations``.

A translated page has the sections of its English page in the same order. A comment at its end lists the English sections that it
was made from, each by a digest and its heading. The command compares them with the English page of today and names what differs;
``--made PAGE…`` writes the comment again, after somebody has brought the page up to date. Wrapping a paragraph anew changes no digest.
"""

import argparse
import hashlib
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from twinwall.values import frozen

TOP = Path(__file__).resolve().parents[1]
LANGUAGES = {"ja": "日本語", "zh-Hans": "简体中文"}
MADE_FROM = "The English sections from which this page was made (python -m tools.translations):"
_COMMENT = re.compile(rf"<!-- {re.escape(MADE_FROM)}\n(.*?)\n-->\n?", re.DOTALL)
_FENCE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)


@frozen
class Section:
    """A heading with the text below it, up to the next heading."""

    heading: str
    text: str

    @property
    def digest(self) -> str:
        """Eight hexadecimal digits of the SHA-256 of heading and text, without line breaks and the line of languages."""
        lines = [line for line in self.text.splitlines() if not line.startswith("English ·")]
        return hashlib.sha256(" ".join("\n".join(lines).split()).encode()).hexdigest()[:8]


def sections(text: str) -> tuple[Section, ...]:
    """The sections of a page, without its comment; a ``#`` within a block of code is no heading."""
    text = _COMMENT.sub("", text)
    hidden = _FENCE.sub(lambda block: "." * len(block[0]), text)
    begins = [found.start() for found in re.finditer(r"^#+ ", hidden, re.MULTILINE)]
    parts = [text[begin:end] for begin, end in zip(begins, [*begins[1:], len(text)], strict=True)]
    return tuple(Section(part.split("\n", 1)[0].lstrip("# "), part) for part in parts)


def made_from(text: str) -> tuple[tuple[str, str], ...]:
    """Digest and heading of each English section that a translated page names; none where it has no comment."""
    comment = _COMMENT.search(text)
    lines = comment[1].split("\n") if comment else []
    return tuple((digest, heading) for digest, _, heading in (line.partition(" ") for line in lines))


def translated_pages() -> Iterator[tuple[Path, Path]]:
    """Every translated page with its English page, which may be gone."""
    for language in LANGUAGES:
        for page in sorted(TOP.glob(f"*.{language}.md")):
            yield page, TOP / f"{page.name.removesuffix(f'.{language}.md')}.md"
        folder = TOP / "docs" / language
        for page in sorted(folder.rglob("*.md")):
            yield page, TOP / "docs" / page.relative_to(folder)


def differences(page: Path, english: Path) -> list[str]:
    """What of the English page is not in the translated one, a sentence each."""
    if not english.exists():
        return ["the English page is gone"]
    made = made_from(page.read_text(encoding="utf-8"))
    if not made:
        return ["says of no section what it was made from"]
    now = [(section.digest, section.heading) for section in sections(english.read_text(encoding="utf-8"))]
    if [digest for digest, _ in now] == [digest for digest, _ in made]:
        return []
    digests, headings = {digest for digest, _ in made}, {heading for _, heading in made}
    found = [f"{'changed' if heading in headings else 'new'}: {heading}" for digest, heading in now if digest not in digests]
    found += [f"gone: {heading}" for _, heading in made if heading not in {heading for _, heading in now}]
    return found or ["the sections are in another order"]


def write_made_from(page: Path, english: Path) -> None:
    """Write into a page that it was made from the English page as it is; raises ValueError where their sections are not as many."""
    text = _COMMENT.sub("", page.read_text(encoding="utf-8")).rstrip() + "\n"
    now = sections(english.read_text(encoding="utf-8"))
    if len(sections(text)) != len(now):
        raise ValueError(f"{page.name} has {len(sections(text))} headings, the English page {len(now)}: translate every section first")
    lines = "\n".join(f"{section.digest} {section.heading}" for section in now)
    page.write_text(f"{text}\n<!-- {MADE_FROM}\n{lines}\n-->\n", encoding="utf-8")


def main(arguments: Sequence[str]) -> int:
    """Print what differs; exit 1 where something does."""
    parser = argparse.ArgumentParser(prog="python -m tools.translations", description=__doc__)
    parser.add_argument("--made", nargs="+", type=Path, default=[], metavar="PAGE", help="these pages are up to date now: write it down")
    asked = parser.parse_args(arguments)
    pages = dict(translated_pages())
    for page in map(Path.resolve, asked.made):
        if page not in pages:
            parser.error(f"{page} is no translated page")
        try:
            write_made_from(page, pages[page])
        except (OSError, ValueError) as problem:
            parser.error(str(problem))
    older = {page: found for page, english in pages.items() if (found := differences(page, english))}
    for page, found in older.items():
        print(page.relative_to(TOP), *found, sep="\n    ")
    print(f"{len(older)} of {len(pages)} translated pages are older than their English")
    return 1 if older else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
