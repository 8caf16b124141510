"""The verification sheet: the start code as words and as a QR code, what was committed to, and how each deal is checked."""

from __future__ import annotations

from dataclasses import dataclass

from dashboard.access.viewer_scope import ViewerScope
from dashboard.i18n.words import Words
from twinwall.game.deals.start import StartedPlan

ROW_OF_CODE = 4
"""Groups of the start code in a line."""


@dataclass(frozen=True, slots=True)
class DealToVerify:
    """A deal of the plan; ``check`` is empty until its slip is released."""

    n: int
    session: int
    hand: str
    rules: str
    check: str


@dataclass(frozen=True, slots=True)
class VerificationSheet:
    """What the sheet says; digests are hex in groups of eight."""

    words: str
    rows: tuple[str, ...]
    public: str
    plan: str
    root: str
    deals: tuple[DealToVerify, ...]


def verification_sheet(started: StartedPlan, scope: ViewerScope, words: Words) -> VerificationSheet:
    """The sheet of an event with plan and start."""
    groups = started.start.words.split("-")
    rows = tuple("-".join(groups[first : first + ROW_OF_CODE]) for first in range(0, len(groups), ROW_OF_CODE))
    released = {n: scope.results.deal(n) for n in scope.released()}
    checks = {n: _grouped(deal.opening.deal.check) for n, deal in released.items() if deal is not None}
    deals = tuple(
        DealToVerify(deal.n, deal.session, words.hand(deal.hand), _rules(deal.rules, words), checks.get(deal.n, ""))
        for deal in started.plan.deals
    )
    start = started.start
    return VerificationSheet(start.words, rows, start.public, _grouped(start.plan), _grouped(start.root), deals)


def _rules(name: str, words: Words) -> str:
    return words(f"rules.{name}") if f"rules.{name}" in words else name


def _grouped(digest: bytes) -> str:
    text = digest.hex()
    return " ".join(text[at : at + 8] for at in range(0, len(text), 8))
