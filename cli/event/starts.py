"""The start of an event on the command line: ``twinwall deals start``, and the options by which other commands receive a start. A start is
given as its file, as its code, or as root and public value. The code alone does not say root and public value; the slips that are checked
do, and the code decides whether they say the right ones."""

from argparse import Namespace
from collections.abc import Iterable
from pathlib import Path

from cli.usage import PLAN, PUBLISHED, UsageError, argument, new_file, read_file, takes, tell, write_file, wrong_use
from twinwall.game.deals import (
    Commitments,
    DealError,
    Plan,
    Slip,
    SlipPart,
    Start,
    StartedPlan,
    check_drawn,
    check_public,
    check_random,
    read_code,
    start_of_code,
    start_of_slip,
    words_of_code,
)
from twinwall.game.deals.encoding import Sha256
from twinwall.game.documents import DocumentError, Reading
from twinwall.given_files import limited_bytes
from twinwall.values import frozen

LARGEST_START = 1 << 12
"""Bytes: a larger file is not read where starts are looked for."""


@frozen
class ClaimedStart:
    """The start as the command line gives it: the whole of it, or its code, maybe the first bytes alone, and the public value."""

    code: bytes | None = None
    start: Start | None = None
    public: str | None = None

    @property
    def said(self) -> dict[str, str]:
        """What was given, for the command's JSON."""
        given = {"start": self.code, "root": None if self.start is None else self.start.root}
        return {name: value.hex() for name, value in given.items() if value is not None}

    def difference(self, found: Start) -> tuple[SlipPart, str] | None:
        """Which part of a start that was found is not as given, and a sentence about it; None when all is."""
        start, public = self.start, self.public
        if start is not None and start.plan != found.plan:
            return SlipPart.PLAN, f"the plan is {found.plan.hex()}, the start is of the plan {start.plan.hex()}"
        if start is not None and start.root != found.root:
            return SlipPart.ROOT, f"the root is {found.root.hex()}, published is {start.root.hex()}"
        if public is not None and public != found.public:
            return SlipPart.PUBLIC, f"the public value is {found.public!r}, the event's start fixed {public!r}"
        if self.code is not None and start_of_code(self.code, [found]) is None:
            value = f"plan, root {found.root.hex()} and public value {found.public!r}"
            return SlipPart.START, f"{value} have the start code {found.words}, not {words_of_code(self.code)}"
        return None


PUBLIC = argument("--public", "the public value, spelled exactly as it was fixed", required=True, metavar="V")
START = (
    argument("--start", "the event's start: its file, its code's eight groups, or the code in hex", metavar="CODE-OR-FILE"),
    argument("--root", "in place of --start: the published root; needs --public", metavar="HEX"),
    argument("--public", "the public value, spelled exactly as it was fixed", metavar="V"),
)


def claimed(args: Namespace, plan: Plan) -> ClaimedStart:
    """What the options say of the start of a plan; raises UsageError when they do not fix it."""
    public = None if args.public is None else public_value(args.public)
    if args.start is not None:
        if args.root is not None:
            raise UsageError("give --start, or --root with --public, not both")
        return _from_start(args.start, public)
    if args.root is None:
        raise UsageError("name the event's start: --start with its file or code, or --root HEX with --public V")
    if public is None:
        raise UsageError("the root alone does not fix the deals, since any public value fits it: give --public V too, or --start")
    try:
        return ClaimedStart(start=Start(plan.digest, Sha256.read(args.root), public), public=public)
    except ValueError as error:
        raise UsageError(f"--root {error}") from None


def resolved(plan: Plan, claim: ClaimedStart, slips: Iterable[Slip]) -> StartedPlan | None:
    """The plan with the start that was claimed; a code alone is found among what the slips say, None when none of them has it."""
    if claim.start is not None:
        return StartedPlan(plan, claim.start)
    candidates = (_claimed_by(plan, slip) for slip in slips)
    found = next((start for start in candidates if start is not None and claim.difference(start) is None), None)
    return None if found is None else StartedPlan(plan, found)


