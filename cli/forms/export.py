"""``twinwall results export``: released deals as a file of results or as hand records, from a store or from records. A deal that is not
released is refused, wherever it comes from. A hand that was recorded without its deal is written as a hand record alone: its draws are not
known, and no other table has played its walls. Pages are replays as HTML files that need no network, and hand records on paper as one PDF
file. They are the files that the dashboard gives to everybody: released deals, no results that are held back."""

import io
import sys
from argparse import Namespace
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import get_args, get_origin, get_type_hints

import msgspec

from cli.event.players import names_in
from cli.event.publish import public_scope
from cli.event.sign import SIGNER, signers
from cli.event.stores import hall_of, is_store, released_deals, store_address
from cli.forms.text_forms import NamedFile, Tags, tags_in, text_files, was_played
from cli.record_files import RecordSource, legal_record, print_contradictions, read_versions, records_json
from cli.usage import FORCE, PUBLISHED, DoesNotHoldError, UsageError, argument, folder_named, refuse_existing, takes, write_file
from dashboard.access.viewer_scope import ViewerScope
from dashboard.i18n.words import Words
from dashboard.pages.page_links import SiteLinks
from dashboard.pages.replay.replay_page import replay_file, replay_values, replay_views
from dashboard.prints.pdf_writer import write_pdf
from dashboard.prints.sheets import deals_page
from dashboard.publishing.club_site import site_environment, site_links
from twinwall.art.names import LANGUAGES
from twinwall.event.bundle.bundle_files import NoStartError, NotReleasedError, make_bundle, write_zip
from twinwall.event.field import field_of, results_of
from twinwall.event.forms.registry import FORMS
from twinwall.event.forms.sheet import NoDealError
from twinwall.event.hand_records import record_of, results_of_records
from twinwall.event.natural_order import natural
from twinwall.event.player_names import NamesShown, PlayerNames
from twinwall.event.replay.decisions import PlayedDecision, decisions
from twinwall.event.replay.steps import replay_document
from twinwall.event.results import DealResult, EntrantKind
from twinwall.event.results_csv import write_results
from twinwall.event.store.hall import Hall
from twinwall.event.store.store_rows import read_store
from twinwall.game.deals import Commitments
from twinwall.game.deals.uncommitted import is_imported
from twinwall.game.documents import DocumentError
from twinwall.game.record import HandRecord
from twinwall.given_files import limited_bytes

HTML, PDF, DATASET = "html", "pdf", "dataset"


def replays_of_store(scope: ViewerScope, deals: Sequence[int], words: Words) -> list[NamedFile]:
    """A replay for each group and deal. Raises DoesNotHoldError for a deal whose results are held back."""
    links, files = site_links(scope), []
    for n in deals:
        found = scope.results.deal(n)
        if found is None:
            continue
        if found.held:
            raise DoesNotHoldError(f"deal {n}: the results of session {found.session} are held back by the director")
        for group, table, values in replay_views(found, words):
            html = replay_file(site_environment(links), values, scope.event_name, words)
            files.append((links.replay(n, group, table), html.encode()))
    return files


def replays_of_records(records: Sequence[HandRecord], words: Words) -> list[NamedFile]:
    """A replay for each deal of the records; their walls tell deals apart."""
    environment = site_environment(SiteLinks({}, {}))
    deals: dict[tuple[str, int, bytes | None], list[HandRecord]] = {}
    for record in records:
        deals.setdefault((record.event, record.n, record.digest), []).append(record)
    seen: Counter[int] = Counter()
    files = []
    for (event, n, _), of_deal in deals.items():
        seen[n] += 1
        imported = all(is_imported(record.n, record.check, record.digest) for record in of_deal)
        values = replay_values(replay_document(_with_own_names(of_deal)), words, imported=imported)
        files.append((f"replay-{n:04d}-{seen[n]}.html", replay_file(environment, values, event, words).encode()))
    return files


