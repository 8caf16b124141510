"""A table's controller put together from its settings: journal, ledgers, deals and publisher, before anything of it runs."""

import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from typing import Generic, TypeVar

from cli.table.replacing import lost_journal
from cli.table.table_deals import head_signer, sealed_deals, table_deals, trusted_signers
from cli.table.table_journal import Connect, Waiting, open_journal
from cli.table.table_parts import rule_options, table_setup
from controller.adapters.clock import Clock
from controller.adapters.recorder import Recorder
from controller.adapters.slot_questions import SlotQuestions
from controller.ledger.crossing_heads import CrossingHeads
from controller.ledger.first_lines import journal_id
from controller.ledger.public import open_ledger, table_ledger
from controller.ledger.publisher import Publisher
from controller.settings import TableSettings
from controller.state.messages import PartFound, PartLost
from controller.state.table_state import BROKER, Setup
from controller.table_loop import Books, Deals, Table
from twinwall.values import frozen
from twinwall.wire.line_cipher import LineCipher
from twinwall.wire.line_traces import open_traces

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
    settings: TableSettings, clock: Clock, make: MakeTable[AnyTable], connect: Connect, waiting: Waiting
) -> Iterator[AssembledTable[AnyTable] | None]:
    """The table of these settings, whose journal and ledgers are closed at the end.

    None when it was stopped while it waited for its journal's key. ``make`` makes the table; ``connect`` and ``waiting`` as in
    ``open_journal``.
    """
    setup, folder, sealed = table_setup(settings), settings.ledger.folder, sealed_deals(settings)
    opened = open_journal(settings, sealed, connect, waiting)
    if opened is None:
        yield None
        return
    journal = opened.journal
    identity = journal_id(journal, secrets.token_hex(8))
    ledger = table_ledger(folder, setup.table, identity, known=opened.known, salt=opened.salt)
    ledgers = (ledger, open_ledger(folder, setup.table, identity))
    recorder = Recorder(folder / "records", settings.table.event, rule_options(settings.rules.options))
    lost = None if journal.entries else lost_journal(settings)
    table = make(setup, Books(journal, ledgers, recorder, lost), table_deals(settings, sealed), clock, version("twinwall"))
    signer, trusted = head_signer(settings, sealed), trusted_signers(settings, sealed)
    traces = open_traces("twinwall-table", settings.table.event)
    publisher = Publisher(settings.table.event, setup.table, ledgers, folder, clock.now, trusted=trusted, signer=signer, traces=traces)
    questions = SlotQuestions(settings.table.event, setup.table, setup.rules.tiles, signer)
    publisher.questions = questions.beat
    publisher.from_server = table.post
    if sealed is not None:
        sealed.begin(table.state, table.post)
        publisher.custodian = sealed
        publisher.others = CrossingHeads(settings.table.event, sealed.identity.boot_signer, sealed.identity.vault_key, ledger, table.post)
    elif setup.seat_check:
        publisher.online = lambda up: table.post(PartFound(BROKER) if up else PartLost(BROKER))
    yield AssembledTable(table, publisher, setup, questions, opened.cipher)
    for each in ledgers:
        each.close()
    journal.close()
