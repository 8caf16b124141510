"""Whole hands from drum to record, with a controller that may be killed at any instruction."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from random import Random

import pytest

from controller.ledger.journal import Journal
from controller.ledger.public import open_ledger, table_ledger
from controller.state.sides import PlayStage
from controller.table_loop import BATCHED
from firmware_bridge.messages import Unlock
from tests.support.controller.hands_of_rules import (
    CONCEALED_KONG,
    LATE_KONG,
    NOBODY,
    THREE_WINNERS,
    TWO_ON_ONE,
    Seated,
    hand_of,
    seated,
    seated_mcr,
    seated_seigo,
    seated_yangzhou,
    written,
    yangzhou_at_random,
)
from tests.support.controller.players import written_hand
from tests.support.controller.rigs import EVENTS, PUBLIC, MakeRig, Rig, opened
from tests.support.game.tables import random_walls, walls_with_kongs
from tests.support.narrowed import of_type
from tests.support.tiers import one_in, pairs, some
from twinwall.game.play_events import Claimed, EndReason, HandEnded, KongDeclared, PlayEvent, WinDeclared, WinRefused
from twinwall.game.replay import replay
from twinwall.wire.events.catalogue import EVENT_TYPES
from twinwall.wire.events.definitions import type_name
from twinwall.wire.events.trouble_events import Violation
from twinwall.wire.events.wall_events import ControllerStarted
from twinwall.wire.ledger import verify_chain

pytestmark = pytest.mark.slow
TableWith = Callable[[MakeRig, int], Seated]
"""Makes a table with people who will play the hand of a seed."""


def play(rig: Rig, *, killed: bool = False) -> None:
    """Play the hand to its end, with a controller that is ``killed`` now and then."""
    if killed:
        mortal(rig, lambda: rig.state.playing.stage is PlayStage.CLOSED, mean=50)
        assert rig.deaths > 1
    else:
        rig.run(lambda: rig.state.playing.stage is PlayStage.CLOSED)
    rig.confirm()
    rig.settle()


def check(rig: Rig, script: list[PlayEvent]) -> None:
    """The hand in the record is the one that was played, with no foul, and what was published is the ledger, whole and once."""
    record = rig.record(rig.deal.hand)
    assert list(record.events) == script
    assert not rig.state.playing.fouled
    again = replay(record)
    assert again.legal
    assert again.scores == record.scores
    for topic, ledger in zip((EVENTS, PUBLIC), rig.ledgers, strict=True):
        assert verify_chain(ledger.lines) is None
        assert ledger.path.read_bytes() == b"".join(ledger.lines)
        assert {line for to, line in rig.broker.published if to == topic} == set(ledger.lines)


def of_seigo(make_rig: MakeRig, seed: int) -> Seated:
    return seated(make_rig, "seigo", seed, alike=20 if seed == 2 else 0, hand=hand_of(seed))


def of_sichuan(make_rig: MakeRig, seed: int) -> Seated:
    return seated(make_rig, "sichuan", seed)


def of_yangzhou(make_rig: MakeRig, seed: int) -> Seated:
    return seated(make_rig, "yangzhou", seed, hand=hand_of(seed))


KONGS = (3, 5, 319, 394, 426, 502)
KONG, SELF_DRAWN, ON_A_DISCARD = 11, 2, 0
"""Hands of Yangzhou of people who know the rules: of 13 fan and more."""
ROBBED, THREE_ON_ONE, TWO_KONGS, REFUSED = 591, 327, 50, 756
"""Hands of Yangzhou at random; of three who call a win on one discard one is refused."""
HANDS: Mapping[str, tuple[TableWith, Sequence[int]]] = {
    "seigo: an added kong, two, three, nobody wins, a robbed kong": (of_seigo, (3, 35, 2, 6, 34)),
    "sichuan": (of_sichuan, (TWO_ON_ONE, THREE_WINNERS, LATE_KONG, NOBODY, CONCEALED_KONG)),
    "yangzhou": (of_yangzhou, (KONG, SELF_DRAWN, ON_A_DISCARD)),
    "mcr": (partial(seated_mcr, raised=True), range(12)),
    "mcr, with kongs": (partial(seated_mcr, raised=True, deal=walls_with_kongs), KONGS),
    "seigo: an open kong, two win on one tile, four kongs, a false win, one self-drawn": (seated_seigo, (39, 241, 22, 212, 67)),
    "yangzhou, at random": (seated_yangzhou, (ROBBED, THREE_ON_ONE, TWO_KONGS, REFUSED)),
}
"""The seeds of hands of people who know the rules, and of players who take every win and err."""
LAWFUL = (of_seigo, of_sichuan, of_yangzhou)


@pytest.mark.parametrize(
    ("table_with", "seed", "killed"),
    [
        pytest.param(HANDS[rules][0], seed, killed, id=f"{rules}-{seed}{'-killed and cut' if killed else ''}")
        for (rules, seed), killed in one_in(
            3, pairs([(rules, seed) for rules, (_, seeds) in HANDS.items() for seed in seeds], [False, True])
        )
    ],
)
def test_a_hand_is_recorded_as_played_and_no_rule_is_violated(make_rig: MakeRig, table_with: TableWith, seed: int, killed: bool) -> None:
    """Of many hands one in three, by turns with a controller that is killed now and then."""
    rig, script = table_with(make_rig, seed)
    play(rig, killed=killed)
    check(rig, script)
    assert table_with not in LAWFUL or not rig.happened(Violation)


def test_among_these_hands_are_kongs_of_every_kind_and_robbed_ones(make_rig: MakeRig) -> None:
    rules = make_rig().setup.rules
    seen = set()
    for seed in KONGS:
        state = rules.start()
        for event in written_hand(rules, walls_with_kongs(seed), seed, hand=hand_of(seed)):
            if isinstance(event, Claimed | KongDeclared):
                seen.add(event.meld.type.value)
            if isinstance(event, WinDeclared):
                seen.add("robbing" if state.robbing else "replacement" if state.after_kong and event.source is None else "")
            state = rules.apply(state, event)
    assert seen >= {"kong", "added_kong", "concealed_kong", "robbing", "replacement"}


def test_among_these_hands_some_are_won_and_some_have_false_wins_and_claims(make_rig: MakeRig) -> None:
    rules = make_rig().setup.rules
    hands = [written_hand(rules, random_walls(seed), seed, hand=hand_of(seed)) for seed in range(12)]
    assert {event.reason for hand in hands for event in hand if isinstance(event, HandEnded)} >= {EndReason.WON}
    kinds = {type(event).__name__ for hand in hands for event in hand}
    assert kinds >= {"Claimed", "WinDeclared", "WinRefused", "HandShown", "ClaimsPassed"}


def ended(script: Sequence[PlayEvent]) -> HandEnded:
    return of_type(HandEnded, script[-1])


def test_the_hands_of_yangzhou_have_what_makes_them_special() -> None:
    kong, own, discard = (written("yangzhou", seed, hand_of(seed)) for seed in (KONG, SELF_DRAWN, ON_A_DISCARD))
    assert any(isinstance(event, KongDeclared) for event in kong)
    assert sorted(ended(own).scores.values()) == [-18, -18, -18, 54]
    assert sorted(ended(discard).scores.values()) == [-26, 0, 0, 26]
    assert {ended(hand).reason for hand in (kong, own, discard)} == {EndReason.WON}
    robbed, three, kongs, refused = map(yangzhou_at_random, (ROBBED, THREE_ON_ONE, TWO_KONGS, REFUSED))
    declared = next(number for number, event in enumerate(robbed) if isinstance(event, KongDeclared))
    assert isinstance(robbed[declared + 1], WinDeclared)
    assert sum(isinstance(event, WinDeclared) for event in three) == 3
    assert sum(points > 0 for points in ended(three).scores.values()) == 2
    assert sum(isinstance(event, KongDeclared) for event in kongs) == 2
    assert any(isinstance(event, WinRefused) for event in refused)


@pytest.mark.parametrize("seed", some(range(6), 1))
def test_killed_and_cut_at_any_effect_of_a_build_the_wall_is_still_right(make_rig: MakeRig, seed: int) -> None:
    rig = make_rig(opened(random_walls(seed)), seed=seed)
    mortal(rig, lambda: rig.state.playing.stage is PlayStage.TAKING, mean=40)
    assert rig.deaths > 1
    assert rig.wall_is_right()
    assert sorted(map(str, rig.feeder.everything)) == sorted(map(str, rig.setup.rules.tiles))


@pytest.mark.parametrize("seed", some([20, 21, 22], 1))
def test_from_drum_to_record_a_dying_controller_leaves_the_record_an_immortal_one_leaves(make_rig: MakeRig, seed: int) -> None:
    unharmed, script = seated_mcr(make_rig, seed)
    play(unharmed)
    dying, _ = seated_mcr(make_rig, seed)
    mortal(dying, lambda: dying.state.playing.stage is PlayStage.CLOSED, mean=100)
    dying.confirm()
    dying.settle()
    check(dying, script)
    assert dying.record(dying.deal.hand) == unharmed.record(unharmed.deal.hand)


def mortal(rig: Rig, until: Callable[[], bool], *, mean: int, most: int = 20_000) -> None:
    """Go on until something holds while the controller is killed about every ``mean`` effects, half the time by a power cut."""
    chance = Random(rig.random.random())

    def reached() -> bool:
        if rig.fuse is None:
            rig.fuse = chance.randint(1, 2 * mean)
        return until()

    rig.run(reached, most=most, most_s=3600)
    rig.fuse = None


def test_the_ledger_of_any_prefix_of_a_journal_is_a_prefix_of_the_whole_ledger(make_rig: MakeRig, tmp_path: Path) -> None:
    rig, _ = seated_mcr(make_rig, 5, raised=True)
    play(rig)
    content = (rig.folder / "table.journal").read_bytes()
    for number in range(25):
        folder = tmp_path / f"prefix-{number}"
        folder.mkdir()
        (folder / "table.journal").write_bytes(content[: rig.random.randrange(len(content))])
        journal = Journal(folder / "table.journal")
        for ledger, whole in zip((table_ledger(folder, "1", "journal-1"), open_ledger(folder, "1", "journal-1")), rig.ledgers, strict=True):
            ledger.catch_up(journal.entries)
            assert ledger.lines == whole.lines[: len(ledger.lines)]
            ledger.close()
        journal.close()


def durable(rig: Rig) -> list[tuple[str, object, int]]:
    """Every effect with the number of journal bytes that were safe on disk when it left."""
    safe, seen = 0, []
    for what, detail in rig.effects:
        if what == "fsync":
            assert isinstance(detail, int)
            safe = detail
        else:
            seen.append((what, detail, safe))
    return seen


def test_nothing_that_players_could_rely_on_leaves_before_its_event_is_on_disk(make_rig: MakeRig) -> None:
    rig, _ = seated_mcr(make_rig, 3)
    written = watch_the_journal(rig)
    play(rig)
    checked = 0
    for what, detail, safe in durable(rig):
        if what in ("lamps", "publish") or (what == "submit" and isinstance(getattr(detail, "command", None), Unlock)):
            checked += 1
            assert safe >= written(detail), f"{what} {detail} left too early"
    assert checked > 200


def watch_the_journal(rig: Rig) -> Callable[[object], int]:
    """Note with each effect where the last journal line ends that is not batched; that much has to be safe."""
    ends: dict[int, int] = {}
    append, size = rig.journal.append, [rig.synced]
    last = [0]

    def noting(at: str, events: tuple[object, ...]) -> object:
        entries = append(at, events)  # type: ignore[arg-type]  # what the table hands on
        size[0] = (rig.folder / "table.journal").stat().st_size
        if not all(isinstance(event, BATCHED) for event in events):
            last[0] = size[0]
        return entries

    rig.journal.append = noting  # type: ignore[method-assign,assignment]  # looking on, not replacing
    effects = rig._effect

    def effect(what: str, detail: object) -> None:
        ends[id(detail)] = last[0]
        kept.append(detail)
        effects(what, detail)

    kept: list[object] = []
    rig._effect = rig.broker.effect = effect  # type: ignore[method-assign]  # looking on, not replacing
    return lambda detail: ends[id(detail)]


def test_no_batched_event_is_public() -> None:
    assert not {type_name(kind) for kind in BATCHED} & EVENT_TYPES.keys()
    assert type_name(ControllerStarted) in EVENT_TYPES
