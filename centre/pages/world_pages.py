"""The ranking pages of all venues, of each region and of each venue, in each language: pure functions of the comparison.

They show what everybody may see: of deals that are compared, only the ranking. Entrants are named as in the ledgers: by players' numbers,
or by teams.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from fractions import Fraction
from functools import cache
from itertools import pairwise
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from centre.comparison.centre_comparison import WORLD, CentreComparison, FieldKind, FieldName
from centre.custody.field_orders import FieldOrders
from centre.viewers.page_publisher import PublicPage
from twinwall.catalogues import LANGUAGES, page_texts
from twinwall.event.natural_order import natural
from twinwall.game.deals import FieldTerms
from twinwall.values import frozen

HERE = Path(__file__).parent
MOST_SHOWN = 200
"""Rows on the page of all venues or of a region; a venue's page has all."""
NO_ORDERS = FieldOrders()
PART = "ranking"
"""The part of a page that changes with the results."""


@frozen
class WorldEvent:
    """What the pages say of the event.

    Attributes:
        regions: the region of every venue.
        points: what is added up, as the settings call it.
        terms: the plan's, which say when sessions open and slips are released; None if no plan is known.
    """

    name: str
    regions: Mapping[str, str]
    points: str = "imp"
    terms: FieldTerms | None = None

    @property
    def files(self) -> dict[FieldName, str]:
        """The name of each field's page file, without its ending; unchanged until a venue or region joins."""
        regions, venues = sorted(set(self.regions.values()), key=natural), sorted(self.regions, key=natural)
        numbered = {FieldName(FieldKind.REGION, name): f"region-{number}" for number, name in enumerate(regions, 1)}
        return {WORLD: "world"} | numbered | {FieldName(FieldKind.VENUE, name): f"venue-{number}" for number, name in enumerate(venues, 1)}


@frozen
class PageAssets:
    """The addresses of the style and of the script that updates a page, which every page loads."""

    style: str
    script: str


@frozen
class _Row:
    rank: int
    entrant: str
    venue: str
    total: str


def world_pages(
    event: WorldEvent, compared: CentreComparison, field: FieldName, assets: PageAssets, orders: FieldOrders = NO_ORDERS
) -> Iterator[PublicPage]:
    """A field's page in every language; every page shows what two persons have ordered."""
    files = event.files
    rows = list(_rows(event, compared, field))
    shown = rows if field.kind is FieldKind.VENUE else rows[:MOST_SHOWN]
    for language in LANGUAGES:
        text = _texts()[language]
        first = text["first"].format(count=len(shown), of=len(rows)) if len(shown) < len(rows) else ""
        said = {"deals": compared_sentence(language, compared.compared), "first": first}
        ordered = list(_ordered(orders, text))
        ranking = (
            _environment()
            .get_template("ranking.html")
            .render(text=text, said=said, ordered=ordered, rows=shown, points=event.points)
            .rstrip()
        )
        html = (
            _environment()
            .get_template("page.html")
            .render(
                language=language,
                languages=[(tag, _texts()[tag]["name"]) for tag in LANGUAGES],
                text=text,
                event=event.name,
                title=_title(field, text),
                page=files[field],
                assets=assets,
                times=list(_times(event.terms, text)),
                ranking=Markup(ranking),  # noqa: S704 - rendered above, with its names escaped
                linked=[
                    (text[heading], [(name.name, file) for name, file in files.items() if name.kind is kind])
                    for heading, kind in (("regions", FieldKind.REGION), ("venues", FieldKind.VENUE))
                ],
            )
        )
        yield PublicPage(files[field], language, html, {PART: ranking})


def compared_sentence(language: str, deals: Sequence[int]) -> str:
    """A page's sentence on the deals that are compared."""
    text = _texts()[language]
    return text["deals"].format(deals=_spans(deals)) if deals else text["none"]


def _rows(event: WorldEvent, compared: CentreComparison, field: FieldName) -> Iterator[_Row]:
    for standing in compared.ranking(field):
        venue = max((name for name in event.regions if standing.entrant.startswith(f"{name}/")), key=len)
        yield _Row(standing.rank, standing.entrant.removeprefix(f"{venue}/"), venue, _points(standing.total))


def _ordered(orders: FieldOrders, text: Mapping[str, str]) -> Iterator[str]:
    """What two persons have ordered, with their reasons."""
    for venue, reason in orders.withdrawn.items():
        yield text["withdrawn"].format(venue=venue, reason=reason)
    for (n, venue), reason in sorted(orders.annulled.items()):
        yield text["annulled-at" if venue else "annulled"].format(deal=n, venue=venue, reason=reason)


def _times(terms: FieldTerms | None, text: Mapping[str, str]) -> Iterator[str]:
    """When each session opens, and when its slips are released by deadline; in UTC, which the text says."""
    for times in () if terms is None else terms.sessions:
        deadline = times.deadline_at
        key = "opens" if deadline is None else "opens-until"
        yield text[key].format(session=times.session, opens=_shown(times.opens_at), deadline="" if deadline is None else _shown(deadline))


def _shown(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M} UTC"


def _title(field: FieldName, text: Mapping[str, str]) -> str:
    return text[field.kind].format(name=field.name)


def _points(total: Fraction) -> str:
    """A total for people: whole, or with two decimals, and with a true minus."""
    written = str(total.numerator) if total.denominator == 1 else f"{float(round(total, 2)):.2f}"
    return written.replace("-", "−")


def _spans(numbers: Sequence[int]) -> str:
    """Numbers with runs joined: 1–4, 7."""
    starts = [number for before, number in pairwise((0, *numbers)) if number != before + 1 or before == 0]
    spans: list[str] = []
    for start, following in pairwise((*starts, numbers[-1] + 2)):
        last = max(number for number in numbers if start <= number < following)
        spans.append(str(start) if last == start else f"{start}–{last}")
    return ", ".join(spans)


@cache
def _texts() -> dict[str, dict[str, str]]:
    return page_texts(HERE / "translations")


@cache
def _environment() -> Environment:
    loader = FileSystemLoader(HERE / "templates")
    return Environment(loader=loader, undefined=StrictUndefined, autoescape=True, trim_blocks=True, lstrip_blocks=True)
