"""Payments at the end of a hand of Sichuan (``payments``): wins, kongs, hands with three suits, and hands that are not ready. All hands are
shown then. The seat of a false win counts as a seat without a win that is not ready (四川ルール 血戦到底, revised 29 September 2018,
カンのボーナス and 欠門と下叫の罰金)."""

from collections import Counter
from collections.abc import Iterator, Mapping

from twinwall.game.play_events import MeldType, Payment, PaymentReason, penalty_payments
from twinwall.game.rule_set import Win
from twinwall.game.rules.divisions import RANKS
from twinwall.game.rules.sichuan.options import SichuanOptions
from twinwall.game.rules.sichuan.scoring import KINDS, capped, counts_of, shape_of, with_melds
from twinwall.game.rules.sichuan.state import MOST_WINNERS, KongMade, SichuanState, seen_tiles
from twinwall.game.tiles import COPIES, SEATS, Seat, Tile, TileRow
from twinwall.values import frozen

_KONG_RATES = {MeldType.CONCEALED_KONG: 2, MeldType.ADDED_KONG: 1, MeldType.KONG: 2}
"""What each payer owes for a kong, times the rate; a claimed one (直槓) is paid by the discarder only."""


def payments(state: SichuanState, wins: Mapping[Seat, Win], options: SichuanOptions) -> tuple[Payment, ...]:
    """Who pays whom when the hand ends in ``state``; ``wins`` are the shown hands that win."""
    settlement = _Settlement(state, wins, options, frozenset(win.seat for win in state.standing if win.seat in wins))
    return (*settlement.wins_paid(), *settlement.kongs(), *settlement.end_checks(), *penalty_payments(state.penalties))


@frozen
class _Settlement:
    state: SichuanState
    wins: Mapping[Seat, Win]
    options: SichuanOptions
    winners: frozenset[Seat]
    """Seats whose wins count."""

    def wins_paid(self) -> Iterator[Payment]:
        """Each win as scored, in the order of declaration."""
        for win in self.state.standing:
            if win.seat in self.winners:
                for seat, gain in self.wins[win.seat].payments.items():
                    if gain < 0:
                        yield Payment(PaymentReason.WIN, seat, win.seat, -gain)

    def kongs(self) -> Iterator[Payment]:
        """下雨 and 刮風 for seats that have won or are ready. If the discard after a kong was won on, its bonus passes to the winners."""
        for kong in self.state.kongs:
            if kong.late and not self.options.late_added_kong:
                continue
            heirs = [seat for seat in kong.handed_to if seat in self.winners]
            if not heirs and kong.seat not in self.winners and self.ready_value(kong.seat, dead_waits=self.options.dead_wait_earns) is None:
                continue
            each, payers = _KONG_RATES[kong.type] * self.options.rate, self._payers(kong)
            yield from (Payment(PaymentReason.KONG, payer, kong.seat, each) for payer in payers)
            yield from (Payment(PaymentReason.KONG, kong.seat, heir, each * len(payers)) for heir in heirs)

    def _payers(self, kong: KongMade) -> tuple[Seat, ...]:
        """The seats that had not won when the kong was made."""
        if kong.source is not None:
            return (kong.source,)
        return tuple(seat for seat in SEATS if seat is not kong.seat and seat not in kong.finished & self.winners)

    def end_checks(self) -> Iterator[Payment]:
        """査花猪 and 査叫, if fewer than three have won."""
        if len(self.winners) >= MOST_WINNERS:
            return
        losers = [seat for seat in SEATS if seat not in self.winners]
        pigs = [seat for seat in losers if self._has_three_suits(seat)]
        for pig in pigs:
            yield from (Payment(PaymentReason.PIG, pig, seat, self.options.pig_points) for seat in SEATS if seat is not pig)
        values = {seat: self.ready_value(seat, dead_waits=self.options.dead_wait_ready) for seat in losers}
        paying = [seat for seat in losers if values[seat] is None and (self.options.pig_pays_not_ready or seat not in pigs)]
        for payer in paying:
            for seat, value in values.items():
                if value is not None:
                    yield Payment(PaymentReason.NOT_READY, payer, seat, value * self.options.rate)

    def _has_three_suits(self, seat: Seat) -> bool:
        own, win = self.state.seat(seat), self.state.win_of(seat)
        tiles = [*(own.shown or ()), *(tile for meld in own.melds for tile in meld.tiles), *([win.tile] if win else [])]
        return len({tile // RANKS for tile in tiles}) == KINDS // RANKS

    def ready_value(self, seat: Seat, *, dead_waits: bool) -> int | None:
        """The highest or lowest (option) possible value of a hand that has not won; None if it is not ready. ``dead_waits``: whether a hand
        counts as ready if all its waits are visible."""
        own = self.state.seat(seat)
        if own.dead or own.shown is None or self.state.win_of(seat) is not None:
            return None
        seen = Counter(seen_tiles(self.state))
        values = wait_values(own.shown, self.state, seat, self.options)
        alive = {tile: value for tile, value in values.items() if seen[tile] + own.shown.count(tile) < COPIES}
        counted = alive or (values if dead_waits else {})
        if not counted:
            return None
        return max(counted.values()) if self.options.not_ready_pays == "max" else min(counted.values())


def wait_values(concealed: TileRow, state: SichuanState, seat: Seat, options: SichuanOptions) -> dict[Tile, int]:
    """The kinds that complete a hand, and its value with each, without circumstances."""
    melds = state.seat(seat).melds
    values = {}
    for tile in map(Tile, range(KINDS)):
        counts = counts_of(concealed, tile)
        held = None if counts is None else with_melds(counts, melds)
        fans = None if counts is None or held is None else shape_of(counts, held, melds, options)
        if fans is not None:
            values[tile] = capped(fans, options)
    return values
