"""``twinwall admin check-release``: whether a release is whole, signed by a trusted person, and not older than what was accepted before."""

from argparse import Namespace
from pathlib import Path

from cli.event.sign import SIGNER, signers
from cli.usage import PUBLISHED, DoesNotHoldError, UsageError, argument, refuse_no_file, say, takes, write_file, wrong_use
from twinwall.game.documents import DocumentError
from twinwall.given_files import LARGEST_PACKAGE, limited_bytes
from twinwall.wire.release_manifest import OlderReleaseError, ProgramRelease, checked_release, read_release, refuse_older, write_release

FLOOR = Path("/var/lib/twinwall/release.json")
_RELEASE = """twinwall admin check-release FOLDER --signer 'NAME DIGITS' says whether the release in a folder is whole and signed by one
of these people, and refuses one that is older than the highest accepted on this machine. What it accepts is the highest from then on."""


@takes(
    argument("folder", "the release's folder, with release.json and release.json.sig", type=Path),
    SIGNER,
    argument("--floor", f"the manifest of the highest release accepted on this machine (default: {FLOOR})", type=Path, default=FLOOR),
    argument("--allow-older", "accept a release that is older; the highest one stays noted", action="store_true"),
    about=_RELEASE,
)
def check(arguments: Namespace) -> None:
    folder: Path = arguments.folder
    refuse_no_file(arguments.floor)
    highest = _highest(arguments.floor)
    with wrong_use(folder, DocumentError, raising=DoesNotHoldError):
        files = {path.name: limited_bytes(path, LARGEST_PACKAGE) if path.is_file() else b"" for path in sorted(folder.iterdir())}
        signer, release = checked_release(files, signers(arguments))
    try:
        if highest is not None:
            refuse_older(release, highest)
    except OlderReleaseError as error:
        if not arguments.allow_older:
            raise DoesNotHoldError(f"{folder}: {error}; to go back all the same, say --allow-older") from None
        say(f"{folder}: {error}; accepted, because --allow-older was said")
    else:
        write_file(arguments.floor, write_release(release), PUBLISHED, force=True)
    print(f"{folder} is {release}, of commit {release.commit[:12]}, signed by {signer}; its {len(release.files)} files are whole")


def _highest(floor: Path) -> ProgramRelease | None:
    """The highest release accepted on this machine, None before the first."""
    try:
        return read_release(limited_bytes(floor))
    except FileNotFoundError:
        say(f"no release was accepted on this machine before: there is no {floor}")
        return None
    except DocumentError as error:
        raise UsageError(f"{floor} does not say which release was accepted: {error}; put its copy back, or take it away") from None
