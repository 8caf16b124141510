"""What a venue's messages lead to at the centre: each line once in any order and through restarts, refusals by name."""

import re
from collections.abc import Iterable
from copy import deepcopy
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from centre.intake.venue_intake import MOST_NOTICES, MOST_UNKNOWN_TABLES, PROGRESS_S, UNKNOWN_REPORTED_AFTER_S, IntakeMoment, VenueIntake
from centre.intake.venue_results import read_result
from centre.store.venue_contents import VenueProgress
from centre.tests.support.memory_venue import MemoryVenue
from centre.tests.support.playing_venue import CENTRE, EVENT, Message, PlayingVenue, played_hands
from tests.support.event.sessions import left_out
from tests.support.event.stored_event import STARTED
from tests.support.wire.streams import START, Line
from twinwall.event.field import EventField
from twinwall.event.results import Basis, EntrantKind
from twinwall.event.store.programme import Programme
from twinwall.wire.ledger import parse
from twinwall.wire.messages.boot_keys import Announcement, Head, LedgerKind, TableKey
from twinwall.wire.messages.commands import Health, write_health
from twinwall.wire.messages.signing import Signer, sign_document
from twinwall.wire.messages.venue_messages import ResendOrder
from twinwall.wire.mqtt.topics import Channel, Topic

HANDS = ((75, -25, -25, -25), (-8, 48, -32, -8))
VENUE = PlayingVenue("Kyoto", (("1", played_hands("1", HANDS)), ("2", (*played_hands("2", HANDS[::-1]), left_out("r", 1)))))


class Centre:
    """A consumer without wires: an intake over rows in memory."""

    def __init__(self, venue: PlayingVenue = VENUE, programme: Programme = CENTRE) -> None:
        self.venue, self.programme, self.rows, self.now_s = venue, programme, MemoryVenue(), 0.0
        self.orders: list[ResendOrder] = []
        self.start_again()

    @property
    def moment(self) -> IntakeMoment:
        return IntakeMoment(START, self.now_s)

    def start_again(self) -> None:
        self.intake = VenueIntake(self.venue.venue, self.programme, self.rows.known(), self.moment)

    def take(self, messages: Iterable[Message]) -> None:
        for topic, payload in messages:
            self.intake.take(topic, payload, self.moment)
        batch, orders = self.intake.batch()
        self.rows.store(batch)
        self.orders += orders

    def catch_up(self) -> None:
        """Let the venue answer every order until there is none."""
        for _ in range(20):
            self.now_s += 60.0
            self.intake.tick(self.moment)
            self.take([])
            orders, self.orders = self.orders, []
            if not orders:
                return
            self.take(self.venue.answers(orders))
        raise AssertionError(f"the centre goes on asking: {orders}")


def scores(centre: Centre) -> dict[tuple[str, int], list[int]]:
    return {name: [seat.score for seat in read_result(result).seats] for name, result in centre.rows.results.items()}


def test_lines_in_order_are_stored_once_with_their_results() -> None:
    centre = Centre()
    centre.take(VENUE.messages)
    assert {table: len(lines) for (table, _), lines in centre.rows.lines.items()} == {t: len(VENUE.ledgers[t]) for t in VENUE.tables}
    assert scores(centre) == {("1", 1): [*HANDS[0]], ("1", 2): [*HANDS[1]], ("2", 1): [*HANDS[1]], ("2", 2): [*HANDS[0]]}
    assert read_result(centre.rows.results["2", 1]).basis is Basis.AVERAGE
    assert (centre.rows.waiting, centre.rows.notices, centre.orders) == (0, [], [])
    assert centre.rows.heads == {(table, "j"): len(VENUE.ledgers[table]) for table in VENUE.tables}


@pytest.mark.parametrize(("options", "basis"), [({}, Basis.AVERAGE), ({"self_draw": "rounded"}, Basis.PLAYED)])
def test_scores_without_a_sum_count_where_the_options_of_the_rules_give_none(options: dict[str, object], basis: Basis) -> None:
    centre = Centre(PlayingVenue("Kyoto", (("1", played_hands("1", [(41, -14, -14, -14)], options)),)))
    centre.take(centre.venue.messages)
    assert read_result(centre.rows.results["1", 1]).basis is basis


@given(st.data())
def test_in_any_order_with_repeats_losses_and_restarts_each_line_is_stored_once(data: st.DataObject) -> None:
    in_order = Centre()
    in_order.take(VENUE.messages)
    centre = Centre()
    count = len(VENUE.messages)
    sent = data.draw(st.lists(st.integers(0, count - 1), max_size=2 * count))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(sent)), max_size=4)))
    for first, last in zip([0, *cuts], [*cuts, len(sent)], strict=True):
        centre.take(VENUE.messages[number] for number in sent[first:last])
        centre.start_again()
    last_heads = [VENUE.head(table, len(VENUE.ledgers[table])) for table in VENUE.tables]
    centre.take([*VENUE.messages[:2], *last_heads])
    centre.catch_up()
    assert centre.rows.lines == in_order.rows.lines
    assert centre.rows.results == in_order.rows.results
    assert (centre.rows.waiting, centre.rows.evidence) == (0, set())


