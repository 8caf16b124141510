"""The lamp language from a player's chair: what a player does next."""

from __future__ import annotations

from dataclasses import replace

import pytest

from twinwall.game.play import Claim, Meld, MeldType
from twinwall.game.tiles import Seat, Tile, parse_tiles
from twinwall.simulator.panel.file import Lamps
from twinwall.simulator.players.reading import east_place, round_wind, seat_at, view_from
from twinwall.simulator.players.steps import Memory, Step, next_step
from twinwall.simulator.players.strategy import Answer, Kong
from twinwall.simulator.tabletop import MeldSeen
from twinwall.simulator.world.sight import Sight, sight_from_json

EAST = 0
HAND = ("1m", "2m", "3m", "4p", "5p", "6p", "7s", "8s", "9s", "E", "E", "C", "C")
SIGHT = Sight(
    version=1,
    place=1,
    rack=HAND,
    drawn=None,
    hand_waiting=0,
    gate_open=False,
    draws_left=(20, 20, 20, 20),
    rivers=(("4m", "C"), (), (), ()),
    melds=((), (), (), ()),
    shown=((), (), (), ()),
    lamps=Lamps(),
    discards=2,
    last_discard=(0, 1),
    answered=True,
)
CLAIMED = Memory(Answer(Claim.PUNG, parse_tiles("C C")), answered_window=2)
WON = Memory(Answer(Claim.WIN), answered_window=2)


def lit(*turn: int, call: tuple[int, ...] = (), window: bool = False, fault: bool = False) -> Lamps:
    return Lamps(tuple(place in turn for place in range(4)), tuple(place in call for place in range(4)), window, fault)


OWN_SHOWN = ((), HAND, (), ())
OTHERS_SHOWN = (HAND, (), (), ())
GONE = (("4m", None), (), (), ())
LAST = (0, 5, 5, 5)

ADDING, HIDING = Memory().with_kong(Kong(Tile.RED, True)), Memory().with_kong(Kong(Tile.RED, False))
KONG_SEEN = ((), (MeldSeen(("C", "C", "C", "C"), None),), (), ())

CASES = [
    ("nothing is lit", {}, Memory(), Step.WAIT),
    ("the walls have risen", {"lamps": lit(0, 1, 2, 3), "hand_waiting": 13, "rack": ()}, Memory(), Step.TAKE_HAND),
    ("the others still take", {"lamps": lit(0, 1, 2)}, Memory(), Step.WAIT),
    ("my gate is open", {"lamps": lit(1), "gate_open": True}, Memory(), Step.DRAW),
    ("my gate is late", {"lamps": lit(1)}, Memory(), Step.WAIT),
    ("it is another's turn", {"lamps": lit(2), "gate_open": True}, Memory(), Step.WAIT),
    ("I have drawn", {"lamps": lit(1), "rack": (*HAND, "5m"), "drawn": "5m"}, Memory(), Step.PLAY),
    (
        "I have claimed",
        {"lamps": lit(1), "rack": HAND[:11], "melds": ((), (MeldSeen(("C", "C", "C"), 0),), (), ())},
        Memory(),
        Step.DISCARD,
    ),
    ("I have just discarded", {"lamps": lit(1), "gate_open": True}, Memory().with_discard(), Step.WAIT),
    ("a window opens", {"lamps": lit(window=True), "answered": False}, Memory(), Step.ANSWER),
    ("I have answered", {"lamps": lit(window=True, call=(1,))}, CLAIMED, Step.WAIT),
    ("my claim is granted but the window is lit", {"lamps": lit(1, call=(1,), window=True)}, CLAIMED, Step.WAIT),
    ("my claim is granted", {"lamps": lit(1, call=(1,))}, CLAIMED, Step.EXPOSE),
    ("my meld is looked at", {"lamps": lit(1, call=(1,)), "rivers": GONE}, CLAIMED, Step.WAIT),
    ("my call is lit without my turn", {"lamps": lit(2, call=(1,))}, CLAIMED, Step.WAIT),
    ("another's claim came first", {"lamps": lit(2, call=(2,))}, CLAIMED, Step.WAIT),
    ("my claim is of an older window", {"lamps": lit(1, call=(1,)), "discards": 3}, CLAIMED, Step.WAIT),
    ("my win is granted", {"lamps": lit(1, call=(1,))}, WON, Step.SHOW),
    ("my own draw wins", {"lamps": lit(1, call=(1,)), "rack": (*HAND, "C"), "drawn": "C"}, Memory().with_declaration(2), Step.SHOW),
    ("my hand is judged", {"lamps": lit(1, call=(1,)), "rack": (), "shown": OWN_SHOWN}, WON, Step.WAIT),
    ("my hand is good", {"lamps": lit(1), "rack": (), "shown": OWN_SHOWN}, WON, Step.CONFIRM),
    ("I have proposed", {"lamps": lit(0, 2, 3), "rack": (), "shown": OWN_SHOWN}, WON, Step.WAIT),
    ("my left neighbour has proposed", {"lamps": lit(1, 2, 3), "shown": OTHERS_SHOWN}, Memory(), Step.CONFIRM),
    ("somebody else agrees", {"place": 2, "lamps": lit(1, 2, 3), "shown": OTHERS_SHOWN}, Memory(), Step.WAIT),
    ("my kong is called and stands in my rack", {"lamps": lit(1, call=(1,)), "rack": (*HAND, "C")}, ADDING, Step.ADD_TO_PUNG),
    ("my fourth tile lies", {"lamps": lit(1, call=(1,))}, Memory().with_kong(Kong(Tile.M8, True)), Step.WAIT),
    ("my concealed kong is called", {"lamps": lit(1, call=(1,)), "rack": (*HAND, "C")}, HIDING, Step.LAY_FACE_DOWN),
    ("my concealed kong lies", {"lamps": lit(1, call=(1,)), "rack": HAND[:10]}, HIDING, Step.CONFIRM_KONG),
    ("my kong is made", {"lamps": lit(1), "rack": HAND[:10], "melds": KONG_SEEN, "gate_open": True}, HIDING, Step.DRAW),
    ("the replacement is drawn", {"lamps": lit(1), "rack": HAND[:11], "drawn": "E", "melds": KONG_SEEN}, HIDING, Step.PLAY),
    ("my claim to rob is granted", {"lamps": lit(1, call=(1,)), "last_discard": None, "added": (0, "C")}, WON, Step.SHOW),
    ("nobody won and I am East", {"place": 0, "lamps": lit(0), "draws_left": LAST}, Memory(), Step.CONFIRM),
    (
        "East draws from a wall that is not the last",
        {"place": 0, "lamps": lit(0), "draws_left": LAST, "gate_open": True},
        Memory(),
        Step.DRAW,
    ),
    ("nobody won and I am not East", {"lamps": lit(1), "draws_left": LAST}, Memory(), Step.WAIT),
    ("East has proposed a drawn hand", {"lamps": lit(1, 2, 3), "draws_left": LAST}, Memory(), Step.CONFIRM),
    ("the referee is called", {"lamps": lit(1, fault=True), "gate_open": True}, Memory(), Step.WAIT),
]


