"""An evening of four teams and sixteen hands, made by hand: a fouled wall, an adjusted score, a team that withdraws, a correction.

What it must come to is in ``four_teams.toml``, worked out in a sheet with each step beside it, not by the program.
"""

import tomllib
from datetime import timedelta
from fractions import Fraction
from pathlib import Path

from tests.support.event.sessions import Play, hand_lines, left_out, paid, release, ruling
from tests.support.wire.streams import START, Line, public_events
from twinwall.event.comparison import TeamEntry
from twinwall.event.field import field_of
from twinwall.event.results import Basis, EntrantKind
from twinwall.event.store.hall import Hall
from twinwall.event.store.programme import Programme
from twinwall.game.play_events import EndReason, HandEnded, Offence, PenaltyRuled
from twinwall.game.tiles import SEATS

TABLES = ("1", "2", "3", "4")
TEAMS = ("Plum", "Orchid", "Bamboo", "Chrysanthemum")
EVENING = """
E17   S24W  N8E   S24W
-     E8    W12E  N9S
S10   S10   S10   W88N
N24   W8N   -     E16S
E8    E9    -     E8
-     -     -     -
W32   S8E   E8W   N12
N8W   N8W   S16   N8W
E24S  S12E  W9    -
W8    W8    W8    W8
S9N   E32   N10   W17S
E8S   E9S   E10S  E11S
N16   -     S8W   E12
W11   W11N  S14   -
-     E8    N8    W8
S48   S8E   S8W   S8N
"""
"""Hand by hand, what happened at each table: the winner, the fan, and the seat that discarded; a dash for a drawn hand."""
FOULED = (5, "3")
"""Hand and table of the wall that was not the deal: left out before the deal was released."""
ADJUSTED = (9, "2", (30, -10, -10, -10))
"""Hand, table and scores that the referee gave, before the deal was released."""
FINED = (7, "1", 0, 6)
"""Hand, table, seat and IMP of a false win."""
WITHDRAWN = ("Chrysanthemum", 13)
"""Team and the first hand that it does not play."""
CORRECTED = (2, "4")
"""Hand and table whose result was left out after everybody had seen it."""
SHEET = tomllib.loads(Path(__file__).with_name("four_teams.toml").read_text(encoding="utf-8"))


def scores(text: str) -> tuple[int, ...]:
    """What E S W N get for ``E17`` (by its own draw) or ``S24W`` (off West)."""
    if text == "-":
        return (0, 0, 0, 0)
    source = "ESWN".index(text[-1]) if text[-1] in "ESWN" else None
    return paid("ESWN".index(text[0]), int(text[1:].rstrip("ESWN")), source)


HANDS = [[scores(text) for text in line.split()] for line in EVENING.split("\n") if line]


def scripts(*, corrected: bool) -> dict[str, list[Line]]:
    """Each table's ledger; a deal's release stands after what was ruled before it, and the correction at the end."""
    found: dict[str, list[Line]] = {}
    for index, table in enumerate(TABLES):
        lines: list[Line] = []
        for hand, tables in enumerate(HANDS, 1):
            lines += hand_lines(Play(hand, 1, hand, table, [f"{table}{at}" for at in range(4)], tables[index]))
            lines += ruled_before_release(hand, table)
            lines.append(("deal-released", {"n": hand}))
        if corrected and table == CORRECTED[1]:
            lines.append(left_out("late", CORRECTED[0], by="Ota", why="Two tiles were seen."))
        found[table] = lines
    return found


def ruled_before_release(hand: int, table: str) -> list[Line]:
    if (hand, table) == FOULED:
        return [left_out("fouled", hand)]
    if (hand, table) == ADJUSTED[:2]:
        return [ruling("adjusted", hand, HandEnded(EndReason.RULED, dict(zip(SEATS, ADJUSTED[2], strict=True))))]
    if (hand, table) == FINED[:2]:
        return [ruling("fine", hand, PenaltyRuled(SEATS[FINED[2]], Offence.FALSE_WIN, FINED[3], 0))]
    return []


