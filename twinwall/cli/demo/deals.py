"""The demo's own event: a plan, a throw-away seed, and the deals laid where its tables find them.

The seed is derived from ``--seed``, so that a demo can be repeated; a real event's seed is drawn at
random and kept by its holder.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path

from twinwall.game.deals import Commitments, Deal, Plan, Seed, commit, make_deal, make_slip, plan_sessions

EVENT = "Demo"
HOLDER = "server"
PUBLIC_SOURCE = "the demo's seed number: a rehearsal, not a draw"
SEED_BYTES = 80


@dataclass(frozen=True, slots=True)
class DemoDeals:
    """What was committed, and every deal made from it."""

    plan: Plan
    plan_file: Path
    root: bytes
    deals: tuple[Deal, ...]
    folder: Path


def make_deals(folder: Path, seed: int, rules: str, hands: int) -> DemoDeals:
    """Plan, commit and make the deals of one session into ``folder`` (files mode 0600)."""
    plan = plan_sessions(EVENT, rules, sessions=1, hands=hands, holders=[HOLDER], public=PUBLIC_SOURCE)
    seeds = {HOLDER: Seed(hashlib.shake_256(f"twinwall demo {seed}".encode()).digest(SEED_BYTES))}
    commitments: Commitments = commit(plan, seeds)
    public = f"demo seed {seed}"
    deals_folder = folder / "deals"
    deals_folder.mkdir(parents=True, exist_ok=True)
    plan_file = folder / "plan.json"
    plan_file.write_bytes(plan.canonical)
    deals = tuple(make_deal(plan, seeds, planned.n, public, commitments.root) for planned in plan.deals)
    for deal in deals:
        slip = make_slip(plan, seeds, deal.n, public, commitments)
        _write_private(deals_folder / f"deal-{deal.n:04d}.json", deal.to_json())
        _write_private(deals_folder / f"slip-{deal.n:04d}.json", slip.to_json())
    return DemoDeals(plan, plan_file, commitments.root, deals, deals_folder)


def _write_private(path: Path, document: dict[str, object]) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
        json.dump(document, file, ensure_ascii=False)
        file.write("\n")
