"""What the shown hands of a table are worth: the fans and the total of each winner, and who pays whom by the rules.

A score that was entered is shown as it was entered. Where the rules give other fans, those that were entered stand in one list. Who sees
this, and when, is left to the pages.
"""

from collections import Counter
from collections.abc import Mapping

from dashboard.i18n.words import Words
from dashboard.pages.table.board_picture import meld_tiles
from dashboard.projections.table_view import HandView, TileRows
from twinwall.game.documents import DocumentError
from twinwall.game.play_events import HandShown, Payment, totals
from twinwall.game.rule_set import Fan, RuleSet, Win
from twinwall.game.session import round_wind
from twinwall.game.tiles import Seat
from twinwall.values import frozen


@frozen
class HandsByRules:
    """The wins of the shown hands, and all that is paid when the hand ends so, by the rules."""

    wins: Mapping[Seat, Win]
    payments: tuple[Payment, ...]

    @property
    def amounts(self) -> Mapping[Seat, int]:
        """What each seat gains or pays in all."""
        return totals(self.payments)

    @property
    def paid(self) -> Mapping[tuple[Seat, Seat], int]:
        """Who pays whom how much in all."""
        paid: Counter[tuple[Seat, Seat]] = Counter()
        for payment in self.payments:
            if payment.source is not None and payment.to is not None:
                paid[payment.source, payment.to] += payment.amount
        return paid


def hands_by_rules(hand: HandView) -> HandsByRules | None:
    """The shown hands judged by the rules; None where the play is not known, or where one of them does not win."""
    rules, play = hand.rules, hand.play
    if rules is None or play is None or hand.paper:
        return None
    try:
        judged = {shown.seat: rules.score(rules.winning_hand(play, shown, round_wind(hand.number))) for shown in hand.shown}
    except DocumentError:
        return None
    wins = {seat: win for seat, win in judged.items() if isinstance(win, Win)}
    return HandsByRules(wins, rules.payments(play, wins)) if len(wins) == len(judged) else None


@frozen
class FanList:
    """The fans of a score in the words of one language: each with how often it counts, and what it is worth."""

    fans: tuple[tuple[str, int], ...]
    total: int


def hands_with_fans(
    hand: HandView, by_rules: HandsByRules | None, words: Words
) -> tuple[list[tuple[HandShown, TileRows, FanList | None]], FanList | None]:
    """The hands that were shown, in their order, with the tiles of their melds (None a back) and their fans: those of the rules, where
    nothing else was entered. And the fans that were entered for all together, where the rules do not tell whose they are."""
    lists = _fan_lists(hand, by_rules, words)
    return [(each, meld_tiles(hand, each.seat), lists.get(each.seat)) for each in hand.shown], lists.get(None)


def _fan_lists(hand: HandView, by_rules: HandsByRules | None, words: Words) -> Mapping[Seat | None, FanList]:
    entered, wins = hand.proposal, {} if by_rules is None else by_rules.wins
    if entered is None or Counter(entered.fans) == Counter(fan for win in wins.values() for fan in win.fans):
        return {seat: _fan_list(win.fans, win.total, hand.rules, words) for seat, win in wins.items()}
    seat = hand.shown[0].seat if len(hand.shown) == 1 else None
    return {seat: _fan_list(entered.fans, entered.total, hand.rules, words)} if entered.fans else {}


def _fan_list(fans: tuple[Fan, ...], total: int, rules: RuleSet | None, words: Words) -> FanList:
    return FanList(tuple(_fan_worth(fan, rules, words) for fan in fans), total)


def _fan_worth(fan: Fan, rules: RuleSet | None, words: Words) -> tuple[str, int]:
    """A fan as it counts by the rules; without them, by its value alone."""
    often = f" ×{fan.count}" if fan.count > 1 else ""
    return f"{fan_name(fan, words)}{often}", fan.value * fan.count if rules is None else rules.worth(fan)


def fan_name(fan: Fan, words: Words) -> str:
    """A fan's Chinese name as the rules print it; in English its stable id as a name stands before that."""
    if words.language != "en":
        return fan.name
    return f"{fan.id.replace('-', ' ').capitalize()} {fan.name}"
