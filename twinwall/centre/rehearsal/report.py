"""What a rehearsal found: lines written and stored, what was lost or doubled, how long it took, and what each part cost."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct


class PartCost(Struct, frozen=True):
    """All programs of one kind together."""

    part: str
    programs: int
    processor_s: float
    memory_mib: float


class KilledParts(Struct, frozen=True):
    """What was killed together, at which second of the session, and for how long it was away."""

    parts: tuple[str, ...]
    at_s: float
    away_s: float


class RehearsalReport(Struct, frozen=True):
    """One rehearsal.

    Attributes:
        lines: written by the tables.
        lost: lines that the centre has not stored; ``doubled``: that it has stored twice.
        sent_again: lines that the centre asked for once more.
        session_s: how long the tables played.
        caught_up_s: from the last line written until the centre had every line; None where it never did.
        notices: sentences for people, each once.
    """

    venues: int
    tables: int
    lines: int
    stored: int
    lost: int
    doubled: int
    sent_again: int
    start_s: float
    session_s: float
    caught_up_s: float | None
    killed: tuple[KilledParts, ...]
    costs: tuple[PartCost, ...]
    notices: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether every line was stored once."""
        return self.lost == self.doubled == 0


def sentences(report: RehearsalReport) -> Sequence[str]:
    """The report for people."""
    caught_up = "never" if report.caught_up_s is None else f"{report.caught_up_s:.1f} s after the last line"
    return (
        f"{report.venues} venues with {report.tables} tables wrote {report.lines} lines in {report.session_s:.0f} s",
        *(f"killed at {each.at_s:.0f} s for {each.away_s:.0f} s: {', '.join(each.parts)}" for each in report.killed),
        f"stored {report.stored}, lost {report.lost}, doubled {report.doubled}; {report.sent_again} were asked for again",
        f"the centre had everything {caught_up}",
        *(f"{each.part}: {each.programs} programs, {each.processor_s:.1f} s processor, {each.memory_mib:.0f} MiB" for each in report.costs),
        *report.notices,
    )
