"""The replay of a released deal: the script's document, the picture's places, and the routes of a page and of one file to send. Both are
public. The overlay for broadcasters is a page of 1920 × 1080 with a transparent background that plays a table's newest released deal. Only
released deals are shown, so no table can learn anything from a broadcast."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from datetime import datetime, timedelta
from functools import lru_cache

import msgspec
from flask import Flask, Response, abort, render_template, request
from flask.typing import ResponseReturnValue
from jinja2 import Environment
from markupsafe import Markup

from dashboard.access.access_policy import SPECTATOR, AccessPolicy
from dashboard.access.login import missing, reader_words, viewer
from dashboard.access.shown_results import ReleasedDeal
from dashboard.access.viewer_scope import ViewerScope
from dashboard.i18n.words import Values, Words
from dashboard.pages.deals.deal_pieces import has_play, played_groups
from dashboard.pages.table.board_picture import GEOMETRY, VIEW_BOX
from dashboard.pages.table.hands_with_fans import fan_name
from dashboard.web_app import STATIC, download
from twinwall.art.svg import sprite
from twinwall.event.hand_records import record_of
from twinwall.event.hands import HandSummary
from twinwall.event.replay.replay_form import UNSEEN, ReplayDocument, ReplayShow
from twinwall.event.replay.steps import replay_document
from twinwall.event.results import result_after_rulings
from twinwall.game.play_events import Claim, EndReason, MeldType, PaymentReason
from twinwall.game.record import HandRecord
from twinwall.game.rule_set import Fan
from twinwall.game.tiles import ALL_TILES, SEATS, Seat
from twinwall.values import frozen

_VALUES = ("seat", "tile", "source", "text", "tiles", "count", "at", "of", "turn", "table", "name", "seconds", "why")
_OPEN = {name: f"{{{name}}}" for name in _VALUES}
"""The script's values stay in a text as the catalogue writes them."""
_NOTES = ("win-refused", "hand-ruled-dead", "penalty-ruled", "result-excluded", "shared-tile-turned", "illegal", "other")
WHYS = (
    "below-minimum",
    "changed-waits",
    "impossible-tiles",
    "must-win",
    "not-a-win",
    "not-allowed",
    "not-held",
    "not-now",
    "not-ready",
    "not-the-drawn-tile",
    "not-your-turn",
    "passed-win",
    "ruled-already",
    "wins",
    "wrong-amount",
    "wrong-late",
    "wrong-reason",
    "wrong-scores",
    "wrong-source",
    "wrong-tiles",
)
"""The rules' words for why something is not legal."""
_ACTS = (*(claim.value for claim in Claim), MeldType.CONCEALED_KONG.value, MeldType.ADDED_KONG.value, "discard")
_ALONE = ("beginning", "away", "ready", "unseen", "nothing", "played", "unfinished", "count", "turn", "table", "speed", "copied")
_PLACES = ("hand", "wall", "river", "meld")


def script_words(words: Words, hand: int) -> Values:
    """The texts, for a replay of that hand of its session."""

    def text(key: str) -> str:
        return words(f"replay.{key}", **_OPEN)

    def texts(group: str, names: Iterable[str]) -> dict[str, str]:
        return {name: text(f"{group}.{name.replace('_', '-')}") for name in names}

    return {
        "hand_name": words.hand(hand),
        "order": [tile.text for tile in ALL_TILES],
        "tiles": {tile.text: words.tile(tile) for tile in ALL_TILES} | {UNSEEN: words.tile(None)},
        "seats": {seat.value: words.seat(seat) for seat in SEATS},
        "river": words("board.river", seat="{seat}"),
        "hand": words("board.hand", seat="{seat}"),
        "melds": texts("do", (kind.value for kind in MeldType)),
        "notes": texts("note", _NOTES),
        "again": texts("again", ("ask", "chose", "here", "leave", "next", "none", "note", "over", "same")),
        "whys": texts("why", WHYS),
        "barred": text("barred"),
        "ends": texts("end", (reason.value for reason in EndReason)),
        "places": texts("in", _PLACES),
        "acts": texts("chance", _ACTS),
        "reasons": texts("reason", (reason.value for reason in PaymentReason)),
        **texts("do", ("draw", "discard", "thrown", "riichi", "show")),
        "wins": text("do.win"),
        "selfdraw": text("do.self-draw"),
        "waits": text("waiting-for"),
        "only_drawn": text("only-drawn"),
        "too_little": text("too-little"),
        "nobody_ready": text("nobody-ready"),
        "open_here": text("open-here"),
        "open_table": text("open-table"),
        "copy_by_hand": text("copy-by-hand"),
        **{name: text(name) for name in _ALONE},
    }


