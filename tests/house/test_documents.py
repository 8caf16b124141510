"""The documents: every link leads somewhere, and every decision record has its four parts."""

import re
import subprocess
from pathlib import Path

import pytest

from cli import command_named, entries_of
from cli.commands import GROUPS

TOP = Path(__file__).parents[2]
DOCUMENTS = sorted([*TOP.glob("*.md"), *(TOP / "docs").rglob("*.md"), *(path for path in TOP.glob("*/*.md") if ".venv" not in path.parts)])
RECORDS = sorted((TOP / "docs" / "decisions").glob("0*.md"))
MOST_RECORDS = 22
COLUMNS = 100
WRITTEN_BY_COMMANDS = {"figures.md", "events.md", "mcr-duplicate.md", "sichuan.md", "yangzhou.md", "seigo.md"}
PLACE = re.compile(
    r"(?:centre|cli|config|controller|dashboard|firmware\w*|simulator|tableside|twinwall|vision|tests|benchmarks|scripts|docs)/[\w./*-]+"
)
LINK = re.compile(r"\]\(([^)\s]+)\)")


def anchors(document: Path) -> set[str]:
    """The anchors of a document's headings, as the usual renderers make them."""
    headings = re.findall(r"^#+ (.+)$", document.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def leads_somewhere(document: Path, link: str) -> bool:
    """Whether a link leads out of the project, or to a file of it that has the anchor."""
    target, _, anchor = link.partition("#")
    file = (document.parent / target).resolve() if target else document
    return "://" in link or (file.exists() and file.is_relative_to(TOP) and (not anchor or anchor in anchors(file)))


def test_every_link_within_the_project_leads_somewhere() -> None:
    texts = {document: re.sub(r"<!--.*?-->", "", document.read_text(encoding="utf-8"), flags=re.DOTALL) for document in DOCUMENTS}
    dead = [(document, link) for document, text in texts.items() for link in LINK.findall(text) if not leads_somewhere(document, link)]
    assert [f"{document.relative_to(TOP)}: {link}" for document, link in dead] == []


@pytest.mark.parametrize("record", RECORDS, ids=lambda path: path.stem)
def test_a_decision_record_has_status_context_decision_and_consequences(record: Path) -> None:
    text = record.read_text(encoding="utf-8")
    assert text.startswith(f"# {record.name[:4]} ")
    assert re.findall(r"^\*\*(\w+)\.\*\*", text, re.MULTILINE) == ["Status", "Context", "Decision", "Consequences"]
    status = re.search(r"^\*\*Status\.\*\* (.+)$", text, re.MULTILINE)
    assert status
    superseded = re.fullmatch(r"Superseded by \[\d{4}\]\(([^)]+)\)\.", status[1])
    assert re.fullmatch(r"Accepted\.( Supersedes [0-9, ]+\.)?", status[1]) or (superseded and (record.parent / superseded[1]).exists())


def test_the_list_of_decision_records_names_each_with_its_title() -> None:
    index = (TOP / "docs" / "decisions" / "README.md").read_text(encoding="utf-8").replace("\n  ", " ")
    titles = {record.name: record.read_text(encoding="utf-8").split("\n")[0][7:] for record in RECORDS}
    assert dict(re.findall(r"^- \[\d{4}\]\((0[^)]+)\) (.+)$", index, re.MULTILINE)) == titles
    assert len(RECORDS) <= MOST_RECORDS, "a record is about the architecture; other decisions stand in docs/explanation"


def files_named(document: Path) -> list[str]:
    """The files and folders of the project that a document names in code spans."""
    spans = re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", document.read_text(encoding="utf-8"), flags=re.DOTALL))
    return [span.rstrip("/") for span in spans if PLACE.fullmatch(span) and "NAME" not in span and not span.startswith("firmware/build")]


def test_every_file_that_a_document_names_exists() -> None:
    named = {path: document for document in DOCUMENTS for path in files_named(document)}
    assert [f"{document.relative_to(TOP)}: {path}" for path, document in named.items() if not any(TOP.glob(path))] == []


def test_the_lines_of_a_document_wrap_at_100_columns() -> None:
    assert [
        f"{path.relative_to(TOP)}: {line}" for path in DOCUMENTS if path.name not in WRITTEN_BY_COMMANDS for line in too_long(path)
    ] == []


def too_long(document: Path) -> list[str]:
    """The lines of a document that could be wrapped and are not."""
    text = re.sub(r"```.*?```|<!--.*?-->", "", document.read_text(encoding="utf-8"), flags=re.DOTALL)
    lines = [line for line in text.split("\n") if len(line) > COLUMNS and not line.startswith(("|", "!", "#", "English ·", "[English]"))]
    return [line for line in lines if " " in line.strip("-* ")]


@pytest.mark.parametrize(
    ("page", "naming"),
    [
        ("docs/reference/glossary.md", r"`(?P<name>[A-Z][a-z]\w+)` in\s+`(?P<place>[\w./]+)`"),
        ("docs/explanation/architecture.md", r"\| `(?P<place>[\w./]+)` `(?:\w+\.)?(?P<name>\w+)`"),
    ],
)
def test_every_name_is_where_the_page_says(page: str, naming: str) -> None:
    named = re.finditer(naming, (TOP / page).read_text("utf-8"))
    defined = [["git", "grep", "-qE", rf"^ *(\w+ )?{each['name']}\b", each["place"]] for each in named]  # as the first or second word
    assert defined
    assert [search for search in defined if subprocess.run(search, cwd=TOP, check=False).returncode] == []


def test_every_command_that_the_documents_name_exists() -> None:
    written = r"`(?:\.venv/bin/)?twinwall\s+([a-z]+(?:\s+[a-z-]+)*)"
    written_of_today = [document for document in DOCUMENTS if document.name != "CHANGELOG.md"]
    named = {words for document in written_of_today for words in re.findall(written, document.read_text(encoding="utf-8"))}
    assert [words for words in named if entries_of(command_named(words.split())[0]) and words not in GROUPS] == []


def test_the_apt_packages_of_the_readme_are_those_that_the_set_up_asks_for() -> None:
    script = (TOP / "scripts" / "setup").read_text(encoding="utf-8")
    readme = (TOP / "README.md").read_text(encoding="utf-8")
    asked = set(re.findall(r"\bneed ([a-z][a-z0-9+-]+) \"", script)) - {"python3-venv", "ca-certificates"}
    assert {package for package in asked if f"`{package}`" not in readme} == set()
