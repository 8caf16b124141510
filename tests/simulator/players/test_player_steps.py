"""Next steps of a player: the lamp language as a player reads it."""

import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from random import Random

import msgspec
import pytest

from simulator.players.client import RefusedError, StoppedError, WorldClient
from simulator.players.person import Person, just_claimed, next_shared, turns_begun, waiting
from simulator.players.player_steps import Manners, PlayerStep, declared_on_draw, next_step
from simulator.players.player_view import view_from
from simulator.players.strategies.player import Taste
from simulator.players.strategies.seigo import SeigoStrategy
from simulator.world.visible_table import MeldSeen, Pressed, VisibleTable
from tests.support.answering import Answering, answering
from tests.support.game.seigo_tables import DRAWS, SeigoTable, seigo_deal
from tests.support.narrowed import present
from tests.support.simulator.disturbed_hands import HAND, VISIBLE
from tests.support.tiers import some
from twinwall.game.play import Phase
from twinwall.game.play_events import Meld, MeldType
from twinwall.game.rules import rule_set
from twinwall.game.rules.seigo.state import SHARED_ROWS, SeigoState
from twinwall.game.rules.seigo.turns import waiting_discard
from twinwall.game.tiles import SEATS, Seat, Tile, parse_tiles, place_of
from twinwall.wire.shapes.panel import Key, Lamps

CLAIMED, WON = Pressed(Key.PUNG, True, 2), Pressed(Key.WIN, True, 2)
DECLARED, KONG, RIICHI = Pressed(Key.WIN, False, 2), Pressed(Key.KONG, False, 2), Pressed(Key.RIICHI, False, 2)


def lit(*turn: int, call: tuple[int, ...] = (), window: bool = False, fault: bool = False) -> Lamps:
    return Lamps(frozenset(turn), frozenset(call), window, fault)


OWN_SHOWN = ((), HAND, (), ())
OTHERS_SHOWN = (HAND, (), (), ())
GONE = (("4m", None), (), (), ())
LAST = (0, 5, 5, 5)

KONG_SEEN = ((), (MeldSeen(("C", "C", "C", "C"), None),), (), ())
CLEARING = {"clearing": True, "draws_left": (0,) * 4, "rack": (), "rivers": ((),) * 4, "box": False}

