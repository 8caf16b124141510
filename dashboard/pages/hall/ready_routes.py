"""The pages on which a director gets the hall's own tables ready: phones, mat, tile sets, and a trial of four draws. Nothing is stored: a
step is open again when a phone is removed, a profile deleted or a mat moved."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence

from flask import Flask, Response, abort, render_template, request
from flask.typing import ResponseReturnValue

from dashboard.assignments import HallTable
from dashboard.enrolment_page import named_tile
from dashboard.i18n.words import Values
from dashboard.readiness.local_servers import LocalServerError, TablePhones, TableReadiness
from dashboard.web_app import see_other, shown_pdf
from twinwall.art.mat import Mat
from twinwall.event.management.managed_event import ManagedEvent
from twinwall.game.tiles import ALL_TILES, parse_tile
from twinwall.values import frozen
from twinwall.wire.messages.assignment import HallStage
from twinwall.wire.shapes.panel import PhoneNow
from twinwall.wire.shapes.readiness import CameraCheck, Readiness

PLACES = 4
_WELL_SEEN = {"gate": frozenset({"read", "empty", "unread"}), "mat": frozenset({"mat"})}


@frozen
class ReadyStep:
    """A step: ``advice`` is the message key of what to do, empty if it is done; ``detail`` a sentence of the machine about it."""

    key: str
    advice: str = ""
    detail: str = ""

    @property
    def done(self) -> bool:
        return not self.advice


def mat_step(phones: Mapping[str, PhoneNow] | None, seen: CameraCheck | None) -> ReadyStep:
    """Whether the camera above the table is there and shows the mat."""
    return _camera("mat", "table", phones, seen)


def ready_steps(joined: bool, phones: Mapping[str, PhoneNow] | None, facts: Readiness) -> Iterator[ReadyStep]:
    """All steps in order; ``joined``: whether the table's program is heard. None for ``phones``, which are by name, if cameras and keys are
    others."""
    yield ReadyStep("program", "" if joined else "program.silent")
    yield _gate(phones, facts)
    yield mat_step(phones, facts.mat)
    if phones is not None:
        yield ReadyStep("keys", "" if _has_keys(phones) else "keys.phone")
    for which, standing in facts.sets.items():
        advice = "" if standing.enrolled else "set.unusable" if standing.trouble else "set.enrol"
        yield ReadyStep(f"set.{which}", advice, standing.trouble)
    yield ReadyStep("trial", "" if facts.trial is not None and facts.trial.is_done else "trial.begin")


def _gate(phones: Mapping[str, PhoneNow] | None, facts: Readiness) -> ReadyStep:
    """The gate's camera must have read a tile, which includes focus and light."""
    step = _camera("gate", "gate", phones, facts.gate)
    if not step.done or facts.gate_reads:
        return step
    unread = facts.gate is not None and facts.gate.outcome == "unread"
    return ReadyStep("gate", "gate.unread" if unread else "gate.show", step.detail)


def _camera(key: str, role: str, phones: Mapping[str, PhoneNow] | None, seen: CameraCheck | None) -> ReadyStep:
    """Whether a phone is there as this camera and shows what it must."""
    phone = None if phones is None else phones.get(role)
    if phones is not None and (phone is None or not phone.connected):
        return ReadyStep(key, f"{key}.phone")
    if phone is not None and phone.state is not None and phone.state.facing == "user":
        return ReadyStep(key, "camera.selfie")
    if seen is None or seen.outcome in _WELL_SEEN[key]:
        return ReadyStep(key, detail="" if seen is None else seen.detail)
    common = {"away": "camera.away", "dark": "camera.dark", "glare": "camera.glare"}
    return ReadyStep(key, common.get(seen.outcome, f"{key}.{seen.outcome}"), seen.detail)


def _has_keys(phones: Mapping[str, PhoneNow]) -> bool:
    """Whether there is a tablet with all four places, or a phone at each."""
    connected = {name for name, phone in phones.items() if phone.connected}
    return "keys" in connected or all(f"keys-{place}" in connected for place in range(PLACES))


_IN_PLAY = frozenset({HallStage.STARTING, HallStage.PLAYING})
_APART_MM = round(2 * Mat().marker_centre_mm)
_DIAGONAL_MM = round(math.hypot(_APART_MM, _APART_MM))
"""Distance from the middle of a corner marker to the next one, and to the opposite one."""


@frozen
class ReadyOffice:
    """What the pages need: the two servers on this computer, the joined tables, and the event."""

    readiness: TableReadiness
    phones: TablePhones | None
    joined: Callable[[], Sequence[HallTable]]
    event: Callable[[], ManagedEvent]

    def phones_of(self, table: str) -> dict[str, PhoneNow] | None:
        """A table's phones by name; None without the phones' server. Raises LocalServerError."""
        return None if self.phones is None else {phone.name: phone for phone in self.phones.phones() if phone.table == table}

    def may_show_hands(self, table: str) -> bool:
        """Whether a hand may be at a table: during its session, or while its program last reported one."""
        in_session = table in self.event().seats_in_play
        return in_session or any(each.name == table and each.heartbeat.stage in _IN_PLAY for each in self.joined())


