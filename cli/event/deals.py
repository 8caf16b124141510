"""``twinwall deals``: plan an event's deals, commit to them, make, open and verify them. ``twinwall.game.deals`` derives and checks; this
module reads and writes files. It overwrites no file without ``--force``, and only their owner may read files that hold walls or keys."""

import sys
from argparse import Namespace
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from cli.event import starts
from cli.usage import (
    FORCE,
    JSON,
    PLAN,
    PRIVATE,
    PUBLISHED,
    Argument,
    UsageError,
    answer,
    argument,
    new_file,
    read_file,
    refuse_existing,
    takes,
    tell,
    visible,
    write_file,
    wrong_use,
)
from twinwall.game.deals import (
    SEED_SIZE,
    Commitments,
    Deal,
    DealError,
    FieldTerms,
    Plan,
    ReleaseRule,
    Seed,
    SessionTimes,
    Slip,
    Start,
    StartedPlan,
    VerificationError,
    check_source,
    commit,
    make_deal,
    make_slip,
    named_deal,
    plan_sessions,
    sheet_difference,
    start_of_slip,
    verify_slip,
    write_instant,
)
from twinwall.game.documents import DocumentError, pretty_json
from twinwall.game.rule_set import NO_SHARED_TILES
from twinwall.game.rules import rule_set, wall_layout
from twinwall.game.tiles import SEATS, format_tiles
from twinwall.wire.names import cleaned, plain_number

_FIELD = (
    argument("--release", "for many venues: when slips are released; needs --times", choices=[rule.value for rule in ReleaseRule]),
    argument(
        "--times",
        "for many venues, once per session: from when its deals are given, such as 1=2026-11-22T18:00+09:00, and when its slips "
        "are released by deadline; the plan has them in UTC",
        action="append",
        default=[],
        metavar="SESSION=OPENS[/DEADLINE]",
    ),
)


def _seeds(required: bool) -> Argument:
    text = f"a holder's seed file of exactly {SEED_SIZE} bytes; once per holder"
    return argument("--seed", text, action="append", default=[], required=required, metavar="NAME=FILE")


def _out(text: str, required: bool = True) -> tuple[Argument, Argument]:
    what, _, rest = text.partition(" ")
    return argument("--out", rest, type=Path if what == "FOLDER" else new_file, required=required, metavar=what), FORCE


@takes(
    argument("--event", "the event's name, any text", required=True, type=cleaned, metavar="NAME"),
    argument("--rules", "rule set of all deals", required=True, metavar="NAME"),
    argument("--sessions", "how many sessions", required=True, type=int, metavar="K"),
    argument("--hands", "hands in a session (16)", type=int, default=16, metavar="H"),
    argument("--holder", "who holds a seed; once per holder (server)", action="append", metavar="NAME"),
    argument("--public", "where the public value will come from", default="", metavar="TEXT"),
    *_FIELD,
    *_out("FILE for the plan"),
)
def plan(args: Namespace) -> None:
    wall_layout(args.rules)
    check_source(args.public)
    plan = plan_sessions(
        args.event,
        args.rules,
        sessions=args.sessions,
        hands=args.hands,
        holders=args.holder or ["server"],
        public=args.public,
        field=_field_terms(args.release, args.times, datetime.now(UTC)),
    )
    write_file(args.out, plan.canonical, PUBLISHED, args.force)
    tell(f"{len(plan.deals)} deals planned in {args.out}; its digest is {plan.digest.hex()}")
    for times in () if plan.field is None else plan.field.sessions:
        until = "" if times.deadline is None else f", its slips are released at {times.deadline}"
        tell(f"session {times.session} opens at {times.opens}{until} (UTC)")


def _field_terms(release: str | None, written: Sequence[str], now: datetime) -> FieldTerms | None:
    """The terms of many venues; none where nothing is said of them. A time that has passed is refused, since it could not be kept."""
    if release is None:
        if written:
            raise DealError("--times are for an event of many venues: say with --release when its slips are released")
        return None
    terms = FieldTerms(ReleaseRule(release), tuple(map(_session_times, written)))
    for times in terms.sessions:
        for what, at in (("opens", times.opens_at), ("has its deadline", times.deadline_at)):
            if at is not None and at <= now:
                raise DealError(f"session {times.session} {what} at {write_instant(at)}, which has passed: give a later time")
    return terms