@pytest.mark.parametrize("kept", [0, len(VENUE.messages) // 2], ids=["no backup", "an old backup"])
def test_a_store_that_was_restored_gets_from_the_venue_what_it_does_not_have(kept: int) -> None:
    before, centre = Centre(), Centre()
    before.take(VENUE.messages)
    centre.take(VENUE.messages[:kept])
    backup = deepcopy(centre.rows)
    centre.take(VENUE.messages[kept:])
    centre.rows = backup
    centre.start_again()
    centre.take([VENUE.statement(), VENUE.announcement, *(VENUE.head(table, len(VENUE.ledgers[table])) for table in VENUE.tables)])
    centre.catch_up()
    assert (centre.rows.lines, scores(centre)) == (before.rows.lines, scores(before))


def test_what_came_before_the_keys_waits_in_the_store_through_a_restart() -> None:
    centre = Centre()
    centre.take([VENUE.line("1", 1), VENUE.line("1", 2), VENUE.head("1", 2)])
    assert (centre.rows.lines, centre.rows.waiting) == ({}, 3)
    centre.start_again()
    centre.take(VENUE.messages[:2])
    assert (len(centre.rows.lines["1", "j"]), centre.rows.waiting) == (2, 0)


def test_a_contradicting_line_is_kept_as_evidence_and_changes_nothing() -> None:
    centre = Centre()
    centre.take(VENUE.messages)
    lines = dict(centre.rows.lines)
    topic, line = VENUE.line("1", 2)
    forged = line.replace(b"75", b"76")
    centre.take([(topic, forged)])
    centre.start_again()
    centre.take([(topic, forged), (topic, line)])
    assert (centre.rows.evidence, centre.rows.lines) == ({forged}, lines)
    assert "somebody else has its broker password" in centre.rows.notices[0]


def _begun_anew(before: tuple[Line, ...]) -> Centre:
    """A table of an event in custody whose controller starts a second time with an empty folder, after these lines."""
    programme = replace(CENTRE, custody=STARTED)
    first: Line = ("start-fixed", {"code": STARTED.start.code.hex()})
    centre = Centre(PlayingVenue("Kyoto", (("1", (first, *before)),)), programme)
    centre.take([centre.venue.statement(programme), *centre.venue.messages[1:]])
    anew = replace(centre.venue, scripts=(("1", (first, *played_hands("1", HANDS))),), journal="j2")
    centre.start_again()
    centre.take(anew.messages[2:])
    return centre


def test_a_table_started_again_with_an_empty_folder_before_its_first_hand_counts_without_an_order() -> None:
    centre = _begun_anew(())
    assert ([journal for _, journal in centre.rows.lines], centre.rows.notices) == (["j", "j2"], [])
    assert set(scores(centre)) == {("1", 1), ("1", 2)}


def test_a_table_that_has_played_and_begins_anew_without_an_order_does_not_count() -> None:
    centre = _begun_anew(played_hands("1", HANDS[:1]))
    assert [journal for _, journal in centre.rows.lines] == ["j"]
    assert "begins again beside" in centre.rows.notices[0]


def test_lines_under_no_announced_key_are_never_stored() -> None:
    centre = Centre()
    stranger = replace(VENUE, vault="another vault")
    centre.take([*VENUE.messages[:1], stranger.announcement, *VENUE.messages[2:]])
    assert centre.rows.lines == {}
    assert "keys announced in the name of venue 'Kyoto' are refused" in centre.rows.notices[0]


@pytest.mark.parametrize("restarted", [False, True])
def test_a_head_that_waits_counts_no_more_once_another_boot_key_is_announced(restarted: bool) -> None:
    """Whoever had a table's former key may have signed heads ahead, for lines that come later."""
    centre = Centre()
    centre.take([*VENUE.messages[:2], VENUE.head("1", 4)])
    boot = Signer("1", b"the next boot of table 1".ljust(32, b"-"))
    keys = Announcement(2, (TableKey("1", boot.public.hex()),))
    centre.take([(VENUE.announcement[0], sign_document(Signer("vault", VENUE.vault.encode().ljust(32, b"-")), keys, EVENT))])
    if restarted:
        centre.start_again()
    lines = [VENUE.line("1", seq) for seq in range(1, 5)]
    centre.take([*lines, VENUE.head("1", 4)])
    assert centre.rows.lines == {}, "not by the head that waited, nor when it comes again"
    at = parse(VENUE.ledgers["1"][3]).position
    head = sign_document(boot, Head(at.journal, at.seq, at.digest, LedgerKind.EVENTS), EVENT, "1")
    centre.take([(VENUE.head("1", 4)[0], head)])
    assert [event.line for event in centre.rows.lines["1", "j"]] == VENUE.ledgers["1"][:4]
    assert centre.rows.waiting == 0


ON_ANOTHER_PLAN = replace(CENTRE, custody=STARTED)
TEAMS = Programme(EVENT, EventField(EntrantKind.TEAM))


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        (VENUE.statement(spoken=2), "runs version 0.9.0, which speaks form 2 .* install the centre's version at the venue"),
        (VENUE.statement(ON_ANOTHER_PLAN), "venue 'Kyoto' plays by another plan and start than the centre: give it the files"),
        (VENUE.statement(TEAMS), "venue 'Kyoto' plays by another kind of event than the centre"),
        (VENUE.statement(signer="another hall"), "a statement in the name of venue 'Kyoto' is refused: not signed by 'Kyoto'"),
    ],
)
def test_a_venue_that_cannot_be_compared_is_refused_by_name_and_told(statement: Message, said: str) -> None:
    centre = Centre()
    centre.take([statement, *VENUE.messages[1:]])
    assert centre.rows.lines == {}
    assert [bool(re.search(said, sentence)) for sentence in centre.rows.notices] == [True]
    centre.take(VENUE.messages)
    centre.catch_up()
    assert len(scores(centre)) == 4