CASES: list[tuple[str, dict[str, object], PlayerStep]] = [
    ("nothing is lit", {}, PlayerStep.WAIT),
    ("the walls have risen", {"lamps": lit(0, 1, 2, 3), "hand_waiting": 13, "rack": ()}, PlayerStep.TAKE_HAND),
    ("the others still take", {"lamps": lit(0, 1, 2)}, PlayerStep.WAIT),
    ("my gate is open", {"lamps": lit(1), "gate_open": True}, PlayerStep.DRAW),
    ("my gate is late", {"lamps": lit(1)}, PlayerStep.WAIT),
    ("it is another's turn", {"lamps": lit(2), "gate_open": True}, PlayerStep.WAIT),
    ("I have drawn", {"lamps": lit(1), "rack": (*HAND, "5m"), "drawn": "5m"}, PlayerStep.PLAY),
    ("I have claimed", {"lamps": lit(1), "rack": HAND[:11], "melds": ((), (MeldSeen(("C", "C", "C"), 0),), (), ())}, PlayerStep.DISCARD),
    ("I have just discarded", {"lamps": lit(1), "gate_open": True, "last_discard": (1, 0), "answered": False}, PlayerStep.WAIT),
    ("I have just added to a pung", {"lamps": lit(1), "gate_open": True, "added": (1, "C"), "answered": False}, PlayerStep.WAIT),
    ("my own window has passed", {"lamps": lit(1), "gate_open": True, "last_discard": (1, 0)}, PlayerStep.DRAW),
    ("a window opens", {"lamps": lit(window=True), "answered": False}, PlayerStep.ANSWER),
    ("I have answered", {"lamps": lit(window=True, call=(1,)), "pressed": CLAIMED}, PlayerStep.WAIT),
    ("my claim stands unanswered", {"lamps": lit(window=True, call=(1,)), "answered": False, "pressed": CLAIMED}, PlayerStep.SAY_ANSWERED),
    ("my claim was forgotten", {"lamps": lit(window=True), "answered": False, "pressed": CLAIMED}, PlayerStep.ANSWER),
    ("my claim is granted but the window is lit", {"lamps": lit(1, call=(1,), window=True), "pressed": CLAIMED}, PlayerStep.WAIT),
    ("my claim is granted", {"lamps": lit(1, call=(1,)), "pressed": CLAIMED}, PlayerStep.EXPOSE),
    ("my meld is looked at", {"lamps": lit(1, call=(1,)), "rivers": GONE, "pressed": CLAIMED}, PlayerStep.WAIT),
    ("my call is lit without my turn", {"lamps": lit(2, call=(1,)), "pressed": CLAIMED}, PlayerStep.WAIT),
    ("another's claim came first", {"lamps": lit(2, call=(2,)), "pressed": CLAIMED}, PlayerStep.WAIT),
    ("my claim is of an older window", {"lamps": lit(1, call=(1,)), "discards": 3, "pressed": CLAIMED}, PlayerStep.WAIT),
    ("my call is lit and I know of no press", {"lamps": lit(1, call=(1,))}, PlayerStep.WAIT),
    ("my win is granted", {"lamps": lit(1, call=(1,)), "pressed": WON}, PlayerStep.SHOW),
    ("my own draw wins", {"lamps": lit(1, call=(1,)), "rack": (*HAND, "C"), "drawn": "C", "pressed": DECLARED}, PlayerStep.SHOW),
    ("my hand is judged", {"lamps": lit(1, call=(1,)), "rack": (), "shown": OWN_SHOWN, "pressed": WON}, PlayerStep.WAIT),
    ("my hand is good", {"lamps": lit(1), "rack": (), "shown": OWN_SHOWN, "pressed": WON}, PlayerStep.CONFIRM),
    ("I have proposed", {"lamps": lit(0, 2, 3), "rack": (), "shown": OWN_SHOWN, "pressed": WON}, PlayerStep.WAIT),
    ("my left neighbour has proposed", {"lamps": lit(1, 2, 3), "shown": OTHERS_SHOWN}, PlayerStep.CONFIRM),
    ("somebody else agrees", {"place": 2, "lamps": lit(1, 2, 3), "shown": OTHERS_SHOWN}, PlayerStep.WAIT),
    ("my kong is called", {"lamps": lit(1, call=(1,)), "rack": (*HAND, "C"), "drawn": "C", "pressed": KONG}, PlayerStep.LAY_KONG),
    ("my fourth tile lies on its pung", {"lamps": lit(1, call=(1,)), "discards": 3, "pressed": KONG}, PlayerStep.WAIT),
    (
        "my concealed kong lies",
        {"lamps": lit(1, call=(1,)), "rack": HAND[:10], "melds": KONG_SEEN, "pressed": KONG},
        PlayerStep.CONFIRM_KONG,
    ),
    ("my kong is made", {"lamps": lit(1), "rack": HAND[:10], "melds": KONG_SEEN, "gate_open": True, "pressed": KONG}, PlayerStep.DRAW),
    ("the replacement is drawn", {"lamps": lit(1), "rack": HAND[:11], "drawn": "E", "melds": KONG_SEEN, "pressed": KONG}, PlayerStep.PLAY),
    ("my claim to rob is granted", {"lamps": lit(1, call=(1,)), "last_discard": None, "added": (0, "C"), "pressed": WON}, PlayerStep.SHOW),
    ("nobody won and I am East", {"place": 0, "lamps": lit(0), "draws_left": LAST}, PlayerStep.CONFIRM),
    ("East draws from a wall that is not the last", {"place": 0, "lamps": lit(0), "draws_left": LAST, "gate_open": True}, PlayerStep.DRAW),
    ("nobody won and I am not East", {"lamps": lit(1), "draws_left": LAST}, PlayerStep.WAIT),
    ("East has proposed a drawn hand", {"lamps": lit(1, 2, 3), "draws_left": LAST}, PlayerStep.CONFIRM),
    ("staff is called while I am to draw", {"lamps": lit(1, fault=True), "gate_open": True}, PlayerStep.DRAW),
    ("staff is called and nothing is asked of me", {"lamps": lit(fault=True), "gate_open": True}, PlayerStep.WAIT),
    ("the well is open and my rack is full", {**CLEARING, "rack": HAND}, PlayerStep.PUSH_IN),
    ("the well is open and my river lies", {**CLEARING, "rivers": ((), (None, "1m"), (), ())}, PlayerStep.PUSH_IN),
    ("the well is open and my melds lie", {**CLEARING, "melds": KONG_SEEN}, PlayerStep.PUSH_IN),
    ("the well is open and my hand lies shown", {**CLEARING, "shown": OWN_SHOWN}, PlayerStep.PUSH_IN),
    ("the well is open and only others have tiles", {**CLEARING, "rivers": (("1m",), (), (), ())}, PlayerStep.WAIT),
    ("the box is another's to pour", {**CLEARING, "box": True}, PlayerStep.WAIT),
    ("the box is mine to pour", {**CLEARING, "place": 0, "box": True}, PlayerStep.POUR_BOX),
    ("tiles are short", {**CLEARING, "place": 0, "lamps": lit(fault=True)}, PlayerStep.SEARCH),
    ("tiles are short and another looks", {**CLEARING, "lamps": lit(fault=True)}, PlayerStep.WAIT),
]