def _session_times(written: str) -> SessionTimes:
    session, _, times = written.partition("=")
    if (number := plain_number(session)) is None:
        raise DealError(f"--times {written}: write the session first, such as 1=2026-11-22T18:00Z")
    try:
        at = [datetime.fromisoformat(text) for text in times.split("/", 1)]
    except ValueError:
        raise DealError(f"--times {written}: write each time with its zone, such as 2026-11-22T18:00+09:00 or 2026-11-22T09:00Z") from None
    return SessionTimes(number, *map(write_instant, at))


@takes(PLAN, _seeds(required=True), *_out("FILE for the commitments"))
def commit_deals(args: Namespace) -> None:
    plan = starts.read_plan(args.plan)
    commitments = _commit(plan, _read_seeds(args.seed))
    write_file(args.out, pretty_json(commitments.to_json()), PUBLISHED, args.force)
    tell(f"committed to {len(plan.deals)} deals in {args.out}; the root is {commitments.root.hex()}")


@takes(PLAN, _seeds(required=True), starts.PUBLIC, *_out("FOLDER for deal-0001.json, its slip-0001.json and so on"))
def make(args: Namespace) -> None:
    plan, seeds, public = starts.read_plan(args.plan), _read_seeds(args.seed), starts.public_value(args.public)
    commitments = _commit(plan, seeds)
    made: dict[Path, Deal | Slip] = {}
    for n in (planned.n for planned in plan.deals):
        made[args.out / f"deal-{n:04d}.json"] = make_deal(plan, seeds, n, public, commitments.root)
        made[args.out / f"slip-{n:04d}.json"] = make_slip(plan, seeds, n, public, commitments)
    if not args.force:
        refuse_existing(made)
    args.out.mkdir(parents=True, exist_ok=True)
    for path, document in made.items():
        write_file(path, pretty_json(document.to_json()), PRIVATE, args.force)
    tell(f"warning: the walls of all {len(plan.deals)} deals now lie in the clear in {args.out}: use them for rehearsals and tests only")


@takes(
    PLAN,
    argument("n", "number of the deal", type=int),
    _seeds(required=True),
    starts.PUBLIC,
    *_out("FILE for the slip (standard output)", required=False),
)
def slip(args: Namespace) -> None:
    plan, seeds = starts.read_plan(args.plan), _read_seeds(args.seed)
    with wrong_use(args.plan, DocumentError):
        plan.deal(args.n)
    slip = make_slip(plan, seeds, args.n, starts.public_value(args.public), _commit(plan, seeds))
    content = pretty_json(slip.to_json())
    if args.out is None:
        sys.stdout.write(content.decode())
    else:
        write_file(args.out, content, PRIVATE, args.force)
    tell(f"this slip opens deal {args.n}: keep it until every table has finished the deal")


@takes(
    PLAN,
    *starts.START,
    argument("slips", "slip files", nargs="*", type=Path, metavar="SLIP"),
    _seeds(required=False),
    argument("--sheet", "also a line of a building sheet, as printed: '7 S 5m 8p … | …'", action="append", default=[], metavar="LINE"),
    JSON,
)
def verify(args: Namespace) -> bool:
    plan = starts.read_plan(args.plan)
    claim = starts.claimed(args, plan)
    if bool(args.slips) == bool(args.seed):
        raise UsageError("give either slips or --seed NAME=FILE, one for each holder, to verify")
    if args.slips:
        slips = [(path, read_file(path, Slip.from_json)) for path in args.slips]
        started = starts.resolved(plan, claim, (slip for _, slip in slips))
        checked = [_verify_slip(plan, claim, started, path, slip) for path, slip in slips]
        checked += _verify_sheets(args.sheet, started, {slip.n: slip for _, slip in slips})
    elif args.sheet:
        raise UsageError("--sheet is checked against the slip of its deal: name the slip")
    else:
        checked = _verify_seeds(plan, claim, _read_seeds(args.seed))
    good = all(line["good"] for line in checked)
    answer({"good": good, **claim.said, "checked": checked}, "\n".join(str(line["sentence"]) for line in checked), as_json=args.json)
    return good


def _verify_slip(plan: Plan, claim: starts.ClaimedStart, started: StartedPlan | None, path: Path, slip: Slip) -> dict[str, object]:
    try:
        deal = _opened(plan, claim, started, slip, path)
    except VerificationError as error:
        return {"good": False, "n": error.n, "part": error.part.value, "sentence": f"{path}: {error}"}
    return _remade(deal, f"{path}: deal {deal.n} re-made")


