"""Renders corrections: who ruled what and when after a result was shown, with the old and the new values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from dashboard.i18n.words import Words
from twinwall.event.store.corrections import CorrectedEntrant, Correction
from twinwall.game.documents import write_time


@dataclass(frozen=True, slots=True)
class CorrectionView:
    """A correction as a page lists it; ``rows`` are entrants whose points changed, ``ranks`` those whose rank alone did."""

    at: str
    by: str
    text: str
    n: int
    hand: str
    table: str
    rows: tuple[CorrectedEntrant, ...]
    ranks: tuple[CorrectedEntrant, ...]


def views(corrections: Iterable[Correction], hands: Mapping[int, int], words: Words) -> tuple[CorrectionView, ...]:
    """The corrections, the latest first; ``hands`` is the hand of the session by the number of its deal."""
    return tuple(_view(correction, words.hand(hands.get(correction.n, 0)), words) for correction in reversed(tuple(corrections)))


def _view(correction: Correction, hand: str, words: Words) -> CorrectionView:
    given = correction.given
    rows = tuple(change for change in correction.changes if change.points != change.points_before)
    ranks = tuple(change for change in correction.changes if change.points == change.points_before)
    text = words.announced(given.ruling.texts)
    return CorrectionView(write_time(given.at), given.ruling.by, text, correction.n, hand, correction.table, rows, ranks)
