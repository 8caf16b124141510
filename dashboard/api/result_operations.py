"""Operations that read results: released deals, standings, corrections, results as CSV, and all results as one JSON document. For an
unreleased deal an answer has only who must still finish it; only directors get results of a held-back session. Points are exact fractions
as text, such as ``43/4``. The JSON document consists of the operations' answers, so that a program reads both alike."""

from collections.abc import Mapping
from datetime import datetime
from fractions import Fraction

import msgspec

from dashboard.access.shown_results import ReleasedDeal
from dashboard.access.viewer_scope import EnteredAgain, UnreleasedDeal, ViewerScope
from dashboard.api.operations import EVERYBODY, ApiRequest, OperationList, encoded, not_found
from dashboard.api.table_operations import DealNumber
from twinwall.event.comparison import ComparedDeal, Entry
from twinwall.event.event_standings import EventRank
from twinwall.event.hands import HandSummary
from twinwall.event.points import Points
from twinwall.event.results import Basis, EntrantKind, GivenRuling, result_after_rulings, rulings_of
from twinwall.event.results_csv import write_results
from twinwall.event.store.event_comparison import CorrectedEntrant, Correction
from twinwall.game.play_events import EndReason
from twinwall.game.tiles import Seat
from twinwall.game.typed_json import Number
from twinwall.values import FrozenStruct

OPERATIONS = OperationList()


class DealAnswer(FrozenStruct):
    """A deal that a table has begun.

    Attributes:
        state: playing, released, or held (released, but the director holds its session's results back).
        tables: how many play it; ``unfinished`` those that must still finish, for the staff.
    """

    deal: int
    session: int | None
    hand: int
    state: str
    tables: int
    unfinished: tuple[str, ...] | None


class DealsAnswer(FrozenStruct):
    """The deals that a table has begun, by number."""

    deals: tuple[DealAnswer, ...]


class RulingGivenAnswer(FrozenStruct):
    """A ruling as its table received it."""

    by: str
    at: datetime
    texts: dict[str, str]


class TableResult(FrozenStruct):
    """A hand of a released deal.

    Attributes:
        players: by seat.
        reason: how it ended; ``scores`` as played, by seat.
        counted: the scores that count after all rulings, with their ``basis``; null if the hand is not over.
    """

    table: str
    players: Mapping[Seat, str]
    reason: EndReason | None
    scores: Mapping[Seat, int]
    counted: Mapping[Seat, int] | None
    basis: Basis | None
    winners: tuple[Seat, ...]
    total: int
    rulings: tuple[RulingGivenAnswer, ...]


class EntryAnswer(FrozenStruct):
    """What a deal gave an entrant: IMP by the difference from the datum, before ``penalty``; no seat for a team."""

    entrant: str
    table: str | None
    seat: Seat | None
    score: int
    difference: Fraction
    imp: int
    penalty: int


class GroupResult(FrozenStruct):
    """The comparison of a deal in a group; ``datum`` by seat."""

    group: str
    datum: Mapping[Seat, Fraction]
    entries: tuple[EntryAnswer, ...]


class CorrectionAnswer(FrozenStruct):
    """A ruling after release that changed results."""

    deal: int
    session: int
    table: str
    ruling: RulingGivenAnswer
    changes: tuple[CorrectedEntrant, ...]


class DealResultAnswer(FrozenStruct):
    """A released deal; ``slip`` checks it against the event's start. Held back, it has no hands and no groups."""

    deal: int
    session: int
    hand: int
    rules: str
    held: bool
    hands: tuple[TableResult, ...]
    groups: tuple[GroupResult, ...]
    left_out: tuple[str, ...]
    corrections: tuple[CorrectionAnswer, ...]
    slip: dict[str, msgspec.Raw]


class GroupRanking(FrozenStruct):
    """A group of a session with its ranking."""

    session: int
    group: str
    ranking: tuple[EventRank, ...]


class StandingsAnswer(FrozenStruct):
    """The standings after the released deals.

    Attributes:
        points: what is added up.
        event: the ranking over all sessions; empty if one session is requested, or there is only one.
        groups: of the requested session, or of the only one.
        held: sessions that the director holds back; ``hidden`` those that this token does not see.
        left_out: deals that could not be compared, in sentences.
        entered_again: entrants changed after they had sat, for example in name.
    """

    kind: EntrantKind
    points: Points
    carry_over: Fraction
    event: tuple[EventRank, ...]
    groups: tuple[GroupRanking, ...]
    sessions: tuple[int, ...]
    held: tuple[int, ...]
    hidden: tuple[int, ...]
    withdrawn: tuple[str, ...]
    left_out: tuple[str, ...]
    corrections: tuple[CorrectionAnswer, ...]
    entered_again: tuple[EnteredAgain, ...]


@OPERATIONS.offer("GET", "/deals", EVERYBODY)
def read_deals(asked: ApiRequest) -> DealsAnswer:
    """Read which deals are played and released."""
    scope = asked.results
    numbers = {*scope.released(), *(group.playing.n for group in scope.progress.groups() if group.playing is not None)}
    return DealsAnswer(tuple(found for n in sorted(numbers) if (found := _deal(scope, n)) is not None))