ALL_SHOWN = (HAND, HAND, HAND, HAND)
DRAWN = {"lamps": lit(1, call=(1,)), "rack": (*HAND, "C"), "drawn": "C"}
GOING_ON: list[tuple[str, dict[str, object], PlayerStep]] = [
    ("my own draw wins", {**DRAWN, "pressed": DECLARED}, PlayerStep.LAY_APART),
    ("my winning tile is looked at", {**DRAWN, "rack": HAND, "drawn": None, "pressed": DECLARED}, PlayerStep.WAIT),
    ("I have won and left", {"lamps": lit(2, call=(1,)), "pressed": DECLARED}, PlayerStep.WAIT),
    (
        "I have left and a window opens",
        {"lamps": lit(call=(1,), window=True), "answered": False, "pressed": DECLARED},
        PlayerStep.SAY_ANSWERED,
    ),
    (
        "I won on an earlier discard and a window opens",
        {"lamps": lit(call=(1,), window=True), "answered": False, "pressed": WON, "discards": 3},
        PlayerStep.SAY_ANSWERED,
    ),
    ("another has left and a window opens", {"lamps": lit(call=(2,), window=True), "answered": False, "pressed": WON}, PlayerStep.ANSWER),
    ("my kong is called", {**DRAWN, "pressed": KONG}, PlayerStep.LAY_KONG),
    ("my kong is looked at", {"lamps": lit(1, call=(1,)), "rack": HAND[:10], "melds": KONG_SEEN, "pressed": KONG}, PlayerStep.WAIT),
    ("all are to show and it is my turn", {"lamps": lit(1, call=(0, 1, 2, 3))}, PlayerStep.SHOW),
    ("all are to show and I won before", {"lamps": lit(1, call=(0, 1, 2, 3)), "pressed": WON, "shown": OTHERS_SHOWN}, PlayerStep.SHOW),
    ("all are to show and it is another's turn", {"lamps": lit(2, call=(0, 1, 2, 3))}, PlayerStep.WAIT),
    ("all have shown and my lamp is lit alone", {"lamps": lit(1), "shown": ALL_SHOWN, "rack": ()}, PlayerStep.CONFIRM),
    ("all have shown and another's is", {"lamps": lit(2), "shown": ALL_SHOWN, "rack": ()}, PlayerStep.WAIT),
    ("my left neighbour has proposed for all", {"lamps": lit(1, 2, 3), "shown": ALL_SHOWN, "rack": ()}, PlayerStep.CONFIRM),
    ("I have proposed for all", {"lamps": lit(0, 2, 3), "shown": ALL_SHOWN, "rack": ()}, PlayerStep.WAIT),
    ("the lamps are just changing", {"lamps": lit(1, 2), "shown": ALL_SHOWN, "rack": ()}, PlayerStep.WAIT),
]


