"""The options of Seigo mahjong: what riichi, its base, leaves to agreement, and what the source leaves to riichi."""

from collections.abc import Mapping
from typing import Annotated, Literal

from twinwall.game.rules import RuleSetError
from twinwall.game.rules.option_form import Choice, read_options
from twinwall.values import frozen

NAME = "seigo"
RED_FIVES = (0, 3)
"""Red fives in a set: none, or one of each suit."""


@frozen
class SeigoOptions:
    red_fives: Annotated[int, Choice("red fives of the set that count as dora: 0, or 3 for one of each suit")] = 0
    open_tanyao: Annotated[bool, Choice("all simples (断么九) counts in an open hand (喰い断)")] = True
    kiriage: Annotated[bool, Choice("4 han 30 fu and 3 han 60 fu are a mangan (切り上げ満貫)")] = False
    double_yakuman: Annotated[bool, Choice("the rarest waits and big four winds are double yakuman")] = False
    counted_yakuman: Annotated[bool, Choice("13 han are a yakuman (数え役満), else a sanbaiman")] = True
    several_winners: Annotated[
        Literal["all", "nearest"], Choice("several win on one tile: all of them, or the nearest to the discarder alone (頭ハネ)")
    ] = "all"
    rob_kong: Annotated[bool, Choice("a tile added to a pung may be won on (搶槓)")] = True
    riichi_kong: Annotated[bool, Choice("in riichi a concealed kong of the drawn tile may be made that keeps the waits")] = True
    swap_calling: Annotated[
        bool, Choice("after a call the claimed tile, or the one that makes the same run, may be discarded (喰い替え)")
    ] = False
    noten_points: Annotated[int, Choice("points that the hands that are not ready pay in all at an exhaustive draw (ノーテン罰符)")] = 3000

    @classmethod
    def chosen(cls, options: Mapping[str, object]) -> "SeigoOptions":
        """Read options; raises RuleSetError for an unknown name or an impossible value."""
        chosen = read_options(cls, NAME, options)
        if chosen.red_fives not in RED_FIVES:
            raise RuleSetError(f"the option 'red_fives' of {NAME} must be 0 or 3, not {chosen.red_fives}")
        if chosen.noten_points % 12:
            raise RuleSetError(
                f"the option 'noten_points' of {NAME} must be a multiple of 12, so that it can be shared, not {chosen.noten_points}"
            )
        return chosen
