"""Record only: the pages on which a director lets the camera above a table follow an ordinary hand, and reads what was seen. A hand's page
has its moves in words, and its questions with the moves before, the place, and the answer. A move is what was face up, in order; the camera
alone is not sure of some."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from flask import Flask, Response, abort, render_template, request
from flask.typing import ResponseReturnValue

from dashboard.access.login import reader_words, viewer
from dashboard.i18n.words import Values, Words
from dashboard.pages.hall.ready_routes import ReadyOffice, mat_step
from dashboard.pages.rulings.ruling_pieces import LARGE
from dashboard.pages.table.log_rows import broken_rule
from dashboard.readiness.local_servers import LocalServerError, RecordedDocument, TableReadiness, UnsettledEvent
from dashboard.web_app import download, see_other
from twinwall.art.mat import Area, Mat
from twinwall.game.documents import DocumentError
from twinwall.game.play_events import (
    Claimed,
    ClaimsPassed,
    HandEnded,
    HandLaidOpen,
    HandShown,
    KongDeclared,
    PlayEvent,
    SharedTileTurned,
    TileDiscarded,
    TileDrawn,
    WinDeclared,
    WinRefused,
)
from twinwall.game.play_json import from_json
from twinwall.game.record import HandRecord
from twinwall.game.rules import rule_set_names
from twinwall.game.tiles import HANDS, SEATS, Seat, Tile, TileRow, parse_tile, place_of
from twinwall.values import frozen
from twinwall.wire.shapes.readiness import CameraCheck, HandEnd, WantedAnswer


@frozen
class RecordedMove:
    """One move, by the number of its event; ``doubted`` is the page's anchor of a question about it, or empty. Its tile (of a shown hand,
    the winning one) may be one of ``perhaps``."""

    number: int
    text: str
    tiles: TileRow = ()
    doubted: str = ""
    perhaps: TileRow = ()


_KINDS_SHOWN = 3


def anchor_of(number: int, about: str) -> str:
    """The anchor of a question on its page; ``about`` may have spaces, the anchor may not."""
    return "-".join(("question", str(number), *about.split()))


def recorded_moves(found: RecordedDocument, record: HandRecord, words: Words) -> Iterator[RecordedMove]:
    """The moves of a record, without draws, because their tiles were not seen."""
    doubted = _doubted((*found.questions, *found.answered))
    left_open = {each.seq: [from_json(event) for event in each.events] for each in found.open}
    for number, event in enumerate(record.events, 1):
        asked = doubted.get(number)
        if asked is not None:
            perhaps = tuple(map(parse_tile, asked.kinds[:_KINDS_SHOWN]))
            yield RecordedMove(number, move_text(event, words), tiles_of(event), anchor_of(number, asked.about), perhaps)
        elif not isinstance(event, TileDrawn | ClaimsPassed):
            won = tuple(other.winning for other in left_open.get(number, ()) if isinstance(other, HandShown))
            yield RecordedMove(number, move_text(event, words), tiles_of(event), perhaps=won)


def _doubted(questions: Iterable[UnsettledEvent]) -> Mapping[int, UnsettledEvent]:
    """By an event's number, the question that puts it in doubt, preferably the one about its tile."""
    doubted = dict[int, UnsettledEvent]()
    for asked in sorted(questions, key=lambda each: not each.kinds):
        if asked.leaves_move_in_doubt:
            doubted.setdefault(asked.seq, asked)
    return doubted


def move_text(event: PlayEvent, words: Words) -> str:
    """A move in words; empty for a ruling, which no camera sees."""
    match event:
        case TileDrawn(seat):
            return words("recording.draws", seat=words.seat(seat))
        case ClaimsPassed():
            return words("recording.passed")
        case TileDiscarded(seat, tile, riichi):
            return _did("riichi" if riichi else "discard", seat, tile, words)
        case Claimed(seat, meld) | KongDeclared(seat, meld):
            kind = meld.type.value.replace("_", "-")
            return words("recording.kong-face-down", seat=words.seat(seat)) if not meld.tiles else _did(kind, seat, meld.tiles[-1], words)
        case WinDeclared(seat, source, tile) if source is not None and tile is not None:
            return words("replay.do.win", seat=words.seat(seat), tile=words.tile(tile), source=words.seat(source))
        case WinDeclared(seat):
            return words("recording.self-draw", seat=words.seat(seat))
        case HandShown(seat) | HandLaidOpen(seat):
            return words("replay.do.show", seat=words.seat(seat))
        case WinRefused(seat, reason):
            return words("replay.note.win-refused", seat=words.seat(seat), text=reason)
        case SharedTileTurned(_, tile):
            return words("replay.note.shared-tile-turned", tile=words.tile(tile))
        case HandEnded(reason):
            return words(f"replay.end.{reason.value}")
        case _:
            return ""


