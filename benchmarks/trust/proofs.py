"""Two programs that prove deals agree, and every harm of an evening's bundle is found and its place named.

Slips of the golden vectors, good and harmed, are checked in Python and by the verify page in a browser. Random flips, cuts, swaps, drops,
forks and losses of one evening of four tables are checked by ``twinwall verify``'s own check; a harm counts as named if its file is, and
its line if there are lines. Lines parsed and hands replayed for an earlier harm are reused: both are pure functions.
"""

import tempfile
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any, TypeAlias

from playwright.sync_api import sync_playwright

from tests.support.browser import CHROMIUM, QUIET
from tests.support.event.evenings import CODE, VAULT, bundle
from tests.support.event.harms import harmed
from tests.support.verify_page.slips import VECTORS, any_slip, open_page, vector, verdict, verdicts_of_page
from twinwall.event.bundle import bundle_check, bundle_proofs
from twinwall.event.bundle.bundle_check import check_bundle
from twinwall.event.hands import HandSummary
from twinwall.event.store.hall import Released

TOGETHER = 500
HandProblem: TypeAlias = Callable[[HandSummary, Released], str | None]


def slips(count: int, seed: int) -> dict[str, object]:
    """Count the slips that both programs judge alike, and their answers."""
    chance = Random(seed)
    said: Counter[str] = Counter()
    differing: list[str] = []
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(QUIET))
        page = open_page(browser, Path(folder))
        for first in range(0, count, TOGETHER):
            asked = [any_slip(chance) for _ in range(min(TOGETHER, count - first))]
            for holders in VECTORS:
                known = vector(*holders)
                contents = [content for each, content in asked if each is known]
                for content, other in zip(contents, verdicts_of_page(page, known, contents), strict=True):
                    one = verdict(known.started, content)
                    said[one.split()[0]] += 1
                    if one != other:
                        differing.append(f"{one} in Python, {other} in the page: {content!r}")
        browser.close()
    return {"slips": count, "said": dict(said), "differing": differing}


def cache_by_lines(hand_problem: HandProblem) -> HandProblem:
    """Cache the function's answers by the lines of the hand and the deal's digest."""
    known: dict[tuple[tuple[bytes, ...], bytes], str | None] = {}

    def answer(hand: HandSummary, released: Released) -> str | None:
        key = (tuple(event.line for event in hand.events), released.deal.digest)
        if key not in known:
            known[key] = hand_problem(hand, released)
        return known[key]

    return answer


def harms(count: int, seed: int) -> dict[str, object]:
    """Count the random harms of a bundle that are found, and those named by their place."""
    cached: list[tuple[ModuleType, str, Callable[[Any], Any]]] = [
        (bundle_proofs, "parse", cache),
        (bundle_check, "hand_problem", cache_by_lines),
    ]
    for module, name, caching in cached:
        setattr(module, name, caching(getattr(module, name)))
    kinds: Counter[str] = Counter()
    lost: list[str] = []
    not_named: list[str] = []
    for number in range(count):
        files, harm = harmed(dict(bundle()), Random(f"{seed} {number}"))
        unproved = check_bundle(files, CODE, VAULT.public).unproved
        kinds[harm.kind] += 1
        if not unproved:
            lost.append(f"{number}: {harm}")
        elif not any(harm.is_named_by(each) for each in unproved):
            not_named.append(f"{number}: {harm}, said: {unproved[0]}")
    return {"harms": count, "kinds": dict(kinds), "not_found": lost, "not_named": not_named}
