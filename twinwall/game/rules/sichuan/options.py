"""The options of Sichuan mahjong: what the source leaves to agreement or leaves unclear, with defaults."""

from typing import Annotated, Literal

from twinwall.game.rules.option_form import Choice
from twinwall.values import frozen

NAME = "sichuan"


@frozen
class SichuanOptions:
    cap: Annotated[int | None, Choice("the most that the fans of a hand multiply to (満格, 封頂, 極品)", least=1)] = 8
    rate: Annotated[int, Choice("points for a multiplier of 1", least=1)] = 1
    self_draw_bonus: Annotated[bool, Choice("a self-drawn win pays the rate once more (自摸加底), beyond the cap")] = False
    jiang_dui: Annotated[bool, Choice("all triplets of 2, 5 and 8 (将対) count ×8")] = False
    dai_yao: Annotated[bool, Choice("a 1 or 9 in every set and in the pair (帯么) counts ×4")] = False
    dan_diao: Annotated[bool, Choice("four melds and a wait for the pair (単釣) count ×4")] = False
    hai_di: Annotated[bool, Choice("the last tile of the walls, or the discard after it (海底), counts ×2")] = False
    jue_zhang: Annotated[bool, Choice("the last copy of a tile (絶張) counts ×2")] = False
    heaven_earth: Annotated[bool, Choice("a win with the first draw (天和, 地和) counts as the cap; ×8 where there is none")] = False
    passed_win: Annotated[
        Literal["kind", "any"],
        Choice("after letting a winning discard pass, what may not be won on before the own turn: that kind, or any discard"),
    ] = "kind"
    must_win_last: Annotated[int, Choice("a seat that can win must: in this many last draws, and on the discards after them")] = 4
    dead_wait_ready: Annotated[bool, Choice("a hand whose every wait lies open (死叫) counts as ready for 査叫")] = False
    dead_wait_kongs: Annotated[
        bool | None, Choice('a hand whose every wait lies open (死叫) keeps its kong bonuses; "none": as `dead_wait_ready` says')
    ] = None
    not_ready_pays: Annotated[Literal["max", "min"], Choice("査叫 pays the highest or the lowest value of the ready hand")] = "max"
    pig_without_cap: Annotated[int, Choice("what a holder of three suits (花猪) pays each other player without a cap, in points")] = 10
    pig_pays_not_ready: Annotated[bool, Choice("a holder of three suits pays 査叫 besides")] = False
    late_added_kong: Annotated[bool, Choice("a tile added to a pung later than when it was drawn earns the bonus too (刮風)")] = False

    @property
    def dead_wait_earns(self) -> bool:
        """Whether a hand with only visible waits keeps its kong bonuses."""
        return self.dead_wait_ready if self.dead_wait_kongs is None else self.dead_wait_kongs

    @property
    def limit(self) -> int:
        """The value of the rare hands: the cap, or 8 without one."""
        return 8 if self.cap is None else self.cap

    @property
    def pig_points(self) -> int:
        """What a holder of three suits pays each other player, in points."""
        return self.pig_without_cap if self.cap is None else self.cap * self.rate