def _verify_sheets(lines: Sequence[str], started: StartedPlan | None, slips: Mapping[int, Slip]) -> list[dict[str, object]]:
    """Each line of a building sheet, compared with the wall of its released deal."""
    checked: list[dict[str, object]] = []
    for line in lines:
        try:
            n = named_deal(line)
            if n not in slips or started is None:
                raise UsageError(f"--sheet {line[:12]}…: name the slip of deal {n}, and the event's start")
            deal = verify_slip(started, slips[n])
            rows = rule_set(deal.rules).shared_rows if deal.rest else NO_SHARED_TILES
            differs = sheet_difference(deal, line, rows)
        except VerificationError as error:
            checked.append({"good": False, "n": error.n, "part": error.part.value, "sentence": str(error)})
            continue
        said = "the printed wall is the committed one" if differs is None else differs
        checked.append({"good": differs is None, "n": n, "part": "sheet", "sentence": f"sheet of deal {n}, {line.split()[1]}: {said}"})
    return checked


def _verify_seeds(plan: Plan, claim: starts.ClaimedStart, seeds: Mapping[str, Seed]) -> list[dict[str, object]]:
    if claim.public is None:
        raise UsageError("a start code does not say the public value: give the start's file, or --public V beside the code")
    root = _commit(plan, seeds).root
    found = Start(plan.digest, root, claim.public)
    if (difference := claim.difference(found)) is not None:
        return [{"good": False, "part": difference[0].value, "sentence": f"plan and seeds: {difference[1]}"}]
    deals = [make_deal(plan, seeds, planned.n, found.public, root) for planned in plan.deals]
    return [_remade(deal, f"deal {deal.n} re-made") for deal in deals]


def _remade(deal: Deal, what: str) -> dict[str, object]:
    digest, check = deal.digest.hex(), deal.check.hex()
    return {"good": True, "n": deal.n, "digest": digest, "check": check, "sentence": f"{what}: digest {digest}, check {check}"}


@takes(
    PLAN,
    argument("slip", "the released slip", type=Path),
    *starts.START,
    *_out("FILE for the deal (standard output)", required=False),
    JSON,
)
def reveal(args: Namespace) -> bool:
    plan, slip = starts.read_plan(args.plan), read_file(args.slip, Slip.from_json)
    claim = starts.claimed(args, plan)
    try:
        deal = _opened(plan, claim, starts.resolved(plan, claim, [slip]), slip, args.slip)
    except VerificationError as error:
        tell(f"{args.slip}: {error}")
        return False
    document = pretty_json(deal.to_json())
    if args.out is not None:
        write_file(args.out, document, PRIVATE, args.force)
    if args.json:
        sys.stdout.write(document.decode())
    elif args.out is None:
        print(visible(_for_people(deal)))
    return True


def _for_people(deal: Deal) -> str:
    lines = [f"{deal.event}, session {deal.session}, hand {deal.hand}, deal {deal.n}, {deal.rules}"]
    lines += [f"{seat.value}  {format_tiles(deal.walls[seat].hand)}  |  {format_tiles(deal.walls[seat].draws)}" for seat in SEATS]
    if deal.rest:
        lines.append(f"-  {format_tiles(deal.rest)}")
    return "\n".join([*lines, f"digest {deal.digest.hex()}", f"check  {deal.check.hex()}"])


def _opened(plan: Plan, claim: starts.ClaimedStart, started: StartedPlan | None, slip: Slip, path: Path) -> Deal:
    """The deal of a slip; a slip for a deal that the plan does not have is wrong use."""
    try:
        if started is None:
            found = start_of_slip(plan, slip)
            difference = claim.difference(found)
            assert difference is not None, "a slip whose start has the given code resolves it"
            raise VerificationError(slip.n, *difference)
        return verify_slip(started, slip)
    except VerificationError:
        raise
    except DocumentError as error:
        raise UsageError(f"{path}: {error}") from None


def _commit(plan: Plan, seeds: Mapping[str, Seed]) -> Commitments:
    try:
        return commit(plan, seeds)
    except DocumentError as error:
        raise UsageError(f"{error}: give --seed NAME=FILE once for each of {', '.join(plan.holders)}") from None


def _read_seeds(given: Sequence[str]) -> dict[str, Seed]:
    seeds: dict[str, Seed] = {}
    for words in given:
        name, equals, file = words.partition("=")
        if not (name and equals and file):
            raise UsageError(f"--seed {words}: write it as NAME=FILE")
        if name in seeds:
            raise UsageError(f"--seed {name}=… is given twice")
        seeds[name] = read_file(Path(file), Seed)
    return seeds
