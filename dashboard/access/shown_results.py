"""Released results as one kind of viewer may see them: deals, standings and corrections, without held-back sessions.
``dashboard.access.access_policy`` says who may see a session with results that the director holds back. Others see only the walls of its
released deals, which anybody can make from their slips."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction

from dashboard.access.shown_names import ShownNames
from twinwall.event.comparison import ComparedDeal
from twinwall.event.event_standings import EventStandings
from twinwall.event.field import Group
from twinwall.event.hands import HandSummary
from twinwall.event.imp_scale import ImpScale
from twinwall.event.points import AveragedDeal, Points, RankedGroup
from twinwall.event.results import DealResult, EntrantKind
from twinwall.event.store.event_comparison import Correction, LeftOut
from twinwall.event.store.hall import Hall, Released
from twinwall.values import frozen


@frozen
class ReleasedDeal:
    """A deal that every table has finished; ``opening`` is its slip, which agrees with plan and root."""

    n: int
    session: int
    hand: int
    rules: str
    groups: tuple[Group, ...]
    """Of its session."""
    hands: tuple[HandSummary, ...]
    compared: Mapping[str, ComparedDeal]
    """By the name of the group."""
    left_out: tuple[LeftOut, ...]
    averaged: tuple[AveragedDeal, ...]
    corrections: tuple[Correction, ...]
    opening: Released
    differing: tuple[str, ...]
    """Tables that published another check of this deal than its slip has: they played another deal."""
    scale: ImpScale
    points: Points
    held: bool = False
    """Whether its results are held back from this viewer; then it has no hands and no comparison."""
    several_sessions: bool = False
    """Whether deals of other sessions are released too, so that the hand alone does not identify it."""


@frozen
class StandingsTable:
    """The standings after the released deals, of one session or of the event, and the deals that could not be compared."""

    kind: EntrantKind
    scale: ImpScale
    points: Points
    """What is added up; the scale has no meaning for rank points."""
    groups: tuple[RankedGroup, ...]
    """Of the requested session or the only one; one group if it was requested."""
    left_out: tuple[LeftOut, ...]
    averaged: tuple[AveragedDeal, ...]
    corrections: tuple[Correction, ...]
    session: int | None = None
    """The requested session; None for the event."""
    named: tuple[str, ...] = ()
    """The names of all groups of that session."""
    sessions: tuple[int, ...] = ()
    """The sessions with a released deal."""
    whole: EventStandings | None = None
    """The standings of the event; None if one session was requested, or there is only one."""
    held: tuple[int, ...] = ()
    """Sessions that the director holds back, whether or not this viewer sees them."""
    hidden: tuple[int, ...] = ()
    """Held-back sessions that this viewer does not see."""
    withdrawn: frozenset[str] = frozenset()
    """Entrants who left the event."""
    carry_over: Fraction = Fraction(1)
    """The share of the previous total that each session adds."""


@frozen
class ShownResults:
    """The released results of a hall for one kind of viewer; ``sees_held`` if that viewer sees held-back sessions."""

    _hall: Hall
    _names: ShownNames
    sees_held: bool

    def hidden(self) -> frozenset[int]:
        """The sessions with results that the viewer does not see."""
        return frozenset() if self.sees_held else frozenset(self._hall.programme.held_sessions)

    def groups_of(self, session: int) -> tuple[Group, ...]:
        """The groups of a session, which are public."""
        return self._hall.programme.field.session(session).groups

    def deal(self, n: int) -> ReleasedDeal | None:
        """A deal; None until it is released."""
        state = self._hall.deal(n)
        if state.released is None:
            return None
        comparison, programme = self._hall.comparison(), self._hall.programme
        compared, deal = comparison.deals[n], state.released.deal
        shown = ReleasedDeal(
            n,
            compared.session,
            deal.hand,
            deal.rules,
            self.groups_of(compared.session),
            tuple(self._names.hand(hand) for hand in state.hands),
            {group: self._names.compared(of_group) for group, of_group in compared.groups.items()},
            tuple(self._left_out(out) for out in compared.left_out),
            tuple(self._averaged(out) for out in compared.averaged),
            tuple(self._names.correction(each) for each in self._hall.corrections(self.hidden()) if each.n == n),
            state.released,
            state.differing,
            comparison.scale,
            programme.points,
            several_sessions=len(self.sessions()) > 1,
        )
        if compared.session in self.hidden():
            return replace(shown, hands=(), compared={}, left_out=(), averaged=(), corrections=(), differing=(), held=True)
        return shown

    def deals(self) -> Iterator[ReleasedDeal]:
        """The released deals, by number."""
        return (deal for n in self._hall.released_deals() if (deal := self.deal(n)) is not None)

    def compared_results(self) -> tuple[DealResult, ...]:
        """The compared results, deal by deal, with shown names of entrants."""
        hidden, deals = self.hidden(), self._hall.comparison().deals.values()
        shown = (self._names.compared(group) for deal in deals if deal.session not in hidden for group in deal.groups.values())
        return tuple(result for group in shown for result in group.results)

    @property
    def kind(self) -> EntrantKind:
        return self._hall.programme.field.kind

    def sessions(self) -> tuple[int, ...]:
        """The sessions with a released deal."""
        return tuple(sorted({deal.session for deal in self._hall.comparison().deals.values()}))

    def standings(self, session: int | None = None, group: str | None = None) -> StandingsTable:
        programme, comparison, hidden = self._hall.programme, self._hall.comparison(), self.hidden()
        sessions = self.sessions()
        only = session if session is not None else sessions[0] if len(sessions) == 1 else None
        found = self._hall.standings(hidden)
        shown = [deal for deal in comparison.deals.values() if deal.session not in hidden and only in (None, deal.session)]
        return StandingsTable(
            programme.field.kind,
            comparison.scale,
            programme.points,
            tuple(self._names.ranked(each) for each in found.groups if each.session == only and group in (None, each.name)),
            tuple(self._left_out(out) for deal in shown for out in deal.left_out),
            tuple(self._averaged(out) for deal in shown for out in deal.averaged),
            tuple(self._names.correction(each) for each in self._hall.corrections(hidden) if only in (None, each.session)),
            session,
            tuple(each.name for each in found.groups if each.session == only),
            sessions,
            self._names.standings(found) if only is None and found.sessions else None,
            tuple(number for number in sessions if number in programme.held_sessions),
            tuple(number for number in sessions if number in hidden),
            frozenset(map(self._names.entrant, programme.withdrawn)),
            programme.rules.carry_over,
        )

    def _left_out(self, out: LeftOut) -> LeftOut:
        recorded = frozenset(player for hand in self._hall.hands(out.n) for player in hand.names.values())
        return replace(out, reason=self._names.reason(out.reason, recorded))

    def _averaged(self, out: AveragedDeal) -> AveragedDeal:
        return replace(out, teams=tuple(map(self._names.entrant, out.teams)), withdrawn=self._names.entrant(out.withdrawn))