_REMEMBERED = 128
_DRAWING = ("replay/replay_table.js", "replay/replay_board.js", "replay/replay_panels.js")
SCRIPTS = (*_DRAWING, "replay/replay_again.js", "replay/replay.js")
"""In loading order."""
OVERLAY_SCRIPTS = (*_DRAWING, "overlay.js")
"""Those of the overlay for broadcasters."""


def replay_views(found: ReleasedDeal, words: Words, first: str | None = None) -> Iterator[tuple[int, str, Values]]:
    """The replay of each group that has ended the deal, or of the group of the table ``first``: the group's number on the deal's page, from
    1, the table shown first, and the template's values."""
    for number, (_, tables) in enumerate(played_groups(found), 1):
        hands = [hand for hand in found.hands if hand.table in tables and hand.closed]
        if hands and (first is None or any(hand.table == first for hand in hands)):
            document = document_of(found, hands)
            table = first or document.tables[0].table
            session = found.session if found.several_sessions else None
            yield number, table, replay_values(document, words, session=session) | {"table": table}


def replay_values(document: ReplayDocument, words: Words, *, imported: bool = False, session: int | None = None) -> Values:
    """The values for the templates of a replay; its first table is shown first. An ``imported`` deal has no commitment; ``session`` is
    named if the event has several. Without the deal of a hand (``unseen``), concealed tiles show their backs."""
    texts = script_words(words, document.hand) | {"fans": fans_named(document, words)}
    unseen = any(wall.ready is None for wall in document.walls.values())
    if unseen:
        texts |= {"draw": words("recording.draws", seat="{seat}"), "selfdraw": words("recording.self-draw", seat="{seat}")}
    return {
        "replay": document,
        "tables": [table.table for table in document.tables],
        "table": document.tables[0].table,
        "document": in_page(document),
        "texts": in_page(texts),
        "imported": imported,
        "unseen": unseen,
        "hand": f"{'' if session is None else words('session.numbered', number=session) + ' · '}{words.hand(document.hand)}",
        "geometry": GEOMETRY,
        "view_box": VIEW_BOX,
    }


@frozen
class _Records:
    """Records of a deal; equal if their content is."""

    content: tuple[bytes, ...]
    records: tuple[HandRecord, ...] = field(compare=False)


def document_of(found: ReleasedDeal, hands: Sequence[HandSummary]) -> ReplayDocument:
    records = tuple(record_of(hand, found.opening.deal) for hand in hands)
    return _document(_Records(tuple(msgspec.json.encode(record.to_json()) for record in records), records))


@lru_cache(maxsize=_REMEMBERED)
def _document(played: _Records) -> ReplayDocument:
    return replay_document(played.records)


def fans_named(document: ReplayDocument, words: Words) -> dict[str, str]:
    shown = (step for table in document.tables for step in table.steps if isinstance(step, ReplayShow))
    return {fan.id: fan_name(Fan(fan.id, fan.name, fan.worth, 1), words) for step in shown for fan in step.fans}


def in_page(content: object) -> Markup:
    """JSON that cannot end the element around it."""
    return Markup(msgspec.json.encode(content).decode().replace("<", "\\u003c"))  # noqa: S704 - no markup is left in it


def replay_file(environment: Environment, values: Values, event: str, words: Words) -> str:
    """The replay as one page that needs no other file and no network."""
    template = environment.get_template("site/replay.html")
    return template.render(words=words, event=event, **values, **_inline_parts())


@lru_cache(maxsize=4)
def drawings(*which: str) -> Markup:
    """Drawings for references inside the page: from disk a browser loads none from another file."""
    icons = (STATIC / "icons.svg").read_text(encoding="utf-8")
    parts = {"icons": icons, "tiles": sprite()}
    texts = (parts[name].replace("<svg ", '<svg class="drawings" aria-hidden="true" width="0" height="0" ', 1) for name in which)
    return Markup("".join(texts))  # noqa: S704 - files and drawings of ours


@lru_cache(maxsize=1)
def _inline_parts() -> Mapping[str, Markup]:
    styles = "".join((STATIC / name).read_text(encoding="utf-8") for name in ("style.css", "replay/replay.css"))
    scripts = "".join((STATIC / name).read_text(encoding="utf-8") for name in SCRIPTS)
    return {"styles": Markup(styles), "scripts": Markup(scripts), "drawings": drawings("tiles")}  # noqa: S704 - files of ours