@OPERATIONS.offer("GET", "/deals/{deal}", EVERYBODY)
def read_deal(asked: ApiRequest, deal: DealNumber) -> DealResultAnswer:
    """Read a released deal: hands, comparison, slip."""
    shown = asked.results.deal(deal)
    if not isinstance(shown, ReleasedDeal):
        raise not_found(f"Deal {deal} is not released: everything of it is shown once every table has finished it.")
    return deal_result(shown)


def deal_result(shown: ReleasedDeal) -> DealResultAnswer:
    """The answer for a released deal."""
    return DealResultAnswer(
        shown.n,
        shown.session,
        shown.hand,
        shown.rules,
        shown.held,
        tuple(map(_hand, shown.hands)),
        tuple(_group(name, deal) for name, deal in shown.compared.items()),
        (*(out.reason for out in shown.left_out), *(out.reason for out in shown.averaged)),
        tuple(map(_correction, shown.corrections)),
        msgspec.json.decode(msgspec.json.encode(shown.opening.slip.to_json()), type=dict[str, msgspec.Raw]),
    )


@OPERATIONS.offer("GET", "/standings", EVERYBODY)
def read_standings(asked: ApiRequest, session: Number | None = None, group: str | None = None) -> StandingsAnswer:
    """Read the standings after the released deals.

    They are of the event where no session is named.
    """
    scope = asked.results
    if session not in (None, *scope.results.sessions()):
        raise not_found(f"No deal of session {session} is released yet.")
    return standings_answer(scope, session, group)


@OPERATIONS.offer("GET", "/results.csv", EVERYBODY)
def read_results_csv(asked: ApiRequest) -> bytes:
    """Read the results that were compared, as CSV.

    ``twinwall results compare`` reads this form.
    """
    results = asked.results.results
    return write_results(results.compared_results(), results.kind)


def _deal(scope: ViewerScope, n: int) -> DealAnswer | None:
    match scope.deal(n):
        case ReleasedDeal() as deal:
            tables = sum(len(group.tables) for group in deal.groups)
            return DealAnswer(n, deal.session, deal.hand, "held" if deal.held else "released", tables, ())
        case UnreleasedDeal() as deal:
            return DealAnswer(n, None, deal.hand, "playing", deal.tables, deal.unfinished)
        case None:
            return None


def _hand(hand: HandSummary) -> TableResult:
    counted = result_after_rulings(hand)
    return TableResult(
        hand.table,
        hand.names,
        hand.reason,
        hand.scores or {},
        None if counted is None else counted.scores,
        None if counted is None else counted.basis,
        hand.winners,
        hand.total,
        tuple(map(_ruling, rulings_of(hand))),
    )


def _ruling(given: GivenRuling) -> RulingGivenAnswer:
    return RulingGivenAnswer(given.ruling.by, given.at, dict(given.ruling.texts))


def _group(name: str, deal: ComparedDeal) -> GroupResult:
    entries = tuple(
        EntryAnswer(each.entrant, each.table, each.seat, each.score, each.difference, each.imp, each.penalty)
        if isinstance(each, Entry)
        else EntryAnswer(each.entrant, None, None, each.sum, each.difference, each.imp, each.penalty)
        for each in deal.entries
    )
    return GroupResult(name, deal.datum, entries)


def _correction(correction: Correction) -> CorrectionAnswer:
    return CorrectionAnswer(correction.n, correction.session, correction.table, _ruling(correction.given), correction.changes)


def standings_answer(scope: ViewerScope, session: int | None = None, group: str | None = None) -> StandingsAnswer:
    """The answer for standings."""
    table = scope.results.standings(session, group)
    return StandingsAnswer(
        table.kind,
        table.points,
        table.carry_over,
        () if table.whole is None else table.whole.ranks_by_session(),
        tuple(
            GroupRanking(of.session, of.name, tuple(EventRank(at.entrant, at.rank, at.total) for at in of.ranking)) for of in table.groups
        ),
        table.sessions,
        table.held,
        table.hidden,
        tuple(sorted(table.withdrawn)),
        (*(out.reason for out in table.left_out), *(out.reason for out in table.averaged)),
        tuple(map(_correction, table.corrections)),
        tuple(scope.entered_again()),
    )


FORMAT = "twinwall-results-1"


class ResultsDocument(FrozenStruct, tag_field="format", tag=FORMAT):
    """The event's name, its standings, those of each session, and its released deals."""

    event: str
    standings: StandingsAnswer
    sessions: dict[int, StandingsAnswer]
    deals: tuple[DealResultAnswer, ...]


def results_document(scope: ViewerScope) -> bytes:
    """The document of what a viewer may see; equal results give equal bytes."""
    document = ResultsDocument(
        scope.event_name,
        standings_answer(scope),
        {session: standings_answer(scope, session) for session in scope.results.sessions()},
        tuple(map(deal_result, scope.results.deals())),
    )
    return msgspec.json.format(encoded(document), indent=1) + b"\n"
