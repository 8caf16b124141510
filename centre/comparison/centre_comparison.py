"""Compares and ranks all venues as one field (``CentreComparison.ranking``), by region and by venue, result by result.

A deal is compared once every table of every venue that plays has finished it or, if the plan releases by deadline, once its slip is
released. Until then no number here includes it. A venue that has withdrawn keeps its results, and no one waits for it.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

from centre.comparison.field_comparison import FieldComparison
from centre.custody.field_rules import EVERYWHERE
from centre.intake.venue_results import VenueTableResult
from twinwall.event.comparison import Standing
from twinwall.event.results import DealResult
from twinwall.event.store.programme import Programme
from twinwall.game.deals import ReleaseRule


class FieldKind(StrEnum):
    """Which entrants are compared with each other."""

    ALL = "all"
    REGION = "region"
    VENUE = "venue"


class FieldName(NamedTuple):
    """One field; the name is empty for all venues."""

    kind: FieldKind
    name: str = ""


WORLD = FieldName(FieldKind.ALL)


class _DealEverywhere:
    """One deal: the results of all tables by venue and table, and whether it is compared yet."""

    def __init__(self, session: int) -> None:
        self.session = session
        self.results: dict[tuple[str, str], tuple[DealResult, ...]] = {}
        self.open = False


class CentreComparison:
    """All fields of an event of many venues."""

    def __init__(self, programme: Programme, regions: Mapping[str, str]) -> None:
        """Start from the centre's ``programme`` and the region of every venue that takes part."""
        self._programme = programme
        self._fields_of = {
            venue: (WORLD, FieldName(FieldKind.REGION, region), FieldName(FieldKind.VENUE, venue)) for venue, region in regions.items()
        }
        self._scale = programme.scale
        self._fields: dict[FieldName, FieldComparison] = {}
        self._deals: dict[int, _DealEverywhere] = {}
        self._programmes: dict[str, Programme] = {}
        """Programmes of the venues; these name their tables."""
        self._unranked: frozenset[str] = frozenset()
        """Substitutes and phantom teams of the venues: in no ranking, as in an event's own standings."""
        self._silent = set(regions)
        """Venues that have neither sent a programme nor withdrawn."""
        self._awaited: dict[int, frozenset[tuple[str, str]]] = {}
        """By session, the tables that must finish a deal; filled when asked."""
        self._withdrawn: set[str] = set()
        self._annulled: set[tuple[int, str]] = set()
        self._released: set[int] = set()
        terms = None if programme.custody is None else programme.custody.plan.field
        self._by_deadline = terms is not None and terms.release is ReleaseRule.DEADLINE
        self._changed: set[FieldName] = set()

    def play(self, venue: str, programme: Programme) -> None:
        """Record the programme by which a venue plays."""
        self._programmes[venue] = programme
        before, self._unranked = self._unranked, frozenset(f"{at}/{who}" for at, each in self._programmes.items() for who in each.unranked)
        if self._unranked != before:
            for name, compared in self._fields.items():
                compared.leave_out(self._unranked)
                self._changed.add(name)
        self._silent.discard(venue)
        self._open_finished()

    def withdraw(self, venue: str) -> None:
        """Stop waiting for a venue."""
        self._withdrawn.add(venue)
        self._silent.discard(venue)
        self._open_finished()

    def release(self, n: int) -> None:
        """Note that a deal's slip is released; if the plan releases by deadline, the deal is compared from now on."""
        self._released.add(n)
        if n in self._deals:
            self._open_if_finished(n, self._deals[n])

    def annul(self, n: int, venue: str = EVERYWHERE) -> None:
        """Stop counting a deal at a venue, or everywhere; no one waits for it there."""
        self._annulled.add((n, venue))
        deal = self._deals.get(n)
        if deal is not None and deal.open:
            self._put(n, deal.results)
        elif deal is not None:
            self._open_if_finished(n, deal)

    def take(self, venue: str, table: str, n: int, result: VenueTableResult) -> None:
        """Record a table's result in a deal, in place of an earlier one."""
        deal = self._deals.setdefault(n, _DealEverywhere(result.session))
        deal.results[venue, table] = results = result.results(venue, table, n)
        if deal.open:
            self._put(n, {(venue, table): results})
        else:
            self._open_if_finished(n, deal)

    def ranking(self, name: FieldName = WORLD) -> tuple[Standing, ...]:
        """The ranking of a field."""
        compared = self._fields.get(name)
        return () if compared is None else compared.ranking()

    @property
    def compared(self) -> tuple[int, ...]:
        """The numbers of the deals that are compared."""
        return tuple(sorted(n for n, deal in self._deals.items() if deal.open and (n, EVERYWHERE) not in self._annulled))

    @property
    def fields(self) -> tuple[FieldName, ...]:
        """Every field with something compared."""
        return tuple(self._fields)

    def changed(self) -> frozenset[FieldName]:
        """The fields whose results changed since the last call."""
        changed, self._changed = frozenset(self._changed), set()
        return changed

    def _is_finished(self, n: int, deal: _DealEverywhere) -> bool:
        if self._by_deadline:
            return n in self._released and (n, EVERYWHERE) not in self._annulled
        annulled = {venue for of, venue in self._annulled if of == n}
        if EVERYWHERE in annulled or self._silent - annulled:
            return False
        awaited = self._awaited.get(deal.session)
        if awaited is None:
            playing = {venue: programme for venue, programme in self._programmes.items() if venue not in self._withdrawn}
            tables = {venue: programme.field.session(deal.session).tables for venue, programme in playing.items()}
            awaited = self._awaited[deal.session] = frozenset((venue, table) for venue, named in tables.items() for table in named)
        if annulled:
            awaited = frozenset((venue, table) for venue, table in awaited if venue not in annulled)
        return len(deal.results) >= len(awaited) and awaited <= deal.results.keys()

    def _open_finished(self) -> None:
        self._awaited.clear()
        for n, deal in self._deals.items():
            self._open_if_finished(n, deal)

    def _open_if_finished(self, n: int, deal: _DealEverywhere) -> None:
        if not deal.open and self._is_finished(n, deal):
            deal.open = True
            self._put(n, deal.results)

    def _put(self, n: int, results: Mapping[tuple[str, str], tuple[DealResult, ...]]) -> None:
        """Give results of a deal, by venue and table, to every field that they belong to."""
        by_field: dict[FieldName, dict[str, tuple[DealResult, ...]]] = {WORLD: {}}
        for (venue, table), of_table in results.items():
            counted = () if self._annulled and self._annulled & {(n, EVERYWHERE), (n, venue)} else of_table
            at = f"{venue}/{table}"
            for name in self._fields_of[venue]:
                by_field.setdefault(name, {})[at] = counted
        for name, tables in by_field.items():
            if name not in self._fields:
                self._fields[name] = FieldComparison(self._programme.field.kind, self._scale, self._programme.points, self._unranked)
            self._fields[name].put(n, tables)
            self._changed.add(name)