def _with_own_names(records: Sequence[HandRecord]) -> list[HandRecord]:
    """The records of a deal with a number behind a table that comes again, since its records differ."""
    seen: Counter[str] = Counter()
    named = []
    for record in records:
        seen[record.table] += 1
        again = seen[record.table]
        named.append(record if again == 1 else replace(record, table=f"{record.table} ({again})"))
    return named


def paper_of_store(scope: ViewerScope, deals: Sequence[int], words: Words) -> list[NamedFile]:
    """The hand records of these deals, a page for four tables. Raises UsageError where this machine cannot print."""
    page = deals_page(site_environment(site_links(scope)), scope, deals, words)
    if page is None:
        raise DoesNotHoldError("no deal of this event is released: there is nothing to print yet")
    try:
        return [("deals.pdf", write_pdf(page))]
    except OSError as error:
        raise UsageError(f"this machine cannot print ({error}): install libpangoft2-1.0-0 and fonts-noto-cjk") from None


_DESCRIPTION = """Write released deals: as CSV, the results as `twinwall results compare` reads them; as JSON, a list of hand records
(twinwall-hand-1); as HTML, a replay of each deal that needs no network; as PDF, a page on paper for each deal; as bundle, a zip of all
that `twinwall verify` proves the evening from; as data set, a line for each decision; or each hand in a form of other programs, such as
pmn (docs/reference/forms.md says what each form keeps). FILE is an event's store, or, but for a bundle and a PDF, any number of files of
hand records. A deal that is not released is refused, with exit 1, and so is a hand that was recorded without its deal in any form but
JSON."""


@takes(
    argument("files", "an event's store, or hand records", type=store_address, nargs="+", metavar="FILE"),
    argument(
        "--format",
        "results, hand records, replays, pages for paper, all of a store, or a form of other programs",
        choices=("csv", "json", HTML, PDF, "bundle", DATASET, *FORMS),
        required=True,
    ),
    argument("--deal", "only this deal of a store; once per deal", type=int, action="append", default=[]),
    argument("--session", "only the deals of this session of a store", type=int),
    argument("--language", "of HTML and PDF files (en)", choices=LANGUAGES, default="en"),
    argument("--team", "teams in the order of the movement, for results of records", action="append", default=[], metavar="NAME"),
    argument("--commitments", "the published commitments, to go into the bundle", type=Path),
    argument("--names", "put players' names from this file in place of their numbers; not for a bundle", type=Path),
    argument("--tags", "what goes along with each hand, as `twinwall results import` writes it", type=Path),
    argument("--lenient", "write a hand with an illegal event up to there", action="store_true"),
    argument(
        "--out",
        "where to write (standard output); a folder, one that is there or a name that ends with /, gets a file a hand or deal",
        metavar="FILE",
    ),
    FORCE,
    SIGNER,
    about=_DESCRIPTION,
)
def export(arguments: Namespace) -> None:
    """0 with the export, 1 for a deal that is not released, a hand without its deal or an illegal event, 2 for what cannot be read."""
    try:
        files = _from_store(arguments) if any(map(is_store, arguments.files)) else _from_records(arguments)
    except (NotReleasedError, NoDealError) as error:
        raise DoesNotHoldError(str(error)) from None
    out: str | None = arguments.out
    if out is None and arguments.format in ("bundle", PDF) and sys.stdout.isatty():
        raise UsageError(f"a {arguments.format} is no text: name its file with --out")
    folder = None if out is None else folder_named(out, several=len(files) > 1)
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        if not arguments.force:
            refuse_existing(folder / name for name, _ in files)
        for name, content in files:
            write_file(folder / name, content, PUBLISHED, arguments.force)
        return
    content = _one_file(arguments.format, files)
    if out is None:
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
    else:
        write_file(Path(out), content, PUBLISHED, arguments.force)