def read_plan(path: Path) -> Plan:
    """The plan of a file; raises UsageError naming the file."""
    return read_file(path, Plan.from_bytes)


def started_plan(plan: Path, start: Path) -> StartedPlan:
    """Plan and start of the files that settings name; raises OSError, or DocumentError naming the file."""
    with Reading(f"{plan}"):
        read = Plan.from_bytes(limited_bytes(plan))
    with Reading(f"{start}"):
        return StartedPlan(read, Start.from_bytes(limited_bytes(start)))


def public_value(text: str) -> str:
    """A public value as it was typed; raises UsageError for one without one exact spelling."""
    with wrong_use("--public", DealError):
        check_public(text)
    return text


@takes(
    PLAN,
    argument("--commitments", "the published commitments", type=Path, required=True),
    PUBLIC,
    argument("--out", "the start's file; one that exists is never replaced", type=new_file, required=True, metavar="START"),
)
def start(args: Namespace) -> None:
    plan, public = read_plan(args.plan), public_value(args.public)
    commitments = read_file(args.commitments, Commitments.from_json)
    if commitments.plan_digest != plan.digest:
        raise UsageError(f"{args.commitments} are the commitments of another plan than {args.plan}")
    if set(commitments.seeds) != set(plan.holders) or len(commitments.keys) != len(plan.deals):
        raise UsageError(f"{args.commitments} have not one commitment for each holder and deal of {args.plan}")
    with wrong_use("--public", DealError):
        check_drawn(plan.public, public)
        check_random(plan.public, public)
    start = Start(plan.digest, commitments.root, public)
    _refuse_second(start, (*_files_beside(args.out), *_files_beside(args.commitments)))
    if args.out.exists():
        raise UsageError(f"{args.out} exists: a start is written once, so name a new file")
    write_file(args.out, start.canonical, PUBLISHED, force=None)
    print(start.code.hex())
    print(start.words)
    tell(f"the event's start is in {args.out}: publish it, and read the eight groups out before the first deal")


def _refuse_second(start: Start, paths: Iterable[Path]) -> None:
    """Raise UsageError when one of these files is another start of the same plan: with two, somebody could choose the deals."""
    for path in paths:
        other = _start_in(path)
        if other is not None and other.plan == start.plan and other != start:
            raise UsageError(
                f"{path} is the start {other.words} of this plan, with the public value {other.public!r}: an event has one start; "
                "use it, or make a new plan"
            )


def _files_beside(path: Path) -> list[Path]:
    return [each for each in sorted(path.parent.iterdir()) if each.is_file()] if path.parent.is_dir() else []


def _start_in(path: Path) -> Start | None:
    """The start that a file holds; None when it holds another thing."""
    try:
        return Start.from_bytes(limited_bytes(path)) if path.stat().st_size <= LARGEST_START else None
    except (OSError, DocumentError):
        return None


def code_or_file(given: str) -> bytes | Path:
    """Return the start code, or the file if the text is no code: a file named like a code is never read. Raises UsageError for neither."""
    try:
        return read_code(given)
    except DealError as error:
        if len(given) < 256 and Path(given).is_file():
            return Path(given)
        raise UsageError(f"--start {given}: {error}; there is no file of this name") from None


def _from_start(given: str, public: str | None) -> ClaimedStart:
    found = code_or_file(given)
    if isinstance(found, bytes):
        return ClaimedStart(code=found, public=public)
    start = read_file(found, Start.from_bytes)
    if public is not None and public != start.public:
        raise UsageError(f"--public is {public!r}, {found} fixed {start.public!r}: leave --public out")
    return ClaimedStart(start.code, start, start.public)


def _claimed_by(plan: Plan, slip: Slip) -> Start | None:
    try:
        return start_of_slip(plan, slip)
    except DocumentError:
        return None  # said when this slip's turn comes