@pytest.mark.parametrize(("seen", "memory", "step"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_a_player_does_what_the_lamps_ask_for(seen: dict[str, object], memory: Memory, step: Step) -> None:
    sight = replace(SIGHT, **seen)  # type: ignore[arg-type]
    assert next_step(sight, memory, EAST) is step


def test_having_seen_the_window_of_the_own_discard_the_turn_can_come_again() -> None:
    memory = Memory().with_discard().with_answer(None, 2)
    assert next_step(replace(SIGHT, lamps=lit(1), gate_open=True), memory, EAST) is Step.DRAW


def test_a_called_kong_is_forgotten_with_the_discard_and_its_replacement_too() -> None:
    assert HIDING.replacing
    assert HIDING.with_discard() == Memory(turn_spent=True)
    assert HIDING.with_answer(None, 2).kong is None


def test_of_a_kong_that_lies_face_down_others_know_that_it_is_one() -> None:
    melds = ((MeldSeen(("back",) * 4, None),), (MeldSeen(("C",) * 4, None), MeldSeen(("E",) * 4, 0)), (), ())
    view = view_from(replace(SIGHT, melds=melds), 1)
    assert view.seats[0].melds == (Meld(MeldType.CONCEALED_KONG, (), None),)
    assert [(meld.type, meld.tiles[0]) for meld in view.melds] == [(MeldType.CONCEALED_KONG, Tile.RED), (MeldType.KONG, Tile.EAST)]


def test_a_sight_travels_as_json() -> None:
    sight = replace(SIGHT, lamps=lit(2, call=(0,), window=True), melds=((MeldSeen(("C", "C", "C"), 2),), (), (), ()), last_discard=None)
    assert sight_from_json(sight.to_json()) == sight
    added = replace(sight, added=(3, "C"))
    assert sight_from_json(added.to_json()) == added
    assert added.latest == (3, "C")


def test_the_dealer_moves_on_after_every_hand_and_the_round_after_every_fourth() -> None:
    assert [east_place(hand) for hand in (1, 2, 4, 5, 16)] == [0, 1, 3, 0, 3]
    assert [round_wind(hand) for hand in (1, 4, 5, 16)] == [Seat.EAST, Seat.EAST, Seat.SOUTH, Seat.NORTH]
    assert [seat_at(place, 2) for place in range(4)] == [Seat.NORTH, Seat.EAST, Seat.SOUTH, Seat.WEST]


def test_places_become_seats_and_sideways_tiles_tell_who_gave_them() -> None:
    melds = ((), (MeldSeen(("3m", "1m", "2m"), 0), MeldSeen(("C", "C", "C"), 2)), (), (MeldSeen(("E", "E", "E"), 1),))
    view = view_from(replace(SIGHT, melds=melds), 2)
    assert view.seat is Seat.EAST
    assert view.seats[Seat.NORTH.index].river == parse_tiles("4m C")
    assert [(meld.type, meld.source) for meld in view.melds] == [(MeldType.CHOW, Seat.NORTH), (MeldType.PUNG, Seat.SOUTH)]
    assert view.seats[Seat.WEST.index].melds[0].source is Seat.EAST
    assert view.concealed == tuple(sorted(parse_tiles(" ".join(HAND))))
