"""``twinwall results publish``: the results of an event as pages for a club's own site."""

import argparse
from pathlib import Path

from cli.event.stores import hall_of, store_address
from cli.usage import PUBLISHED, DoesNotHoldError, UsageError, argument, takes, tell, write_file
from dashboard.access.shown_names import NamesFile, ShownNames
from dashboard.access.viewer_scope import ViewerScope
from dashboard.prints.pdf_writer import write_pdf
from dashboard.projections.hall_views import RESULTS_TO_EVERYBODY, HallViews
from dashboard.publishing.club_site import NothingToPublishError, club_site
from twinwall.art.names import LANGUAGES
from twinwall.event.player_names import NamesShown
from twinwall.event.results import EntrantKind
from twinwall.event.store.databases.port import StoreAddress
from twinwall.event.store.hall import Hall

_DESCRIPTION = """Write an event's results as pages: standings, sessions, deals with their plays, teams and players, the verify page, and
CSV, JSON and PDF files, in three languages. Links are relative, so the folder works on any web server and from disk. It has released
deals alone, and no results that are held back; names stand as the event shows them. The same store gives the same files."""


@takes(
    argument("event", "the event's store, or its folder of a hall", type=store_address, metavar="STORE|FOLDER"),
    argument("--out", "the folder of the pages, new or empty", type=Path, required=True, metavar="DIR"),
    argument("--names", "the players' names file (a folder's own is taken by itself)", type=Path),
    argument(
        "--show-names",
        f"how names stand where the store's event does not say it: {', '.join(each.value for each in NamesShown)} (full)",
        choices=[each.value for each in NamesShown],
        default=NamesShown.FULL.value,
        metavar="HOW",
    ),
    argument("--language", "of the first page and of the PDF files (en)", choices=LANGUAGES, default="en"),
    argument("--no-pdf", "write no PDF files, which take the longest", action="store_true"),
    about=_DESCRIPTION,
)
def publish(arguments: argparse.Namespace) -> None:
    """0 with the pages, 1 when no deal is released."""
    out: Path = arguments.out
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UsageError(f"{out} is there and not empty: name a new folder, so that no page of an earlier event stays in it")
    store, names = _store_and_names(arguments.event, arguments.names)
    scope = public_scope(hall_of(store), names, NamesShown(arguments.show_names))
    try:
        site = club_site(scope, arguments.language, None if arguments.no_pdf else write_pdf)
    except NothingToPublishError as error:
        raise DoesNotHoldError(str(error)) from None
    for name, content in site.items():
        path = out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write_file(path, content, PUBLISHED, force=None)
    size = sum(map(len, site.values()))
    tell(f"{out}: {len(site)} files, {size / 1e6:.1f} MB; open {out / 'index.html'}")


def public_scope(hall: Hall, names: Path | None, shown: NamesShown) -> ViewerScope:
    """What everybody may see of a store; ``shown`` is how names stand where its event does not say it."""

    def rule() -> tuple[NamesShown, bool]:
        described = hall.event.description
        return shown if described is None else NamesShown(described.names), hall.programme.field.kind is EntrantKind.INDIVIDUAL

    return ViewerScope(HallViews("publish"), hall, RESULTS_TO_EVERYBODY, ShownNames(NamesFile(names, lambda: None), rule))


def _store_and_names(event: StoreAddress, names: Path | None) -> tuple[StoreAddress, Path | None]:
    """The store and the names file; of a hall's folder the ones that lie in it."""
    if not isinstance(event, Path) or not event.is_dir():
        return event, names
    store = event / "event.sqlite"
    if not store.is_file():
        raise UsageError(f"{event} has no event.sqlite: name an event's folder, such as events/0001, or a store")
    own = event / "names.json"
    return store, names or (own if own.is_file() else None)
