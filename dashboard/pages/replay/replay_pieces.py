"""The replay of a released deal: the document that the script reads, the places of the picture, and its routes: a page, and the same as
one file to send. Everybody may see what is released.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import lru_cache
from pathlib import Path

import msgspec
from flask import Flask, render_template, request
from flask.typing import ResponseReturnValue
from jinja2 import Environment
from markupsafe import Markup

from dashboard.access.access_policy import AccessPolicy
from dashboard.access.login import viewer
from dashboard.access.shown_results import ReleasedDeal
from dashboard.i18n.words import WIND_CHARACTERS, Words
from dashboard.pages.deals.deal_pieces import played_groups
from dashboard.pages.replay.replay_words import script_words
from dashboard.pages.table import board_picture
from dashboard.pages.table.hands_with_fans import fan_name
from dashboard.web_app import download, missing
from twinwall.art.svg import sprite
from twinwall.event.hand_records import record_of
from twinwall.event.hands import HandSummary
from twinwall.event.replay.replay_form import ReplayDocument, ReplayShow
from twinwall.event.replay.steps import replay_document
from twinwall.game.record import HandRecord
from twinwall.game.rule_set import Fan
from twinwall.game.tiles import SEATS
from twinwall.values import frozen

STATIC = Path(__file__).parents[2] / "static"
_REMEMBERED = 128
_DRAWING = ("replay/replay_table.js", "replay/replay_board.js", "replay/replay_panels.js")
SCRIPTS = (*_DRAWING, "replay/replay_again.js", "replay/replay.js")
"""In the order in which a page needs them."""
OVERLAY_SCRIPTS = (*_DRAWING, "overlay.js")
"""Those of the overlay for broadcasters."""
GEOMETRY = {
    "wall": {
        "upper": board_picture.WALL_Y_UPPER,
        "lower": board_picture.WALL_Y_LOWER,
        "step": board_picture.WALL_STEP,
        "width": board_picture.WALL_WIDTH,
        "height": board_picture.WALL_HEIGHT,
    },
    "river": {
        "x": board_picture.RIVER_X,
        "y": board_picture.RIVER_Y,
        "width": board_picture.RIVER_WIDTH,
        "stepX": board_picture.RIVER_STEP_X,
        "stepY": board_picture.RIVER_STEP_Y,
        "row": board_picture.RIVER_ROW,
        "rows": board_picture.RIVER_ROWS,
    },
    "hand": {
        "y": board_picture.HAND_Y,
        "width": board_picture.HAND_WIDTH,
        "gap": board_picture.DRAWN_GAP,
        "meldGap": board_picture.MELD_GAP,
        "between": board_picture.BETWEEN_MELDS,
    },
}
"""Where things lie in the picture of a table, for the script."""


@frozen
class ReplayView:
    """What the template of a replay needs; ``document`` and ``texts`` are JSON that may stand in a page."""

    n: int
    hand: int
    check: str
    tables: tuple[str, ...]
    table: str
    """The one that is shown first."""
    document: Markup
    texts: Markup
    imported: bool = False
    """Whether the deal has no commitment."""
    session: int | None = None
    """Where the event has several."""
    unseen: bool = False
    """Whether the hand was recorded without its deal, so that concealed tiles show their backs."""


def replay_views(found: ReleasedDeal, words: Words) -> Iterator[tuple[int, ReplayView]]:
    """The replay of each group that has ended the deal, with the group's number on the deal's page, from 1."""
    for number, (_, tables) in enumerate(played_groups(found), 1):
        hands = [hand for hand in found.hands if hand.table in tables and hand.closed]
        if hands:
            view = view_of_document(document_of(found, hands), words)
            yield number, replace(view, session=found.session if found.several_sessions else None)


def view_of_document(document: ReplayDocument, words: Words, *, imported: bool = False) -> ReplayView:
    """What the template needs of a document; its first table is shown first."""
    texts = script_words(words, document.hand) | {"fans": fans_named(document, words)}
    tables, unseen = tuple(table.table for table in document.tables), any(wall.ready is None for wall in document.walls.values())
    if unseen:
        texts |= {"draw": words("recording.draws", seat="{seat}"), "selfdraw": words("recording.self-draw", seat="{seat}")}
    return ReplayView(
        document.n, document.hand, document.check, tables, tables[0], in_page(document), in_page(texts), imported, unseen=unseen
    )


def replay_view(found: ReleasedDeal, table: str | None, words: Words) -> ReplayView | None:
    """The replay of the group of ``table``, or else of the first; None where no hand of it is over."""
    for _, view in replay_views(found, words):
        if table is None or table in view.tables:
            return replace(view, table=table or view.table)
    return None


@frozen
class _Records:
    """Records of a deal, equal where their content is."""

    content: tuple[bytes, ...]
    records: tuple[HandRecord, ...] = field(compare=False)


def document_of(found: ReleasedDeal, hands: Sequence[HandSummary]) -> ReplayDocument:
    """The replay of hands of a released deal."""
    records = tuple(record_of(hand, found.opening.deal) for hand in hands)
    return _document(_Records(tuple(msgspec.json.encode(record.to_json()) for record in records), records))


@lru_cache(maxsize=_REMEMBERED)
def _document(played: _Records) -> ReplayDocument:
    return replay_document(played.records)


def fans_named(document: ReplayDocument, words: Words) -> dict[str, str]:
    """The names of the fans in a replay."""
    shown = (step for table in document.tables for step in table.steps if isinstance(step, ReplayShow))
    return {fan.id: fan_name(Fan(fan.id, fan.name, fan.worth, 1), words) for step in shown for fan in step.fans}


def in_page(content: object) -> Markup:
    """JSON in which nothing ends the element that it stands in."""
    return Markup(msgspec.json.encode(content).decode().replace("<", "\\u003c"))  # noqa: S704 - no markup is left in it


def replay_values(view: ReplayView, words: Words) -> dict[str, object]:
    """What the templates of a replay show."""
    return {
        "replay": view,
        "hand": f"{'' if view.session is None else words('session.numbered', number=view.session) + ' · '}{words.hand(view.hand)}",
        "geometry": msgspec.json.encode(GEOMETRY).decode(),
        "view_box": board_picture.VIEW_BOX,
        "seats": SEATS,
        "winds": WIND_CHARACTERS,
    }


def replay_file(environment: Environment, view: ReplayView, event: str, words: Words) -> str:
    """The replay as one page that needs no other file and no network."""
    template = environment.get_template("site/replay.html")
    return template.render(words=words, event=event, **replay_values(view, words), **_inline_parts())


@lru_cache(maxsize=1)
def _inline_parts() -> Mapping[str, Markup]:
    styles = "".join((STATIC / name).read_text(encoding="utf-8") for name in ("style.css", "replay/replay.css"))
    scripts = "".join((STATIC / name).read_text(encoding="utf-8") for name in SCRIPTS)
    drawings = sprite().replace("<svg ", '<svg class="drawings" aria-hidden="true" width="0" height="0" ', 1)
    return {"styles": Markup(styles), "scripts": Markup(scripts), "drawings": Markup(drawings)}  # noqa: S704 - files of ours


def add_replays(app: Flask, policy: AccessPolicy, words: Callable[[], Words]) -> None:
    """Add ``/deal/<n>/replay`` and ``/deal/<n>/replay.html``; ``?table=`` names the table that is shown first."""

    def view_of(n: int) -> ReplayView | str:
        """The replay, or why there is none."""
        found = policy.results(viewer()).deal(n)
        if found is None:
            return words()("error.deal", n=n)
        if not isinstance(found, ReleasedDeal):
            return words()("replay.sealed")
        view = None if found.held else replay_view(found, request.args.get("table"), words())
        return view or words()("replay.held" if found.held else "replay.none")

    @app.get("/deal/<int:n>/replay")
    def replay(n: int) -> ResponseReturnValue:
        view = view_of(n)
        if isinstance(view, str):
            return missing(view)
        return render_template("replay.html", n=n, scripts=SCRIPTS, tiles="/tiles.svg", **replay_values(view, words()))

    @app.get("/deal/<int:n>/replay.html")
    def replay_as_file(n: int) -> ResponseReturnValue:
        view = view_of(n)
        if isinstance(view, str):
            return missing(view)
        html = replay_file(app.jinja_env, view, policy.results(viewer()).event_name, words())
        return download(html, f"replay-{n:04d}.html", "text/html")
