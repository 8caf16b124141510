"""The value of a table's shown hands: each winner's fans and total, and who pays whom by the rules. An entered score is shown as entered.
If the rules give other fans, the entered ones are in one list. The pages decide who sees this, and when."""

from collections import Counter
from collections.abc import Mapping

from dashboard.i18n.words import Words
from dashboard.pages.table.board_picture import meld_tiles
from dashboard.projections.table_view import HandView, TileRows
from twinwall.game.documents import DocumentError
from twinwall.game.play_events import HandShown, Payment, totals
from twinwall.game.rule_set import Fan, RuleSet, Win
from twinwall.game.tiles import Seat, round_wind
from twinwall.values import frozen


@frozen
class HandsByRules:
    """The wins of the shown hands, and all payments of this end of the hand, by the rules."""

    wins: Mapping[Seat, Win]
    payments: tuple[Payment, ...]

    @property
    def amounts(self) -> Mapping[Seat, int]:
        return totals(self.payments)

    @property
    def paid(self) -> Mapping[tuple[Seat, Seat], int]:
        """The total payment from seat to seat."""
        paid: Counter[tuple[Seat, Seat]] = Counter()
        for payment in self.payments:
            if payment.source is not None and payment.to is not None:
                paid[payment.source, payment.to] += payment.amount
        return paid


def hands_by_rules(hand: HandView) -> HandsByRules | None:
    """The shown hands judged by the rules; None if the play is unknown, or if one of them does not win."""
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
    """The fans of a score in one language, each with its count and value."""

    fans: tuple[tuple[str, int], ...]
    total: int


def hands_with_fans(
    hand: HandView, by_rules: HandsByRules | None, words: Words
) -> tuple[list[tuple[HandShown, TileRows, FanList | None]], FanList | None]:
    """The shown hands in order, with the tiles of their melds (None is a back) and their fans by the rules, unless others were entered.
    Then the fans entered for all together, if the rules do not say whose they are."""
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
    """A fan with its value by the rules; without them, its own value."""
    often = f" ×{fan.count}" if fan.count > 1 else ""
    return f"{fan_name(fan, words)}{often}", fan.value * fan.count if rules is None else rules.worth(fan)


def fan_name(fan: Fan, words: Words) -> str:
    """A fan's Chinese name as the rules print it; in English its stable id comes before that as a name."""
    if words.language != "en":
        return fan.name
    return f"{fan.id.replace('-', ' ').capitalize()} {fan.name}"
