"""``twinwall admin pack``: one file for remote help, without secrets, names of people, or tiles."""

import argparse
import os
import platform
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from importlib.metadata import distributions
from io import BytesIO
from pathlib import Path

from cli.table.joined_table import playing_settings
from cli.table.table_journal import JOURNAL, reading_cipher
from cli.usage import JSON, PRIVATE, UsageError, answer, argument, new_file, settings_file, takes, tell, visible, write_file
from config import dumps, load
from controller.ledger.journal_lines import readable_contents
from controller.ledger.service_file import LINK_NOTES, service_lines
from controller.settings import SeatsSection, TableSettings
from twinwall.game.documents import canonical_json
from twinwall.given_files import LARGEST_PACKAGE, limited_bytes


@takes(
    settings_file("the table's"),
    argument("--out", "the file to write, a zip; an existing one is not overwritten", type=new_file, required=True),
    argument("--attach", "put this in as well, such as what feeder check --json printed", type=Path, action="append", default=[]),
    JSON,
    about="Pack a table's settings, versions, the counts of the line to its feeder and its faults into one file. It holds no "
    "secret, no player's name and no tile; with [service] switch on in the settings, faults keep their sentences, which may name "
    "tiles. The table may go on playing meanwhile.",
)
def pack_service_file(arguments: argparse.Namespace) -> None:
    """Write the file, and say what is in it."""
    settings = load(arguments.settings, TableSettings)
    parts = dict(_parts(settings))
    for attached in arguments.attach:
        name = f"attached/{visible(attached.name)}"
        if name in parts:
            raise UsageError(f"--attach {attached}: another file of this name goes along: rename one")
        parts[name] = limited_bytes(attached, LARGEST_PACKAGE)
    file = BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in parts.items():
            packed.writestr(name, content)
    write_file(arguments.out, file.getvalue(), PRIVATE, force=None)
    sizes = {name: len(content) for name, content in parts.items()}
    words = ", ".join(f"{name} ({size} bytes)" for name, size in sizes.items())
    answer({"file": str(arguments.out), "parts": sizes}, f"{arguments.out}: {words}", as_json=arguments.json)
    if settings.service.switch and not arguments.json:
        tell("The service switch is on: sentences of faults may name tiles.")


def _parts(settings: TableSettings) -> Iterator[tuple[str, bytes]]:
    """Every part's name and content; a part that is not there yet is left out."""
    with suppress(UsageError):  # a table without an event has a file to send too
        settings = playing_settings(settings)
    yield "about.json", canonical_json(_about(settings))
    yield "settings.toml", dumps(replace(settings, seats=SeatsSection())).encode()
    notes = settings.ledger.folder / LINK_NOTES
    if notes.exists():
        yield LINK_NOTES, limited_bytes(notes)
    journal = settings.ledger.folder / JOURNAL
    if journal.exists():
        try:
            cipher = reading_cipher(settings)
        except UsageError as error:
            tell(f"admin pack: the faults are left out: {error}")
            return
        contents = readable_contents(limited_bytes(journal, LARGEST_PACKAGE), cipher)
        yield "faults.jsonl", b"".join(service_lines(contents, switched_on=settings.service.switch))


def _about(settings: TableSettings) -> dict[str, object]:
    packages = {found.metadata["Name"].lower(): found.version for found in distributions()}
    return {
        "format": "twinwall-service-1",
        "table": settings.table.name,
        "packed": datetime.now(UTC).isoformat(timespec="seconds"),
        "service_switch": settings.service.switch,
        "python": platform.python_version(),
        "system": platform.platform(),
        "processors": os.cpu_count() or 0,
        "packages": dict(sorted(packages.items())),
    }