def _one_file(form: str, files: Sequence[NamedFile]) -> bytes:
    """All files as one, where the format can hold them; raises UsageError."""
    contents = [content for _, content in files]
    if len(contents) == 1:
        return contents[0]
    together = FORMS[form].together if form in FORMS else ("", "", "")
    if together is None or form == HTML:
        what = "replays" if form == HTML else "hands"
        raise UsageError(f"these are {len(contents)} {what}, and a file of {form} holds one: name a folder, such as --out {form}/")
    before, between, after = (text.encode() for text in together)
    return before + between.join(contents) + after


def _bundle(arguments: Namespace) -> bytes:
    if arguments.names is not None:
        raise UsageError("a bundle is proved from the ledgers, which have numbers: leave out --names")
    if arguments.deal or arguments.session is not None:
        raise UsageError("a bundle has all deals, since ledgers are proved as a whole: leave out --deal and --session")
    contents, hall = read_store(arguments.files[0]), hall_of(arguments.files[0])
    custody, commitments = hall.programme.custody, None
    try:
        if arguments.commitments is not None:
            commitments = limited_bytes(arguments.commitments)
            if custody is not None and Commitments.from_json(commitments).root != custody.start.root:
                raise UsageError(f"{arguments.commitments} has the commitments of another start than {arguments.files[0]}")
        return write_zip(make_bundle(contents, hall, commitments))
    except DocumentError as error:
        raise UsageError(f"{arguments.commitments}: {error}") from None
    except NoStartError as error:
        raise UsageError(f"{arguments.files[0]}: {error}") from None


def _from_store(arguments: Namespace) -> list[NamedFile]:
    if len(arguments.files) > 1:
        raise UsageError("a store is exported by itself: name one store, or hand records alone")
    if arguments.team:
        raise UsageError("--team is for hand records: a store knows its teams")
    if arguments.format == "bundle":
        return [("bundle.zip", _bundle(arguments))]
    hall = hall_of(arguments.files[0])
    deals = _deals(hall, arguments.deal, arguments.session)
    if arguments.format in (HTML, PDF):
        scope, words = public_scope(hall, arguments.names, NamesShown.FULL), Words(arguments.language)
        return replays_of_store(scope, deals, words) if arguments.format == HTML else paper_of_store(scope, deals, words)
    hands, names = [hand for n in deals for hand in hall.hands(n) if hand.closed], _names(arguments)
    if arguments.format == "csv":
        results = results_of(hands, hall.programme.field, {n: hall.session_of(n) for n in deals})
        return [("results.csv", _results(results, hall.programme.field.kind, names))]
    played = [(record_of(hand, of.deal), hand.started) for hand in hands if (of := hall.released(hand.n)) is not None]
    return _hands(arguments, [record for record, _ in played], [{"Date": f"{started:%Y.%m.%d}"} for _, started in played])


def _deals(hall: Hall, asked: Sequence[int], session: int | None) -> tuple[int, ...]:
    """The released deals that were asked for; raises DoesNotHoldError where there is none."""
    deals = tuple(n for n in released_deals(hall, asked) if session in (None, hall.session_of(n)))
    if session is not None and not deals:
        raise DoesNotHoldError(f"no deal of session {session} is released")
    return deals


def _from_records(arguments: Namespace) -> list[NamedFile]:
    if arguments.format in ("bundle", PDF):
        raise UsageError(f"a {arguments.format} is made from an event's store, which has compared its results: name one")
    if arguments.deal or arguments.session is not None:
        raise UsageError("--deal and --session are for a store: name the records of the deals that you want")
    records = _released_records(arguments)
    if arguments.format != "csv":
        if arguments.format == "json":
            records.sort(key=lambda record: (record.n, natural(record.table)))
        return _hands(arguments, records, [{} for _ in records])
    tables = sorted({record.table for record in records}, key=natural)
    event_field = field_of(EntrantKind.TEAM if arguments.team else EntrantKind.INDIVIDUAL, tables, arguments.team)
    return [("results.csv", _results(results_of_records(records, event_field), event_field.kind, _names(arguments)))]