def test_a_vain_search_is_not_repeated() -> None:
    visible = replace(VISIBLE, **CLEARING, place=0, lamps=lit(fault=True))  # type: ignore[arg-type]  # a table of changes
    assert next_step(visible, searched=True) is PlayerStep.WAIT


def test_a_win_is_declared_once_for_a_draw() -> None:
    assert declared_on_draw(replace(VISIBLE, pressed=DECLARED))
    assert not declared_on_draw(replace(VISIBLE, pressed=DECLARED, discards=3))
    assert not declared_on_draw(replace(VISIBLE, pressed=WON))
    assert not declared_on_draw(VISIBLE)


def test_others_know_that_a_face_down_kong_is_a_kong() -> None:
    melds = ((MeldSeen(("back",) * 4, None),), (MeldSeen(("C",) * 4, None), MeldSeen(("E",) * 4, 0)), (), ())
    view = view_from(replace(VISIBLE, melds=melds))
    assert view.seats[0].melds == (Meld(MeldType.CONCEALED_KONG, (), None),)
    assert [(meld.type, meld.tiles[0]) for meld in view.melds] == [(MeldType.CONCEALED_KONG, Tile.RED), (MeldType.KONG, Tile.EAST)]


EVEN_TURNS: list[tuple[str, dict[str, object], PlayerStep]] = [
    ("my rear gate is open", {"lamps": lit(call=(1,)), "rear_gate_open": True}, PlayerStep.TURN_UP),
    ("another's rear gate is open", {"lamps": lit(call=(2,))}, PlayerStep.WAIT),
    (
        "my riichi stands",
        {"lamps": lit(1, call=(1,)), "rack": (*HAND, "5m"), "drawn": "5m", "pressed": RIICHI},
        PlayerStep.DISCARD_IN_RIICHI,
    ),
    ("I have just laid it", {"lamps": lit(1, call=(1,)), "pressed": RIICHI}, PlayerStep.WAIT),
    ("my claim at my turn stands", {"lamps": lit(1, call=(1,)), "pressed": Pressed(Key.CHOW, False, 2)}, PlayerStep.CLAIM_WAITING),
    ("my win lies apart", {"lamps": lit(1, call=(1,)), "pressed": DECLARED}, PlayerStep.SHOW),
    (
        "my win on the draw stands",
        {"lamps": lit(1, call=(1,)), "rack": (*HAND, "C"), "drawn": "C", "pressed": DECLARED},
        PlayerStep.LAY_APART,
    ),
    ("I win beside another", {"lamps": lit(1, call=(1,)), "shown": OTHERS_SHOWN, "pressed": WON}, PlayerStep.SHOW),
    ("I won beside another and am to propose", {"lamps": lit(1), "shown": (HAND, HAND, (), ())}, PlayerStep.CONFIRM),
    ("he won before me and is to propose", {"lamps": lit(0), "shown": (HAND, HAND, (), ())}, PlayerStep.WAIT),
]


