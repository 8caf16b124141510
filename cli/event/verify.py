"""``twinwall verify``: prove an evening from its files, under the start code that a person gives."""

import argparse
import re
from pathlib import Path

from cli.event.starts import code_or_file
from cli.usage import JSON, UsageError, answer, argument, read_file, takes, wrong_use
from twinwall.event.bundle.bundle_check import check_bundle
from twinwall.event.bundle.bundle_files import LARGEST_BUNDLE, BundleError, check_sizes, read_zip
from twinwall.event.bundle.bundle_proofs import BundleReport
from twinwall.game.deals import Start
from twinwall.given_files import limited_bytes

_DESCRIPTION = """Prove an evening from its bundle (twinwall results export --format bundle): the start, each deal from its slip,
each table's ledger and its signatures, each hand played again by the rules, results and standings computed again. Give the start
code as you saw or heard it before the first deal: a bundle never says what its own code should be. Exit 0 when all is proved, 1
with each thing that is not, by file and line, 2 for wrong use."""


@takes(
    argument("bundle", "the bundle: a zip, or the folder that it was unpacked into", type=Path),
    argument("--start", "the event's start: its code, or its file from elsewhere", metavar="CODE-OR-FILE"),
    argument("--vault-key", "the vault's public key, as the organiser published it", metavar="HEX"),
    JSON,
    about=_DESCRIPTION,
)
def verify(arguments: argparse.Namespace) -> bool:
    """0 when everything is proved, 1 with what is not."""
    if arguments.start is None:
        raise UsageError(
            "say --start with the event's start code, as it stood on the tables or was read out: a bundle is never its own witness"
        )
    code, vault_key = _code(arguments.start, arguments.bundle), _vault_key(arguments.vault_key)
    with wrong_use(arguments.bundle, BundleError):
        report = check_bundle(_read(arguments.bundle), code, vault_key)
    answer(report.to_json(), "\n".join(_for_people(arguments.bundle, report)), as_json=arguments.json)
    return report.good


def _code(given: str, bundle: Path) -> bytes:
    """The start code, or the first bytes of it; a file counts only from outside the bundle."""
    found = code_or_file(given)
    if isinstance(found, bytes):
        return found
    if found.resolve().is_relative_to(bundle.resolve()):
        raise UsageError(f"--start {given} is a file of the bundle itself: give the code from elsewhere, a bundle is never its own witness")
    return read_file(found, Start.from_bytes).code


def _vault_key(given: str | None) -> bytes | None:
    if given is None:
        return None
    if not re.fullmatch("[0-9a-f]{64}", given):
        raise UsageError("--vault-key is 64 digits 0 to 9 and a to f, as twinwall vault key prints it")
    return bytes.fromhex(given)


def _read(bundle: Path) -> dict[str, bytes | None]:
    if bundle.is_dir():
        found = {
            path.relative_to(bundle).as_posix(): path for path in sorted(bundle.rglob("*")) if path.is_file() and not path.is_symlink()
        }
        check_sizes({name: path.stat().st_size for name, path in found.items()}, len(found))
        return {name: limited_bytes(path) for name, path in found.items()}
    if bundle.stat().st_size > LARGEST_BUNDLE:
        raise BundleError(f"it has {bundle.stat().st_size} bytes, and a bundle has {LARGEST_BUNDLE} at most: it is not read")
    return read_zip(limited_bytes(bundle, LARGEST_BUNDLE))


def _for_people(bundle: Path, report: BundleReport) -> list[str]:
    lines = [f"{bundle}: {report.event or 'an event without a name'}, start {report.start}"]
    lines += [f"  {count} {what}" for what, count in report.counts.items()]
    if report.vault_key and not report.known_vault:
        lines.append(f"note: signatures were checked under the vault key {report.vault_key}, which only the bundle names: compare it")
    lines += [f"note: {note}" for note in report.notes]
    lines += map(str, report.unproved)
    lines.append("all of it is proved" if report.good else f"{len(report.unproved)} things are not proved")
    return [line.replace("\n", "\\n") for line in lines]