def _did(what: str, seat: Seat, tile: Tile, words: Words) -> str:
    return words(f"replay.do.{what}", seat=words.seat(seat), tile=words.tile(tile))


def tiles_of(event: PlayEvent) -> TileRow:
    """The face-up tiles of a move."""
    match event:
        case TileDiscarded(_, tile) | SharedTileTurned(_, tile):
            return (tile,)
        case Claimed(_, meld) | KongDeclared(_, meld):
            return meld.tiles
        case HandShown(_, concealed, winning):
            return (*concealed, winning)
        case HandLaidOpen(_, concealed):
            return concealed
        case _:
            return ()


BEFORE = 3
"""Moves shown before the one in doubt."""
_IN_WORDS = ("yes", "no", "unknown")


def drawn_mat(hand: int) -> Values:
    """The mat beside a question, for this hand of a session: the slots of rivers, the rows of hands and melds, and each seat's place."""
    mat = Mat()
    slots = (mat.spot(slot) for place in range(len(SEATS)) for area in (Area.RIVER, Area.MELD) for slot in mat.slots(place, area))
    seats = {place_of(seat, hand): seat for seat in SEATS}
    return {"half_mm": mat.half_side_mm, "tile_mm": (mat.tile_width_mm, mat.tile_height_mm), "slots": list(slots), "seats": seats}


def recorded_questions(
    found: RecordedDocument,
    record: HandRecord,
    moves: Sequence[RecordedMove],
    words: Words,
    pictures: Callable[[UnsettledEvent], Sequence[tuple[str, str]]] = lambda _: (),
) -> Iterator[Values]:
    """The open questions, then the answered ones, each in the order of the hand. ``held`` is what the record has now, ``instead`` what
    another reading has; ``rule`` is the rule that a violation would break; ``spot`` is the tile in question, in mm from the middle of the
    mat. ``pictures`` returns "before" or "after" with each address; with pictures the spot is not drawn."""
    for answered, asked in [*((False, each) for each in found.questions), *((True, each) for each in found.answered)]:
        here = record.events[asked.seq - 1] if 0 < asked.seq <= len(record.events) and asked.violation is None else None
        before = tuple(move for move in moves if move.number < asked.seq or (asked.violation is not None and move.number == asked.seq))
        yield {
            "asked": asked,
            "anchor": anchor_of(asked.seq, asked.about),
            "spot": (asked.x_mm, asked.y_mm) if (asked.x_mm, asked.y_mm) != (0.0, 0.0) else None,
            "kinds": tuple(map(parse_tile, asked.kinds)),
            "before": before[-BEFORE:],
            "held": None if here is None else RecordedMove(asked.seq, move_text(here, words), tiles_of(here)),
            "instead": _instead(asked, words),
            "rule": "" if asked.violation is None else broken_rule(asked.violation.kind, asked.violation.rule, words),
            "said_tile": None if asked.said in ("", *_IN_WORDS) else parse_tile(asked.said),
            "answered": answered,
            "pictures": pictures(asked),
        }


def _instead(asked: UnsettledEvent, words: Words) -> RecordedMove | None:
    """The move of another reading, if more than a tile differs."""
    rival = None if asked.kinds or asked.paths[1] is None else from_json(asked.paths[1])
    return None if rival is None else RecordedMove(asked.seq, move_text(rival, words), tiles_of(rival))


_FILES: Mapping[str, str] = {"record": "json", "observations": "jsonl"}
"""Files to download: name in addresses, and suffix."""


