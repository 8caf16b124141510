"""A visible table in the middle of a hand, of which tests change what they are about."""

from simulator.world.visible_table import VisibleTable
from twinwall.wire.shapes.panel import Lamps

HAND = ("1m", "2m", "3m", "4p", "5p", "6p", "7s", "8s", "9s", "E", "E", "C", "C")
VISIBLE = VisibleTable(
    version=1,
    place=1,
    hand=1,
    rack=HAND,
    drawn=None,
    after_kong=False,
    hand_waiting=0,
    gate_open=False,
    draws_left=(20, 20, 20, 20),
    clearing=False,
    box=True,
    rivers=(("4m", "C"), (), (), ()),
    melds=((), (), (), ()),
    shown=((), (), (), ()),
    lamps=Lamps(),
    discards=2,
    last_discard=(0, 1),
    answered=True,
)