def test_of_two_venues_with_one_name_in_a_rehearsal_the_first_stays() -> None:
    unsigned = replace(VENUE.venue, key=None)
    intake = VenueIntake(unsigned, CENTRE, MemoryVenue().known(), IntakeMoment(START, 0.0))
    for venue in (VENUE, replace(VENUE, vault="another")):
        intake.take(*venue.statement(bare=True), IntakeMoment(START, 0.0))
    batch, _ = intake.batch()
    assert batch.notices == ["two venues say that they are 'Kyoto': the first stays; give the other one a name of its own"]


def flood(tables: range) -> list[Message]:
    """Messages in the name of tables for which no key is announced."""
    messages: list[Message] = []
    for number in tables:
        table = f"invented {number}"
        stranger = PlayingVenue("Kyoto", ((table, played_hands(table, HANDS[:1])),), vault="nobody's")
        off = write_health(Health(table, "j", 3, START + timedelta(days=1)))
        forged = [stranger.line(table, 1), stranger.head(table, 1), (str(Topic(EVENT, table, Channel.HEAD)), b"no head")]
        messages += [*forged, (str(Topic(EVENT, table, Channel.HEALTH)), off), (str(Topic(EVENT, table, Channel.HEALTH)), b"{}")]
    return messages


def test_a_venue_that_floods_takes_a_bounded_share_and_its_own_lines_are_stored_all_the_same() -> None:
    centre = Centre()
    half = len(VENUE.messages) // 2
    centre.take([*VENUE.messages[:half], *flood(range(300)), *VENUE.messages[half:]])
    assert scores(centre) == {("1", 1): [*HANDS[0]], ("1", 2): [*HANDS[1]], ("2", 1): [*HANDS[1]], ("2", 2): [*HANDS[0]]}
    assert centre.rows.waiting <= 2 * MOST_UNKNOWN_TABLES
    assert len(centre.rows.notices) <= MOST_NOTICES
    centre.now_s += UNKNOWN_REPORTED_AFTER_S
    centre.take(flood(range(300)))
    assert [sentence for sentence in centre.rows.notices if "no key is announced" in sentence]


def test_a_flood_of_invented_tables_finds_no_further_room_after_a_restart() -> None:
    centre = Centre()
    for start in range(0, 900, 300):
        centre.take([*VENUE.messages[:2], *flood(range(start, start + 300))])
        centre.start_again()
    assert centre.rows.waiting <= 2 * MOST_UNKNOWN_TABLES
    centre.take(VENUE.messages)
    assert len(scores(centre)) == 4


def test_a_large_venue_whose_tables_speak_before_its_keys_come_is_told_of_no_theft() -> None:
    tables = tuple(f"{number}" for number in range(MOST_UNKNOWN_TABLES + 16))
    centre = Centre(PlayingVenue("Kyoto", tuple((table, (left_out("r", 1),)) for table in tables)))
    heads = [centre.venue.head(table, 1) for table in tables]
    centre.take(heads)
    centre.now_s += UNKNOWN_REPORTED_AFTER_S / 2
    centre.take([*heads, *centre.venue.messages[:2]])
    centre.now_s += UNKNOWN_REPORTED_AFTER_S
    centre.take(heads)
    centre.catch_up()
    assert (len(centre.rows.lines), centre.rows.notices) == (len(tables), [])