@pytest.mark.parametrize(
    ("manners", "seen", "step"),
    [
        pytest.param(manners, seen, step, id=f"{manners.name} {what}")
        for manners, cases in ((Manners.PLAIN, CASES), (Manners.FACE_UP, GOING_ON), (Manners.EVEN_TURNS, EVEN_TURNS))
        for what, seen, step in cases
    ],
)
def test_a_player_does_what_the_lamps_ask_for(manners: Manners, seen: dict[str, object], step: PlayerStep) -> None:
    """Face up: play goes on after a win, and a player leaves and shows at the end."""
    visible = replace(VISIBLE, **seen)  # type: ignore[arg-type]  # each case names fields of VisibleTable
    assert next_step(visible, manners=manners) is step


def test_one_tile_of_a_kong_that_lies_face_up_tells_others_of_all() -> None:
    melds = ((MeldSeen(("back", "back", "back", "4p"), None),), (), (), ())
    (kong,) = view_from(replace(VISIBLE, melds=melds)).seats[0].melds
    assert kong == Meld(MeldType.CONCEALED_KONG, (Tile.P4,) * 4, None)


def test_places_become_seats_and_sideways_tiles_tell_who_gave_them() -> None:
    melds = ((), (MeldSeen(("3m", "1m", "2m"), 0), MeldSeen(("C", "C", "C"), 2)), (), (MeldSeen(("E", "E", "E"), 1),))
    view = view_from(replace(VISIBLE, melds=melds, hand=2))
    assert (view.seat, view.seats[Seat.NORTH.index].river) == (Seat.EAST, parse_tiles("4m C"))
    assert [(meld.type, meld.source) for meld in view.melds] == [(MeldType.CHOW, Seat.NORTH), (MeldType.PUNG, Seat.SOUTH)]
    assert view.seats[Seat.WEST.index].melds[0].source is Seat.EAST
    assert view.concealed == tuple(sorted(parse_tiles(" ".join(HAND))))


ANSWER = b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\ncontent-length: 13\r\n\r\n{"tile":"1m"}'


@contextmanager
def world_that_says(*conversations: Sequence[bytes]) -> Iterator[tuple[WorldClient, list[bytes]]]:
    """A person at place 2 of a world that takes one connection after another and says these pieces in each."""
    heard: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            for pieces in conversations:
                connection, _ = listener.accept()
                with connection:
                    while not (said := b"".join(heard[-1:])) or b"{" not in said:
                        heard.append(said + connection.recv(65536))
                    for piece in pieces:
                        connection.sendall(piece)
                    heard.append(b"")

        thread = threading.Thread(target=serve)
        thread.start()
        client = WorldClient(f"http://127.0.0.1:{listener.getsockname()[1]}", 2, threading.Event())
        yield client, heard
        client.close()
        thread.join()


def test_what_hands_cannot_do_is_told_in_the_worlds_words() -> None:
    refusal = b'HTTP/1.1 409 CONFLICT\r\nContent-Length: 28\r\n\r\n{"error":"its gate is shut"}'
    with world_that_says([refusal]) as (client, _), pytest.raises(RefusedError, match="its gate is shut"):
        client.draw()


def test_a_player_who_is_told_to_stop_does_not_wait_for_a_world_that_is_not_there() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    stop = threading.Event()
    client = WorldClient(f"http://127.0.0.1:{port}", 0, stop)
    threading.Timer(0.05, stop.set).start()
    with pytest.raises(StoppedError):
        client.look()


def test_a_person_whose_answer_comes_too_late_for_its_hand_looks_again() -> None:
    asked, stop = [], threading.Event()
    visible = replace(VISIBLE, lamps=lit(window=True, call=(1,)), answered=False, pressed=CLAIMED)

    class World(Answering):
        def do_GET(self) -> None:
            asked.append(self.path.rpartition("&")[2])
            if asked[-1] == f"answered={visible.discards}":
                self.answer(409, b'{"error":"there has been no discard number 2"}')
            else:
                self.answer(200, msgspec.json.encode(visible))
            if len(asked) == 3:
                stop.set()

    with answering(World) as url:
        Person("1", 1, 1, 1.0, rule_set("mcr-duplicate"), client=WorldClient(url, 1, stop), stop=stop).play()
    assert asked[1:3] == ["answered=2", "answered=-1"]


