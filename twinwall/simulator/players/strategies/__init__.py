"""Which way of playing goes with which rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol, runtime_checkable

from twinwall.game.rule_set import RuleSet
from twinwall.game.tiles import Seat, Tile
from twinwall.simulator.players.player_view import PlayerView
from twinwall.simulator.players.strategies.pattern_strategy import ClaimAnswer, Kong, PatternStrategy, Scorer, Taste
from twinwall.simulator.players.strategies.seigo import SeigoStrategy
from twinwall.simulator.players.strategies.sichuan import SichuanStrategy
from twinwall.simulator.players.strategies.yangzhou import YangzhouStrategy


class Player(Protocol):
    """Whoever decides for one seat, by what it sees alone."""

    def choose_discard(self, view: PlayerView) -> Tile:
        """The tile to throw; ``view.concealed`` holds the drawn tile, or is what is left after a claim."""
        ...

    def answer_discard(self, view: PlayerView, tile: Tile, source: Seat) -> ClaimAnswer | None:
        """What to call on a discard, or None; the tile lies in the river already."""
        ...

    def answer_added(self, view: PlayerView, tile: Tile, source: Seat) -> ClaimAnswer | None:
        """What to call on a tile that was added to a kong: a win, or None."""
        ...

    def choose_kong(self, view: PlayerView) -> Kong | None:
        """The kong to make at the own turn instead of a discard, or None."""
        ...

    def wants_win(self, view: PlayerView, drawn: Tile, *, replacement: bool = False) -> bool:
        """Whether to declare the hand with the tile just drawn."""
        ...


@runtime_checkable
class RiichiPlayer(Player, Protocol):
    """Somebody who knows riichi."""

    def declares_riichi(self, view: PlayerView, tile: Tile) -> bool:
        """Whether to declare riichi with this discard, which ``view.concealed`` still holds."""
        ...


_STYLES: Mapping[str, Callable[[Scorer, Taste], Player]] = {
    "seigo": SeigoStrategy,
    "sichuan": SichuanStrategy,
    "yangzhou": YangzhouStrategy,
}


def player_of(rules: RuleSet, taste: Taste) -> Player:
    """Somebody who plays by these rules; who knows nothing of them in particular aims at patterns of fans (``strategy``)."""
    return _STYLES.get(rules.name, PatternStrategy)(rules, taste)