def add_readiness(app: Flask, office: ReadyOffice) -> None:
    """Add ``/ready`` and a page for each table."""

    @app.get("/ready")
    def ready_tables() -> str:
        tables, problem = [], ""
        try:
            tables = [ready_table_now(office, name) for name in office.readiness.tables()]
        except LocalServerError as error:
            problem = str(error)
        return render_template("hall/ready_tables.html", tables=tables, problem=problem)

    _add_table(app, office)
    _add_mat(app, office)


def _add_table(app: Flask, office: ReadyOffice) -> None:

    @app.get("/ready/<table>")
    def ready_table(table: str) -> str:
        return _page(ready_table_now(office, table))

    @app.get("/ready/<table>/question/<int:number>.png")
    def tile_question(table: str, number: int) -> Response:
        return _picture(office.readiness.question, table, number, "image/png")

    @app.post("/ready/<table>")
    def get_ready(table: str) -> ResponseReturnValue:
        try:
            _carry_out(office.readiness, table)
        except LocalServerError as refused:
            return _page(ready_table_now(office, table), str(refused)), 409
        return see_other("ready_table", table=table)


def _add_mat(app: Flask, office: ReadyOffice) -> None:

    @app.get("/ready/mat/<kind>.pdf", endpoint="mat_print")
    def printed_mat(kind: str) -> Response:
        from twinwall.art.mat_prints.mat_pages import mat_print  # noqa: PLC0415 - NumPy is slow to import, and hardly ever asked for

        content = mat_print(kind, Mat(table=request.args.get("table", "")))
        if content is None:
            abort(404)
        return shown_pdf(content, f"mat-{kind}")

    @app.get("/ready/<table>/mat")
    def ready_mat(table: str) -> tuple[str, int]:
        look, problem = None, ""
        refused = office.may_show_hands(table)
        if not refused:
            try:
                look = office.readiness.look_at_mat(table)
            except LocalServerError as error:
                problem = str(error)
        shown = {"look": look, "refused": refused, "problem": problem}
        page = render_template("hall/ready_mat.html", table=table, apart_mm=_APART_MM, diagonal_mm=_DIAGONAL_MM, **shown)
        return page, 409 if look is None else 200

    @app.get("/ready/<table>/mat/<int:number>.jpg")
    def mat_picture(table: str, number: int) -> Response:
        if office.may_show_hands(table):
            abort(409)
        return _picture(office.readiness.mat_picture, table, number, "image/jpeg")


def _picture(ask: Callable[[str, int], bytes], table: str, number: int, mimetype: str) -> Response:
    try:
        return Response(ask(table, number), mimetype=mimetype)
    except LocalServerError:
        abort(404)


def _page(table: Values, refused: str = "") -> str:
    return render_template("hall/ready_table.html", table=table, refused=refused, kinds=ALL_TILES)


def ready_table_now(office: ReadyOffice, name: str) -> Values:
    """A table's present state; ``facts`` is None while it ``plays``, and when ``problem`` says why. While it ``is_recording`` a hand, it
    cannot start."""
    beat = next((table for table in office.joined() if table.name == name), None)
    heard = beat is not None and not beat.silent
    shown: Values = {"name": name, "plays": False, "steps": (), "following": None, "facts": None, "problem": "", "is_recording": False}
    if heard and beat is not None and beat.heartbeat.stage in _IN_PLAY:
        return shown | {"plays": True, "is_recording": _is_recording(office.readiness, name)}
    try:
        facts = office.readiness.facts(name)
        steps = tuple(ready_steps(heard, office.phones_of(name), facts))
    except LocalServerError as error:
        return shown | {"problem": str(error)}
    following = next((step for step in steps if not step.done), None)
    question = None if facts.enrolment is None else facts.enrolment.question
    likely = [] if question is None else [parse_tile(text) for text in question.candidates]
    shown |= {"steps": steps, "following": following, "done": sum(step.done for step in steps), "likely": likely}
    return shown | {"facts": facts, "is_recording": facts.is_recording}


def _is_recording(readiness: TableReadiness, table: str) -> bool:
    """Whether a hand is being recorded at a table that plays; False if the server is away, since play continues without it."""
    try:
        recording = readiness.recording(table)
    except LocalServerError:
        return False
    return recording is not None and recording.is_running


def _carry_out(readiness: TableReadiness, table: str) -> None:
    match request.form.get("do"):
        case "enrol":
            readiness.enrol(table, request.form.get("set", ""))
        case "all-shown":
            readiness.all_shown(table)
        case "answer":
            readiness.answer(table, request.form.get("number", -1, int), named_tile())
        case "trial":
            readiness.try_draws(table)
        case "stop":
            readiness.stop(table)
        case _:
            abort(400)