@pytest.mark.parametrize(("off", "word"), [(timedelta(days=1), "ahead of"), (-timedelta(days=1), "behind")])
def test_a_clock_a_day_off_is_told_and_changes_nothing(off: timedelta, word: str) -> None:
    centre = Centre()
    health = write_health(Health("1", "j", 3, START + off))
    centre.take([(str(Topic(EVENT, "1", Channel.HEALTH)), health), *VENUE.messages])
    assert centre.rows.notices == [f"the clock of table 1 is more than 10 minutes {word} the centre's: set it; no result depends on it"]
    assert len(scores(centre)) == 4


def heartbeat(table: str, seq: int, at: datetime = START, journal: str = VENUE.journal) -> Message:
    return str(Topic(EVENT, table, Channel.HEALTH)), write_health(Health(table, journal, seq, at))


def test_progress_tells_what_is_missing_by_signed_heads_and_heartbeats_and_survives_a_restart() -> None:
    centre, lines = Centre(), len(VENUE.ledgers["1"])
    opening = [VENUE.statement(), VENUE.announcement]
    centre.take([*opening, *(VENUE.line("1", seq) for seq in (1, 2)), VENUE.head("1", 2)])
    assert centre.intake.progress == VenueProgress(1, 2, {}, None)
    centre.take([VENUE.head("1", lines)])
    assert centre.intake.progress.missing == {"1": lines - 2}
    centre.take([heartbeat("2", 3, START + timedelta(hours=1))])
    assert centre.intake.progress == VenueProgress(2, 2, {"1": lines - 2, "2": 3}, START)
    centre.catch_up()
    assert centre.intake.progress.missing == {"2": 3}
    centre.start_again()
    assert centre.intake.progress == VenueProgress(2, lines, {"2": 3}, START)
    centre.take([*opening, *VENUE.messages, heartbeat("2", len(VENUE.ledgers["2"]))])
    assert centre.intake.progress == VenueProgress(2, sum(map(len, VENUE.ledgers.values())), {}, START)


def test_a_heartbeat_that_says_too_much_counts_until_the_next_one_and_one_of_a_former_journal_not_at_all() -> None:
    centre, again = Centre(), replace(VENUE, journal="k")
    centre.take([*VENUE.messages, heartbeat("1", 10**6)])
    assert centre.intake.progress.missing == {"1": 10**6 - len(VENUE.ledgers["1"])}
    centre.take([heartbeat("1", len(VENUE.ledgers["1"]))])
    assert centre.intake.progress.missing == {}
    centre.take([again.line("1", 1), again.line("1", 2), again.head("1", 2), heartbeat("1", 10**6)])
    assert (centre.intake.progress.missing, centre.rows.heads["1", "k"]) == ({}, 2)


def test_a_venue_that_is_away_is_still_away_and_behind_after_a_restart_of_the_consumer() -> None:
    centre, lines = Centre(), len(VENUE.ledgers["1"])
    centre.take([VENUE.statement(), VENUE.announcement, VENUE.line("1", 1), VENUE.head("1", 1), heartbeat("1", lines)])
    centre.intake.tick(centre.moment)
    centre.take([])
    told = centre.intake.progress
    assert told == VenueProgress(1, 1, {"1": lines - 1}, START)
    for _ in range(2):
        centre.start_again()
        centre.intake.tick(centre.moment)
        centre.take([])
        assert centre.rows.known().progress == centre.intake.progress == told
    centre.take([heartbeat("1", 1, START + timedelta(seconds=2))])
    assert centre.intake.progress.missing == {}


def test_lines_that_are_stored_just_before_a_restart_count_as_missing_no_more() -> None:
    centre, lines = Centre(), len(VENUE.ledgers["1"])
    centre.take([VENUE.statement(), VENUE.announcement, heartbeat("1", lines)])
    centre.intake.tick(centre.moment)
    centre.take([])
    assert centre.intake.progress.missing == {"1": lines}
    centre.start_again()
    for seq in range(1, lines + 1):
        centre.take([VENUE.line("1", seq), VENUE.head("1", seq)])
        assert centre.intake.progress.missing == ({"1": lines - seq} if seq < lines else {})
    centre.start_again()
    assert centre.intake.progress == VenueProgress(1, lines, {}, START)


def test_progress_is_written_when_it_has_changed_and_not_oftener_than_each_few_seconds() -> None:
    centre = Centre()
    centre.take(VENUE.messages)
    centre.intake.tick(centre.moment)
    batch, _ = centre.intake.batch()
    assert batch.progress == centre.intake.progress
    centre.take([heartbeat("1", 1)])
    written = []
    for centre.now_s in (1.0, PROGRESS_S, PROGRESS_S + 1.0, 2 * PROGRESS_S):
        centre.intake.tick(centre.moment)
        written.append(centre.intake.batch()[0].progress is not None)
    assert written == [False, True, False, False]
