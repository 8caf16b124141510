"""What a rehearsal found: lines written and stored, what viewers saw of them and when, and what each part cost."""

from collections.abc import Sequence

from msgspec import Struct


class PartCost(Struct, frozen=True):
    """All programs of one kind together: processor time until the session began and since, and their memory."""

    part: str
    programs: int
    start_processor_s: float
    processor_s: float
    memory_mib: float


class KilledParts(Struct, frozen=True):
    """What was killed together, at which second of the session, and for how long it was away.

    ``back_s``: after so many seconds a viewer got the page with every deal that all tables had finished, and the store had more lines
    than were written at the kill; ``caught_up_s``: so many seconds after they were started again the store had every line that each venue
    had written by then. None where that never came.
    """

    parts: tuple[str, ...]
    at_s: float
    away_s: float
    back_s: float | None
    caught_up_s: float | None


class RankedDeal(Struct, frozen=True):
    """A deal: when the last table wrote its result, and how much later the page of all venues had it; None where it never did."""

    n: int
    finished_s: float
    shown_after_s: float | None


class Progress(Struct, frozen=True):
    """Lines written and stored at a second of the session."""

    at_s: float
    written: int
    stored: int


class RehearsalReport(Struct, frozen=True):
    """One rehearsal.

    Attributes:
        hands: that each table played.
        lines: written by the tables.
        lost: lines that the centre has not stored; ``doubled``: that it has stored twice.
        caught_up_venues: of which the store itself says, by heartbeats after the last line, that no line is missing.
        same_ranking: whether the page ends with the ranking that the tables' own ledgers give.
        sent_again: lines that the centre asked for once more.
        session_s: how long the tables played.
        caught_up_s: from the last line written until the centre had every line and the page every deal; None where that never came.
        ranking_p95_s: within which 95 of 100 deals were on the page of all venues after their last result.
        notices: sentences for people, each once.
    """

    venues: int
    tables: int
    hands: int
    lines: int
    stored: int
    lost: int
    doubled: int
    caught_up_venues: int
    same_ranking: bool
    sent_again: int
    start_s: float
    session_s: float
    caught_up_s: float | None
    ranking_p95_s: float | None
    deals: tuple[RankedDeal, ...]
    killed: tuple[KilledParts, ...]
    progress: tuple[Progress, ...]
    costs: tuple[PartCost, ...]
    notices: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether every line was stored once, and the page tells what they say."""
        return self.lost == self.doubled == 0 and self.same_ranking


def sentences(report: RehearsalReport) -> Sequence[str]:
    """The report for people."""
    caught_up = "never" if report.caught_up_s is None else f"{report.caught_up_s:.1f} s after the last line"
    p95 = "never" if report.ranking_p95_s is None else f"within {report.ranking_p95_s:.1f} s"
    return (
        f"{report.venues} venues with {report.tables} tables wrote {report.lines} lines in {report.session_s:.0f} s",
        *(_killed(each) for each in report.killed),
        f"stored {report.stored}, lost {report.lost}, doubled {report.doubled}; {report.sent_again} were asked for again",
        f"the centre had everything {caught_up}, and says of {report.caught_up_venues} venues that no line is missing",
        f"95 of 100 deals were on the page of all venues {p95} after their last result",
        f"the page ends with {'the ranking' if report.same_ranking else 'ANOTHER ranking than'} that the tables' ledgers give",
        *(
            f"{each.part}: {each.programs} programs, {each.start_processor_s:.1f} s processor until the session began and "
            f"{each.processor_s:.1f} s since, {each.memory_mib:.0f} MiB"
            for each in report.costs
        ),
        *report.notices,
    )


def _killed(killed: KilledParts) -> str:
    back = "never" if killed.back_s is None else f"after {killed.back_s:.1f} s"
    stored = "never" if killed.caught_up_s is None else f"{killed.caught_up_s:.1f} s after their return"
    return (
        f"killed at {killed.at_s:.0f} s for {killed.away_s:.0f} s: {', '.join(killed.parts)}; pages were up to date again {back}, "
        f"and what was written until then was stored {stored}"
    )