def _hands(arguments: Namespace, records: Sequence[HandRecord], tags: Sequence[Tags]) -> list[NamedFile]:
    """Released hands as a list of records, or in a form of other programs."""
    names = _names(arguments)
    named = [names.named(record) for record in records]
    if arguments.format == "json":
        return [("records.json", records_json(named))]
    if arguments.format == HTML:
        return replays_of_records(named, Words(arguments.language))
    along = (None if arguments.format == DATASET else tags_in(arguments.tags, len(named))) or tags
    played = [(record, said) for record, said in zip(named, along, strict=True) if was_played(record)]
    legal = [legal_record(record, lenient=arguments.lenient) for record, _ in played]
    if arguments.format == DATASET:
        return [("decisions.jsonl", dataset(legal, None if arguments.out is None else Path(arguments.out)))]
    return text_files(FORMS[arguments.format], legal, [said for _, said in played])


def _names(arguments: Namespace) -> PlayerNames:
    """The names to be put in; none unless they are asked for."""
    return PlayerNames() if arguments.names is None else names_in(arguments.names)


def _results(results: Sequence[DealResult], kind: EntrantKind, names: PlayerNames) -> bytes:
    if kind is EntrantKind.INDIVIDUAL:
        results = [replace(result, entrant=names.shown(result.entrant, NamesShown.FULL)) for result in results]
    return write_results(results, kind)


def _released_records(arguments: Namespace) -> list[HandRecord]:
    """Each hand of the files once; of one that they tell differently all versions, where a format can show them."""
    hands = read_versions(arguments.files, signers(arguments))
    for version in (version for versions in hands for version in versions):
        if version.record.without_deal:
            _check_form(version.source, arguments.format)
        elif version.record.walls is None:
            why = "(the record has no walls yet): it is its table's secret until then"
            raise DoesNotHoldError(f"{version.source.address}: deal {version.record.n} is not released {why}")
    if print_contradictions(hands) and arguments.format not in (HTML, "json"):
        raise UsageError("these records contradict each other: leave out those that you do not believe, or look at both with --format html")
    return [version.record for versions in hands for version in versions]


def _check_form(source: RecordSource, form: str) -> None:
    """Refuses each form but JSON for a hand that was recorded without its deal; raises NoDealError."""
    match form:
        case "json":
            return
        case "csv":
            why = "no other table has played the same walls, so its result cannot be compared"
        case _:
            why = f"concealed draws are not known, so it cannot be written as {form}"
    raise NoDealError(f"{source.address}: the hand was recorded without its deal: {why}")


def dataset(records: Sequence[HandRecord], out: Path | None) -> bytes:
    """The decisions of released hands in their order; Parquet where ``out`` ends so."""
    rows = (row for record in records for row in decisions(record))
    if out is not None and out.suffix == ".parquet":
        return _parquet(rows)
    return b"".join(msgspec.json.encode(row) + b"\n" for row in rows)


def _parquet(rows: Iterator[PlayedDecision]) -> bytes:
    try:
        import pyarrow  # noqa: PLC0415 - an extra, which most installations do not have
        import pyarrow.parquet  # noqa: PLC0415
    except ImportError:
        raise UsageError("a Parquet file needs pyarrow: install twinwall[dataset], or name a file that ends with .jsonl") from None
    schema = pyarrow.schema([(name, _column(pyarrow, kind)) for name, kind in get_type_hints(PlayedDecision).items()])
    content = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist([msgspec.to_builtins(row) for row in rows], schema), content)
    return content.getvalue()


def _column(pyarrow: ModuleType, kind: object) -> object:
    """The Arrow type of a field: the same in every file, whatever the hands of one happen to lack."""
    if get_origin(kind) is list:
        return pyarrow.list_(_column(pyarrow, get_args(kind)[0]))
    return pyarrow.int64() if kind is int else pyarrow.string()
