"""``twinwall table run``: one table's controller, put together from its settings (``assembled``): journal, ledgers, deals and publisher,
before anything runs.
"""

import argparse
import logging
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from typing import Generic, TypeVar

from cli import logs
from cli.run_settings import load_to_run, prepare_event
from cli.table.joined_table import assigned_settings, kept_assignments, lacking_parts
from cli.table.key_slip import forget_shown, slips_are_read
from cli.table.mqtt_connection import table_link
from cli.table.replacing import lost_journal
from cli.table.table_journal import Waiting, open_journal
from cli.table.table_panels import open_panels
from cli.table.table_parts import (
    feeder_port,
    gate_workers,
    head_signer,
    note_short_window,
    rule_options,
    sealed_deals,
    table_deals,
    table_setup,
    trusted_signers,
)
from cli.tiles.cameras import open_gate_cameras, open_table_camera
from cli.tiles.drawn_tiles import DrawnTilesReader
from cli.tiles.readers import mat_sweeper, table_reader
from cli.usage import EVENT, LOG, TRACE, UsageError, argument, settings_file, stop_on_signals, takes
from config import SettingsError
from config.reading import named_keys
from controller.adapters.cameras.decoding_thread import DecodingThread
from controller.adapters.cameras.gate_cameras import ask_gate
from controller.adapters.cameras.hand_reviews import unprotected
from controller.adapters.cameras.table_camera import TableCameraWorker
from controller.adapters.clock import Clock, RemoteClock, SystemClock
from controller.adapters.follower import Adapters, Follower, nothing
from controller.adapters.hall_member import HallMember
from controller.adapters.hand_record import RecordFolder
from controller.adapters.journal_keys import JournalKeyRequest
from controller.adapters.machine_condition import MachineMeter, feeder_line
from controller.adapters.slot_questions import SlotQuestions
from controller.ledger.crossing_heads import CrossingHeads
from controller.ledger.first_lines import journal_id
from controller.ledger.journal import JournalError
from controller.ledger.public import open_ledger, table_ledger
from controller.ledger.publisher import Publisher
from controller.ledger.service_file import LinkNotes
from controller.recorder.at_table.kept_observations import KEPT_OBSERVATIONS, KeptObservations
from controller.recorder.at_table.table_decoding import TableDecoding
from controller.settings import TableSettings
from controller.state.messages import PartFound, PartLost, keys_of
from controller.state.table_state import BROKER, Setup
from controller.table_loop import Books, Deals, Table
from firmware_bridge.feeder_connection import FeederConnection
from firmware_bridge.link.session import KnownBoot
from twinwall.custody.process_protection import protect
from twinwall.game.documents import DocumentError
from twinwall.game.rules import wall_layout
from twinwall.values import frozen
from twinwall.wire.line_cipher import LineCipher
from twinwall.wire.line_traces import open_traces
from twinwall.wire.messages.assignment import TableKind
from twinwall.wire.messages.commands import FeederLinkQuality
from twinwall.wire.messages.signing import VAULT, read_signer
from twinwall.wire.shapes.panel import Lamps
from vision.cameras.port import CameraLostError, use_one_thread

AnyTable = TypeVar("AnyTable", bound=Table)
MakeTable = Callable[[Setup, Books, Deals, Clock, str], AnyTable]


@frozen
class AssembledTable(Generic[AnyTable]):
    """A table, what publishes its ledgers, and what encrypts the lines that it keeps."""

    table: AnyTable
    publisher: Publisher
    setup: Setup
    questions: SlotQuestions
    cipher: LineCipher | None = None