def add_replays(app: Flask, policy: AccessPolicy) -> None:
    """Add ``/deal/<n>/replay`` and ``/deal/<n>/replay.html``; ``?table=`` is the table shown first."""

    def values_of(n: int) -> Values | tuple[str, int]:
        """The replay, or the page that says why there is none."""
        found = policy.results(viewer()).deal(n)
        if found is None:
            return missing("error.deal", n=n)
        if not isinstance(found, ReleasedDeal):
            return missing("replay.sealed")
        views = () if found.held else replay_views(found, reader_words(), request.args.get("table"))
        return next((values for _, _, values in views), None) or missing("replay.held" if found.held else "replay.none")

    @app.get("/deal/<int:n>/replay")
    def replay(n: int) -> ResponseReturnValue:
        values = values_of(n)
        if isinstance(values, tuple):
            return values
        return render_template("replay.html", n=n, scripts=SCRIPTS, tiles="/tiles.svg", **values)

    @app.get("/deal/<int:n>/replay.html")
    def replay_as_file(n: int) -> ResponseReturnValue:
        values = values_of(n)
        if isinstance(values, tuple):
            return values
        html = replay_file(app.jinja_env, values, policy.results(viewer()).event_name, reader_words())
        return download(html, f"replay-{n:04d}.html", "text/html")


FORMAT = "twinwall-overlay-1"
_LONGEST_MIN = 24 * 60


def overlay_of(scope: ViewerScope, table: str, until: datetime | None, words: Words) -> Values | None:
    """The newest deal released by ``until`` that the table has played, or None. ``hand``, ``replay`` and ``texts`` are the page's values
    beside ``document``. With ``until`` None no clock is used, so a deal is still shown after the server's clock was set back."""
    hands = [(found, hand) for found in scope.results.deals() for hand in found.hands if hand.table == table and has_play(hand)]
    hands = [(found, hand) for found, hand in hands if until is None or found.opening.at <= until]
    if not hands:
        return None
    deal, hand = max(hands, key=lambda each: (each[0].session, each[0].hand))
    earlier = [before for found, before in hands if found.session == deal.session and found.hand < deal.hand]
    replay = document_of(deal, [hand])
    document = {
        "event": scope.event_name,
        "table": table,
        "n": deal.n,
        "session": deal.session,
        "hand": deal.hand,
        "rules": deal.rules,
        "players": [_player(seat, hand, earlier) for seat in SEATS],
        "replay": replay,
        "format": FORMAT,
    }
    texts = script_words(words, deal.hand) | {"fans": fans_named(replay, words)}
    return {"overlay": document, "hand": words.hand(deal.hand), "document": in_page(document), "texts": in_page(texts)}


def _player(seat: Seat, hand: HandSummary, earlier: Iterable[HandSummary]) -> Values:
    """The player of a seat: ``before`` sums the scores of its place in the session's earlier released hands, ``after`` includes this hand.
    By place and not by name, because initials may be alike, and a substitute plays for the same place."""
    before = sum(_score(each, held) for each in earlier for held, place in each.places.items() if place == hand.places[seat])
    return {"seat": seat, "name": hand.names[seat], "before": before, "after": before + _score(hand, seat)}


def _score(hand: HandSummary, seat: Seat) -> int:
    counted = result_after_rulings(hand)
    return 0 if counted is None else counted.scores[seat]


def add_overlays(app: Flask, policy: AccessPolicy, now: Callable[[], datetime]) -> None:
    """Add ``/overlay/<table>`` and ``/overlay/<table>.json``, which show every viewer what all may see. ``?minutes=`` is how long after its
    release a deal is shown."""

    def shown(table: str) -> Values | None:
        delay = _delay()
        return overlay_of(policy.results(SPECTATOR), table, now() - delay if delay else None, reader_words())

    @app.get("/overlay/<table>")
    def overlay(table: str) -> str:
        values = shown(table) or {"overlay": None}
        place = {"geometry": GEOMETRY, "view_box": VIEW_BOX}
        return render_template("overlay.html", table=table, minutes=request.args.get("minutes"), scripts=OVERLAY_SCRIPTS, **place, **values)

    @app.get("/overlay/<table>.json")
    def overlay_feed(table: str) -> Response:
        document = (shown(table) or {}).get("overlay")
        headers = {"Cache-Control": "no-cache"}
        return Response(msgspec.json.encode(document), 200 if document is not None else 404, headers, mimetype="application/json")


def _delay() -> timedelta:
    """The address's delay after a deal's release; ends the request if it is no valid time."""
    asked = request.args.get("minutes", "0")
    try:
        minutes = float(asked)
    except ValueError:
        minutes = -1.0
    if not 0 <= minutes <= _LONGEST_MIN:
        abort(Response(f"minutes={asked[:20]} is no delay: give 0 to {_LONGEST_MIN} minutes\n", 400, mimetype="text/plain"))
    return timedelta(minutes=minutes)
