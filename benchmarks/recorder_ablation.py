"""What a part of the decoder saves: ``python -m benchmarks.recorder_ablation keep|try FOLDER``.

``keep`` plays hands before the camera and stores the observations, one file a hand. ``try --without PART …`` decodes them without these
parts, and prints the results. A part is a function, which then finds nothing (``moves.refits:refits``), or a number, which is replaced
(``costs:SELDOM=0``).
"""

import argparse
import importlib
import inspect
import json
import pickle
import sys
from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import wraps
from pathlib import Path
from types import ModuleType
from typing import get_origin

from benchmarks.recorder_violations import SLIPS, Committed, committed_in, judged, noise
from controller.recorder.signals import Signal
from simulator.disturbances.kinds import Disturbances
from tests.support.recorder.played_hands import PlayedHand, decoder_of, followed, messages_of, played
from twinwall.game.play_events import HandEnded
from twinwall.game.rules import rule_set_names
from twinwall.values import frozen
from vision.mat_observation import MatObservation

KINDS = ("lawful", "violated", "record-only")
_PACKAGE = "controller.recorder."


@frozen
class HeardPlay:
    """The observations of a hand; ``committed`` if people violated the rules."""

    kind: str
    rules: str
    number: int
    heard: tuple[Signal, ...]
    committed: Committed | None
    slips: int
    """Other acts that are violations themselves."""

    @property
    def hand(self) -> PlayedHand:
        """The hand that was played."""
        return played(self.rules, self.number)


def observed(kind: str, number: int, scale: float, blur: float, each: int) -> HeardPlay:
    """Play one hand before the camera."""
    names = rule_set_names()
    hand, options = played(names[number % len(names)], number), Namespace(blur=blur, seed=1)
    people = Disturbances(1, scale, dict.fromkeys(SLIPS, 0.0) if kind == "violated" else {})
    if kind == "violated":
        at_table, committed = committed_in(hand, people, each)
    else:
        at_table, committed = hand.at_table(people), None
    heard = tuple(messages_of(at_table, noise(options), backs=True))
    return HeardPlay(kind, names[number % len(names)], number, heard, committed, sum(at_table.counts[slip] for slip in SLIPS))


def outcome(kept: HeardPlay) -> dict[str, int]:
    """Return the decoder's results for a hand."""
    known, hand = kept.kind != "record-only", kept.hand
    decoder = decoder_of(hand, deal=known, gates=known)
    published = followed(decoder, kept.heard, gates=known)
    events = tuple(each.event for each in decoder.finish())
    truth, missed, invented = hand.events, 0, 0 if kept.slips else len(decoder.reported_violations)
    if kept.committed is not None:
        truth, events = kept.committed.events, tuple(event for event in events if not isinstance(event, HandEnded))
        result = judged(decoder, kept.committed, [signal for signal in kept.heard if isinstance(signal, MatObservation)])
        missed, invented = len(result.missed), len(result.invented)
    wrong = (each for each in published if not isinstance(each.event, HandEnded) and truth[each.number - 1 : each.number] != (each.event,))
    return {
        "exact": int(events == truth),
        "questions": len(decoder.questions),
        "wrong": int(events != truth and not decoder.questions),
        "published wrong": sum(1 for _ in wrong),
        "missed": missed,
        "invented": invented,
    }


def modules() -> dict[str, ModuleType]:
    """Return the modules of the decoder by their names within its package."""
    package = Path("controller", "recorder")
    files = (
        file.parent if file.name == "__init__.py" else file for file in sorted(package.glob("*/*.py")) + sorted(package.glob("[a-z]*.py"))
    )
    names = (".".join(file.relative_to(package).with_suffix("").parts) for file in files)
    return {name: importlib.import_module(_PACKAGE + name) for name in names}


@contextmanager
def replaced(part: str, new: object) -> Iterator[None]:
    """Replace a function or number of the decoder in each module that has it."""
    known = modules()
    of, _, name = part.partition(":")
    old = vars(known[of])[name]
    holders = [module for module in known.values() if vars(module).get(name) is old]
    for module in holders:
        setattr(module, name, new)
    yield
    for module in holders:
        setattr(module, name, old)


@contextmanager
def without(part: str) -> Iterator[None]:
    """Run the decoder without a part."""
    name, _, value = part.partition("=")
    if value:
        with replaced(name, float(value)):
            yield
        return
    function = vars(modules()[name.partition(":")[0]])[name.partition(":")[2]]
    with replaced(name, nothing_like(function)):
        yield


def nothing_like(function: Callable[..., object]) -> Callable[..., object]:
    """Return a function that finds nothing, with a result of this function's type."""
    returns = inspect.signature(function, eval_str=True).return_annotation
    nothing: dict[object, object] = {bool: False, float: 0.0, int: 0, Iterator: (), list: [], tuple: (), dict: {}, frozenset: frozenset()}
    return wraps(function)(lambda *_, **__: nothing.get(get_origin(returns) or returns))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("what", choices=("keep", "try"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--kind", choices=KINDS, default=KINDS[0])
    parser.add_argument("--first", type=int, default=120_000)
    parser.add_argument("--hands", type=int, default=40)
    parser.add_argument("--scale", type=float, default=1.0, help="multiplies the rate of every disturbance")
    parser.add_argument("--blur", type=float, default=1.0, help="multiplies the share of tiles that are hard to read")
    parser.add_argument("--each", type=int, default=5, help="violations in each hand of --kind violated")
    parser.add_argument("--without", nargs="*", default=[], metavar="PART", help="parts to leave out together")
    options = parser.parse_args()
    if options.what == "keep":
        options.folder.mkdir(parents=True, exist_ok=True)
        for number in range(options.first, options.first + options.hands):
            kept = observed(options.kind, number, options.scale, options.blur, options.each)
            (options.folder / f"{kept.kind}-{number}.hand").write_bytes(pickle.dumps(kept))
        return 0
    for file in sorted(options.folder.glob("*.hand")):
        kept = pickle.loads(file.read_bytes())
        with ExitStack() as parts:
            for part in options.without:
                parts.enter_context(without(part))
            print(file.stem, json.dumps(outcome(kept)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