@contextmanager
def assembled(
    settings: TableSettings, clock: Clock, make: MakeTable[AnyTable], waiting: Waiting
) -> Iterator[AssembledTable[AnyTable] | None]:
    """The table of these settings, whose journal and ledgers are closed at the end. None when it was stopped while it waited for its
    journal's key. ``make`` makes the table; ``waiting`` as in ``open_journal``."""
    setup, folder, sealed = table_setup(settings), settings.ledger.folder, sealed_deals(settings)
    opened = open_journal(settings, sealed, lambda request: table_link(settings, request, request.subscriptions), waiting)
    if opened is None:
        yield None
        return
    journal = opened.journal
    identity = journal_id(journal, secrets.token_hex(8))
    ledger = table_ledger(folder, setup.table, identity, known=opened.known, salt=opened.salt)
    ledgers = (ledger, open_ledger(folder, setup.table, identity))
    recorder = RecordFolder(folder / "records", settings.table.event, rule_options(settings.rules.options))
    lost = None if journal.entries else lost_journal(settings)
    table = make(setup, Books(journal, ledgers, recorder, lost), table_deals(settings, sealed), clock, version("twinwall"))
    signer = head_signer(settings, sealed)
    publisher = Publisher(
        settings.table.event,
        setup.table,
        ledgers,
        folder,
        clock.now,
        trusted=trusted_signers(settings, sealed),
        signer=signer,
        traces=open_traces("twinwall-table", settings.table.event),
    )
    questions = SlotQuestions(settings.table.event, setup.table, setup.rules.tiles, signer)
    publisher.questions = questions.beat
    publisher.from_server = table.post
    if sealed is not None:
        sealed.begin(table.state, table.post)
        publisher.custodian = sealed
        publisher.others = CrossingHeads(
            settings.table.event, sealed.identity.boot.signer, sealed.identity.vaults[VAULT], ledger, table.post
        )
    elif setup.seat_check:
        publisher.online = lambda up: table.post(PartFound(BROKER) if up else PartLost(BROKER))
    yield AssembledTable(table, publisher, setup, questions, opened.cipher)
    for each in ledgers:
        each.close()
    journal.close()


log = logging.getLogger(__name__)

UNUSABLE = (JournalError, DocumentError, CameraLostError, SettingsError, UsageError)
"""Errors that a person at the table can mend: a file, a key, a camera."""


@takes(settings_file("the table's"), argument("--verbose", "say why messages are refused", action="store_true"), TRACE, EVENT, LOG)
def run(arguments: argparse.Namespace) -> None:
    settings = load_to_run(arguments.settings, TableSettings)
    level = logging.DEBUG if arguments.verbose else logging.INFO
    logs.begin(arguments, {"event": settings.table.event, "table": settings.table.name}, level)
    prepare_event(settings, arguments)
    logs.trace_frames(arguments)
    if settings.custody.identity is not None and (warning := protect()) is not None:
        log.warning("%s", warning)
    try:
        if settings.table.is_assigned:
            serve_assigned(settings)
        else:
            serve(settings, lambda table: stop_on_signals(table.stop))
    except SettingsError as error:
        raise SettingsError(f"{arguments.settings}: {error}") from error


@contextmanager
def _stopped_by_signals(request: JournalKeyRequest) -> Iterator[None]:
    """The table waits for its journal's key until it is stopped."""
    stop_on_signals(request.stop)
    yield


def serve(
    settings: TableSettings, begun: Callable[[Table], None], waiting: Waiting = _stopped_by_signals, tiles: DrawnTilesReader | None = None
) -> None:
    """Run the controller until SIGTERM or SIGINT, or until the table has to leave; ``begun`` is given the table when it is made.
    ``waiting`` is entered while the table waits for its journal's key. ``tiles`` is lent the camera above the table."""
    forget_shown(settings.ledger.folder)
    clock: Clock = SystemClock() if settings.clock.source == "system" else RemoteClock(settings.clock.source)
    with assembled(settings, clock, Table, partial(_calling_staff, settings, waiting)) as whole:
        if whole is None:
            return
        begun(whole.table)
        _serve(settings, whole, clock, tiles or DrawnTilesReader(settings))


def serve_assigned(settings: TableSettings) -> None:
    """Join the hall and play one assignment after the other, until SIGTERM or SIGINT."""
    identity, server_key = settings.custody.identity, settings.custody.server_key
    assert identity is not None and server_key is not None, "settings without an event name both"
    tiles = DrawnTilesReader(settings)
    member = HallMember(
        read_signer(settings.table.name, identity),
        bytes.fromhex(server_key),
        version("twinwall"),
        partial(lacking_parts, settings),
        kept_assignments(settings),
        now=partial(datetime.now, UTC),
        deals_in_clear=settings.deals.folder is not None,
        vault_keys={holder: key.hex() for holder, key in named_keys(settings.custody.vault_keys).items()},
        kind=TableKind(settings.table.kind),
        read_tiles=tiles.read,
    )
    link = table_link(settings, member, member.subscriptions)
    link.start()
    member.start(link)
    stop_on_signals(member.stop)
    with closing(link):
        while (assignment := member.next()) is not None:
            log.info("session %d of %s is assigned (%d)", assignment.session, assignment.event, assignment.number)
            try:
                serve(assigned_settings(settings, assignment), partial(_plays, member), partial(_asks_key, member), tiles)
            except UNUSABLE as error:
                member.cannot_play(f"session {assignment.session} of {assignment.event!r} cannot be played here: {error}")
            stop_on_signals(member.stop)


