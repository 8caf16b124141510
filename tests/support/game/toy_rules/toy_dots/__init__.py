"""A rule set of one file: 72 tiles, three draws a seat, eight tiles left over; whoever has a triplet wins a point of each."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar

from twinwall.game.play import PlayState
from twinwall.game.play_events import HandShown, Payment, PaymentReason, PlayEvent
from twinwall.game.rule_set import Fan, Illegal, NoWin, Permissions, RuleSet, Win, WinningHand
from twinwall.game.rules.mcr_duplicate import legality, turns
from twinwall.game.rules.mcr_duplicate.scoring import McrOptions
from twinwall.game.rules.option_form import Choice, read_options
from twinwall.game.tiles import SEATS, WHOLE_SET, Seat
from twinwall.game.walls import HAND_SIZE, WallLayout

_PLAY = McrOptions(end="next-empty")


@dataclass(frozen=True, slots=True)
class ToyOptions:
    """Its one option."""

    points: Annotated[int, Choice("what each other player pays", least=1)] = 1


@dataclass(frozen=True, slots=True)
class ToyDots(RuleSet):
    """The rule set ``toy-dots``."""

    options: ToyOptions
    name: ClassVar[str] = "toy-dots"
    walls: ClassVar[WallLayout] = WallLayout(WHOLE_SET[:72], HAND_SIZE + 3)

    def permissions(self, state: PlayState) -> Permissions:
        return turns.permissions(state, _PLAY)

    def illegal(self, state: PlayState, event: PlayEvent) -> Illegal | None:
        return legality.illegal(state, event, _PLAY)

    def apply(self, state: PlayState, event: PlayEvent) -> PlayState:
        return turns.apply(state, event, _PLAY)

    def winning_hand(self, state: PlayState, shown: HandShown, round_wind: Seat) -> WinningHand:
        return turns.winning_hand(state, shown, round_wind, _PLAY)

    def score(self, hand: WinningHand) -> Win | NoWin:
        tiles = Counter([*hand.concealed, hand.winning, *(tile for meld in hand.melds for tile in meld.tiles)])
        if max(tiles.values()) < 3:
            return NoWin("not-a-win")
        points = self.options.points
        return Win((Fan("triplet", "刻", points, 1),), points, {seat: 3 * points if seat is hand.seat else -points for seat in SEATS})

    def payments(self, state: PlayState, wins: Mapping[Seat, Win]) -> tuple[Payment, ...]:
        return tuple(
            Payment(PaymentReason.WIN, seat, winner, win.total) for winner, win in wins.items() for seat in SEATS if seat is not winner
        )


def rule_set(options: Mapping[str, object]) -> RuleSet:
    return ToyDots(read_options(ToyOptions, ToyDots.name, options))
