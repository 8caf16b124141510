"""Sichuan mahjong "to the bitter end" (血戦到底, 四川ルール, revised 29 September 2018): winners leave, the others play on. ``state``:
public state; ``turns``: turn order and state changes; ``legality``: what is allowed, also with walls; ``scoring``: value of a hand;
``settlement``: payments at the end."""

from collections.abc import Mapping

from twinwall.game.play import PlayState
from twinwall.game.play_events import HandShown, Payment, PlayEvent
from twinwall.game.rule_set import Fan, Illegal, NoWin, Permissions, RuleSet, SlipField, Win, WinningHand, Witness
from twinwall.game.rules.option_form import read_options
from twinwall.game.rules.sichuan import legality, scoring, turns
from twinwall.game.rules.sichuan.legality import SichuanWitness
from twinwall.game.rules.sichuan.options import NAME, SichuanOptions
from twinwall.game.rules.sichuan.settlement import payments
from twinwall.game.rules.sichuan.state import SichuanState, of_sichuan
from twinwall.game.tiles import ALL_TILES, COPIES, Seat
from twinwall.game.walls import HAND_SIZE, WallLayout
from twinwall.values import frozen

_TILES = tuple(kind for kind in ALL_TILES[: scoring.KINDS] for _ in range(COPIES))


@frozen
class Sichuan(RuleSet):
    """The rule set ``sichuan``; the methods are those of ``RuleSet``."""

    options: SichuanOptions
    name = NAME
    hand_form = scoring.SichuanHand
    slip = (SlipField("Fan ×", "番 ×", "番 ×"), SlipField("Kongs", "杠", "槓"))
    walls = WallLayout(_TILES, HAND_SIZE + turns.DRAWS)
    chows = False

    @property
    def usual_most(self) -> int:
        """Three wins at the cap, with their kongs."""
        return 6 * self.options.limit * self.options.rate

    def start(self) -> PlayState:
        return SichuanState.beginning(NAME, self.walls.draws)

    def permissions(self, state: PlayState) -> Permissions:
        return turns.permissions(of_sichuan(state))

    def illegal(self, state: PlayState, event: PlayEvent) -> Illegal | None:
        return legality.illegal(of_sichuan(state), event)

    def apply(self, state: PlayState, event: PlayEvent) -> PlayState:
        return turns.apply(of_sichuan(state), event)

    def winning_hand(self, state: PlayState, shown: HandShown, round_wind: Seat) -> WinningHand:
        """The declared hand, with the flags at the declaration."""
        return turns.winning_hand(of_sichuan(state), shown, round_wind)

    def score(self, hand: WinningHand) -> Win | NoWin:
        return scoring.score(hand, self.options)

    def worth(self, fan: Fan) -> int:
        return scoring.worth(fan)

    def payments(self, state: PlayState, wins: Mapping[Seat, Win]) -> tuple[Payment, ...]:
        """Wins, kongs, three suits, hands that are not ready, and penalties."""
        return payments(of_sichuan(state), wins, self.options)

    def witness(self, round_wind: Seat) -> Witness:  # noqa: ARG002 - the round is worth nothing here
        return SichuanWitness(self.options)


def rule_set(options: Mapping[str, object]) -> RuleSet:
    return Sichuan(read_options(SichuanOptions, NAME, options))