def _plays(member: HallMember, table: Table) -> None:
    stop_on_signals(member.stop, table.stop)
    member.plays(table)


@contextmanager
def _asks_key(member: HallMember, request: JournalKeyRequest) -> Iterator[None]:
    """The table waits for its journal's key until it is stopped, or assigned another event."""

    stop_on_signals(member.stop, request.stop)
    with member.asking_key(request.stop):
        yield


def _serve(settings: TableSettings, whole: AssembledTable[Table], clock: Clock, tiles: DrawnTilesReader) -> None:
    """Start the adapters, run the table, and stop them again, the last started first."""
    camera, table, publisher, questions = settings.camera, whole.table, whole.publisher, whole.questions
    use_one_thread()
    with ExitStack() as stack:
        gate_cameras = [stack.enter_context(closing(each)) for each in open_gate_cameras(camera, at_once=False)]
        opened = stack.enter_context(closing(open_table_camera(camera)))
        table_camera = stack.enter_context(tiles.lending(opened))
        gates = gate_workers(settings, gate_cameras, table.post)
        reader = table_reader(settings, wall_layout(settings.rules.name).kinds)
        table_worker = TableCameraWorker(table_camera, reader, camera.table.frame_interval_s, table.post)
        table_worker.keep = questions.keep
        kept = stack.enter_context(closing(KeptObservations(settings.ledger.folder / KEPT_OBSERVATIONS, whole.cipher)))
        decoding = _decoding(settings, whole, table_worker, kept)
        post = table.post if decoding is None else decoding.listening(table.post)
        known = None if table.state.boot is None else KnownBoot(table.state.boot, table.state.last_event)
        feeder = feeder_port(settings, post, whole.setup.capabilities, known)
        publisher.feeder_line = partial(_line_noted, feeder, LinkNotes(settings.ledger.folder))
        panels = open_panels(settings, post, keys_of(whole.setup.rules))
        stack.callback(panels.stop)
        workers = (*gates, table_worker)
        conditions, operations = [each.condition for each in workers], table.state.next_operation - 1
        publisher.machine = MachineMeter(
            version("twinwall"), time.monotonic(), operations, settings.ledger.folder, cameras=conditions, monotonic_s=time.monotonic
        )
        link = table_link(settings, publisher, publisher.subscriptions)
        for start, stop in (*((each.start, each.stop) for each in workers), (feeder.start, feeder.stop), (link.start, link.close)):
            start()
            stack.callback(stop)
        if decoding is not None:
            decoding.keep = questions.keep
            decoding.start()
            stack.callback(decoding.stop)
        publisher.link = questions.link = link
        take_record = nothing if decoding is None else decoding.take_record
        adapters = Adapters(
            feeder, panels.show, partial(ask_gate, gates), table_worker.watch, clock, questions=questions.show, decoding=take_record
        )
        table.run(Follower(adapters, table.post), publisher, feeder.acknowledge)


def _decoding(
    settings: TableSettings, whole: AssembledTable[Table], camera: TableCameraWorker, kept: KeptObservations
) -> DecodingThread | None:
    if not whole.setup.decodes:
        return None
    note_short_window(whole.setup)
    sweeper = mat_sweeper(settings, wall_layout(settings.rules.name).kinds)
    decoding = TableDecoding(whole.setup.rules, settings.own_mat, kept, gates=whole.setup.senses_draws)
    alone = unprotected if settings.custody.identity is None else protect
    return DecodingThread(decoding, sweeper, camera.whole_frames, whole.table.post, alone)


def _line_noted(feeder: FeederConnection, notes: LinkNotes) -> FeederLinkQuality | None:
    """How good the feeder's line is, kept for the service file on the way."""
    statistics = feeder.statistics()
    notes.note(statistics, time.monotonic())
    return feeder_line(statistics)


@contextmanager
def _calling_staff(settings: TableSettings, waiting: Waiting, request: JournalKeyRequest) -> Iterator[None]:
    """The lamp for staff is lit and the buzzer sounds: a person has to allow this table's new boot keys, and carries its request on a
    phone where there is no network. No key of the panel counts."""
    panels = open_panels(settings, lambda _press: None)
    panels.show(Lamps(fault=True, buzzer=True))
    try:
        with slips_are_read(settings, request), waiting(request):
            yield
    finally:
        panels.stop()