def add_recording(app: Flask, office: ReadyOffice) -> None:
    """Add ``/ready/TABLE/record`` and a page for each recorded hand."""

    @app.get("/ready/<table>/record")
    def record_only(table: str) -> str:
        return _recording_page(office, table)

    @app.post("/ready/<table>/record")
    def change_recording(table: str) -> ResponseReturnValue:
        if request.form.get("do") == "begin" and office.may_show_hands(table):
            return _recording_page(office, table), 409
        try:
            _order_recording(office.readiness, table)
        except LocalServerError as refused:
            return _recording_page(office, table, str(refused)), 409
        return see_other("record_only", table=table)

    @app.get("/ready/<table>/recorded/<name>")
    def recorded_hand(table: str, name: str) -> str:
        return _hand_page(office, table, name)

    @app.post("/ready/<table>/recorded/<name>")
    def answer_recorded(table: str, name: str) -> ResponseReturnValue:
        answer = wanted_answer(viewer().name)
        try:
            office.readiness.answer_recorded(table, name, answer)
        except LocalServerError as refused:
            return _hand_page(office, table, name, str(refused)), 409
        return see_other("recorded_hand", table=table, name=name, _anchor=anchor_of(answer.number, answer.about))

    @app.get("/ready/<table>/recorded/<name>/<any(record, observations):kind>")
    def recorded_file(table: str, name: str, kind: str) -> Response:
        try:
            content = office.readiness.recorded_file(table, name, _FILES[kind])
            content = bytes(office.readiness.recorded(table, name).record) if kind == "record" else content
        except LocalServerError:
            abort(404)
        return download(content, f"table-{table}-{name}.{_FILES[kind]}")


def wanted_answer(by: str) -> WantedAnswer:
    """The answer in a question's form."""
    form = request.form
    given = form.get("tile", "") or form.get("right", "")
    place = form.get("x_mm", None, float), form.get("y_mm", None, float), form.get("before_ms", None, int)
    return WantedAnswer(form.get("number", 0, int), form.get("about", ""), given, by, form.get("seen", 0, int), place)


def _hand_page(office: ReadyOffice, table: str, name: str, refused: str = "") -> str:
    try:
        found = office.readiness.recorded(table, name)
        record = HandRecord.from_json(bytes(found.record))
    except (LocalServerError, DocumentError):
        abort(404)
    words = reader_words()
    moves = list(recorded_moves(found, record, words))
    return render_template(
        "hall/recorded_hand.html",
        table=table,
        name=name,
        found=found,
        record=record,
        moves=moves,
        questions=tuple(recorded_questions(found, record, moves, words)),
        mat=drawn_mat(record.hand),
        large=LARGE,
        refused=refused,
    )


def _recording_page(office: ReadyOffice, table: str, refused: str = "") -> str:
    values: Values = {"rule_sets": rule_set_names(), "hands": range(1, HANDS + 1)}
    return render_template("hall/record_only.html", table=_looked_at(office, table), refused=refused, **values)


def _looked_at(office: ReadyOffice, table: str) -> Values:
    """A table on its page; ``facts`` is None while it ``plays``, and when ``problem`` says why. ``mat``: whether the camera above the table
    sees the mat, and what to do. ``now`` is its last recording. A running one is shown even while the table plays: it holds the feeder's
    port, so it must be ended."""
    plays = office.may_show_hands(table)
    shown: Values = {"name": table, "plays": plays, "facts": None, "now": None, "mat": None, "problem": ""}
    try:
        facts = None if plays else office.readiness.facts(table)
        now = office.readiness.recording(table) if facts is None else facts.recording
    except LocalServerError as error:
        return shown | {"problem": "" if plays else str(error)}
    running = now if now is not None and now.is_running else None
    try:
        phones = None if plays else office.phones_of(table)
    except LocalServerError as error:
        if running is None:
            return shown | {"problem": str(error)}
        phones = None  # a recording is ended also without the phones' server
    seen = CameraCheck(running.last_frame, running.detail) if running else facts.mat if facts else None
    return shown | {"facts": facts, "now": now, "mat": mat_step(phones, seen)}


def _order_recording(readiness: TableReadiness, table: str) -> None:
    match request.form.get("do"):
        case "begin":
            readiness.record(table, request.form.get("rules", ""), request.form.get("hand", 0, int), request.form.get("set", ""))
        case "end" | "keep" | "stop" as end:
            readiness.end_hand(table, request.form.get("name", ""), HandEnd(end))
        case _:
            abort(400)