EVEN_HAND = 2
_SIDEWAYS = {3: 0, 2: 1, 1: 2}


def visible_of(state: SeigoState, seat: Seat) -> VisibleTable:
    """What a person at a table sees of this state; claimed tiles lie sideways where they came from."""
    rivers, melds, sticks, draws = [], [], [], []
    for place in range(4):
        owner = SEATS[(place - (EVEN_HAND - 1)) % 4]
        own = state.seat(owner)
        river: list[str | None] = [None] * own.next_place
        for index, laid in enumerate(own.river):
            river[own.place_of(index)] = None if laid.claimed_by else laid.tile.text
        rivers.append(tuple(river))
        riichi = [own.place_of(index) for index, laid in enumerate(own.river) if laid.riichi]
        sticks.append(riichi[0] if riichi else None)
        draws.append(own.draws_left)
        melds.append(
            tuple(
                MeldSeen(
                    tuple(tile.text for tile in meld.tiles),
                    None if meld.source is None else _SIDEWAYS[(meld.source.index - owner.index) % 4],
                )
                for meld in own.melds
            )
        )
    shared: list[str | None] = [None] * 12
    for number, tile in zip((10, 8, 6, 4, 2), state.turned, strict=False):
        shared[number] = tile.text
    return replace(
        VISIBLE,
        place=place_of(seat, EVEN_HAND),
        hand=EVEN_HAND,
        drawn=None,
        rivers=tuple(rivers),
        melds=tuple(melds),
        sticks=tuple(sticks),
        draws_left=tuple(draws),
        shared=tuple(shared),
    )


@pytest.mark.parametrize("seed", some(range(12), 4))
def test_turns_discards_that_wait_and_rear_gates_are_read_as_the_rules_have_them(seed: int) -> None:
    walls, rest = seigo_deal(seed, alike=30 * (seed % 2))
    table = SeigoTable(rule_set("seigo"), walls, Random(seed), eager=seed % 3 == 0, rest=rest)
    read = 0
    for _ in table.play():
        state = table.state
        visible = visible_of(state, state.turn)
        if state.phase is Phase.DRAW and state.turn_up is not None:
            giver = next(seat for seat in SEATS if state.turn_up in SHARED_ROWS[seat.index])
            assert next_shared(visible_of(state, giver), SHARED_ROWS) == state.turn_up
        elif state.phase is Phase.DRAW:
            assert turns_begun(visible, visible.place, DRAWS) == state.turn_number - 1
            found = {seat: tile for seat, tile, _ in waiting(visible, DRAWS)}
            assert found == {seat: waiting_discard(state, seat) for seat in state.takeable}
            read += 1
    assert read


@pytest.mark.parametrize(
    ("lies", "sideways", "text"),
    [("4p 5p 6p", 0, "4p 7p"), ("6p 4p 5p", 0, "3p 6p"), ("5p 4p 6p", 0, "5p"), ("7m 8m 9m", 0, "7m"), ("C C C", 1, "C")],
    ids=["for the low end", "for the high end", "for the middle", "at the edge of the suit", "for a triplet"],
)
def test_a_tile_just_claimed_is_not_discarded(lies: str, sideways: int, text: str) -> None:
    melds = ((), (MeldSeen(tuple(lies.split()), sideways),), (), ())
    claim = present(just_claimed(replace(VISIBLE, melds=melds)))
    assert SeigoStrategy(rule_set("seigo"), Taste()).barred_after(*claim) == frozenset(parse_tiles(text))
    assert just_claimed(replace(VISIBLE, melds=melds, drawn="1m")) is None, "after a draw everything may be thrown"
    assert just_claimed(VISIBLE) is None