def evening(*, corrected: bool, last: int = 16) -> Hall:
    hall = Hall(Programme("Evening", field_of(EntrantKind.TEAM, TABLES, TEAMS), withdrawn=dict([WITHDRAWN])))
    for table, script in scripts(corrected=corrected).items():
        for event in public_events(script, table, "j"):
            hall.take(event)
    release(hall, [Play(n, 1, n, "1", (), ()) for n in range(1, last + 1)], START + timedelta(days=1))
    return hall


def totals(hall: Hall) -> dict[str, Fraction]:
    return {at.entrant: at.total for at in hall.standings().ranking}


def test_the_evening_comes_to_what_the_sheet_says() -> None:
    assert totals(evening(corrected=False)) == SHEET["totals"]
    assert totals(evening(corrected=True)) == SHEET["totals_corrected"]


def test_every_hand_has_the_sums_differences_and_imp_of_the_sheet() -> None:
    for corrected, rows in ((False, SHEET["hands"]), (True, SHEET["corrected"])):
        compared = evening(corrected=corrected).comparison().deals
        for row in rows:
            entries = compared[row["hand"]].groups["1"].entries
            found = {entry.entrant: (entry.sum, entry.difference, entry.imp) for entry in entries if isinstance(entry, TeamEntry)}
            assert found == {team: (row[team]["sum"], Fraction(row[team]["difference"]), row[team]["imp"]) for team in TEAMS}, row["hand"]


def test_the_fouled_table_and_the_adjusted_score_are_what_was_ruled() -> None:
    compared = evening(corrected=False).comparison().deals
    bases = {(n, result.table): result.basis for n in range(1, 13) for result in compared[n].groups["1"].results}
    assert [key for key, basis in bases.items() if basis is Basis.AVERAGE] == [FOULED]
    assert [key for key, basis in bases.items() if basis is Basis.ADJUSTED] == [ADJUSTED[:2]]


def test_after_the_withdrawal_the_others_get_the_average_and_the_team_keeps_its_points() -> None:
    hall = evening(corrected=False)
    averaged = hall.comparison().averaged
    assert [out.n for out in averaged] == [13, 14, 15, 16]
    assert {out.teams for out in averaged} == {TEAMS[:3]}
    assert totals(hall)["Chrysanthemum"] == totals(evening(corrected=False, last=12))["Chrysanthemum"]
    assert hall.comparison().left_out == ()


def test_the_correction_says_old_and_new_points_and_ranks_and_the_rulings_before_release_are_none() -> None:
    before, after = evening(corrected=False).standings(), evening(corrected=True).standings()
    assert evening(corrected=False).corrections() == ()
    (correction,) = evening(corrected=True).corrections()
    assert (correction.n, correction.table, correction.given.ruling.by) == (*CORRECTED, "Ota")
    assert correction.given.ruling.texts["en"] == "Two tiles were seen."
    told = {change.entrant: change for change in correction.changes}
    for team in TEAMS:
        old, new = before.points_of(2)[team], after.points_of(2)[team]
        ranks = before.ranks()[team], after.ranks()[team]
        if (old, ranks[0]) == (new, ranks[1]):
            assert team not in told
        else:
            change = told[team]
            assert (change.points_before, change.points, change.rank_before, change.rank) == (old, new, *ranks)
    assert told


def test_the_order_in_which_tables_are_heard_changes_nothing() -> None:
    other = Hall(Programme("Evening", field_of(EntrantKind.TEAM, TABLES, TEAMS), withdrawn=dict([WITHDRAWN])))
    events = {table: public_events(script, table, "j") for table, script in scripts(corrected=True).items()}
    release(other, [Play(n, 1, n, "1", (), ()) for n in range(1, 17)], START + timedelta(days=1))
    for index in range(max(map(len, events.values()))):
        for table in reversed(TABLES):
            if index < len(events[table]):
                other.take(events[table][index])
                if index % 7 == 0:
                    other.corrections()
    hall = evening(corrected=True)
    assert totals(other) == totals(hall)
    assert other.corrections() == hall.corrections()
